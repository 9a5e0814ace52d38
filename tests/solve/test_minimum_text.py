from __future__ import annotations

import pytest

from symroof.solve import minimise


@pytest.mark.parametrize(
    ("formula", "options", "text"),
    [
        ("max(3, 8/x, x/2)", {}, "2.66667 ≤ x* ≤ 6, the minimum: 3 (convex in log x) → 3 ≤ x ≤ 6"),
        ("max(3, 8/x)", {}, "x* ≥ 2.66667, the minimum: 3 (convex in log x) → x ≥ 3"),
        ("8/x", {}, "none: it falls to 0"),
        ("x", {"low": 0}, "none: it falls to 0; x = 1: 1"),
        ("x + 0*x", {}, "x* = 1, the minimum: 1 (convex in log x)"),
        ("8/x", {"high": 16}, "x* = 16, the minimum: 0.5 (convex in log x)"),
        ("x - 1/x", {}, "x* = 1, the minimum: 0 (it only rises)"),
        ("1/x - x", {"high": 4}, "x* = 4, the minimum: -3.75 (it only falls)"),
        ("100/(x + 3) + x", {}, "x* = 7, the minimum: 17 (it falls before and rises after)"),
        ("7/x + x", {"integer": False}, "x* = 2.64575, the minimum: 5.2915 (convex in log x)"),
        (
            "max(5, 30/x, x/2)",
            {"divides": 96},
            "6 ≤ x* ≤ 10, the minimum: 5 (convex in log x) → x = 6 or x = 8 of the divisors of 96",
        ),
    ],
)
def test_with_numbers(formula: str, options: dict[str, object], text: str) -> None:
    assert str(minimise(formula, "x", **options)) == text  # type: ignore[arg-type]


def test_long_formulas_are_left_out() -> None:
    terms = " + ".join(f"long_name_{i}" for i in range(8))
    text = str(minimise(f"({terms})/x + b*x", "x", low=0))
    assert text.startswith("x* = √((long_name_0 +")
    assert text.endswith("long_name_7)/b), the minimum (convex in log x)")


def test_the_name_of_the_unknown_has_a_label() -> None:
    sentence = minimise("a/x + x", "x", low=0).sentence({"x": "X"})
    assert sentence.statement == "X* = √a, the minimum of X + a/X: 2·√a (convex in log x)"
