"""The residencies a page can switch between, and tiles whose sizes can be moved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from sympy import Expr, Integer, Max, Min, ceiling, floor

from symroof.errors import SymroofError
from symroof.graph.tile import Tile
from symroof.readonly import ReadOnly
from symroof.roofline import Roofline
from symroof.roofline.inside import Inside
from symroof.roofline.inside_kinds import Residency
from symroof.roofline.terms import MAIN, REMOTE
from symroof.symbolic import symbol

MOST_STEPS = 3
"""Of formulas with more maxima and steps than these no closed form of a crossover is tried."""

WORDS = {
    Residency.COLD: "cold: all bytes at {main}",
    Residency.CACHED: "cached: at the smallest of {levels} that holds them",
    Residency.PARTIAL: "partial: at {first}, what it does not hold farther out",
}


@dataclass(frozen=True, slots=True)
class Variant:
    """A roofline with bytes charged in one way.

    Attributes
    ----------
    name : str
        ``cold``, ``cached`` or ``partial``.
    words : str
        What that means on this chip.
    general : Roofline
        With nothing bound but what is bound to a formula.
    """

    name: str
    words: str
    general: Roofline

    @property
    def is_steep(self) -> bool:
        """Whether its times have too many steps for closed forms of crossovers."""
        if self.general.inside.is_plain:
            return False
        times = (time.expr for time in self.general.groups.values())
        return sum(len(time.atoms(Max, Min, ceiling, floor)) for time in times) > MOST_STEPS


def variants(general: Roofline) -> tuple[Variant, ...]:
    """Return the roofline as it is first, then with its bytes charged in other ways.

    There is no other way where the chip does not say the bandwidth or the capacity of a cache, or
    where bytes of levels are counted in a way of their own.

    Examples
    --------
    >>> import symroof as sr
    >>> graph = sr.load("matmul")
    >>> [variant.name for variant in variants(sr.analyze(graph, "h100-sxm"))]
    ['cold', 'cached', 'partial']
    >>> [variant.name for variant in variants(sr.analyze(graph, "m2-ultra"))]
    ['cold']
    """
    found = []
    for residency in Residency:
        inside = general.inside
        if residency is not inside.residency:
            try:
                inside = replace(inside, residency=residency).on(general.chip)
            except SymroofError:
                continue
        made = general if inside is general.inside else general.with_inside(inside)
        found.append(Variant(str(residency), _words(residency, made), made))
    return tuple(sorted(found, key=lambda variant: variant.general is not general))


def freed(roofline: Roofline) -> tuple[Roofline, Mapping[str, Expr]]:
    """Return a roofline whose tiles have names for sizes, and what these are; numbers alone go.

    Sizes that no time depends on keep their numbers.

    Examples
    --------
    >>> import symroof as sr
    >>> r = sr.analyze(sr.load("matmul"), "h100-sxm", levels={"l2": sr.Tile(128, 256, 32)})
    >>> made, sizes = freed(r)
    >>> str(made.inside.levels["l2"]), dict(sizes)
    ('bm × bn × 32', {'bm': 128, 'bn': 256})
    """
    sizes: dict[str, Expr] = {}
    found = dict.fromkeys(_tiles(roofline.inside))
    tiles = {tile: _named(tile, roofline, sizes) for tile in found}
    if not sizes:
        return roofline, {}
    whole = roofline.with_inside(_with(roofline.inside, tiles))
    used = {s.name for time in whole.groups.values() for s in time.expr.free_symbols}
    idle = {symbol(name): size for name, size in sizes.items() if name not in used}
    kept = {tile: _put(named, idle) for tile, named in tiles.items()}
    made = roofline.with_inside(_with(roofline.inside, kept))
    return made, {name: size for name, size in sizes.items() if name in used}


def _words(residency: Residency, made: Roofline) -> str:
    first = made.op_terms[0].work if made.op_terms else None
    charged = {} if first is None else made.inside.charged(first)
    names = {MAIN: made.chip.main}
    listed = [names.get(level, level[1]) for level in charged if level != REMOTE]
    return WORDS[residency].format(
        main=made.chip.main, levels=", ".join(listed), first="".join(listed[:1])
    )


def _tiles(inside: Inside) -> Iterator[Tile]:
    yield from (charge for charge in inside.levels.values() if isinstance(charge, Tile))
    if inside.quantise is not None:
        yield inside.quantise


def _named(tile: Tile, roofline: Roofline, sizes: dict[str, Expr]) -> Tile:
    """Return a tile with a new name for each size that is a number; `sizes` learns them."""
    found = []
    for side, size in (("m", tile.m), ("n", tile.n), ("k", tile.k)):
        if not isinstance(size, Integer):
            found.append(size)
            continue
        name, taken = f"b{side}", {*roofline.scope.dimensions, *sizes}
        while name in taken:
            name += "_"
        sizes[name] = size
        found.append(symbol(name))
    m, n, k = found
    return Tile(m, n, k, tile.keep)


def _put(tile: Tile, values: Mapping[Expr, Expr]) -> Tile:
    m, n, k = (size.xreplace(values) for size in (tile.m, tile.n, tile.k))
    return Tile(m, n, k, tile.keep)


def _with(inside: Inside, tiles: Mapping[Tile, Tile]) -> Inside:
    levels = {
        name: tiles[charge] if isinstance(charge, Tile) else charge
        for name, charge in inside.levels.items()
    }
    quantise = None if inside.quantise is None else tiles[inside.quantise]
    return replace(inside, levels=ReadOnly(levels), quantise=quantise)
