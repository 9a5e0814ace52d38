"""Exact numbers as text for people."""

from __future__ import annotations

from fractions import Fraction

import pytest
from sympy import Integer, Rational, oo, pi, sqrt

from symroof.symbolic.numerals import number


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (-3, "-3"),
        (4096, "4096"),
        (9999, "9999"),
        (10_000, "10,000"),
        (123_456_789, "123,456,789"),
        (Integer(120_000), "120,000"),
        (10**15, "1e+15"),
        (12 * 10**14, "1.2e+15"),
        (-(10**20), "-1e+20"),
        (10**400 + 7, "1e+400"),
        (Fraction(10127360, 29359), "344.949"),
        (Rational(19780, 67), "295.224"),
        (Fraction(1, 3), "0.333333"),
        (Fraction(1, 2), "0.5"),
        (Fraction(2_000_001, 2), "1,000,000"),
        (Fraction(123_456_789, 1000), "123,457"),
        (Fraction(1, 10_000), "0.0001"),
        (Fraction(1, 30_000), "3.33333e-05"),
        (Fraction(1, 10**30), "1e-30"),
        (0.1, "0.1"),
        (3.35e12, "3,350,000,000,000"),
        (float("inf"), "∞"),
        (oo, "∞"),
        (-oo, "-∞"),
        (sqrt(2), "1.41421"),
        (-pi, "-3.14159"),
        (10**20 * pi, "3.14159e+20"),
    ],
)
def test_number(value, text):
    assert number(value) == text


def test_digits():
    assert number(Fraction(19780, 67), 5) == "295.22"
    assert number(Fraction(19780, 67), 3) == "295"
    assert number(Fraction(2, 3), 2) == "0.67"
