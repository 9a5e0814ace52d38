"""Attention: both products at all back ends, head counts, masks by brute force, head dims."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Integer, Poly, degree

import symroof as sr
from symroof import ops
from symroof.graph import Role

from .answers import formula

LENGTHS = st.integers(1, 24)


def attend(q: Any, k: Any, v: Any = None, **options: Any) -> tuple[sr.Graph, Any]:
    """Attention in bf16 on a cache, and the op that made it."""
    g = sr.Graph("attention")
    queries = g.input("q", q, "bf16")
    keys, values = g.cache("k", k, "bf16"), g.cache("v", v or k, "bf16")
    return g, ops.attention(queries, keys, values, **options).producer


def pairs(q: Any, kv: Any, **options: Any) -> Any:
    """Pairs of one head that attend: FLOPs over the 4 of a pair whose head dim is 1."""
    g, _ = attend((1, 1, q, 1), (1, 1, kv, 1), **options)
    return g.flops / 4


def sees(i: int, j: int, q: int, kv: int, window: int | None, align: str) -> bool:
    """Whether query i sees key j."""
    last = i + (kv - q if align == "bottom-right" else 0)
    return j <= last and (window is None or j > last - window)


def counted(q: int, kv: int, window: int | None = None, align: str = "bottom-right") -> int:
    """Pairs that attend, one by one."""
    return sum(sees(i, j, q, kv, window, align) for i in range(q) for j in range(kv))


# --- B08: no way to write attention is free -----------------------------------------------------


def ways(b: Any, h: Any, s: Any, d: Any) -> dict[str, sr.Graph]:
    """The two products of attention, through every op that can do them."""
    made = {}
    for way in ("fused", "unfused", "einsum", "matmul"):
        g = made[way] = sr.Graph(way)
        q, k, v = (g.input(name, (b, h, s, d), "bf16") for name in "qkv")
        if way in ("fused", "unfused"):
            ops.attention(q, k, v, fused=way == "fused")
        elif way == "einsum":
            ops.einsum("bhqk,bhkd->bhqd", ops.einsum("bhqd,bhkd->bhqk", q, k), v)
        else:
            (q @ ops.transpose(k, (0, 1, 3, 2))) @ v
    return made


def test_b08_every_route_counts_both_products(answer: Any) -> None:
    for way, g in ways(1, 12, 64, 64).items():
        assert g.flops.value == answer["flops"], way


def test_b08_flops_are_of_degree_two_in_the_sequence(answer: Any) -> None:
    B, H, S, D = sr.symbols("B H S D")
    expected = formula(answer["symbolic"], "B H S D")
    for way, g in ways(B, H, S, D).items():
        assert degree(g.flops.expr, S) == answer["degree_in_S"], way
        assert g.flops.expr == expected, way


@pytest.mark.parametrize("mask", ["none", "causal"])
@pytest.mark.parametrize("softmax", [False, True])
def test_b08_masks_and_softmax_keep_the_degree(mask: str, softmax: bool) -> None:
    S = sr.symbols("S")
    for fused in (True, False):
        g, _ = attend(("B", "H", S, 64), ("B", "H", S, 64), mask=mask, softmax=softmax, fused=fused)
        assert degree(g.flops.expr, S) == 2


def test_b08_decode_is_linear_in_the_context() -> None:
    S = sr.symbols("S")
    g, _ = attend(("B", 32, 1, 128), ("B", 8, S, 128))
    assert Poly(g.flops.expr, S).degree() == 1


# --- B09: query heads and key-value heads -------------------------------------------------------


def test_b09_flops_follow_query_heads_and_bytes_key_value_heads(answer: Any) -> None:
    g, op = attend((1, 32, 2048, 128), (1, 8, 2048, 128))
    assert g.flops.value == answer["flops"]
    assert g.footprint(Role.CACHE).value == answer["kv_bytes"]
    assert sum(op.cost.reads[1:]) == answer["kv_bytes"]
    assert g.bytes.value == answer["min_bytes"]


@given(st.integers(1, 4), st.integers(1, 6), LENGTHS, LENGTHS, st.integers(1, 8))
def test_b09_grouping_changes_bytes_of_keys_and_nothing_else(
    kv_heads: int, group: int, q: int, kv: int, d: int
) -> None:
    heads = kv_heads * group
    grouped, op = attend((1, heads, q, d), (1, kv_heads, kv, d))
    full, all_heads = attend((1, heads, q, d), (1, heads, kv, d))
    assert grouped.flops.value == full.flops.value == heads * q * kv * 4 * d
    assert op.cost.reads[0] == all_heads.cost.reads[0]
    assert op.cost.writes == all_heads.cost.writes
    assert [group * n for n in op.cost.reads[1:]] == list(all_heads.cost.reads[1:])


def test_b09_symbolic_groups_and_one_shared_head() -> None:
    g, _ = attend(("B", "G*Hkv", "S", "d"), ("B", "Hkv", "S", "d"))
    assert g.flops == sr.Quantity("4*B*G*Hkv*S**2*d", "FLOP")
    assert g.footprint(Role.CACHE) == sr.Quantity("4*B*Hkv*S*d", "byte")
    shared, _ = attend(("B", "H", "S", "d"), ("B", 1, "S", "d"))
    assert shared.footprint(Role.CACHE) == sr.Quantity("4*B*S*d", "byte")


@pytest.mark.parametrize(("heads", "kv_heads"), [(32, 7), (8, 32), ("H", "2*H")])
def test_b09_heads_that_do_not_group_are_refused(heads: Any, kv_heads: Any) -> None:
    with pytest.raises(sr.errors.ShapeError, match="heads"):
        attend((1, heads, 4, 64), (1, kv_heads, 4, 64))


# --- B11: causal masks of unequal lengths -------------------------------------------------------


def test_b11_causal_pairs_with_a_cache(answer: Any) -> None:
    closed = formula(answer["closed_form"], "q kv")
    lengths = [(1, 8192), (4, 8192), (512, 8192)]
    for (q, kv), right, half in zip(lengths, answer["pairs"], answer["wrong_half"], strict=True):
        found = pairs(q, kv, mask="causal", align="bottom-right").value
        named = dict(zip(sr.symbols("q kv"), map(Integer, (q, kv)), strict=True))
        assert found == right == closed.xreplace(named)
        assert found != half
        assert counted(q, kv) == right
    assert pairs(4, 8192, mask="causal", align="top-left").value == answer["top_left_q4"]
    symbolic = pairs("q", "q + past", mask="causal", align="bottom-right")
    q, past = sr.symbols("q past")
    wanted = closed.xreplace({sr.symbols("kv"): q + past})
    assert (symbolic.expr - wanted).expand() == 0


@given(LENGTHS, LENGTHS, st.sampled_from(["bottom-right", "top-left"]))
def test_b11_any_lengths_and_either_alignment(q: int, kv: int, align: str) -> None:
    right = counted(q, kv, align=align)
    assert pairs(q, kv, mask="causal", align=align).value == right
    symbolic = pairs("q", "kv", mask="causal", align=align)
    assert symbolic.at(q=q, kv=kv).value == right


def test_b11_alignment_must_be_said_when_lengths_differ() -> None:
    for q, kv in ((4, 8192), ("q", "kv"), (1, "S")):
        with pytest.raises(sr.errors.ShapeError, match="align"):
            pairs(q, kv, mask="causal")
    assert pairs(7, 7, mask="causal").value == 28


@given(LENGTHS, st.integers(1, 40))
def test_b11_chunks_of_a_prefill_add_up_to_the_whole(chunk: int, total: int) -> None:
    done, found = 0, Fraction(0)
    while done < total:
        now = min(chunk, total - done)
        done += now
        found += Fraction(int(pairs(now, done, mask="causal", align="bottom-right").value))
    assert found == pairs(total, total, mask="causal").value


# --- B12: sliding windows -----------------------------------------------------------------------


def test_b12_window_pairs_and_what_decode_reads(answer: Any) -> None:
    assert pairs(32768, 32768, mask="window", window=1024).value == answer["pairs"]
    assert pairs(32768, 32768, mask="causal").value == answer["full_causal"]
    wide = pairs(2048, 2048, mask="window", window=4096)
    assert wide.value == answer["W4096_S2048_pairs"] == counted(2048, 2048)
    narrow = pairs(2048, 2048, mask="window", window=512)
    assert narrow.value == answer["W512_S2048_pairs"]
    assert narrow.value != answer["half_window_shortcut_W512_S2048"]
    _, op = attend((1, 1, 1, 1), (1, 1, 32768, 1), mask="window", window=1024, align="bottom-right")
    assert [n / 2 for n in op.cost.reads[1:]] == [answer["decode_kv_len"]] * 2


@given(LENGTHS, LENGTHS, st.integers(1, 30), st.sampled_from(["bottom-right", "top-left"]))
def test_b12_any_window_pair_by_pair(q: int, kv: int, window: int, align: str) -> None:
    right = counted(q, kv, window, align)
    assert pairs(q, kv, mask="window", window=window, align=align).value == right
    symbolic = pairs("q", "kv", mask="window", window="W", align=align)
    assert symbolic.at(q=q, kv=kv, W=window).value == right


@given(LENGTHS, LENGTHS, st.integers(1, 30))
def test_b12_window_reads_the_keys_somebody_sees(q: int, kv: int, window: int) -> None:
    align = "bottom-right"
    _, op = attend((1, 1, q, 1), (1, 1, kv, 1), mask="window", window=window, align=align)
    seen = sum(any(sees(i, j, q, kv, window, align) for i in range(q)) for j in range(kv))
    assert [n / 2 for n in op.cost.reads[1:]] == [seen, seen]


def test_b12_window_of_the_whole_sequence_is_causal() -> None:
    for length in (1, 2, 17):
        causal = pairs(length, length, mask="causal").value
        for window in (length, length + 1, 10 * length):
            assert pairs(length, length, mask="window", window=window).value == causal
        assert pairs(length, length, mask="window", window=1).value == length


# --- B13: head dims of keys and values ----------------------------------------------------------


def test_b13_each_product_has_its_own_head_dim(answer: Any) -> None:
    for fused in (True, False):
        g, _ = attend((1, 1, 1, 192), (1, 1, 1, 192), (1, 1, 1, 128), fused=fused)
        assert g.flops.value == answer["flops_per_pair_head"]
    one_dim, _ = attend((1, 1, 1, 192), (1, 1, 1, 192))
    assert one_dim.flops.value == answer["wrong_single_dim"]


@given(LENGTHS, LENGTHS, st.integers(1, 9), st.integers(1, 9))
def test_b13_any_head_dims(q: int, kv: int, dqk: int, dv: int) -> None:
    g, op = attend((1, 2, q, dqk), (1, 1, kv, dqk), (1, 1, kv, dv))
    multiply_adds = sum(dqk + dv for _ in range(2 * q * kv))
    assert g.flops.value == 2 * multiply_adds
    assert op.outputs[0].shape == (1, 2, q, dv)
    assert op.cost.reads == (2 * 2 * q * dqk, 2 * kv * dqk, 2 * kv * dv)


def test_b13_symbolic_head_dims_and_a_wrong_one() -> None:
    g, _ = attend(("B", "H", "S", "dqk"), ("B", "H", "S", "dqk"), ("B", "H", "S", "dv"))
    assert g.flops == sr.Quantity("2*B*H*S**2*(dqk + dv)", "FLOP")
    with pytest.raises(sr.errors.ShapeError, match="head dims"):
        attend(("B", "H", "S", "dqk"), ("B", "H", "S", "dv"))
