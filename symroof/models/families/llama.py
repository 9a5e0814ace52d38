"""Llama, Mistral and others with the same layers."""

from __future__ import annotations

from symroof.models.config import Layer, ModelConfig
from symroof.models.families.common import decoder_only, gated, heads_of
from symroof.models.families.patterns import (
    FULL,
    Kinds,
    layer_count,
    listed_kinds,
    one_network,
    window_kinds,
    windowed,
)
from symroof.models.families.registry import family
from symroof.models.fields import Fields

LLAMA = {
    "vocab_size": 32000,
    "hidden_size": 4096,
    "intermediate_size": 11008,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "hidden_act": "silu",
    "max_position_embeddings": 2048,
}
MISTRAL = {
    "vocab_size": 32000,
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "hidden_act": "silu",
    "max_position_embeddings": 131072,
    "sliding_window": 4096,
}


@family("llama", nested=LLAMA)
@family("granite")
def llama(f: Fields) -> ModelConfig:
    """Read Llama, and Granite, which differs by constant factors only."""
    return _dense(f)


@family("mistral", nested=MISTRAL)
@family("ministral")
def mistral(f: Fields) -> ModelConfig:
    """Read Mistral; a file without a window, or with null there, has none."""
    hidden = f.dim("hidden_size")
    window, count = f.dim_or_none("sliding_window"), layer_count(f)
    kinds = listed_kinds(f, count, window_kinds(window))
    attention, network = heads_of(f, hidden, kv_required=True), one_network(gated(f))
    return decoder_only(f, hidden, windowed(f, count, kinds, attention, window, network))


@family("smollm3")
def smollm3(f: Fields) -> ModelConfig:
    """Read SmolLM3, some layers of which do not rotate queries and keys."""
    f.read("no_rope_layers", "no_rope_layer_interval", "sliding_window", "max_window_layers")
    f.refuse("use_sliding_window", "windows of this family are not modelled")
    listed_kinds(f, layer_count(f), Kinds.all(FULL), among=(FULL,))
    return _dense(f, tied=True, kv_required=True)


def _dense(f: Fields, *, tied: bool = False, kv_required: bool = False) -> ModelConfig:
    hidden = f.dim("hidden_size")
    bias = f.flag("attention_bias", default=False)
    attention = heads_of(f, hidden, qkv_bias=bias, out_bias=bias, kv_required=kv_required)
    network = gated(f, bias=f.flag("mlp_bias", default=False))
    return decoder_only(f, hidden, [(Layer(attention, network), layer_count(f))], tied=tied)
