"""The order of exact numbers."""

from __future__ import annotations

import pickle
from fractions import Fraction

import pytest
from sympy import Integer, Pow, Rational, Symbol, sqrt

from symroof.errors import UnboundError, UndecidedError
from symroof.solve.located import AlgebraicNumber, NumericRoot
from symroof.solve.roots import positive_roots
from symroof.symbolic.functions import log2
from symroof.symbolic.reals import number_enclosure, order

# x**3 - x - 1 has one real root, the plastic number 1.3247179572447460...
PLASTIC = AlgebraicNumber(positive_roots((-1, -1, 0, 1))[0])


@pytest.mark.parametrize(
    ("left", "right", "sign"),
    [
        (Rational(1, 3), Rational(1, 2), -1),
        (sqrt(2) + sqrt(3), sqrt(10), -1),
        (sqrt(2) + sqrt(3), sqrt(5 + 2 * sqrt(6)), 0),
        (log2(Integer(3)), Rational(8, 5), -1),
        (PLASTIC, Rational(13247, 10000), 1),
        (PLASTIC, Rational(13248, 10000), -1),
        (PLASTIC, sqrt(2), -1),
        (Pow(2, PLASTIC), Rational(5, 2), 1),
        (Pow(2, -PLASTIC), Rational(2, 5), -1),
        (2 * PLASTIC + 1, Rational(18, 5), 1),
    ],
)
def test_order(left, right, sign: int) -> None:  # type: ignore[no-untyped-def]
    assert order(left, right) == sign
    assert order(right, left) == -sign


def test_equal_roots_of_different_polynomials() -> None:
    # (x**3 - x - 1)*(x - 3) has the same root.
    other = [root for root in positive_roots((3, 2, -1, -3, 1)) if not isinstance(root, Fraction)]
    assert order(PLASTIC, AlgebraicNumber(other[0])) == 0


def test_a_surd_against_a_root_that_is_one() -> None:
    # x**4 - x**2 - 1: the root of the golden ratio, as a nested surd.
    (root,) = positive_roots((-1, 0, -1, 0, 1))
    golden = AlgebraicNumber(root)
    assert order(golden, sqrt((1 + sqrt(5)) / 2)) == 0


def test_located_numbers_behave_like_numbers() -> None:
    assert abs(float(PLASTIC) - 1.324717957244746) < 1e-15
    assert abs(float(PLASTIC**2 + 1) - 2.754877666246693) < 1e-12
    assert PLASTIC.is_positive
    assert str(PLASTIC + 1) == "1 + root(x**3 - x - 1, 1.32472)"
    assert pickle.loads(pickle.dumps(PLASTIC)) == PLASTIC
    bracket = NumericRoot(Fraction(3), Fraction(3) + Fraction(1, 2**80))
    assert pickle.loads(pickle.dumps(bracket)) == bracket
    assert order(bracket, Integer(4)) == -1
    assert float(NumericRoot(Fraction(10**400), Fraction(10**400 + 1))) == float("inf")
    with pytest.raises(UndecidedError):
        order(bracket, Integer(3) + Rational(1, 2**81))


def test_enclosures_are_around_the_number() -> None:
    lower, upper = number_enclosure(Pow(2, PLASTIC), 100)
    assert lower < upper
    assert upper - lower < Fraction(1, 2**90)
    assert abs(float(lower) - 2.0**1.324717957244746) < 1e-12


def test_symbols_cannot_be_ordered() -> None:
    with pytest.raises(UnboundError, match="N"):
        order(Symbol("N", positive=True), Integer(1))
