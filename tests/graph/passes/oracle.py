"""The least link bytes of a sharded product, by exhaustive search that knows no rules.

Every layout of every operand can be reached by any sequence of collectives over one axis; every
axis of the mesh may lie along any index, or along none, while the product is made.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from itertools import permutations, product

State = tuple[tuple[tuple[str, ...], ...], frozenset[str]]
"""Axes by dim, and the axes along which the chips have partial sums."""


class Oracle:
    """Products ik,kj->ij of numbers of bytes on a mesh."""

    def __init__(self, axes: Mapping[str, int], sizes: tuple[int, int, int], item: int) -> None:
        self.axes = dict(axes)
        self.i, self.k, self.j = sizes
        self.item = item
        self.ways = [
            orders
            for placing in product("ikj.", repeat=len(axes))
            for orders in product(
                *(permutations(a for a, p in zip(axes, placing, strict=True) if p == index)
                  for index in "ikj")
            )
        ]  # fmt: skip
        self.distances = cache(self._distances)

    def least(self, a: tuple, b: tuple, c: tuple) -> Fraction:
        """Return the fewest bytes each chip sends, from the layouts of A and B to that of C."""
        i, k, j = self.i, self.k, self.j
        found = []
        for of_i, of_k, of_j in self.ways:
            costs = (
                self.distances((a, frozenset()), (i, k)).get(((of_i, of_k), frozenset())),
                self.distances((b, frozenset()), (k, j)).get(((of_k, of_j), frozenset())),
                self.distances(((of_i, of_j), frozenset(of_k)), (i, j)).get((c, frozenset())),
            )
            if None not in costs:
                elements = (i * k, k * j, i * j)
                found.append(sum(x * n for x, n in zip(costs, elements, strict=True)))
        return self.item * min(found)

    def _distances(self, start: State, shape: tuple[int, int]) -> dict[State, Fraction]:
        best = {start: Fraction(0)}
        waiting = [(Fraction(0), 0, start)]
        number = 0
        while waiting:
            cost, _, state = heapq.heappop(waiting)
            if cost > best[state]:
                continue
            for after, sent in self._moves(state, shape):
                if after not in best or cost + sent < best[after]:
                    best[after] = cost + sent
                    number += 1
                    heapq.heappush(waiting, (cost + sent, number, after))
        return best

    def _moves(self, state: State, shape: tuple[int, int]) -> Iterator[tuple[State, Fraction]]:
        dims, partial = state
        held = Fraction(1)
        for axis in (*dims[0], *dims[1]):
            held /= self.axes[axis]
        for axis, n in self.axes.items():
            split = held * Fraction(n - 1, n)
            if axis in partial:
                yield (dims, partial - {axis}), 2 * split  # all-reduce
            for dim in (0, 1):
                on, other = dims[dim], dims[1 - dim]
                if on[-1:] == (axis,):
                    yield (_put(dims, dim, on[:-1]), partial), held * (n - 1)  # all-gather
                    if self._fits(shape[1 - dim], (*other, axis)):  # all-to-all
                        moved = _put(_put(dims, dim, on[:-1]), 1 - dim, (*other, axis))
                        yield (moved, partial), split
                if axis in (*dims[0], *dims[1]) or not self._fits(shape[dim], (*on, axis)):
                    continue
                taken = _put(dims, dim, (*on, axis))
                if axis in partial:
                    yield (taken, partial - {axis}), split  # reduce-scatter
                else:
                    yield (taken, partial), Fraction(0)  # the chip's own shard

    def _fits(self, size: int, axes: tuple[str, ...]) -> bool:
        parts = 1
        for axis in axes:
            parts *= self.axes[axis]
        return size % parts == 0


def _put(dims: tuple, dim: int, axes: tuple[str, ...]) -> tuple:
    return tuple(axes if place == dim else others for place, others in enumerate(dims))
