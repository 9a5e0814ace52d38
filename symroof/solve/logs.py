"""Logarithms of products as sums, so that the unknown stands in log2(unknown) alone."""

from __future__ import annotations

from sympy import Expr, Integer, Rational, Symbol

from symroof.symbolic.functions import log2
from symroof.symbolic.polynomial import fraction


def with_plain_logs(expr: Expr, unknown: Symbol) -> Expr:
    """Return `expr` with log2 of a monomial in the unknown written as a sum.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> n, k = symbols("n k")
    >>> with_plain_logs(log2(8 * n**2 / k), n)
    -log2(k) + 2*log2(n) + 3
    """
    if not expr.has(log2):
        return expr
    changes = {}
    for atom in expr.atoms(log2):
        arg = atom.args[0]
        if arg == unknown or not arg.has_free(unknown):
            continue
        over, under = fraction(arg)
        if not (over.is_monomial and under.is_monomial):
            continue
        total: Expr = Integer(0)
        for p, sign in ((over, 1), (under, -1)):
            ((powers, coefficient),) = p.terms.items()
            total = total + sign * log2(Rational(coefficient))
            for gen, power in zip(p.gens, powers, strict=True):
                base, exponent = gen.as_base_exp()
                total = total + sign * power * exponent * log2(base)
        changes[atom] = total
    return expr.xreplace(changes) if changes else expr
