"""Places on the line: their order and their whole parts."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from sympy import Integer, sqrt

from symroof.errors import UndecidedError
from symroof.solve.points import (
    Closed,
    Crossing,
    PowerOfTwo,
    between,
    closed_form,
    compare,
    floor_of_power,
    root_point,
)
from symroof.solve.roots import positive_roots
from symroof.symbolic.functions import log2

TWO = root_point(Fraction(2), 2)
GOLDEN = positive_roots((-1, -1, 1))[0]


def halved(lower: Fraction, upper: Fraction) -> tuple[Fraction, Fraction]:
    """Close in on 8/5 from a bracket around it."""
    target = Fraction(8, 5)
    middle = (lower + upper) / 2
    return (middle, upper) if middle < target else (lower, middle)


def test_order_across_kinds() -> None:
    crossing = Crossing(Fraction(1), Fraction(2), halved, 1)
    increasing = [
        Fraction(1, 4),
        PowerOfTwo(TWO, positive=False),  # 2**-1.414 = 0.3752
        Fraction(1),
        TWO,  # 1.41421
        Fraction(3, 2),
        Closed(log2(Integer(3))),  # 1.58496
        crossing,  # 1.6
        GOLDEN,  # 1.61803
        PowerOfTwo(TWO, positive=True),  # 2.665
    ]
    for left, right in pairwise(increasing):
        assert compare(left, right) == -1
        assert compare(right, left) == 1
        assert compare(left, left) == 0
        middle = between(left, right)
        assert compare(left, middle) == compare(middle, right) == -1


def test_equal_numbers_of_different_kinds() -> None:
    assert compare(Closed(sqrt(2)), TWO) == 0
    assert compare(root_point(Fraction(4), 4), TWO) == 0
    assert compare(PowerOfTwo(TWO, positive=True), PowerOfTwo(Fraction(7, 5), positive=True)) == 1


def test_numeric_equality_is_never_claimed() -> None:
    crossing = Crossing(Fraction(1), Fraction(2), halved, 1)
    with pytest.raises(UndecidedError):
        compare(crossing, Fraction(8, 5))


@pytest.mark.parametrize(
    ("point", "power", "expected"),
    [
        (Fraction(7), 1, (7, True)),
        (Fraction(15, 2), 1, (7, False)),
        (TWO, 1, (1, False)),
        (TWO, 2, (2, True)),
        (root_point(Fraction(10**30 + 1), 3), 3, (10**30 + 1, True)),
        (PowerOfTwo(TWO, positive=True), 1, (2, False)),
        (Fraction(1, 3), 1, (0, False)),
    ],
)
def test_whole_parts(point, power: int, expected: tuple[int, bool]) -> None:  # type: ignore[no-untyped-def]
    assert floor_of_power(point, power) == expected


def test_closed_forms() -> None:
    assert closed_form(Fraction(2, 3), 2) == Integer(4) / 9
    assert closed_form(TWO) == sqrt(2)
    assert closed_form(GOLDEN, 2) == (3 + sqrt(5)) / 2
    assert closed_form(root_point(Fraction(5), 3)) == Integer(5) ** (Integer(1) / 3)
    assert str(closed_form(positive_roots((-1, -1, 0, 1))[0])) == "root(x**3 - x - 1, 1.32472)"
