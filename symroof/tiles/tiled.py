"""A contraction worked off in tiles: traffic, fast memory, the best tile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from sympy import Expr, Integer, S

from symroof.errors import InputError, UnboundError, UnknownNameError
from symroof.graph.tensor import Dim
from symroof.graph.tile import (
    Keep,
    Tile,
    contraction_extra,
    contraction_footprint,
    padded_points,
    tiles,
    waves,
)
from symroof.hardware import Chip
from symroof.roofline.bindings import Bindings, names_with
from symroof.roofline.crossing import region
from symroof.roofline.ridges import without_ridges
from symroof.roofline.terms import Rates, Resource, rates_of
from symroof.solve import Crossover
from symroof.tiles.answers import BestTile, Cache, Quantisation
from symroof.tiles.closed import RealTile, hong_kung, real_tiles
from symroof.tiles.describe import rows, tiling_data
from symroof.tiles.enough import (
    cache,
    compared,
    compute_bound,
    is_compute_bound,
    without,
)
from symroof.tiles.enough import unknown as asked
from symroof.tiles.room import Room, read_room
from symroof.tiles.search import Sizes, best_tile
from symroof.tiles.subject import Subject
from symroof.units import EMPTY, Quantity, Scope, human, max_of, union

NOTHING = Bindings({}, {}, {})
ROOM: Resource = ("room", "tiles")
SIDES = ("b", "t", "side", "tile")
BEST = "the best tile (closed has it in symbols)"


def square(taken: Scope, k: Dim = 1, keep: str = Keep.OUTPUT) -> Tile:
    """Return a tile of b by b, or by another name where one of `taken` is b.

    Examples
    --------
    >>> str(square(Scope(counts=frozenset({"b"})), 32))
    't × t × 32'
    """
    side = next((name for name in SIDES if name not in taken.dimensions), "tile_")
    return Tile(side, side, k, keep)


@dataclass(frozen=True, eq=False, repr=False)
class Tiling:
    """A contraction worked off in tiles. Made by `tiling`.

    Every quantity is a closed form with its unit; after ``t.at(m=4096)`` it has that number in it.

    Attributes
    ----------
    subject : Subject
        The contraction.
    tile : Tile
        The block, as it was given.
    room : Room
        Where the tiles are held; a symbol where no capacity was given.
    chip : Chip or None
        The machine.
    level : str or None
        The level of its memory that tiles stream from; None is the main one.
    units : Expr or None
        How many compute units take a tile each.
    """

    subject: Subject
    tile: Tile
    room: Room
    chip: Chip | None
    level: str | None
    units: Expr | None
    bindings: Bindings = NOTHING

    def check(self) -> None:
        """Raise if the capacity that was given is less than the tile takes, or the smallest one.

        Raises
        ------
        InputError
            If it is.
        """
        room = self.capacity.resolved().expr
        if not room.is_number:
            return
        taken = self.footprint.expr
        if not taken.is_number:
            taken = contraction_footprint(self.subject.contraction, Tile(1, 1, 1))
            if taken.is_number and taken > room:
                raise self._too_small(1, Keep.OUTPUT)
        elif taken > room:
            raise InputError(
                f"{self.room.text(self.capacity)}, is smaller than the tile {self.tile},"
                f" which takes {human(self.footprint)}"
            )

    def at(self, values: Mapping[str, object] | None = None, /, **named: object) -> Tiling:
        """Return the same with numbers or formulas for some names; rates need their unit.

        Raises
        ------
        UnknownNameError
            If there is no such name; the nearest is offered.
        InputError
            If a value is not positive (below 1 for a size), or the tile does not fit.

        Examples
        --------
        >>> from symroof.tiles import tiling
        >>> print(tiling("mk,kn->mn", "b,b").at(m=1000, n=1000, k=64, b=100).traffic)
        4560000 byte
        """
        given: Mapping[str, object] = {**(values or {}), **named}
        if not given:
            return self
        if self.chip is not None:
            given = without_ridges(given, self.rates, self.names)
        known = self.scope.values
        bound = self.bindings.extended(given, self.scope, self.names, known)
        made = replace(self, bindings=bound)
        made.check()
        return made

    # --- names ----------------------------------------------------------------------------------

    @cached_property
    def scope(self) -> Scope:
        """The names that may be bound or asked for, and what is known of the rates."""
        units = () if self.units is None else self.units.free_symbols
        counts = self.tile.names.union(symbol.name for symbol in units)
        return union(self.subject.scope, union(Scope(counts=counts), self.rates.scope))

    @cached_property
    def names(self) -> Scope:
        """The scope, with the names that what is bound to formulas brought in."""
        return names_with(self.scope, self.bindings.formulas(self.scope))

    @cached_property
    def rates(self) -> Rates:
        """The capacity, and the peak and the bandwidth of the chip."""
        found = Rates({}, EMPTY) if self.chip is None else rates_of(self.chip, compared(self))
        held = {ROOM: self.room.size.expr, **found.by_resource}
        scope = union(found.scope, self.room.size.scope)
        return Rates(held, scope).overridden(self.bindings.rates)

    def quantity(self, formula: Expr, unit: str) -> Quantity:
        """Return a formula of the names with all put in that is bound."""
        return self.bindings.put_into(Quantity.of(formula, unit, self.scope))

    # --- what is moved and held -----------------------------------------------------------------

    @property
    def sizes(self) -> dict[str, Quantity]:
        """The products of the sizes of the four groups of indices: batch, m, n, k."""
        found = self.subject.contraction
        return {
            "batch": self._number(found.batch),
            "m": self._number(found.m),
            "n": self._number(found.n),
            "k": self._number(found.k),
        }

    @property
    def flops(self) -> Quantity:
        """FLOPs of the op."""
        return self.quantity(self.subject.flops, "FLOP")

    @property
    def once(self) -> Quantity:
        """Bytes where each tensor moves once: no schedule moves less."""
        return self.quantity(self.subject.once, "byte")

    @cached_property
    def traffic(self) -> Quantity:
        """Bytes moved in tiles, partial ones at the edges included."""
        extra = contraction_extra(self.subject.contraction, self.tile)
        return self.quantity(self.subject.once + extra, "byte")

    @property
    def intensity(self) -> Quantity:
        """FLOPs per byte moved in tiles."""
        return self.flops / self.traffic

    @cached_property
    def footprint(self) -> Quantity:
        """Bytes of fast memory that one tile of each tensor takes."""
        return self.quantity(contraction_footprint(self.subject.contraction, self.tile), "byte")

    @property
    def capacity(self) -> Quantity:
        """Bytes of the fast memory that was given; a symbol where none was."""
        return self.quantity(self.rates.by_resource[ROOM], "byte")

    @property
    def hong_kung(self) -> Quantity:
        """The Hong-Kung bound: bytes that any schedule moves, to leading order.

        2*M*N*K*s**(3/2)/sqrt(Z), for Z well below the matrices; what is proven is less by a term of
        the order of Z. Z is the capacity that was given, or else what the tile takes.
        """
        any_room = not (self.room.given or self.capacity.expr.is_number)
        room = self._footprint if any_room else self.rates.by_resource[ROOM]
        return self.quantity(hong_kung(self.subject.contraction, room), "byte")

    @property
    def lower_bound(self) -> Quantity:
        """The larger of the Hong-Kung bound, to leading order, and each tensor once."""
        return max_of(self.once, self.hong_kung)

    @property
    def quantisation(self) -> Quantisation:
        """What is lost at the edges of the matrices, and in the last wave.

        Examples
        --------
        >>> from symroof.tiles import tiling
        >>> q = tiling("mk,kn->mn", "128x128x32", units=108).at(m=1920, n=1920, k=1024)
        >>> q = q.quantisation  # 225 tiles in 3 waves of 108
        >>> print(q.waves, q.tile_efficiency, q.wave_efficiency)
        3 1 25/36
        """
        found, tile, units = self.subject.contraction, self.tile, self.units
        whole = padded_points(found, tile)
        padded = padded_points(found, tile, units)
        added = found.flops_per_point * (padded - found.points)
        many = tiles(found, tile)
        rounds = None if units is None else waves(found, tile, units)
        of_waves = None if units is None else self._number(many / (rounds * units))
        return Quantisation(
            tiles=self._number(many),
            waves=None if rounds is None else self._number(rounds),
            padded_flops=self.quantity(self.subject.flops + added, "FLOP"),
            tile_efficiency=self._number(found.points / whole),
            wave_efficiency=of_waves,
            efficiency=self._number(found.points / padded),
        )

    # --- which tile -----------------------------------------------------------------------------

    def best(
        self,
        capacity: object = None,
        *,
        keep: str = Keep.BEST,
        step: int = 1,
        largest: int | None = None,
    ) -> BestTile:
        """Return the tile of whole sides that moves least under a capacity, exactly.

        Of tiles that move as little it is the one that takes least room. The side along which the
        other two tiles stream takes room and saves nothing, so that it is `step`.

        Parameters
        ----------
        capacity : Quantity, str or symbol, optional
            As in `tiling`; the one given there by default.
        keep : str
            The tile that stays; the best of the three by default.
        step : int
            The side along which the others stream.
        largest : int, optional
            The largest side that is allowed.

        Raises
        ------
        UnboundError
            If sizes or the capacity are not numbers yet; `closed` has the forms in symbols.
        InputError
            If no tile fits.
        """
        if keep not in tuple(Keep):
            raise UnknownNameError("tile to keep", str(keep), [str(kept) for kept in Keep])
        here = self if capacity is None else self._holding(capacity)
        side = _whole(step, "step")
        room = here._exact(here.capacity, BEST)
        sizes = here._in_numbers
        end = None if largest is None else _whole(largest, "largest")
        found = best_tile(sizes, room, keep=Keep(keep), step=side, largest=end)
        if found is None:
            raise here._too_small(side, Keep(keep))
        tile = Tile(found.m, found.n, found.k, found.keep)
        made = replace(here, tile=tile)
        return BestTile(
            tile=tile,
            traffic=made.traffic,
            footprint=made.footprint,
            intensity=made.intensity,
            lower_bound=here.lower_bound,
            compute_bound=made.is_compute_bound,
        )

    @property
    def closed(self) -> tuple[RealTile, ...]:
        """The best tile with real sides and the result kept, in closed form, by cases.

        Inside both matrices, with elements of one size s and a step k, it is square:
        b = sqrt(Z/s + k**2) - k.

        Examples
        --------
        >>> from symroof.tiles import tiling
        >>> for case in tiling("mk,kn->mn").at(m=4096, n=4096, k=4096).closed:
        ...     print(case.place.value, "|", case.condition, "|", case.m)
        whole | Z >= 33570816 | 4096
        inside | Z >= 6 and 33570816 > Z | sqrt(Z/2 + 1) - 1
        none | 6 > Z | None
        """
        found = self.subject.contraction
        bound = replace(found, **{name: size.resolved().expr for name, size in self.sizes.items()})
        room, step = self.capacity.resolved().expr, self._number(self.tile.k).resolved().expr
        return real_tiles(bound, room, step, self.names.counts)

    def fitting(self, unknown: str | None = None) -> Crossover:
        """For which values of a side does the tile fit the capacity? The last is the largest.

        Parameters
        ----------
        unknown : str, optional
            A name in the tile, the only one by default.

        Examples
        --------
        >>> from symroof.tiles import tiling
        >>> x = tiling("mk,kn->mn", capacity="256 KiB").fitting()
        >>> x.last
        361
        """
        name = asked(self, unknown)
        taken = without(self, self._footprint, name)
        return region(without(self, self.rates.by_resource[ROOM], name), taken, name)

    @property
    def in_squares(self) -> Tiling:
        """The same in tiles of b by b, with the same tile that stays.

        The step is the same where it is a number, else 1.
        """
        step = self._number(self.tile.k).resolved().expr
        known = step if step.is_number else S.One
        return replace(self, tile=square(self.subject.scope, known, self.tile.keep))

    @property
    def streamed_from(self) -> str | None:
        """The level that tiles stream from; None without a chip."""
        return None if self.chip is None else self.level or self.chip.main

    # --- which tile is enough -------------------------------------------------------------------

    @property
    def is_compute_bound(self) -> bool | None:
        """Whether the tile makes it compute-bound (or balanced); None without a chip.

        Raises
        ------
        UnboundError
            If that depends on symbols that are still free.
        """
        return None if self.chip is None else is_compute_bound(self)

    def compute_bound(self, unknown: str | None = None, *, whole: bool = False) -> Crossover:
        """For which tiles is it compute-bound, with the tiles streaming from the level?

        Parameters
        ----------
        unknown : str, optional
            A name in the tile, the only one by default; a size or a rate will do too.
        whole : bool
            Count partial tiles at the edges as they are, so that the answer is exact, and in
            numbers only. By default tiles may be cut, so that M/b of them go through M (1 where b
            is larger): a closed form, and where b divides the matrices the same.

        Raises
        ------
        InputError
            Without a chip, or if the tile has several names.

        Examples
        --------
        >>> from symroof.tiles import tiling
        >>> x = tiling("mk,kn->mn", chip="h100-sxm").compute_bound()
        >>> x.condition.text()
        'k*m*n >= ridge.fp16*(k*m + k*n + m*n)'
        >>> str(x.at(m=10**6, n=10**6, k=4096))
        'b ≥ 8192·ridge.fp16 / (4096 − ridge.fp16) = 636.311 → b ≥ 637'
        """
        return compute_bound(self, asked(self, unknown), whole=whole)

    def cache(self, unknown: str | None = None) -> Cache:
        """Return the fast memory that holds the tile which makes it compute-bound.

        Examples
        --------
        >>> from symroof.tiles import tiling
        >>> needed = tiling("mk,kn->mn", chip="h100-sxm").at(m=4096, n=4096, k=4096).cache()
        >>> needed.first, needed.whole.to("kB"), round(needed.least.to("kB"))
        (683, 935.71, 697)
        """
        return cache(self, asked(self, unknown))

    # --- as text and data -----------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, every value with its unit."""
        return tiling_data(self)

    def rows(self) -> list[tuple[str, str]]:
        """Return what there is to say of it, as labels and texts; the op first."""
        return list(rows(self))

    def __str__(self) -> str:
        return "\n".join(f"{label}: {text}" for label, text in self.rows())

    def __repr__(self) -> str:
        return f"<Tiling of {self.subject.op.name} in {self.tile}>"

    # --- inside ---------------------------------------------------------------------------------

    @property
    def _footprint(self) -> Expr:
        return contraction_footprint(self.subject.contraction, self.tile)

    @property
    def _in_numbers(self) -> Sizes:
        sizes = {name: _whole(self._exact(size, BEST), name) for name, size in self.sizes.items()}
        bits = [
            self._exact(self._number(part), "the width of a dtype")
            for part in self.subject.contraction.element_bytes
        ]
        return Sizes(sizes["batch"], sizes["m"], sizes["n"], sizes["k"], *bits)

    def _holding(self, capacity: object) -> Tiling:
        return replace(self, room=read_room(capacity, self.chip, self.subject.scope))

    def _too_small(self, step: int, keep: Keep) -> InputError:
        kept = Keep.OUTPUT if keep is Keep.BEST else keep
        sides = {Keep.OUTPUT: (1, 1, step), Keep.LEFT: (1, step, 1), Keep.RIGHT: (step, 1, 1)}
        least = replace(self, tile=Tile(*sides[kept]))
        return InputError(
            f"{self.room.text(self.capacity)}, is smaller than the smallest tile, {least.tile},"
            f" which takes {human(least.footprint)}"
        )

    def _exact(self, quantity: Quantity, what: str) -> Fraction:
        found = quantity.resolved().expr
        if not found.is_Rational:
            raise UnboundError(what, (s.name for s in found.free_symbols))
        return Fraction(int(found.p), int(found.q))

    def _number(self, expr: Expr) -> Quantity:
        return self.quantity(expr, "")


def _whole(given: object, where: str) -> int:
    if isinstance(given, int | Fraction | Integer) and given >= 1 and given == int(given):
        return int(given)
    raise InputError(f"expected a whole number of 1 or more, not {given}", where=where)
