"""Envelopes: the bounds hold at many numbers, and are free of steps."""

from __future__ import annotations

from fractions import Fraction

import pytest
from sympy import Expr, Max, Min, Rational, Symbol, ceiling, floor

from symroof.solve.envelopes import Envelope, envelope
from symroof.solve.nodes import Node, add, compile_nodes, has_steps, negate
from symroof.solve.pieces import Solver, divided
from symroof.solve.readers import Cell, CellReader, SplitError, Spot

u = Symbol("u", positive=True)

FORMULAS = [
    ceiling(u / 3),
    7 - 2 * floor(u / 4),
    ceiling(u / 3) * floor(u / 2 + Rational(1, 3)) - u,
    (u - 9) * ceiling(u / 5),
    Max(ceiling(u / 3), 4) - Min(floor(u), 7),
    ceiling(ceiling(u / 4) * 3 / 5) ** 2,
    (ceiling(u / 2) - 5) ** 2,
    (ceiling(u / 2) - 5) ** 3,
    10 / ceiling(u / 3),
    10 / floor(u / 3) - 1,
    (ceiling(u / 3) + 1) ** Rational(1, 2),
    2 ** ceiling(u / 6),
    Rational(1, 2) ** floor(u / 6),
    7 / (ceiling(u / 3) - 4),
    (ceiling(u / 3) - 4) ** -2 * (floor(u / 5) - 3),
]
PLACES = [Fraction(i, 6) for i in range(1, 180)]


def envelopes(formula: Expr) -> tuple[Solver, Node, list[tuple[Cell | Spot, Envelope | None]]]:
    """Return the formula and its envelopes on the cells where there is one each."""
    space, (node,) = compile_nodes([formula], u)
    solver = Solver(space)
    done: list[tuple[Cell | Spot, Envelope | None]] = []
    stack: list[Cell | Spot] = [Cell(Fraction(0), None)]
    while stack:
        where = stack.pop()
        if isinstance(where, Spot):
            continue
        try:
            done.append((where, envelope(solver.zeros, node, where)))
        except SplitError as split:
            stack += divided(where, split.places)
    return solver, node, done


@pytest.mark.parametrize("formula", FORMULAS, ids=str)
def test_the_formula_lies_between(formula: Expr) -> None:
    solver, node, cells = envelopes(formula)
    space = solver.space

    def at_least(left: Node, right: Node, place: Fraction) -> bool | None:
        return solver.holds_at([add(space, [left, negate(space, right)])], place)

    for where, both in cells:
        if both is None:
            continue
        below, above = both
        assert not has_steps(below)
        assert not has_steps(above)
        for place in PLACES:
            if not CellReader(solver.zeros, where).holds(place):
                continue
            if at_least(below, below, place):
                # Where the lower bound has a value, so has the formula.
                assert at_least(node, below, place), (where, place)
            if at_least(node, node, place) and at_least(above, above, place):
                assert at_least(above, node, place), (where, place)


def test_most_of_the_line_is_covered() -> None:
    for formula in FORMULAS:
        _, _, cells = envelopes(formula)
        assert cells[0][1] is not None
        assert cells[0][0].upper is None


def test_a_base_that_changes_sign_has_none_only_there() -> None:
    # ceil(u/3) - 4 is 0 for u in (9, 12]; the bounds u/3 - 4 and u/3 - 3 vanish at 12 and 9.
    _, _, cells = envelopes(1 / (ceiling(u / 3) - 4))
    without = [where for where, both in cells if both is None]
    assert without == [Cell(Fraction(9), Fraction(12))]
