"""The cheapest route of moves from one layout to another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from heapq import heappop, heappush
from itertools import product
from math import prod
from typing import TypeAlias

from sympy import Expr, Integer

from symroof.graph.sharding.layout import Layout, divides
from symroof.graph.sharding.moves import Means, Move
from symroof.graph.sharding.prices import Prices
from symroof.symbolic.evaluate import bind

Cost: TypeAlias = tuple[Fraction, int, int]
"""Time per byte of the tensor, moves that send, moves."""

ZERO = Integer(0)
FEW, MANY = 2, 32
MOST_CORNERS = 4


@dataclass(frozen=True, slots=True)
class Route:
    """Moves one after the other.

    Attributes
    ----------
    moves : tuple of Move
    price : Expr
        Link time per byte of the whole tensor.
    sends : int
        How many of them send something.
    """

    moves: tuple[Move, ...]
    price: Expr
    sends: int


STAY = Route((), ZERO, 0)


@lru_cache(maxsize=65536)
def route(shape: tuple[Expr, ...], start: Layout, target: Layout, prices: Prices) -> Route | None:
    """Return the cheapest moves from `start` to `target`; None when there are none.

    Axes come off a dim from its minor end, by all-gather, or by all-to-all to the minor end of
    another dim; what every chip holds is cut without sending; sums are made by all-reduce, or by
    reduce-scatter onto a dim. An axis may rest on another dim on its way: a sum over two axes is
    cheapest as a reduce-scatter over one, an all-reduce over the other and an all-gather back.

    With symbols in the sizes of axes, the routes that are cheapest at some corners of small and
    large sizes are compared; of those whose order stays open it is the one that sends least often.

    Parameters
    ----------
    shape : tuple of Expr
        That of the whole tensor.
    start, target : Layout
        Where it begins and ends; a sum that is done is not undone.
    prices : Prices
        Sizes of the axes and what a byte costs there.

    Examples
    --------
    >>> from symroof.graph.mesh import Mesh
    >>> from symroof.graph.sharding.prices import prices_of
    >>> from symroof.symbolic.symbols import symbols
    >>> prices = prices_of(Mesh(X="X", Y="Y"), None, None)
    >>> found = route(symbols("B D"), Layout((("X",), ())), Layout(((), ("Y",))), prices)
    >>> [move.means.value for move in found.moves], found.price
    (['take_shard', 'all_gather'], (X - 1)/(X*Y))
    """
    if start == target:
        return STAY
    if not set(target.unreduced) <= set(start.unreduced):
        return None
    search = _Search(shape, start, target, prices)
    found = dict.fromkeys(search.at(*corner) for corner in _corners(prices))
    ways = sorted(
        (_priced(moves, start, prices) for moves in found if moves is not None), key=_order
    )
    return next(iter(prices.least(ways, lambda way: way.price)), None)


def nearest(
    shape: tuple[Expr, ...], starts: Iterable[Layout], target: Layout, prices: Prices
) -> tuple[int, Route] | None:
    """Return the cheapest route to a layout from one of several, and the place of that one.

    What stays open is decided as in `route`; then it is the first.

    Examples
    --------
    >>> from symroof.graph.mesh import Mesh
    >>> from symroof.graph.sharding.prices import prices_of
    >>> from symroof.symbolic.symbols import symbols
    >>> starts = Layout((("X",), ())), Layout(((), ("X",))), Layout(((), ()))
    >>> nearest(symbols("B D"), starts, starts[2], prices_of(Mesh(X=4), None, None))
    (2, Route(moves=(), price=0, sends=0))
    """
    ways = [
        (place, way)
        for place, start in enumerate(starts)
        if (way := route(shape, start, target, prices)) is not None
    ]
    ways.sort(key=lambda found: _order(found[1]))
    return next(iter(prices.least(ways, lambda found: found[1].price)), None)


def _order(way: Route) -> tuple[int, int]:
    return way.sends, len(way.moves)


class _Search:
    """Dijkstra's search over layouts, with numbers for the sizes of axes."""

    def __init__(
        self, shape: tuple[Expr, ...], start: Layout, target: Layout, prices: Prices
    ) -> None:
        self.shape = shape
        self.start = start
        self.target = target
        self.mesh = prices.mesh
        # What both ends have at the major end of a dim stays there.
        self.fixed = [
            next((at for at in range(len(a)) if a[: at + 1] != b[: at + 1]), len(a))
            for a, b in zip(start.dims, target.dims, strict=True)
        ]

    def at(
        self, sizes: Mapping[str, int], weights: Mapping[str, Fraction]
    ) -> tuple[Move, ...] | None:
        """Return the cheapest moves for these sizes; of equal ones those that send least often."""
        best: dict[Layout, Cost] = {self.start: (Fraction(0), 0, 0)}
        came: dict[Layout, tuple[Layout, Move]] = {}
        waiting: list[tuple[Cost, int, Layout]] = [(best[self.start], 0, self.start)]
        number = 0
        while waiting:
            cost, _, layout = heappop(waiting)
            if layout == self.target:
                return self.back(came)
            if cost > best[layout]:
                continue
            held = Fraction(1, prod(sizes[axis] for axis in layout.axes))
            for move in self.moves(layout):
                n = sizes[move.axis]
                share = _SHARES[move.means] * held * (n - 1) / n
                if move.means is Means.ALL_GATHER:
                    share *= n
                price, sends, steps = cost
                there = (price + share * weights[move.axis], sends + (share != 0), steps + 1)
                after = move.after(layout)
                if after not in best or there < best[after]:
                    best[after] = there
                    came[after] = (layout, move)
                    number += 1
                    heappush(waiting, (there, number, after))
        return None

    def back(self, came: Mapping[Layout, tuple[Layout, Move]]) -> tuple[Move, ...]:
        moves = []
        layout = self.target
        while layout != self.start:
            layout, move = came[layout]
            moves.append(move)
        return tuple(reversed(moves))

    def moves(self, layout: Layout) -> Iterator[Move]:
        there = (*layout.axes, *layout.unreduced)
        for dim, axes in enumerate(layout.dims):
            if len(axes) > self.fixed[dim]:
                yield Move(Means.ALL_GATHER, axes[-1], dim)
                for to in range(len(self.shape)):
                    if to != dim and self.fits(layout, to, axes[-1]):
                        yield Move(Means.ALL_TO_ALL, axes[-1], dim, to)
            for axis in self.target.axes:
                if axis not in there and self.fits(layout, dim, axis):
                    yield Move(Means.TAKE_SHARD, axis, dim)
            for axis in layout.unreduced:
                if axis not in self.target.unreduced and self.fits(layout, dim, axis):
                    yield Move(Means.REDUCE_SCATTER, axis, dim)
        for axis in layout.unreduced:
            if axis not in self.target.unreduced:
                yield Move(Means.ALL_REDUCE, axis)

    def fits(self, layout: Layout, dim: int, axis: str) -> bool:
        return divides(self.shape[dim], (*layout.dims[dim], axis), self.mesh)


_SHARES = {
    Means.ALL_GATHER: 1,
    Means.REDUCE_SCATTER: 1,
    Means.ALL_REDUCE: 2,
    Means.ALL_TO_ALL: 1,
    Means.TAKE_SHARD: 0,
}


@lru_cache(maxsize=64)
def _corners(prices: Prices) -> list[tuple[dict[str, int], dict[str, Fraction]]]:
    """Return sizes and weights of axes: as they are, or every name small and large in turn."""
    exprs = (*prices.mesh.axes.values(), *prices.weights)
    known = dict(prices.values)
    names = sorted({s.name for e in exprs for s in e.free_symbols} - known.keys())
    if len(names) <= MOST_CORNERS:
        corners = product((FEW, MANY), repeat=len(names))
        points = [dict(zip(names, corner, strict=True)) for corner in corners]
    else:
        points = [{n: MANY if n == one else FEW for n in names} for one in (None, *names)]
        points += [{n: FEW if n == one else MANY for n in names} for one in (None, *names)]
    made = []
    for point in points:
        sizes = {
            axis: max(FEW, int(bind(size, {**known, **point})))
            for axis, size in prices.mesh.axes.items()
        }
        weights = {
            axis: Fraction(str(bind(weight, {**known, **point})))
            for axis, weight in zip(prices.mesh.names, prices.weights, strict=True)
        }
        made.append((sizes, weights))
    return made


def _priced(moves: tuple[Move, ...], layout: Layout, prices: Prices) -> Route:
    price, sends = ZERO, 0
    for move in moves:
        share = move.share(layout, prices.mesh)
        price += share * prices.weight(move.axis)
        sends += share != 0
        layout = move.after(layout)
    return Route(moves, price, sends)
