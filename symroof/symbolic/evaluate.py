"""Numbers for names: exact, all at once, and never silently nothing."""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Expr

from symroof.errors import UnboundError
from symroof.symbolic.adopt import adopt
from symroof.symbolic.build import rebuild
from symroof.symbolic.exact import float_of_number, shown
from symroof.symbolic.symbols import symbol


def bind(expr: Expr, values: Mapping[str, object]) -> Expr:
    """Return `expr` with names replaced by values, simultaneously and exactly.

    Parameters
    ----------
    expr : Expr
        An adopted expression.
    values : mapping of str to number, text or Expr
        What each name stands for. Names `expr` does not have are passed over.

    Returns
    -------
    Expr
        A number if nothing is left free.

    Raises
    ------
    InputError
        If a value cannot be read, or a power would have more than a million bits.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> M, N = symbols("M N")
    >>> bind(M + 10 * N, {"M": N, "N": M}), bind(M / N, {"M": 0.1, "N": 3})
    (10*M + N, 1/30)
    """
    given = {symbol(name): adopt(value, where=name) for name, value in values.items()}
    return rebuild(expr, lambda atom: given.get(atom, atom))


def value(expr: Expr) -> Expr:
    """Return the exact number `expr` stands for.

    Returns
    -------
    Expr
        A rational number, an irrational one such as sqrt(2), or an infinity.

    Raises
    ------
    UnboundError
        If symbols are left.

    Examples
    --------
    >>> from symroof.symbolic.parser import parse
    >>> value(parse("ceil(7/2)/3"))
    4/3
    >>> value(parse("M/3"))
    Traceback (most recent call last):
    symroof.errors.UnboundError: M/3 still depends on M; bind with .at(...)
    """
    if expr.is_Rational:
        return expr
    free = expr.free_symbols
    if free:
        what = shown(expr) if len(free) < 20 else "the formula"
        raise UnboundError(what, (atom.name for atom in free))
    return expr


def to_float(number: Expr) -> float:
    """Return the float nearest to an exact number; infinite only where it overflows.

    Examples
    --------
    >>> from sympy import Rational
    >>> to_float(Rational(10**400 + 1, 10**399))
    10.0
    """
    return float_of_number(value(number))
