"""Read an amount: a text of number and unit, or a quantity of another Pint registry."""

from __future__ import annotations

import re
import sys
from typing import Any, NamedTuple

from sympy import Expr, Rational

from symroof.errors import InputError, UnitError
from symroof.symbolic.adopt import adopt
from symroof.units.registry import Dimension, parse_unit

MAX_DIGITS = 1000
MAX_EXPONENT = 1000

_DECIMAL = r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
AMOUNT = re.compile(rf"\s*([+-]?{_DECIMAL})(?:\s*/\s*(\d+)(?![\d.]))?\s*(.*)", re.ASCII | re.DOTALL)


class Amount(NamedTuple):
    """An exact expression in base units, and its dimension.

    Attributes
    ----------
    expr : Expr
        The value in base units.
    dimension : Dimension
        What it is in.
    factor : Expr
        Base units in one of the unit it was given in.
    """

    expr: Expr
    dimension: Dimension
    factor: Expr


def read_text(text: str) -> Amount:
    """Return the amount a text such as ``3.35 TB/s`` or ``1/3 GB`` states, exactly.

    Parameters
    ----------
    text : str
        A decimal number or a fraction, then a unit; no unit for a plain number.

    Raises
    ------
    InputError
        If the text does not begin with a number, or the number is too long.
    UnitError, UnknownNameError
        If what follows is no unit.

    Examples
    --------
    >>> read_text("3.35 TB/s").expr
    3350000000000
    """
    found = AMOUNT.fullmatch(text[: 3 * MAX_DIGITS])
    if not found or len(text) > 3 * MAX_DIGITS:
        raise InputError(
            f"expected a number and a unit such as '3.35 TB/s', got {_short(text)!r}"
            + _formula_hint(text)
        )
    above, below, rest = found.groups()
    if rest[:1] == ",":
        raise InputError(f"{_short(text)!r}: write the number without thousands separators")
    if rest[:1] in ("*", "+", "-", "^", "."):
        raise InputError(f"expected a number and a unit, got {_short(text)!r}{_formula_hint(text)}")
    number = _number(above, text) / _number(below or "1", text, denominator=True)
    factor, dimension = parse_unit("1" + rest if rest.startswith("/") else rest)
    size = Rational(factor)
    return Amount(number * size, dimension, size)


def read_unit(expr: Expr, unit: str) -> Amount:
    """Return `expr` times a unit.

    Examples
    --------
    >>> read_unit(Rational(3), "kB").expr
    3000
    """
    factor, dimension = parse_unit(unit)
    size = Rational(factor)
    return Amount(expr if size == 1 else expr * size, dimension, size)


def read_foreign(value: Any) -> Amount:
    """Return the amount of a quantity of some Pint registry, carried over as text.

    Raises
    ------
    UnknownNameError
        If its unit has no name here.
    UnitError
        If its magnitude is an array.

    Examples
    --------
    >>> import pint
    >>> read_foreign(pint.UnitRegistry().Quantity(2, "gigabyte")).expr
    2000000000
    """
    if getattr(value.magnitude, "ndim", 0):
        raise UnitError("an array of quantities; give one value at a time")
    unit = format(value.units, "")
    return read_unit(adopt(value.magnitude), "" if unit == "dimensionless" else unit)


def is_foreign(value: object) -> bool:
    """Return whether `value` is a Pint quantity; Pint is not loaded for the answer.

    Examples
    --------
    >>> is_foreign(3)
    False
    """
    pint = sys.modules.get("pint")
    return pint is not None and isinstance(value, pint.Quantity)


def _number(text: str, whole: str, *, denominator: bool = False) -> Expr:
    mantissa, _, exponent = text.lower().partition("e")
    if len(mantissa) > MAX_DIGITS or len(exponent) > 5 or abs(int(exponent or 0)) > MAX_EXPONENT:
        raise InputError(
            f"number too long, at most {MAX_DIGITS} digits and exponents to {MAX_EXPONENT}, "
            f"in {_short(whole)!r}"
        )
    number = Rational(text)
    if denominator and number == 0:
        raise InputError(f"division by zero in {_short(whole)!r}")
    return number


def _formula_hint(text: str) -> str:
    if re.search(r"[A-Za-z_]", text):
        return "; a formula takes its unit apart, as in Quantity('2*M*N', 'FLOP')"
    return ""


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."
