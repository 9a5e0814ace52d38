from __future__ import annotations

import pytest

from symroof.errors import InputError
from symroof.models.config import FeedForward, LatentAttention, Mixture
from symroof.models.hf import from_hf_config

from .counted import small


def test_the_first_layers_are_dense_and_the_others_have_experts():
    config = from_hf_config(
        small("deepseek_v3", num_hidden_layers=6, first_k_dense_replace=2, n_shared_experts=3)
    )
    (dense, two), (moe, four) = config.decoder.layers
    assert (dense.name, two, moe.name, four) == ("dense", 2, "moe", 4)
    assert isinstance(dense.feed_forward, FeedForward)
    assert isinstance(moe.feed_forward, Mixture)
    assert moe.feed_forward.shared.width == 3 * moe.feed_forward.width
    assert moe.feed_forward.correction_bias


def test_version_2_has_no_number_that_balances_the_routing():
    config = from_hf_config(small("deepseek_v2"))
    assert not config.decoder.layers[-1][0].feed_forward.correction_bias


def test_the_lite_model_has_one_full_matrix_of_queries():
    mixer = from_hf_config(small("deepseek_v2_lite")).decoder.layers[0][0].mixer
    assert isinstance(mixer, LatentAttention)
    assert mixer.query_rank is None


def test_layers_that_predict_further_tokens_are_left_out_in_words():
    config = from_hf_config(small("deepseek_v3", num_nextn_predict_layers=1))
    assert any("multi-token prediction: 1 further layer" in line for line in config.left_out)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"moe_layer_freq": 2}, "moe_layer_freq: the number 2: experts in some"),
        ({"attention_bias": True}, "attention_bias: true: biases of latent attention"),
        ({"kv_lora_rank": None}, "missing field 'kv_lora_rank' of deepseek_v3"),
        ({"first_k_dense_replace": -1}, "first_k_dense_replace: expected a whole number"),
    ],
)
def test_what_is_not_modelled_or_missing_is_refused(fields, message):
    with pytest.raises(InputError, match=message):
        from_hf_config(small("deepseek_v3", **fields))


def test_ranks_may_be_symbols():
    mixer = from_hf_config(small("deepseek_v3"), kv_lora_rank="R").decoder.layers[0][0].mixer
    assert str(mixer.rank) == "R"
