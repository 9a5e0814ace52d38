from __future__ import annotations

import pytest
from sympy import oo

from symroof import ops
from symroof.errors import GraphError, InputError, UnboundError, UnknownNameError
from symroof.graph import Graph, Role
from symroof.symbolic import symbols
from symroof.units import DType, Quantity

B, D, F, M, N, K, n = symbols("B D F M N K n")


def matmul():
    g = Graph("matmul")
    a, w = g.input("A", (M, N), "fp16"), g.weight("W", (N, K), "fp16")
    return g, ops.matmul(a, w, name="C")


def test_a_matrix_product_in_closed_form():
    g, _ = matmul()
    assert g.flops == Quantity(2 * M * N * K, "FLOP", g.scope)
    assert g.bytes.expr == 2 * M * N + 2 * N * K + 2 * M * K
    assert g.intensity.expr == K * M * N / (K * M + K * N + M * N)
    assert g.link_bytes.expr == 0
    assert g.flops.at(M=64, N=4096, K=4096).value == 2 * 64 * 4096**2
    assert g.traffic == "unfused"


def test_every_symbol_of_a_shape_can_be_bound_also_one_that_cancelled():
    g = Graph("g")
    x = g.input("x", (B, D), "fp32")
    x + x
    assert g.intensity.expr.free_symbols == set()
    assert g.intensity.at(B=3, D=4).value == g.intensity.value
    assert g.scope.counts == {"B", "D"}
    with pytest.raises(UnknownNameError):
        g.flops.at(E=3)


def test_unused_inputs_are_allowed_and_cost_nothing():
    g, _ = matmul()
    g.input("unused", (B, 7), "fp32")
    assert g.bytes.expr == 2 * M * N + 2 * N * K + 2 * M * K
    assert "B" in g.scope.counts


def test_bits_of_a_weight_may_be_unknown():
    g = Graph("quantised")
    w = g.weight("w", (D, F), DType.block("b", 128, 16))
    g.input("x", (B, D), "bf16") @ w
    assert g.bytes.scope.dimensions["b"] == ()
    assert "b" not in g.scope.counts
    assert g.bytes.at(b=4, B=1, D=128, F=128).value == 128**2 * 33 // 64 + 512


def test_dims_are_positive_integers_when_bound():
    g, _ = matmul()
    for bad in (0, -1, "1/2"):
        with pytest.raises(InputError):
            g.flops.at(M=bad)


def test_intensity_without_bytes_or_without_both():
    g = Graph("g")
    x = g.input("x", (B, D), "fp32")
    ops.reshape(x, "B*D")
    assert g.intensity is None
    assert (g.flops.value, g.bytes.value) == (0, 0)
    ops.custom("free", inputs=[x], output_shape=(B, D), flops=7, bytes=0)
    assert g.intensity.expr == oo


def test_flops_of_several_dtypes():
    g = Graph("g")
    x, y = g.input("x", (B, D), "bf16"), g.input("y", (B, D), "fp32")
    x + x, y * y, y + y
    assert {key: q.expr for key, q in g.flops_by_dtype.items()} == {
        "bf16": B * D,
        "fp32": 2 * B * D,
    }
    assert g.flops.expr == 3 * B * D


def test_a_shared_weight_is_kept_once_and_read_at_every_use():
    g = Graph("tied")
    x, w = g.input("x", (1, 100), "bf16"), g.weight("w", (100, 100), "bf16")
    ((x @ w) @ w) @ w
    assert g.flops.value == 60_000
    assert g.footprint().value == 20_000
    weight_traffic = sum(
        cost for op in g.ops for t, cost in zip(op.inputs, op.cost.reads, strict=True) if t is w
    )
    assert weight_traffic == 60_000
    assert g.footprint(Role.INPUT, Role.WEIGHT).value == 20_200


def test_the_same_analysis_twice_gives_the_same_bits():
    def analysed(weight):
        g = Graph("norm", flop_weights={"exp": weight})
        ops.exp(g.input("x", (1, 256), "fp32"))
        return g.flops.to_dict(), g.bytes.to_dict(), str(g.intensity), g.scope

    first = analysed(5)
    analysed(7)
    assert analysed(5) == first
    assert first[0]["value"] == 1280


def test_totals_follow_the_graph():
    g, c = matmul()
    before = g.flops
    assert g.flops is before
    ops.relu(c)
    assert g.flops.expr == 2 * M * N * K + M * K


def test_flop_weights_are_checked():
    with pytest.raises(UnknownNameError, match="exp"):
        Graph("g", flop_weights={"exq": 3})
    with pytest.raises(InputError):
        Graph("g", flop_weights={"exp": -3})
    with pytest.raises(InputError):
        Graph(3)
    g = Graph("g", flop_weights={"exp": "n"})
    ops.exp(g.input("x", D, "fp32"))
    assert g.flops.expr == n * D
    assert g.flops.at(n="5/2", D=2).value == 5


def test_outputs_are_tensors_of_the_graph():
    g, c = matmul()
    g.output(c)
    assert c.role is Role.OUTPUT
    with pytest.raises(InputError):
        g.output("C")
    with pytest.raises(GraphError):
        Graph("other").output(c)


def test_asking_a_number_of_a_formula_names_what_is_free():
    g, _ = matmul()
    with pytest.raises(UnboundError, match="K, M, N"):
        _ = g.flops.value


def test_a_hundred_layers_collapse_to_few_terms():
    g = Graph("unrolled")
    x = g.input("x", (B, D), "bf16")
    for layer in range(100):
        x = ops.relu(x @ g.weight(f"w{layer}", (D, D), "bf16")) + x
    assert g.flops.expr == 200 * B * D**2 + 200 * B * D
    assert len(g.signatures) == 3
