"""What a model on a machine does under a load, as a card for people and as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sympy import Integer, expand

from symroof.cli.text import Block, Grid, Lines, Sentence
from symroof.errors import InputError, UnboundError
from symroof.hardware import chip as find_chip
from symroof.hardware import system as find_system
from symroof.serving.data import usual_batches
from symroof.serving.serve import serve
from symroof.serving.serving import Serving
from symroof.serving.step import Step
from symroof.serving.workload import Workload, mix
from symroof.solve import Crossover
from symroof.symbolic import adopt, bind, symbol, to_text
from symroof.symbolic.numerals import number
from symroof.units import Quantity, human

MOST_BATCHES = 24
MOST_HELPS = 3
LONGEST = 400
CUTS = ("tp", "pp", "ep", "dp")


@dataclass(frozen=True, slots=True)
class Question:
    """What the line asks.

    Attributes
    ----------
    serving : Serving
    unknown : str or None
        What to solve for; the batch when None.
    batches : tuple of int
        Those to show.
    tpot, rate : str or None
        A latency target, and a rate of requests.
    """

    serving: Serving
    unknown: str | None
    batches: tuple[int, ...]
    tpot: str | None
    rate: str | None


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
    **options: Any,
) -> Question:
    """Read the arguments of the command.

    Raises
    ------
    InputError
        If no machine is named or two are, a count or a batch is no whole number of 1 or more.
    """
    machine = _machine(chip, system, count)
    workload = None
    if trace is not None:
        known = Path(trace).suffix.lower() == ".csv"
        workload = Workload.from_trace(trace) if known else mix(trace)
    given = {name: value for name, value in options.items() if value is not None}
    serving = serve(config, machine, workload=workload, **given)
    if serving.asked.open:
        raise InputError(
            "say how long sequences are: --context 1024, or --prefill 512 --decode 1024"
            f" (symroof crossover {config[:60]} --for B leaves S open)"
        )
    wanted = _batches(batches)
    if wanted is None:
        wanted = usual_batches(serving)
    return Question(serving, unknown, wanted, tpot, rate)


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


def serve_document(question: Question) -> dict[str, Any]:
    """Return the answer as plain data."""
    serving = question.serving
    document = serving.to_dict(question.batches)
    if question.unknown is not None:
        document["crossover"] = serving.crossover(question.unknown).to_dict()
    if question.tpot is not None:
        document["largest_batch"] = serving.largest_batch(question.tpot)
    if question.rate is not None:
        document["chips_for"] = serving.chips_for(adopt(question.rate), question.tpot)
    return document


def serve_view(question: Question) -> tuple[str, list[Block]]:
    """Return the card: does it fit, the bound, throughput, crossovers, what would help."""
    serving = question.serving
    blocks: list[Block] = [Lines(_memory(serving), strong=True)]
    steps = [serving.at(batch) for batch in question.batches]
    if steps and all(step.tpot.resolved().expr.is_number for step in steps):
        blocks.append(_table(serving, steps))
    blocks.append(Lines(_times(serving)))
    blocks.append(Lines(_answers(question), strong=True))
    if question.batches:
        blocks.append(Lines(_helps(serving, question.batches[-1])))
    blocks.append(Sentence(f"Not modelled: {'; '.join(serving.left_out)}.", dim=True))
    blocks.append(Sentence(" ".join(serving.assumptions), dim=True))
    return _title(serving), [block for block in blocks if block.filled]


def _title(serving: Serving) -> str:
    setup = serving.setup
    machine = setup.machine.title or setup.machine.name
    load = f"decoding at context {to_text(serving.context.expr)}"
    if serving.workload is not None:
        lengths = serving.workload
        load = f"{to_text(lengths.prefill)} prompt + {to_text(lengths.decode)} new tokens"
    return f"{setup.model.name} on {machine}, {load}, memory {serving.memory}"


def _memory(serving: Serving) -> list[tuple[str, str]]:
    capacity = serving.capacity
    rows = []
    weights = human(capacity.weights.resolved(), 4)
    each = " per chip" if serving.chips > 1 else ""
    if serving.fits is None:
        rows.append(("fits", f"nobody says the memory of {serving.setup.chip.name}"))
    elif serving.fits and capacity.memory is not None:
        most = serving.max_batch
        text = f"yes: weights {weights} of {human(capacity.memory.resolved(), 4)}{each}"
        if most is not None:
            text += f"; at most {most:,} sequences"
        rows.append(("fits", text))
    elif serving.shortfall is not None:
        text = f"no: {human(serving.shortfall.resolved(), 4)}{each} too much"
        if serving.fewest_chips is not None:
            text += f"; it takes {serving.fewest_chips} chips or more"
        rows.append(("fits", text))
    return rows


def _table(serving: Serving, steps: list[Step]) -> Grid:
    per_gpu = serving.chips > 1
    header = [serving.batch, "compute", "memory"]
    header += ["network"] if per_gpu else []
    header += ["bound", "TPOT", "tokens/s"] + (["per chip"] if per_gpu else [])
    header += ["per user", "MFU", "MBU"]
    priced = any(step.cost_per_million_tokens is not None for step in steps)
    header += ["USD per M"] if priced else []
    rows = []
    for step in steps:
        terms = {name: human(term.resolved(), 3) for name, term in step.terms.items()}
        row = [f"{int(str(step.batch)):,}", terms["compute"], terms["memory"]]
        row += [terms["network"]] if per_gpu else []
        row += [str(step.bound), human(step.tpot.resolved(), 3), _rate(step.throughput)]
        row += [_rate(step.throughput_per_gpu)] if per_gpu else []
        row.append(_rate(step.tokens_per_second_per_user))
        row += [f"{100 * step.mfu:.1f} %", f"{100 * step.mbu:.1f} %"]
        if priced and step.cost_per_million_tokens is not None:
            row.append(f"{step.cost_per_million_tokens.to('USD'):.3g}")
        rows.append(row)
    words = header.index("bound")
    right = frozenset(place for place in range(len(header)) if place != words)
    rates = (header.index("MBU"), header.index("MFU"))
    return Grid(header, rows, right, optional=rates)


def _rate(rate: Quantity) -> str:
    value = rate.resolved().to("token/s")
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _times(serving: Serving) -> list[tuple[str, str]]:
    pairs = [("t_compute", serving.t_compute), ("t_mem", serving.t_mem), ("t_net", serving.t_net)]
    batch = serving.batch
    return [(name, text) for name, term in pairs if (text := _line(term, batch))]


def _line(term: Quantity, batch: str) -> str:
    """Return a time that is a line in the batch as ``15.7 µs·B + 4.48 ms``, else nothing."""
    expr = term.resolved().expr
    if expr == 0 or {s.name for s in expr.free_symbols} - {batch}:
        return ""
    start = bind(expr, {batch: Integer(0)})
    slope = bind(expr, {batch: Integer(1)}) - start
    if expand(expr - start - slope * symbol(batch)) != 0:
        return ""
    parts = [(slope, f"·{batch}"), (start, "")]
    texts = [f"{human(Quantity.of(n, 's'), 4)}{name}" for n, name in parts if n != 0]
    return " + ".join(texts)


def _answers(question: Question) -> list[tuple[str, str]]:
    serving = question.serving
    unknown = question.unknown or serving.batch
    here = serving.crossover(unknown)
    rows = [("compute-bound", _answer(here))]
    general = str(serving.symbolic.crossover(unknown))
    if general != str(here) and len(general) < LONGEST and "not solved" not in general:
        rows.insert(0, ("compute-bound if", general))
        rows[1] = ("here", rows[1][1])
    if question.unknown is None or unknown == serving.batch:
        rows.append(("context limit", str(serving.context_limit)))
        thumb = serving.rule_of_thumb
        if thumb is not None and thumb.batch is not None:
            rows.append(
                ("rule of thumb", f"weights alone say {serving.batch} = {_short(thumb.batch)}")
            )
    network = serving.network_bound_from
    if network is not None and serving.chips > 1:
        rows.append(("network over compute", _answer(network)))
    if question.tpot is not None:
        largest = serving.largest_batch(question.tpot)
        text = f"{serving.batch} = {largest:,}" if largest else "none"
        rows.append((f"largest within {question.tpot}", text))
    if question.rate is not None:
        chips = serving.chips_for(adopt(question.rate), question.tpot)
        rows.append((f"{question.rate} requests/s", f"{chips:,} chips"))
    return rows


def _answer(answer: Crossover) -> str:
    return str(answer).removeprefix("compute-bound ")


def _short(value: float) -> str:
    return number(adopt(str(round(value, 1))))


def _helps(serving: Serving, batch: int) -> list[tuple[str, str]]:
    try:
        found = [one for one in serving.helps(batch) if one.gain > 1][:MOST_HELPS]
    except UnboundError:
        return []
    return [
        (f"at {serving.batch} = {batch:,}" if place == 0 else "", str(one))
        for place, one in enumerate(found)
    ]
