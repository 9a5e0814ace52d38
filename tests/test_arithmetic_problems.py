"""The plain arithmetic among published worked problems, on quantities with their units."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from symroof.symbolic import adopt, parse
from symroof.units import Quantity

PROBLEMS = json.loads(
    (Path(__file__).parent / "data" / "arithmetic_problems.json").read_text(encoding="utf-8")
)["entries"]


@pytest.fixture(params=PROBLEMS, ids=[problem["id"] for problem in PROBLEMS])
def problem(request):
    return request.param


def test_there_are_23():
    assert len({problem["id"] for problem in PROBLEMS}) == 23


def test_exact_answer_in_its_unit(problem):
    right = problem["right"]
    answer = solve(problem)
    assert answer.value_in(right["unit"]) == Fraction(right["exact"])
    assert answer == Quantity(right["exact"], right["unit"])
    assert answer.to(right["unit"]) == pytest.approx(right["value"], rel=1e-14)


def test_what_the_source_states_is_near_where_it_agrees(problem):
    stated = problem["stated"]
    off = abs(solve(problem).to(stated["unit"]) / stated["value"] - 1)
    assert (off <= problem["stated_tolerance"]) == problem["agrees"]


def solve(problem):
    """Walk the parsed formula with quantities in place of names; no unit is checked by hand."""
    inputs = {
        name: Quantity(given["value"], given["unit"]) for name, given in problem["inputs"].items()
    }
    formula = parse(problem["closed_form"])
    return walk(formula, inputs) * Quantity(1, problem["constants_unit"])


def walk(node, inputs):
    if node.is_Symbol:
        return inputs[node.name]
    if node.is_Pow:
        return walk(node.base, inputs) ** node.exp
    if node.is_Mul:
        result = Quantity(1)
        for factor in node.args:
            result = result * walk(factor, inputs)
        return result
    return Quantity(adopt(node))
