"""Envelopes: the bounds hold at many numbers, and are free of steps."""

from __future__ import annotations

from fractions import Fraction

import pytest
from sympy import Max, Min, Rational, Symbol, ceiling, floor

from symroof.solve.envelopes import envelope
from symroof.solve.nodes import add, compile_nodes, has_steps, negate
from symroof.solve.pieces import Solver

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
]
PLACES = [Fraction(i, 6) for i in range(1, 180)]


@pytest.mark.parametrize("formula", FORMULAS, ids=str)
def test_the_formula_lies_between(formula) -> None:  # type: ignore[no-untyped-def]
    space, (node,) = compile_nodes([formula], u)
    both = envelope(space, node)
    assert both is not None
    below, above = both
    assert not has_steps(below)
    assert not has_steps(above)
    solver = Solver(space)
    for place in PLACES:
        if not solver.holds_at([add(space, [node, negate(space, node)])], place):
            continue  # no value there
        # Where the lower bound has a value, so has the formula, and it is at least that.
        low = add(space, [node, negate(space, below)])
        low_has_value = solver.holds_at([add(space, [below, negate(space, below)])], place)
        assert solver.holds_at([low], place) or not low_has_value
        high = add(space, [above, negate(space, node)])
        high_has_value = solver.holds_at([add(space, [above, negate(space, above)])], place)
        assert solver.holds_at([high], place) or not high_has_value


def test_the_lower_bound_has_no_value_where_the_formula_has_none() -> None:
    space, (node,) = compile_nodes([10 / floor(u / 3)], u)
    both = envelope(space, node)
    assert both is not None
    solver = Solver(space)
    for place in (Fraction(1), Fraction(5, 2)):
        assert not solver.holds_at([both[0]], place)


def test_a_base_that_may_change_sign_has_no_envelope() -> None:
    space, (node,) = compile_nodes([1 / (ceiling(u / 3) - 4)], u)
    assert envelope(space, node) is None
