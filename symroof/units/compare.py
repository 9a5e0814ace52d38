"""Compare exact amounts: numbers always, formulas where signs decide."""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm

from sympy import Expr, Max, Min, Mul, Rational, S

from symroof.errors import InputError
from symroof.symbolic import exact, signs
from symroof.symbolic.build import subtract
from symroof.symbolic.polynomial import fraction
from symroof.symbolic.signs import Sign

_OF_NUMBER = {1: Sign.POSITIVE, 0: Sign.ZERO, -1: Sign.NEGATIVE, None: Sign.UNKNOWN}


def same(a: Expr, b: Expr) -> bool:
    """Return whether two expressions are equal, however they are written.

    Examples
    --------
    >>> from symroof.symbolic import adopt
    >>> same(adopt("M*(N + 1)"), adopt("M + M*N")), same(adopt("M"), adopt("N"))
    (True, False)
    """
    if a == b:
        return True
    if a.is_Rational and b.is_Rational:
        return False
    return difference(a, b) is Sign.ZERO


def constant(expr: Expr) -> int | Fraction | None:
    """Return the rational number an expression is whatever its symbols are, or None.

    Examples
    --------
    >>> from symroof.symbolic import adopt
    >>> constant(adopt("(2*M + 2*N)/(M + N)"))
    2
    """
    if expr.has(Max, Min):
        expr = _without_contents(expr)
    if not expr.is_Rational:
        try:
            above, below = fraction(expr)
        except InputError:
            return None
        if above.is_zero:
            return 0
        if above.terms.keys() != below.terms.keys():
            return None
        number, *others = {Fraction(above.terms[key], by) for key, by in below.terms.items()}
        if others:
            return None
        return int(number) if number.denominator == 1 else number
    return int(expr.p) if expr.q == 1 else Fraction(int(expr.p), int(expr.q))


def is_positive(a: Expr, b: Expr, counts: frozenset[str] = frozenset()) -> bool | None:
    """Return whether ``a > b`` for all positive symbols, and `counts` from 1; None if undecided."""
    return _POSITIVE[difference(a, b, counts)]


def is_negative(a: Expr, b: Expr, counts: frozenset[str] = frozenset()) -> bool | None:
    """Return whether ``a < b``; None if undecided."""
    return _POSITIVE[-difference(a, b, counts)]


def is_nonnegative(a: Expr, b: Expr, counts: frozenset[str] = frozenset()) -> bool | None:
    """Return whether ``a >= b``; None if undecided."""
    return _negated(_POSITIVE[-difference(a, b, counts)])


def is_nonpositive(a: Expr, b: Expr, counts: frozenset[str] = frozenset()) -> bool | None:
    """Return whether ``a <= b``; None if undecided."""
    return _negated(_POSITIVE[difference(a, b, counts)])


def difference(a: Expr, b: Expr, counts: frozenset[str] = frozenset()) -> Sign:
    """Return the proven sign of ``a - b``.

    Examples
    --------
    >>> from symroof.symbolic import adopt
    >>> difference(adopt("2*M"), adopt("M"))
    <Sign.POSITIVE: 'positive'>
    """
    if a == b:
        return Sign.ZERO
    for infinite, sign in ((S.Infinity, Sign.POSITIVE), (S.NegativeInfinity, Sign.NEGATIVE)):
        if a is infinite:
            return sign
        if b is infinite:
            return -sign
    rest = subtract(a, b)
    if rest.has(Max, Min):
        rest = _without_contents(rest)
    try:
        if not rest.free_symbols:
            return _OF_NUMBER[exact.sign_of(rest)]
        return signs.sign_of(rest, counts)
    except InputError:
        return Sign.UNKNOWN


def _without_contents(expr: Expr) -> Expr:
    """Take common numbers out of Max and Min: max(2*B, 4) and 2*max(B, 2) are then one formula."""
    if not expr.args:
        return expr
    args = [_without_contents(arg) for arg in expr.args]
    if not isinstance(expr, Max | Min):
        return expr.func(*args)
    numbers = [arg.as_content_primitive()[0] for arg in args if arg != 0]
    content = Rational(gcd(*(int(n.p) for n in numbers)), lcm(*(int(n.q) for n in numbers)))
    return Mul(content, expr.func(*(Mul(arg, 1 / content) for arg in args)))


_POSITIVE: dict[Sign, bool | None] = {
    Sign.POSITIVE: True,
    Sign.NEGATIVE: False,
    Sign.ZERO: False,
    Sign.NONPOSITIVE: False,
    Sign.NONNEGATIVE: None,
    Sign.UNKNOWN: None,
}


def _negated(found: bool | None) -> bool | None:
    return None if found is None else not found
