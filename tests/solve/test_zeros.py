"""Which zeros are found for each kind of sum."""

from __future__ import annotations

from fractions import Fraction

import pytest
from sympy import Expr, Rational, Symbol, sqrt

from symroof.solve.evaluation import sign_at
from symroof.solve.nodes import Leaf, compile_nodes
from symroof.solve.points import closed_form
from symroof.solve.quotients import UnsolvableError
from symroof.solve.zeros import Zeros, powers_of_two
from symroof.symbolic.functions import log2

u = Symbol("u", positive=True)


def zeros(expr: Expr) -> list[Expr]:
    space, (node,) = compile_nodes([expr], u)
    assert isinstance(node, Leaf)
    return [closed_form(zero, space.power) for zero in Zeros(space).of(node.quotient.numerator)]


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        (u**2 - 2, [sqrt(2)]),
        (3 / u - 1, [3]),
        (u - 5 * sqrt(u) + 6, [4, 9]),
        (u ** Rational(2, 3) - 4, [8]),
        (u * log2(u) ** 2 - u, [Rational(1, 2), 2]),
        (log2(u) ** 2 - 2, [2 ** -sqrt(2), 2 ** sqrt(2)]),
        (u + 1, []),
    ],
)
def test_zeros(expr: Expr, expected: list[Expr]) -> None:
    assert zeros(expr) == expected


def test_squares_of_irrational_sums_include_the_zero() -> None:
    assert sqrt(2) * 3 / 2 in zeros(sqrt(2) * u - 3)


def test_one_zero_stays_one_object() -> None:
    space, (node,) = compile_nodes([2**u - 5 * u], u)
    assert isinstance(node, Leaf)
    terms = node.quotient.numerator
    known = Zeros(space)
    first = known.of(terms)
    twice = {key: -3 * c for key, c in terms.items()}
    assert all(a is b for a, b in zip(first, known.of(twice), strict=True))
    assert known.of(terms, (Fraction(1), Fraction(5)))[0] is first[0]
    assert known.includes(terms, first[1])


def test_powers_of_two_that_are_algebraic() -> None:
    (root,) = powers_of_two((-1, 2))
    assert closed_form(root) == sqrt(2)
    assert powers_of_two((6, -5, 1)) == [4, 8]


def test_degrees_out_of_reach_are_named() -> None:
    with pytest.raises(UnsolvableError, match="degree"):
        zeros(u**20000 - 3 * u + 1)


def test_a_zero_of_the_conjugate_is_no_zero() -> None:
    # u**2 - sqrt(2)*u - 1 = 0 at (sqrt(6) + sqrt(2))/2; with -sqrt(2) it would be 0 at 0.5176.
    space, (node,) = compile_nodes([u**2 - sqrt(2) * u - 1], u)
    assert isinstance(node, Leaf)
    found = Zeros(space)
    terms = node.quotient.numerator
    places = found.of(terms)
    assert [round(float(closed_form(place)), 6) for place in places] == [0.517638, 1.931852]
    assert [sign_at(space, terms, place) for place in places] == [-1, 0]
    assert not any(found.includes(terms, place) for place in places)
