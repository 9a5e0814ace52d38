"""Enclosures: values lie inside, derivatives are those of the sums."""

from __future__ import annotations

import random
from fractions import Fraction

import mpmath
import pytest
from mpmath import libmp
from sympy import Expr, Rational, Symbol, lambdify, log, sqrt

from symroof.solve.enclosures import Enclosure, derivative, natural_logarithm
from symroof.solve.nodes import Leaf, compile_nodes
from symroof.symbolic.functions import log2

u = Symbol("u", positive=True)

SUMS = [
    3 * u**2 - 7 * u + Rational(1, 2),
    u * log2(u) ** 2 - 5 * log2(u),
    Rational(7, 8) ** u * u - 3 * 2**u + 1,
    sqrt(2) * u - sqrt(3) + log2(5 + 0 * u),
    3 ** (u / 2) - u**3,
]


def compiled(expr: Expr):  # type: ignore[no-untyped-def]
    space, (node,) = compile_nodes([expr], u)
    assert isinstance(node, Leaf)
    scale = node.quotient.denominator[0]
    function = lambdify(u, scale * expr.replace(log2, lambda x: log(x) / log(2)), "mpmath")
    return space, node.quotient.numerator, function


@pytest.mark.parametrize("expr", SUMS, ids=str)
def test_values_lie_inside(expr: Expr) -> None:
    space, terms, function = compiled(expr)
    source = random.Random(1)
    for _ in range(100):
        low = Fraction(source.randint(1, 4000), 100)
        high = low + Fraction(source.randint(0, 300), 100)
        inside = low + (high - low) * Fraction(source.randint(0, 8), 8)
        ends = Enclosure(space, terms).between(low, high, source.choice((20, 60, 200)))
        with mpmath.workdps(80):
            value = function(mpmath.mpf(inside.numerator) / inside.denominator)
            lower, upper = map(mpmath.make_mpf, ends)
            assert lower <= value * (1 + mpmath.mpf(10) ** -70) + mpmath.mpf(10) ** -70
            assert value <= upper + abs(upper) * mpmath.mpf(10) ** -70 + mpmath.mpf(10) ** -70


@pytest.mark.parametrize("expr", SUMS, ids=str)
def test_derivatives(expr: Expr) -> None:
    space, terms, function = compiled(expr)
    slope = Enclosure(space, derivative(space, terms))
    for place in (Fraction(1, 2), Fraction(3), Fraction(17, 2)):
        lower, upper = map(mpmath.make_mpf, slope.between(place, place, 120))
        with mpmath.workdps(40):
            exact = mpmath.diff(function, mpmath.mpf(place.numerator) / place.denominator)
        assert abs((lower + upper) / 2 / space.scale - exact) < 1e-9 * (1 + abs(exact))


def test_logarithms_are_around_the_true_value() -> None:
    for bits in (20, 64, 300):
        lower, upper = natural_logarithm(Fraction(7, 3), bits)
        with mpmath.workdps(120):
            true = mpmath.log(mpmath.mpf(7) / 3)
            assert mpmath.make_mpf(lower) < true < mpmath.make_mpf(upper)
        width = libmp.to_float(libmp.mpf_sub(upper, lower))
        assert width < 2.0 ** (12 - bits)
