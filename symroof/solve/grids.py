"""The whole numbers a minimum is looked for among: those between two ends, or divisors."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from sympy import Expr, S, divisors

from symroof.errors import UndecidedError
from symroof.solve.integers import Run
from symroof.symbolic.exact import floor_of_number
from symroof.symbolic.reals import Located, number_enclosure, order

MAX_PRECISION = 4096


@dataclass(frozen=True, slots=True)
class Grid:
    """Whole numbers from `first` to `last`, all of them or some.

    Attributes
    ----------
    first : int
        No member is smaller.
    last : int or None
        No member is larger; None for no end.
    members : tuple of int or None
        The members in increasing order; None where all numbers between the ends are.

    Examples
    --------
    >>> grid = Grid.between(S.One, S(64), S(96))
    >>> grid.members
    (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48)
    >>> grid.around(S(27) / 2), grid.runs(S(5), S(13))
    ([12, 16], [(6, 6), (8, 8), (12, 12)])
    """

    first: int
    last: int | None
    members: tuple[int, ...] | None = None

    @classmethod
    def between(cls, low: Expr, high: Expr, divided: Expr | None = None) -> Grid:
        """Return the whole numbers between two ends, 1 at least; divisors of a number if given."""
        first = max(1, -floor(-low))
        last = None if high is S.Infinity else floor(high)
        if divided is None:
            return cls(first, last)
        found = [n for n in divisors(int(divided)) if first <= n and (last is None or n <= last)]
        return cls(first, last, tuple(found))

    @property
    def is_empty(self) -> bool:
        """Whether there is no member."""
        if self.members is not None:
            return not self.members
        return self.last is not None and self.last < self.first

    @property
    def size(self) -> int | None:
        """How many members there are; None for no end."""
        if self.members is not None:
            return len(self.members)
        return None if self.last is None else max(0, self.last - self.first + 1)

    def around(self, point: Expr) -> list[int]:
        """Return the members next to a number: itself, or the one below and the one above."""
        below = floor(point)
        above = below if order(point, S(below)) == 0 else below + 1
        if self.members is not None:
            at, to = bisect_right(self.members, below), bisect_left(self.members, above)
            return list(dict.fromkeys([*self.members[at - 1 : at], *self.members[to : to + 1]]))
        last = max(below, above) if self.last is None else self.last
        near = [min(max(n, self.first), last) for n in (below, above)]
        return [] if self.is_empty else list(dict.fromkeys(near))

    def ends(self) -> list[int]:
        """Return the first and the last member, as far as there are any."""
        if self.is_empty:
            return []
        if self.members is not None:
            return [self.members[0], self.members[-1]]
        return [self.first] if self.last is None else [self.first, self.last]

    def runs(self, lower: Expr, upper: Expr) -> list[Run]:
        """Return the runs of members between two numbers, ends included; infinity is no end."""
        low = -floor(-lower)
        high = None if upper is S.Infinity else floor(upper)
        if self.members is not None:
            return [(n, n) for n in self.members if low <= n and (high is None or n <= high)]
        low = max(low, self.first)
        if self.last is not None:
            high = self.last if high is None else min(high, self.last)
        return [] if high is not None and high < low else [(low, high)]


def floor(number: Expr) -> int:
    """Return the largest whole number that is at most an exact number.

    Raises
    ------
    UndecidedError
        If it cannot be told from its neighbour.

    Examples
    --------
    >>> from sympy import sqrt
    >>> floor(S(7) / 2), floor(-S(7) / 2), floor(10 * sqrt(2))
    (3, -4, 14)
    """
    if number.is_Rational:
        return int(number.p // number.q)
    if not number.has(Located):
        found = floor_of_number(number)
        if found is not None:
            return int(found)
    bits = 64
    while number.has(Located) and bits <= MAX_PRECISION:
        lower, upper = (end.__floor__() for end in number_enclosure(number, bits))
        if lower == upper:
            return lower
        bits *= 2
    raise UndecidedError(f"cannot tell the whole part of {number}")
