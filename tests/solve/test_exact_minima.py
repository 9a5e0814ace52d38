from __future__ import annotations

import pytest
from sympy import Rational, S, sqrt

from symroof.solve.exact_minima import ExactMinimum, Values, exact_minimum
from symroof.solve.objective import Objective
from symroof.solve.problem import Problem
from symroof.symbolic import parse, symbols

x = symbols("x")


def least(formula: str, low: str = "1", high: str | None = None, divides: int = 0) -> ExactMinimum:
    ends = (parse(low), S.Infinity if high is None else parse(high), S(divides))
    return exact_minimum(Objective(Problem(parse(formula), ends, x, integer=True)))


def test_irrational() -> None:
    found = least("30/x + x")
    assert (found.value, found.whole_value, found.turns) == (2 * sqrt(30), 11, 1)


def test_what_falls_for_ever_beyond_a_local_minimum() -> None:
    # 3 + 40/x wins over the minimum of x + 5 at 1 from 40/3 on.
    found = least("min(x + 5, 40/x + 3)")
    assert found.real is not None
    assert found.real.is_empty
    assert (found.value, found.whole_value) == (3, None)
    assert least("min(x + 2, 40/x + 3)").value == 3


def test_a_limit_that_only_ties_is_no_minimum_lost() -> None:
    found = least("max(3, min(x + 2, 40/x + 3))")
    assert found.value == 3
    assert found.real is not None
    assert found.real.text("x") == "x = 1"


def test_divisors_on_a_plateau() -> None:
    found = least("max(5, 30/x, x/2)", high="96", divides=96)
    assert found.whole is not None
    assert found.whole.intervals == ((6, 6), (8, 8))


def test_ends_of_plateaus_that_are_roots() -> None:
    # 3/x + x² ≤ 5 between the roots of x³ - 5x + 3
    found = least("max(5, 3/x + x**2)", low="0")
    assert found.real is not None
    assert [round(float(end), 4) for i in found.real.intervals for end in (i.lower, i.upper)] == [
        0.6566,
        1.8342,
    ]


def test_numbers_without_a_value_are_passed_over() -> None:
    found = least("1/(x - 5)**2", high="8")
    assert found.whole is not None
    assert (found.whole.intervals, found.whole_value) == (((1, 1),), Rational(1, 16))


def test_a_range_too_long_to_try() -> None:
    found = least("ceil(x/3) + 10**12/x", high="10**9")
    assert found.whole is not None
    # x/3 + 10^12/x is least near √(3·10^12) = 1,732,050.8…
    assert found.whole.first is not None
    assert abs(found.whole.first - 1732051) < 3000
    assert least("1 - 1/ceil(x)", high="10**9").whole is not None


@pytest.mark.parametrize("formula", ["2**x/x", "x - log2(x)"])
def test_any_formula_is_tried(formula: str) -> None:
    found = least(formula)
    assert found.real is None
    assert found.whole is not None
    assert found.whole.intervals == ((1, 2),)


def test_values() -> None:
    values = Values(parse("6/x + sqrt(x)"), x)
    assert values.at(4) == Rational(7, 2)
    assert values.at(3) == 2 + sqrt(3)
    assert Values(parse("1/(x - 2)"), x).at(2) is None
