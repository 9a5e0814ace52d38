from __future__ import annotations

import pytest
from sympy import S, sqrt

from symroof.solve.least import Place
from symroof.solve.minima import least_cases
from symroof.solve.objective import Objective
from symroof.solve.polynomials import UnsolvedError
from symroof.solve.problem import Problem
from symroof.symbolic import parse, symbols

a, b, c, x, N = symbols("a b c x N")


def cases(formula: str, low: str = "0", high: str | None = None) -> list[tuple[str, Place, object]]:
    ends = (parse(low), S.Infinity if high is None else parse(high), S.Zero)
    asked = Objective(Problem(parse(formula), ends, x, frozenset({"N"})))
    return [(str(case.condition), case.place, case.point) for case in least_cases(asked)]


def test_counts_make_ends_unreachable() -> None:
    # N ≥ 1, so that √N is never below 1 nor above N.
    assert cases("N/x + x", "1", "N") == [("true", Place.POINT, sqrt(N))]


def test_a_plateau_needs_room_between_the_ends() -> None:
    assert cases("max(c, a/x)", "1", "N") == [
        ("N*c >= a", Place.INTERVAL, parse("max(1, a/c)")),
        ("a > N*c", Place.HIGH, N),
    ]


def test_a_plateau_that_is_never_reached() -> None:
    assert cases("max(c, b + a/x)") == [
        ("c > b", Place.INTERVAL, a / (c - b)),
        ("b >= c", Place.NEVER, S.Infinity),
    ]


def test_the_constant_formula() -> None:
    assert cases("a*b", "1", "N") == [("true", Place.INTERVAL, 1)]


def test_equal_parts_of_a_maximum() -> None:
    assert cases("max(a/x, b/x, x)") == [
        ("b >= a", Place.POINT, sqrt(b)),
        ("a > b", Place.POINT, sqrt(a)),
    ]


@pytest.mark.parametrize(
    ("formula", "reason"),
    [
        ("max(a/x + b + c*x, b*x**2 + 1/x)", "degree"),
        ("min(c, x)", "level"),
        ("x + ceil(a/x)", "inside a ceil"),
    ],
)
def test_what_has_no_closed_form(formula: str, reason: str) -> None:
    with pytest.raises(UnsolvedError, match=reason):
        cases(formula)
