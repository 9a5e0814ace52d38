from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Integer, Rational

import symroof as sr
from symroof.errors import InputError
from symroof.models.assembly.network import layer_names, layers_of_stage
from symroof.models.config import Attention, FeedForward, Head, Layer, Stack

from ..configs import gpt2, t5, whisper
from .steps import HIDDEN, ROWS, built, config, leaves_of, on_a_chip

B, L, S, T = sr.symbols("B L S T")
LAYER = Layer(Attention(Integer(8), Integer(2), Integer(16)), FeedForward(Integer(96)))
LOCAL = replace(LAYER, name="local")


def test_each_kind_of_layer_is_one_repeat() -> None:
    stack = Stack(((LOCAL, Integer(5)), (replace(LAYER, name="global"), L)))
    graph = built(replace(config(LAYER), decoder=stack), (B, 1, S)).graph
    repeats = {repeat.name: repeat.times for repeat in graph.repeats}
    assert repeats == {"local": 5, "global": L}


def test_kinds_of_one_name_get_numbers() -> None:
    one, two = replace(LAYER, post_norms=True), LAYER
    stack = Stack(((one, Integer(2)), (two, Integer(3)), (LOCAL, Integer(1))))
    assert layer_names(stack) == ["layer", "layer2", "local"]
    graph = built(replace(config(LAYER), decoder=stack), (B, 1, S)).graph
    assert [repeat.name for repeat in graph.repeats] == ["layer", "layer2", "local"]


def test_the_result_is_the_output() -> None:
    graph = built(config(LAYER), (B, 1, S)).graph
    assert [tensor.name for tensor in graph.results] == ["logits"]


def test_a_stage_gets_hidden_vectors_from_the_one_before() -> None:
    stack = Stack(((LAYER, Integer(10)),))
    model = replace(config(LAYER), decoder=stack)
    graph = on_a_chip(model, (B, 1, S), pp=4)
    assert graph.op("layer").times == 3
    (sent,) = [op for op in graph.ops if op.kind.name == "send"]
    assert (sent.cost.link, sent.cost.link_bytes) == ("pp", 2 * B * HIDDEN)
    assert "embedding" not in leaves_of(graph)
    tied = replace(model, head=Head(Integer(ROWS), tied=True))
    assert "embedding" in leaves_of(on_a_chip(tied, (B, 1, S), pp=4))


def test_an_uneven_stack_is_counted_by_its_longest_stage() -> None:
    stack = Stack(((LOCAL, Integer(3)), (replace(LAYER, name="global"), Integer(6))))
    graph = on_a_chip(replace(config(LAYER), decoder=stack), (B, 1, S), pp=2)
    assert {repeat.name: repeat.times for repeat in graph.repeats} == {"local": 2, "global": 3}


def test_a_stage_has_none_of_a_kind_with_few_layers() -> None:
    # 3 and 58 layers in 16 stages: 4 each, of which 12/61 and 232/61.
    stack = Stack(((LOCAL, Integer(3)), (replace(LAYER, name="global"), Integer(58))))
    graph = on_a_chip(replace(config(LAYER), decoder=stack), (B, 1, S), pp=16)
    assert {repeat.name: repeat.times for repeat in graph.repeats} == {"global": 4}


def test_the_last_stage_of_layers_in_an_order_has_the_last_of_them() -> None:
    # DeepSeek-V3: 3 dense layers, then 58 with experts; the last of 2 stages has 31 of 61.
    experts = (LOCAL, Integer(3)), (replace(LAYER, name="global"), Integer(58))
    stack = Stack(experts, order=(0,) * 3 + (1,) * 58)
    assert layers_of_stage(stack, 2) == [0, 31]
    assert layers_of_stage(sr.model("deepseek-v3").config.decoder, 2) == [0, 31]
    # Every fourth of 10 layers is of the second kind, and the last 4 are 6, 7, 8 and 9.
    order = tuple(int(index % 4 == 3) for index in range(10))
    mixed = Stack(((LOCAL, Integer(8)), (replace(LAYER, name="global"), Integer(2))), order=order)
    assert layers_of_stage(mixed, 3) == [3, 1]


def test_an_order_has_as_many_layers_of_each_kind() -> None:
    kinds = (LOCAL, Integer(1)), (replace(LAYER, name="global"), Integer(2))
    Stack(kinds, order=(1, 0, 1))
    for order in ((0, 1), (0, 0, 1), (0, 1, 1, 2)):
        with pytest.raises(InputError, match="stack: "):
            Stack(kinds, order=order)


@given(counts=st.lists(st.integers(1, 60), min_size=1, max_size=4), stages=st.integers(1, 200))
def test_stages_hold_all_layers_and_no_more_than_one_round_too_many(
    counts: list[int], stages: int
) -> None:
    depth = sum(counts)
    if stages > depth:
        return
    found = layers_of_stage(Stack(tuple((LAYER, Integer(n)) for n in counts)), stages)
    assert sum(found) == -(-depth // stages)
    for had, count in zip(found, counts, strict=True):
        assert abs(had - Rational(count * sum(found), depth)) < 1


def test_stages_need_layers() -> None:
    with pytest.raises(InputError, match="pp: 2 stages for 1 layers; at most as many as layers"):
        on_a_chip(config(LAYER), (B, 1, S), pp=2)
    with pytest.raises(InputError, match="pp: "):
        on_a_chip(whisper(), (B, 1, S), pp=2)


def test_the_encoder_shares_the_table_of_tokens() -> None:
    graph = built(t5(), (B, T, T), source=Integer(100)).graph
    table = graph.tensor("embedding")
    readers = {op.name for op in graph.ops if any(t.storage is table for t in op.inputs)}
    assert {"rows", "encoder_rows", "logits"} <= readers
    assert leaves_of(graph)["relative"] == leaves_of(graph)["encoder_relative"] == (256,)


def test_an_encoder_may_have_an_embedding_of_its_own() -> None:
    found = leaves_of(built(whisper(), (B, T, T), source=Integer(1500)).graph)
    assert found["encoder_positions"] == (1500, 384)
    assert found["positions"] == (448, 384)


def test_names_are_the_same_in_all_steps_of_one_group() -> None:
    steps = [built(gpt2(), group).graph for group in ((B, 1, S), (B, T, T))]
    decode, prefill = (set(leaves_of(graph)) for graph in steps)
    assert decode == prefill
