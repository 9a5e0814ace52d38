"""The answer to a question for a minimum: its cases, its kind, and its numbers once bound."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sympy import Expr, S

from symroof.errors import InputError, UnboundError
from symroof.solve.answers import to_number
from symroof.solve.cells import is_log_convex
from symroof.solve.conditions import TRUE, Condition
from symroof.solve.exact_minima import ExactMinimum, exact_minimum
from symroof.solve.integers import IntegerSet
from symroof.solve.least import LeastCase, Place
from symroof.solve.minima import least_cases
from symroof.solve.minimum_check import verify
from symroof.solve.minimum_data import minimum_data
from symroof.solve.minimum_text import sentence
from symroof.solve.objective import Objective
from symroof.solve.polynomials import UnsolvedError
from symroof.solve.sentences import Sentence
from symroof.symbolic.forms import NO_LABELS
from symroof.symbolic.regions import Region
from symroof.symbolic.symbols import symbol
from symroof.symbolic.writer import Lead, Order

_BETWEEN = (Place.POINT, Place.INTERVAL)


@dataclass(frozen=True, repr=False)
class Minimum:
    """Where a formula is least. Made by `minimise`.

    Everything is worked out when it is first asked for, and then kept. Where the formula is level
    at the least value, the point is the smallest of all.

    Attributes
    ----------
    asked : Objective
        The question.
    lead : tuple of Symbol or None
        Symbols that formulas are ordered by, as asked for; `leads` says which are used.
    order : tuple of str
        In which order names are written.

    Examples
    --------
    >>> from symroof.solve.minimise import minimise
    >>> m = minimise("max(c, a/x, b*x)", "x", low=0)
    >>> for case in m.cases:
    ...     print(case.condition, "->", case.place.value, case.point, case.value)
    a*b > c**2 -> point sqrt(a)/sqrt(b) sqrt(a)*sqrt(b)
    c**2 >= a*b -> interval a/c c
    >>> print(m.at(a=8, b="1/2", c=3))
    2.66667 ≤ x* ≤ 6, the minimum: 3 (convex in log x) → 3 ≤ x ≤ 6
    """

    asked: Objective
    lead: Lead | None = None
    order: Order = ()

    @property
    def name(self) -> str:
        """The name of the unknown."""
        return str(self.asked.unknown.name)

    @property
    def expr(self) -> Expr:
        """The formula."""
        return self.asked.expr

    @cached_property
    def leads(self) -> Lead:
        """The symbols that formulas are ordered by, besides rates (dotted names)."""
        if self.lead is not None:
            return self.lead
        problem = self.asked.problem
        return tuple(symbol(name) for name in problem.others) if problem.counts else ()

    @cached_property
    def free(self) -> tuple[str, ...]:
        """The names to bind before there are numbers."""
        return self.asked.problem.free

    @cached_property
    def is_convex(self) -> bool:
        """Whether the formula is seen to be convex over the logarithm of the unknown."""
        return is_log_convex(self.expr, self.asked.unknown)

    @cached_property
    def kind(self) -> Place:
        """Where the minimum lies."""
        if not self.free:
            return self._kind_of_numbers()
        if not self.cases:
            return Place.UNSOLVED
        return Place.CASES if self.main is None else self.main.place

    @cached_property
    def cases(self) -> tuple[LeastCase, ...]:
        """Exclusive and exhaustive cases in the symbols; empty where there is no closed form."""
        return self._solved[0]

    @cached_property
    def main(self) -> LeastCase | None:
        """The one case between the ends, or the only case; with numbers the one that applies.

        None where there are several, or none.
        """
        if not self.free:
            known = self.asked.problem.known
            return next((case for case in self.cases if case.condition.holds(known)), None)
        found = [case for case in self.cases if case.place in _BETWEEN] or self.cases
        return found[0] if len(found) == 1 else None

    @property
    def point(self) -> Expr | None:
        """The unknown at the minimum in closed form, rates as symbols; under `condition`.

        Infinity (or 0) where the formula falls without end towards it.
        """
        return self.point_bound if self.main is None else self.main.point

    @property
    def point_upper(self) -> Expr | None:
        """The largest such value for an interval, infinity if it has no end; else None."""
        if self.main is not None:
            return None if self.main.upper is None else self.main.upper.expr
        return self.point_upper_bound

    @property
    def value(self) -> Expr | None:
        """The least value in closed form; what the formula falls to where that is never reached."""
        return self.value_bound if self.main is None else self.main.value

    @property
    def condition(self) -> Condition | None:
        """When `point` is the minimum; None for cases and unsolved."""
        if self.main is not None:
            return self.main.condition
        return TRUE if not self.free and self.kind is not Place.UNSOLVED else None

    @property
    def others(self) -> tuple[LeastCase, ...]:
        """The cases that apply where `condition` does not hold."""
        if not self.free:
            return ()
        return tuple(case for case in self.cases if case is not self.main)

    @property
    def second_order(self) -> str | None:
        """Why it is a minimum: convexity, or how the slope changes its sign; None if unsolved."""
        if self.kind is Place.UNSOLVED:
            return None
        if self.is_convex:
            return f"convex in log {self.name}"
        turns = None if self.free else self._exact.turns
        if not self.free and turns is None:
            return "by trying whole numbers"
        if turns is not None and turns > 1:
            return f"the least of {turns} local minima"
        if self.kind is Place.LOW and not turns:
            return "it only rises"
        if self.kind in (Place.HIGH, Place.NEVER) and not turns:
            return "it only falls"
        return "it falls before and rises after"

    @property
    def note(self) -> str:
        """Why there is no closed form, or why something is not known of the numbers."""
        return self._solved[1] if self.free else self._exact.note

    @property
    def real(self) -> Region | None:
        """The numbers at which it is least, exactly; None where only whole ones are known.

        Raises
        ------
        UnboundError
            If names are left free.
        """
        return self._numbers.real

    @property
    def point_bound(self) -> Expr | None:
        """The smallest number at which it is least; None where names are free or it never is."""
        real = None if self.free else self._exact.real
        if real is None or real.is_empty:
            return None
        lower = real.intervals[0].lower
        return S.Zero if lower is None else lower

    @property
    def point_upper_bound(self) -> Expr | None:
        """The other end of an interval in which it is least, infinity if it has none."""
        real = None if self.free else self._exact.real
        if real is None or real.is_empty or real.intervals[0].is_point:
            return None
        upper = real.intervals[0].upper
        return S.Infinity if upper is None else upper

    @property
    def value_bound(self) -> Expr | None:
        """The least value as an exact number; None where names are free or it is not known."""
        return None if self.free else self._exact.value

    @property
    def point_float(self) -> float | None:
        """The point as a float; raises `UnboundError` where names are left free."""
        found = self._numbers and self.point_bound
        return None if found is None else to_number(found)

    @property
    def value_float(self) -> float | None:
        """The least value as a float; raises `UnboundError` where names are left free."""
        found = self._numbers.value
        return None if found is None else to_number(found)

    @property
    def whole(self) -> IntegerSet | None:
        """The whole numbers (or divisors) at which it is least among those, all ties.

        None where the unknown is no dim or count, or where they are not known.

        Raises
        ------
        UnboundError
            If names are left free.
        """
        return self._numbers.whole

    @property
    def first(self) -> int | None:
        """The smallest such whole number; None where there is none."""
        return None if self.whole is None else self.whole.first

    @property
    def whole_value(self) -> Expr | None:
        """The exact value there."""
        return self._numbers.whole_value

    @property
    def whole_float(self) -> float | None:
        """The value there as a float."""
        return None if self.whole_value is None else to_number(self.whole_value)

    def at(self, **bindings: object) -> Minimum:
        """Return the answer with names bound further; the type stays.

        Parameters
        ----------
        **bindings
            Numbers, texts or expressions by name; rates with their unit.

        Raises
        ------
        InputError
            If the unknown is bound, a value is not positive, or the ends make no sense.
        UnknownNameError
            If a name does not belong to the question; with a near match.

        Examples
        --------
        >>> from symroof.solve.minimise import minimise
        >>> m = minimise("B*M_X/X + F*X/N", "X", high="N")
        >>> m.at(N=64, B=48000, F=32768, M_X=2).point
        5*sqrt(30)/2
        """
        return Minimum(self.asked.bound(bindings)[0], self.lead, self.order)

    def sentence(self, labels: Mapping[str, str] = NO_LABELS) -> Sentence:
        """Return the answer in words and formulas; `labels` says how rates are shown."""
        return sentence(self, labels)

    def verify(self, samples: int = 200) -> tuple[int, int]:
        """Return (points, mismatches) of putting in points around the minimum, exactly.

        The points are the same every time; the formula is evaluated as it was given.

        Parameters
        ----------
        samples : int
            Random bindings of the free names, or random points where all is bound.
        """
        return verify(self, samples)

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as plain data; numbers of an unbound answer are None."""
        return minimum_data(self)

    def __str__(self) -> str:
        return str(self.sentence())

    def __repr__(self) -> str:
        return f"<Minimum over {self.name}: {self}>"

    @cached_property
    def _solved(self) -> tuple[tuple[LeastCase, ...], str]:
        """The symbolic cases, or why there are none."""
        try:
            return least_cases(self.asked), ""
        except (UnsolvedError, InputError) as error:  # too large to write out is not solved
            reason = str(error)
        names = [name for name in self.free if name not in self.asked.problem.known]
        hint = f": bind {', '.join(names)}" if names and ": bind " not in reason else ""
        return (), reason + hint

    @property
    def _numbers(self) -> ExactMinimum:
        if self.free:
            raise UnboundError(f"the minimum over {self.name}", self.free)
        return self._exact

    @cached_property
    def _exact(self) -> ExactMinimum:
        return exact_minimum(self.asked.resolved())

    def _kind_of_numbers(self) -> Place:
        found, ends = self._exact, self.asked.resolved()
        if found.real is None:
            return Place.UNSOLVED if found.whole is None or not found.whole.total else Place.POINT
        if found.real.is_empty:
            return Place.NEVER
        if not all(interval.is_point for interval in found.real.intervals):
            return Place.INTERVAL
        if len(found.real.intervals) == 1 and self.point_bound in (ends.low, ends.high):
            return Place.LOW if self.point_bound == ends.low else Place.HIGH
        return Place.POINT
