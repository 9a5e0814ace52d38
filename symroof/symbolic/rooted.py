"""Products of roots under one root: 2·√a·√b as 2·√(a·b)."""

from __future__ import annotations

from fractions import Fraction
from math import lcm

from sympy import Expr, Integer, Max, Min, Mul, S

from symroof.symbolic.build import multiply, power
from symroof.symbolic.factors import is_negative
from symroof.symbolic.forms import Call, Form, Number, Power, Product, Quotient, Sum
from symroof.symbolic.readable import readable
from symroof.symbolic.writer import Lead, Order

MAX_INDEX = 12
ONE = Number(Fraction(1))


def rooted(expr: Expr, lead: Lead = (), order: Order = ()) -> Form:
    """Return a formula as a display tree, the roots of each product under one.

    Parameters
    ----------
    expr : Expr
        Any exact expression.
    lead, order
        As for `readable`.

    Examples
    --------
    >>> from sympy import sqrt
    >>> from symroof.symbolic.symbols import symbols
    >>> a, b, c = symbols("a b c")
    >>> rooted(2 * sqrt(a) / sqrt(b) + c).unicode()
    'c + 2·√(a/b)'
    """
    if isinstance(expr, Max | Min):
        args = sorted((rooted(arg, lead, order) for arg in expr.args), key=Form.plain)
        return Call("max" if isinstance(expr, Max) else "min", tuple(args))
    if expr.is_Add and any(_split(term) for term in expr.args):
        terms = sorted(expr.args, key=lambda term: (_split(term) is not None, str(term)))
        plus = [rooted(term, lead, order) for term in terms if not is_negative(term)]
        minus = [rooted(-term, lead, order) for term in terms if is_negative(term)]
        return Sum(tuple(plus), tuple(minus))
    found = _split(expr)
    if found is None:
        return readable(expr, lead, order)
    outside, inside, index = found
    radicand = readable(inside, lead, order)
    root = Call("sqrt", (radicand,)) if index == 2 else Power(radicand, Number(Fraction(1, index)))
    return _times(readable(outside, lead, order), root)


def _split(expr: Expr) -> tuple[Expr, Expr, int] | None:
    """Return (outside, inside, index) of a product outside * inside**(1/index), else None."""
    outside: list[Expr] = []
    roots: list[tuple[Expr, Fraction]] = []
    for factor in Mul.make_args(expr):
        base, exponent = factor.as_base_exp()
        if not exponent.is_Rational or exponent.is_Integer:
            outside.append(factor)
            continue
        whole = int(exponent)  # towards 0
        if whole:
            outside.append(power(base, Integer(whole)))
        roots.append((base, Fraction(int(exponent.p), int(exponent.q)) - whole))
    index = lcm(*(exponent.denominator for _, exponent in roots))
    if not roots or index > MAX_INDEX:
        return None
    inside = multiply([power(base, Integer(int(exponent * index))) for base, exponent in roots])
    return multiply(outside or [S.One]), inside, index


def _times(outside: Form, root: Form) -> Form:
    if outside == ONE:
        return root
    if isinstance(outside, Quotient):
        return Quotient(_times(outside.over, root), outside.under)
    if isinstance(outside, Product):
        return Product((*outside.factors, root))
    return Product((outside, root))
