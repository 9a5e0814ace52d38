"""The steps of algorithms that go up and down trees, over links of a tree or through a switch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import TypeAlias

from symroof.network.moves import Made, backwards, one, pairs, shards
from symroof.network.names import Collective
from symroof.network.steps import Chunk, Move
from symroof.network.topology import Line, Topology

RS, AR, A2A = Collective.REDUCE_SCATTER, Collective.ALL_REDUCE, Collective.ALL_TO_ALL
BROADCAST, GATHER, SEND = Collective.BROADCAST, Collective.GATHER, Collective.SEND
Parents: TypeAlias = dict[int, int]


def by_trees(what: Collective, topology: Topology, n: int) -> Made:
    """Return the steps of a broadcast or an all-reduce by trees through a switch or on a line.

    Examples
    --------
    >>> sizes, moves = by_trees(BROADCAST, Line(4), 4)
    >>> [(move.step, move.sources, move.targets) for move in moves]
    [(0, (0,), (1,)), (1, (0,), (2,)), (1, (1,), (3,))]
    """
    if what is BROADCAST:
        moves = []
        step = 0
        while 1 << step < n:
            reach = 1 << step
            moves += [one(step, i, i + reach, (0,)) for i in range(min(reach, n - reach))]
            step += 1
        return {(0,): Fraction(1)}, moves
    if isinstance(topology, Line):
        middle = n // 2
        parents = {at: at + (1 if at < middle else -1) for at in range(n) if at != middle}
        return {(middle,): Fraction(1)}, _up_and_down((middle,), parents)
    first, second = double_tree(n)
    moves = _up_and_down((0, "first"), first) + _up_and_down((0, "second"), second)
    return {(0, "first"): Fraction(1, 2), (0, "second"): Fraction(1, 2)}, moves


def double_tree(n: int) -> tuple[Parents, Parents]:
    """Return the parents of chips in two trees, each with leaves where the other has none.

    Source: NCCL 2.4, the trees of its all-reduce.

    Examples
    --------
    >>> double_tree(4)
    ({1: 2, 2: 0, 3: 2}, {2: 1, 1: 3, 0: 1})
    """
    first = {chip: _binary_parent(chip, n) for chip in range(1, n)}
    if n % 2 == 0:
        return first, {n - 1 - chip: n - 1 - parent for chip, parent in first.items()}
    return first, {(chip + 1) % n: (parent + 1) % n for chip, parent in first.items()}


def _binary_parent(chip: int, n: int) -> int:
    """Return the parent in the tree where chips stand in order, the left ones below even bits."""
    bit = chip & -chip
    up = (chip ^ bit) | (bit << 1)
    return up if up < n else chip ^ bit


def _up_and_down(chunk: Chunk, parents: Parents) -> list[Move]:
    """Return a sum that goes up a tree, each chip as late as can be, and down again."""
    depths = {chip: sum(1 for _ in _ancestors(chip, parents)) for chip in parents}
    deepest = max(depths.values(), default=0)
    up = [
        Move(deepest - depths[chip], (chip,), (parent,), (), chunk, adds=True)
        for chip, parent in parents.items()
    ]
    down = [
        one(deepest + depths[chip] - 1, parent, chip, chunk) for chip, parent in parents.items()
    ]
    return up + down


def _ancestors(chip: int, parents: Parents) -> Iterator[int]:
    while chip in parents:
        chip = parents[chip]
        yield chip


def in_a_tree(what: Collective, n: int, arity: int) -> Made:
    """Return the steps on a tree of links.

    Examples
    --------
    >>> sizes, moves = in_a_tree(GATHER, 4, 2)
    >>> [(move.step, move.sources, move.targets) for move in moves if move.chunk == (3,)]
    [(0, (3,), (1,)), (1, (1,), (0,))]
    """
    parents = {chip: (chip - 1) // arity for chip in range(1, n)}
    whole: dict[Chunk, Fraction] = {(0,): Fraction(1)}
    if what is AR:
        return whole, _up_and_down((0,), parents)
    if what is BROADCAST:
        half = _up_and_down((0,), parents)[len(parents) :]
        first = min((move.step for move in half), default=0)
        return whole, [replace(move, step=move.step - first) for move in half]
    if what is SEND:
        return whole, [one(0, 0, 1, (0,))][: n - 1]
    if what in (GATHER, A2A):
        chunks = shards(n) if what is GATHER else pairs(n)
        moves = []
        for chunk in chunks:
            way = _way(chunk[0], 0 if what is GATHER else chunk[1], parents)
            moves += [one(at, *hop, chunk) for at, hop in enumerate(pairwise(way))]
        return chunks, moves
    spread = [
        one(len(way) - 2, way[-2], way[-1], (i,))
        for i in range(n)
        for j in range(n)
        if i != j
        for way in [_way(i, j, parents)]
    ]
    return shards(n), backwards(spread) if what is RS else spread


def _way(source: int, target: int, parents: Parents) -> list[int]:
    up, down = [source, *_ancestors(source, parents)], [target, *_ancestors(target, parents)]
    while len(up) > 1 and len(down) > 1 and up[-2] == down[-2]:
        up.pop()
        down.pop()
    return up + down[-2::-1]
