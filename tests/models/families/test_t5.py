from __future__ import annotations

import pytest

from symroof.errors import InputError
from symroof.models.hf import from_hf_config

from .counted import PUBLISHED, small


def test_t5_small_has_two_stacks_that_share_a_table() -> None:
    found = from_hf_config(PUBLISHED["t5-small"][0])
    ((decoder, decoders),) = found.decoder.layers
    ((encoder, encoders),) = found.encoder.layers
    assert (decoders, encoders, found.encoder_embedding, found.context) == (6, 6, None, 512)
    assert (decoder.cross.heads, encoder.cross) == (8, None)
    assert (found.decoder.causal, found.encoder.causal) == (True, False)
    assert found.head.tied


def test_all_layers_of_a_stack_share_a_bias_of_32_distances_for_each_head() -> None:
    found = from_hf_config(PUBLISHED["t5-small"][0])
    assert (found.decoder.relative, found.encoder.relative) == (32 * 8, 32 * 8)


def test_heads_need_not_fill_the_hidden_size() -> None:
    mixer = from_hf_config(small("t5")).decoder.layers[0][0].mixer
    assert (mixer.heads, mixer.head_dim) == (4, 20)


def test_flan_t5_has_gates_and_a_head_of_its_own() -> None:
    found = from_hf_config(PUBLISHED["flan-t5-base"][0])
    network = found.decoder.layers[0][0].feed_forward
    assert (network.gated, network.activation, found.head.tied) == (True, "gelu", False)


def test_as_many_decoder_layers_as_encoder_layers_where_the_file_does_not_say() -> None:
    found = from_hf_config(PUBLISHED["t5-small"][0])
    assert "num_decoder_layers = 6" in found.defaults


def test_an_unknown_network_is_refused() -> None:
    with pytest.raises(InputError, match="config: feed_forward_proj: unknown 'gated-mish'"):
        from_hf_config(small("t5", feed_forward_proj="gated-mish"))
