from __future__ import annotations

from dataclasses import replace

import pytest
from sympy import S

from symroof.solve import Place, minimise
from symroof.solve.ends import End
from symroof.symbolic import parse


@pytest.mark.parametrize(
    ("point", "value"),
    [
        ("sqrt(a/b)", "2*sqrt(a*b) + 1"),  # never taken
        ("2*sqrt(a/b)", "5*sqrt(a*b)/2"),  # the value there, but less is to be had
        ("sqrt(a/b)", "sqrt(a*b)"),
    ],
)
def test_a_wrong_answer_is_found_out(point: str, value: str) -> None:
    m = minimise("a/x + b*x", "x", low=0)
    points, mismatches = m.verify(20)
    assert (points > 100, mismatches) == (True, 0)
    case = replace(m.cases[0], end=End(parse(point)), value=parse(value))
    m.__dict__["cases"] = (case,)
    assert m.verify(20)[1] > 10


def test_a_case_that_is_missing_is_found_out() -> None:
    m = minimise("a/x + b*x", "x")
    m.__dict__["cases"] = m.cases[:1]
    assert m.verify(20)[1] > 0


def test_a_plateau_that_is_too_wide_is_found_out() -> None:
    m = minimise("max(c, a/x, b*x)", "x", low=0)
    wrong = [replace(k, upper=End(S.Infinity)) if k.upper else k for k in m.cases]
    m.__dict__["cases"] = tuple(wrong)
    assert m.verify(40)[1] > 0


def test_falling_for_ever_is_tried_further_on() -> None:
    m = minimise("a/x + b*x", "x")
    wrong = replace(m.cases[0], place=Place.NEVER, end=End(S.Infinity))
    m.__dict__["cases"] = (wrong, *m.cases[1:])
    assert m.verify(40)[1] > 0


def test_wrong_numbers_are_found_out() -> None:
    y = minimise("30/x + x", "x", high=64)
    points, mismatches = y.verify(50)
    assert (points > 30, mismatches) == (True, 0)
    y.__dict__["_exact"] = replace(y._exact, whole_value=S(12))
    assert y.verify(50)[1] > 0
    y.__dict__["_exact"] = minimise("30/x + x", "x", high=4)._exact
    assert y.verify(50)[1] > 0
