"""Numbers that people give: read exactly, refused with their place."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import Rational

import symroof as sr
from symroof.errors import InputError, UnitError
from symroof.serving.inputs import amount, count, number


def test_decimals_are_exact() -> None:
    assert number(0.45, "prefill") == Rational(9, 20)
    assert number("1.1e3", "tokens") == 1100


def test_tokens_are_plain_numbers() -> None:
    assert number(sr.Quantity("512 token"), "prefill") == 512
    with pytest.raises(UnitError, match="prefill: expected a plain number, not 512 byte"):
        number(sr.Quantity("512 byte"), "prefill")


@pytest.mark.parametrize("wrong", [None, [], {}, "", "a b", float("nan"), -1, b"1", 1j])
def test_what_is_no_number_is_refused_with_its_place(wrong: Any) -> None:
    for read in (number, count):
        with pytest.raises(InputError, match=r"^here: "):
            read(wrong, "here")


def test_amounts() -> None:
    assert amount("0 s", "s", "wait", zero=True).value == 0
    with pytest.raises(UnitError, match=r"wait: .*bare|wait: expected an amount in s"):
        amount("3", "s", "wait")


@pytest.mark.parametrize("wrong", ["peak", "bw.hbm", "nan", "-x", "-1/x"])
def test_names_of_something_else_and_formulas_below_zero_are_refused(wrong: str) -> None:
    with pytest.raises(InputError, match=r"^here: "):
        number(wrong, "here")


def test_any_finite_number_where_there_is_no_least() -> None:
    assert number(-3, "spread", least=None) == -3
    with pytest.raises(InputError, match="spread: expected a finite number"):
        number(float("inf"), "spread", least=None)


@pytest.mark.parametrize("wrong", [None, [], float("nan"), True, "", "x s", "nan s"])
def test_amounts_that_are_none_have_their_place(wrong: Any) -> None:
    with pytest.raises((InputError, UnitError), match=r"^wait: "):
        amount(wrong, "s", "wait")


def test_an_amount_in_another_unit_has_an_example() -> None:
    with pytest.raises(UnitError, match="tpot: expected an amount in s, as in '20 ms'; got 20"):
        amount(sr.Quantity(20, ""), "s", "tpot")
