"""Values of formulas at points in closed form, and the signs of what is made of such values."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, lcm

from sympy import Add, Expr, Max, Mul, Rational, Symbol

from symroof.errors import InputError
from symroof.solve.conditions import Condition, Knowledge
from symroof.solve.ends import Ratio
from symroof.solve.shapes import NEGATIVE, POSITIVE
from symroof.symbolic.build import add, maximum, multiply, power
from symroof.symbolic.evaluate import bind
from symroof.symbolic.generators import root_of
from symroof.symbolic.polynomial import Polynomial, fraction
from symroof.symbolic.signs import strip_positive

MAX_ROOT = 12
ONE = Polynomial.constant(1)


def value_at(
    expr: Expr, unknown: Symbol, point: Expr, condition: Condition, knowledge: Knowledge
) -> Expr:
    """Return a formula at a point, with the maxima that a condition decides written out.

    Parameters
    ----------
    expr : Expr
        The formula.
    unknown : Symbol
        What the point is put in for.
    point : Expr
        A formula free of the unknown.
    condition : Condition
        What is known to hold.
    knowledge : Knowledge
        What is known of signs.

    Examples
    --------
    >>> from symroof.symbolic.parser import parse
    >>> x = Symbol("x", positive=True)
    >>> value_at(parse("(a + c)/x + b*x"), x, parse("sqrt((a + c)/b)"), Condition(), Knowledge())
    2*sqrt(b)*sqrt(a + c)
    """
    if not expr.has_free(unknown):
        return expr
    if not expr.has(Max):
        return bind(collected(expr, unknown), {unknown.name: point})
    parts = [value_at(arg, unknown, point, condition, knowledge) for arg in expr.args]
    if isinstance(expr, Add):
        return add(parts)
    if isinstance(expr, Mul):
        return multiply(parts)
    if isinstance(expr, Max):
        return maximum(_undominated(parts, condition, knowledge))
    return bind(expr, {unknown.name: point})


def collected(expr: Expr, unknown: Symbol) -> Expr:
    """Return a sum of powers of the unknown with one coefficient for each, else the formula.

    Examples
    --------
    >>> from symroof.symbolic.parser import parse
    >>> collected(parse("a/x + c*x + b/x"), Symbol("x", positive=True))
    c*x + (a + b)/x
    """
    found = powers_of(expr, unknown)
    if found is None:
        return expr
    return add([multiply([factor, power(unknown, exp)]) for exp, factor in found.items()])


def powers_of(expr: Expr, unknown: Symbol) -> dict[Rational, Expr] | None:
    """Return the coefficient of each power of the unknown, where a formula is a sum of those.

    Examples
    --------
    >>> from symroof.symbolic.parser import parse
    >>> powers_of(parse("a/x**2 + b*sqrt(x)"), Symbol("x", positive=True))
    {-2: a, 1/2: b}
    """
    over, under = fraction(expr)
    inside = {*over.opaque(unknown), *under.opaque(unknown)}
    if any(root_of(gen)[0] != unknown for gen in inside):
        return None
    gen = next((gen for gen in over.gens if root_of(gen)[0] == unknown), unknown)
    below = under.coefficients(gen)
    if len(below) != 1:
        return None
    ((shift, divisor),) = below.items()
    root = root_of(gen)[1]
    return {
        Rational(exponent - shift, root): Ratio(coefficient, divisor).expr
        for exponent, coefficient in over.coefficients(gen).items()
    }


def sign_polynomial(left: Expr, right: Expr, knowledge: Knowledge) -> Polynomial | None:
    """Return a polynomial with the sign of left - right; None where none is found.

    Two terms that are compared lose their roots: 2·√(a·b) ≥ c becomes 4·a·b ≥ c².

    Examples
    --------
    >>> from symroof.symbolic.parser import parse
    >>> sign_polynomial(parse("2*sqrt(a*b)"), parse("c"), Knowledge())
    Polynomial(4*a*b - c**2)
    """
    try:
        over, under = fraction(left - right)
    except InputError:
        return None
    sign = knowledge.signs(under)
    if sign not in (POSITIVE, NEGATIVE):
        return None
    return without_roots(over if sign == POSITIVE else -over, knowledge.counts)


def without_roots(p: Polynomial, counts: frozenset[str] = frozenset()) -> Polynomial:
    """Return a polynomial of the same sign, without roots where that can be.

    Both sides of a difference of two terms are raised to a power.

    Examples
    --------
    >>> from sympy import sqrt
    >>> from symroof.symbolic.symbols import symbols
    >>> without_roots(fraction(sqrt(symbols("M")) - 3)[0])
    Polynomial(M - 9)
    """
    p = strip_positive(p, counts)
    roots = {gen: root_of(gen) for gen in p.used()}
    index = 1
    for at, gen in enumerate(p.gens):
        if gen in roots:
            root = roots[gen][1]
            index = lcm(index, *(root // gcd(root, powers[at]) for powers in p.terms))
    if all(root == 1 for _, root in roots.values()) or index > MAX_ROOT:
        return p
    if index > 1 and (len(p.terms) != 2 or not min(p.terms.values()) < 0 < max(p.terms.values())):
        return p
    result = Polynomial.constant(0)
    for powers, coefficient in p.terms.items():
        term = Polynomial.constant(abs(coefficient) ** index)
        for gen, exponent in zip(p.gens, powers, strict=True):
            if exponent:
                atom, root = roots[gen]
                factor, divisor = fraction(atom)
                if divisor != ONE:
                    return p
                term = term * factor ** (exponent * index // root)
        result = result + (term if coefficient > 0 else -term)
    return strip_positive(result, counts)


def _undominated(values: Sequence[Expr], condition: Condition, knowledge: Knowledge) -> list[Expr]:
    """Drop the values that are known to be at most another one."""
    kept = list(dict.fromkeys(values))
    for value in list(kept):
        for other in kept:
            if other is value:
                continue
            gap = sign_polynomial(other, value, knowledge)
            if gap is not None and knowledge.narrowed(condition, gap, NEGATIVE) is None:
                kept.remove(value)
                break
    return kept
