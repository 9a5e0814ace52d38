"""What a chip's memory holds: weights, and the caches of as many sequences as fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from sympy import Expr

from symroof.errors import SymroofError
from symroof.graph import Role, work
from symroof.roofline.capacity import capacity_of
from symroof.roofline.crossing import region
from symroof.serving.setup import Setup
from symroof.serving.touched import BATCH
from symroof.solve import Crossover, Kind
from symroof.units import Quantity

MOST_CHIPS = 4096


@dataclass(frozen=True, eq=False)
class Capacity:
    """The memory of one chip, and what a model keeps there.

    Activations, workspace and what a runtime reserves are not counted.

    Attributes
    ----------
    setup : Setup
    context : mapping of str to object
        The context of a sequence, S, if it is known.

    Examples
    --------
    >>> import symroof as sr
    >>> room = sr.serve("llama-3-8b", "h100-sxm", context=8192).capacity
    >>> print(room.weights, "|", room.caches, "|", room.sequences)
    16060522496 byte | 1073741824*B byte | 59
    """

    setup: Setup
    context: Mapping[str, object]

    @cached_property
    def memory(self) -> Quantity | None:
        """Bytes of main memory of a chip; None where the chip does not say."""
        found = capacity_of(self.setup.chip)
        return None if found is None else found.resolved()

    @cached_property
    def weights(self) -> Quantity:
        """Bytes of weights on a chip."""
        return self._kept(Role.WEIGHT)

    @cached_property
    def caches(self) -> Quantity:
        """Bytes of caches and states of B sequences on a chip."""
        return self._kept(Role.CACHE)

    @cached_property
    def total_weights(self) -> Quantity:
        """Bytes of weights on all chips; the stages of a pipeline hold each layer once."""
        cut = self.setup.parallel
        if cut.pp == 1:
            return self.weights * self.setup.chips
        whole = Capacity(self.setup.on(tp=cut.tp, dp=cut.dp, ep=cut.ep), self.context)
        return whole.total_weights

    @property
    def bits_per_weight(self) -> Expr:
        """Bits of a weight, on average over all of them."""
        one = Capacity(self.setup.on(tp=1), {})
        return 8 * one.weights.expr / self.setup.model.params

    @cached_property
    def holds(self) -> Crossover | None:
        """For how many sequences there is room; None where the chip does not say its memory."""
        if self.memory is None:
            return None
        return region(self.memory, self.weights + self.caches, BATCH)

    @property
    def sequences(self) -> int | None:
        """The most sequences that fit; None where there is no limit, or none is known.

        Raises
        ------
        UnboundError
            If the context is left open.
        """
        holds = self.holds
        if holds is None or holds.kind is Kind.ALWAYS:
            return None
        most = holds.last or 0
        return most - most % self.setup.parallel.replicas

    @property
    def needed(self) -> Quantity:
        """Bytes on a chip for the weights and one sequence; the weights where S is left open.

        Of copies of a model each has a sequence.
        """
        one = self.caches.at({BATCH: self.setup.parallel.replicas})
        return self.weights + one if one.expr.is_number else self.weights

    @property
    def fits(self) -> bool | None:
        """Whether weights and one sequence fit.

        None where the chip does not say its memory, or a size of the model is left open.
        """
        if self.memory is None or not self.needed.expr.is_number:
            return None
        return self.needed <= self.memory

    @property
    def shortfall(self) -> Quantity | None:
        """Bytes that a chip lacks for the weights and one sequence; None where nothing is lacking.

        Of all chips it is as many times that.
        """
        if self.memory is None or self.fits is not False:
            return None
        return self.needed - self.memory

    @cached_property
    def fewest(self) -> Setup | None:
        """The fewest chips that would hold weights and one sequence, and how the model is cut.

        Tensor parallelism first; where heads allow no more of it, as many stages as it takes.
        """
        whole = Capacity(self.setup.on(tp=1), self.context)
        if self.memory is None or not whole.needed.expr.is_number:
            return None
        share = whole.needed / self.memory
        least = max(1, int(-(-share.value // 1)))
        for chips in range(least, MOST_CHIPS + 1):
            for cut in ({"tp": chips}, *_staged(chips)):
                try:
                    found = Capacity(self.setup.on(**cut), self.context)
                    if found.fits:
                        return found.setup
                except SymroofError:
                    continue
            if chips > 8 * least and chips > 64:
                break
        return None

    def _kept(self, role: Role) -> Quantity:
        graph = self.setup.graph("decode")
        amount: Expr = work.footprint(graph, frozenset({role}))
        made = Quantity.of(amount, "byte", graph.scope)
        given = {n: v for n, v in self.context.items() if n in made.scope.dimensions}
        return made.at(given) if given else made


def _staged(chips: int) -> list[dict[str, int]]:
    """Return the cuts of a number of chips into stages of 8, 4, 2 chips or 1."""
    return [{"tp": tp, "pp": chips // tp} for tp in (8, 4, 2, 1) if chips % tp == 0 < chips // tp]
