"""The text part of Llama 4: chunks of attention, experts in all layers or in some."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from symroof.models.config import FeedForward, Layer, Mixture, ModelConfig
from symroof.models.families.common import activation, decoder_only, heads_of
from symroof.models.families.patterns import (
    CHUNKED,
    FULL,
    Kinds,
    every,
    layer_count,
    layers_of,
    listed_kinds,
)
from symroof.models.families.registry import family
from symroof.models.fields import Fields
from symroof.models.hf_file import kind

LLAMA4 = {
    "vocab_size": 202048,
    "hidden_size": 5120,
    "intermediate_size": 8192,
    "intermediate_size_mlp": 16384,
    "num_hidden_layers": 48,
    "num_attention_heads": 40,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "max_position_embeddings": 131072,
    "num_experts_per_tok": 1,
    "num_local_experts": 16,
    "attention_chunk_size": 8192,
}


@family("llama4_text", nested=LLAMA4)
def llama4(f: Fields) -> ModelConfig:
    """Read Llama 4 Scout and Maverick."""
    hidden = f.dim("hidden_size")
    bias = f.flag("attention_bias", default=False)
    size = f.dim("head_dim", default=128)
    attention = heads_of(f, hidden, qkv_bias=bias, out_bias=bias, size=size, kv_required=True)
    if f.flag("use_qk_norm", default=True):
        f.left_out.append("norms of queries and keys, which have no weights")
    act = activation(f, default="silu")
    width = f.dim("intermediate_size")
    experts = Mixture(
        f.dim("num_local_experts"),
        f.dim("num_experts_per_tok"),
        width,
        shared=FeedForward(width, activation=act),
    )
    dense = FeedForward(f.dim("intermediate_size_mlp", default=width), activation=act)
    chunk = f.dim_or_none("attention_chunk_size")
    local = attention if chunk is None else replace(attention, chunk=chunk)
    seen = {"local": local, "global": replace(attention, rotary=False)}
    count, sparse = layer_count(f), _is_sparse(f)
    kinds = listed_kinds(f, count, _by_rotation(f), among=(CHUNKED, FULL))

    def layer_at(index: int) -> Layer:
        place = "local" if kinds.at(index) == CHUNKED else "global"
        if sparse(index):
            return Layer(seen[place], experts, name=f"{place}_moe")
        return Layer(seen[place], dense, name=f"{place}_dense")

    return decoder_only(f, hidden, layers_of(f, count, layer_at))


def _by_rotation(f: Fields) -> Kinds:
    """Return the kinds of layers where the file lists which rotate: those attend within chunks."""
    rotated = f.items("no_rope_layers")
    step = f.whole("no_rope_layer_interval", default=4, least=1)
    if not rotated:
        return every(step, others=CHUNKED)
    return Kinds(lambda index: CHUNKED if _entry(f, rotated, index) else FULL)


def _is_sparse(f: Fields) -> Callable[[int], bool]:
    chosen = f.items("moe_layers")
    step = f.whole("interleave_moe_layer_step", default=1, least=1)
    if chosen is not None:
        return lambda i: i in chosen
    return lambda i: (i + 1) % step == 0


def _entry(f: Fields, rotated: list[Any], index: int) -> int:
    name = "no_rope_layers"
    if index >= len(rotated):
        raise f.error(name, f"{len(rotated)} entries, fewer than layers")
    if rotated[index] not in (0, 1):
        raise f.error(f"{name}[{index}]", f"expected 0 or 1, not {kind(rotated[index])}")
    return int(rotated[index])
