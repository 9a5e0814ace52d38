"""gpt-oss: windows in every second layer, sinks in the softmax, experts with biases."""

from __future__ import annotations

from dataclasses import replace

from symroof.models.config import Mixture, ModelConfig
from symroof.models.families.common import decoder_only, heads_of
from symroof.models.families.patterns import (
    every,
    layer_count,
    listed_kinds,
    one_network,
    windowed,
)
from symroof.models.families.registry import family
from symroof.models.fields import Fields


@family("gpt_oss")
def gpt_oss(f: Fields) -> ModelConfig:
    """Read gpt-oss."""
    f.read("hidden_act", "initial_context_length", "experts_per_token")
    hidden = f.dim("hidden_size")
    bias = f.flag("attention_bias", default=True)
    size = f.dim("head_dim", default=64)
    attention = heads_of(f, hidden, qkv_bias=bias, out_bias=bias, size=size, kv_required=True)
    attention = replace(attention, sinks=True)
    experts = Mixture(
        f.dim("num_local_experts", "num_experts"),
        f.dim("num_experts_per_tok", "experts_per_token"),
        f.dim("intermediate_size"),
        bias=True,
        router_bias=True,
    )
    f.left_out.append("reading biases of experts and sinks of attention, which are kept")
    count = layer_count(f)
    kinds = listed_kinds(f, count, every(2))
    window = f.dim_or_none("sliding_window")
    layers = windowed(f, count, kinds, attention, window, one_network(experts))
    return decoder_only(f, hidden, layers)
