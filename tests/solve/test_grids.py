from __future__ import annotations

import pytest
from sympy import Rational, S, sqrt

from symroof.solve.grids import Grid, floor
from symroof.solve.located import root_expression
from symroof.solve.roots import positive_roots


def test_all_whole_numbers() -> None:
    grid = Grid.between(Rational(3, 2), Rational(21, 2))
    assert (grid.first, grid.last, grid.size, grid.ends()) == (2, 10, 9, [2, 10])
    assert grid.around(sqrt(30)) == [5, 6]
    assert grid.around(S(7)) == [7]
    assert grid.around(Rational(1, 2)) == [2]
    assert grid.around(S(50)) == [10]
    assert grid.runs(Rational(7, 2), S.Infinity) == [(4, 10)]


def test_without_end() -> None:
    grid = Grid.between(S.Zero, S.Infinity)
    assert (grid.first, grid.last, grid.size, grid.ends()) == (1, None, None, [1])
    assert grid.around(Rational(1, 3)) == [1]
    assert grid.runs(sqrt(10), S.Infinity) == [(4, None)]


def test_divisors() -> None:
    grid = Grid.between(S(2), S(100), S(360))
    assert grid.members is not None
    assert [n for n in range(2, 101) if 360 % n == 0] == list(grid.members)
    assert grid.around(S(13)) == [12, 15]
    assert grid.around(S(1)) == [2]
    assert grid.around(S(359)) == [90]
    assert grid.around(S(15)) == [15]
    assert grid.runs(S(14), S(20)) == [(15, 15), (18, 18), (20, 20)]


def test_empty() -> None:
    assert Grid.between(Rational(5, 4), Rational(7, 4)).is_empty
    assert Grid.between(S(5), S(7), S(16)).is_empty
    assert Grid.between(S(5), S(7), S(16)).ends() == []
    assert Grid.between(Rational(5, 4), Rational(7, 4)).around(Rational(3, 2)) == []


@pytest.mark.parametrize(
    ("number", "whole"),
    [(Rational(-7, 2), -4), (sqrt(2) * 10**20, 141421356237309504880), (S(3), 3), (-sqrt(2), -2)],
)
def test_floor(number: object, whole: int) -> None:
    assert floor(number) == whole


def test_floor_of_a_root() -> None:
    (root,) = positive_roots((-1, -1, 0, 1))  # 1.3247…
    assert floor(100 * root_expression(root)) == 132
