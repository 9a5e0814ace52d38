"""Quantities for people: a few digits and the prefix that suits them."""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction
from typing import TypeAlias

from sympy import S

from symroof.errors import SymroofError
from symroof.symbolic.exact import float_of_number
from symroof.symbolic.numerals import MAX_PLAIN, number
from symroof.units.quantity import Quantity
from symroof.units.registry import parse_unit


def human(q: Quantity, digits: int = 3) -> str:
    """Return a quantity as a person writes it; a formula where it is not a number yet.

    Parameters
    ----------
    q : Quantity
        Any quantity; one with symbols is printed as its formula.
    digits : int
        Significant digits. Numbers without prefix keep all digits before the point.

    Returns
    -------
    str
        Bytes, FLOPs, their rates, joules and watts with a decimal prefix, times in the unit that
        suits, all else in base units.

    Examples
    --------
    >>> human(Quantity("0.0000124 s")), human(Quantity("989e12 FLOP/s"))
    ('12.4 µs', '989 TFLOP/s')
    >>> human(Quantity("19780/67 FLOP/byte"), 5), human(Quantity("2*M", "FLOP"))
    ('295.22 FLOP/byte', '2*M FLOP')
    """
    try:
        return _written(q, max(1, digits))
    except SymroofError:  # too large to write out
        return f"(a long formula) {q.unit}".rstrip()


def _written(q: Quantity, digits: int) -> str:
    found = q.resolved().expr
    if not found.is_number:
        return str(q)
    base = "W" if q.unit == "J/s" else q.unit
    if found in (S.Infinity, S.NegativeInfinity):
        return f"{number(found)} {base}".rstrip()
    if found.is_Rational:
        value = Fraction(int(found.p), int(found.q))
    else:
        value = Fraction(repr(float_of_number(found)))
    for unit, least in _SCALES.get(q.unit, ()):
        whole = value / parse_unit(unit)[0]
        scaled = _rounded(whole, max(digits, _before_point(whole)))
        if abs(scaled) >= least:
            return f"{_text(scaled, digits)} {unit}"
    return f"{_text(value, digits)} {base}".rstrip()


Scales: TypeAlias = tuple[tuple[str, Fraction | int], ...]


def _large(unit: str) -> Scales:
    return tuple((prefix + unit, 1) for prefix in "YZEPTGMk")


def _small(unit: str) -> Scales:
    return (*((prefix + unit, 1) for prefix in "mµn"), ("p" + unit, Fraction(1, 1000)))


def _both(unit: str) -> Scales:
    return (*_large(unit), (unit, 1), *_small(unit))


_CLOCK: Scales = (("year", 2), ("day", 2), ("h", 2), ("min", 2), ("s", 1))

# From the largest unit down, each with the least number of it worth saying.
_SCALES: dict[str, Scales] = {
    "byte": _large("B"),
    "byte/s": _large("B/s"),
    "FLOP": _large("FLOP"),
    "FLOP/s": _large("FLOP/s"),
    "FLOP/J": _large("FLOP/J"),
    "FLOP/USD": _large("FLOP/USD"),
    "1/s": _large("Hz"),
    "J": _both("J"),
    "J/s": _both("W"),
    "J/FLOP": _both("J/FLOP"),
    "J/byte": _both("J/byte"),
    "s": (*_CLOCK, *_small("s")),
    "USD/s": (("USD/h", 0),),
}


def _rounded(value: Fraction, digits: int) -> Fraction:
    context = Context(prec=digits)
    return Fraction(context.divide(Decimal(value.numerator), Decimal(value.denominator)))


def _text(value: Fraction, digits: int) -> str:
    return number(value, max(digits, _before_point(value)))


def _before_point(value: Fraction) -> int:
    return len(str(abs(int(value)))) if abs(value) < MAX_PLAIN else 0
