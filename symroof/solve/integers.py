"""Sets of whole numbers from 1 on: runs, counted and listed, periodic ones included."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

Run: TypeAlias = tuple[int, int | None]

MAX_LISTED = 64


@dataclass(frozen=True, slots=True)
class IntegerSet:
    """The whole numbers from 1 on that belong to a set.

    Attributes
    ----------
    intervals : tuple of (int, int or None)
        The first runs of neighbours that belong, at most 64; None is no end.
    total : int or float
        How many runs there are; ``math.inf`` if they never stop.
    period : int or None
        For infinitely many runs: from somewhere on, n belongs if and only if n + period does.
    first : int or None
        The smallest that belongs; None if none does.
    permanent : int or None
        The smallest from which on all belong; None if there is none.
    belongs : callable
        Whether a number belongs, for those beyond the runs that are listed.
    last : int or None
        The largest that belongs; None if none does or they never end.

    Examples
    --------
    >>> some = IntegerSet.of_runs([(3, 5), (9, None)])
    >>> some.first, some.permanent, some.total, some.contains(6), some.contains(10**9)
    (3, 9, 2, False, True)
    """

    intervals: tuple[Run, ...]
    total: int | float
    period: int | None
    first: int | None
    permanent: int | None
    belongs: Callable[[int], bool] | None = field(default=None, repr=False, compare=False)
    last: int | None = None

    @classmethod
    def of_runs(cls, runs: Iterable[Run]) -> IntegerSet:
        """Return the set of finitely many runs, given in increasing order."""
        joined = merged(runs)
        return cls(
            intervals=tuple(joined[:MAX_LISTED]),
            total=len(joined),
            period=None,
            first=joined[0][0] if joined else None,
            permanent=joined[-1][0] if joined and joined[-1][1] is None else None,
            last=joined[-1][1] if joined else None,
        )

    @property
    def is_complete(self) -> bool:
        """Whether all runs are listed."""
        return len(self.intervals) == self.total

    def contains(self, number: int) -> bool:
        """Return whether a whole number belongs."""
        if number < 1:
            return False
        for low, high in self.intervals:
            if number < low:
                return False
            if high is None or number <= high:
                return True
        if self.is_complete or self.belongs is None:
            return False
        return self.belongs(number)


def merged(runs: Iterable[Run]) -> list[Run]:
    """Return runs from 1 on, sorted, neighbours joined.

    Examples
    --------
    >>> merged([(4, 6), (-2, 1), (7, 9), (2, 2), (12, 11)])
    [(1, 2), (4, 9)]
    """
    kept: list[Run] = []
    for low, high in sorted(runs, key=lambda run: run[0]):
        if high is not None and high < max(low, 1):
            continue
        low = max(low, 1)
        if kept:
            last_low, last_high = kept[-1]
            if last_high is None:
                break
            if low <= last_high + 1:
                kept[-1] = (last_low, None if high is None else max(high, last_high))
                continue
        kept.append((low, high))
    return kept


def outside(runs: Sequence[Run]) -> list[Run]:
    """Return the runs of whole numbers from 1 on that are in none of the given ones.

    Examples
    --------
    >>> outside([(3, 5), (9, None)])
    [(1, 2), (6, 8)]
    """
    found: list[Run] = []
    start: int | None = 1
    for low, high in runs:
        assert start is not None
        if low > start:
            found.append((start, low - 1))
        start = None if high is None else high + 1
    if start is not None:
        found.append((start, None))
    return found


def common(left: Sequence[Run], right: Sequence[Run]) -> list[Run]:
    """Return the runs of whole numbers in both.

    Examples
    --------
    >>> common([(1, 5), (8, None)], [(4, 9)])
    [(4, 5), (8, 9)]
    """
    found: list[Run] = []
    i = j = 0
    while i < len(left) and j < len(right):
        low = max(left[i][0], right[j][0])
        a, b = left[i][1], right[j][1]
        high = b if a is None else a if b is None else min(a, b)
        if high is None or low <= high:
            found.append((low, high))
        if a is not None and (b is None or a <= b):
            i += 1
        else:
            j += 1
    return found


def interleaved(residues: Sequence[Sequence[Run]]) -> IntegerSet:
    """Return the set of n = P*(q - 1) + r, r = 1..P, for which q is in the r-th list of runs.

    Parameters
    ----------
    residues : sequence of runs
        For each r the runs of q from 1 on.

    Examples
    --------
    >>> odd = interleaved([[(1, None)], []])
    >>> odd.intervals[:2], odd.total, odd.period, odd.first, odd.permanent
    (((1, 1), (3, 3)), inf, 2, 1, None)
    >>> interleaved([[(1, None)], [(3, None)]]).intervals
    ((1, 1), (3, 3), (5, None))
    """
    period = len(residues)
    gaps = [outside(runs) for runs in residues]
    first = min(
        (period * (runs[0][0] - 1) + r for r, runs in enumerate(residues, 1) if runs), default=None
    )
    tail = [bool(runs) and runs[-1][1] is None for runs in residues]
    permanent = None
    if all(tail):
        last = [
            period * (gap[-1][1] - 1) + r
            for r, gap in enumerate(gaps, 1)
            if gap and gap[-1][1] is not None
        ]
        permanent = 1 + max(last, default=0)
    total: int | float = math.inf
    if all(tail) or not any(tail):
        total = sum(_starts(residues, gaps, r) for r in range(period))
    listed = _listed(residues, gaps, MAX_LISTED if total > MAX_LISTED else int(total))
    return IntegerSet(
        intervals=tuple(listed),
        total=total,
        period=_least_period(tail) if total == math.inf else None,
        first=first,
        permanent=permanent,
    )


def residues_of(runs: Sequence[Run], period: int) -> list[list[Run]]:
    """Return runs of n = period*(q - 1) + r as runs of q, for each r = 1..period.

    Examples
    --------
    >>> residues_of([(2, 5), (9, None)], 2)
    [[(2, 3), (5, None)], [(1, 2), (5, None)]]
    """
    return [
        merged(
            (
                -(-(low - r) // period) + 1,
                None if high is None else (high - r) // period + 1,
            )
            for low, high in runs
        )
        for r in range(1, period + 1)
    ]


def restricted(residues: Sequence[Sequence[Run]], low: int, high: int | None) -> list[list[Run]]:
    """Return only the numbers from `low` to `high`.

    Examples
    --------
    >>> restricted([[(1, None)], []], 4, 9)
    [[(3, 5)], []]
    """
    kept = residues_of([(low, high)], len(residues))
    return [common(runs, only) for runs, only in zip(residues, kept, strict=True)]


def regrouped(residues: Sequence[Sequence[Run]], period: int) -> list[list[Run]]:
    """Return the same numbers by the residues of a multiple of the period.

    Examples
    --------
    >>> regrouped([[(1, 3)], []], 4)
    [[(1, 2)], [], [(1, 1)], []]
    """
    size = len(residues)
    times = period // size
    result = []
    for r in range(period):
        # q = times*(p - 1) + part + 1 in the old counting, for p in the new one.
        part = r // size
        result.append(
            merged(
                (
                    -(-(low - 1 - part) // times) + 1,
                    None if high is None else (high - 1 - part) // times + 1,
                )
                for low, high in residues[r % size]
            )
        )
    return result


def _starts(residues: Sequence[Sequence[Run]], gaps: Sequence[Sequence[Run]], r: int) -> int:
    """Return how many n with residue number r (from 0) belong while n - 1 does not."""
    runs = residues[r]
    if r:
        before = gaps[r - 1]
    else:
        # The number before has the last residue of the q before; before n = 1 there is none.
        before = merged(
            [(1, 1), *((low + 1, None if high is None else high + 1) for low, high in gaps[-1])]
        )
    return sum(high - low + 1 for low, high in common(runs, before) if high is not None)


def _listed(
    residues: Sequence[Sequence[Run]], gaps: Sequence[Sequence[Run]], count: int
) -> list[Run]:
    found: list[Run] = []
    place = 1
    while len(found) < count:
        low = _next(residues, place)
        if low is None:
            break
        end = _next(gaps, low + 1)
        found.append((low, None if end is None else end - 1))
        if end is None:
            break
        place = end
    return found


def _next(residues: Sequence[Sequence[Run]], place: int) -> int | None:
    """Return the smallest n from `place` on that belongs."""
    period = len(residues)
    for n in range(place, place + period):
        q = (n - 1) // period + 1
        if any(
            low <= q and (high is None or q <= high) for low, high in residues[(n - 1) % period]
        ):
            return n
    # None within a period: the first of each residue after it.
    best: int | None = None
    for r, runs in enumerate(residues, 1):
        q = max(1, -(-(place - r) // period) + 1)
        for low, high in runs:
            if high is None or high >= q:
                n = period * (max(low, q) - 1) + r
                if best is None or n < best:
                    best = n
                break
    return best


def _least_period(pattern: Sequence[bool]) -> int:
    size = len(pattern)
    for step in range(1, size):
        if size % step == 0 and all(pattern[i] == pattern[i - step] for i in range(step, size)):
            return step
    return size
