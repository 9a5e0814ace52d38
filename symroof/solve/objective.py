"""The question of a minimum: a formula, an unknown, and where the unknown may be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from sympy import Expr, S, Symbol

from symroof.errors import InputError
from symroof.solve.problem import Problem
from symroof.symbolic.exact import shown
from symroof.symbolic.reals import order

MAX_DIVIDED = 10**18


@dataclass(frozen=True)
class Objective:
    """At which unknown between two ends is a formula least?

    Attributes
    ----------
    problem : Problem
        Its left side is the formula. The right ones are the low end (0: every positive number),
        the high end (or infinity), and what the unknown has to divide (0: it need not divide
        anything); so names are bound in all of them at once.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> a, x, N = symbols("a x N")
    >>> asked = Objective(Problem(a / x + x, (S.One, N, N), x))
    >>> asked.high, asked.divides, asked.problem.free
    (N, N, ('N', 'a'))
    """

    problem: Problem

    @property
    def expr(self) -> Expr:
        """The formula."""
        return self.problem.left

    @property
    def unknown(self) -> Symbol:
        """The symbol asked for."""
        return self.problem.unknown

    @property
    def low(self) -> Expr:
        """The low end; 0, which does not belong, where there is none."""
        return self.problem.rights[0]

    @property
    def high(self) -> Expr:
        """The high end, or infinity."""
        return self.problem.rights[1]

    @property
    def divides(self) -> Expr | None:
        """What the unknown divides."""
        return self.problem.rights[2] or None

    @property
    def has_low(self) -> bool:
        """Whether the low end belongs."""
        return self.low is not S.Zero

    @property
    def has_high(self) -> bool:
        """Whether there is a high end."""
        return self.high is not S.Infinity

    @cached_property
    def counts(self) -> frozenset[str]:
        """The other names that are at least 1."""
        return self.problem.counts - {self.unknown.name}

    def bound(self, bindings: Mapping[str, object]) -> tuple[Objective, dict[str, Expr]]:
        """Return the question with names bound, and what they are bound to.

        Raises
        ------
        InputError
            If the unknown is bound, a value is not positive, or no value is left to look at.
        UnknownNameError
            If a name does not belong to the question.
        """
        problem, values = self.problem.bound(bindings)
        return Objective(problem).checked(), values

    def resolved(self) -> Objective:
        """Return the question with the known values put in."""
        return Objective(self.problem.resolved())

    def checked(self) -> Objective:
        """Return the question itself, unless its numbers make no sense.

        Raises
        ------
        InputError
            If an end is negative, the ends are the wrong way round, or what is to be divided is
            no whole number.
        """
        known = self.resolved()
        name, low, high, divided = self.unknown.name, known.low, known.high, known.divides
        ends = {"low": low, "high": high}
        for what, end in ends.items():
            if end.has_free(self.unknown):
                raise InputError(f"{what}={shown(end)} depends on {name}, which is asked for")
            negative = end.is_number and (end.is_infinite if what == "low" else False)
            if negative or (end.is_number and order(end, S.Zero) < (what == "high")):
                expected = "a positive number, or 0 for no end" if what == "low" else "positive"
                raise InputError(f"{what}={shown(end)}: {name} is positive; expected {expected}")
        if low.is_number and high.is_number and known.has_high and order(low, high) > 0:
            raise InputError(f"no {name} from {shown(low)} up to {shown(high)}: low is above high")
        whole = divided is None or not divided.is_number or divided.is_Integer
        if not whole or (divided is not None and divided.is_number and divided > MAX_DIVIDED):
            raise InputError(f"divides={shown(divided)}: expected a whole number up to 10**18")
        return self
