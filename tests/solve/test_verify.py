from __future__ import annotations

import pytest

from symroof.solve import Kind, Problem, solve
from symroof.solve.conditions import TRUE
from symroof.solve.ends import End
from symroof.solve.polynomials import Case
from symroof.solve.ranges import ALL, NEVER, Bound, SymbolicRegion
from symroof.symbolic import parse, symbol


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
