from __future__ import annotations

import pytest
from sympy import Expr, Integer

import symroof as sr
from symroof.graph import Graph, Role
from symroof.models.config import FeedForward, LatentAttention, Layer

from .steps import HIDDEN, built, config, leaves_of, on_a_chip

B, S, T = sr.symbols("B S T")
H, QUERY, RANK, PLAIN, ROTARY, VALUE = 8, 24, 32, 16, 4, 12
SMALL = LatentAttention(*map(Integer, (H, QUERY, RANK, PLAIN, ROTARY, VALUE)))
MODEL = config(Layer(SMALL, FeedForward(Integer(96))))


def flops(graph: Graph, *names: str) -> Expr:
    return sum(amount for name in names for _, amount in graph.op(f"layer/{name}").cost.flops)


def test_names_and_shapes() -> None:
    found = leaves_of(built(MODEL, (B, 1, S)).graph)
    assert found["layer/w_q_down"] == (HIDDEN, QUERY)
    assert found["layer/w_q"] == (QUERY, H * (PLAIN + ROTARY))
    assert found["layer/w_kv_down"] == (HIDDEN, RANK + ROTARY)
    assert found["layer/w_kv_up"] == (H, RANK, PLAIN + VALUE)
    assert found["layer/w_o"] == (H * VALUE, HIDDEN)
    assert found["layer/latent_cache"] == (B, 1, S, RANK + ROTARY)
    assert found["layer/w_q_latent_norm"] == (QUERY,)
    assert found["layer/w_kv_latent_norm"] == (RANK,)


def test_queries_may_come_from_one_matrix() -> None:
    full = LatentAttention(SMALL.heads, None, *map(Integer, (RANK, PLAIN, ROTARY, VALUE)))
    found = leaves_of(built(config(Layer(full, None)), (B, 1, S)).graph)
    assert found["layer/w_q"] == (HIDDEN, H * (PLAIN + ROTARY))
    assert "layer/w_q_down" not in found


def test_absorbed_by_hand() -> None:
    graph = built(MODEL, (B, 1, S)).graph
    assert flops(graph, "attended") == 2 * B * H * S * (RANK + ROTARY + RANK)
    assert flops(graph, "q_latent", "values") == 2 * B * H * RANK * (PLAIN + VALUE)
    # All heads read one vector of a token, once for keys and values.
    attended = graph.op("layer/attended")
    assert attended.inputs[2].storage is attended.inputs[1].storage


def test_expanded_by_hand() -> None:
    graph = built(MODEL, (B, 1, S), absorbed=False).graph
    assert flops(graph, "attended") == 2 * B * H * S * (PLAIN + ROTARY + VALUE)
    assert flops(graph, "expanded") == 2 * B * S * H * RANK * (PLAIN + VALUE)


def test_prompts_are_expanded_and_decoding_is_not() -> None:
    graph = built(MODEL, (B, 1, S), (1, T, T)).graph
    assert flops(graph, "decode_attended") == 2 * B * H * S * (2 * RANK + ROTARY)
    pairs = T * (T + 1) / 2
    expected = 2 * H * pairs * (PLAIN + ROTARY + VALUE)
    assert (flops(graph, "prefill_attended") - expected).expand() == 0


@pytest.mark.parametrize("absorbed", [True, False])
@pytest.mark.parametrize("group", [(B, 1, S), (B, T, T)])
def test_chips_have_their_heads_and_the_whole_cache(
    absorbed: bool, group: tuple[Expr, int, Expr]
) -> None:
    whole = built(MODEL, group, absorbed=absorbed).graph
    part = on_a_chip(MODEL, group, tp=4)
    found = leaves_of(part)
    assert found["layer/w_kv_up"] == (H // 4, RANK, PLAIN + VALUE)
    assert part.footprint(Role.CACHE).expr == whole.footprint(Role.CACHE).expr
    # Two sums of the hidden vectors, and the gathered embedding: no head is gathered.
    tokens = group[0] * group[1]
    assert part.link_bytes.expr == (4 + 1) * Integer(3) / 4 * tokens * HIDDEN * 2


@pytest.mark.parametrize("absorbed", [True, False])
@pytest.mark.parametrize("dtypes", [("bf16", "fp8", "fp8"), ("bf16", "int4", "bf16")])
def test_formats_may_differ(absorbed: bool, dtypes: tuple[str, str, str]) -> None:
    graph = built(MODEL, (B, 1, S), absorbed=absorbed, dtypes=dtypes).graph
    assert set(graph.flops_by_dtype) == {"bf16"}
    stored = {"fp8": 1, "bf16": 2}[dtypes[2]]
    assert graph.footprint(Role.CACHE).expr == stored * (RANK + ROTARY) * B * S


def test_training_keeps_nothing() -> None:
    made = built(MODEL, (B, T, T), trains=True, absorbed=False)
    assert not made.kinds
