"""Closed forms at many places: exact on the way, floats at the end."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from sympy import Rational, Symbol

from symroof.errors import InputError, UnboundError
from symroof.reports.plots.sampling import evaluator, number_of, places, sampled, samples_for
from symroof.symbolic import parse


@pytest.mark.parametrize(
    ("text", "x", "wanted"),
    [
        ("2*B*N/(B + N)", "8", None),
        ("B*16777216/(8192*B + 16777216)", "1", 16777216 / 16785408),
        ("ceil(B/128)*128", "129", 256.0),
        ("floor(B/128)", "127", 0.0),
        ("max(B, 100) + min(B, 100)", "7", 107.0),
        ("log2(B)", "1024", 10.0),
        ("log2(B)", "3", math.log2(3)),
        ("sqrt(B)", "2", math.sqrt(2)),
        ("(3/4)**B", "2", 9 / 16),
        ("(3/4)**B", "2.5", 0.75**2.5),
        ("1 - (3/4)**B", "5000", 1.0),
        ("B**(-2)", "0.1", 100.0),
    ],
)
def test_values_by_hand(text: str, x: str, wanted: float | None) -> None:
    if wanted is None:
        with pytest.raises(UnboundError):
            evaluator(parse(text), "B")
    else:
        assert evaluator(parse(text), "B")(Fraction(x)) == pytest.approx(wanted, rel=1e-15)


def test_nothing_is_lost_between_large_numbers() -> None:
    # In floats 10**20 + B - 10**20 is 0 for a small B.
    assert evaluator(parse("(10**20 + B) - 10**20*(1 + B/10**30)"), "B")(Fraction(3)) == (
        pytest.approx(3 - 3e-10, rel=1e-15)
    )


@pytest.mark.parametrize("text", ["1/(B - 2)", "1/log2(B - 1)", "(B - 3)**(1/2)"])
def test_what_has_no_value_is_infinite_and_left_out(text: str) -> None:
    expr = parse(text)
    assert evaluator(expr, "B")(Fraction(2)) == math.inf
    assert sampled(expr, "B", [Fraction(2)]) == ()


@pytest.mark.parametrize(
    ("text", "x", "wanted"),
    [
        ("ceil(log2(B))", str(2**100 + 1), 101.0),  # in floats the logarithm is 100
        ("floor(log2(B))", str(2**100 - 1), 99.0),
        ("ceil(sqrt(B))", str(10**40 + 1), 1e20 + 1),
        ("ceil(sqrt(B)*sqrt(B))", "7", 7.0),  # whole, through irrational parts
        ("log2(B + 1) - log2(B)", str(10**20), 1.4426950408889634e-20),
        ("sqrt(B + 1) - sqrt(B)", str(10**30), 5e-16),
        ("B*(1 - (1 - 1/10**15)**B)", str(10**4), 1e4 * 9.99999999995000e-12),
        ("(1 - 1/10**12)**B", str(10**12), 0.36787944117125),
        ("2**ceil(log2(B))", str(2**60 + 1), 2.0**61),
    ],
)
def test_what_floats_do_not_tell(text: str, x: str, wanted: float) -> None:
    assert evaluator(parse(text), "B")(Fraction(x)) == pytest.approx(wanted, rel=1e-12)


def test_a_sample_belongs_to_the_number_that_is_written() -> None:
    # A float of 2**161 is written as 2.923003274661806e+48, which is a little more.
    steps = parse("ceil(log2(B))")
    ((x, y),) = sampled(steps, "B", [Fraction(2) ** 161])
    assert (repr(x), y) == ("2.923003274661806e+48", 162)
    # In a unit of 7 the float of 14/7 is 2, and that of 10/7 is less than it.
    assert sampled(parse("ceil(B/2)"), "B", [Fraction(14)], Fraction(7)) == ((2.0, 7.0),)
    ((x, y),) = sampled(parse("floor(B)"), "B", [Fraction(10)], Fraction(7))
    assert y == math.floor(7 * Fraction(repr(x)))


def test_what_is_nearly_infinite_is_left_out() -> None:
    assert sampled(parse("B**3"), "B", [Fraction(1), Fraction(10**100)]) == ((1.0, 1.0),)


def test_an_unknown_function_is_refused() -> None:
    from sympy import sin

    with pytest.raises(InputError, match="sin"):
        evaluator(sin(Symbol("B", positive=True)), "B")


def test_places_are_decimals_in_rising_order() -> None:
    found = places(Fraction(1), Fraction(4096), 65)
    assert found[0] == 1
    assert found[-1] == 4096
    assert list(found) == sorted(set(found))
    for place in found:
        assert Fraction(repr(float(place))) == place


def test_steps_are_sampled_finely() -> None:
    assert samples_for([parse("B")]) < samples_for([parse("B"), parse("ceil(B/128)")])


def test_numbers_become_the_nearest_float() -> None:
    assert number_of(Rational(1, 3)) == 1 / 3
    assert number_of(parse("sqrt(2)/7")) == pytest.approx(math.sqrt(2) / 7, rel=1e-15)
