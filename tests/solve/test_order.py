from __future__ import annotations

from symroof.solve.cases import cases
from symroof.solve.problem import Problem
from symroof.symbolic import parse, symbol


def texts(left: str, *rights: str) -> list[tuple[str, str]]:
    u = symbol("u")
    problem = Problem(parse(left), tuple(parse(right) for right in rights), u)
    return [(case.condition.text(), case.region.text("u")) for case in cases(problem)]


def test_a_range_whose_ends_may_cross_makes_two_cases() -> None:
    assert texts("min(u, b)", "max(a, u)") == [("b >= a", "u >= a and u <= b"), ("a > b", "never")]


def test_a_range_whose_ends_cannot_cross_makes_one() -> None:
    assert texts("min(u, a + b)", "max(a, u)") == [("true", "u >= a and u <= a + b")]


def test_a_range_whose_ends_must_cross_is_never() -> None:
    assert texts("min(u, a)", "max(a + b, u)") == [("true", "never")]


def test_ranges_that_may_meet_make_two_cases() -> None:
    # u <= a, or u >= b
    assert texts("max(a - u, u - b)", "0") == [("b > a", "u <= a or u >= b"), ("a >= b", "always")]


def test_ends_in_other_powers_are_compared() -> None:
    # u**2 <= a and u >= b: b**2 <= a
    assert texts("min(a - u**2, u - b)", "0") == [
        ("a >= b**2", "u >= b and u <= sqrt(a)"),
        ("b**2 > a", "never"),
    ]


def test_ranges_that_share_an_end_are_one() -> None:
    assert texts("(u - c)*max(u, 1)", "0") == [("true", "u >= c")]
