"""Regions of positive numbers, against membership at points."""

from __future__ import annotations

import itertools

import pytest
from sympy import Expr, Integer, Rational, Symbol, sqrt

from symroof.errors import InputError, UnboundError
from symroof.symbolic.regions import Interval, Region, region_at_least, region_at_most

POINTS = [Rational(i, 2) for i in range(1, 24)] + [sqrt(2), sqrt(10), sqrt(50)]

LOW = Region((Interval(None, Integer(4), False, True),))
HIGH = Region((Interval(Integer(3), None, False, False),))
SURD = Region((Interval(sqrt(2), sqrt(50), True, False),))
DOT = Region((Interval.point(Integer(4)),))
TWO = Region(
    (Interval(Integer(1), Integer(2), True, True), Interval(Integer(5), Integer(7), False, True))
)
NAMED = {
    "low": LOW,
    "high": HIGH,
    "surd": SURD,
    "dot": DOT,
    "two": TWO,
    "all": Region.ALL,
    "none": Region.EMPTY,
}


@pytest.mark.parametrize(("a", "b"), list(itertools.product(NAMED, NAMED)))
def test_operations_are_those_of_sets(a: str, b: str) -> None:
    left, right = NAMED[a], NAMED[b]
    both, either, outside = left.intersect(right), left.union(right), left.complement()
    for point in POINTS:
        assert both.contains(point) == (left.contains(point) and right.contains(point))
        assert either.contains(point) == (left.contains(point) or right.contains(point))
        assert outside.contains(point) != left.contains(point)
    assert outside.complement() == left
    assert left.union(outside) == Region.ALL
    assert left.intersect(outside) == Region.EMPTY


def test_neighbours_join_and_points_fill_gaps() -> None:
    below = Region((Interval(None, Integer(3), False, False),))
    above = Region((Interval(Integer(3), None, False, False),))
    gap = below.union(above)
    assert len(gap.intervals) == 2
    assert gap.union(Region((Interval.point(Integer(3)),))) == Region.ALL
    assert gap.complement() == Region((Interval.point(Integer(3)),))


def test_equal_ends_written_differently_are_one() -> None:
    below = Region((Interval(None, sqrt(2) + 1, False, False),))
    above = Region((Interval(1 / (sqrt(2) - 1), None, True, False),))
    assert below.union(above) == Region.ALL


@pytest.mark.parametrize(
    ("region", "text"),
    [
        (region_at_least(345), "u ≥ 345"),
        (region_at_most(Rational(1, 3)), "u ≤ 1/3"),
        (LOW.intersect(HIGH), "3 < u ≤ 4"),
        (DOT, "u = 4"),
        (TWO, "1 ≤ u ≤ 2 or 5 < u ≤ 7"),
        (Region.ALL, "every u"),
        (Region.EMPTY, "no u"),
        (SURD, "sqrt(2) ≤ u < 5*sqrt(2)"),
    ],
)
def test_text(region: Region, text: str) -> None:
    assert region.text("u") == text


def test_text_in_decimals_and_shortened() -> None:
    assert SURD.text("u", digits=4) == "1.414 ≤ u < 7.071"
    assert region_at_least(123).text("u", digits=4) == "u ≥ 123"
    many = Region(tuple(Interval.point(Integer(i)) for i in range(1, 20)))
    assert many.text("n", limit=2) == "n = 1 or n = 2 or 17 more intervals"


def test_zero_and_below_are_never_in() -> None:
    assert not Region.ALL.contains(0)
    assert not LOW.contains(-1)


def test_symbolic_ends_are_kept_but_not_compared() -> None:
    end: Expr = Symbol("N", positive=True)
    region = region_at_least(2 * end)
    assert region.text("M") == "M ≥ 2*N"
    with pytest.raises(UnboundError, match="N"):
        region.contains(3)


def test_open_ends_cannot_belong() -> None:
    with pytest.raises(InputError, match="does not belong"):
        Interval(None, Integer(3), True, True)
