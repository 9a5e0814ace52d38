"""One iteration of one batch, in numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sympy import Expr

from symroof.errors import InputError
from symroof.roofline import Bound
from symroof.roofline.compare import as_bound
from symroof.serving.asked import OpenError
from symroof.serving.costs import cost_per_million_tokens
from symroof.serving.rates import Rates
from symroof.serving.terms import IterationTime, largest_of
from symroof.symbolic.exact import shown
from symroof.units import Quantity

if TYPE_CHECKING:
    from symroof.serving.serving import Serving


@dataclass(frozen=True, slots=True)
class Step:
    """One iteration of one batch.

    Attributes
    ----------
    batch : Expr
        In the unit of the symbol: sequences, or tokens.
    sequences, tokens : Quantity
        Sequences that decode, and tokens an iteration works on, those of prompts included.
    terms : mapping of str to Quantity
        Seconds of compute, memory, network.
    time : IterationTime
    bound : Bound
        The largest term.
    throughput, throughput_per_gpu, decode_throughput : Quantity
        Tokens a second: all of them, of one chip, and the new ones alone.
    requests_per_second : Quantity or None
        Requests a second; None without lengths of prompts and answers.
    tpot : Quantity
        Seconds between two tokens of a sequence.
    tokens_per_second_per_user : Quantity
        The inverse.
    mfu, mbu : float
        Model FLOPs and bandwidth utilisation, if everything overlaps.
    cost_per_million_tokens : Quantity or None
        Dollars; None without a price.
    fits : bool or None
        Whether the batch fits the memory; None where nobody can say.
    """

    batch: Expr
    sequences: Quantity
    tokens: Quantity
    terms: Mapping[str, Quantity]
    time: IterationTime
    bound: Bound
    throughput: Quantity
    throughput_per_gpu: Quantity
    decode_throughput: Quantity
    requests_per_second: Quantity | None
    tpot: Quantity
    tokens_per_second_per_user: Quantity
    mfu: float
    mbu: float
    cost_per_million_tokens: Quantity | None
    fits: bool | None

    def to_dict(self) -> dict[str, Any]:
        """Return the step as plain data; every amount with its unit."""
        cost = self.cost_per_million_tokens
        requests = self.requests_per_second
        return {
            "batch": int(self.batch) if self.batch.is_Integer else float(self.batch),
            "sequences": self.sequences.to_dict(),
            "tokens": self.tokens.to_dict(),
            "terms": {name: term.to_dict() for name, term in self.terms.items()},
            "time": self.time.to_dict(),
            "bound": self.bound.value,
            "throughput": self.throughput.to_dict(),
            "throughput_per_gpu": self.throughput_per_gpu.to_dict(),
            "decode_throughput": self.decode_throughput.to_dict(),
            "requests_per_second": None if requests is None else requests.to_dict(),
            "tpot": self.tpot.to_dict(),
            "tokens_per_second_per_user": self.tokens_per_second_per_user.to_dict(),
            "mfu": self.mfu,
            "mbu": self.mbu,
            "cost_per_million_tokens": None if cost is None else cost.to_dict(),
            "fits": self.fits,
        }


def step_of(serving: Serving, batch: Expr) -> Step:
    """Return one iteration of a batch, in numbers.

    Raises
    ------
    InputError
        If the batch is no number.
    OpenError
        If lengths are left open.
    """
    if not batch.is_number:
        raise InputError(f"expected a number, not {shown(batch)}", where="batch")
    if serving.asked.open:
        names = (symbol.name for symbol in serving.context.expr.free_symbols)
        raise OpenError("an iteration in numbers", names)
    asked, terms = serving.asked, serving.terms
    taken = {name: terms.put(term, batch) for name, term in terms.known.items()}
    time = terms.known_time.map(lambda bound: terms.put(bound, batch))
    whole = time.overlapped
    tokens = Quantity(batch, "token")
    rates, price = Rates(asked, tokens, whole), asked.price
    return Step(
        batch=batch,
        sequences=Quantity(batch * asked.new_share, ""),
        tokens=tokens,
        terms=taken,
        time=time,
        bound=as_bound(largest_of(taken)),
        throughput=rates.throughput,
        throughput_per_gpu=rates.per_gpu,
        decode_throughput=rates.decoding,
        requests_per_second=rates.requests,
        tpot=whole,
        tokens_per_second_per_user=Quantity(1, "token") / whole,
        mfu=(taken["compute"] / whole).to(""),
        mbu=(taken["memory"] / whole).to(""),
        cost_per_million_tokens=(
            None if price is None else cost_per_million_tokens(price, serving.chips, rates.decoding)
        ),
        fits=serving.has_room(batch),
    )
