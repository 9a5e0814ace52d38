from __future__ import annotations

from fractions import Fraction

import pytest
from mpmath import libmp

from symroof.solve.enclosures import raw
from symroof.solve.intervals import UnboundedError, bounds, slope
from symroof.solve.quotients import UndefinedError
from symroof.symbolic import parse


def between(text: str, low: Fraction | int, high: Fraction | int) -> tuple[float, float]:
    found = bounds(parse(text), {"x": raw(Fraction(low), Fraction(high), 96)}, 96)
    return libmp.to_float(found[0]), libmp.to_float(found[1])


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("x**2 - x", 4 - 3, 9 - 2),
        ("1/x", 1 / 3, 1 / 2),
        ("ceil(x/2) + floor(x/2)", 2, 3),
        ("max(x, 5/2) - min(x, 5/2)", 0, 1),
        ("log2(2*x)", 2, 2.584962500721156),
        ("2**x", 4, 8),
        ("(1/4)**x", 1 / 64, 1 / 16),
        ("sqrt(x - 2)", 0, 1),
        ("x**x", 4, 27),
    ],
)
def test_bounds_from_2_to_3(text: str, low: float, high: float) -> None:
    found = between(text, 2, 3)
    assert found == pytest.approx((low, high), rel=1e-12, abs=1e-12)
    assert found[0] <= low + 1e-15
    assert found[1] >= high - 1e-15


def test_huge_powers_are_bounded_at_once() -> None:
    low, high = between("1 - (3/4)**x", Fraction(123456789, 7), Fraction(123456789, 7))
    assert low <= 1 <= high
    assert low > 0.999999


@pytest.mark.parametrize("text", ["log2(x - 3)", "sqrt(x - 4)", "(x - 4)**(1/3)"])
def test_no_value(text: str) -> None:
    with pytest.raises(UndefinedError):
        between(text, 2, 3)


@pytest.mark.parametrize("text", ["log2(x - 5/2)", "sqrt(x - 5/2)", "1/(x - 5/2)"])
def test_a_value_on_a_part_only(text: str) -> None:
    with pytest.raises(UnboundedError):
        between(text, 2, 3)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # By hand: the derivatives at 4.
        ("3*x**2 + x", 25.0),
        ("sqrt(x)", 0.25),
        ("1/x", -1 / 16),
        ("x*log2(x)", 2 + 1.4426950408889634),
        ("2**x", 16 * 0.6931471805599453),
        ("x**x", 256 * (1.3862943611198906 + 1)),
    ],
)
def test_slopes_at_4(text: str, expected: float) -> None:
    found = slope(parse(text), {"x": raw(Fraction(4), Fraction(4), 96)}, 96)
    assert libmp.to_float(found[0]) == pytest.approx(expected, rel=1e-12)
    assert libmp.to_float(found[1]) == pytest.approx(expected, rel=1e-12)


def test_slopes_of_steps_and_choices_from_2_to_3() -> None:
    values = {"x": raw(Fraction(2), Fraction(3), 96)}
    for text, expected in (
        ("max(x, 5*x - 40)", (1, 1)),
        ("max(x, 5*x - 10)", (1, 5)),
        ("min(x, 5*x - 10, 100)", (1, 5)),
        ("x*ceil((x + 2)/7)", (1, 1)),
    ):
        found = slope(parse(text), values, 96)
        assert tuple(map(libmp.to_float, found)) == expected
    with pytest.raises(UnboundedError):
        slope(parse("ceil(x - 1/2)"), values, 96)


def test_negative_numbers_have_whole_powers() -> None:
    assert between("(-2)**3 + 0*x", 2, 3) == (-8, -8)
    found = bounds(
        parse("(x - 5)**y"),
        {"x": raw(Fraction(2), Fraction(2), 96), "y": raw(Fraction(3), Fraction(3), 96)},
        96,
    )
    assert tuple(map(libmp.to_float, found)) == (-27, -27)
