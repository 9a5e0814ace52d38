"""What happens inside a chip: the level that bytes are charged to, ceilings, NUMA, launches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import accumulate

from sympy import Expr, Integer

from symroof.errors import InputError
from symroof.graph.contractions import contractions
from symroof.graph.tile import Tile, extra_bytes, padded_by_dtype
from symroof.graph.work import OpWork
from symroof.hardware import Chip, MemoryLevel
from symroof.hardware.ceilings import Ceiling, find_ceilings
from symroof.hardware.machine import in_formulas
from symroof.hardware.rates import Rate
from symroof.readonly import ReadOnly
from symroof.roofline import inside_words
from symroof.roofline.inside_checks import check
from symroof.roofline.inside_kinds import LAUNCH, Charge, Numa, Residency
from symroof.roofline.terms import KERNEL, MAIN, REMOTE, Resource
from symroof.symbolic.build import add
from symroof.symbolic.extremes import ceil_of, maximum, minimum
from symroof.units import EMPTY, Quantity, Scope, min_of, union

ONE = Integer(1)


@dataclass(frozen=True, slots=True)
class Inside:
    """How the inside of a chip is modelled. Made by `read_inside`.

    Attributes
    ----------
    residency : Residency
        Where bytes are charged.
    ceilings : tuple of Ceiling
        Those that lower the roofs.
    levels : mapping of str to Charge
        Bytes of levels that are counted in a way of their own.
    numa : Numa or None
        How local and remote memory work together; None where all memory is local.
    local : Expr
        The fraction of the bytes that is local.
    launch : Rate or None
        The fixed time of a kernel; None where it is not counted.
    quantise : Tile or None
        The tile whose edges and waves are counted as work; None where they are not.
    chip : Chip or None
        Whose levels they are; None without any choice.
    """

    residency: Residency = Residency.COLD
    ceilings: tuple[Ceiling, ...] = ()
    levels: Mapping[str, Charge] = field(default_factory=lambda: ReadOnly({}), hash=False)
    numa: Numa | None = None
    local: Expr = ONE
    launch: Rate | None = None
    quantise: Tile | None = None
    chip: Chip | None = field(default=None, compare=False)

    @property
    def is_plain(self) -> bool:
        """Whether work is what the graph says: main memory alone, no floors, no tiles."""
        return not (
            self.residency is not Residency.COLD
            or self.levels
            or self.numa
            or self.launch
            or self.quantise
        )

    @property
    def counts_main(self) -> bool:
        """Whether the bytes of main memory are counted in a way of their own."""
        return self.chip is not None and self.chip.main in self.levels

    def charged(self, work: OpWork) -> dict[Resource, Expr]:
        """Return the bytes one op moves, by level of memory."""
        moved = self._by_level(work.bytes)
        for name, charge in self.levels.items():
            moved[self._resource(name)] = self._counted(charge, work)
        if self.numa is not None and MAIN in moved:
            whole = moved[MAIN]
            moved[MAIN] = whole * self.local
            moved[REMOTE] = whole * (1 - self.local)
        return moved

    def flops(self, work: OpWork) -> Mapping[str, Expr]:
        """Return the FLOPs the engines run for one op, the edges of tiles and waves included."""
        if self.quantise is None or self.chip is None:
            return work.flops
        if not contractions(work.op):
            return work.flops
        return padded_by_dtype(work.op, self.quantise, self.chip.compute_units)

    def launches(self, work: OpWork) -> dict[str, Expr]:
        """Return the kernels one op is: one, or none where it has no work of its own."""
        if self.launch is None or not (work.flops or work.link_bytes or work.bytes != 0):
            return {}
        return {KERNEL[1]: ONE}

    @property
    def scope(self) -> Scope:
        """The names the choices bring in: capacities, fractions, dims of tiles."""
        found = EMPTY
        chip = self.chip
        if chip is None:
            return found
        if self.residency is not Residency.COLD:
            for level in self.used[:-1]:
                found = union(found, self._capacity(level).scope)
        for each in self.ceilings:
            found = union(found, Scope(values={each.key: each.value}))
        if self.launch is not None:
            found = union(found, in_formulas(LAUNCH, self.launch).scope)
        return found

    @property
    def names(self) -> Scope:
        """The names of tiles, which are counts, and of fractions and formulas, which are not."""
        tiles = [charge for charge in self.levels.values() if isinstance(charge, Tile)]
        tiles += [self.quantise] if self.quantise is not None else []
        given = [charge for charge in self.levels.values() if isinstance(charge, Expr)]
        free = {s.name for formula in (*given, self.local) for s in formula.free_symbols}
        counts = frozenset(name for tile in tiles for name in tile.names)
        return Scope(counts=counts).with_names(sorted(free - counts))

    @property
    def conditions(self) -> tuple[tuple[str, Expr, Expr], ...]:
        """What must hold of fractions: who needs it, what is at most, what is at least."""
        found = [
            (f"ceiling {each.name!r}", each.symbol, ONE)
            for each in self.ceilings
            if each.rate is None
        ]
        if not self.local.is_number:
            found.append(("local fraction", self.local, ONE))
        return tuple(found)

    def lowered(self, resource: Resource, rate: Quantity) -> Quantity:
        """Return a rate under the ceilings that lie on it; of a launch, its own."""
        if resource == KERNEL and self.launch is not None:
            return 1 / in_formulas(LAUNCH, self.launch)
        over = self.over(resource)
        if not over:
            return rate
        caps = [each for each in over if each.rate is not None]
        for each in over:
            if each.rate is None:
                scope = Scope(values={each.key: each.value})
                rate = rate * Quantity.of(each.symbol, "", scope)
        if not caps:
            return rate
        return min_of(rate, *(in_formulas(each.key, each.rate) for each in caps if each.rate))

    def over(self, resource: Resource) -> tuple[Ceiling, ...]:
        """Return the ceilings on the rate of a resource."""
        if not self.ceilings or self.chip is None:
            return ()
        kind, name = resource
        if kind == "flop":
            peak = self.chip.find_peak(name)
            roofs = f"peak.{peak.dtype}", f"peak.{peak.key}"
        elif kind == "byte":
            roofs = (f"bw.{self.chip.main if resource in (MAIN, REMOTE) else name}",) * 2
        else:
            return ()
        return tuple(each for each in self.ceilings if each.is_under(*roofs))

    def without(self, each: Ceiling) -> Inside:
        """Return the same choices less one ceiling."""
        left = tuple(other for other in self.ceilings if other is not each)
        return replace(self, ceilings=left)

    def on(self, chip: Chip) -> Inside:
        """Return the same choices on another chip; its ceilings of the same names.

        Raises
        ------
        InputError
            If it does not say what the choices need.
        """
        ceilings = find_ceilings(chip.ceilings, [c.name for c in self.ceilings], chip.name)
        made = replace(self, ceilings=ceilings, chip=chip)
        check(made, chip)
        return made

    @property
    def said(self) -> tuple[str, ...]:
        """What an answer should say beside it, a line each."""
        return tuple(inside_words.said(self))

    # --- inside ---------------------------------------------------------------------------------

    @property
    def used(self) -> tuple[MemoryLevel, ...]:
        """The levels that bytes may be charged to, from the innermost outwards.

        Levels of one compute unit are none, because what they hold is not what the chip holds; nor
        are those beyond the main memory, where all tensors live.
        """
        if self.chip is None:
            return ()
        levels = [level for level in self.chip.hierarchy if not level.private]
        return tuple(levels[: next(i for i, level in enumerate(levels) if level.main) + 1])

    def _capacity(self, level: MemoryLevel) -> Quantity:
        if self.chip is None or level.capacity is None:
            raise InputError(f"the capacity of {level.name} is not known")
        return in_formulas(f"cap.{level.name}", level.capacity)

    def _by_level(self, moved: Expr) -> dict[Resource, Expr]:
        if self.residency is Residency.COLD or moved == 0:
            return {MAIN: moved}
        levels = self.used
        held = [self._capacity(level).expr for level in levels[:-1]]
        if self.residency is Residency.PARTIAL:
            together = accumulate(held, lambda a, b: add([a, b]))
            beyond = [moved, *(maximum([Integer(0), moved - room]) for room in together)]
        else:
            passed = [ONE, *(_exceeds(moved, room) for room in held), Integer(0)]
            beyond = [moved * (passed[i] - passed[i + 1]) for i in range(len(levels))]
        return {
            self._resource(level.name): amount
            for level, amount in zip(levels, beyond, strict=True)
            if amount != 0
        }

    def _counted(self, charge: Charge, work: OpWork) -> Expr:
        if isinstance(charge, Tile):
            return work.bytes + extra_bytes(work.op, charge)
        return work.bytes if isinstance(charge, str) else charge

    def _resource(self, name: str) -> Resource:
        return MAIN if self.chip is not None and name == self.chip.main else ("byte", name)


PLAIN = Inside()


def _exceeds(amount: Expr, room: Expr) -> Expr:
    """Return 1 where an amount is more than a room, else 0."""
    return ceil_of(minimum([Integer(2), amount / room])) - 1
