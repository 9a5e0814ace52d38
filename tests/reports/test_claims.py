"""Claims as lines of text, and their recomputation."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Integer, Rational, oo

from symroof.reports.claims import check, read_statement, read_value, shown_agrees, statement
from symroof.reports.document import Claim

# Two 4096 x 4096 fp16 matrices and 344 rows through 3.35 TB/s, by hand:
# 2*(344*4096 + 4096*4096 + 344*4096) = 2*(2*1409024 + 16777216) = 39190528 bytes.
MEMORY = Claim(
    "time.memory",
    "2*(k*m + k*n + m*n)/bw.hbm",
    "39190528/3350000000000",
    "s",
    "11.7 µs",
    {"m": "344"},
)
VALUES = {"n": "4096", "k": "n", "m": "1", "bw.hbm": "3350000000000"}


def test_a_claim_that_holds() -> None:
    assert check([MEMORY], VALUES) == []


def test_a_value_of_the_place_goes_before_that_of_the_document() -> None:
    plain = Claim("m", "2*m", "2", "", "2")
    there = Claim("m.there", "2*m", "688", "", "688", {"m": "344"})
    assert check([plain, there], VALUES) == []


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("expr", "3*(k*m + k*n + m*n)/bw.hbm"),
        ("expr", "2*(k*m + k*n + m*p)/bw.hbm"),
        ("expr", "2*(k*m"),
        ("expr", "1/(n - k)"),
        ("exact", "39190529/3350000000000"),
        ("exact", "what"),
        ("shown", "11.8 µs"),
        ("shown", "11.7 ms"),
        ("shown", "11.7 µB"),
        ("shown", "soon"),
        ("at", {"m": "345"}),
        ("at", {"m": "q"}),
    ],
)
def test_any_part_that_is_off_is_found(field: str, value: object) -> None:
    parts = {name: getattr(MEMORY, name) for name in ("id", "expr", "exact", "unit", "shown", "at")}
    faults = check([Claim(**(parts | {field: value}))], VALUES)
    assert [fault.id for fault in faults] == ["time.memory"]
    assert "\n" not in str(faults[0])


@pytest.mark.parametrize(
    ("expr", "exact", "holds"),
    [
        ("n*k > 3*(n + k)", "true", True),
        ("n*k > 3*(n + k)", "false", False),
        ("n = k", "true", True),
        ("n != k", "true", False),
        ("n >= k", "true", True),
        ("n > k", "false", True),
        ("1/(k - n + bw.hbm) < ∞", "true", True),
        ("n", "true", False),
    ],
)
def test_truths(expr: str, exact: str, holds: bool) -> None:
    assert (check([Claim("t", expr, exact, "", "")], VALUES) == []) is holds


def test_values_that_go_in_circles_have_no_number() -> None:
    faults = check([MEMORY], {**VALUES, "n": "k", "k": "n"})
    assert "depends on itself" in faults[0].found


def test_irrational_and_long_numbers() -> None:
    root = Claim("root", "sqrt(2)*n", "4096*sqrt(2)", "", "5793")
    long = Claim("long", "7**300", "~3.38301260730138e253", "", "")
    assert [fault.id for fault in check([root, long], VALUES)] == ["long"]
    exact = f"~{thirty_digits(7**300)}"
    assert check([Claim("long", "7**300", exact, "", "")], VALUES) == []


def thirty_digits(value: int) -> str:
    digits = str(value)
    return f"{digits[0]}.{digits[1:30]}e{len(digits) - 1}"


def test_statements_read_back() -> None:
    found = read_statement(f"   {statement(MEMORY)}  ")
    assert found == Claim(MEMORY.id, MEMORY.expr, MEMORY.exact, "s", "", {"m": "344"})
    truth = Claim("t", "a = b", "true", "", "")
    assert read_statement(statement(truth)) == truth


@given(st.text(max_size=80))
def test_any_line_is_read_or_not(line: str) -> None:
    found = read_statement(line)
    assert found is None or read_statement(statement(found)) == found
    named = read_value(line)
    assert named is None or all(named)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("value m = 64", ("m", "64")),
        ("value ridge.fp16 = peak.fp16/bw.hbm [FLOP/byte]", ("ridge.fp16", "peak.fp16/bw.hbm")),
        ("value N = 2*(K + 1)", ("N", "2*(K + 1)")),
        ("value t.under = Hkv*S + H", ("t.under", "Hkv*S + H")),
        ("values m = 64", None),
    ],
)
def test_values_read_back(line: str, found: object) -> None:
    assert read_value(line) == found


@pytest.mark.parametrize(
    ("shown", "exact", "unit", "agrees"),
    [
        ("12.4 µs", Rational(12449, 10**9), "s", True),
        ("12.4 µs", Rational(12451, 10**9), "s", False),
        ("989 TFLOP/s", Integer(989 * 10**12), "FLOP/s", True),
        ("10,000", Integer(10_000), "", True),
        ("99.3 %", Rational(993, 1000), "", True),
        ("∞", oo, "FLOP/byte", True),
        ("∞", Integer(1), "FLOP/byte", False),
        ("1.2e+15", Integer(1_200_000_000_000_000), "", True),
        ("1.2e+15", Integer(1_260_000_000_000_000), "", False),
        ("-3", Integer(-3), "", True),
        ("2 h", Integer(7200), "s", True),
    ],
)
def test_what_is_shown_is_rounded_right(shown: str, exact: object, unit: str, agrees: bool) -> None:
    assert shown_agrees(shown, exact, unit) is agrees


@given(st.fractions(min_value=Fraction(1, 10**9), max_value=10**12))
def test_human_numbers_agree_with_what_they_are_from(value: Fraction) -> None:
    from symroof.units import Quantity, human

    for unit in ("s", "byte", "FLOP/s", "FLOP/byte", ""):
        exact = Rational(value.numerator, value.denominator)
        assert shown_agrees(human(Quantity(exact, unit), 4), exact, unit)
