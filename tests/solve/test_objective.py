from __future__ import annotations

import pytest
from sympy import S

from symroof.errors import InputError
from symroof.solve.objective import Objective
from symroof.solve.problem import Problem
from symroof.symbolic import symbols

a, b, x, N = symbols("a b x N")


def asked(low: object = S.One, high: object = S.Infinity, divides: object = S.Zero) -> Objective:
    return Objective(Problem(a / x + b * x, (low, high, divides), x, frozenset({"N", "x"})))


def test_names_of_the_ends_are_bound_too() -> None:
    found, values = asked(high=N, divides=N).bound({"N": 64, "a": 2})
    assert (found.high, found.divides, found.expr) == (64, 64, 2 / x + b * x)
    assert values == {"N": 64, "a": 2}
    assert found.problem.free == ("b",)


def test_no_ends() -> None:
    found = asked(low=S.Zero)
    assert not found.has_low
    assert not found.has_high
    assert found.divides is None
    assert found.counts == {"N"}


def test_known_values_of_ends_are_checked() -> None:
    problem = Problem(a / x, (S(8), N, S.Zero), x, values={"N": S(4)})
    with pytest.raises(InputError, match="no x from 8 up to 4"):
        Objective(problem).checked()
    with pytest.raises(InputError, match="low=oo"):
        asked(low=S.Infinity).checked()
