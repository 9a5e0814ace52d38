"""Messages and chunks that the patterns of all algorithms are made of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from typing import TypeAlias

from symroof.network.steps import Chunk, Move, Port

Made: TypeAlias = tuple[dict[Chunk, Fraction], list[Move]]


def one(step: int, source: int, target: int, chunk: Chunk, port: Port = ()) -> Move:
    """Return a message from a chip to another.

    Examples
    --------
    >>> one(0, 1, 2, (1,)).targets
    (2,)
    """
    return Move(step, (source,), (target,), port, chunk)


def backwards(moves: Iterable[Move]) -> list[Move]:
    """Return the messages in reverse, which add up what copies spread.

    Examples
    --------
    >>> (move,) = backwards([one(0, 1, 2, (1,))])
    >>> move.sources, move.targets, move.adds
    ((2,), (1,), True)
    """
    found = list(moves)
    last = max((move.step for move in found), default=0)
    return [Move(last - m.step, m.targets, m.sources, (), m.chunk, adds=True) for m in found]


def then(first: Iterable[Move], second: Iterable[Move]) -> list[Move]:
    """Return messages, and others after them.

    Examples
    --------
    >>> [move.step for move in then([one(0, 1, 2, (1,))], [one(0, 2, 1, (1,))])]
    [0, 1]
    """
    before = list(first)
    after = 1 + max((move.step for move in before), default=-1)
    return before + [replace(move, step=move.step + after) for move in second]


def shards(n: int) -> dict[Chunk, Fraction]:
    """Return a chunk for each chip.

    Examples
    --------
    >>> shards(2)
    {(0,): Fraction(1, 2), (1,): Fraction(1, 2)}
    """
    return {(chip,): Fraction(1, n) for chip in range(n)}


def pairs(n: int) -> dict[Chunk, Fraction]:
    """Return a chunk for each two chips, in parts of a chip's buffer.

    Examples
    --------
    >>> len(pairs(3))
    9
    """
    return {(i, j): Fraction(1, n) for i in range(n) for j in range(n)}
