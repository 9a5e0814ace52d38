"""Beyond the end, and before the start, a sum keeps its sign: checked by samples."""

from __future__ import annotations

from fractions import Fraction

import pytest
from sympy import Expr, Rational, Symbol

from symroof.solve.dominance import end_of_zeros, start_of_zeros
from symroof.solve.evaluation import sign_at
from symroof.solve.nodes import Leaf, compile_nodes
from symroof.solve.quotients import Space, Terms
from symroof.symbolic.functions import log2

u = Symbol("u", positive=True)
R = Rational

SUMS = [
    8 * (1 - R(7, 8) ** u) - u / 3 - 1,
    8 * u - 256 * (1 - R(31, 32) ** u),
    u**3 * R(9, 10) ** u - u**2 + 1000,
    u * log2(u) - 40 * u + 100,
    2**u - 3 ** (u / 2) * 100 - u**4,
    log2(u) ** 3 * u - 5 * u**2 + 7,
    u**2 * R(99, 100) ** u - 1,
    1000 * u - log2(u) ** 5,
]


def compiled(expr: Expr) -> tuple[Space, Terms]:
    space, (node,) = compile_nodes([expr], u)
    assert isinstance(node, Leaf)
    return space, node.quotient.numerator


@pytest.mark.parametrize("expr", SUMS, ids=str)
def test_the_sign_stays_beyond_the_end(expr: Expr) -> None:
    space, terms = compiled(expr)
    end = end_of_zeros(space, terms)
    factors = [
        Fraction(1),
        Fraction(101, 100),
        Fraction(3, 2),
        Fraction(3),
        Fraction(50),
        Fraction(997),
    ]
    assert len({sign_at(space, terms, end * factor) for factor in factors}) == 1


@pytest.mark.parametrize("expr", SUMS, ids=str)
def test_the_sign_stays_before_the_start(expr: Expr) -> None:
    space, terms = compiled(expr)
    start = start_of_zeros(space, terms, Fraction(1000))
    assert start > 0
    parts = [1, 2, 3, 10, 1000, 10**9]
    assert len({sign_at(space, terms, start / part) for part in parts}) == 1


def test_a_sum_that_starts_at_zero_is_decided_by_its_slope() -> None:
    # 8 - 256*ln(32/31) = -0.13: just after 0 the experts outweigh the tokens.
    space, terms = compiled(8 * u - 256 * (1 - R(31, 32) ** u))
    start = start_of_zeros(space, terms, Fraction(100))
    assert sign_at(space, terms, start / 7) == -1
