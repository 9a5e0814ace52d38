"""Sets of positive numbers: intervals with exact ends, and their unions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cmp_to_key
from typing import ClassVar, NamedTuple

from sympy import Expr, Integer

from symroof.errors import InputError
from symroof.symbolic.reals import order


@dataclass(frozen=True, slots=True)
class Interval:
    """The numbers between two ends, each of which may belong or not.

    Parameters
    ----------
    lower : Expr or None
        The lower end; None for 0, which never belongs: every quantity here is positive.
    upper : Expr or None
        The upper end; None for no end.
    lower_closed, upper_closed : bool
        Whether the end belongs.

    Examples
    --------
    >>> Interval(Integer(3), Integer(7), True, True).text("u")
    '3 ≤ u ≤ 7'
    >>> Interval(None, Integer(7), False, False).text("u")
    'u < 7'
    """

    lower: Expr | None
    upper: Expr | None
    lower_closed: bool
    upper_closed: bool

    def __post_init__(self) -> None:
        if (self.lower is None and self.lower_closed) or (self.upper is None and self.upper_closed):
            raise InputError("an end that is 0 or infinite does not belong to an interval")

    @classmethod
    def point(cls, value: Expr) -> Interval:
        """Return the interval that holds one number."""
        return cls(value, value, True, True)

    @property
    def is_point(self) -> bool:
        """Whether the interval holds exactly one number."""
        return self.lower is not None and self.lower == self.upper

    def contains(self, value: Expr) -> bool:
        """Return whether a number lies in the interval, exactly."""
        if self.lower is not None:
            side = order(value, self.lower)
            if side < 0 or (side == 0 and not self.lower_closed):
                return False
        elif order(value, Integer(0)) <= 0:
            return False
        if self.upper is None:
            return True
        side = order(value, self.upper)
        return side < 0 or (side == 0 and self.upper_closed)

    def text(self, name: str, digits: int | None = None) -> str:
        """Return the interval as a condition on `name`.

        Parameters
        ----------
        name : str
            What the number is called.
        digits : int, optional
            Write ends as decimals with that many significant digits; exactly when not given.
        """
        if self.lower is None and self.upper is None:
            return f"every {name}"
        lower = None if self.lower is None else end_text(self.lower, digits)
        upper = None if self.upper is None else end_text(self.upper, digits)
        if lower is not None and self.is_point:
            return f"{name} = {lower}"
        above = "≥" if self.lower_closed else ">"
        below = "≤" if self.upper_closed else "<"
        if upper is None:
            return f"{name} {above} {lower}"
        if lower is None:
            return f"{name} {below} {upper}"
        return f"{lower} {'≤' if self.lower_closed else '<'} {name} {below} {upper}"


class Cut(NamedTuple):
    """A place between numbers: just before (`after` False) or just after one; None is infinity."""

    value: Expr | None
    after: bool


@dataclass(frozen=True, slots=True)
class Region:
    """A set of positive numbers: disjoint intervals in increasing order.

    Parameters
    ----------
    intervals : tuple of Interval
        Disjoint, not touching, in increasing order. Ends may be symbolic as long as nothing
        has to be compared.

    Examples
    --------
    >>> low = Region((Interval(None, Integer(7), False, True),))
    >>> high = Region((Interval(Integer(3), None, True, False),))
    >>> low.intersect(high).text("u"), low.complement().text("u")
    ('3 ≤ u ≤ 7', 'u > 7')
    >>> low.union(high) == Region.ALL, Region.EMPTY.text("u")
    (True, 'no u')
    """

    intervals: tuple[Interval, ...]

    EMPTY: ClassVar[Region]
    ALL: ClassVar[Region]

    @property
    def is_empty(self) -> bool:
        """Whether no number belongs."""
        return not self.intervals

    @property
    def is_all(self) -> bool:
        """Whether every positive number belongs."""
        return self == Region.ALL

    def contains(self, value: Expr | int) -> bool:
        """Return whether a number belongs, exactly.

        Raises
        ------
        UnboundError
            If an end is symbolic.
        """
        number = Integer(value) if isinstance(value, int) else value
        return any(interval.contains(number) for interval in self.intervals)

    def union(self, other: Region) -> Region:
        """Return the numbers in either region."""
        pieces = [_cuts(interval) for interval in (*self.intervals, *other.intervals)]
        pieces.sort(key=cmp_to_key(_starts_before))
        joined: list[tuple[Cut, Cut]] = []
        for start, stop in pieces:
            if joined and _before(start, joined[-1][1]) <= 0:
                if _before(joined[-1][1], stop) < 0:
                    joined[-1] = (joined[-1][0], stop)
            else:
                joined.append((start, stop))
        return _from_cuts(joined)

    def intersect(self, other: Region) -> Region:
        """Return the numbers in both regions."""
        common: list[tuple[Cut, Cut]] = []
        left = [_cuts(interval) for interval in self.intervals]
        right = [_cuts(interval) for interval in other.intervals]
        i = j = 0
        while i < len(left) and j < len(right):
            start = left[i][0] if _before(left[i][0], right[j][0]) >= 0 else right[j][0]
            ends = _before(left[i][1], right[j][1])
            stop = left[i][1] if ends <= 0 else right[j][1]
            if _before(start, stop) < 0:
                common.append((start, stop))
            i, j = (i + 1, j) if ends <= 0 else (i, j + 1)
        return _from_cuts(common)

    def complement(self) -> Region:
        """Return the positive numbers that do not belong."""
        pieces: list[tuple[Cut, Cut]] = []
        start = ZERO
        for interval in self.intervals:
            low, high = _cuts(interval)
            if low != start:
                pieces.append((start, low))
            start = high
        if start != INFINITY:
            pieces.append((start, INFINITY))
        return _from_cuts(pieces)

    def text(self, name: str, digits: int | None = None, limit: int = 8) -> str:
        """Return the region as a condition on `name`; at most `limit` intervals are written out.

        Parameters
        ----------
        name : str
            What the number is called.
        digits : int, optional
            Write ends as decimals with that many significant digits; exactly when not given.
        limit : int
            How many intervals to write; the rest are counted.
        """
        if not self.intervals:
            return f"no {name}"
        shown = [interval.text(name, digits) for interval in self.intervals[:limit]]
        if len(self.intervals) > limit:
            shown.append(f"{len(self.intervals) - limit} more intervals")
        return " or ".join(shown)


def end_text(end: Expr, digits: int | None = None) -> str:
    """Return an end as text: exactly, or as a decimal with so many significant digits."""
    if digits is None or (end.is_Integer and abs(end.p) < 10**digits):
        return str(end)
    return f"{float(end):.{digits}g}" if end.is_number else str(end)


ZERO = Cut(Integer(0), True)
INFINITY = Cut(None, False)


def _cuts(interval: Interval) -> tuple[Cut, Cut]:
    low = ZERO if interval.lower is None else Cut(interval.lower, not interval.lower_closed)
    return low, INFINITY if interval.upper is None else Cut(interval.upper, interval.upper_closed)


def _before(left: Cut, right: Cut) -> int:
    """Return -1, 0 or 1 as one cut comes before, is, or comes after another."""
    if left.value is None or right.value is None:
        return (left.value is None) - (right.value is None)
    return order(left.value, right.value) or left.after - right.after


def _starts_before(left: tuple[Cut, Cut], right: tuple[Cut, Cut]) -> int:
    return _before(left[0], right[0])


def _from_cuts(pieces: Iterable[tuple[Cut, Cut]]) -> Region:
    intervals = []
    for low, high in pieces:
        at_zero = low == ZERO
        intervals.append(
            Interval(
                None if at_zero else low.value,
                high.value,
                not at_zero and not low.after,
                high.value is not None and high.after,
            )
        )
    return Region(tuple(intervals))


Region.EMPTY = Region(())
Region.ALL = Region((Interval(None, None, False, False),))


def region_at_least(value: Expr | int) -> Region:
    """Return the region of all numbers from `value` on.

    Examples
    --------
    >>> from sympy import Rational
    >>> region_at_least(Rational(1, 3)).text("u")
    'u ≥ 1/3'
    """
    end = Integer(value) if isinstance(value, int) else value
    return Region((Interval(end, None, True, False),))


def region_at_most(value: Expr | int) -> Region:
    """Return the region of all positive numbers up to `value`.

    Examples
    --------
    >>> region_at_most(7).text("u")
    'u ≤ 7'
    """
    end = Integer(value) if isinstance(value, int) else value
    return Region((Interval(None, end, False, True),))
