"""A closed form at one place, to hundreds of digits: where floats do not tell."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath  # type: ignore[import-untyped]
from sympy import Add, Expr, Max, Min, Mul, Pow, Symbol, ceiling, floor

from symroof.symbolic import log2

DIGITS = (100, 700)
SURE = 40
"""How many digits must tell a number from a whole one, or a sum from zero."""


class UnsureError(ArithmeticError):
    """It does not tell: a step at what may be a whole number, a difference of near numbers."""


def precisely(expr: Expr, name: str, x: Fraction) -> float:
    """Return the float of `expr` where the symbol `name` is `x`.

    Raises
    ------
    UnsureError
        If hundreds of digits do not tell it.
    ArithmeticError, ValueError
        If it has no real value there.

    Examples
    --------
    >>> from symroof.symbolic import parse
    >>> precisely(parse("log2(B + 1) - log2(B)"), "B", Fraction(10**20))
    1.4426950408889633e-20
    """
    for digits in DIGITS[:-1]:
        try:
            return _with_digits(expr, name, x, digits)
        except UnsureError:
            continue
    return _with_digits(expr, name, x, DIGITS[-1])


def _with_digits(expr: Expr, name: str, x: Fraction, digits: int) -> float:
    known: dict[Expr, Any] = {}

    def value(part: Expr) -> Any:
        if part not in known:
            known[part] = made(part)
        return known[part]

    def made(part: Expr) -> Any:
        if isinstance(part, Symbol) and part.name == name:
            return mpmath.mpf(x.numerator) / x.denominator
        if part.is_Rational:
            return mpmath.mpf(int(part.p)) / int(part.q)
        function = _FUNCTIONS.get(type(part))
        if function is None:
            raise UnsureError
        return function(*map(value, part.args))

    with mpmath.workdps(digits):
        found = value(expr)
        if not isinstance(found, mpmath.mpf):
            raise ValueError(f"{found} is not real")
        return float(found)


def _sum(*parts: Any) -> Any:
    found = mpmath.fsum(parts)
    if abs(found) < mpmath.mpf(10) ** -SURE * max(map(abs, parts)):
        raise UnsureError
    return found


def _certain(number: Any) -> Any:
    if abs(number - mpmath.nint(number)) <= mpmath.mpf(10) ** -SURE * max(1, abs(number)):
        raise UnsureError
    return number


_FUNCTIONS: dict[type, Callable[..., Any]] = {
    Add: _sum,
    Mul: lambda *parts: mpmath.fprod(parts),
    Pow: mpmath.power,
    Max: max,
    Min: min,
    ceiling: lambda number: mpmath.ceil(_certain(number)),
    floor: lambda number: mpmath.floor(_certain(number)),
    log2: lambda number: mpmath.log(number, 2),
}
