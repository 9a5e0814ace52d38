"""Kernels: operations counted in loops and butterflies, bytes per element by hand."""

from __future__ import annotations

import itertools

import pytest
from sympy import Rational

from symroof import ops
from symroof.errors import InputError, ShapeError
from symroof.graph import Graph
from symroof.symbolic import symbols
from symroof.symbolic.functions import log2

B, N, P = symbols("B N P")


def fft_flops(n: int) -> int:
    """Radix-2, a butterfly at a time: a complex product (4 + 2) and two complex sums (4)."""
    if n == 1:
        return 0
    return 2 * fft_flops(n // 2) + sum(4 + 2 + 2 + 2 for _ in range(n // 2))


def test_axpy_is_a_twelfth() -> None:
    for n in (1024, "n"):
        g = Graph("g")
        x, y = g.input("x", n, "fp64"), g.input("y", n, "fp64")
        z = ops.axpy(x, y)
        assert g.intensity.value == Rational(1, 12)
        assert z.storage is y
    assert g.flops.expr == 2 * symbols("n")


def test_axpy_needs_one_shape() -> None:
    g = Graph("g")
    with pytest.raises(ShapeError, match=r"\[4\] fp64 and \[5\] fp64"):
        ops.axpy(g.input("x", 4, "fp64"), g.input("y", 5, "fp64"))


@pytest.mark.parametrize("n", [1, 2, 8, 64, 1024])
def test_fft_equals_its_butterflies(n: int) -> None:
    g = Graph("g")
    ops.fft(g.input("x", (3, n, 2), "fp32"))
    assert g.flops.value == 3 * fft_flops(n)
    assert g.bytes.value == 2 * 3 * n * 8


def test_fft_with_write_allocate() -> None:
    """Complex double: 16 bytes read, 16 allocated, 16 written; 5/48 per log2 N."""
    g = Graph("g")
    ops.fft(g.input("x", ("N", 2), "fp64"), write_allocate=True)
    assert g.bytes.expr == 48 * N
    assert g.intensity.expr / log2(N) == Rational(5, 48)


def test_fft_of_several_dims_is_rows_then_columns() -> None:
    g = Graph("g")
    ops.fft(g.input("x", (5, 4, 8, 2), "fp32"), dims=2)
    assert g.flops.value == 5 * (4 * fft_flops(8) + 8 * fft_flops(4))


@pytest.mark.parametrize(
    ("shape", "dtype", "dims"),
    [((8,), "fp32", 1), ((8, 3), "fp32", 1), ((8, 2), "fp32", 2), ((8, 2), "int32", 1)],
)
def test_fft_shapes(shape: tuple[int, ...], dtype: str, dims: int) -> None:
    with pytest.raises(ShapeError, match=str(shape[0])):
        ops.fft(Graph("g").input("x", shape, dtype), dims=dims)


def test_fft_dims() -> None:
    x = Graph("g").input("x", (8, 2), "fp32")
    for dims in (0, -1, "1", 1.0, True):
        with pytest.raises(InputError):
            ops.fft(x, dims=dims)


def test_stencil_equals_a_sweep() -> None:
    """Five points on a 6 by 7 grid: five products and four sums each."""
    g = Graph("g")
    ops.stencil(g.input("u", (6, 7), "fp64"), points=5)
    flops = 0
    for _i, _j in itertools.product(range(6), range(7)):
        for point in range(5):
            flops += 1 + (point > 0)
    assert g.flops.value == flops
    assert g.bytes.value == 6 * 7 * 16


def test_stencil_options() -> None:
    g = Graph("g")
    ops.stencil(
        g.input("u", ("N", "N", "N"), "fp64"), points="P", flop_weight=8, write_allocate=True
    )
    assert g.flops.expr == 8 * N**3
    assert g.bytes.expr == 24 * N**3
    h = Graph("h")
    ops.stencil(h.input("u", "N", "fp64"), points="P")
    assert (h.flops.expr - N * (2 * P - 1)).expand() == 0
    assert "P" in h.scope.counts


def test_stencil_faults() -> None:
    x = Graph("g").input("u", ("N",), "fp64")
    for points in (0, 2.5, True):
        with pytest.raises(InputError):
            ops.stencil(x, points=points)
    with pytest.raises(InputError, match="true or false"):
        ops.stencil(x, points=3, write_allocate="yes")
    with pytest.raises(ShapeError, match="needs a dim"):
        ops.stencil(Graph("h").input("u", (), "fp64"), points=3)
