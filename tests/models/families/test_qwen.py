from __future__ import annotations

import pytest

from symroof.errors import InputError
from symroof.models.config import FeedForward, Mixture
from symroof.models.hf import from_hf_config

from .counted import small


def read(name: str, **fields):
    return from_hf_config(small(name, **fields))


def test_qwen2_has_biases_of_queries_keys_and_values_only():
    layer, _ = read("qwen2").decoder.layers[0]
    assert (layer.mixer.qkv_bias, layer.mixer.out_bias, layer.mixer.query_norm) == (True, False, "")


def test_qwen3_has_a_norm_over_each_head_and_heads_of_128_by_default():
    config = read("qwen3", head_dim=None)
    ((layer, _),) = config.decoder.layers
    assert (layer.mixer.query_norm, layer.mixer.head_dim) == ("head", 128)
    assert "head_dim = 128" in config.defaults


@pytest.mark.parametrize("name", ["qwen2", "qwen3_moe"])
def test_windows_are_those_of_the_last_layers_if_they_are_used(name):
    used = {"use_sliding_window": True, "sliding_window": 16, "max_window_layers": 4}
    used |= {"decoder_sparse_step": 1, "mlp_only_layers": []} if "moe" in name else {}
    found = read(name, num_hidden_layers=6, layer_types=None, **used).decoder.layers
    assert [(layer.mixer.window, count) for layer, count in found] == [(None, 4), (16, 2)]
    ((layer, _),) = read(
        name, num_hidden_layers=6, layer_types=None, **{**used, "use_sliding_window": False}
    ).decoder.layers
    assert layer.mixer.window is None


def test_every_second_layer_may_be_dense_and_others_by_their_index():
    # Layers 0 2 4 are dense by the step, and 3 by the list.
    found = read("qwen3_moe", decoder_sparse_step=2, mlp_only_layers=[3], num_hidden_layers=6)
    assert [(layer.name, count) for layer, count in found.decoder.layers] == [
        ("dense", 4),
        ("moe", 2),
    ]
    assert isinstance(found.decoder.layers[0][0].feed_forward, FeedForward)


def test_experts_and_windows_go_together():
    found = read(
        "qwen2_moe",
        num_hidden_layers=4,
        decoder_sparse_step=2,
        mlp_only_layers=[],
        use_sliding_window=True,
        sliding_window=16,
        max_window_layers=2,
    )
    assert [(layer.name, count) for layer, count in found.decoder.layers] == [
        ("global_dense", 1),
        ("global_moe", 1),
        ("local_dense", 1),
        ("local_moe", 1),
    ]


def test_the_shared_expert_of_qwen2_moe_has_a_gate():
    found = read("qwen2_moe", decoder_sparse_step=1, mlp_only_layers=[]).decoder.layers
    experts = found[0][0].feed_forward
    assert isinstance(experts, Mixture)
    assert experts.shared is not None
    assert experts.shared_gate


@pytest.mark.parametrize("given", [["a"], [True], [-1], [[0]]])
def test_indices_of_dense_layers_are_indices(given):
    with pytest.raises(InputError, match="mlp_only_layers: expected indices of layers"):
        read("qwen3_moe", mlp_only_layers=given)


def test_a_symbol_for_the_layers_needs_them_alike():
    alike = from_hf_config(
        small("qwen3_moe", decoder_sparse_step=1, mlp_only_layers=[]), num_hidden_layers="L"
    )
    assert str(alike.decoder.depth) == "L"
    with pytest.raises(InputError, match="L layers need layers that are all alike"):
        from_hf_config(small("qwen3_moe", decoder_sparse_step=2), num_hidden_layers="L")
