"""Rigorous bounds of a formula as it stands, its names between bounds of their own."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import reduce
from typing import Any

from mpmath import libmp  # type: ignore[import-untyped]
from sympy import Expr, Max, Min, S, ceiling, floor, log

from symroof.solve.enclosures import MARGIN, Raw, natural_logarithm, widened
from symroof.solve.quotients import UndefinedError
from symroof.symbolic.functions import log2
from symroof.symbolic.reals import Located

TWO = Fraction(2)


class UnboundedError(ArithmeticError):
    """A formula that may have no value, or any value, between the bounds of its names."""


def bounds(expr: Expr, values: Mapping[str, Raw], bits: int) -> Raw:
    """Return numbers between which a formula lies, rounded outwards.

    Parameters
    ----------
    expr : Expr
        Sums, products, powers, ceil, floor, Min, Max and logarithms.
    values : mapping of str to interval
        The bounds of each name.
    bits : int
        Working precision.

    Raises
    ------
    UndefinedError
        If it has no value: a division by zero, a root or logarithm of a negative number.
    UnboundedError
        If nothing can be said.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from symroof.solve.enclosures import raw
    >>> from symroof.symbolic.parser import parse
    >>> low, high = bounds(parse("(3/4)**x"), {"x": raw(Fraction(9, 2), Fraction(9, 2), 64)}, 64)
    >>> libmp.to_float(low) <= 0.75**4.5 <= libmp.to_float(high)
    True
    """
    if expr.is_Symbol:
        return values[expr.name]
    if expr.is_Rational:
        return _rational(expr, bits)
    if isinstance(expr, Located):
        ends = expr.enclosure(bits)
        low, high = (_raw_end(end, bits, up) for end, up in zip(ends, (False, True), strict=True))
        return low, high
    if expr in (S.Infinity, S.NegativeInfinity):
        end = libmp.finf if expr is S.Infinity else libmp.fninf
        return end, end
    if expr.is_Pow and expr.exp.is_Integer:
        return _integer_power(bounds(expr.base, values, bits), int(expr.exp), bits)
    parts = [bounds(arg, values, bits) for arg in expr.args]
    if expr.is_Add:
        return _checked(reduce(lambda a, b: libmp.mpi_add(a, b, bits), parts))
    if expr.is_Mul:
        return _checked(reduce(lambda a, b: libmp.mpi_mul(a, b, bits), parts))
    if expr.is_Pow:
        return _power(parts[0], parts[1], bits)
    if isinstance(expr, ceiling):
        return libmp.mpf_ceil(parts[0][0]), libmp.mpf_ceil(parts[0][1])
    if isinstance(expr, floor):
        return libmp.mpf_floor(parts[0][0]), libmp.mpf_floor(parts[0][1])
    if isinstance(expr, Max | Min):
        better = libmp.mpf_gt if isinstance(expr, Max) else libmp.mpf_lt
        lows, highs = zip(*parts, strict=True)
        low = reduce(lambda a, b: a if better(a, b) else b, lows)
        return low, reduce(lambda a, b: a if better(a, b) else b, highs)
    if isinstance(expr, log2 | log):
        found = _logarithm(parts[0], bits)
        if isinstance(expr, log):
            return found
        two = natural_logarithm(TWO, bits)
        quotient: Raw = libmp.mpi_div(found, two, bits)
        return quotient
    raise UnboundedError


def _rational(number: Expr, bits: int) -> Raw:
    return (
        libmp.from_rational(int(number.p), int(number.q), bits, libmp.round_floor),
        libmp.from_rational(int(number.p), int(number.q), bits, libmp.round_ceiling),
    )


def _raw_end(end: Any, bits: int, up: bool) -> Any:
    rounding = libmp.round_ceiling if up else libmp.round_floor
    return libmp.from_rational(end.numerator, end.denominator, bits, rounding)


def _checked(interval: Raw) -> Raw:
    if libmp.fnan in interval:
        raise UnboundedError
    return interval


def _signs(interval: Raw) -> tuple[int, int]:
    return libmp.mpf_sign(interval[0]), libmp.mpf_sign(interval[1])


def _integer_power(base: Raw, exponent: int, bits: int) -> Raw:
    if exponent >= 0:
        power: Raw = libmp.mpi_pow_int(base, exponent, bits)
        return _checked(power)
    low, high = _signs(base)
    if not low and not high:
        raise UndefinedError
    if low <= 0 <= high:
        raise UnboundedError
    below = libmp.mpi_pow_int(base, -exponent, bits)
    inverse: Raw = libmp.mpi_div((libmp.fone, libmp.fone), below, bits)
    return _checked(inverse)


def _power(base: Raw, exponent: Raw, bits: int) -> Raw:
    low, high = _signs(base)
    if high < 0:
        raise UndefinedError
    rising = _signs(exponent)[0] > 0
    if not high:
        if low or not (rising or _signs(exponent)[1] < 0):
            raise UnboundedError
        if not rising:
            raise UndefinedError
        return base
    if low <= 0:
        if low or not rising:
            raise UnboundedError
        return libmp.fzero, _power((base[1], base[1]), exponent, bits)[1]
    rate = libmp.mpi_mul(exponent, _logarithm(base, bits), bits + MARGIN)
    grown: Raw = widened(libmp.mpi_exp(rate, bits + MARGIN), bits)
    return _checked(grown)


def _logarithm(argument: Raw, bits: int) -> Raw:
    low, high = _signs(argument)
    if high <= 0:
        raise UndefinedError
    if low <= 0:
        raise UnboundedError
    found: Raw = widened(libmp.mpi_log(argument, bits + MARGIN), bits)
    return found
