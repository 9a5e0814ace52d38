"""Command R and Command A: side by side behind one norm, whose weights have no bias."""

from __future__ import annotations

from dataclasses import replace

from symroof.models.config import Attention, Layer, ModelConfig, Norm
from symroof.models.families.common import decoder_only, gated, heads_of
from symroof.models.families.patterns import (
    every,
    layer_count,
    listed_kinds,
    one_network,
    windowed,
)
from symroof.models.families.registry import family
from symroof.models.fields import Fields

NORM = Norm("layer")


@family("cohere")
def cohere(f: Fields) -> ModelConfig:
    """Read Command R; with norms on queries and keys, each head has weights of its own."""
    normed = f.flag("use_qk_norm", default=False)
    layer = replace(_like(_heads(f, "full" if normed else "")), feed_forward=gated(f))
    hidden = f.dim("hidden_size")
    return decoder_only(f, hidden, [(layer, layer_count(f))], norm=NORM, tied=True)


@family("cohere2")
def cohere2(f: Fields) -> ModelConfig:
    """Read Command R7B and Command A: three layers in four have a window."""
    f.read("order_of_interleaved_layers", "layer_switch", "use_embedding_sharing")
    f.read("use_gated_activation", "use_parallel_block", "use_parallel_embedding")
    f.refuse("use_qk_norm", "norms on queries and keys are not modelled here")
    step = f.whole("sliding_window_pattern", "_sliding_window_pattern", default=4, least=1)
    count, attention, network = layer_count(f), _heads(f, ""), gated(f)
    kinds = listed_kinds(f, count, every(step))
    window = f.dim_or_none("sliding_window")
    like = _like(attention)
    layers = windowed(f, count, kinds, attention, window, one_network(network), like=like)
    return decoder_only(f, f.dim("hidden_size"), layers, norm=NORM, tied=True)


def _heads(f: Fields, query_norm: str) -> Attention:
    hidden = f.dim("hidden_size")
    bias = f.flag("attention_bias", default=False)
    return heads_of(f, hidden, qkv_bias=bias, out_bias=bias, query_norm=query_norm)


def _like(attention: Attention) -> Layer:
    return Layer(attention, None, norm=NORM, parallel=True, shared_norm=True)
