"""Parts of the line left by steps, and the whole numbers in them."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest
from sympy import Expr, Rational, Symbol, ceiling, floor

from symroof.solve.nodes import Node, add, compile_nodes, negate
from symroof.solve.pieces import Solver
from symroof.solve.readers import START, Cell
from symroof.solve.steps import decided, whole_numbers
from symroof.symbolic.functions import log2

u = Symbol("u", positive=True)
LINE = Cell(START, None)


def problem(left: Expr, right: Expr) -> tuple[Solver, tuple[Node, ...]]:
    space, (first, second) = compile_nodes([left, right], u)
    return Solver(space), (add(space, [first, negate(space, second)]),)


def test_bounds_leave_little_open() -> None:
    # ceil(u/100) >= u/99 fails for good from u = 9900 on, and is open only before.
    solver, nodes = problem(ceiling(u / 100), u / 99)
    parts = decided(solver, nodes, LINE)
    assert all(part.holds is not None for part in parts)
    assert parts[-1].where == Cell(Fraction(9900), None)
    assert parts[-1].holds is False


def test_parts_cover_the_line_in_order() -> None:
    for left, right in (
        (ceiling(5 / u) * ceiling(u / 2), u * ceiling(5 / u) / 3),
        (7 / (ceiling(u / 3) - 4), Rational(1, 2)),
        (floor(u / 3) * floor(u / 4), u * u / 13),
    ):
        solver, nodes = problem(left, right)
        parts = decided(solver, nodes, LINE)
        assert parts[0].where[0] == START
        assert parts[-1].where[-1] is None
        for before, after in itertools.pairwise(parts):
            assert before.where[-1] is after.where[0] or before.where[-1] == after.where[0]


def test_steps_that_settle_are_put_in() -> None:
    # Beyond 5, ceil(5/u) is 1, and what is left repeats with period 2.
    solver, nodes = problem(ceiling(5 / u) * (2 * ceiling(u / 2) - u), Rational(1, 2))
    parts = decided(solver, nodes, LINE)
    assert parts[-1].holds is None
    assert parts[-1].where == Cell(Fraction(5), None)
    found = whole_numbers(solver, parts)
    assert found is not None
    assert (found.first, found.total, found.period) == (1, math.inf, 2)
    assert found.intervals[:3] == ((1, 1), (3, 3), (5, 5))


@pytest.mark.parametrize(
    ("left", "right", "holds"),
    [
        # More steps than are cut one by one, over a bounded stretch.
        (
            Rational(100001, 100000) * 8 * ceiling(u / 8),
            u + 5,
            lambda n: Fraction(100001, 100000) * 8 * -(-n // 8) >= n + 5,
        ),
        (ceiling(900 / u) - u / 7, 3, lambda n: -(-900 // n) - Fraction(n, 7) >= 3),
        (10 / floor(u / 6), 2, lambda n: n >= 6 and Fraction(10, n // 6) >= 2),
        (
            ceiling(u / 5) * ceiling(40 / u),
            u / 3,
            lambda n: -(-n // 5) * -(-40 // n) >= Fraction(n, 3),
        ),
    ],
)
def test_whole_numbers(left: Expr, right: Expr, holds) -> None:  # type: ignore[no-untyped-def]
    solver, nodes = problem(left, Rational(right) if isinstance(right, int) else right)
    found = whole_numbers(solver, decided(solver, nodes, LINE))
    assert found is not None
    members = [n for n in range(1, 3000) if holds(n)]
    starts = [n for n in members if n - 1 not in set(members)]
    assert [low for low, _ in found.intervals] == starts[: len(found.intervals)]
    assert found.first == (members[0] if members else None)


def test_what_never_repeats_is_not_guessed() -> None:
    # The next power of two: its gaps double forever.
    solver, nodes = problem(2 ** ceiling(log2(u)), Rational(3, 2) * u)
    parts = decided(solver, nodes, LINE)
    assert parts[-1].holds is None
    assert whole_numbers(solver, parts) is None
