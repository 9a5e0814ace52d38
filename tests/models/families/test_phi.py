from __future__ import annotations

from symroof.models.hf import from_hf_config

from .counted import PUBLISHED, small


def test_phi_2_is_parallel_behind_one_norm_and_its_head_has_a_bias() -> None:
    found = from_hf_config(PUBLISHED["phi-2"][0])
    ((layer, count),) = found.decoder.layers
    assert (count, layer.mixer.heads, layer.mixer.head_dim) == (32, 32, 80)
    assert (layer.parallel, layer.shared_norm, found.head.bias) == (True, True, True)
    assert not layer.feed_forward.gated


def test_norms_of_queries_and_keys_are_of_the_kind_of_the_layer() -> None:
    layer = from_hf_config(small("phi")).decoder.layers[0][0]
    assert (layer.mixer.query_norm, layer.norm.kind, layer.norm.bias) == ("head", "layer", True)


def test_phi_3_has_the_window_that_the_file_has() -> None:
    ((layer, _),) = from_hf_config(PUBLISHED["phi-3-mini"][0]).decoder.layers
    assert (layer.mixer.window, layer.feed_forward.gated) == (2047, True)
    ((layer, _),) = from_hf_config(small("phi3", sliding_window=None)).decoder.layers
    assert layer.mixer.window is None
