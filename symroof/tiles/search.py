"""The best tile of whole sides under a capacity, exactly.

Traffic depends on the sides of the kept tile alone, and on these only through how many tiles go
through each matrix. So of one side the least of each such number is looked at, about 2*sqrt(M) of
them; the other is then as large as the capacity lets it, cut to the least that goes through as
often. The third side, along which the other two tiles stream, takes room and saves nothing: it is 1
unless asked for otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt, lcm

from symroof.errors import InputError
from symroof.graph.tile import ONE_KEPT, Keep
from symroof.symbolic.exact import shown

MOST_TRIED = 200_000


@dataclass(frozen=True, slots=True)
class Sizes:
    """A contraction in numbers.

    Attributes
    ----------
    batch, m, n, k : int
        The sizes of its groups of indices.
    left, right, out : Fraction
        Bytes of an element of each tensor.
    """

    batch: int
    m: int
    n: int
    k: int
    left: Fraction
    right: Fraction
    out: Fraction


@dataclass(frozen=True, slots=True)
class Found:
    """A tile and what it moves.

    Attributes
    ----------
    m, n, k : int
        Its sides.
    keep : Keep
        The tile that stays.
    extra : Fraction
        Bytes moved beyond each tensor once.
    footprint : Fraction
        Bytes of fast memory that its three tiles take.
    """

    m: int
    n: int
    k: int
    keep: Keep
    extra: Fraction
    footprint: Fraction


def best_tile(
    sizes: Sizes,
    capacity: Fraction,
    *,
    keep: Keep = Keep.BEST,
    step: int = 1,
    largest: int | None = None,
) -> Found | None:
    """Return the tile that moves least under a capacity; of several the one that takes least room.

    Parameters
    ----------
    sizes : Sizes
        What is worked off.
    capacity : Fraction
        Bytes of fast memory.
    keep : Keep
        The tile that stays; the best of the three by default.
    step : int
        The side along which the other two stream.
    largest : int, optional
        The largest side that is looked at.

    Returns
    -------
    Found or None
        None where no tile fits.

    Raises
    ------
    InputError
        If the sizes are too large to look at every number of tiles.

    Examples
    --------
    >>> one = Fraction(1)
    >>> found = best_tile(Sizes(1, 64, 64, 64, one, one, one), Fraction(288))
    >>> found.m, found.n, found.k, found.keep, found.extra
    (16, 16, 1, <Keep.OUTPUT: 'output'>, Fraction(24576, 1))
    """
    kept = ONE_KEPT if keep is Keep.BEST else (keep,)
    found = [tile for one in kept for tile in _tiles(sizes, capacity, one, step, largest)]
    return min(found, key=lambda tile: (tile.extra, tile.footprint), default=None)


@dataclass(frozen=True, slots=True)
class _Plane:
    """A kept tile of x by y in whole units of room and of traffic.

    It takes area*x*y + x_edge*x + y_edge*y of the room and moves x_cost for each pass along x.
    """

    x: int
    y: int
    area: int
    x_edge: int
    y_edge: int
    x_cost: int
    y_cost: int
    turned: bool


def _tiles(
    sizes: Sizes, capacity: Fraction, keep: Keep, step: int, largest: int | None
) -> Iterator[Found]:
    """Yield the best tile for each number of tiles along one side."""
    parts = sizes.left, sizes.right, sizes.out
    unit = lcm(*(part.denominator for part in parts))
    left, right, out = (int(part * unit) for part in parts)
    plane = _plane(sizes, keep, step, (left, right, out))
    room = int(capacity * unit)
    for x in _sides(plane.x, largest, room):
        left_over = room - plane.x_edge * x
        y = min(left_over // (plane.area * x + plane.y_edge), plane.y)
        if y < 1:
            return
        y = _least(plane.y, min(y, largest or y))
        moved = plane.x_cost * (_passes(plane.x, x) - 1) + plane.y_cost * (_passes(plane.y, y) - 1)
        taken = plane.area * x * y + plane.x_edge * x + plane.y_edge * y
        first, second = (y, x) if plane.turned else (x, y)
        yield Found(
            *_placed(keep, first, second, step),
            keep,
            Fraction(moved * sizes.batch, unit),
            Fraction(taken, unit),
        )


def _plane(sizes: Sizes, keep: Keep, step: int, parts: tuple[int, int, int]) -> _Plane:
    m, n, k = sizes.m, sizes.n, sizes.k
    left, right, out = parts
    if keep is Keep.OUTPUT:
        whole = (m, n, out, left, right, k * n * right, m * k * left)
    elif keep is Keep.LEFT:
        whole = (m, k, left, out, right, k * n * right, 2 * m * n * out)
    else:
        whole = (n, k, right, out, left, m * k * left, 2 * m * n * out)
    x, y, area, x_edge, y_edge, x_cost, y_cost = whole
    if x <= y:  # the shorter side is the one whose numbers of tiles are gone through
        return _Plane(x, y, area, step * x_edge, step * y_edge, x_cost, y_cost, turned=False)
    return _Plane(y, x, area, step * y_edge, step * x_edge, y_cost, x_cost, turned=True)


def _placed(keep: Keep, x: int, y: int, step: int) -> tuple[int, int, int]:
    """Return the sides m, n, k of a kept tile of x by y."""
    if keep is Keep.OUTPUT:
        return x, y, step
    return (x, step, y) if keep is Keep.LEFT else (step, x, y)


def _sides(size: int, largest: int | None, room: int) -> Iterator[int]:
    """Yield the least side for each number of tiles, from the smallest side on."""
    end = min(size, largest or size, room)
    if min(end, 2 * isqrt(size)) > MOST_TRIED:
        raise InputError(f"a side of {shown(size)} has too many numbers of tiles to try them all")
    side = 1
    while side <= end:
        yield side
        times = _passes(size, side)
        if times == 1:
            return
        side = _passes(size, times - 1)


def _least(size: int, side: int) -> int:
    """Return the least side that goes through a size as often as `side`."""
    return _passes(size, _passes(size, side))


def _passes(size: int, side: int) -> int:
    return -(-size // side)
