"""Pipeline parallelism: stages that fill and drain, the bubble, and what crosses their borders."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sympy import Expr, Integer, ceiling

from symroof.errors import InputError
from symroof.graph.block import positive_count
from symroof.symbolic.adopt import adopt
from symroof.symbolic.bounds import least
from symroof.symbolic.exact import shown
from symroof.symbolic.symbols import check_own
from symroof.units import Quantity, Scope

ONE = Integer(1)


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Layers in stages on chips in a row, a batch in microbatches that follow each other.

    A batch takes each stage the same time, and the stages of one microbatch follow each other: the
    last stage waits for p - 1 microbatches' worth of stages before it begins, and the first after
    it has ended. That bubble is the same for all forward passes first (GPipe: Huang et al. 2019)
    and for one forward, one backward (PipeDream-Flush: Narayanan et al. 2021); with v chunks of
    layers on each chip in turn it is a v-th (interleaved: Narayanan et al. 2021, section 2.2).

    Attributes
    ----------
    stages : Expr
        Chips in the row, p.
    microbatches : Expr
        Parts of the batch, m.
    chunks : Expr
        Chunks of layers on each chip, v.

    Examples
    --------
    >>> pipe = Pipeline.of("p", "m")
    >>> str(pipe.bubble), str(pipe.time(Quantity("t", "s")))
    ('(p - 1)/(m + p - 1)', 't*(1 + (p - 1)/m) s')
    >>> Pipeline.of(4, 12).bubble.value
    1/5
    """

    stages: Expr
    microbatches: Expr
    chunks: Expr = ONE

    @classmethod
    def of(cls, stages: Any, microbatches: Any, chunks: Any = 1) -> Pipeline:
        """Return the pipeline of whole numbers of 1 or more, or formulas.

        Raises
        ------
        InputError
            If one is no such number.
        """
        return cls(
            positive_count(stages, "pipeline stages"),
            positive_count(microbatches, "pipeline microbatches"),
            positive_count(chunks, "pipeline chunks"),
        )

    @property
    def bubble(self) -> Quantity:
        """The share of the time in which a chip waits: (p - 1)/(v*m + p - 1)."""
        waits = self.stages - 1
        return self._quantity(waits / (self.chunks * self.microbatches + waits))

    def time(self, busy: Quantity) -> Quantity:
        """Return the time of a batch, from the time one stage is busy with all of it.

        That is busy*(m + p - 1)/m without chunks. What a stage computes, moves and sends for the
        whole batch is `busy`; work split over p stages has a p-th of its time in each.

        Examples
        --------
        >>> Pipeline.of(4, 12).time(Quantity("6 ms")).to("ms")
        7.5
        """
        if not isinstance(busy, Quantity):
            raise InputError(f"expected a time, not {type(busy).__name__}", where="pipeline")
        waits = (self.stages - 1) / (self.chunks * self.microbatches)
        return (busy + Quantity(0, "s")) * self._quantity(1 + waits)

    def sent(self, activations: Quantity) -> Quantity:
        """Return the bytes a chip sends to the next stage in one pass over the batch.

        Parameters
        ----------
        activations : Quantity
            The activations at one border of stages, for the whole batch. The microbatches share
            them, so that their number does not matter; every chunk sends once. The backward pass
            sends as much the other way.

        Examples
        --------
        >>> pipe = Pipeline.of("p", "m", chunks=2)
        >>> str(pipe.sent(Quantity("2*B*D", "byte")).at(p=8))
        '4*B*D byte'
        """
        times = self.chunks * least(ONE, self.stages - 1)
        return (activations + Quantity(0, "byte")) * self._quantity(times)

    def microbatches_for(self, bubble: Any) -> Quantity:
        """Return the least number of microbatches that keeps the bubble at `bubble` or below.

        From (p - 1)/(v*m + p - 1) <= e follows m >= (p - 1)*(1 - e)/(v*e).

        Examples
        --------
        >>> Pipeline.of(8, "m").microbatches_for("1/10").value
        63
        """
        share = check_own(adopt(bubble, where="bubble"), "bubble")
        if share.is_number and not (share.is_positive and (1 - share).is_nonnegative):
            message = f"expected a share above 0 and at most 1, not {shown(share)}"
            raise InputError(message, where="bubble")
        needed = (self.stages - 1) * (1 - share) / (self.chunks * share)
        if needed.is_number:
            return self._quantity(max(ONE, ceiling(needed)))
        return self._quantity(needed)

    def _quantity(self, expr: Expr) -> Quantity:
        named = (self.stages, self.microbatches, self.chunks)
        counts = frozenset(symbol.name for n in named for symbol in n.free_symbols)
        return Quantity(expr, "", Scope(counts=counts))
