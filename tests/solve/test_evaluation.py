"""Signs at one place, where zero is the hard case."""

from __future__ import annotations

from fractions import Fraction

import pytest
from sympy import Expr, Rational, S, Symbol, sqrt

from symroof.solve.evaluation import sign_at
from symroof.solve.nodes import Leaf, compile_nodes, negate
from symroof.solve.pieces import Solver
from symroof.solve.points import PowerOfTwo, root_point
from symroof.symbolic.functions import log2

u = Symbol("u", positive=True)
R = Rational


def sign(expr: Expr, place: Fraction) -> int | None:
    space, (node,) = compile_nodes([expr], u)
    assert isinstance(node, Leaf)
    return sign_at(space, node.quotient.numerator, place)


@pytest.mark.parametrize(
    ("expr", "place", "expected"),
    [
        (u**2 - 2, Fraction(3, 2), 1),
        (2**u - 8, Fraction(3), 0),
        (2 ** (u / 2) - 2 * sqrt(2), Fraction(3), 0),
        (R(7, 8) ** u - R(49, 64), Fraction(2), 0),
        # 300*ln(10) = 690.775528 and -ln(0.999) = 0.00100050033: equal at 690430.08.
        (R(999, 1000) ** u - R(1, 10**300), Fraction(690430), 1),
        (R(999, 1000) ** u - R(1, 10**300), Fraction(690431), -1),
        (u * log2(u) - 24, Fraction(8), 0),
        (log2(u) - R(3, 2), Fraction(3), 1),
        (log2(S(3)) * u - 5, Fraction(3), -1),
        (sqrt(2) * u - sqrt(3), Fraction(1), -1),
        (sqrt(2) + sqrt(3) + sqrt(5) - u, Fraction(53823323, 10**7), 1),
        (sqrt(2) * sqrt(3) - sqrt(6) + u - 1, Fraction(1), 0),
    ],
)
def test_at_fractions(expr: Expr, place: Fraction, expected: int) -> None:
    assert sign(expr, place) == expected


def test_roots_of_sums_by_squaring() -> None:
    # sqrt(u**2 + 1) = 2u - 1 at 4/3; sqrt(u + sqrt(u)) = sqrt(6) at 4.
    for left, right, place in (
        (sqrt(u**2 + 1), 2 * u - 1, Fraction(4, 3)),
        (sqrt(u**2 + 2), u, Fraction(5)),
    ):
        space, nodes = compile_nodes([left - right, right - left], u)
        solver = Solver(space)
        both = [solver.holds_at([node], place) for node in nodes]
        assert both == [True, place == Fraction(4, 3)]


def test_at_irrational_places() -> None:
    two = root_point(Fraction(2), 2)
    space, (node,) = compile_nodes([u**4 - 4], u)
    assert isinstance(node, Leaf)
    assert sign_at(space, node.quotient.numerator, two) == 0
    space, (node,) = compile_nodes([log2(u) ** 2 - 2], u)
    assert isinstance(node, Leaf)
    terms = node.quotient.numerator
    assert sign_at(space, terms, PowerOfTwo(two, positive=True)) == 0
    assert sign_at(space, terms, PowerOfTwo(two, positive=False)) == 0
    assert sign_at(space, terms, two) == -1


def test_a_whole_unknown_under_a_root() -> None:
    # The variable is the square root of u; at u = 2 it is irrational, yet 2**u is 4.
    space, (node,) = compile_nodes([sqrt(u) * 2**u - 4 * sqrt(2)], u)
    assert isinstance(node, Leaf)
    assert sign_at(space, node.quotient.numerator, root_point(Fraction(2), 2)) == 0


@pytest.mark.parametrize(
    ("expr", "place", "expected"),
    [
        # (7 + 1)**(1/3) = 2, (15 + 1)**(1/4) = 2, by cubes and fourth powers.
        ((u + 1) ** R(1, 3) - 2, Fraction(7), 0),
        ((u + 1) ** R(1, 4) - 2, Fraction(15), 0),
        ((u + 1) ** R(1, 4) + 2, Fraction(15), 1),
        (2 * S(2) ** R(1, 3) - S(16) ** R(1, 3) + 0 * u, Fraction(1), 0),
    ],
)
def test_roots_of_higher_index(expr: Expr, place: Fraction, expected: int) -> None:
    assert solver_sign(expr, place) == expected


def solver_sign(expr: Expr, place: Fraction) -> int | None:
    space, (node,) = compile_nodes([expr], u)
    solver = Solver(space)
    at_least = solver.holds_at([node], place)
    at_most = solver.holds_at([negate(space, node)], place)
    return {(True, True): 0, (True, False): 1, (False, True): -1}.get((at_least, at_most))
