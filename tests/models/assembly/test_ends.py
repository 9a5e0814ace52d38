from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from sympy import Integer

import symroof as sr
from symroof.models.config import Embedding, FeedForward, Head, Layer, ModelConfig, Norm

from ..configs import vit, whisper
from .steps import HIDDEN, ROWS, built, config, leaves_of, on_a_chip

B, S, T = sr.symbols("B S T")
LAYER = Layer(None, FeedForward(Integer(96)))
DECODE, PROMPT = (B, 1, S), (B, T, T)


def model(embedding: Any = None, head: Any = None, **options: Any) -> ModelConfig:
    plain = config(LAYER, **options)
    return replace(
        plain,
        embedding=plain.embedding if embedding is None else embedding,
        head=plain.head if head is None else head,
    )


def test_rows_of_a_table_are_looked_up() -> None:
    graph = built(model(), DECODE).graph
    assert graph.tensor("ids").shape == (B,)
    assert graph.op("rows").cost.reads == (2 * B * HIDDEN, 4 * B)
    assert graph.tensor("rows").shape == (B, HIDDEN)


def test_learned_positions_and_kinds_are_added() -> None:
    embedding = Embedding(
        Integer(ROWS), positions=Integer(50), kinds=Integer(2), norm=Norm("layer", bias=True)
    )
    found = built(model(embedding), PROMPT)
    shapes = leaves_of(found.graph)
    assert (shapes["positions"], shapes["kinds"]) == ((50, HIDDEN), (2, HIDDEN))
    parts = {leaf.name: part for leaf, part in found.parts.items()}
    assert parts["positions"] == parts["kinds"] == "embedding"
    assert parts["w_embedding_norm"] == "norms"


def test_a_table_of_narrow_rows_has_a_projection() -> None:
    embedding = Embedding(Integer(ROWS), width=Integer(16))
    shapes = leaves_of(built(model(embedding, Head(Integer(ROWS), tied=True)), DECODE).graph)
    assert shapes["embedding"] == (ROWS, 16)
    assert shapes["w_embedding_in"] == (16, HIDDEN)
    assert shapes["w_embedding_out"] == (HIDDEN, 16)


def test_a_tied_table_is_one_tensor() -> None:
    graph = built(model(head=Head(Integer(ROWS), tied=True)), DECODE).graph
    table = graph.tensor("embedding")
    assert graph.op("logits").inputs[1].storage is table
    assert graph.op("rows").inputs[0] is table


@pytest.mark.parametrize(
    ("cut", "rows", "columns"), [({"tp": 4}, (250, HIDDEN), (HIDDEN, 250)), ({"tp": 3}, None, None)]
)
def test_where_the_tables_lie(cut: dict[str, int], rows: Any, columns: Any) -> None:
    tied = model(head=Head(Integer(ROWS), tied=True))
    if rows is None:
        # Rounded up: 334 rows on each of three chips; the hidden dim of the other table is whole.
        assert leaves_of(on_a_chip(tied, DECODE, **cut))["embedding"] == (334, HIDDEN)
        return
    assert leaves_of(on_a_chip(tied, DECODE, **cut))["embedding"] == rows
    shapes = leaves_of(on_a_chip(model(), DECODE, **cut))
    assert shapes["lm_head"] == columns
    assert shapes["embedding"] == (ROWS, HIDDEN // 4)


def test_scores_of_the_last_token_only() -> None:
    assert built(model(), DECODE).graph.tensor("logits").shape == (B, ROWS)
    prompt = built(model(), PROMPT).graph
    assert prompt.op("logits").cost.flops == (("bf16", 2 * B * HIDDEN * ROWS),)
    assert built(model(), PROMPT, trains=True).graph.tensor("logits").shape == (B, T, ROWS)


def test_an_encoder_scores_all_tokens_or_reads_one() -> None:
    every = model(head=Head(Integer(ROWS)), causal=False)
    assert built(every, PROMPT).graph.tensor("logits").shape == (B, T, ROWS)
    pooled = model(head=Head(Integer(5), bias=True, pooled=True), causal=False)
    graph = built(pooled, PROMPT).graph
    assert graph.op("logits").cost.flops == (("bf16", (2 * HIDDEN + 1) * 5 * B),)


def test_no_head_leaves_the_hidden_vectors() -> None:
    bare = replace(config(LAYER), head=None)
    graph = built(bare, PROMPT).graph
    (result,) = graph.results
    assert result.shape == (B, T, HIDDEN)


def test_patches_are_projected() -> None:
    graph = built(vit(), PROMPT).graph
    assert graph.tensor("patches").shape == (B, T, 768)
    assert leaves_of(graph)["extra"] == (1, 768)
    # The matrix and its bias.
    assert graph.op("patch").cost.flops == (("bf16", B * T * (2 * 768 + 1) * 768),)


def test_frames_go_through_two_convolutions() -> None:
    # Whisper (Radford et al. 2022), section 2.2: kernels of 3, the second with a stride of two.
    graph = built(whisper(), PROMPT, source=Integer(1500)).graph
    stem = 3000 * (2 * 240 + 1) * 384
    second = 1500 * (2 * 3 * 384 + 1) * 384
    made = sum(
        amount
        for op in graph.ops
        if op.name.startswith("encoder_") and op.kind.name in ("linear", "matmul", "conv", "add")
        for _, amount in op.cost.flops
    )
    positions = 1500 * 384
    assert made == B * (stem + second + positions)
