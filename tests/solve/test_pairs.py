from __future__ import annotations

from sympy import sqrt

from symroof.solve.conditions import Knowledge
from symroof.solve.pairs import larger_of_two
from symroof.symbolic import parse, symbols

a, b, c, d, x = symbols("a b c d x")


def turns(left: str, right: str) -> list[tuple[str, object]] | None:
    found = larger_of_two(parse(left), parse(right), x, Knowledge())
    return None if found is None else [(str(t.condition), t.end.expr) for t in found]


def test_one_that_falls_and_one_that_rises_cross() -> None:
    assert turns("a/x", "b*x**3") == [("true", (a / b) ** (sqrt(4) / 8))]


def test_the_minimum_of_either_or_where_they_cross() -> None:
    found = turns("a/x + b*x", "d*x")
    assert found == [("2*b >= d", sqrt(a / b)), ("d > 2*b", sqrt(a / (d - b)))]
    # a/x + b·x meets c/x where x² = (c - a)/b.
    assert turns("a/x + b*x", "c/x") == [("2*a >= c", sqrt(a / b)), ("c > 2*a", sqrt((c - a) / b))]


def test_the_formula_at_a_crossing_is_the_shorter_one() -> None:
    found = larger_of_two(a / x + b * x, d * x, x, Knowledge())
    assert found is not None
    assert found[-1].expr == d * x


def test_what_is_not_so_simple() -> None:
    assert turns("a/x", "b/x**2") is None  # both fall
    assert turns("a/x + b", "c*x") is None  # they cross at a root of a quadratic
    assert turns("a/x + b*x", "c/x + b*x") is None  # they never cross
    assert turns("(a - b)/x + x", "c*x") is None  # where it falls depends on a and b
