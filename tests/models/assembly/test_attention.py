from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from sympy import Integer

import symroof as sr
from symroof.errors import InputError
from symroof.graph import Role
from symroof.models.config import Attention, FeedForward, Layer, Norm

from ..configs import t5
from .steps import HIDDEN, built, config, leaves_of, on_a_chip, ops_of

B, S, T, W = sr.symbols("B S T W")
PLAIN = Attention(Integer(8), Integer(2), Integer(16))


def layer(**options: Any) -> Layer:
    return Layer(replace(PLAIN, **options), FeedForward(Integer(96)))


def test_names_and_shapes() -> None:
    found = leaves_of(built(config(layer()), (B, 1, S)).graph)
    expected = {
        "layer/w_q": (HIDDEN, 128),
        "layer/w_k": (HIDDEN, 32),
        "layer/w_v": (HIDDEN, 32),
        "layer/w_o": (128, HIDDEN),
        "layer/k_cache": (B, 2, S, 16),
        "layer/v_cache": (B, 2, S, 16),
        "layer/w_attn_norm": (HIDDEN,),
        "layer/w_ffn_norm": (HIDDEN,),
        "lm_head": (HIDDEN, 1000),
        "embedding": (1000, HIDDEN),
    }
    assert expected.items() <= found.items()


def test_attention_reads_the_cache_with_the_new_tokens() -> None:
    graph = built(config(layer()), (B, 1, S)).graph
    attended = graph.op("layer/attended")
    assert [t.producer.name for t in attended.inputs[1:]] == ["k_cache_new", "v_cache_new"]
    assert attended.inputs[1].base is graph.tensor("layer/k_cache")


def test_groups_attend_each_to_their_own() -> None:
    graph = built(config(layer()), (B, 1, S), (1, T, T)).graph
    assert ops_of(graph, "attention") == ["layer/decode_attended", "layer/prefill_attended"]
    found = leaves_of(graph)
    assert found["layer/decode_k_cache"] == (B, 2, S, 16)
    assert found["layer/prefill_k_cache"] == (1, 2, T, 16)
    assert len(ops_of(graph, "matmul")) == 4 + 3 + 1  # one for all tokens of each matrix


def test_what_is_kept_is_cast() -> None:
    graph = built(config(layer()), (B, 1, S), dtypes=("bf16", "bf16", "fp8")).graph
    assert graph.tensor("layer/k_cache").dtype.name == "fp8_e4m3"
    assert len(ops_of(graph, "cast")) == 2
    assert set(graph.flops_by_dtype) == {"bf16"}


@pytest.mark.parametrize(
    ("new", "context", "kept"),
    [(1, 100, 64), (1, 64, 64), (1, 10, 10), (20, 20, 20), (20, 100, 83), (200, 200, 200)],
)
def test_windows_bound_what_is_kept(new: int, context: int, kept: int) -> None:
    for option in ("window", "chunk"):
        graph = built(config(layer(**{option: Integer(64)})), (4, new, context)).graph
        assert graph.tensor("layer/k_cache").shape == (4, 2, kept, 16)
        pairs = sum(min(context - new + place, 64) for place in range(1, new + 1))
        flops = dict(graph.op("layer/attended").cost.flops)
        assert flops["bf16"] == 4 * 8 * 4 * 16 * pairs


def test_symbolic_windows() -> None:
    graph = built(config(layer(window=W)), (B, 1, S)).graph
    assert str(graph.tensor("layer/k_cache").shape[2]) == "Min(S, W)"
    graph = built(config(layer(window=W)), (B, T, T)).graph
    assert graph.tensor("layer/k_cache").shape[2] == T


def test_nothing_is_kept_in_training() -> None:
    made = built(config(layer()), (B, T, T), trains=True)
    assert not made.kinds
    assert made.graph.footprint(Role.CACHE).value == 0
    assert made.graph.tensor("logits").shape == (B, T, 1000)


def test_a_stack_that_is_not_causal_sees_all() -> None:
    graph = built(config(layer(), causal=False), (B, T, T)).graph
    assert graph.op("layer/attended").cost.flops == (("bf16", 8 * 4 * 16 * B * T**2),)


def test_norms_of_queries_and_keys() -> None:
    each = leaves_of(built(config(layer(query_norm="head")), (B, 1, S)).graph)
    assert each["layer/w_q_norm"] == each["layer/w_k_norm"] == (16,)
    whole = leaves_of(built(config(layer(query_norm="full")), (B, 1, S)).graph)
    assert whole["layer/w_q_norm"] == (128,)
    assert whole["layer/w_k_norm"] == (32,)


@pytest.mark.parametrize("query_norm", ["head", "full"])
def test_those_norms_send_nothing(query_norm: str) -> None:
    plain = on_a_chip(config(layer()), (B, 1, S), tp=2)
    normed = on_a_chip(config(layer(query_norm=query_norm)), (B, 1, S), tp=2)
    assert normed.link_bytes.expr == plain.link_bytes.expr


def test_biases() -> None:
    found = leaves_of(built(config(layer(qkv_bias=True, out_bias=True)), (B, 1, S)).graph)
    assert (found["layer/b_q"], found["layer/b_k"], found["layer/b_o"]) == ((128,), (32,), (64,))
    without = leaves_of(built(config(layer(qkv_bias=True, key_bias=False)), (B, 1, S)).graph)
    assert "layer/b_v" in without
    assert "layer/b_k" not in without


def test_a_bias_of_the_output_is_added_once() -> None:
    plain = on_a_chip(config(layer()), (B, 1, S), tp=2)
    biased = on_a_chip(config(layer(qkv_bias=True, out_bias=True)), (B, 1, S), tp=2)
    assert biased.link_bytes.expr == plain.link_bytes.expr


def test_heads_that_do_not_divide() -> None:
    with pytest.raises(InputError, match="tp: 8 heads do not divide over 3 chips"):
        on_a_chip(config(layer()), (B, 1, S), tp=3)


def test_cross_attention_keeps_what_the_encoder_made() -> None:
    decode = built(t5(), (B, 1, S), source=Integer(100)).graph
    assert leaves_of(decode)["layer/cross_k_cache"] == (B, 8, 100, 64)
    assert "encoder_layer" not in [op.name for op in decode.ops]
    prompt = built(t5(), (B, T, T), source=Integer(100)).graph
    assert "encoder_layer" in [op.name for op in prompt.ops]
    attended = prompt.op("layer/cross_attended")
    assert [t.producer.name for t in attended.inputs[1:]] == [
        "cross_k_cache_new",
        "cross_v_cache_new",
    ]
    both = built(t5(), (B, 1, S), (2, T, T), source=Integer(100)).graph
    assert leaves_of(both)["layer/prefill_cross_k_cache"] == (2, 8, 100, 64)


def test_norm_of_a_layer_is_that_of_queries() -> None:
    normed = replace(layer(query_norm="head"), norm=Norm("layer", bias=True))
    found = leaves_of(built(config(normed), (B, 1, S)).graph)
    assert found["layer/b_q_norm"] == (16,)
