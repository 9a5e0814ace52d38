from __future__ import annotations

import pytest
from sympy import S

from symroof.solve.cells import (
    cells,
    choices,
    doubtful,
    has_steps,
    is_log_convex,
    is_monomial,
    levelled,
    log_slope,
)
from symroof.solve.polynomials import UnsolvedError
from symroof.symbolic import parse, symbols

x = symbols("x")


@pytest.mark.parametrize(
    ("formula", "slope"),
    [
        ("a*x**3", "3*a*x**3"),
        ("a/sqrt(x) + c", "-a/(2*sqrt(x))"),
        ("(a + x)*x", "2*x**2 + a*x"),
        ("1/(x + 1)**2", "-2*x/(x + 1)**3"),
        ("a*b", "0"),
    ],
)
def test_slope_over_the_logarithm(formula: str, slope: str) -> None:
    assert (log_slope(parse(formula), x) - parse(slope)).expand().equals(0)


@pytest.mark.parametrize("formula", ["log2(x)", "2**x", "ceil(x)", "max(x, a)"])
def test_no_slope(formula: str) -> None:
    with pytest.raises(UnsolvedError, match="x is inside"):
        log_slope(parse(formula), x)


@pytest.mark.parametrize(
    ("formula", "convex"),
    [
        ("a/x**2 + b*x + c", True),
        ("max(c, a/x)*(d + x)", True),
        ("(a/x + x)**2", True),
        ("(a*x)**(-3)", True),
        ("1/(x + 1)", False),
        ("a/x - b", False),
        ("min(a/x, x)", False),
        ("sqrt(a + x)", True),
    ],
)
def test_convexity_is_seen(formula: str, convex: bool) -> None:
    assert is_log_convex(parse(formula), x) is convex


def test_maxima_inside_each_other() -> None:
    found = cells(parse("max(min(a/x, b), c*x)"), x)
    assert {str(cell.expr) for cell in found} == {"a/x", "b", "c*x"}
    assert [str(choice) for choice in choices(parse("max(min(a/x, b), c*x)"), x)] == ["Min(b, a/x)"]


def test_what_is_free_of_the_unknown_makes_one_cell() -> None:
    assert len(cells(parse("max(c, d, a/x)"), x)) == 2


def test_too_many_cells() -> None:
    formula = sum((parse(f"max(a{i}, b{i}*x, c{i}/x)") for i in range(4)), S.Zero)
    with pytest.raises(UnsolvedError, match="more than 48"):
        cells(formula, x)


def test_levelled() -> None:
    level, rest = levelled(parse("k*max(c, max(d, a/x)) + e"), x)
    assert sorted(map(str, level)) == ["c*k + e", "d*k + e"]
    assert rest == parse("k*a/x + e")
    assert levelled(parse("a"), x) == ([parse("a")], None)
    # A factor of unknown sign stays outside.
    assert levelled(parse("(a - b)*max(c, x)"), x)[0] == []


def test_small_questions() -> None:
    assert has_steps(parse("a/ceil(x/2)"), x)
    assert not has_steps(parse("a/ceil(b/2) + x"), x)
    assert is_monomial(parse("a*x**(1/2)/b"), x)
    assert not is_monomial(parse("x + 1"), x)
    assert doubtful(parse("1/(x - 1) + sqrt(x - 2) + 1/(x + 1) + (x - 3)**2"), x) == [
        parse("x - 1"),
        parse("x - 2"),
    ]
