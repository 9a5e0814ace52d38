"""Which of several time terms is the largest: by exact numbers, or by signs."""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Expr

from symroof.errors import UnboundError
from symroof.symbolic.polynomial import fraction
from symroof.symbolic.signs import Sign, sign
from symroof.symbolic.symbols import symbol
from symroof.units import Scope


def largest(terms: Mapping[str, Expr], scope: Scope) -> tuple[str, ...]:
    """Return the names of the largest terms, several when they are equal; none without terms.

    Known rates are numbers; other free symbols are decided by signs where that is possible, for
    all values (1 or more for counts).

    Raises
    ------
    UnboundError
        If two terms compare differently for different values of the free symbols.

    Examples
    --------
    >>> from symroof.symbolic import symbols
    >>> n = symbols("n")
    >>> largest({"compute": n / 4, "memory": n / 3}, Scope())
    ('memory',)
    """
    known = {symbol(name): value for name, value in scope.values.items()}
    left = {name: term.xreplace(known) for name, term in terms.items() if term != 0}
    best: tuple[str, ...] = ()
    for name, term in left.items():
        if not best:
            best = (name,)
            continue
        difference = sign_of(term - left[best[0]], scope.counts)
        if difference is Sign.POSITIVE:
            best = (name,)
        elif difference is Sign.ZERO:
            best = (*best, name)
        elif difference is not Sign.NEGATIVE:
            free = {s.name for s in (term - left[best[0]]).free_symbols}
            raise UnboundError("the larger term", free)
    return best


def sign_of(expr: Expr, counts: frozenset[str]) -> Sign:
    """Return the sign of `expr` for all positive values of its symbols, counts from 1."""
    if expr.is_number:
        if expr == 0:
            return Sign.ZERO
        if expr.is_positive is None:
            return Sign.ZERO if expr.equals(0) else Sign.UNKNOWN
        return Sign.POSITIVE if expr.is_positive else Sign.NEGATIVE
    top, bottom = fraction(expr)
    below = sign(bottom, counts)
    if below is Sign.POSITIVE:
        return sign(top, counts)
    return sign(top * bottom, counts)
