"""Regions of positive numbers: membership, and their text."""

from __future__ import annotations

from fractions import Fraction

import pytest
from sympy import Expr, Integer, Rational, Symbol, sqrt

from symroof.errors import InputError, UnboundError
from symroof.solve.located import NumericRoot
from symroof.symbolic.regions import Interval, Region

LOW = Region((Interval(None, Integer(4), False, True),))
SURD = Region((Interval(sqrt(2), sqrt(50), True, False),))
DOT = Region((Interval.point(Integer(4)),))
TWO = Region(
    (Interval(Integer(1), Integer(2), True, True), Interval(Integer(5), Integer(7), False, True))
)


def at_least(end: Expr) -> Region:
    return Region((Interval(end, None, True, False),))


@pytest.mark.parametrize(
    ("region", "inside", "outside"),
    [
        (LOW, [Rational(1, 9), 1, 4], [0, -1, Rational(9, 2), sqrt(17)]),
        (SURD, [sqrt(2), 2, 7, 5 * sqrt(2) - Rational(1, 10**9)], [1, sqrt(50), 5 * sqrt(2), 8]),
        (DOT, [4], [Rational(7, 2), 5]),
        (TWO, [1, Rational(3, 2), 2, 6, 7], [Rational(1, 2), 3, 5, 8]),
        (Region.ALL, [Rational(1, 9), 10**30], [0, -1]),
        (Region.EMPTY, [], [1]),
    ],
)
def test_membership_is_exact(region: Region, inside: list[Expr], outside: list[Expr]) -> None:
    assert all(region.contains(point) for point in inside)
    assert not any(region.contains(point) for point in outside)


@pytest.mark.parametrize(
    ("region", "text"),
    [
        (at_least(Integer(345)), "u ≥ 345"),
        (Region((Interval(None, Rational(1, 3), False, True),)), "u ≤ 1/3"),
        (Region((Interval(Integer(3), Integer(4), False, True),)), "3 < u ≤ 4"),
        (DOT, "u = 4"),
        (TWO, "1 ≤ u ≤ 2 or 5 < u ≤ 7"),
        (Region.ALL, "every u"),
        (Region.EMPTY, "no u"),
        (SURD, "sqrt(2) ≤ u < 5*sqrt(2)"),
    ],
)
def test_text(region: Region, text: str) -> None:
    assert region.text("u") == text


def test_numbers_are_written_as_everywhere() -> None:
    assert SURD.text("u", digits=4) == "1.414 ≤ u < 7.071"
    assert at_least(Integer(123)).text("u", digits=2) == "u ≥ 123"
    assert at_least(Integer(1234567)).text("u", digits=6) == "u ≥ 1,234,567"
    assert at_least(Rational(123456789, 100)).text("u", digits=6) == "u ≥ 1,234,568"
    assert at_least(Rational(1, 30000)).text("u", digits=6) == "u ≥ 3.33333e-05"
    root = NumericRoot(Fraction(3, 2), Fraction(3, 2) + Fraction(1, 2**80))
    assert at_least(root).text("u", digits=6) == "u ≥ 1.5"


def test_many_intervals_are_shortened() -> None:
    many = Region(tuple(Interval.point(Integer(i)) for i in range(1, 20)))
    assert many.text("n", limit=2) == "n = 1 or n = 2 or 17 more intervals"


def test_symbolic_ends_are_kept_but_not_compared() -> None:
    end: Expr = Symbol("N", positive=True)
    region = at_least(2 * end)
    assert region.text("M") == region.text("M", digits=6) == "M ≥ 2*N"
    with pytest.raises(UnboundError, match="N"):
        region.contains(3)


def test_open_ends_cannot_belong() -> None:
    with pytest.raises(InputError, match="does not belong"):
        Interval(None, Integer(3), True, True)
