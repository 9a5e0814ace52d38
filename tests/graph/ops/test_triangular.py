"""Triangular products and rank-k updates: loops, published counts, triangles of bytes."""

from __future__ import annotations

import pytest

from symroof import ops
from symroof.errors import ShapeError, UnknownNameError
from symroof.graph import Graph
from symroof.symbolic import symbols

M, N, K = symbols("m n k")


def triangle(n: int) -> int:
    return sum(1 for i in range(n) for _j in range(i + 1))


@pytest.mark.parametrize("name", ["trmm", "trsm"])
def test_published_product(name: str) -> None:
    g = Graph("g")
    b = g.input("B", (1000, 500), "fp64")
    made = getattr(ops, name)(g.input("A", (1000, 1000), "fp64"), b)
    assert g.flops.value == 500000000
    assert g.bytes.value == 8 * (triangle(1000) + 2 * 1000 * 500)
    assert made.storage is b


def test_from_the_right() -> None:
    g = Graph("g")
    ops.trmm(g.input("A", ("n", "n"), "fp64"), g.input("B", ("m", "n"), "fp64"), side="right")
    assert g.flops.expr == M * N**2


def test_rank_k_update() -> None:
    g = Graph("g")
    a = g.input("A", (1000, 500), "fp64")
    made = ops.syrk(a)
    assert made.shape == (1000, 1000)
    assert g.flops.value == 500500000
    assert g.bytes.value == 8 * (1000 * 500 + triangle(1000))


def test_rank_k_update_in_place() -> None:
    g = Graph("g")
    a, c = g.input("A", ("n", "k"), "fp64"), g.input("C", ("n", "n"), "fp64")
    assert ops.syrk(a, c).storage is c
    assert (g.flops.expr - K * N * (N + 1)).expand() == 0
    assert (g.bytes.expr - (8 * N * K + 8 * N * (N + 1))).expand() == 0


def test_faults() -> None:
    g = Graph("g")
    a, b = g.input("A", (3, 3), "fp64"), g.input("B", (4, 3), "fp64")
    with pytest.raises(ShapeError, match=r"\[3, 3\] fp64 and \[4, 3\] fp64"):
        ops.trmm(a, b)
    with pytest.raises(UnknownNameError, match="right"):
        ops.trsm(a, b, side="rigth")
    with pytest.raises(ShapeError, match=r"c must be \[4, 4\] fp64"):
        ops.syrk(b, a)
    with pytest.raises(ShapeError, match="2 dims"):
        ops.syrk(g.input("v", (3,), "fp64"))
