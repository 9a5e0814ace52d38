"""Pieces of the line, and the readers that decide them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import pytest
from sympy import Expr, Max, Symbol, ceiling, floor, sqrt

from symroof.solve.nodes import compile_nodes
from symroof.solve.pieces import Piece, Solver
from symroof.solve.readers import Cell, Spot, TooManyPiecesError

u = Symbol("u", positive=True)

LINE = Cell(Fraction(0), None)


def solve(*expressions: Expr, where: Cell | Spot = LINE, budget: int = 1000) -> Sequence[Piece]:
    space, nodes = compile_nodes(expressions, u)
    return Solver(space).pieces(nodes, where, budget=budget)


def test_pieces_cover_the_line_in_order() -> None:
    pieces = solve((u - 1) * (u - 2), 5 - u)
    assert pieces[0].where == Cell(Fraction(0), pieces[1].where.place)  # type: ignore[union-attr]
    for before, after in pairwise(pieces):
        if isinstance(before.where, Spot):
            assert isinstance(after.where, Cell)
            assert after.where.lower is before.where.place
        else:
            assert isinstance(after.where, Spot)
            assert before.where.upper is after.where.place
    assert pieces[-1].where.upper is None  # type: ignore[union-attr]


def test_truth_on_each_piece() -> None:
    pieces = solve((u - 1) * (u - 2))
    assert [piece.holds for piece in pieces] == [True, True, False, True, True]


def test_steps_between_irrational_ends() -> None:
    (lower,), (upper,) = (
        [piece.where.place for piece in solve(u**2 - n) if isinstance(piece.where, Spot)]
        for n in (3, 30)
    )
    pieces = solve(ceiling(u) - 4, where=Cell(lower, upper))
    places = [piece.where.place for piece in pieces if isinstance(piece.where, Spot)]
    assert places == [2, 3, 4, 5]
    assert [piece.holds for piece in pieces] == [False] * 4 + [True] * 5


def test_a_place_at_a_step_is_decided_there() -> None:
    space, nodes = compile_nodes([floor(u / 3) - 2, 3 - ceiling(u / 3)], u)
    solver = Solver(space)
    assert [solver.holds_at(nodes[:1], Fraction(n, 2)) for n in (11, 12, 13)] == [False, True, True]
    assert [solver.holds_at(nodes[1:], Fraction(n, 2)) for n in (17, 18, 19)] == [True, True, False]


def test_steps_of_irrational_places() -> None:
    space, nodes = compile_nodes([floor(sqrt(u)) - 3, 3 - ceiling(sqrt(u))], u)
    solver = Solver(space)
    assert solver.holds_at(nodes, Fraction(3))  # the variable is sqrt(u) = 3


def test_no_value_is_said_as_asked() -> None:
    space, nodes = compile_nodes([1 / (Max(u, 3) - 3)], u)
    solver = Solver(space)
    assert [piece.holds for piece in solver.pieces(nodes)] == [False, False, True]
    assert [piece.holds for piece in solver.pieces(nodes, undefined=True)] == [True, True, True]


def test_the_budget_is_kept() -> None:
    with pytest.raises(TooManyPiecesError):
        solve(ceiling(u) - u, where=Cell(Fraction(0), Fraction(10**6)))
    with pytest.raises(TooManyPiecesError):
        solve(ceiling(1 / u) - u, where=Cell(Fraction(0), Fraction(1)), budget=50)
