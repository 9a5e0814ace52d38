"""Orders of axes, mixed so that an all-gather loads every axis as it should."""

from __future__ import annotations

from fractions import Fraction
from itertools import chain, combinations
from math import prod
from typing import TypeAlias

Order: TypeAlias = tuple[int, ...]


def mixed_orders(sizes: tuple[int, ...], loads: tuple[Fraction, ...]) -> dict[Order, Fraction]:
    """Return which part of the tensor goes through the axes in which order.

    Parameters
    ----------
    sizes : tuple of int
        The axes.
    loads : tuple of Fraction
        The part of the tensor that each axis is to carry; such that some mix gives them.

    Examples
    --------
    >>> half = Fraction(15, 32)
    >>> mixed_orders((4, 4), (half, half))
    {(0, 1): Fraction(1, 2), (1, 0): Fraction(1, 2)}
    """
    axes = range(len(sizes))
    groups = [
        frozenset(group)
        for group in chain.from_iterable(combinations(axes, k) for k in range(1, len(sizes) + 1))
    ]
    total = prod(sizes)
    # A group carries most when it comes last.
    most = {g: 1 - Fraction(1, prod(sizes[at] for at in g)) for g in groups}
    left, rest = dict(enumerate(loads)), Fraction(1)
    found: dict[Order, Fraction] = {}
    while rest:
        slack = {g: rest * most[g] - sum(left[at] for at in g) for g in groups}
        order = _last_first(len(sizes), [g for g in groups if slack[g] == 0])
        carried: dict[int, Fraction] = {}
        gathered = 1
        for at in order:
            carried[at] = Fraction(gathered * (sizes[at] - 1), total)
            gathered *= sizes[at]
        gaps = {g: most[g] - sum(carried[at] for at in g) for g in groups}
        part = min([rest, *(slack[g] / gap for g, gap in gaps.items() if gap)])
        found[order] = found.get(order, Fraction(0)) + part
        rest -= part
        for at in axes:
            left[at] -= part * carried[at]
    return found


def _last_first(count: int, tight: list[frozenset[int]]) -> Order:
    """Return an order in which each group that carries the most it can comes last."""
    backwards: list[int] = []
    while len(backwards) < count:
        placed = frozenset(backwards)
        wider = [g for g in tight if g > placed]
        pool = min(wider, key=len) if wider else frozenset(range(count))
        backwards.append(max(pool - placed))
    return tuple(reversed(backwards))
