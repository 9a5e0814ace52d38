"""Mixtral, OLMoE and Granite with experts: every layer has experts, none of them shared."""

from __future__ import annotations

from symroof.models.config import Layer, Mixture, ModelConfig
from symroof.models.families.common import decoder_only, heads_of
from symroof.models.families.patterns import (
    layer_count,
    one_network,
    window_kinds,
    windowed,
)
from symroof.models.families.registry import family
from symroof.models.fields import Fields


@family("mixtral")
def mixtral(f: Fields) -> ModelConfig:
    """Read Mixtral."""
    hidden = f.dim("hidden_size")
    window = f.dim_or_none("sliding_window")
    kinds = window_kinds(window)
    attention, network = heads_of(f, hidden, kv_required=True), one_network(_experts(f))
    layers = windowed(f, layer_count(f), kinds, attention, window, network)
    return decoder_only(f, hidden, layers)


@family("olmoe")
def olmoe(f: Fields) -> ModelConfig:
    """Read OLMoE: norms over all heads of queries and keys together."""
    f.read("clip_qkv")
    return _plain(f, "full")


@family("granitemoe")
def granitemoe(f: Fields) -> ModelConfig:
    """Read Granite with experts."""
    return _plain(f, "")


def _plain(f: Fields, query_norm: str) -> ModelConfig:
    hidden = f.dim("hidden_size")
    bias = f.flag("attention_bias", default=False)
    attention = heads_of(f, hidden, qkv_bias=bias, out_bias=bias, query_norm=query_norm)
    return decoder_only(f, hidden, [(Layer(attention, _experts(f)), layer_count(f))])


def _experts(f: Fields) -> Mixture:
    f.read("hidden_act")
    return Mixture(
        f.dim("num_local_experts", "num_experts"),
        f.dim("num_experts_per_tok"),
        f.dim("intermediate_size"),
    )
