from __future__ import annotations

import pytest
from sympy import Rational, sqrt

from symroof.solve.conditions import TRUE, Knowledge
from symroof.solve.shapes import POSITIVE
from symroof.solve.values import collected, powers_of, sign_polynomial, value_at, without_roots
from symroof.symbolic import parse, symbols
from symroof.symbolic.polynomial import Polynomial, fraction

a, b, c, x = symbols("a b c x")


def test_powers() -> None:
    found = powers_of(parse("(a + b*x**2 + c*x**2)/(2*x*c)"), x)
    assert found is not None
    assert found.keys() == {-1, 1}
    assert (found[Rational(1)] - (b + c) / (2 * c)).equals(0)
    assert powers_of(parse("1/(x + 1)"), x) is None
    assert powers_of(parse("max(a, x)"), x) is None


def test_collected() -> None:
    assert collected(parse("a*sqrt(x) + b*sqrt(x)"), x) == (a + b) * sqrt(x)
    assert collected(parse("log2(x)"), x) == parse("log2(x)")


@pytest.mark.parametrize(
    ("left", "right", "polynomial"),
    [
        ("2*sqrt(a*b)", "c", "4*a*b - c**2"),
        ("2*sqrt(a)*sqrt(b)", "sqrt(a)*c/sqrt(b)", "2*b - c"),
        ("(a/2)**(1/3)", "1", "a - 2"),
        ("a + b", "c", "a + b - c"),
    ],
)
def test_signs_without_roots(left: str, right: str, polynomial: str) -> None:
    found = sign_polynomial(parse(left), parse(right), Knowledge())
    assert found is not None
    assert found.expr() == parse(polynomial).expand()


def test_three_terms_keep_their_roots() -> None:
    p = fraction(sqrt(a) + b - c)[0]
    assert without_roots(p) == p


def test_a_condition_decides_a_maximum() -> None:
    knowledge = Knowledge()
    bigger = fraction(a - b)[0]
    condition = knowledge.narrowed(TRUE, bigger, POSITIVE)
    assert condition is not None
    formula = parse("max(a/x, b/x) + x")
    assert value_at(formula, x, c, condition, knowledge) == a / c + c
    assert str(value_at(formula, x, c, TRUE, knowledge)) == "c + Max(a/c, b/c)"


def test_nothing_but_the_sign_is_kept() -> None:
    assert without_roots(Polynomial.constant(-3)) == Polynomial.constant(-1)
