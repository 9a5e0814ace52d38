from __future__ import annotations

import pytest
from sympy import Max, Rational, sqrt

from symroof.symbolic import parse, symbols
from symroof.symbolic.rooted import rooted

a, b, c = symbols("a b c")


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (2 * sqrt(a) * sqrt(b), "2·√(a·b)"),
        (sqrt(a) / (3 * sqrt(b)), "√(a/b)/3"),
        (a ** Rational(3, 2), "a·√a"),
        (a ** Rational(-3, 2), "√(1/a)/a"),
        (
            3 * 2 ** Rational(1, 3) * a ** Rational(1, 3) * b ** Rational(2, 3) / 2,
            "3·(2·a·b²)^(1/3)/2",
        ),
        (c + 2 * sqrt(a * b), "c + 2·√(a·b)"),
        (2 * sqrt(a * b) - c, "2·√(a·b) − c"),
        (Max(c, sqrt(a) * sqrt(b), evaluate=False), "max(c, √(a·b))"),
        (a + b, "a + b"),
        (sqrt(a) * sqrt(b + c), "√(a·(b + c))"),
    ],
)
def test_one_root(expr: object, text: str) -> None:
    form = rooted(expr)
    assert form.unicode() == text
    assert parse(form.plain()).equals(expr)
