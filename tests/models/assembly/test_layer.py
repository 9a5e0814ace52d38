from __future__ import annotations

from typing import Any

from sympy import Integer

import symroof as sr
from symroof.graph import Graph
from symroof.models.config import Attention, FeedForward, Layer, Norm

from .steps import built, config, leaves_of, on_a_chip

B, S = sr.symbols("B S")
MIXER = Attention(Integer(8), Integer(2), Integer(16))
NETWORK = FeedForward(Integer(96))


def graph(**options: Any) -> Graph:
    return built(config(Layer(MIXER, NETWORK, **options)), (B, 1, S)).graph


def read_by(found: Graph, op: str) -> str:
    """Name of the tensor that an op of the layer reads first."""
    return found.op(f"layer/{op}").inputs[0].name


def test_norms_stand_before_each_part() -> None:
    found = graph()
    assert read_by(found, "attn_norm") == "carry_0"
    assert read_by(found, "q") == "attn_norm"
    assert read_by(found, "ffn_norm") == "x_attn"
    assert read_by(found, "gate") == "ffn_norm"
    assert found.op("layer").body.carried[0].name == "x_ffn"


def test_or_after_the_sum() -> None:
    found = graph(before=False)
    assert read_by(found, "q") == "carry_0"
    assert read_by(found, "attn_norm") == "x_attn"
    assert read_by(found, "gate") == "attn_norm"
    assert found.op("layer").body.carried[0].name == "ffn_norm"


def test_or_on_both_sides() -> None:
    found = graph(post_norms=True)
    assert read_by(found, "attn_post_norm") == "o"
    assert read_by(found, "ffn_post_norm") == "down"
    assert len([name for name in leaves_of(found) if name.endswith("norm")]) == 4 + 1


def test_parts_side_by_side_read_one_input() -> None:
    apart = graph(parallel=True)
    assert read_by(apart, "attn_norm") == read_by(apart, "ffn_norm") == "carry_0"
    shared = graph(parallel=True, shared_norm=True)
    assert read_by(shared, "q") == read_by(shared, "gate") == "norm"
    assert {t.name for t in shared.op("layer/both").inputs} == {"o", "down"}


def test_their_sum_is_made_once_over_chips() -> None:
    layer = Layer(MIXER, NETWORK, parallel=True, shared_norm=True)
    local = on_a_chip(config(layer), (B, 1, S), tp=2)
    sums = [op for op in local.op("layer").body.ops if op.kind.name == "all_reduce"]
    assert len(sums) == 1


def test_a_layer_may_have_one_part_alone() -> None:
    mixer = leaves_of(built(config(Layer(MIXER, None)), (B, 1, S)).graph)
    assert "layer/w_ffn_norm" not in mixer
    network = leaves_of(built(config(Layer(None, NETWORK)), (B, 1, S)).graph)
    assert "layer/w_attn_norm" not in network


def test_norms_without_weights() -> None:
    found = leaves_of(graph(norm=Norm("layer", weight=False)))
    assert not [name for name in found if name.startswith("layer/") and "norm" in name]
