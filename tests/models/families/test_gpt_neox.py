from __future__ import annotations

from symroof.models.hf import from_hf_config

from .counted import PUBLISHED, small


def test_neox_20b_is_parallel_with_a_norm_for_each_part() -> None:
    ((layer, count),) = from_hf_config(PUBLISHED["gpt-neox-20b"][0]).decoder.layers
    assert (count, layer.mixer.heads, layer.mixer.head_dim) == (44, 64, 96)
    assert (layer.parallel, layer.shared_norm, layer.mixer.out_bias) == (True, False, True)


def test_parts_may_be_in_turn() -> None:
    ((layer, _),) = from_hf_config(small("gpt_neox", use_parallel_residual=False)).decoder.layers
    assert not layer.parallel
