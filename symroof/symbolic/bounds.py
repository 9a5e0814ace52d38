"""The smaller and the larger of two sizes, without Min and Max wherever a sign proof decides."""

from __future__ import annotations

from functools import lru_cache

from sympy import Expr, Max, Min

from symroof.errors import InputError
from symroof.symbolic.algebra import subtract
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


def at_most(a: Expr, b: Expr, counts: frozenset[str] | None = None) -> bool:
    """Return whether a <= b is proved for all positive values; False says only "not proved".

    Parameters
    ----------
    a, b : Expr
        Formulas.
    counts : frozenset of str, optional
        Names that are at least 1; all of their names by default.

    Examples
    --------
    >>> from sympy import Integer
    >>> from symroof.symbolic.symbols import symbols
    >>> S = symbols("S")
    >>> at_most(Integer(1), S), at_most(Integer(2), S), at_most(Integer(1), S, frozenset())
    (True, False, False)
    """
    gap = subtract(b, a)
    if gap.is_Rational:
        # Comparing sympy numbers takes ten times as long as looking at one.
        return bool(gap.p >= 0)
    if counts is None:
        counts = frozenset(symbol.name for symbol in gap.free_symbols)
    return _is_nonnegative(gap, counts)


@lru_cache(maxsize=4096)
def _is_nonnegative(gap: Expr, counts: frozenset[str]) -> bool:
    # Kept: a model compares the same slices in every layer.
    try:
        return sign_of(gap, counts).is_nonnegative
    except InputError:
        return False
