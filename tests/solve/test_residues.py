"""Residues: each list of runs against the comparison at the numbers it stands for."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from sympy import Max, Rational, Symbol, ceiling, floor

from symroof.solve.nodes import add, compile_nodes, negate
from symroof.solve.pieces import Solver
from symroof.solve.residues import NotPeriodicError, by_residue
from symroof.symbolic.functions import log2

u = Symbol("u", positive=True)


def residues(left, right):  # type: ignore[no-untyped-def]
    space, (first, second) = compile_nodes([left, right], u)
    return by_residue(Solver(space), [add(space, [first, negate(space, second)])])


CASES = [
    (2 * ceiling(u / 2) - u, Rational(1, 2), lambda n: 2 * -(-n // 2) - n >= Fraction(1, 2), 2),
    (
        ceiling(ceiling(u / 4) * 3 / 5),
        u / 7 + 1,
        lambda n: -(-(-(-n // 4) * 3) // 5) >= Fraction(n, 7) + 1,
        20,
    ),
    (floor(u**2 / 6), u + 5, lambda n: n * n // 6 >= n + 5, 6),
    (
        Max(ceiling(u / 3), floor(u / 2)),
        u / 2,
        lambda n: max(-(-n // 3), n // 2) >= Fraction(n, 2),
        6,
    ),
    (
        10 / (ceiling(u / 3) - 2),
        1,
        lambda n: -(-n // 3) != 2 and Fraction(10, -(-n // 3) - 2) >= 1,
        3,
    ),
]


@pytest.mark.parametrize(("left", "right", "holds", "period"), CASES)
def test_runs_are_the_numbers_that_hold(left, right, holds, period: int) -> None:  # type: ignore[no-untyped-def]
    found = residues(left, Rational(right) if isinstance(right, int) else right)
    assert len(found) == period
    for n in range(1, 500):
        q = (n - 1) // period + 1
        member = any(
            low <= q and (high is None or q <= high) for low, high in found[(n - 1) % period]
        )
        assert member == holds(n), n


@pytest.mark.parametrize("step", [ceiling(100 / u), ceiling(log2(u)), ceiling(u / 99991)])
def test_what_has_no_short_period_is_refused(step) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(NotPeriodicError):
        residues(step, u)


def test_the_shortest_common_period_is_enough() -> None:
    assert len(residues(ceiling(u / 4) + ceiling(u / 6), u)) == 12
    assert math.lcm(4, 6) == 12
