from __future__ import annotations

import re

import pytest

from symroof.reports.renderers._formulas import Breaker, width
from symroof.symbolic.forms import Call, Comparison, Name, Named, Product, Quotient, Relation, Sum
from symroof.symbolic.latex import latex
from tests.reports.sample import form

A, B, C = Name("a"), Name("b"), Name("c")
MANY = tuple(Product((Name(f"alpha_{i}"), Name("n"))) for i in range(9))


def test_what_fits_is_written_in_one_line():
    for given in (A, Sum((A, B), (C,)), Quotient(A, B), Comparison(A, Relation.LESS, B)):
        assert Breaker().broken(given, 40) == latex(given)
        assert Breaker().lines(given, 40) == [latex(given)]


def test_a_fraction_is_as_wide_as_its_wider_side():
    assert width(Quotient(Sum((A, B)), C)) == width(Sum((A, B)))
    assert width(Sum(MANY)) > 3 * width(Sum(MANY[:3]))


@pytest.mark.parametrize("widest", [10, 25, 40, 80])
def test_a_long_sum_fills_its_lines_and_loses_no_term(widest):
    lines = Breaker().lines(Sum(MANY[:5], MANY[5:]), widest)
    text = " ".join(lines)
    assert [text.count(rf"_{{{i}}}") for i in range(9)] == [1] * 9
    assert text.count("{}+ ") == 4
    assert text.count("{}- ") == 4
    assert all(line.startswith("{}") for line in lines[1:])


def test_a_sum_of_minus_terms_begins_with_its_sign():
    assert Breaker().pieces(Sum((), (A, B)), 80) == ["-a", "{}- b"]


def test_a_sum_in_a_product_keeps_its_parentheses():
    text = Breaker().broken(Product((A, Sum(MANY))), 30)
    assert text.startswith(r"a\,\left(\begin{aligned}")
    assert text.endswith(r"\end{aligned}\right)")


def test_both_sides_of_a_fraction_are_broken():
    text = Breaker().broken(Quotient(Sum(MANY), Sum(MANY)), 30)
    assert text.count(r"\begin{aligned}") == 2


def test_arguments_stand_under_each_other():
    text = Breaker().broken(Call("max", (Sum(MANY[:3]), Sum(MANY[3:6]))), 30)
    assert text.startswith(r"\max\left(\begin{aligned}")
    assert text.endswith(r"\end{aligned}\right)")
    assert re.search(r", \\\\ & ", text)


def test_the_side_of_a_comparison_is_a_piece_with_its_sign():
    assert Breaker().pieces(Comparison(A, Relation.AT_LEAST, Sum((B, C))), 80) == [
        r"a \ge {}",
        "b",
        "{}+ c",
    ]


def test_named_parts_follow_their_formula():
    given = Named(Quotient(A, B), (("a", Sum(MANY[:2])), ("b", C)))
    first, *rest = Breaker().pieces(given, 80)
    assert first == r"\frac{a}{b},"
    assert rest[0].startswith(r"\;\text{where }a = ")
    assert rest[1] == r"\;b = c"
    assert len(Breaker().lines(given, 20)) == 3


def test_groups_and_environments_close():
    text = Breaker().broken(
        form("max(2*B*S*(4*D + 3*F)*D/p, (8*D**2 + 6*D*F + 24*B*S*D + 4*B*H*S**2)/w) + ceil(P/q)"),
        8,
    )
    assert text.count("{") == text.count("}")
    assert text.count(r"\left") == text.count(r"\right")
    assert text.count(r"\begin{aligned}") == text.count(r"\end{aligned}") > 1
