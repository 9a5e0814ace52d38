"""Exact numbers: signs, whole parts and floats of numbers that need not be rational."""

from __future__ import annotations

from functools import lru_cache, reduce
from math import prod
from typing import Any, TypeAlias

from mpmath import libmp  # type: ignore[import-untyped]
from sympy import Add, Expr, Integer, Max, Min, Mul, Pow, S, Symbol, ceiling, expand, floor

from symroof.errors import InputError
from symroof.symbolic.functions import log2

Interval: TypeAlias = tuple[Any, Any]

MAX_BITS = 1_000_000
PRECISIONS = (64, 128, 512, 2048)
MAX_TERMS = 500
MAX_WHOLE_BITS = 20_000


def sign_of(number: Expr) -> int | None:
    """Return the sign of an exact real number, or None where it cannot be told.

    Rational numbers are decided at once, others by rigorous enclosures of growing precision;
    a number that may be zero is expanded, which decides sums of square roots.

    Parameters
    ----------
    number : Expr
        An expression without symbols, or an infinity.

    Returns
    -------
    int or None
        1, 0 or -1.

    Examples
    --------
    >>> from sympy import sqrt
    >>> sign_of(sqrt(2) - 1), sign_of((1 + sqrt(2)) ** 2 - 3 - 2 * sqrt(2))
    (1, 0)
    """
    if number.is_Rational:
        return int(number.p > 0) - int(number.p < 0)
    if number in (S.Infinity, S.NegativeInfinity):
        return 1 if number is S.Infinity else -1
    for bits in PRECISIONS:
        lower, upper = enclose(number, bits)
        if libmp.mpf_sign(lower) > 0:
            return 1
        if libmp.mpf_sign(upper) < 0:
            return -1
        if bits == PRECISIONS[1] and _expansion_terms(number) <= MAX_TERMS:
            opened = expand(number)
            if opened.is_Rational:
                return sign_of(opened)
    return None


def floor_of_number(number: Expr) -> Expr | None:
    """Return the largest integer that is at most `number`, or None where it cannot be told.

    Raises
    ------
    InputError
        If the number is irrational and its integer would have more than 20,000 bits.

    Examples
    --------
    >>> from sympy import Rational, sqrt
    >>> floor_of_number(Rational(-7, 2)), floor_of_number(sqrt(2) * 100)
    (-4, 141)
    """
    if number.is_Rational:
        return Integer(number.p // number.q)
    size = max(_magnitude(end) for end in enclose(number, PRECISIONS[0]))
    if size > MAX_WHOLE_BITS:
        raise InputError(f"a whole number of about {size:,} bits is too large to compute")
    for bits in PRECISIONS:
        lower, upper = (
            libmp.to_int(end, libmp.round_floor) for end in enclose(number, bits + max(size, 0))
        )
        if lower == upper:
            return Integer(lower)
    # The enclosure straddles an integer however fine it is: most likely it is that integer.
    sign = sign_of(Add(number, Integer(-upper)))
    return None if sign is None else Integer(upper if sign >= 0 else upper - 1)


def float_of_number(number: Expr) -> float:
    """Return the float nearest to an exact number; infinite only where it overflows.

    Examples
    --------
    >>> from sympy import Rational, sqrt
    >>> float_of_number(Rational(1, 10)), float_of_number(sqrt(2))
    (0.1, 1.4142135623730951)
    """
    if number.is_Rational:
        try:
            return float(number.p / number.q)
        except OverflowError:
            return float("inf") if number.p > 0 else float("-inf")
    if number in (S.Infinity, S.NegativeInfinity):
        return float("inf") if number is S.Infinity else float("-inf")
    ends = (0.0, 0.0)
    for bits in PRECISIONS:
        lower, upper = enclose(number, bits)
        ends = (libmp.to_float(lower, rnd="n"), libmp.to_float(upper, rnd="n"))
        if ends[0] == ends[1]:
            return ends[0]
    opened = sign_of(number)
    return 0.0 if opened == 0 else (ends[0] + ends[1]) / 2


def enclose(number: Expr, bits: int) -> Interval:
    """Return two ends (mpmath's raw numbers) that hold `number` between them.

    Parameters
    ----------
    number : Expr
        An expression without symbols.
    bits : int
        Working precision; the enclosure is rigorous at any.

    Raises
    ------
    InputError
        If the number is not real.
    """
    try:
        lower, upper = _enclose(number, bits)
        return lower, upper
    except libmp.ComplexResult:
        raise InputError(f"{shown(number)} is not a real number") from None


@lru_cache(maxsize=2048)
def _enclose(node: Expr, bits: int) -> Any:
    if node.is_Rational:
        return (
            libmp.from_rational(node.p, node.q, bits, libmp.round_floor),
            libmp.from_rational(node.p, node.q, bits, libmp.round_ceiling),
        )
    parts = [_enclose(arg, bits) for arg in node.args]
    if isinstance(node, Add):
        return reduce(lambda a, b: libmp.mpi_add(a, b, bits), parts)
    if isinstance(node, Mul):
        return reduce(lambda a, b: libmp.mpi_mul(a, b, bits), parts)
    if isinstance(node, Pow):
        if node.exp.is_Integer:
            return libmp.mpi_pow_int(parts[0], node.exp.p, bits)
        return libmp.mpi_pow(parts[0], parts[1], bits)
    if isinstance(node, log2):
        two = libmp.mpi_log((libmp.ftwo, libmp.ftwo), bits)
        return libmp.mpi_div(libmp.mpi_log(parts[0], bits), two, bits)
    if isinstance(node, floor):
        return tuple(libmp.mpf_floor(end) for end in parts[0])
    if isinstance(node, ceiling):
        return tuple(libmp.mpf_ceil(end) for end in parts[0])
    if isinstance(node, Max | Min):
        better = libmp.mpf_gt if isinstance(node, Max) else libmp.mpf_lt
        return reduce(
            lambda a, b: tuple(x if better(x, y) else y for x, y in zip(a, b, strict=True)), parts
        )
    raise InputError(f"{shown(node)} is not a number that can be compared")


def shown(expr: object, length: int = 60) -> str:
    """Return the text of `expr` for an error: short, and also when Python refuses to write it.

    Examples
    --------
    >>> shown(12), shown(10**5000)
    ('12', 'a number of thousands of digits')
    """
    # Sympy's printer takes a while to set up; sizes are mostly names and whole numbers.
    if isinstance(expr, Symbol) and not expr.is_Dummy:
        expr = expr.name
    elif isinstance(expr, Integer):
        expr = expr.p
    try:
        text = str(expr)
    except ValueError:
        return "a number of thousands of digits"
    return text if len(text) <= length else text[: length - 3] + "..."


def _magnitude(end: Any) -> int:
    _, mantissa, exponent, width = end
    return exponent + width if mantissa else 0


def _expansion_terms(node: Expr) -> int:
    """Return how many terms `node` may have once expanded (capped, to stay cheap)."""
    if isinstance(node, Add):
        return sum(_expansion_terms(arg) for arg in node.args)
    if isinstance(node, Mul):
        return min(prod(_expansion_terms(arg) for arg in node.args), 10 * MAX_TERMS)
    if isinstance(node, Pow) and node.exp.is_Integer:
        terms = _expansion_terms(node.base)
        return 1 if terms == 1 else min(terms ** min(abs(node.exp.p), 16), 10 * MAX_TERMS)
    return 1
