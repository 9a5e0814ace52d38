from __future__ import annotations

import pytest
from sympy import Expr, Integer

import symroof as sr
from symroof.graph import Graph
from symroof.models.assembly.groups import ONE, Group, Tokens

B, D, S, T = sr.symbols("B D S T")
DECODING = Group(B, ONE, S)
PROMPT = Group(Integer(2), T, T)


def test_a_group_that_begins_has_nothing_cached() -> None:
    assert DECODING.decodes
    assert not DECODING.fresh
    assert PROMPT.fresh
    assert not PROMPT.decodes
    assert not Group(B, T, S + T).fresh


@pytest.mark.parametrize(
    ("groups", "ranks", "shape", "axes"),
    [
        ((DECODING,), 1, (B,), ("batch",)),
        ((PROMPT,), 1, (2, T), ("batch", "sequence")),
        ((DECODING, PROMPT), 1, (B + 2 * T,), (None,)),
        ((DECODING, PROMPT), 2, (2, B / 2 + T), ("batch", None)),
    ],
)
def test_tokens_are_the_first_dims(
    groups: tuple[Group, ...], ranks: int, shape: tuple[Expr, ...], axes: tuple[str | None, ...]
) -> None:
    tokens = Tokens(groups, ranks=Integer(ranks))
    assert tokens.shape == shape
    assert tokens.axes == axes


def test_one_token_can_have_a_dim_of_its_own() -> None:
    assert Tokens((Group(B, ONE, ONE),), several=True).shape == (B, 1)


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("groups", [(DECODING,), (PROMPT,), (DECODING, PROMPT)])
def test_tokens_by_heads_and_back(groups: tuple[Group, ...], ranks: int) -> None:
    tokens = Tokens(groups, ranks=Integer(ranks))
    x = Graph("g").input("x", (*tokens.shape, 8 * D), "bf16")
    heads = tokens.heads(x, Integer(8), D)
    assert [part.shape for part in heads] == [(g.sequences, 8, g.new, D) for g in groups]
    assert tokens.merged(heads, 8 * D, "merged").shape == x.shape
    parts = tokens.parts(x, 8 * D)
    assert [part.shape for part in parts] == [(g.sequences, g.new, 8 * D) for g in groups]
    assert tokens.joined(parts, 8 * D, "joined").shape == x.shape


def test_the_last_token_of_each_sequence() -> None:
    def last(*groups: Group, ranks: int = 1) -> tuple[Expr, ...]:
        tokens = Tokens(groups, ranks=Integer(ranks))
        return tokens.last(Graph("g").input("x", (*tokens.shape, D), "bf16")).shape

    assert last(DECODING) == (B, D)
    assert last(PROMPT) == (2, 1, D)
    assert last(DECODING, PROMPT) == (B + 2, D)
    assert last(DECODING, PROMPT, ranks=2) == (2, B / 2 + 1, D)


def test_views_move_nothing() -> None:
    tokens = Tokens((DECODING, PROMPT))
    g = Graph("g")
    x = g.input("x", (*tokens.shape, 8 * D), "bf16")
    tokens.heads(x, Integer(8), D)
    assert g.bytes.value == 0
