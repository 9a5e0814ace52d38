from __future__ import annotations

import pytest

from symroof.errors import InputError
from symroof.models.hf import from_hf_config

from .counted import small


def layers(name: str, **fields):
    return from_hf_config(small(name, **fields)).decoder.layers


def test_llama_has_biases_where_the_file_asks_for_them():
    ((layer, _),) = layers("llama", attention_bias=False, mlp_bias=False)
    assert (layer.mixer.qkv_bias, layer.mixer.out_bias, layer.feed_forward.bias) == (False,) * 3
    ((layer, _),) = layers("llama", attention_bias=True, mlp_bias=True)
    assert (layer.mixer.qkv_bias, layer.mixer.out_bias, layer.feed_forward.bias) == (True,) * 3


def test_mistral_has_a_window_if_the_file_has_one():
    ((layer, _),) = layers("mistral", sliding_window=4096)
    assert layer.mixer.window == 4096
    ((layer, _),) = layers("mistral", sliding_window=None)
    assert layer.mixer.window is None


def test_mistral_may_list_the_kinds_of_its_layers():
    kinds = ["full_attention", *["sliding_attention"] * 5]
    found = layers("mistral", sliding_window=16, layer_types=kinds)
    assert [(layer.name, layer.mixer.window, count) for layer, count in found] == [
        ("global", None, 1),
        ("local", 16, 5),
    ]


def test_key_value_heads_are_asked_for_where_the_class_has_a_default_of_its_own():
    with pytest.raises(InputError, match="missing field 'num_key_value_heads' of mistral"):
        layers("mistral", num_key_value_heads=None)
    ((layer, _),) = from_hf_config(small("mistral"), num_key_value_heads=None).decoder.layers
    assert layer.mixer.kv_heads == layer.mixer.heads


def test_layers_of_smollm3_without_rotation_are_as_the_others():
    config = from_hf_config(small("smollm3", no_rope_layers=[1, 1, 1, 0, 1, 1]))
    assert len(config.decoder.layers) == 1
    assert not config.left_out


def test_windows_of_smollm3_are_refused():
    with pytest.raises(InputError, match="use_sliding_window: true: windows"):
        layers("smollm3", use_sliding_window=True)
