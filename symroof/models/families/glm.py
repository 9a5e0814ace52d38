"""GLM-4 with two norms for each part, its predecessor, and GLM-4.5 with experts."""

from __future__ import annotations

from symroof.models.config import Layer, ModelConfig
from symroof.models.families.common import decoder_only, gated, heads_of
from symroof.models.families.deepseek import (
    dense_then_experts,
    predicted_layers,
    shared_and_routed,
)
from symroof.models.families.patterns import layer_count
from symroof.models.families.registry import family
from symroof.models.fields import Fields


@family("glm")
def glm(f: Fields) -> ModelConfig:
    """Read GLM-4-9B."""
    return _dense(f, post_norms=False)


@family("glm4")
def glm4(f: Fields) -> ModelConfig:
    """Read GLM-4-0414: norms before and after each part."""
    return _dense(f, post_norms=True)


@family("glm4_moe")
def glm4_moe(f: Fields) -> ModelConfig:
    """Read GLM-4.5."""
    hidden = f.dim("hidden_size")
    bias = f.flag("attention_bias", default=False)
    normed = f.flag("use_qk_norm", default=False)
    attention = heads_of(
        f, hidden, qkv_bias=bias, query_norm="head" if normed else "", kv_required=True
    )
    predicted_layers(f)
    layers = dense_then_experts(f, attention, shared_and_routed(f, correction=True))
    return decoder_only(f, hidden, layers)


def _dense(f: Fields, *, post_norms: bool) -> ModelConfig:
    hidden = f.dim("hidden_size")
    attention = heads_of(
        f,
        hidden,
        qkv_bias=f.flag("attention_bias", default=True),
        size=f.dim("head_dim", default=128),
        kv_required=True,
    )
    layer = Layer(attention, gated(f), post_norms=post_norms)
    return decoder_only(f, hidden, [(layer, layer_count(f))])
