"""StarCoder2: grouped heads with a window, dense networks with biases."""

from __future__ import annotations

from symroof.models.config import FeedForward, Layer, ModelConfig
from symroof.models.families.common import LAYER, activation, decoder_only, heads_of
from symroof.models.families.patterns import (
    layer_count,
    listed_kinds,
    one_network,
    window_kinds,
    windowed,
)
from symroof.models.families.registry import family
from symroof.models.fields import Fields


@family("starcoder2")
def starcoder2(f: Fields) -> ModelConfig:
    """Read StarCoder2."""
    f.read("mlp_type", "norm_type", "residual_dropout", "embedding_dropout", "activation_function")
    hidden = f.dim("hidden_size")
    bias = f.flag("use_bias", default=True)
    network = FeedForward(
        f.dim("intermediate_size"), gated=False, bias=bias, activation=activation(f)
    )
    attention, count = (
        heads_of(f, hidden, qkv_bias=bias, out_bias=bias, kv_required=True),
        layer_count(f),
    )
    window = f.dim_or_none("sliding_window")
    kinds = listed_kinds(f, count, window_kinds(window))
    like = Layer(attention, None, norm=LAYER)
    layers = windowed(f, count, kinds, attention, window, one_network(network), like=like)
    return decoder_only(f, hidden, layers, norm=LAYER, tied=True)
