"""OLMo 2 and 3: norms behind the parts of a layer, and over all heads of queries and keys."""

from __future__ import annotations

from symroof.models.config import Attention, Layer, ModelConfig
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


@family("olmo2")
def olmo2(f: Fields) -> ModelConfig:
    """Read OLMo 2."""
    layer = Layer(_heads(f), gated(f), before=False)
    return decoder_only(f, f.dim("hidden_size"), [(layer, layer_count(f))])


@family("olmo3")
def olmo3(f: Fields) -> ModelConfig:
    """Read OLMo 3: three layers in four have a window."""
    count, attention, network = layer_count(f), _heads(f), gated(f)
    kinds = listed_kinds(f, count, every(4))
    window = f.dim_or_none("sliding_window")
    like = Layer(attention, None, before=False)
    layers = windowed(f, count, kinds, attention, window, one_network(network), like=like)
    return decoder_only(f, f.dim("hidden_size"), layers)


def _heads(f: Fields) -> Attention:
    hidden = f.dim("hidden_size")
    bias = f.flag("attention_bias", default=False)
    return heads_of(f, hidden, qkv_bias=bias, out_bias=bias, query_norm="full")
