from __future__ import annotations

from typing import Any

import pytest
from sympy import Expr, Integer, Rational

import symroof as sr
from symroof.errors import InputError
from symroof.graph import Graph, Role
from symroof.graph.passes import weights_and_caches
from symroof.models.config import FeedForward, Layer, StateSpace

from .steps import HIDDEN, built, config, leaves_of, on_a_chip, ops_of

B, S, T = sr.symbols("B S T")
HEADS, SIZE, STATE, KERNEL = 8, 16, 32, 4
INNER = HEADS * SIZE


def layer(groups: int = 1, **options: Any) -> Layer:
    sizes = map(Integer, (HEADS, SIZE, STATE, groups, KERNEL))
    return Layer(StateSpace(*sizes, **options), None)


def flops(graph: Graph, *names: str) -> Expr:
    return sum(amount for name in names for _, amount in graph.op(f"layer/{name}").cost.flops)


def states(groups: int = 1) -> int:
    """Elements of the state and of the last inputs of the convolution, of one sequence."""
    return HEADS * SIZE * STATE + (KERNEL - 1) * (INNER + 2 * groups * STATE)


@pytest.mark.parametrize("groups", [1, 2])
def test_parameters_by_hand(groups: int) -> None:
    width = 2 * INNER + 2 * groups * STATE + HEADS
    convolved = (INNER + 2 * groups * STATE) * (KERNEL + 1)
    expected = HIDDEN * width + convolved + 3 * HEADS + INNER * HIDDEN
    model = sr.model(config(layer(groups)))
    assert model.params_by_part["state space"] == expected
    assert model.params_by_part["norms"] == INNER + HIDDEN + HIDDEN
    bare = sr.model(config(layer(groups, conv_bias=False))).params_by_part["state space"]
    assert bare == expected - INNER - 2 * groups * STATE
    biased = sr.model(config(layer(groups, bias=True))).params_by_part["state space"]
    assert biased == expected + width - HEADS + HIDDEN


@pytest.mark.parametrize("groups", [1, 4])
def test_a_step_reads_and_overwrites_its_state(groups: int) -> None:
    made = built(config(layer(groups)), (B, 1, S))
    assert set(made.kinds.values()) == {"state"}
    least = weights_and_caches(made.graph)
    assert least.bytes_by_role[Role.CACHE].expr == 2 * 2 * states(groups) * B
    # A token goes into the state by one multiplication for each element, and is read by two.
    assert flops(made.graph, "state_update") == HEADS * SIZE * STATE * B
    assert flops(made.graph, "state_read") == 2 * HEADS * SIZE * STATE * B


def test_a_prompt_makes_the_state_and_reads_none() -> None:
    made = built(config(layer()), (B, T, T))
    least = weights_and_caches(made.graph)
    assert least.bytes_by_role[Role.CACHE].expr == 2 * states() * B
    names = ("state_update", "state_read")
    assert flops(made.graph, *names) == 4 * HEADS * SIZE * STATE * B * T
    assert flops(made.graph, "conv_x") == (2 * KERNEL + 1) * INNER * B * T


def test_a_chunk_goes_on_from_the_state() -> None:
    least = weights_and_caches(built(config(layer()), (B, T, S + T)).graph)
    assert least.bytes_by_role[Role.CACHE].expr == 2 * 2 * states() * B


@pytest.mark.parametrize("tokens", [1, 2, 3, 4])
def test_prompts_shorter_than_the_kernel(tokens: int) -> None:
    graph = built(config(layer()), (3, tokens, tokens)).graph
    assert graph.tensor("layer/conv_x_state").shape == (3, INNER, KERNEL - 1)


def test_a_kernel_of_one_keeps_no_inputs() -> None:
    sizes = map(Integer, (HEADS, SIZE, STATE, 1, 1))
    made = built(config(Layer(StateSpace(*sizes), None)), (B, 1, S))
    assert [leaf.name for leaf in made.kinds] == ["state"]


def test_groups_of_sequences() -> None:
    graph = built(config(layer()), (B, 1, S), (1, T, T)).graph
    found = leaves_of(graph)
    assert found["layer/decode_state"] == (B, 1, HEADS, SIZE, STATE)
    assert found["layer/prefill_state"] == (1, 1, HEADS, SIZE, STATE)


def test_training_keeps_nothing() -> None:
    made = built(config(layer()), (B, T, T), trains=True)
    assert not made.kinds


@pytest.mark.parametrize("group", [(B, 1, S), (B, T, T)])
@pytest.mark.parametrize(("groups", "tp"), [(1, 2), (1, 8), (4, 2), (4, 4)])
def test_chips_have_their_heads(group: tuple[Any, Any, Any], groups: int, tp: int) -> None:
    part = on_a_chip(config(layer(groups)), group, tp=tp)
    # One sum, and the gathered embedding.
    share = Rational(tp - 1, tp)
    assert part.link_bytes.expr == 3 * share * group[0] * group[1] * HIDDEN * 2
    found = leaves_of(part)
    held = 1 if groups == 1 else groups // tp
    assert found["layer/state"] == (B, held, HEADS // tp // held, SIZE, STATE)
    assert found["layer/w_conv_x"] == (INNER // tp, KERNEL)
    assert found["layer/w_conv_b"] == (held * STATE, KERNEL)


@pytest.mark.parametrize(
    ("cut", "said"),
    [
        ({"tp": 3}, "tp: 8 state-space heads do not divide over 3 chips"),
        ({"tp": 8}, "tp: 2 groups of state-space heads do not divide over 8 chips"),
        ({"cp": 2}, "cp: a state cannot be cut along the sequence"),
    ],
)
def test_what_cannot_be_cut(cut: dict[str, int], said: str) -> None:
    with pytest.raises(InputError) as error:
        on_a_chip(config(layer(2)), (B, T, T), **cut)
    assert str(error.value).startswith(said)


def test_a_hybrid_layer_has_a_feed_forward_network_too() -> None:
    hybrid = Layer(layer().mixer, FeedForward(Integer(96)))
    graph = built(config(hybrid), (B, 1, S)).graph
    assert len(ops_of(graph, "rmsnorm")) == 4
