"""Phi: side by side behind one norm up to Phi-2, like Llama from Phi-3 on."""

from __future__ import annotations

from symroof.models.config import FeedForward, Layer, ModelConfig
from symroof.models.families.common import LAYER, activation, decoder_only, gated, heads_of
from symroof.models.families.patterns import (
    layer_count,
    listed_kinds,
    one_network,
    window_kinds,
    windowed,
)
from symroof.models.families.registry import family
from symroof.models.fields import Fields


@family("phi")
def phi(f: Fields) -> ModelConfig:
    """Read Phi-1, Phi-1.5 and Phi-2."""
    hidden = f.dim("hidden_size")
    normed = f.flag("qk_layernorm", default=False)
    attention = heads_of(
        f, hidden, qkv_bias=True, out_bias=True, query_norm="head" if normed else ""
    )
    network = FeedForward(
        f.dim("intermediate_size"), gated=False, bias=True, activation=activation(f)
    )
    layer = Layer(attention, network, norm=LAYER, parallel=True, shared_norm=True)
    return decoder_only(f, hidden, [(layer, layer_count(f))], norm=LAYER, head_bias=True)


@family("phi3")
def phi3(f: Fields) -> ModelConfig:
    """Read Phi-3 and Phi-4; a window that is null is none."""
    f.read("attention_bias", "mlp_bias")
    hidden = f.dim("hidden_size")
    attention, network, count = heads_of(f, hidden), gated(f), layer_count(f)
    window = f.dim_or_none("sliding_window")
    kinds = listed_kinds(f, count, window_kinds(window))
    layers = windowed(f, count, kinds, attention, window, one_network(network))
    return decoder_only(f, hidden, layers)
