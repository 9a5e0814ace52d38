"""Factorisations, inverses and solves: published counts, bytes by hand, storage shared."""

from __future__ import annotations

import pytest

from symroof import ops
from symroof.errors import ShapeError
from symroof.graph import Graph
from symroof.symbolic import symbols

M, N, R = symbols("m n r")


@pytest.mark.parametrize(
    ("name", "shape", "flops", "elements"),
    [
        ("getrf", (2000, 1000), 1666167500, 2 * 2000 * 1000),
        ("getrf", (1000, 2000), 1666167500, 2 * 2000 * 1000),
        ("potrf", (1000, 1000), 333833500, 1000 * 1001),
        ("geqrf", (2000, 1000), 3336338000, 2 * 2000 * 1000),
        ("getri", (1000, 1000), 1332335000, 2 * 1000 * 1000),
        ("potri", (1000, 1000), 667167500, 1000 * 1001),
    ],
)
def test_published_counts(name: str, shape: tuple[int, int], flops: int, elements: int) -> None:
    g = Graph("g")
    a = g.input("A", shape, "fp64")
    factor = getattr(ops, name)(a)
    assert g.flops.value == flops
    assert g.bytes.value == 8 * elements
    assert factor.storage is a
    assert factor.shape == shape


def test_solve() -> None:
    g = Graph("g")
    lu, b = g.input("LU", (1000, 1000), "fp64"), g.input("B", (1000, 10), "fp64")
    x = ops.getrs(lu, b)
    assert g.flops.value == 19990000
    assert g.bytes.value == 8 * (1000 * 1000 + 2 * 1000 * 10)
    assert x.storage is b


def test_symbolic_shapes_bind_to_both_cases() -> None:
    for name in ("getrf", "geqrf"):
        g = Graph("g")
        getattr(ops, name)(g.input("A", ("m", "n"), "fp64"))
        for rows, columns in [(5, 3), (3, 5), (4, 4)]:
            h = Graph("h")
            getattr(ops, name)(h.input("A", (rows, columns), "fp64"))
            assert g.flops.at(m=rows, n=columns).value == h.flops.value


def test_a_wide_qr() -> None:
    """By the published wide form, m = 3 and n = 5: 90 - 18 + 45 - 9 + 14."""
    g = Graph("g")
    ops.geqrf(g.input("A", (3, 5), "fp64"))
    assert g.flops.value == 122


def test_order_one() -> None:
    """One root; one reciprocal; one reciprocal and one product."""
    for name, flops in [("potrf", 1), ("getrf", 1), ("getri", 2), ("potri", 2)]:
        g = Graph("g")
        getattr(ops, name)(g.input("A", (1, 1), "fp64"))
        assert g.flops.value == flops


@pytest.mark.parametrize("name", ["potrf", "potri", "getri"])
def test_square_is_required(name: str) -> None:
    for shape in ((3, 4), (3,), ("m", "n"), (2, 3, 3)):
        with pytest.raises(ShapeError, match=name):
            getattr(ops, name)(Graph("g").input("A", shape, "fp64"))


def test_solve_shapes() -> None:
    g = Graph("g")
    with pytest.raises(ShapeError, match=r"\[3, 3\] fp64 and \[4, 2\] fp64"):
        ops.getrs(g.input("LU", (3, 3), "fp64"), g.input("B", (4, 2), "fp64"))
    with pytest.raises(ShapeError, match="2 dims"):
        ops.getrf(g.input("v", (3,), "fp64"))
