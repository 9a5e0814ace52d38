from __future__ import annotations

import pytest
from sympy import Rational, S, sqrt

from symroof.solve.polynomials import UnsolvedError
from symroof.solve.segments import at_point, between, segments
from symroof.symbolic import parse, symbols

x = symbols("x")


def cut(
    formula: str, low: object = S.Zero, high: object = S.Infinity
) -> list[tuple[str, str, int]]:
    parts = segments(parse(formula), x, low, high)
    return [(str(part.lower), str(part.upper), part.sign) for part in parts]


def test_falls_then_rises() -> None:
    assert cut("2/x + x") == [("0", "sqrt(2)", -1), ("sqrt(2)", "oo", 1)]
    assert cut("2/x + x", S(2), S(5)) == [("2", "5", 1)]


def test_maxima_and_minima_inside_each_other() -> None:
    assert cut("max(min(6/x, 3), x)") == [("0", "2", 0), ("2", "sqrt(6)", -1), ("sqrt(6)", "oo", 1)]


def test_a_slope_that_touches_zero_is_no_turn() -> None:
    # x³ - 3x² + 3x: the slope is 3(x - 1)².
    assert cut("x**3 - 3*x**2 + 3*x") == [("0", "oo", 1)]


def test_parts_that_only_touch_do_not_change_places() -> None:
    # (x - 1)² ≥ 0, equal at the very number that is looked at first.
    assert cut("max(0, (x - 1)**2 - x + 2) + x") == cut("(x - 1)**2 + 2")
    assert cut("max(x, x + (x - 1)**2)") == [("0", "1/2", -1), ("1/2", "oo", 1)]


def test_level_parts_join() -> None:
    assert cut("max(3, min(x, 3)) + 1") == [("0", "oo", 0)]


def test_a_formula_without_value_somewhere() -> None:
    with pytest.raises(UnsolvedError, match="x - 5 can be 0 or less"):
        cut("1/(x - 5)")
    assert cut("1/(x - 5)", S(6)) == [("6", "oo", -1)]


def test_points() -> None:
    assert at_point(parse("x + 1/x"), x, sqrt(2)) == sqrt(2) + sqrt(2) / 2
    assert between(S.Zero, Rational(1, 3)) == Rational(1, 4)
    assert 2 < between(sqrt(5), S(3)) < 3
