from __future__ import annotations

import pytest

from symroof import ops
from symroof.errors import ShapeError
from symroof.graph import Graph
from symroof.symbolic import symbols

B, H, M, N, K, D, F, n = symbols("B H M N K D F n")


def tensor(g, *shape, dtype="fp16"):
    return g.input(f"t{len(g.leaves)}", shape, dtype)


@pytest.mark.parametrize(
    ("a", "b", "result", "flops"),
    [
        ((M, K), (K, N), (M, N), 2 * M * N * K),
        ((B, M, K), (B, K, N), (B, M, N), 2 * B * M * N * K),
        ((B, M, K), (K, N), (B, M, N), 2 * B * M * N * K),
        ((B, 1, M, K), (H, K, N), (B, H, M, N), 2 * B * H * M * N * K),
        ((M, K), (K,), (M,), 2 * M * K),
        ((B, M, K), (K,), (B, M), 2 * B * M * K),
        ((K,), (K, N), (N,), 2 * N * K),
        ((K,), (B, K, N), (B, N), 2 * B * N * K),
        ((K,), (K,), (), 2 * K),
        ((M, 1), (1, N), (M, N), 2 * M * N),
        ((1000, 3000), (3000, 2000), (1000, 2000), 12 * 10**9),
    ],
)
def test_matmul(a, b, result, flops):
    g = Graph("g")
    made = tensor(g, *a) @ tensor(g, *b)
    assert made.shape == result
    assert g.flops.expr == flops


def test_matmul_reads_a_broadcast_operand_once():
    g = Graph("g")
    tensor(g, B, M, K) @ tensor(g, K, N)
    assert g.bytes.expr == 2 * B * M * K + 2 * K * N + 2 * B * M * N


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((M, K), (N, K)),
        ((M, K), (M,)),
        ((), (M, K)),
        ((2, M, K), (3, K, N)),
        ((B, M, K), (H, K, N)),
    ],
)
def test_matmul_refuses_with_both_shapes(a, b):
    g = Graph("g")
    x, y = tensor(g, *a), tensor(g, *b)
    with pytest.raises(ShapeError) as caught:
        x @ y
    assert caught.value.shapes == (x.spec.text, y.spec.text)


def test_a_linear_layer_is_a_product_and_an_addition():
    g, h, plain = Graph("g"), Graph("h"), Graph("plain")
    for graph in (g, h, plain):
        x, w = graph.input("x", (4, 8), "fp32"), graph.weight("w", (8, 16), "fp32")
        b = graph.weight("b", 16, "fp32")
        if graph is g:
            assert ops.linear(x, w, b).shape == (4, 16)
        elif graph is h:
            x @ w + b
        else:
            ops.linear(x, w)
    assert (g.flops.value, h.flops.value, plain.flops.value) == (1088, 1088, 1024)
    assert g.bytes.value == 4 * (4 * 8 + 8 * 16 + 16 + 4 * 16)


def test_linear_refuses_what_does_not_fit():
    g = Graph("g")
    x = tensor(g, B, D)
    with pytest.raises(ShapeError, match="matrix"):
        ops.linear(x, tensor(g, B, D, F))
    with pytest.raises(ShapeError, match="bias"):
        ops.linear(x, tensor(g, D, F), tensor(g, D))
    with pytest.raises(ShapeError, match=r"D .*F"):
        ops.linear(x, tensor(g, F, D))


def test_a_four_bit_weight_computes_in_the_activations_dtype():
    g = Graph("w4a16")
    y = ops.linear(tensor(g, B, 4096, dtype="bf16"), g.weight("w", (4096, 4096), "int4"))
    assert y.dtype.name == "bf16"
    assert list(g.flops_by_dtype) == ["bf16"]
    assert g.bytes.expr == 16384 * B + 4096**2 // 2


def test_dot_counts_one_addition_less():
    g = Graph("g")
    x, y = tensor(g, n), tensor(g, n)
    assert ops.dot(x, y).shape == ()
    assert g.intensity.expr == (2 * n - 1) / (4 * n + 2)
    with pytest.raises(ShapeError):
        ops.dot(x, tensor(g, M))


def test_outer_sums_nothing():
    g = Graph("g")
    assert ops.outer(tensor(g, M), tensor(g, N)).shape == (M, N)
    assert g.flops.expr == M * N
    with pytest.raises(ShapeError):
        ops.outer(tensor(g, M, 1), tensor(g, N))


def test_gemv_reads_the_matrix_and_the_vector():
    g = Graph("g")
    a, x = tensor(g, 1024, 1024, dtype="fp64"), tensor(g, 1024, dtype="fp64")
    ops.gemv(a, x)
    assert g.flops.value == 2 * 1024**2
    assert g.intensity.value * 513 == 128
    with pytest.raises(ShapeError):
        ops.gemv(x, a)
