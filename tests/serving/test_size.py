"""Numbers of a model: bytes of a value, what is refused."""

from __future__ import annotations

from typing import Any

import pytest

import symroof as sr
from symroof.errors import InputError, UnknownNameError
from symroof.serving import ModelSize


@pytest.mark.parametrize(("dtype", "right"), [("bf16", "2"), ("fp8", "1"), ("int4", "1/2")])
def test_dtype_says_bytes_of_a_value(dtype: str, right: str) -> None:
    size = ModelSize(params=1000, hidden=8, layers=2, dtype=dtype)
    assert sr.Quantity.of(sr.symbols("S_type"), "byte", size.scope) == sr.Quantity(right, "byte")


def test_sizes_may_be_names() -> None:
    size = ModelSize(params="P_model", hidden="2*n", layers=3)
    width = sr.Quantity.of(sr.symbols("D_model"), "", size.scope)
    assert width.at(n=4).value == 8
    assert "P_model" not in size.scope.values


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"hidden": 0}, "hidden: expected a whole number of at least 1"),
        ({"layers": 1.5}, "layers: expected a whole number"),
        ({"params": -1}, "params: expected a number above 0"),
    ],
)
def test_bad_numbers(given: dict[str, Any], match: str) -> None:
    with pytest.raises(InputError, match=match):
        ModelSize(**{"params": 1, "hidden": 64, "layers": 2, **given})


def test_a_dtype_has_a_name() -> None:
    with pytest.raises(UnknownNameError, match="bf17"):
        ModelSize(params=1, hidden=64, layers=2, dtype="bf17")
