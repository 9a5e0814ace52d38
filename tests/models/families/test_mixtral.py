from __future__ import annotations

import pytest

from symroof.models.hf import from_hf_config

from .counted import small


@pytest.mark.parametrize(("given", "window"), [(None, None), (4096, 4096)])
def test_mixtral_has_experts_in_each_layer_and_a_window_if_given(given, window):
    ((layer, _),) = from_hf_config(
        small("mixtral", sliding_window=given, num_local_experts=8, num_experts_per_tok=2)
    ).decoder.layers
    assert layer.mixer.window == window
    assert (layer.feed_forward.experts, layer.feed_forward.top_k) == (8, 2)
    assert layer.feed_forward.shared is None


def test_olmoe_norms_all_heads_together():
    ((layer, _),) = from_hf_config(small("olmoe")).decoder.layers
    assert layer.mixer.query_norm == "full"


def test_experts_may_be_a_symbol():
    ((layer, _),) = from_hf_config(small("mixtral"), num_local_experts="E").decoder.layers
    assert str(layer.feed_forward.experts) == "E"
