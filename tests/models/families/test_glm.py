from __future__ import annotations

from symroof.models.hf import from_hf_config

from .counted import PUBLISHED, small


def test_glm_4_has_two_norms_for_each_part_and_biases_before_attention_only() -> None:
    ((layer, count),) = from_hf_config(PUBLISHED["glm4-9b"][0]).decoder.layers
    assert (count, layer.post_norms, layer.before) == (40, True, True)
    assert (layer.mixer.qkv_bias, layer.mixer.out_bias) == (True, False)


def test_glm_has_one() -> None:
    assert not from_hf_config(small("glm")).decoder.layers[0][0].post_norms


def test_glm_4_5_begins_with_a_dense_layer() -> None:
    dense, sparse = from_hf_config(small("glm4_moe")).decoder.layers
    assert (dense[0].name, dense[1], dense[0].feed_forward.width) == ("dense", 1, 80)
    assert (sparse[0].name, sparse[1]) == ("moe", 5)
    experts = sparse[0].feed_forward
    assert (experts.experts, experts.top_k, experts.width, experts.shared.width) == (6, 2, 24, 24)
    assert experts.correction_bias


def test_layers_that_predict_further_tokens_are_left_out_and_said() -> None:
    found = from_hf_config(small("glm4_moe", num_nextn_predict_layers=1))
    assert any("multi-token prediction" in line for line in found.left_out)
