"""Sparse products: a loop over the rows of a matrix in compressed form."""

from __future__ import annotations

import pytest

from symroof import ops
from symroof.errors import ShapeError
from symroof.graph import Graph
from symroof.symbolic import symbols

M, N, NNZ = symbols("M N NNZ")


def product(nnz: object, rows: object, columns: object, **options: object) -> tuple[Graph, object]:
    g = Graph("g")
    operands = (
        g.weight("values", nnz, "fp64"),
        g.weight("columns", nnz, "int32"),
        g.weight("rows", rows, "int32"),
        g.input("x", columns, "fp64"),
    )
    return g, ops.spmv_csr(*operands, **options)


def test_equals_a_loop() -> None:
    pointers = [0, 2, 2, 5, 6]
    g, y = product(6, len(pointers), 7)
    flops = moved = 0
    for row in range(len(pointers) - 1):
        for _entry in range(pointers[row], pointers[row + 1]):
            flops += 2
            moved += 8 + 4
        moved += 8
    assert y.shape == (4,)
    assert g.flops.value == flops
    assert g.bytes.value == moved + 4 * len(pointers) + 7 * 8


def test_symbolic_and_uncached() -> None:
    g, y = product("NNZ", "M + 1", "N")
    assert y.shape == (M,)
    assert g.flops.expr == 2 * NNZ
    assert (g.bytes.expr - (12 * NNZ + 4 * (M + 1) + 8 * N + 8 * M)).expand() == 0
    g, _ = product("NNZ", "M + 1", "N", x_uncached=True)
    assert (g.bytes.expr - (20 * NNZ + 4 * (M + 1) + 8 * M)).expand() == 0


def test_faults() -> None:
    g = Graph("g")
    a, j = g.weight("a", 6, "fp64"), g.weight("j", 5, "int32")
    p, x = g.weight("p", 4, "int32"), g.input("x", 3, "fp64")
    with pytest.raises(ShapeError, match=r"\[6\] fp64 and \[5\] int32"):
        ops.spmv_csr(a, j, p, x)
    with pytest.raises(ShapeError, match="columns must have an integer"):
        ops.spmv_csr(a, a, p, x)
    with pytest.raises(ShapeError, match="rows must have an integer"):
        ops.spmv_csr(j, j, x, x)
    with pytest.raises(ShapeError, match="one entry more"):
        ops.spmv_csr(j, j, g.weight("one", 1, "int32"), x)
    with pytest.raises(ShapeError, match="x must have 1"):
        ops.spmv_csr(j, j, p, g.input("m", (3, 3), "fp64"))
