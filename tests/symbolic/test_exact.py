"""Exact numbers: signs, whole parts, floats."""

from __future__ import annotations

import pytest
from sympy import Add, Integer, Max, Rational, S, Symbol, ceiling, floor, pi, sqrt

from symroof.errors import InputError
from symroof.symbolic import log2
from symroof.symbolic.exact import (
    enclose,
    float_of_number,
    floor_of_number,
    shown,
    sign_of,
)

# A fraction p/q of sqrt(2) with p**2 - 2*q**2 = -1, good to about 300 digits.
P, Q = 1, 1
while Q < 10**150:
    P, Q = P + 2 * Q, P + Q
    if P**2 - 2 * Q**2 != -1:
        P, Q = P + 2 * Q, P + Q


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (Rational(-3, 7), -1),
        (S.Zero, 0),
        (S.Infinity, 1),
        (S.NegativeInfinity, -1),
        (sqrt(2) - Rational(P, Q), 1),
        (Rational(P, Q) - sqrt(2), -1),
        (log2(3) - Rational(19, 12), 1),
        ((1 + sqrt(2)) ** 2 - 3 - 2 * sqrt(2), 0),
        (sqrt(2) * sqrt(3) - sqrt(6), 0),
        (Max(sqrt(2), sqrt(3), evaluate=False) - 2, -1),
        (2 ** sqrt(2) - 3, -1),
        ((sqrt(2) + 1) ** -50, 1),
    ],
)
def test_sign(number, expected):
    assert sign_of(number) == expected


def test_sign_that_cannot_be_told():
    assert sign_of(sqrt(5 + 2 * sqrt(6)) - sqrt(2) - sqrt(3)) is None


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (Rational(7, 2), 3),
        (Rational(-7, 2), -4),
        (sqrt(2), 1),
        (-sqrt(2), -2),
        (sqrt(2) * 10**40, 14142135623730950488016887242096980785696),
        ((1 + sqrt(2)) ** 2 - 2 * sqrt(2), 3),
        (Rational(P, Q) * 10**300 - sqrt(2) * 10**300, -1),
        (log2(3) * 100, 158),
        (Add(floor(sqrt(2), evaluate=False), ceiling(sqrt(2), evaluate=False)), 3),
    ],
)
def test_floor(number, expected):
    assert floor_of_number(number) == expected


def test_floor_that_is_too_large():
    with pytest.raises(InputError, match="too large"):
        floor_of_number(2 ** (sqrt(2) * 10**9))


def test_enclosure_holds_the_number():
    lower, upper = (value[1] * Rational(2) ** value[2] for value in enclose(sqrt(2), 64))
    assert lower**2 < 2 < upper**2
    assert upper - lower < Rational(1, 2**60)


def test_floats_are_the_nearest():
    assert float_of_number(Rational(P, Q)) == float_of_number(sqrt(2)) == 2**0.5
    assert float_of_number(log2(10)) == 3.321928094887362


@pytest.mark.parametrize("number", [sqrt(2) * S.ImaginaryUnit, pi, Symbol("x"), S.NaN])
def test_refused(number):
    with pytest.raises(InputError):
        enclose(number, 64)


def test_negative_roots_are_not_real():
    with pytest.raises(InputError, match="real"):
        enclose(log2(sqrt(2) - 2, evaluate=False), 64)


def test_shown():
    assert shown(Integer(3)) == "3"
    assert len(shown("x" * 500)) == 60
    assert "thousands of digits" in shown(Integer(10) ** 5000)
