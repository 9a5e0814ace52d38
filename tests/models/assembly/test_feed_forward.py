from __future__ import annotations

from typing import Any

import pytest
from sympy import Integer, Rational

import symroof as sr
from symroof.errors import InputError
from symroof.models.activations import ACTIVATIONS
from symroof.models.config import FeedForward, Layer, Mixture

from .steps import HIDDEN, built, config, leaves_of, on_a_chip, ops_of

B, S, T = sr.symbols("B S T")


def dense(width: int = 96, **options: Any) -> Layer:
    return Layer(None, FeedForward(Integer(width), **options))


def mixture(experts: int = 8, top_k: int = 2, width: int = 32, **options: Any) -> Layer:
    return Layer(None, Mixture(*map(Integer, (experts, top_k, width)), **options))


def test_three_matrices_or_two() -> None:
    gated = built(config(dense()), (B, 1, S)).graph
    assert len(ops_of(gated, "matmul")) == 3 + 1
    assert gated.op("layer/down").inputs[0].shape == (B, 96)
    plain = leaves_of(built(config(dense(gated=False)), (B, 1, S)).graph)
    assert "layer/w_gate" not in plain
    assert plain["layer/w_up"] == (HIDDEN, 96)


def test_biases() -> None:
    found = leaves_of(built(config(dense(bias=True)), (B, 1, S)).graph)
    assert [found[f"layer/b_{what}"] for what in ("gate", "up", "down")] == [(96,), (96,), (64,)]
    plain = on_a_chip(config(dense()), (B, 1, S), tp=4)
    biased = on_a_chip(config(dense(bias=True)), (B, 1, S), tp=4)
    assert biased.link_bytes.expr == plain.link_bytes.expr


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("silu", "silu"),
        ("swish", "silu"),
        ("gelu_new", "gelu"),
        ("gelu_pytorch_tanh", "gelu"),
        ("quick_gelu", "gelu"),
        ("relu", "relu"),
        ("relu2", "square"),
    ],
)
def test_activations_by_their_names_in_configs(name: str, kind: str) -> None:
    assert ops_of(built(config(dense(activation=name)), (B, 1, S)).graph, kind) == ["layer/act"]


def test_a_squared_relu_takes_two_flops_for_each_element() -> None:
    one, two = (
        built(config(dense(gated=False, activation=name)), (B, 1, S)).graph.flops.expr
        for name in ("relu", "relu2")
    )
    assert two - one == 96 * B


def test_unknown_activations() -> None:
    with pytest.raises(InputError, match="activation: unknown activation 'mish'") as error:
        built(config(dense(activation="mish")), (B, 1, S))
    with pytest.raises(InputError, match="unknown activation 'relu6'"):
        built(config(dense(activation="relu6")), (B, 1, S))
    assert all(name in str(error.value) for name in ACTIVATIONS)


def test_a_mixture_by_hand() -> None:
    graph = built(config(mixture()), (B, 1, S)).graph
    found = leaves_of(graph)
    assert found["layer/experts.w_up"] == found["layer/experts.w_gate"] == (8, HIDDEN, 32)
    assert found["layer/experts.w_down"] == (8, 32, HIDDEN)
    assert found["layer/w_router"] == (HIDDEN, 8)
    assert graph.op("layer/experts").cost.flops == (("bf16", 2 * 2 * 3 * HIDDEN * 32 * B),)
    read = graph.op("layer/experts").cost.reads[1]
    for batch in (1, 5):
        reached = 8 * (1 - Rational(3, 4) ** batch)
        assert read.xreplace({B: Integer(batch)}) == reached * HIDDEN * 32 * 2


def test_routers_stay_in_the_dtype_of_activations() -> None:
    graph = built(config(mixture(correction_bias=True)), (B, 1, S), dtypes=("bf16", "fp8", "bf16"))
    made = graph.graph
    assert made.tensor("layer/w_router").dtype.name == "bf16"
    assert made.tensor("layer/router_balance").shape == (8,)
    assert made.tensor("layer/experts.w_up").dtype.name == "fp8_e4m3"


def test_what_every_token_goes_through() -> None:
    shared = FeedForward(Integer(48))
    made = built(config(mixture(shared=shared)), (B, 1, S))
    found = leaves_of(made.graph)
    assert found["layer/w_shared_up"] == (HIDDEN, 48)
    parts = {leaf.name: part for leaf, part in made.parts.items()}
    assert parts["w_shared_up"] == "shared experts"
    assert parts["experts.w_up"] == "experts"


def test_a_gate_on_what_is_shared() -> None:
    shared = FeedForward(Integer(48))
    plain = sr.model(config(mixture(shared=shared))).params
    assert sr.model(config(mixture(shared=shared, shared_gate=True))).params == plain + HIDDEN


def test_biases_of_experts_and_routers() -> None:
    plain = sr.model(config(mixture())).params
    biased = sr.model(config(mixture(bias=True, router_bias=True))).params
    assert biased == plain + 8 * (32 + 32 + HIDDEN) + 8
    two = sr.model(config(mixture(bias=True, gated=False))).params
    assert two == plain - 8 * HIDDEN * 32 + 8 * (32 + HIDDEN)


def test_experts_over_chips() -> None:
    # Of tp chips each has a part of every expert: one sum, as for a dense network.
    part = on_a_chip(config(mixture()), (B, 1, S), tp=4)
    assert leaves_of(part)["layer/experts.w_up"] == (8, HIDDEN, 8)
    assert part.link_bytes.expr == (2 + 1) * Rational(3, 4) * B * HIDDEN * 2
    part = on_a_chip(config(mixture()), (B, 1, S), ep=4)
    assert leaves_of(part)["layer/experts.w_up"] == (2, HIDDEN, 32)
    assert part.link_bytes.expr == 2 * (B / 4 * 2) * HIDDEN * 2 * Rational(3, 4)
    assert leaves_of(part)["layer/w_router"] == (HIDDEN, 8)


def test_experts_of_replicas() -> None:
    # Each pair of chips holds all experts, and every chip has a quarter of the tokens.
    part = on_a_chip(config(mixture()), (B, 1, S), ep=2, dp=2)
    assert leaves_of(part)["layer/experts.w_up"] == (4, HIDDEN, 32)
    assert part.link_bytes.expr == 2 * (B / 4 * 2) * HIDDEN * 2 * Rational(1, 2)


@pytest.mark.parametrize(
    ("layer", "cut", "said"),
    [
        (dense(99), {"tp": 2}, "tp: 99 hidden units do not divide over 2 chips"),
        (mixture(width=33), {"tp": 2}, "tp: 33 hidden units of an expert do not divide"),
        (mixture(experts=6), {"ep": 4}, "ep: 6 experts do not divide over 4 chips"),
        (mixture(experts=2), {"ep": 4}, "ep: 4 chips for 2 experts; at most 2"),
    ],
)
def test_what_does_not_divide(layer: Layer, cut: dict[str, int], said: str) -> None:
    with pytest.raises(InputError) as error:
        on_a_chip(config(layer), (B, 1, S), **cut)
    assert str(error.value).startswith(said)
