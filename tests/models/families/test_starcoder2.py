from __future__ import annotations

from symroof.models.hf import from_hf_config

from .counted import PUBLISHED, small


def test_starcoder2_3b() -> None:
    found = from_hf_config(PUBLISHED["starcoder2-3b"][0])
    ((layer, count),) = found.decoder.layers
    mixer = layer.mixer
    assert (count, mixer.heads, mixer.kv_heads, mixer.head_dim) == (30, 24, 2, 128)
    assert (mixer.window, mixer.out_bias, layer.feed_forward.bias) == (4096, True, True)
    assert (layer.feed_forward.gated, layer.norm.kind, found.head.tied) == (False, "layer", True)


def test_one_field_is_for_all_biases() -> None:
    ((layer, _),) = from_hf_config(small("starcoder2", use_bias=False)).decoder.layers
    biases = (layer.mixer.qkv_bias, layer.mixer.out_bias, layer.feed_forward.bias)
    assert biases == (False, False, False)
