"""Exact numbers as text for people."""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction
from math import isinf

from sympy import Expr, Integer, oo

MAX_PLAIN = 10**15
SMALL = Fraction(1, 10_000)


def number(value: int | float | Fraction | Expr, digits: int = 6) -> str:
    """Return a number with at most `digits` significant digits, for people.

    Integers below 10**15 are written in full; thousands are marked from 10,000 on; very large and
    very small values take an exponent.

    Parameters
    ----------
    value : int, float, Fraction or sympy number
        Any real number; irrational ones are evaluated first.
    digits : int
        Significant digits of a number that is not an integer.

    Examples
    --------
    >>> number(Fraction(10127360, 29359)), number(Fraction(19780, 67), 5)
    ('344.949', '295.22')
    >>> number(Fraction(48807643, 10)), number(Fraction(1234567, 100), 3)
    ('4,880,764', '12,346')
    >>> number(345), number(120000), number(1200000000000000), number(Fraction(1, 30000))
    ('345', '120,000', '1.2e+15', '3.33333e-05')
    """
    if value in (oo, -oo) or (isinstance(value, float) and isinf(value)):
        return "∞" if value > 0 else "-∞"
    exact = _exact(value, digits)
    if exact < 0:
        return "-" + number(-exact, digits)
    if exact.denominator == 1 and exact < MAX_PLAIN:
        return _marked(str(exact.numerator))
    if 1 <= exact < MAX_PLAIN:
        digits = max(digits, len(str(int(exact))))  # 4,880,764.3 is not 4,880,760
    rounded = Context(prec=digits).divide(Decimal(exact.numerator), Decimal(exact.denominator))
    if exact >= MAX_PLAIN or exact < SMALL:
        text = f"{rounded.normalize():e}"
        mantissa, exponent = text.split("e")
        return f"{mantissa}e{exponent[0]}{exponent[1:]:0>2}"
    whole, _, part = f"{rounded:f}".partition(".")
    part = part.rstrip("0")
    return _marked(whole) + (f".{part}" if part else "")


def _exact(value: int | float | Fraction | Expr, digits: int) -> Fraction:
    if isinstance(value, int | Fraction | Integer):
        return Fraction(int(value)) if not isinstance(value, Fraction) else value
    if isinstance(value, float):
        return Fraction(repr(value))
    if value.is_Rational:
        return Fraction(int(value.p), int(value.q))
    return Fraction(str(value.evalf(digits + 15)))


def _marked(whole: str) -> str:
    return f"{int(whole):,}" if len(whole) > 4 else whole
