"""Evaluate both sides of a problem as they stand: exactly or by bounds, nothing rearranged."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import ceil, floor, prod
from typing import TypeAlias

from mpmath import libmp  # type: ignore[import-untyped]
from sympy import Expr, Max, Min, Pow, Rational, S, ceiling
from sympy import floor as sympy_floor

from symroof.errors import InputError, UndecidedError
from symroof.solve.enclosures import Raw, raw
from symroof.solve.intervals import UnboundedError, bounds
from symroof.solve.problem import Problem
from symroof.solve.quotients import UndefinedError
from symroof.symbolic.evaluate import bind
from symroof.symbolic.functions import log2
from symroof.symbolic.reals import Located, number_enclosure, order

Values: TypeAlias = Mapping[str, Fraction]
Function: TypeAlias = Callable[[Values], Fraction]

MAX_POWER = 4096
PRECISIONS = (64, 256)
FINE = (1024, 4096)
MAX_EXACT_BITS = 4096


class IrrationalError(ArithmeticError):
    """A value on the way is not rational."""


class Sides:
    """The sides of a problem as functions of exact numbers.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> M, N = symbols("M N")
    >>> sides = Sides(Problem(M**2, (N,), M))
    >>> sides.hold({"M": Fraction(3), "N": Fraction(9)}), sides.hold({"M": 2, "N": Fraction(9)})
    (True, False)
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.functions = [function(side) for side in problem.sides]
        self.plain = not any(map(_has_irrational_parts, problem.sides))

    def hold(self, values: Values) -> bool | None:
        """Return whether left ≥ every right; None where that cannot be told.

        Where a side has no value (a division by zero), it does not hold.
        """
        if not self.plain:
            numbers = {name: Rational(v.numerator, v.denominator) for name, v in values.items()}
            found = self.hold_between(numbers, PRECISIONS)
            if found is not None:
                return found
        try:
            left, *rights = [side(values) for side in self.functions]
        except IrrationalError:
            return self.hold_exactly(
                {name: Rational(v.numerator, v.denominator) for name, v in values.items()}
            )
        except ZeroDivisionError:
            return False
        return all(left >= right for right in rights)

    def hold_exactly(self, values: Mapping[str, Expr]) -> bool | None:
        """Return the same for numbers that need not be rational."""
        located = any(value.has(Located) for value in values.values())
        found = self.hold_between(values, PRECISIONS if located else (*PRECISIONS, *FINE))
        if found is not None or located:
            return found
        try:
            left, *rights = [bind(side, values) for side in self.problem.sides]
            if any(side.has(S.ComplexInfinity, S.NaN) for side in (left, *rights)):
                return False
            if any(map(_is_long, (left, *rights))):
                return None
            return all(order(left, right) >= 0 for right in rights)
        except (InputError, UndecidedError):
            return None

    def hold_between(self, values: Mapping[str, Expr], precisions: Sequence[int]) -> bool | None:
        """Return the same as far as bounds of the sides tell, closer ones if need be."""
        for bits in precisions:
            numbers = {name: _interval(value, bits) for name, value in values.items()}
            try:
                left, *rights = [bounds(side, numbers, bits) for side in self.problem.sides]
            except UndefinedError:
                return False
            except UnboundedError:
                continue
            if any(libmp.mpf_lt(left[1], right[0]) for right in rights):
                return False
            if all(libmp.mpf_ge(left[0], right[1]) for right in rights):
                return True
        return None


def function(expr: Expr) -> Function:
    """Return an expression as a function of rational numbers by name.

    Examples
    --------
    >>> from symroof.symbolic.parser import parse
    >>> function(parse("ceil(M/2)**2 + max(M, 4)/3"))({"M": Fraction(3)})
    Fraction(16, 3)
    """
    if expr.is_Symbol:
        name = expr.name
        return lambda values: values[name]
    if expr.is_Rational:
        number = Fraction(int(expr.p), int(expr.q))
        return lambda values: number
    parts = [function(arg) for arg in expr.args]
    if expr.is_Add:
        return lambda values: sum([part(values) for part in parts], Fraction(0))
    if expr.is_Mul:
        return lambda values: prod([part(values) for part in parts], start=Fraction(1))
    if expr.is_Pow:
        return lambda values: _power(parts[0](values), parts[1](values))
    if isinstance(expr, ceiling):
        return lambda values: Fraction(ceil(parts[0](values)))
    if isinstance(expr, sympy_floor):
        return lambda values: Fraction(floor(parts[0](values)))
    if isinstance(expr, Max):
        return lambda values: max([part(values) for part in parts])
    if isinstance(expr, Min):
        return lambda values: min([part(values) for part in parts])
    if isinstance(expr, log2):
        return lambda values: _log2(parts[0](values))
    return _irrational


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator == 1 and abs(exponent) <= MAX_POWER:
        return Fraction(base) ** int(exponent)
    if base in (0, 1) and exponent > 0:
        return Fraction(base)
    raise IrrationalError


def _log2(value: Fraction) -> Fraction:
    above, below = value.numerator, value.denominator
    if above <= 0 or above & (above - 1) or below & (below - 1):
        raise IrrationalError
    return Fraction(above.bit_length() - below.bit_length())


def _has_irrational_parts(expr: Expr) -> bool:
    """Return whether a power with another exponent than an integer or a logarithm occurs."""
    return any(not power.exp.is_Integer for power in expr.atoms(Pow)) or expr.has(log2)


def _interval(value: Expr, bits: int) -> Raw:
    return (
        raw(*number_enclosure(value, bits), bits)
        if not value.is_Rational
        else bounds(value, {}, bits)
    )


def _is_long(side: Expr) -> bool:
    """Return whether numbers in a side are too long to be compared exactly in good time."""
    return any(
        max(abs(int(n.p)), int(n.q)).bit_length() > MAX_EXACT_BITS for n in side.atoms(Rational)
    )


def _irrational(values: Values) -> Fraction:
    raise IrrationalError
