from __future__ import annotations

import json

import pytest
from sympy import Rational, sqrt

from symroof.solve import Problem, solve
from symroof.solve.answers import exact_text, to_number
from symroof.symbolic import parse, symbol


def data(left: str, right: str, **values: object) -> dict[str, object]:
    problem = Problem(parse(left), (parse(right),), symbol("u"), frozenset({"u"}), integer=True)
    found = solve(problem).at(**values).to_dict()
    assert json.loads(json.dumps(found)) == found
    return found


def test_a_threshold_without_closed_form_has_a_number() -> None:
    found = data("u**5 + u", "3")
    assert found["threshold_value"] == pytest.approx(1.132997565885065)
    assert found["threshold_bound"] is None
    assert found["first"] == 2


def test_two_ends() -> None:
    found = data("7*u", "u**2 + 10")
    assert found["kind"] == "between"
    assert (found["threshold"], found["threshold_upper"]) == ("2", "5")
    assert (found["threshold_value"], found["threshold_upper_value"]) == (2.0, 5.0)
    assert found["region"] == "u >= 2 and u <= 5"


def test_intervals_without_end_are_counted_as_infinite() -> None:
    found = data("ceil(u/2)", "u/2 + 1/2")  # odd numbers
    assert found["kind"] == "intervals"
    assert found["intervals_total"] == "infinite"
    assert found["intervals_period"] == 2
    assert len(found["intervals"]) == 64  # type: ignore[arg-type]
    assert found["intervals"][:2] == [[1, 1], [3, 3]]  # type: ignore[index]


def test_unsolved() -> None:
    found = data("u**3 + u", "c")
    assert (found["kind"], found["cases"]) == ("unsolved", [])
    assert found["note"] == "degree 3 in u: bind c"


def test_irrational_numbers_are_texts_too() -> None:
    assert exact_text(sqrt(2) / 3) == "sqrt(2)/3"
    assert exact_text(None) is None
    assert to_number(Rational(1, 4)) == 0.25
    assert data("u**2", "2")["threshold_bound"] == "sqrt(2)"
