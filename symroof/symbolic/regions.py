"""Sets of positive numbers: intervals with exact ends, and their unions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer

from symroof.errors import InputError
from symroof.symbolic.numerals import number
from symroof.symbolic.printer import to_text
from symroof.symbolic.reals import Located, order


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
    >>> found = Region((Interval(None, Integer(3), False, True), Interval.point(Integer(7))))
    >>> found.text("u"), found.contains(5)
    ('u ≤ 3 or u = 7', False)
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
        exact = Integer(value) if isinstance(value, int) else value
        return any(interval.contains(exact) for interval in self.intervals)

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
    """Return an end as text: exactly, or for people with so many significant digits."""
    if digits is not None and end.is_number:
        return number(end, digits)
    return str(end) if end.has(Located) else to_text(end)


Region.EMPTY = Region(())
Region.ALL = Region((Interval(None, None, False, False),))
