"""Steps at the ends of the line."""

from __future__ import annotations

from fractions import Fraction

import pytest
from sympy import Expr, Rational, Symbol, ceiling, floor

from symroof.solve.nodes import Leaf, compile_nodes, has_steps
from symroof.solve.readers import START, Cell, SplitError
from symroof.solve.settling import settled
from symroof.solve.zeros import Zeros
from symroof.symbolic.functions import log2

u = Symbol("u", positive=True)


def settle(expr: Expr, cell: Cell):  # type: ignore[no-untyped-def]
    space, (node,) = compile_nodes([expr], u)
    return settled(Zeros(space), node, cell)


@pytest.mark.parametrize(
    ("expr", "place"),
    [
        (ceiling(5 / u), 5),
        (floor(5 / u), 5),
        (ceiling((3 * u + 1) / (u + 2)), None),  # below 3, above 5/2 from u = 8 on; 2 at u = 3
        (ceiling(2 - 7 / u), 7),
    ],
)
def test_where_a_step_settles_at_infinity(expr: Expr, place: int | None) -> None:
    with pytest.raises(SplitError) as split:
        settle(expr, Cell(Fraction(1, 10), None))
    (found,) = split.value.places
    assert found == (3 if place is None else place)
    assert isinstance(settle(expr, Cell(found, None)), Leaf)


def test_constants_beyond() -> None:
    cell = Cell(Fraction(100), None)
    assert settle(ceiling(5 / u), cell).quotient.constant == 1
    assert settle(floor(5 / u), cell).quotient.constant == 0
    assert settle(ceiling(3 + 5 / u), cell).quotient.constant == 4
    assert settle(floor(3 - 5 / u), cell).quotient.constant == 2


def test_steps_settle_at_zero_too() -> None:
    with pytest.raises(SplitError) as split:
        settle(ceiling(u / 3), Cell(START, Fraction(50)))
    assert split.value.places == [3]
    assert settle(ceiling(u / 3), Cell(START, Fraction(3))).quotient.constant == 1


@pytest.mark.parametrize("expr", [ceiling(u / 3), ceiling(log2(u)), ceiling(u / 3 + 1 / u)])
def test_what_goes_on_is_left_alone(expr: Expr) -> None:
    assert has_steps(settle(expr, Cell(Fraction(7), None)))


def test_a_step_of_a_settled_step_settles() -> None:
    inner = ceiling(ceiling(5 / u) * Rational(7, 2))
    assert settle(inner, Cell(Fraction(5), None)).quotient.constant == 4
