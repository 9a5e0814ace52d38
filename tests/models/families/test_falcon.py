from __future__ import annotations

import pytest
from sympy import Integer

from symroof.errors import InputError
from symroof.models.config import Layer
from symroof.models.hf import from_hf_config

from .counted import PUBLISHED, small


def layer(name: str, **fields: object) -> Layer:
    ((found, _),) = from_hf_config(small(name, **fields)).decoder.layers
    return found


def test_falcon_7b_has_one_key_value_head_and_one_norm_for_both_parts() -> None:
    ((found, count),) = from_hf_config(PUBLISHED["falcon-7b"][0]).decoder.layers
    assert (found.mixer.heads, found.mixer.kv_heads, found.mixer.head_dim) == (71, 1, 64)
    assert (found.parallel, found.shared_norm, count) == (True, True, 32)
    assert found.feed_forward.width == 4 * 4544


def test_falcon_40b_has_groups_and_a_norm_for_each_part() -> None:
    ((found, _),) = from_hf_config(PUBLISHED["falcon-40b"][0]).decoder.layers
    assert (found.mixer.heads, found.mixer.kv_heads) == (128, 8)
    assert (found.parallel, found.shared_norm) == (True, False)


def test_parallel_attn_is_ignored_in_the_new_architecture() -> None:
    assert layer("falcon_new", parallel_attn=False).parallel


def test_falcon_rw_has_parts_in_turn_all_heads_and_no_rotation() -> None:
    found = layer("falcon_rw")
    assert (found.parallel, found.mixer.kv_heads, found.mixer.rotary) == (False, Integer(4), False)
    assert found.mixer.out_bias


def test_kv_heads_of_the_new_architecture_divide_its_heads() -> None:
    with pytest.raises(
        InputError, match="config: num_kv_heads: 4 query heads do not divide over 3"
    ):
        layer("falcon_new", num_kv_heads=3)
