"""Formulas as people write them: common factors out, ordered by the ridge, plus terms first."""

from __future__ import annotations

from sympy import Expr

from symroof.symbolic.forms import Comparison, Form, Relation
from symroof.symbolic.polynomial import Polynomial, fraction
from symroof.symbolic.quadratics import as_quadratic, quadratic
from symroof.symbolic.signs import Sign, sign, strip_positive
from symroof.symbolic.writer import Lead, Order, Writer

__all__ = ["Lead", "Order", "comparison", "quadratic", "ratio", "readable"]


def readable(expr: Expr | Polynomial, lead: Lead = (), order: Order = ()) -> Form:
    """Return a formula as a display tree.

    Common integers and monomials are divided out, sums are collected by the powers of the lead
    symbols, each part is factored, plus terms come first. Products that come factored stay so.
    Roots of quadratics are written with a, b and c.

    Parameters
    ----------
    expr : Expr or Polynomial
        Any exact expression.
    lead : sequence of Symbol
        The symbols to collect by, the first one first: the ridge, a peak. Rates (dotted names)
        follow them unasked.
    order : sequence of Symbol or str
        In which order names are written; the others follow the alphabet.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbol, symbols
    >>> M, N, K = symbols("M N K")
    >>> I = symbol("ridge.fp16")
    >>> form = readable(-K * N * I / (K * I + N * I - N * K))
    >>> form.plain(), form.unicode({"ridge.fp16": "I"})
    ('ridge.fp16*K*N/(K*N - ridge.fp16*(K + N))', 'I·K·N / (K·N − I·(K + N))')
    >>> readable(2 * M * N + 2 * N * K + 2 * M * K).plain()
    '2*(K*M + K*N + M*N)'
    """
    writer = Writer(lead, order)
    if isinstance(expr, Polynomial):
        return writer.polynomial(expr)
    return as_quadratic(expr, lead, order) or writer.form(expr)


def ratio(above: Polynomial, below: Polynomial, lead: Lead = (), order: Order = ()) -> Form:
    """Return the quotient of two polynomials as a display tree, as `readable` does.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> M, N = map(Polynomial.generator, symbols("M N"))
    >>> ratio(-2 * M * N, N - M * M).plain()
    '2*M*N/(M**2 - N)'
    """
    writer = Writer(lead, order)
    return writer.factored(writer.factoring.ratio(above, below))


def comparison(
    expr: Expr | Polynomial,
    relation: Relation | str,
    lead: Lead = (),
    order: Order = (),
    counts: frozenset[str] = frozenset(),
) -> Comparison:
    """Return `expr relation 0` with only plus terms on both sides and positive factors gone.

    Parameters
    ----------
    expr : Expr or Polynomial
        What is compared with 0.
    relation : Relation or str
        One of > >= < <= = !=.
    lead, order
        As for `readable`.
    counts : frozenset of str
        Names of the symbols that are at least 1.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> N, K, I = symbols("N K I")
    >>> comparison(2 * N**2 * K - 2 * N * I * (N + K), ">", lead=[I]).plain()
    'K*N > I*(K + N)'
    """
    if isinstance(expr, Polynomial):
        p = expr
    else:
        p, below = fraction(expr)
        if sign(below, counts) is not Sign.POSITIVE:
            p = p * below
    writer = Writer(lead, order)
    p = strip_positive(p, counts)
    factors = writer.factoring.split(p) if p.terms else [p]
    if len(factors) > 1:
        p = Polynomial.constant(1, p.gens)
        for factor in factors:
            own = sign(factor, counts)
            if own is Sign.NEGATIVE:
                p = -p
            elif own is not Sign.POSITIVE:
                p = p * factor
    left = Polynomial(p.gens, {powers: c for powers, c in p.terms.items() if c > 0})
    right = Polynomial(p.gens, {powers: -c for powers, c in p.terms.items() if c < 0})
    return Comparison(writer.polynomial(left), Relation(relation), writer.polynomial(right))
