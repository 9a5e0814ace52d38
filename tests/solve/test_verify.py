from __future__ import annotations

from dataclasses import replace

import pytest
from sympy import Integer

from symroof.solve import Kind, Problem, solve
from symroof.solve.conditions import TRUE
from symroof.solve.ends import End
from symroof.solve.exact import ExactRegion
from symroof.solve.located import AlgebraicNumber
from symroof.solve.polynomials import Case
from symroof.solve.ranges import ALL, NEVER, Bound, SymbolicRegion
from symroof.solve.roots import positive_roots
from symroof.symbolic import parse, symbol
from symroof.symbolic.regions import Interval, Region


def problem(left: str, *rights: str) -> Problem:
    counts = frozenset({"u", "n"})
    return Problem(parse(left), tuple(map(parse, rights)), symbol("u"), counts, integer=True)


@pytest.mark.parametrize(
    ("left", "rights"),
    [
        ("a*u", ["b*u + c"]),
        ("a*u**2 + c", ["b*u"]),
        ("n*u", ["max(a, u) + b", "c*u"]),
        ("(n - 1)/n*u", ["a"]),
        ("1/(u - a)", ["b"]),
        ("n*log2(u)", ["a"]),
        ("sqrt(u)*a", ["u + c"]),
    ],
)
def test_right_answers_have_no_mismatch(left: str, rights: list[str]) -> None:
    answer = solve(problem(left, *rights))
    assert answer.kind is not Kind.UNSOLVED
    points, mismatches = answer.verify(25)
    assert points >= 50
    assert mismatches == 0


@pytest.mark.parametrize(
    "region", [ALL, NEVER, SymbolicRegion(((Bound(End(parse("c/a")), True),),))]
)
def test_a_wrong_set_is_found_out(region: SymbolicRegion) -> None:
    answer = solve(problem("a*u", "b*u + c"))
    condition = answer.cases[0].condition
    answer.__dict__["cases"] = (Case(condition, region), *answer.cases[1:])
    assert answer.verify(25)[1] > 0


def test_cases_that_leave_something_out_are_found_out() -> None:
    answer = solve(problem("a*u", "b*u + c"))
    answer.__dict__["cases"] = answer.cases[:1]
    assert answer.verify(25)[1] > 0


def test_cases_that_overlap_are_found_out() -> None:
    answer = solve(problem("a*u", "b*u + c"))
    answer.__dict__["cases"] = (*answer.cases, Case(TRUE, NEVER))
    assert answer.verify(25)[1] > 0


def test_an_end_that_is_left_out_is_found_out() -> None:
    answer = solve(problem("a*u", "c"))
    ((bound,),) = answer.cases[0].region.pieces
    open_end = SymbolicRegion(((Bound(bound.end, lower=True, closed=False),),))
    answer.__dict__["cases"] = (Case(TRUE, open_end),)
    assert answer.verify(25)[1] > 0


def test_numbers_are_checked_over_the_reals_and_the_integers() -> None:
    answer = solve(problem("ceil(u/4)", "u/3"))
    points, mismatches = answer.verify(10)
    assert points > 20
    assert mismatches == 0


def test_irrational_ends_are_checked_exactly() -> None:
    answer = solve(problem("u**2", "2"))
    assert answer.verify(5)[1] == 0


def test_a_point_that_does_not_belong_is_found_out() -> None:
    # The zero of u**2 + sqrt(2)*u - 1, the conjugate of what is asked.
    answer = solve(problem("u**2", "sqrt(2)*u + 1"))
    assert answer.verify(5)[1] == 0
    (root,) = (r for r in positive_roots((1, 0, -4, 0, 1)) if float(r) < 1)
    point = AlgebraicNumber(root)
    real = answer.real
    assert real is not None
    wrong = Region((Interval(point, point, True, True), *real.intervals))
    answer.__dict__["_exact"] = ExactRegion(wrong, answer.integers)
    points, mismatches = answer.verify(5)
    assert mismatches == 1
    assert points > 20


def test_what_is_too_large_to_write_out_is_bounded() -> None:
    # At 1879048192*(1 - (3/4)**u) bytes the crossing is near u = 2139.17; no false alarm.
    answer = solve(problem("469762048*u/322875", "(1879048192*(1 - (3/4)**u) + 16384*u)/615"))
    assert answer.kind is Kind.AT
    points, mismatches = answer.verify(60)
    assert points > 100
    assert mismatches == 0


def test_answers_settled_by_known_rates_are_checked_at_these() -> None:
    # 4*n*u >= r*u*(n + 4) never holds at r = 295, but does for many other r.
    answer = solve(replace(problem("4*n*u", "r*u*(n + 4)"), values={"r": Integer(295)}))
    answer.__dict__["_solved"] = ((), "more than 64 cases")
    assert answer.only_at_known_rates
    assert answer.verify(15)[1] == 0
