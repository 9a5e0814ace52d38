"""Gemma, Gemma 2 and the text part of Gemma 3."""

from __future__ import annotations

from symroof.models.activations import ACTIVATIONS
from symroof.models.config import Attention, FeedForward, Layer, ModelConfig
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

GEMMA = {
    "vocab_size": 256000,
    "hidden_size": 3072,
    "intermediate_size": 24576,
    "num_hidden_layers": 28,
    "num_attention_heads": 16,
    "num_key_value_heads": 16,
    "head_dim": 256,
    "max_position_embeddings": 8192,
}
GEMMA2 = {
    "vocab_size": 256000,
    "hidden_size": 2304,
    "intermediate_size": 9216,
    "num_hidden_layers": 26,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "head_dim": 256,
    "max_position_embeddings": 8192,
    "sliding_window": 4096,
}
GEMMA3 = {**GEMMA2, "vocab_size": 262208, "max_position_embeddings": 131072}


@family("gemma", nested=GEMMA)
def gemma(f: Fields) -> ModelConfig:
    """Read Gemma."""
    hidden = f.dim("hidden_size")
    layer = Layer(_heads(f, ""), _network(f))
    return decoder_only(f, hidden, [(layer, layer_count(f))], tied=True)


@family("gemma2", nested=GEMMA2)
def gemma2(f: Fields) -> ModelConfig:
    """Read Gemma 2: every second layer has a window, and each part a norm before and after."""
    return _with_windows(f, 2, "")


@family("gemma3_text", nested=GEMMA3)
def gemma3(f: Fields) -> ModelConfig:
    """Read Gemma 3: one layer in six sees all tokens; queries and keys are normed."""
    step = f.whole("sliding_window_pattern", "_sliding_window_pattern", default=6, least=1)
    return _with_windows(f, step, "head")


def _with_windows(f: Fields, step: int, query_norm: str) -> ModelConfig:
    hidden = f.dim("hidden_size")
    attention, count = _heads(f, query_norm), layer_count(f)
    window = f.dim_or_none("sliding_window")
    layers = windowed(
        f,
        count,
        listed_kinds(f, count, every(step)),
        attention,
        window,
        one_network(_network(f)),
        like=Layer(attention, None, post_norms=True),
    )
    return decoder_only(f, hidden, layers, tied=True)


def _heads(f: Fields, query_norm: str) -> Attention:
    f.refuse("use_bidirectional_attention", "attention to later tokens is not modelled here")
    bias = f.flag("attention_bias", default=False)
    hidden = f.dim("hidden_size")
    return heads_of(
        f,
        hidden,
        qkv_bias=bias,
        out_bias=bias,
        query_norm=query_norm,
        size=f.dim("head_dim", default=256),
        kv_required=True,
    )


def _network(f: Fields) -> FeedForward:
    # Files of the first Gemma may have a second name, whose value its class does not use.
    name = "hidden_activation" if f.says("hidden_activation") else "hidden_act"
    act = f.one_of(name, among=ACTIVATIONS, default="gelu_pytorch_tanh")
    f.read("hidden_act", "hidden_activation")
    return FeedForward(f.dim("intermediate_size"), activation=act)
