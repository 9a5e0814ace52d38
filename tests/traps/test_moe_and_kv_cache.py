"""Mixtures of experts and key-value caches: what is routed, what is read, what is kept."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from typing import Any

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Rational

import symroof as sr
from symroof import ops
from symroof.graph import Role

HIDDEN, INNER = 4096, 14336


def mixture(
    tokens: Any,
    experts: Any,
    top_k: Any,
    read: Any = "expected",
    *,
    hidden: Any = HIDDEN,
    inner: Any = INNER,
) -> tuple[sr.Graph, Any]:
    """A gated mixture in bf16, and the bytes of weights that are read."""
    g = sr.Graph("mixture")
    up, gate = (g.weight(name, (experts, hidden, inner), "bf16") for name in ("up", "gate"))
    down = g.weight("down", (experts, inner, hidden), "bf16")
    x = g.input("x", (tokens, hidden), "bf16")
    op = ops.experts(x, up, down, gate, top_k=top_k, experts=read).producer
    return g, sr.Quantity(sum(op.cost.reads[1:]), "byte", g.scope)


# --- B19: routed experts only -------------------------------------------------------------------


def test_b19_flops_of_the_routed_experts(answer: Any) -> None:
    g, _ = mixture(1, 8, 2)
    assert g.flops.value == answer["flops"]
    assert mixture(1, 8, 8)[0].flops.value == answer["all_experts"]
    x, router = g.input("h", (1, HIDDEN), "bf16"), g.weight("router", (HIDDEN, 8), "bf16")
    before = g.flops.value
    x @ router
    assert g.flops.value - before == answer["router_flops"]


def test_b19_number_of_experts_is_in_no_flop_count() -> None:
    g, _ = mixture("T", "E", "k", hidden="h", inner="f")
    assert g.flops == sr.Quantity("6*T*k*h*f", "FLOP")
    assert {"E", "k"} <= g.scope.counts


@given(st.integers(1, 5), st.integers(1, 6), st.data())
def test_b19_flops_are_those_of_a_dense_layer_for_each_route(
    tokens: int, experts: int, data: st.DataObject
) -> None:
    top_k = data.draw(st.integers(1, experts))
    g, _ = mixture(tokens, experts, top_k, hidden=8, inner=24)
    dense = sr.Graph("dense")
    x = dense.input("x", (tokens * top_k, 8), "bf16")
    h = [x @ dense.weight(name, (8, 24), "bf16") for name in ("up", "gate")]
    h[0] @ dense.weight("down", (24, 8), "bf16")
    assert g.flops.value == dense.flops.value


def test_b19_more_routes_than_experts_are_refused() -> None:
    for experts, top_k in ((8, 9), ("E", "E + 1")):
        with pytest.raises(sr.errors.ShapeError, match="experts"):
            mixture(1, experts, top_k)


# --- B20: how many experts a batch reads --------------------------------------------------------


def test_b20_expected_and_largest_number_of_experts(answer: Any) -> None:
    for (experts, top_k, batch), bound, expected in zip(
        [(8, 2, 3), (256, 8, 32)], answer["bound"], answer["expected"], strict=True
    ):
        one = Rational(3 * HIDDEN * INNER * 2)
        assert mixture(batch, experts, top_k, "bound")[1].value / one == bound
        assert mixture(batch, experts, top_k)[1].value / one == expected
    assert mixture(3, 8, 2)[1].value == answer["bytes_expected_E8"]
    assert mixture(3, 8, 2, "all")[1].value == answer["all"]


@pytest.mark.parametrize(("experts", "top_k", "tokens"), [(4, 2, 2), (5, 1, 3), (3, 2, 3)])
def test_b20_expectation_over_every_routing(experts: int, top_k: int, tokens: int) -> None:
    routings = list(product(combinations(range(experts), top_k), repeat=tokens))
    reached = [len(set().union(*routing)) for routing in routings]
    mean = Fraction(sum(reached), len(reached))
    one = 3 * HIDDEN * INNER * 2
    for read, right in (("expected", mean), ("bound", Fraction(max(reached))), ("all", experts)):
        _, numbers = mixture(tokens, experts, top_k, read)
        _, symbolic = mixture("B", "E", "k", read)
        wanted = right * one
        assert numbers.value == wanted
        assert symbolic.at(B=tokens, E=experts, k=top_k).value == wanted


@given(st.integers(1, 60), st.integers(1, 16), st.data())
def test_b20_expectation_lies_between_the_routes_of_one_token_and_the_bound(
    tokens: int, experts: int, data: st.DataObject
) -> None:
    top_k = data.draw(st.integers(1, experts))
    one = 3 * 8 * 8 * 2
    expected, bound, every = (
        mixture(tokens, experts, top_k, read, hidden=8, inner=8)[1].value / one
        for read in ("expected", "bound", "all")
    )
    assert top_k <= expected <= bound <= every == experts


def first_compute_bound(experts: int, top_k: int, ridge: Fraction) -> int:
    """The first batch whose FLOPs are the ridge times its bytes, tried one by one in integers."""
    missed, all_ = 1, 1  # how often an expert is missed is missed/all_
    batch = 0
    while True:
        batch += 1
        missed, all_ = missed * (experts - top_k), all_ * experts
        flops = 6 * batch * top_k * HIDDEN * INNER * all_
        weights = 2 * 3 * HIDDEN * INNER * experts * (all_ - missed)
        moved = weights + 2 * 2 * batch * HIDDEN * all_
        if flops * ridge.denominator >= ridge.numerator * moved:
            return batch


@pytest.mark.parametrize(("experts", "top_k"), [(8, 2), (64, 8), (16, 1)])
def test_b20_critical_batch_with_experts_read_in_expectation(
    h100: sr.Chip, experts: int, top_k: int
) -> None:
    """The batch stands in an exponent: the answer is a number, and says so."""
    g, _ = mixture("B", experts, top_k)
    x = sr.analyze(g, h100).crossover("B")
    first = first_compute_bound(experts, top_k, Fraction(19780, 67))
    assert x.first == x.permanent == first
    assert first - 1 < x.threshold_value <= first
    assert "numeric" in f"{x} {x.note}"
    points, mismatches = x.verify(8)
    assert points
    assert mismatches == 0


@pytest.mark.parametrize(("experts", "top_k"), [(8, 2), (64, 8), (16, 1)])
def test_b20_numeric_end_is_as_close_as_it_says(h100: sr.Chip, experts: int, top_k: int) -> None:
    """A batch a billionth of a billionth beside the end, worked out by mpmath, is told apart."""
    x = sr.analyze(mixture("B", experts, top_k)[0], h100).crossover("B")
    with mpmath.workdps(60):

        def excess(batch: Any) -> Any:
            reached = experts * (1 - (1 - mpmath.mpf(top_k) / experts) ** batch)
            flops = 6 * batch * top_k * HIDDEN * INNER
            return 67 * flops - 19780 * 2 * (3 * reached * HIDDEN * INNER + 2 * batch * HIDDEN)

        end = Rational(mpmath.nstr(mpmath.findroot(excess, x.threshold_value), 50))
    assert x.real.contains(end * (1 + Rational(1, 10**18)))
    assert not x.real.contains(end * (1 - Rational(1, 10**18)))


@pytest.mark.parametrize(("experts", "top_k"), [(8, 2), (64, 8)])
@pytest.mark.parametrize("read", ["bound", "all"])
def test_b20_critical_batch_at_the_bound_and_with_all_experts(
    h100: sr.Chip, experts: int, top_k: int, read: str
) -> None:
    """Integer by integer: at the bound, a batch of one is a special case of its own."""
    x = sr.analyze(mixture("B", experts, top_k, read)[0], h100).crossover("B")

    def holds(batch: int) -> bool:
        reached = min(batch * top_k, experts) if read == "bound" else experts
        flops = 6 * batch * top_k * HIDDEN * INNER
        return 67 * flops >= 19780 * 2 * (3 * reached * HIDDEN * INNER + 2 * batch * HIDDEN)

    batches = range(1, 3 * x.first)
    found = [
        b for b in batches if any(low <= b and (not high or b <= high) for low, high in x.intervals)
    ]
    assert found == [b for b in batches if holds(b)]
    assert x.verify(20)[1] == 0


def test_b20_three_ways_to_count_are_in_order_at_small_batches() -> None:
    _, expected = mixture(3, 8, 2)
    _, bound = mixture(3, 8, 2, "bound")
    _, every = mixture(3, 8, 2, "all")
    assert expected < bound < every


# --- B22: head dims are given, never derived ----------------------------------------------------


def cache_per_token(layers: Any, kv_heads: Any, head_dim: Any, dtype: str = "bf16") -> sr.Quantity:
    """Bytes of keys and values of one token in all layers, from the caches of a graph."""
    g = sr.Graph("cache")

    def layer(x: Any) -> Any:
        keys, values = (g.cache(name, (1, kv_heads, 1, head_dim), dtype) for name in "kv")
        return ops.custom("attend", inputs=[x, keys, values], output_shape=(1,), flops=0)

    g.repeat("layer", layers, layer, g.input("x", (1,), dtype))
    return g.footprint(Role.CACHE)


SHAPES = ((64, 8, 128, 5120, 64), (1, 8, 128, 5120, 32), (1, 8, 64, 2880, 64))


def test_b22_cache_follows_the_head_dim_and_not_the_hidden_size(answer: Any) -> None:
    for (layers, kv_heads, head_dim, hidden, heads), right, wrong in zip(
        SHAPES, answer["right"], answer["hidden/heads"], strict=True
    ):
        assert cache_per_token(layers, kv_heads, head_dim).value == right
        assert layers * kv_heads * 2 * 2 * Rational(hidden, heads) == wrong != right


@pytest.mark.parametrize(
    ("hidden", "heads", "kv_heads", "head_dim"), [(s[3], s[4], s[1], s[2]) for s in SHAPES]
)
def test_b22_layer_takes_a_head_dim_unlike_hidden_over_heads(
    hidden: int, heads: int, kv_heads: int, head_dim: int
) -> None:
    """Projections, cache and both products of one decode step, with the head dim of the config."""
    g = sr.Graph("layer")
    x = g.input("x", ("B", hidden), "bf16")

    def projected(name: str, number: int) -> Any:
        made = x @ g.weight(name, (hidden, number * head_dim), "bf16")
        return ops.transpose(ops.reshape(made, ("B", 1, number, head_dim)), (0, 2, 1, 3))

    q = projected("wq", heads)
    k, v = (
        ops.cache_append(g.cache(f"{n}_cache", ("B", kv_heads, "S", head_dim), "bf16"), new)
        for n, new in (("k", projected("wk", kv_heads)), ("v", projected("wv", kv_heads)))
    )
    o = ops.attention(q, k, v, name="attend")
    o = ops.reshape(ops.transpose(o, (0, 2, 1, 3)), ("B", heads * head_dim))
    y = o @ g.weight("wo", (heads * head_dim, hidden), "bf16")
    assert y.shape == x.shape
    one = g.footprint(Role.CACHE).at(B=1, S=1)
    assert one == cache_per_token(1, kv_heads, head_dim)
    ((_, flops),) = g.op("attend").cost.flops
    B, S = sr.symbols("B S")
    assert flops == 4 * B * heads * S * head_dim


def test_b22_wrong_head_dim_does_not_fit_the_projections() -> None:
    g = sr.Graph("layer")
    made = g.input("x", ("B", 5120), "bf16") @ g.weight("wk", (5120, 8 * 128), "bf16")
    with pytest.raises(sr.errors.ShapeError, match="reshape"):
        ops.reshape(made, ("B", 8, 5120 // 64))


# --- B23: key-value heads, GB and GiB -----------------------------------------------------------


def test_b23_cache_of_grouped_heads_in_both_units(answer: Any) -> None:
    per_token = cache_per_token(80, 8, 128)
    assert per_token.value == answer["per_token"]
    whole = per_token * 32768
    assert whole.value == answer["at_32768"]
    assert whole.value_in("GB") == answer["GB"]
    assert whole.value_in("GiB") == answer["GiB"]
    assert cache_per_token(80, 64, 128).value == answer["mha_wrong"]


@given(st.integers(1, 100), st.integers(1, 16), st.integers(1, 256), st.integers(1, 10**6))
def test_b23_cache_is_two_vectors_a_head_a_layer_a_token(
    layers: int, kv_heads: int, head_dim: int, tokens: int
) -> None:
    symbolic = cache_per_token("L", "Hkv", "d") * sr.symbols("S")
    found = symbolic.at(L=layers, Hkv=kv_heads, d=head_dim, S=tokens)
    vectors = 2 * layers * kv_heads * tokens
    assert found.value == vectors * head_dim * 2
    assert found.value_in("GB") * 10**9 == found.value_in("GiB") * 2**30
    eight_bits = cache_per_token(layers, kv_heads, head_dim, "int8")
    assert eight_bits.value * tokens * 2 == found.value


def test_b23_query_heads_and_hidden_size_are_in_no_cache() -> None:
    names = {s.name for s in cache_per_token("L", "Hkv", "d").expr.free_symbols}
    assert names == {"L", "Hkv", "d"}


def test_b23_decode_reads_the_cache_it_keeps() -> None:
    g = sr.Graph("decode")
    k, v = (g.cache(n, ("B", 8, "S", 128), "bf16") for n in "kv")
    op = ops.attention(g.input("q", ("B", 64, 1, 128), "bf16"), k, v).producer
    assert sr.Quantity(sum(op.cost.reads[1:]), "byte") == g.footprint(Role.CACHE)


# --- B24: a number of heads is not a number of heads per group ----------------------------------


def test_b24_kv_heads_and_group_size_are_two_things(answer: Any) -> None:
    by_heads = cache_per_token(1, 8, 128)
    by_group = cache_per_token(1, "32/G", 128).at(G=8)
    assert by_heads.value == answer["as_kv_heads"]
    assert by_group.value == answer["as_group_size"]


@given(st.integers(1, 12), st.integers(1, 12))
def test_b24_intensity_of_decode_is_the_heads_in_a_group(kv_heads: int, group: int) -> None:
    """FLOPs over bytes of keys and values tell which of the two a number was."""
    heads = kv_heads * group
    g = sr.Graph("decode")
    k, v = (g.cache(n, ("B", kv_heads, "S", 128), "bf16") for n in "kv")
    ops.attention(g.input("q", ("B", heads, 1, 128), "bf16"), k, v)
    assert g.flops / g.footprint(Role.CACHE) == sr.Quantity(f"{group} FLOP/byte")
