"""The smaller and the larger of two sizes, without Min and Max wherever a sign proof decides."""

from __future__ import annotations

from sympy import Expr, Max, Min

from symroof.symbolic.signs import sign_of


def least(a: Expr, b: Expr) -> Expr:
    """Return min(a, b) for sizes whose symbols are all at least 1.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> P, C = symbols("P C")
    >>> least(C, P + C), least(P, C)
    (C, Min(C, P))
    """
    if at_most(a, b):
        return a
    return b if at_most(b, a) else Min(a, b)


def greatest(a: Expr, b: Expr) -> Expr:
    """Return max(a, b) for sizes whose symbols are all at least 1.

    Examples
    --------
    >>> from sympy import Integer
    >>> from symroof.symbolic.symbols import symbols
    >>> S = symbols("S")
    >>> greatest(Integer(0), S - 1)
    S - 1
    """
    if at_most(a, b):
        return b
    return a if at_most(b, a) else Max(a, b)


def at_most(a: Expr, b: Expr) -> bool:
    """Return whether a <= b is proved for all sizes of at least 1; False says only "not proved".

    Examples
    --------
    >>> from sympy import Integer
    >>> from symroof.symbolic.symbols import symbols
    >>> S = symbols("S")
    >>> at_most(Integer(1), S), at_most(Integer(2), S)
    (True, False)
    """
    gap = b - a
    if gap.is_Rational:
        return bool(gap >= 0)
    return sign_of(gap, frozenset(symbol.name for symbol in gap.free_symbols)).is_nonnegative
