"""Root isolation, on polynomials whose roots are known and against sympy's own isolation."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import reduce

import pytest
from sympy import Poly, Symbol

from symroof.solve.roots import Root, positive_roots, simplest_between
from symroof.solve.univariate import multiply

X = Symbol("x")


def product(*factors: tuple[int, ...]) -> tuple[int, ...]:
    return reduce(multiply, factors, (1,))


@pytest.mark.parametrize(
    ("polynomial", "roots"),
    [
        ((-6, 2), [3]),
        ((5,), []),
        ((0, 0, -4, 1), [4]),
        ((6, -5, 1), [2, 3]),
        ((9, -6, 1), [3]),
        ((1, 0, 1), []),
        (product((-1, 3), (-1, 3), (-1, 3), (5, 1)), [Fraction(1, 3)]),
        (product((-1, 1), (-2, 1), (-3, 1), (-4, 1), (-5, 1)), [1, 2, 3, 4, 5]),
        (product((-7, 10), (-71, 101), (1, 1)), [Fraction(7, 10), Fraction(71, 101)]),
    ],
)
def test_rational_roots(polynomial: tuple[int, ...], roots: list[object]) -> None:
    assert list(positive_roots(polynomial)) == roots


def test_surds_are_left_of_degree_two() -> None:
    one, two = positive_roots(product((-1, 1), (-2, 0, 1)))
    assert one == 1
    assert isinstance(two, Root)
    assert two.polynomial == (-2, 0, 1)


def test_close_roots_are_told_apart() -> None:
    # (1000000x - 1000000)**2 = 2 and x = 1: three roots within 3 millionths.
    roots = positive_roots(product((-1, 1), (10**12 - 2, -2 * 10**12, 10**12)))
    assert [round((float(root) - 1) * 10**6, 3) for root in roots] == [-1.414, 0, 1.414]


def test_against_sympy() -> None:
    source = random.Random(7)
    for _ in range(120):
        factors = [
            (*(source.randint(-12, 12) for _ in range(source.randint(1, 4))), source.randint(1, 4))
            for _ in range(source.randint(1, 3))
        ]
        polynomial = product(*factors)
        expected = sorted(
            {float(root) for root in Poly(polynomial[::-1], X).real_roots() if root > 0}
        )
        found = [float(root) for root in positive_roots(polynomial)]
        assert found == pytest.approx(expected, rel=1e-9)


def test_signs_at_a_root_are_exact() -> None:
    (root,) = positive_roots((-2, 0, 1))
    assert root.sign_of((-2, 0, 1)) == 0
    assert root.sign_of(product((-2, 0, 1), (5, 1))) == 0
    # 665857/470832 is a convergent of the square root of 2, too large by 1.6e-12.
    assert root.sign_of((-665857, 470832)) == -1
    assert root.compare(Fraction(665857, 470832)) == -1
    assert root.compare(Fraction(470832, 332929)) == 1


def test_brackets_shrink_as_asked() -> None:
    (root,) = positive_roots((-5, 0, 0, 1))
    lower, upper = root.enclosure(200)
    assert lower**3 < 5 < upper**3
    assert upper - lower < Fraction(1, 2**199)


def test_simplest_fraction() -> None:
    for a, b in ((Fraction(314, 100), Fraction(315, 100)), (Fraction(1, 7), Fraction(1, 6))):
        best = simplest_between(a, b)
        assert a < best < b
        smaller = [
            Fraction(n, d)
            for d in range(1, best.denominator)
            for n in range(4 * d)
            if a < Fraction(n, d) < b
        ]
        assert smaller == []
