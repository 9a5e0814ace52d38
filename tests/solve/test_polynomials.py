from __future__ import annotations

import pytest

from symroof.solve.conditions import Knowledge
from symroof.solve.polynomials import UnsolvedError, cases_of
from symroof.symbolic import parse, symbol
from symroof.symbolic.polynomial import fraction


def texts(formula: str, *, strict: bool = False, counts: str = "") -> list[tuple[str, str]]:
    p, _ = fraction(parse(formula))
    knowledge = Knowledge(frozenset(counts.split()))
    found = cases_of(p, symbol("u"), knowledge, strict=strict)
    return [(case.condition.text(), case.region.text("u")) for case in found]


def test_strict_sets_leave_their_ends_out() -> None:
    assert texts("a*u - b") == [("true", "u >= b/a")]
    assert texts("a*u - b", strict=True) == [("true", "u > b/a")]
    assert texts("u*0", strict=True) == [("true", "never")]
    assert texts("u*0") == [("true", "always")]


def test_a_constant_is_a_condition() -> None:
    assert texts("a - b") == [("a >= b", "always"), ("b > a", "never")]


def test_higher_degrees_of_one_sign_need_no_root() -> None:
    assert texts("a*u**7 + u**3 + b") == [("true", "always")]
    assert texts("0 - a*u**7 - u**3 - b") == [("true", "never")]
    with pytest.raises(UnsolvedError, match="degree 4 in u"):
        texts("a*u**7 - u**3 + u**4")


def test_the_degree_is_that_of_the_power_that_occurs() -> None:
    with pytest.raises(UnsolvedError, match=r"degree 3 in u\*\*2"):
        texts("a*u**6 - u**2 - b")


def test_the_leading_coefficient_may_vanish() -> None:
    # (n - 1)*u**2 + u - 1 with a count n: at n = 1 the end is 1, not 0/0.
    (found,) = texts("(n - 1)*u**2 + u - 1", counts="n")
    assert found[0] == "true"
    end = parse(found[1].removeprefix("u >= "))
    assert end.xreplace({symbol("n"): parse("1")}) == 1
    assert end.xreplace({symbol("n"): parse("3")}) == parse("1/2")
