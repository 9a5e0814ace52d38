"""One case of a minimum: a condition, where the minimum is, and its value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from sympy import Expr, S, Symbol

from symroof.solve.conditions import Condition
from symroof.solve.ends import End
from symroof.solve.limits import limit
from symroof.symbolic.build import maximum, minimum
from symroof.symbolic.evaluate import bind


class Place(Enum):
    """Where a minimum lies.

    POINT is between the ends, INTERVAL all of a range, LOW and HIGH an end, NEVER beyond one that
    does not belong: as x goes to infinity, or to 0. CASES depends on the other names in more ways
    than one; UNSOLVED has no answer before more is bound.
    """

    POINT = "point"
    INTERVAL = "interval"
    LOW = "low end"
    HIGH = "high end"
    NEVER = "never reached"
    CASES = "cases"
    UNSOLVED = "unsolved"


@dataclass(frozen=True, slots=True)
class LeastCase:
    """A condition on the other names, and the minimum under it.

    Attributes
    ----------
    condition : Condition
        When this case applies; the cases of an answer exclude each other.
    place : Place
        Where the minimum lies.
    end : End
        The smallest value of the unknown at which the formula is least; for NEVER what the unknown
        goes to, infinity or 0.
    upper : End or None
        The largest one, for an INTERVAL; infinity if it has no end.
    value : Expr
        The least value; for NEVER what the formula falls to, None where that is open.
    """

    condition: Condition
    place: Place
    end: End
    upper: End | None
    value: Expr | None

    @property
    def point(self) -> Expr:
        """The smallest value of the unknown at which the formula is least."""
        return self.end.expr


def end_limit(expr: Expr, unknown: Symbol, end: Expr) -> Expr:
    """Return what a formula goes to as the unknown goes to infinity, or to 0.

    Raises
    ------
    InputError
        If there is no limit.

    Examples
    --------
    >>> from symroof.symbolic.parser import parse
    >>> x = Symbol("x", positive=True)
    >>> end_limit(parse("a + b*x"), x, S.Zero), end_limit(parse("a + b/x"), x, S.Infinity)
    (a, a)
    """
    if end is S.Zero:
        expr = bind(expr, {unknown.name: unknown**-1})
    return limit(expr, unknown)


def furthest(own: Sequence[End], edge: Expr, *, lower: bool) -> End:
    """Return the largest of some lower ends and an edge, or the smallest of upper ones."""
    if edge in (S.Zero, S.Infinity) and len(own) == 1:
        return own[0]
    found = dict.fromkeys([end.expr for end in own] + [edge] * (edge is not S.Zero))
    if not found:
        return End(edge)
    return End((maximum if lower else minimum)(found))
