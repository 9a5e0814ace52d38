"""Bracketed zeros, on sums whose zeros are known or counted by samples."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import pytest
from sympy import Expr, Rational, Symbol

from symroof.solve.nodes import Leaf, compile_nodes
from symroof.solve.points import Crossing, Gap
from symroof.solve.quotients import Generator, Kind, UnsolvableError
from symroof.solve.transcendental import isolate
from symroof.symbolic.functions import log2

u = Symbol("u", positive=True)
R = Rational


def zeros(expr: Expr):  # type: ignore[no-untyped-def]
    space, (node,) = compile_nodes([expr], u)
    assert isinstance(node, Leaf)
    return isolate(space, node.quotient.numerator)


@pytest.mark.parametrize(
    ("expr", "exact"),
    [
        (2**u - u**2, [2, 4]),
        (2**u - u - 1, [1]),
        (u * log2(u) - 24, [8]),
        (R(1, 2) ** u - R(1, 8), [3]),
        (2**u + 1, []),
    ],
)
def test_whole_zeros_are_found_exactly(expr: Expr, exact: list[int]) -> None:
    assert zeros(expr) == exact


@pytest.mark.parametrize(
    ("expr", "function"),
    [
        (8 * (1 - R(7, 8) ** u) - u / 3 - 1, lambda x: 8 * (1 - 0.875**x) - x / 3 - 1),
        (u * log2(u) - 7 * u + 90, lambda x: x * math.log2(x) - 7 * x + 90),
        (u**3 * R(9, 10) ** u - u**2 + 1000, lambda x: x**3 * 0.9**x - x * x + 1000),
        (
            u * log2(u) * R(9, 10) ** u - 3 + u / 100,
            lambda x: x * math.log2(x) * 0.9**x - 3 + x / 100,
        ),
        (2 ** (u / 3) - 3 ** (u / 5) * 2 + 1, lambda x: 2 ** (x / 3) - 2 * 3 ** (x / 5) + 1),
    ],
)
def test_brackets_hold_the_sign_changes(expr: Expr, function) -> None:  # type: ignore[no-untyped-def]
    found = zeros(expr)
    samples = [i / 64 for i in range(1, 64 * 500)]
    changes = [(a, b) for a, b in pairwise(samples) if (function(a) < 0) != (function(b) < 0)]
    assert len(found) == len(changes)
    for zero, (a, b) in zip(found, changes, strict=True):
        assert isinstance(zero, Crossing)
        lower, upper = zero.enclosure(90)
        assert a - 1e-9 <= lower < upper <= b + 1e-9
        assert upper - lower <= lower / 2**90


def test_a_double_zero_is_a_gap_not_a_guess() -> None:
    (gap,) = zeros((2**u - 4) ** 2)
    assert isinstance(gap, Gap)
    assert gap.lower <= 2 <= gap.upper
    assert gap.upper - gap.lower < Fraction(1, 10**6)


def test_a_whole_zero_beside_a_crossing() -> None:
    # 3**u - 2**u - u**2 vanishes at 1, falls, and rises through zero again before 2.
    whole, crossing = zeros(3**u - 2**u - u**2)
    assert whole == 1
    assert isinstance(crossing, Crossing)
    assert 1 < crossing.lower < crossing.upper < 2


def test_roots_of_sums_are_refused() -> None:
    space, (node,) = compile_nodes([2**u], u)
    assert isinstance(node, Leaf)
    inside = space.add(space.variable(), space.number(Fraction(1)))
    radical = space.generator(Generator(Kind.RADICAL, positive=False, radicand=inside, index=2))
    with pytest.raises(UnsolvableError, match="root of a sum"):
        isolate(space, space.subtract(node.quotient, radical).numerator)
