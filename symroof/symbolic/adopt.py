"""One door for values from outside: whatever comes in leaves as an exact expression of ours."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from numbers import Integral, Real
from numbers import Rational as RationalNumber
from typing import Any

from sympy import (
    Add,
    Dummy,
    Expr,
    Float,
    Integer,
    Max,
    Min,
    Mul,
    Pow,
    Rational,
    S,
    Symbol,
    ceiling,
    floor,
    log,
)

from symroof.errors import InputError
from symroof.symbolic.build import is_canonical, log2_of, multiply, rebuild
from symroof.symbolic.exact import shown
from symroof.symbolic.functions import log2
from symroof.symbolic.parser import parse
from symroof.symbolic.symbols import symbol

MAX_NUMBER_BITS = 1_000_000
MAX_DECIMAL_EXPONENT = 20_000
EXPECTED = "expected + - * / ** with ceil floor min max log2 sqrt"

_OPERATIONS = (Add, Mul, Pow, ceiling, floor, Max, Min, log2)

# A natural logarithm is log2 times ln 2, which must cancel.
_NATURAL = Dummy("ln2", positive=True)
_LOGARITHMS = {log: lambda args: multiply([log2_of(args[0]), _NATURAL])}


def adopt(value: object, *, where: str | None = None) -> Expr:
    """Return `value` as an exact expression in our symbols.

    Parameters
    ----------
    value : int, float, Fraction, Decimal, numpy scalar, str or sympy Expr
        Floats are read as their shortest decimal (0.1 is 1/10), text by `parse`. Symbols of a
        sympy expression become ours by name, whatever was assumed of them.
    where : str, optional
        The place to name in an error.

    Returns
    -------
    Expr
        Made of sums, products, powers, ceil, floor, min, max, log2, symbols and exact numbers;
        infinity is accepted.

    Raises
    ------
    InputError
        For a bool, a complex number, NaN, an unsupported function, or any other type.

    Examples
    --------
    >>> from sympy import Symbol
    >>> adopt(0.1), adopt("2*M*N"), adopt(Symbol("B", integer=True)).is_positive
    (1/10, 2*M*N, True)
    """
    if type(value) is int and -(1 << 64) < value < 1 << 64:
        return Integer(value)
    if isinstance(value, str):
        return parse(value, where=where)
    try:
        if isinstance(value, Expr):
            return value if _is_ours(value) else _converted(value)
        return _number(value)
    except InputError as error:
        if where is None:
            raise
        raise InputError(str(error), where=where) from None
    except RecursionError:
        raise InputError("the expression is nested too deeply", where=where) from None


@lru_cache(maxsize=8192)
def _is_ours(expr: Expr) -> bool:
    """Tell whether nothing in `expr` needs conversion (cached: the usual case by far)."""
    pending = [expr]
    while pending:
        node = pending.pop()
        kind = type(node)
        if kind in _OPERATIONS:
            pending.extend(node.args)
        elif kind is Symbol:
            if node != symbol(node.name):
                return False
        elif not node.is_Rational and node not in (S.Infinity, S.NegativeInfinity):
            return False
    return _is_canonical(expr)


def _is_canonical(expr: Expr) -> bool:
    """Check powers on the way down, before a product above them can compute one."""
    pending = [expr]
    composite: list[Expr] = []
    while pending:
        node = pending.pop()
        if node.args:
            if isinstance(node, Pow) and not is_canonical(node):
                return False
            composite.append(node)
            pending.extend(node.args)
    return all(is_canonical(node) for node in composite if not isinstance(node, Pow))


def _converted(expr: Expr) -> Expr:
    _check_nodes(expr)
    found = rebuild(expr, _leaf, everywhere=True, other=_LOGARITHMS)
    if found.has(_NATURAL):
        raise InputError(
            f"{shown(expr)} has a natural logarithm; {EXPECTED} (write log2, or log(x)/log(2))"
        )
    return found


def _check_nodes(expr: Expr) -> None:
    pending: list[Any] = [expr]
    while pending:
        node = pending.pop()
        kind = type(node)
        if kind in _OPERATIONS or kind is log:
            pending.extend(node.args)
        elif node.args or not isinstance(node, Expr):
            raise InputError(f"{kind.__name__} is not supported in a formula; {EXPECTED}")


def _leaf(atom: Expr) -> Expr:
    if type(atom) is Symbol:
        return symbol(atom.name)
    if atom.is_Rational or atom is _NATURAL or atom in (S.Infinity, S.NegativeInfinity):
        return atom
    if isinstance(atom, Float):
        return _from_float(atom)
    if atom is S.ImaginaryUnit:
        raise InputError("a complex number is not supported in a formula")
    if atom in (S.NaN, S.ComplexInfinity):
        raise InputError(f"{shown(atom)} is not a number")
    if atom.is_number:
        raise InputError(
            f"the constant {shown(atom)} is not supported in a formula; expected an exact number,"
            f" or a symbol made by symbols({str(atom)!r})"
        )
    raise InputError(f"{type(atom).__name__} {shown(atom)} is not supported; {EXPECTED}")


def _from_float(number: Float) -> Expr:
    _, mantissa, exponent, width = number._mpf_
    if not mantissa:
        return S.Zero
    if abs(exponent + width) > MAX_DECIMAL_EXPONENT:
        raise InputError(f"the number {shown(number)} is out of range")
    if number._prec == 53 and abs(exponent + width) < 1000:
        return _rational(Fraction(repr(float(number))))
    return _rational(Fraction(str(number)))


def _number(value: object) -> Expr:
    if isinstance(value, bool) or type(value).__name__ in (
        "bool",
        "bool_",
        "BooleanTrue",
        "BooleanFalse",
    ):
        raise InputError(f"expected a number or a formula, not the bool {value}")
    if isinstance(value, Integral):
        return _rational(Fraction(int(value)))
    if isinstance(value, RationalNumber):
        return _rational(Fraction(int(value.numerator), int(value.denominator)))
    if isinstance(value, Decimal):
        if not value.is_finite():
            return _infinite(float(value))
        if abs(value.adjusted()) > MAX_DECIMAL_EXPONENT:
            raise InputError(f"the number {shown(value)} is out of range")
        return _rational(Fraction(value))
    if isinstance(value, Real):
        number = float(value)
        # str, not repr: numpy scalars of 16 and 32 bits print their own shortest decimal.
        return _rational(Fraction(str(value))) if math.isfinite(number) else _infinite(number)
    raise InputError(f"expected a number or a formula, not {type(value).__name__}")


def _infinite(number: float) -> Expr:
    if math.isnan(number):
        raise InputError("NaN is not a number")
    return S.Infinity if number > 0 else S.NegativeInfinity


def _rational(number: Fraction) -> Expr:
    if max(number.numerator.bit_length(), number.denominator.bit_length()) > MAX_NUMBER_BITS:
        raise InputError("a number of so many digits is out of range")
    return Rational(number.numerator, number.denominator)
