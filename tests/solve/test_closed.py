"""Zeros with logarithms of numbers in their coefficients, solved by hand."""

from __future__ import annotations

import math

import pytest
from sympy import Expr, Rational, S, Symbol, sqrt

from symroof.solve.closed import closed_zeros
from symroof.solve.nodes import Leaf, compile_nodes
from symroof.solve.points import closed_form
from symroof.symbolic.functions import log2

u = Symbol("u", positive=True)
R = Rational
L3, L5 = log2(S(3)), log2(S(5))


def zeros(expr: Expr) -> list[Expr] | None:
    space, (node,) = compile_nodes([expr], u)
    assert isinstance(node, Leaf)
    found = closed_zeros(space, node.quotient.numerator)
    return None if found is None else [closed_form(zero) for zero in found]


def test_linear() -> None:
    assert zeros(L3 * u - 7) == [7 / L3]
    assert zeros(L3 * u + 7) == []
    assert zeros(L3 / u - 7) == [L3 / 7]


def test_quadratic() -> None:
    found = zeros(u**2 - L3 * u - 1)
    assert found is not None
    assert [float(zero) for zero in found] == pytest.approx(
        [(math.log2(3) + math.sqrt(math.log2(3) ** 2 + 4)) / 2]
    )
    low, high = zeros(-(u**2) + 10 * L3 * u - L5) or (0, 0)
    assert float(low) < float(high)


def test_powers_of_two_come_out_whole() -> None:
    assert zeros(log2(u) - log2(S(6))) == [6]
    assert zeros(3 * log2(u) - log2(S(6)) - Rational(1, 2)) == [sqrt(2) * 3 ** Rational(1, 3)]
    assert zeros(log2(u) - L3 * L5) == [2 ** (L3 * L5)]


def test_other_sums_are_left_to_others() -> None:
    assert zeros(u**3 - L3) is None
    assert zeros(u**2 - 2) is None
    assert zeros(u * log2(u) - L3) is None


def test_linear_with_roots_of_numbers() -> None:
    assert zeros(sqrt(2) * u - u - sqrt(3)) == [sqrt(3) + sqrt(6)]
    assert zeros(S(2) ** R(1, 3) * u - 2) == [S(2) ** R(2, 3)]
    assert zeros(u - sqrt(2) * u - sqrt(3)) == []
    # A root of a polynomial serves better where the degree is two.
    assert zeros(u**2 - sqrt(2) * u - 1) is None
