"""What ``symroof serve`` is asked: a model on a machine under a load, in the library's terms."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sympy import Expr

from symroof.cli.options import ModelArguments
from symroof.errors import InputError, SymroofError
from symroof.hardware import chip as find_chip
from symroof.hardware import system as find_system
from symroof.serving.data import usual_batches
from symroof.serving.inputs import amount
from symroof.serving.serve import serve
from symroof.serving.serving import Serving
from symroof.serving.workload import Workload, mix
from symroof.solve import Crossover
from symroof.symbolic import adopt
from symroof.units import Quantity

MOST_BATCHES = 24


@dataclass(frozen=True, slots=True)
class Question:
    """What the line asks.

    Attributes
    ----------
    serving : Serving
    unknown : str
        What to solve for: the batch, unless the line says something else.
    batches : tuple of int
        Those to show.
    tpot : Quantity or None
        A latency target.
    tpot_text : str
        The same as the line says it.
    rate : Expr or None
        A number of requests per second.
    """

    serving: Serving
    unknown: str
    batches: tuple[int, ...]
    tpot: Quantity | None = None
    tpot_text: str = ""
    rate: Expr | None = None

    @property
    def at(self) -> dict[str, int]:
        """The batch at which another name is solved for: the last of those shown."""
        is_batch = self.unknown == self.serving.batch
        return {} if is_batch or not self.batches else {self.serving.batch: self.batches[-1]}

    @property
    def answer(self) -> Crossover:
        """For which values of the unknown the model is compute-bound, lengths and batch put in."""
        found = self.serving.crossover(self.unknown)
        return found.at(**self.at) if set(self.at) & set(found.free) else found

    @property
    def largest_batch(self) -> int | None:
        """The largest batch that fits and keeps to the target; 0 where none does."""
        return (
            self.serving.max_tokens if self.tpot is None else self.serving.largest_batch(self.tpot)
        )

    @property
    def chips(self) -> int | None:
        """How many chips the rate needs; None where no batch fits and keeps to the target."""
        if self.rate is None or self.largest_batch == 0:
            return None
        return self.serving.chips_for(self.rate, self.tpot)


def ask(
    config: str,
    *,
    chip: str | None,
    system: str | None,
    count: int | None,
    batches: str | None,
    trace: str | None,
    unknown: str | None,
    tpot: str | None,
    rate: str | None,
    price: str | None,
    model: ModelArguments,
    **options: Any,
) -> Question:
    """Read the arguments of the command.

    Raises
    ------
    InputError
        If no machine is named or two are, or a count, a batch, a rate or a length is no number.
    UnitError
        If a time or a price is none.
    """
    machine = _machine(chip, system, count)
    workload = None
    if trace is not None:
        known = Path(trace).suffix.lower() == ".csv"
        workload = Workload.from_trace(trace) if known else mix(trace)
    given = {name: value for name, value in options.items() if value is not None}
    cost = None if price is None else amount(price, "USD/s", "--price", zero=True)
    serving = serve(config, machine, workload=workload, price=cost, **given, **model.given)
    if serving.asked.unknown and not serving.asked.open:
        names = ", ".join(serving.asked.unknown)
        raise InputError(f"sizes of the model are no numbers: {names}", where=config[:60])
    if serving.asked.open:
        raise InputError(
            "say in numbers how long sequences are: --context 1024, or --prefill 512 --decode 1024"
            f" (symroof crossover {config[:60]} --for B leaves S open)"
        )
    wanted = _batches(batches)
    return Question(
        serving,
        unknown or serving.batch,
        usual_batches(serving) if wanted is None else wanted,
        None if tpot is None else amount(tpot, "s", "--tpot"),
        tpot or "",
        None if rate is None else _rate(rate, serving),
    )


def _machine(chip: str | None, system: str | None, count: int | None) -> Any:
    if chip is not None and system is not None:
        raise InputError("--chip and --system both name the machine; leave one of them out")
    if chip is None and system is None:
        raise InputError("no machine named; expected --chip NAME or --system NAME")
    if count is not None and count < 1:
        raise InputError(f"expected 1 chip or more, got {count}", where="--count")
    if system is not None:
        if count is not None:
            raise InputError("a system says how many chips it has; leave it out", where="--count")
        return find_system(system)
    found = find_chip(chip or "")
    return found if count in (None, 1) else find_system(f"{count}x{found.name}")


def _batches(text: str | None) -> tuple[int, ...] | None:
    if text is None:
        return None
    found = []
    for part in text.split(","):
        if not part.strip().isdecimal() or not 0 < int(part) < 10**12:
            raise InputError(
                f"expected whole numbers of 1 or more, as in 1,8,64; got {part[:40]!r}",
                where="--batch",
            )
        found.append(int(part))
    if len(found) > MOST_BATCHES:
        raise InputError(f"at most {MOST_BATCHES} batches", where="--batch")
    return tuple(sorted(set(found)))


def _rate(text: str, serving: Serving) -> Expr:
    if serving.workload is None:
        raise InputError("requests need --prefill and --decode, or --trace", where="--rate")
    try:
        found = adopt(text)
    except SymroofError:
        found = adopt(0)
    if not found.is_number or not found.is_finite or found <= 0:
        raise InputError(
            f"expected a number of requests per second above 0; got {text[:40]!r}", where="--rate"
        )
    return found
