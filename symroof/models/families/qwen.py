"""Qwen2 and Qwen3, dense and with experts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sympy import Expr

from symroof.models.config import Attention, FeedForward, Mixture, ModelConfig
from symroof.models.families.common import activation, decoder_only, gated, heads_of
from symroof.models.families.patterns import (
    FULL,
    SLIDING,
    Kinds,
    Network,
    layer_count,
    listed_kinds,
    one_network,
    windowed,
)
from symroof.models.families.registry import family
from symroof.models.fields import Fields

QWEN2 = {
    "vocab_size": 151936,
    "hidden_size": 4096,
    "intermediate_size": 22016,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 32,
    "hidden_act": "silu",
    "max_position_embeddings": 32768,
}
QWEN2_VL = {
    **QWEN2,
    "vocab_size": 152064,
    "hidden_size": 8192,
    "intermediate_size": 29568,
    "num_hidden_layers": 80,
    "num_attention_heads": 64,
    "num_key_value_heads": 8,
}
QWEN3 = {**QWEN2, "head_dim": 128}
QWEN3_VL = {**QWEN3, "max_position_embeddings": 128000}


@family("qwen2", nested=QWEN2)
@family("qwen2_vl_text", "qwen2_5_vl_text", nested=QWEN2_VL)
def qwen2(f: Fields) -> ModelConfig:
    """Read Qwen2 and Qwen2.5: biases of queries, keys and values only."""
    hidden = f.dim("hidden_size")
    return _dense(f, hidden, heads_of(f, hidden, qkv_bias=True, kv_required=True))


@family("qwen3", nested=QWEN3)
@family("qwen3_vl_text", nested=QWEN3_VL)
def qwen3(f: Fields) -> ModelConfig:
    """Read Qwen3: a norm over each head of queries and keys."""
    hidden = f.dim("hidden_size")
    return _dense(f, hidden, _normed_heads(f, hidden, f.dim("head_dim", default=128)))


@family("qwen2_moe")
def qwen2_moe(f: Fields) -> ModelConfig:
    """Read Qwen1.5-MoE and Qwen2-MoE: experts, and a gated one that is shared."""
    hidden = f.dim("hidden_size")
    bias = f.flag("qkv_bias", default=True)
    attention = heads_of(f, hidden, qkv_bias=bias, kv_required=True)
    act = activation(f, default="silu")
    shared = FeedForward(f.dim("shared_expert_intermediate_size"), activation=act)
    return _sparse(f, hidden, attention, replace(_experts(f), shared=shared, shared_gate=True))


@family("qwen3_moe")
@family("qwen3_vl_moe_text", nested={"head_dim": 128})
def qwen3_moe(f: Fields) -> ModelConfig:
    """Read Qwen3-MoE: experts, none of them shared."""
    hidden = f.dim("hidden_size")
    attention = _normed_heads(f, hidden)
    return _sparse(f, hidden, attention, _experts(f))


def _normed_heads(f: Fields, hidden: Expr, size: Expr | None = None) -> Attention:
    bias = f.flag("attention_bias", default=False)
    return heads_of(
        f,
        hidden,
        qkv_bias=bias,
        out_bias=bias,
        query_norm="head",
        size=size,
        kv_required=True,
    )


def _dense(f: Fields, hidden: Expr, attention: Attention) -> ModelConfig:
    return _decoder(f, hidden, attention, one_network(gated(f)))


def _experts(f: Fields) -> Mixture:
    f.read("hidden_act")
    return Mixture(
        f.dim("num_experts", "num_local_experts"),
        f.dim("num_experts_per_tok"),
        f.dim("moe_intermediate_size"),
    )


def _sparse(f: Fields, hidden: Expr, attention: Attention, experts: Mixture) -> ModelConfig:
    """Return a model with experts, but for the layers that the file leaves dense."""
    step = f.whole("decoder_sparse_step", default=1, least=1)
    dense_at = f.items("mlp_only_layers") or []
    for index in dense_at:
        if isinstance(index, bool) or not isinstance(index, int) or index < 0:
            raise f.error("mlp_only_layers", "expected indices of layers, from 0")
    if step == 1 and not dense_at:
        f.read("intermediate_size")
        return _decoder(f, hidden, attention, one_network(experts))
    dense = gated(f)

    def network_at(index: int) -> tuple[str, Network]:
        sparse = index not in dense_at and (index + 1) % step == 0
        return ("moe", experts) if sparse else ("dense", dense)

    return _decoder(f, hidden, attention, network_at, networks_alike=False)


def _decoder(
    f: Fields,
    hidden: Expr,
    attention: Attention,
    network_at: Callable[[int], tuple[str, Network]],
    *,
    networks_alike: bool = True,
) -> ModelConfig:
    """Return the model; where windows are used, layers from `max_window_layers` on have one."""
    count = layer_count(f)
    used = f.flag("use_sliding_window", default=False)
    f.read("sliding_window", "max_window_layers")
    window = f.dim_or_none("sliding_window") if used else None
    rule = Kinds.all(FULL)
    if window is not None:
        first = f.whole("max_window_layers")
        rule = Kinds(lambda index: SLIDING if index >= first else FULL)
        rule = Kinds.all(SLIDING) if first == 0 else rule
    layers = windowed(
        f,
        count,
        listed_kinds(f, count, rule),
        attention,
        window,
        network_at,
        networks_alike=networks_alike,
    )
    return decoder_only(f, hidden, layers)
