from __future__ import annotations

import pytest

from symroof.errors import InputError
from symroof.models.hf import from_hf_config

from .counted import small


def read(name: str, **fields):
    return from_hf_config(small(name, layer_types=None, **fields))


def windows(config):
    return [(layer.name, layer.mixer.window, count) for layer, count in config.decoder.layers]


def test_every_second_layer_of_gemma2_has_a_window():
    config = read("gemma2", num_hidden_layers=7, sliding_window=16)
    assert windows(config) == [("local", 16, 4), ("global", None, 3)]
    assert config.decoder.layers[0][0].post_norms


def test_one_layer_in_six_of_gemma3_has_none():
    # 34 layers, as in the 4B model: numbers 6, 12, 18, 24 and 30 see all tokens.
    config = read("gemma3_text", num_hidden_layers=34, sliding_window=1024)
    assert windows(config) == [("local", 1024, 29), ("global", None, 5)]
    assert config.decoder.layers[0][0].mixer.query_norm == "head"


def test_the_step_may_be_another():
    config = read("gemma3_text", num_hidden_layers=6, sliding_window=16, sliding_window_pattern=3)
    assert windows(config) == [("local", 16, 4), ("global", None, 2)]


def test_layers_with_a_window_need_one():
    with pytest.raises(InputError, match="sliding_window: missing"):
        read("gemma2", sliding_window=None)


def test_heads_are_256_by_default_and_the_head_is_the_table():
    config = read("gemma", head_dim=None, tie_word_embeddings=None)
    assert config.decoder.layers[0][0].mixer.head_dim == 256
    assert config.head.tied


def test_the_newer_name_of_the_activation_goes_before_the_older():
    config = read("gemma", hidden_act="relu", hidden_activation="gelu_pytorch_tanh")
    assert config.decoder.layers[0][0].feed_forward.activation == "gelu_pytorch_tanh"


def test_the_number_of_layers_may_not_be_a_symbol_where_they_differ():
    with pytest.raises(InputError, match="L layers need layers that are all alike"):
        from_hf_config(small("gemma2", layer_types=None), num_hidden_layers="L")


def test_attention_to_later_tokens_is_refused():
    with pytest.raises(InputError, match="use_bidirectional_attention"):
        read("gemma3_text", use_bidirectional_attention=True)
