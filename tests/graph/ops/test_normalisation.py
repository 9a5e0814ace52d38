"""Normalisations: elementary operations counted by hand; overriding; bytes."""

from __future__ import annotations

import pytest

from symroof import ops
from symroof.errors import InputError, ShapeError
from symroof.graph import Graph
from symroof.symbolic import symbols

B, S, D = symbols("B S D")


def test_softmax_counts_five_and_moves_twice() -> None:
    g = Graph("g")
    y = ops.softmax(g.input("x", ("B", "S"), "fp32"), axis=0)
    assert y.shape == (B, S)
    assert g.flops.expr == 5 * B * S
    assert g.bytes.expr == 8 * B * S


def test_layernorm_breakdown() -> None:
    """Sum, subtract, square, sum of squares, scale; weight and bias one each."""
    counts = []
    for affine in range(3):
        g = Graph("g")
        vectors = [g.weight(f"v{i}", "D", "fp32") for i in range(affine)]
        ops.layernorm(g.input("x", ("B", "D"), "fp32"), *vectors)
        counts.append(g.flops.expr)
        assert (g.bytes.expr - (8 * B * D + 4 * affine * D)).expand() == 0
    assert counts == [5 * B * D, 6 * B * D, 7 * B * D]


def test_rmsnorm_breakdown() -> None:
    g = Graph("g")
    ops.rmsnorm(g.input("x", ("B", "D"), "bf16"))
    assert g.flops.expr == 3 * B * D
    ops.rmsnorm(g.input("y", ("B", "D"), "bf16"), g.weight("w", "D", "bf16"))
    assert g.flops.expr == 7 * B * D


@pytest.mark.parametrize("affine", [0, 2])
def test_an_overridden_weight_is_that_of_the_whole_op_each_time(affine: int) -> None:
    """Analysed three times and interleaved with another model, 1280 FLOP every time."""
    for _ in range(3):
        by_call, by_graph = Graph("call"), Graph("graph", flop_weights={"layernorm": 5})
        for g, options in ((by_call, {"flop_weight": 5}), (by_graph, {})):
            vectors = [g.weight(f"v{i}", 256, "fp32") for i in range(affine)]
            ops.layernorm(g.input("x", (1, 256), "fp32"), *vectors, **options)
            assert g.flops.value == 1280
            assert g.flops.value == 1280
        other = Graph("other")
        ops.layernorm(other.input("x", (3, 256), "fp32"))


def test_a_weight_may_be_a_formula_and_zero() -> None:
    g = Graph("g")
    ops.softmax(g.input("x", ("B", "S"), "fp32"), flop_weight="w/2")
    assert g.flops.expr == B * S * symbols("w") / 2
    h = Graph("h")
    ops.softmax(h.input("x", ("B", "S"), "fp32"), flop_weight=0)
    assert h.flops.value == 0


def test_faults_show_both_shapes() -> None:
    g = Graph("g")
    x, w = g.input("x", ("B", "D"), "bf16"), g.weight("w", "E", "bf16")
    with pytest.raises(ShapeError, match=r"\[B, D\] bf16 and \[E\] bf16"):
        ops.rmsnorm(x, w)
    with pytest.raises(ShapeError, match="bias must"):
        ops.layernorm(x, g.weight("v", "D", "bf16"), w)
    with pytest.raises(InputError, match="needs a weight"):
        ops.layernorm(x, bias=w)
    with pytest.raises(ShapeError, match="no axis"):
        ops.softmax(g.input("scalar", (), "bf16"))
    with pytest.raises(InputError, match="0 or more"):
        ops.softmax(x, flop_weight=-1)
    with pytest.raises(ShapeError, match="fp16 with bf16"):
        ops.rmsnorm(x, g.weight("h", "D", "fp16"))
