from __future__ import annotations

import pytest

from symroof.errors import InputError
from symroof.models.hf import from_hf_config
from symroof.symbolic import symbols

from .counted import small


def test_gpt2_has_learned_positions_and_a_head_that_is_the_table():
    config = from_hf_config(small("gpt2", n_positions=64, n_inner=None, tie_word_embeddings=None))
    ((layer, _),) = config.decoder.layers
    assert (config.embedding.positions, config.context, config.head.tied) == (64, 64, True)
    assert layer.feed_forward.width == 4 * config.hidden
    assert (layer.norm.kind, layer.norm.bias, layer.mixer.rotary) == ("layer", True, False)


def test_fields_may_be_replaced_under_any_of_their_names():
    config = from_hf_config(small("gpt2", n_inner=None), hidden_size="D", num_hidden_layers="L")
    assert config.hidden == symbols("D")
    assert config.decoder.layers[0][0].feed_forward.width == 4 * symbols("D")


def test_gpt_bigcode_has_one_key_value_head_unless_the_file_says_otherwise():
    ((layer, _),) = from_hf_config(small("gpt_bigcode", multi_query=True)).decoder.layers
    assert layer.mixer.kv_heads == 1
    ((layer, _),) = from_hf_config(small("gpt_bigcode", multi_query=False)).decoder.layers
    assert layer.mixer.kv_heads == layer.mixer.heads


def test_gptj_adds_attention_and_network_behind_one_norm():
    config = from_hf_config(small("gptj"))
    ((layer, _),) = config.decoder.layers
    assert layer.parallel
    assert layer.shared_norm
    assert not layer.mixer.qkv_bias
    assert config.embedding.positions is None
    assert config.head.bias


def test_heads_share_the_hidden_size():
    with pytest.raises(InputError, match="n_head: 48 does not divide by 5"):
        from_hf_config(small("gpt2", n_head=5))


def test_attention_to_an_encoder_is_refused():
    with pytest.raises(InputError, match="add_cross_attention: true"):
        from_hf_config(small("gpt2", add_cross_attention=True))
