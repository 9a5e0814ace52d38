"""Rigorous bounds of a formula as it stands, its names between bounds of their own."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import reduce
from typing import Any

from mpmath import libmp  # type: ignore[import-untyped]
from sympy import Expr, Max, Min, S, ceiling, floor, log

from symroof.solve.enclosures import MARGIN, ZERO, Raw, natural_logarithm, widened
from symroof.solve.quotients import UndefinedError
from symroof.symbolic.functions import log2
from symroof.symbolic.reals import Located

MAX_BITS = 32
TWO = Fraction(2)
ONE: Raw = (libmp.fone, libmp.fone)


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


def slope(expr: Expr, values: Mapping[str, Raw], bits: int) -> Raw:
    """Return numbers between which the derivative of a formula in one name lies.

    Parameters
    ----------
    expr : Expr
        A formula; its ceil and floor must not jump between the bounds.
    values : mapping of str to interval
        The bounds of its one name.
    bits : int
        Working precision.

    Raises
    ------
    UndefinedError
        If the formula has no value.
    UnboundedError
        If nothing can be said.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from symroof.solve.enclosures import raw
    >>> from symroof.symbolic.parser import parse
    >>> low, high = slope(parse("x**2 + x"), {"x": raw(Fraction(2), Fraction(3), 53)}, 53)
    >>> libmp.to_float(low), libmp.to_float(high)
    (5.0, 7.0)
    """
    if expr.is_Symbol:
        return ONE
    if not expr.free_symbols:
        return ZERO
    if expr.is_Add:
        parts = [slope(arg, values, bits) for arg in expr.args]
        return _checked(reduce(lambda a, b: libmp.mpi_add(a, b, bits), parts))
    if expr.is_Mul:
        value, rise = ONE, ZERO
        for arg in expr.args:
            factor = bounds(arg, values, bits)
            kept = libmp.mpi_mul(rise, factor, bits)
            new = libmp.mpi_mul(value, slope(arg, values, bits), bits)
            value, rise = libmp.mpi_mul(value, factor, bits), libmp.mpi_add(kept, new, bits)
        return _checked(rise)
    if isinstance(expr, Max | Min):
        # Almost everywhere it is the slope of one of them.
        lows, highs = zip(
            *(slope(arg, values, bits) for arg in _leading(expr, values, bits)), strict=True
        )
        low = reduce(lambda a, b: a if libmp.mpf_lt(a, b) else b, lows)
        return low, reduce(lambda a, b: a if libmp.mpf_gt(a, b) else b, highs)
    if isinstance(expr, ceiling | floor):
        low, high = bounds(expr, values, bits)
        if low != high:
            raise UnboundedError
        return ZERO
    if isinstance(expr, log2 | log):
        inner = _quotient(
            slope(expr.args[0], values, bits), bounds(expr.args[0], values, bits), bits
        )
        if isinstance(expr, log):
            return inner
        return _quotient(inner, natural_logarithm(TWO, bits), bits)
    if expr.is_Pow and expr.exp.is_Rational:
        base = bounds(expr.base, values, bits)
        less = expr.exp - 1
        power = _integer_power(base, int(less), bits) if less.is_Integer else None
        if power is None:
            power = _power(base, _rational(less, bits), bits)
        outer = libmp.mpi_mul(_rational(expr.exp, bits), power, bits)
        return _checked(libmp.mpi_mul(outer, slope(expr.base, values, bits), bits))
    if expr.is_Pow:
        # The derivative of a**b is a**b times that of b * ln(a).
        base, exponent = (bounds(arg, values, bits) for arg in expr.args)
        relative = _quotient(slope(expr.base, values, bits), base, bits)
        rise = libmp.mpi_add(
            libmp.mpi_mul(slope(expr.exp, values, bits), _logarithm(base, bits), bits),
            libmp.mpi_mul(exponent, relative, bits),
            bits,
        )
        return _checked(libmp.mpi_mul(_power(base, exponent, bits), rise, bits))
    raise UnboundedError


def _leading(expr: Expr, values: Mapping[str, Raw], bits: int) -> list[Expr]:
    """Return the arguments of a Max or Min that may be the one that counts."""
    found = [(arg, bounds(arg, values, bits)) for arg in expr.args]
    if isinstance(expr, Max):
        least = reduce(
            lambda a, b: a if libmp.mpf_gt(a, b) else b, [interval[0] for _, interval in found]
        )
        return [arg for arg, (_, high) in found if libmp.mpf_ge(high, least)]
    most = reduce(
        lambda a, b: a if libmp.mpf_lt(a, b) else b, [interval[1] for _, interval in found]
    )
    return [arg for arg, (low, _) in found if libmp.mpf_le(low, most)]


def _quotient(above: Raw, below: Raw, bits: int) -> Raw:
    low, high = _signs(below)
    if low <= 0 <= high:
        raise UnboundedError
    return _checked(libmp.mpi_div(above, below, bits))


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
    inverse: Raw = libmp.mpi_div(ONE, below, bits)
    return _checked(inverse)


def _power(base: Raw, exponent: Raw, bits: int) -> Raw:
    whole = _whole(exponent)
    if whole is not None:
        return _integer_power(base, whole, bits)
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


def _whole(interval: Raw) -> int | None:
    """Return the integer that an interval is, None where it is not one."""
    low, high = interval
    if low != high or libmp.mpf_floor(low) != low:
        return None
    return int(libmp.to_int(low)) if abs(low[2] + low[3]) <= MAX_BITS else None


def _logarithm(argument: Raw, bits: int) -> Raw:
    low, high = _signs(argument)
    if high <= 0:
        raise UndefinedError
    if low <= 0:
        raise UnboundedError
    found: Raw = widened(libmp.mpi_log(argument, bits + MARGIN), bits)
    return found
