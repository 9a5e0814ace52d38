"""The text part of Llama 4: chunks of attention, experts in all layers or in some."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from symroof.models.config import FeedForward, Layer, Mixture, ModelConfig
from symroof.models.families.common import activation, decoder_only, heads_of
from symroof.models.families.patterns import CHUNKED, FULL, layer_count, layers_of
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
        activation=act,
        shared=FeedForward(width, activation=act),
    )
    dense = FeedForward(f.dim("intermediate_size_mlp", default=width), activation=act)
    chunk = f.dim_or_none("attention_chunk_size")
    local = attention if chunk is None else replace(attention, chunk=chunk)
    seen = {"local": local, "global": replace(attention, rotary=False)}
    sees, sparse = _attention_kind(f), _is_sparse(f)

    def layer_at(index: int) -> Layer:
        place = sees(index)
        if sparse(index):
            return Layer(seen[place], experts, name=f"{place}_moe")
        return Layer(seen[place], dense, name=f"{place}_dense")

    return decoder_only(f, hidden, layers_of(f, layer_count(f), layer_at))


def _attention_kind(f: Fields) -> Callable[[int], str]:
    """Return what tells layers with chunks from those that see all tokens."""
    named = f.items("layer_types")
    rotated = f.items("no_rope_layers")
    step = f.whole("no_rope_layer_interval", default=4, least=1)
    if named:
        names = {CHUNKED: "local", FULL: "global"}
        return lambda i: names[_entry(f, "layer_types", named, i, tuple(names))]
    if rotated:
        return lambda i: "local" if _entry(f, "no_rope_layers", rotated, i, (0, 1)) else "global"
    return lambda i: "local" if (i + 1) % step else "global"


def _is_sparse(f: Fields) -> Callable[[int], bool]:
    chosen = f.items("moe_layers")
    step = f.whole("interleave_moe_layer_step", default=1, least=1)
    if chosen is not None:
        return lambda i: i in chosen
    return lambda i: (i + 1) % step == 0


def _entry(f: Fields, name: str, given: list[Any], index: int, among: tuple[Any, ...]) -> Any:
    if index >= len(given):
        raise f.error(name, f"{len(given)} entries, fewer than layers")
    if given[index] not in among:
        expected = " or ".join(map(str, among))
        raise f.error(f"{name}[{index}]", f"expected {expected}, not {kind(given[index])}")
    return given[index]
