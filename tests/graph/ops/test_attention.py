"""Attention: products counted pair by pair; bytes of what is touched; published numbers."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import Max, Min, Rational, degree

from symroof import ops
from symroof.errors import InputError, ShapeError, UnknownNameError
from symroof.graph import Graph, Tensor
from symroof.graph.passes.fuse import fuse
from symroof.symbolic import symbols

B, H, S, D, T, W, P, C = symbols("B H S D T W P C")


def attend(
    q: tuple[Any, ...],
    k: tuple[Any, ...],
    v: tuple[Any, ...] | None = None,
    dtype: str = "bf16",
    **options: Any,
) -> tuple[Graph, Tensor]:
    g = Graph("g")
    tensors = [g.input(n, s, dtype) for n, s in (("q", q), ("k", k), ("v", v or k))]
    return g, ops.attention(*tensors, **options)


def multiply_adds(b: int, h: int, q: int, kv: int, dqk: int, dv: int, causal: bool) -> int:
    """Both products, one multiply-add at a time; causal ends at the last key."""
    count = 0
    for _head in range(b * h):
        for i in range(q):
            for j in range(kv):
                if not causal or j <= i + kv - q:
                    count += dqk + dv
    return count


@pytest.mark.parametrize(
    ("b", "h", "hkv", "q", "kv", "dqk", "dv"),
    [(1, 1, 1, 1, 1, 1, 1), (2, 4, 2, 3, 5, 6, 7), (1, 6, 1, 4, 4, 3, 2), (3, 2, 2, 1, 9, 2, 2)],
)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("fused", [True, False])
def test_flops_equal_a_loop(
    b: int, h: int, hkv: int, q: int, kv: int, dqk: int, dv: int, causal: bool, fused: bool
) -> None:
    options = {"mask": "causal", "align": "bottom-right"} if causal else {}
    g, o = attend((b, h, q, dqk), (b, hkv, kv, dqk), (b, hkv, kv, dv), fused=fused, **options)
    assert g.flops.value == 2 * multiply_adds(b, h, q, kv, dqk, dv, causal)
    assert o.shape == (b, h, q, dv)


def test_quadratic_in_sequence_length() -> None:
    """q = k = v of [1, 12, 64, 64]."""
    g, _ = attend(("B", "H", "S", "D"), ("B", "H", "S", "D"))
    assert g.flops.expr == 4 * B * H * D * S**2
    assert degree(g.flops.expr, S) == 2
    assert g.flops.at(B=1, H=12, S=64, D=64).value == 12582912


def test_grouped_query_prefill() -> None:
    """FLOPs follow the query heads, bytes of k and v the key-value heads."""
    g, o = attend((1, 32, 2048, 128), (1, 8, 2048, 128))
    reads = o.producer.cost.reads
    assert g.flops.value == 68719476736
    assert reads[1] + reads[2] == 8388608
    assert g.bytes.value == 41943040


@pytest.mark.parametrize("queries", [(1, 8192), (4, 32762), (512, 4063488)])
def test_causal_with_a_cache(queries: tuple[int, int]) -> None:
    length, pairs = queries
    g, _ = attend(
        (1, 1, length, 64), (1, 1, 8192, 64), mask="causal", align="bottom-right", softmax=False
    )
    assert g.flops.value == pairs * 4 * 64


def test_decode_with_a_window_reads_the_window() -> None:
    for context, keys in [(32768, 1024), (512, 512)]:
        g, o = attend(
            (1, 32, 1, 128),
            (1, 8, context, 128),
            mask="window",
            window=1024,
            align="bottom-right",
        )
        assert o.producer.cost.reads[1:] == (8 * keys * 128 * 2,) * 2
        assert g.flops.value == 32 * keys * 4 * 128


def test_symbolic_window_is_a_minimum() -> None:
    g, o = attend((B, 32, 1, 128), (B, 8, S, 128), mask="window", window=1024, align="bottom-right")
    assert g.flops.expr == 32 * B * 512 * Min(S, 1024)
    assert o.producer.cost.reads[1] == 2048 * B * Min(S, 1024)


def test_separate_head_dims() -> None:
    g, _ = attend((1, 1, 1, 192), (1, 1, 1, 192), (1, 1, 1, 128))
    assert g.flops.value == 640


def test_scores_of_one_decode_token() -> None:
    """2048 keys, 8 heads, d = 128, fp16: 4194304 FLOPs on as many bytes of keys."""
    g = Graph("g")
    q, k = g.input("q", (1, 8, 1, 128), "fp16"), g.cache("k", (1, 8, 2048, 128), "fp16")
    s = ops.attention_scores(q, k)
    assert g.flops.value == 4194304
    assert s.producer.cost.reads[1] == 4194304


def test_decode_intensity_of_keys_and_values_is_the_head_ratio() -> None:
    _, o = attend((B, 32, 1, 128), (B, 8, S, 128))
    cost = o.producer.cost
    ((_, flops),) = cost.flops
    assert flops / (cost.reads[1] + cost.reads[2]) == 4


def test_causal_prefill_is_the_triangle_without_minimum() -> None:
    g, _ = attend((B, H, S, D), (B, H, S, D), mask="causal")
    assert g.flops.expr == 2 * B * D * H * S * (S + 1)


def test_new_tokens_behind_a_prefix() -> None:
    g, _ = attend((B, H, C, D), (B, H, "P + C", D), mask="causal", align="bottom-right")
    assert not g.flops.expr.has(Min, Max)
    assert g.flops.at(B=1, H=1, C=4, P=8188, D=1).value == 4 * 32762


def test_softmax_on_request() -> None:
    plain, _ = attend((1, 2, 3, 4), (1, 2, 3, 4), mask="causal")
    pairs = 2 * 6
    assert plain.flops.value == pairs * 16
    for fused in (True, False):
        with_softmax, _ = attend(
            (1, 2, 3, 4), (1, 2, 3, 4), mask="causal", softmax=True, fused=fused
        )
        assert with_softmax.flops.value == pairs * (16 + 5)
        six, _ = attend(
            (1, 2, 3, 4), (1, 2, 3, 4), mask="causal", softmax=True, flop_weight=6, fused=fused
        )
        assert six.flops.value == pairs * (16 + 6)


def test_unfused_moves_scores_and_probabilities_twice_each() -> None:
    """Of the attended pairs: 10 of the 4·4 of each of 2·6 heads."""
    fused, _ = attend((2, 6, 4, 8), (2, 3, 4, 8), mask="causal")
    for dtype, size in ((None, 2), ("fp32", 4)):
        unfused, o = attend(
            (2, 6, 4, 8), (2, 3, 4, 8), mask="causal", fused=False, scores_dtype=dtype, name="a"
        )
        assert unfused.bytes.value - fused.bytes.value == 4 * (2 * 6 * 10) * size
        assert unfused.flops_by_dtype.keys() == {"bf16"}
        assert [op.name for op in unfused.ops] == ["a.scores", "a.softmax", "a"]
        assert o.dtype.name == "bf16"


@pytest.mark.parametrize("mask", ["none", "causal"])
def test_fusing_the_parts_gives_the_fused_op(mask: str) -> None:
    fused, _ = attend((B, 8, S, D), (B, 2, S, D), mask=mask)
    unfused, _ = attend((B, 8, S, D), (B, 2, S, D), mask=mask, fused=False)
    rejoined = fuse(unfused, unfused.ops)
    assert (rejoined.bytes.expr - fused.bytes.expr).expand() == 0
    assert (rejoined.flops.expr - fused.flops.expr).expand() == 0


def test_unfused_with_symbols() -> None:
    g, _ = attend((B, H, S, D), (B, H, S, D), fused=False)
    assert (g.bytes.expr - (8 * B * H * S * D + 8 * B * H * S**2)).expand() == 0


def test_low_precision_cache_computes_at_the_width_of_the_queries() -> None:
    g = Graph("g")
    q = g.input("q", (1, 8, 1, 128), "bf16")
    k, v = (g.cache(n, (1, 8, 100, 128), "fp8") for n in "kv")
    o = ops.attention(q, k, v)
    assert g.flops_by_dtype.keys() == {"bf16"}
    assert o.producer.cost.reads[1] == 8 * 100 * 128


def test_window_symbol_is_a_count() -> None:
    g, _ = attend((1, 1, S, 64), (1, 1, S, 64), mask="window", window="W")
    assert {"W", "S"} <= g.scope.counts


@pytest.mark.parametrize("fused", [True, False])
@pytest.mark.parametrize(
    ("q", "k", "v", "message"),
    [
        ((1, 8, 4, 64), (1, 3, 4, 64), None, "no multiple of 3"),
        ((1, 8, 4, 64), (2, 8, 4, 64), None, "batch"),
        (("B", 8, 4, 64), ("C", 8, 4, 64), None, "batch"),
        ((1, 8, 4, 64), (1, 8, 4, 32), None, "head dims"),
        ((1, 8, 4, 64), (1, 8, 4, 64), (1, 8, 5, 64), "keys and values"),
        ((1, 8, 4, 64), (1, 8, 4, 64), (1, 4, 4, 64), "keys and values"),
        ((8, 4, 64), (1, 8, 4, 64), None, "4 dims"),
    ],
)
def test_shapes_that_do_not_fit(q: Any, k: Any, v: Any, message: str, fused: bool) -> None:
    g = Graph("g")
    tensors = [g.input(n, s, "bf16") for n, s in (("q", q), ("k", k), ("v", v or k))]
    with pytest.raises(ShapeError, match=message) as caught:
        ops.attention(*tensors, fused=fused)
    assert caught.value.shapes
    assert g.ops == ()


@pytest.mark.parametrize("mask", ["causal", "window"])
@pytest.mark.parametrize("lengths", [(4, 8), ("T", "S"), (1, "S")])
def test_alignment_is_required_where_lengths_differ(mask: str, lengths: Any) -> None:
    window = {"window": 3} if mask == "window" else {}
    with pytest.raises(ShapeError, match=r"align is required.*top-left"):
        attend((1, 1, lengths[0], 64), (1, 1, lengths[1], 64), mask=mask, **window)


def test_top_left() -> None:
    g, o = attend((1, 1, 4, 1), (1, 1, 8192, 1), mask="causal", align="top-left")
    assert g.flops.value == 4 * 10
    assert o.producer.cost.reads[1] == 4 * 2


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"mask": "casual"}, UnknownNameError, "causal"),
        ({"mask": "window"}, InputError, "window="),
        ({"mask": "causal", "window": 4}, InputError, "mask='window'"),
        ({"mask": "window", "window": 0}, InputError, "1 or more"),
        ({"mask": "window", "window": 1.5}, InputError, "1 or more"),
        ({"mask": "causal", "align": "bottom_right"}, UnknownNameError, "bottom-right"),
        ({"softmax": 1}, InputError, "true or false"),
        ({"flop_weight": 5}, InputError, "softmax=True"),
        ({"fused": "no"}, InputError, "true or false"),
        ({"scores_dtype": "fp32"}, InputError, "fused=False"),
    ],
)
def test_bad_options(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        attend((1, 1, 4, 64), (1, 1, 4, 64), **options)


def test_grouped_heads_may_be_symbols() -> None:
    g, _ = attend((B, "G*Hkv", 1, 128), (B, "Hkv", S, 128))
    hkv, group = symbols("Hkv G")
    assert g.flops.expr == 512 * B * S * group * hkv
    moved = 2 * (2 * B * 128 * group * hkv) + 2 * (2 * B * 128 * S * hkv)
    assert (g.bytes.expr - moved).expand() == 0
    assert g.intensity.at(B=1, G=4, Hkv=8, S=10**12).value > Rational(399, 100)
