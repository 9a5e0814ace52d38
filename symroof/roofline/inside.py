"""What happens inside a chip: the level that bytes are charged to, ceilings, NUMA, launches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import accumulate, count
from typing import TypeAlias, TypeVar

from sympy import Expr, Integer

from symroof.errors import InputError, UnitError, UnknownNameError, near_match
from symroof.graph import Graph
from symroof.graph.contractions import contractions
from symroof.graph.tile import Tile, contraction_footprint, extra_bytes, padded_by_dtype
from symroof.graph.work import OpWork
from symroof.hardware import Chip, MemoryLevel
from symroof.hardware.ceilings import Ceiling, find_ceilings
from symroof.hardware.machine import in_formulas
from symroof.hardware.rates import BYTE, SECOND, Rate, read_rate
from symroof.readonly import ReadOnly
from symroof.roofline.terms import KERNEL, MAIN, REMOTE, Resource
from symroof.symbolic import adopt, symbol, to_text
from symroof.symbolic.build import add
from symroof.symbolic.extremes import ceil_of, maximum, minimum
from symroof.symbolic.symbols import check_own
from symroof.units import EMPTY, Quantity, Scope, human, min_of, union

ONE = Integer(1)
ONCE = "once"
LAUNCH = "launch.kernel"

_Kind = TypeVar("_Kind", bound=Enum)
Charge: TypeAlias = str | Tile | Expr
"""How bytes of a level are counted: ``once``, by a tile, or given as a formula."""


class Residency(Enum):
    """Where the bytes of an op are charged.

    Attributes
    ----------
    COLD
        All at the main memory: nothing is in a cache before the op runs.
    CACHED
        The whole working set at the smallest level that holds it.
    PARTIAL
        All at the innermost level, and further out what the levels inside do not hold together,
        as caches do that keep no copies of one another: no cache holds more.
    """

    COLD = "cold"
    CACHED = "cached"
    PARTIAL = "partial"

    def __str__(self) -> str:
        return self.value


class Numa(Enum):
    """How the times to local and to remote memory make one.

    Attributes
    ----------
    CONCURRENT
        Both are busy at once; the slower takes the time: max(f/local, (1 − f)/remote) a byte.
    SERIAL
        One after the other: f/local + (1 − f)/remote a byte.
    """

    CONCURRENT = "concurrent"
    SERIAL = "serial"

    def __str__(self) -> str:
        return self.value


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

    def launches(self) -> dict[str, Expr]:
        """Return the kernels one op is."""
        return {} if self.launch is None else {KERNEL[1]: ONE}

    @property
    def scope(self) -> Scope:
        """The names the choices bring in: capacities, fractions, dims of tiles."""
        found = EMPTY
        chip = self.chip
        if chip is None:
            return found
        if self.residency is not Residency.COLD:
            for level in self._used[:-1]:
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
        _check(made, chip)
        return made

    @property
    def said(self) -> tuple[str, ...]:
        """What an answer should say beside it, a line each."""
        return tuple(_said(self))

    # --- inside ---------------------------------------------------------------------------------

    @property
    def _used(self) -> tuple[MemoryLevel, ...]:
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
        levels = self._used
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


def read_inside(
    graph: Graph,
    chip: Chip,
    *,
    residency: str | Residency = Residency.COLD,
    ceilings: Iterable[str] = (),
    levels: Mapping[str, object] | None = None,
    numa: str | Numa | None = None,
    local: object = None,
    launch: object = None,
    quantise: Tile | None = None,
) -> Inside:
    """Return the choices that `analyze` was given, checked against the chip and the graph.

    Raises
    ------
    UnknownNameError
        If there is no such residency, reading, ceiling or level.
    InputError
        If the chip does not say what a choice needs: a capacity, a bandwidth, a launch time.

    Examples
    --------
    >>> from symroof.graph import load
    >>> from symroof.hardware import chip
    >>> made = read_inside(load("mn,nk->mk"), chip("h100-sxm"), residency="partial")
    >>> str(made.residency), made.is_plain
    ('partial', False)
    """
    if isinstance(ceilings, str) or not isinstance(ceilings, Iterable):
        raise InputError("expected a list of names, as in ['no simd']", where="ceilings")
    if not isinstance(levels, Mapping | None):
        raise InputError("expected how by level, as in {'l2': 'once'}", where="levels")
    if local is not None and numa is None:
        raise InputError("it goes with numa, concurrent or serial", where="local")
    made = Inside(
        _one_of(Residency, residency, "residency"),
        find_ceilings(chip.ceilings, ceilings, chip.name),
        ReadOnly({name: _charge(name, how, graph) for name, how in (levels or {}).items()}),
        None if numa is None else _one_of(Numa, numa, "numa"),
        ONE if numa is None else _fraction(local, graph, levels, quantise),
        _launch(launch, chip),
        _tile(quantise, "quantise"),
        chip,
    )
    _check(made, chip)
    for name, charge in made.levels.items():
        if isinstance(charge, Tile):
            _check_tile(name, charge, graph, chip)
    return made


def _one_of(kind: type[_Kind], given: object, where: str) -> _Kind:
    if isinstance(given, kind):
        return given
    known = [member.value for member in kind]
    if given not in known:
        near = near_match(str(given), known)
        hint = f"did you mean {near!r}?" if near else f"known: {', '.join(known)}"
        raise InputError(f"unknown {where} {str(given)[:60]!r}; {hint}")
    return kind(given)


def _exceeds(amount: Expr, room: Expr) -> Expr:
    """Return 1 where an amount is more than a room, else 0."""
    return ceil_of(minimum([Integer(2), amount / room])) - 1


def _charge(name: str, how: object, graph: Graph) -> Charge:
    where = f"levels: {str(name)[:60]}"
    if isinstance(how, Tile):
        return how
    if isinstance(how, str) and (meant := near_match(how.strip().lower(), [ONCE])):
        if how.strip() != ONCE:
            raise InputError(f"did you mean {meant!r}, not {how[:60]!r}?", where=where)
        return ONCE
    formula = check_own(_bytes(how, where), where)
    known = graph.scope.dimensions
    for name in sorted(atom.name for atom in formula.free_symbols):
        if name not in known:
            raise UnknownNameError("symbol", name, sorted(known), hint=where)
    if formula.is_nonpositive:
        raise InputError(f"expected an amount above 0, not {to_text(formula)}", where=where)
    ops = [op for block in graph.blocks() for op in block.op_list if not op.kind.view]
    if len(ops) != 1:
        raise InputError(
            f"given bytes are those of one op, and {graph.name!r} has {len(ops)}; expected"
            f" {ONCE!r} or a Tile",
            where=where,
        )
    return formula


def _bytes(given: object, where: str) -> Expr:
    if not isinstance(given, Quantity):
        return adopt(given, where=where)
    if given.dimension != BYTE:
        raise UnitError(f"{where}: expected byte, as in '2*m*n', got {str(given)[:60]!r}")
    return given.resolved().expr


def _fraction(
    given: object, graph: Graph, levels: Mapping[str, object] | None, quantise: object
) -> Expr:
    """Return the fraction that is local; by default a symbol of a name that is not taken."""
    if given is None:
        tiles = [tile for tile in (*(levels or {}).values(), quantise) if isinstance(tile, Tile)]
        taken = set(graph.scope.dimensions).union(*(tile.names for tile in tiles))
        return symbol(next(name for i in count() if (name := "f" + "_" * i) not in taken))
    local = check_own(adopt(given, where="local"), "local")
    if local.is_number and not (local.is_Rational and 0 <= local <= 1):
        raise InputError(f"expected a fraction from 0 to 1, not {local}", where="local")
    if not local.is_number and not local.is_Symbol:
        raise InputError(f"expected a number or one symbol, not {to_text(local)}", where="local")
    return local


def _launch(given: object, chip: Chip) -> Rate | None:
    if given is None or given is False:
        return None
    if given is True:
        if chip.launch is None:
            raise InputError(f"{chip.name} does not say it; give it, as in '5 us'", where="launch")
        return chip.launch
    return read_rate(given, SECOND, "launch")


def _tile(given: object, where: str) -> Tile | None:
    if given is not None and not isinstance(given, Tile):
        message = f"expected a Tile, as in sr.Tile(128, 128), not {type(given).__name__}"
        raise InputError(message, where=where)
    return given


def _check(made: Inside, chip: Chip) -> None:
    names = [level.name for level in chip.memory]
    for name in made.levels:
        if name not in names:
            raise UnknownNameError(f"memory of {chip.name}", str(name), names)
        if made.residency is not Residency.COLD:
            raise InputError(
                f"bytes of {name} are counted already, by residency {made.residency}",
                where="levels",
            )
        if chip.memory_level(name).bandwidth is None:
            raise _no_bandwidth(chip, name, "levels")
    if made.numa is not None:
        chip.remote_bandwidth()
    if made.residency is Residency.COLD:
        return
    used, where = made._used, f"residency {made.residency}"
    if len(used) == 1:
        message = f"{chip.name} has no level of memory but {chip.main}; expected a cache"
        raise InputError(message, where=where)
    for level in used:
        if level.bandwidth is None:
            raise _no_bandwidth(chip, level.name, where)
    for level in used[:-1]:
        if level.capacity is None:
            message = f"{chip.name} does not say the capacity of {level.name}"
            raise InputError(message, where=where)


def _check_tile(name: str, tile: Tile, graph: Graph, chip: Chip) -> None:
    """Raise if the level inside of one holds less than a tile that streams from it."""
    names = [level.name for level in chip.hierarchy]
    inner = chip.hierarchy[names.index(name) - 1] if names.index(name) else None
    if inner is None or inner.capacity is None:
        return
    share = chip.compute_units if inner.private else 1
    room = inner.capacity.value.expr / (share or 1)
    for block in graph.blocks():
        for signature in block.signatures.values():
            for found in contractions(signature.first) if signature.count else ():
                taken = contraction_footprint(found, tile)
                if taken.is_number and room.is_number and taken > room:
                    amounts = human(Quantity(taken, "byte")), human(Quantity(room, "byte"))
                    raise InputError(
                        f"a tile of {tile} takes {amounts[0]} of {inner.name}, which holds"
                        f" {amounts[1]}" + (" a unit" if inner.private else ""),
                        where=f"levels: {name}",
                    )


def _no_bandwidth(chip: Chip, level: str, where: str) -> InputError:
    return InputError(
        f"{chip.name} does not say the bandwidth of {level}; give it, as in"
        f" memory.{level}.bandwidth = '5 TB/s' in a chip file",
        where=where,
    )


def _said(inside: Inside) -> Iterator[str]:
    chip = inside.chip
    if chip is None:
        return
    order = ", ".join(level.name for level in inside._used)
    if inside.residency is Residency.CACHED:
        yield f"residency cached: an op is charged at the smallest of {order} that holds its bytes"
    elif inside.residency is Residency.PARTIAL:
        yield (f"residency partial: of {order} each is charged what all inside of it do not hold")
    elif inside.levels and chip.main not in inside.levels:
        yield f"bytes of {chip.main}: all that the ops move (residency cold)"
    for name, charge in inside.levels.items():
        if isinstance(charge, Tile):
            yield f"bytes of {name}: in tiles of {charge}, what is no contraction once"
        else:
            how = "each tensor once" if isinstance(charge, str) else to_text(charge)
            yield f"bytes of {name}: {how}"
    if inside.numa is not None:
        how = "at the same time" if inside.numa is Numa.CONCURRENT else "one after the other"
        yield f"NUMA: {to_text(inside.local)} of the bytes is local, the rest remote, {how}"
    for each in inside.ceilings:
        reason = f" ({each.reason})" if each.reason else ""
        yield f"ceiling {each.name}: {each.text} on {each.on}{reason}"
    if inside.launch is not None:
        yield f"launch: {inside.launch.text} a kernel, an op is one"
    if inside.quantise is not None:
        units = chip.compute_units
        waves = f"in waves of {units}" if units is not None else "without waves"
        yield f"compute in tiles, {inside.quantise}, {waves}"
