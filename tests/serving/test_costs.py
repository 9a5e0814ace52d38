"""Costs by hand."""

from __future__ import annotations

import pytest

import symroof as sr
from symroof.errors import InputError, UnitError
from symroof.serving.costs import cost_per_million_tokens


def test_million_tokens_by_hand() -> None:
    """Eight chips at 1.80 USD/h are 0.004 USD/s; a million tokens at 1000/s take 1000 s."""
    assert cost_per_million_tokens("1.80 USD/h", 8, "1000 token/s") == sr.Quantity("4 USD")


def test_free_chips_cost_nothing() -> None:
    assert cost_per_million_tokens("0 USD/h", 4, "5000 token/s").value == 0


def test_cost_keeps_symbols() -> None:
    found = cost_per_million_tokens("3.60 USD/h", "n", sr.Quantity("x", "token/s"))
    assert found.at(n=2, x="500 token/s") == sr.Quantity("4 USD")


def test_bad_input() -> None:
    with pytest.raises(UnitError, match="price_per_chip: expected an amount in USD/s"):
        cost_per_million_tokens("2 USD", 8, "1 token/s")
    with pytest.raises(InputError, match="throughput: expected a positive amount"):
        cost_per_million_tokens("2 USD/h", 8, "0 token/s")
    with pytest.raises(InputError, match="chips: expected a number above 0"):
        cost_per_million_tokens("2 USD/h", 0, "1 token/s")
