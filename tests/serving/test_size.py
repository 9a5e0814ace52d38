"""Numbers of a model: heads in either of two forms, bytes of weights and caches."""

from __future__ import annotations

from typing import Any

import pytest

import symroof as sr
from symroof.errors import InputError, UnitError
from symroof.serving import ModelSize


def value(size: ModelSize, formula: Any) -> Any:
    return sr.Quantity.of(formula, "byte", size.scope).value


def test_group_size_and_numbers_of_heads_are_two_ways_to_say_one_thing() -> None:
    by_group = ModelSize(params=1, hidden=8192, layers=80, group_size=8)
    by_heads = ModelSize(params=1, hidden=8192, layers=80, heads=64, kv_heads=8)
    assert value(by_group, by_group.kv_per_token) == value(by_heads, by_heads.kv_per_token)
    assert value(by_group, by_group.kv_per_token) == 2 * 80 * 1024 * 2


def test_weights_and_caches_of_ones_own() -> None:
    size = ModelSize(params=3, hidden=8, layers=2, weights="4 GB", kv_bytes_per_token="70272 byte")
    assert value(size, size.weights) == 4 * 10**9
    assert value(size, size.kv_per_token) == 70272


@pytest.mark.parametrize(("dtype", "right"), [("bf16", 2000), ("fp8", 1000), ("int4", 500)])
def test_dtype_says_bytes_of_a_value(dtype: str, right: int) -> None:
    size = ModelSize(params=1000, hidden=8, layers=2, dtype=dtype)
    assert value(size, size.weights) == right


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"group_size": 8, "kv_heads": 8}, "give either group_size, or heads and kv_heads"),
        ({"kv_heads": 8}, "heads: kv_heads is given without heads"),
        ({"heads": 30, "kv_heads": 8}, "30 heads do not divide into 8 groups"),
        ({"group_size": 0}, "group_size: expected a number above 0"),
        ({"hidden": 0}, "hidden: expected a whole number of at least 1"),
        ({"layers": 1.5}, "layers: expected a whole number"),
        ({"params": -1}, "params: expected a number above 0"),
        ({"weights": "0 GB"}, "weights: expected a positive amount"),
    ],
)
def test_bad_numbers(given: dict[str, Any], match: str) -> None:
    with pytest.raises(InputError, match=match):
        ModelSize(**{"params": 1, "hidden": 64, "layers": 2, **given})


def test_bytes_need_a_unit() -> None:
    with pytest.raises(UnitError, match="kv_bytes_per_token"):
        ModelSize(params=1, hidden=64, layers=2, kv_bytes_per_token="3 s")
