from __future__ import annotations

import pytest

from symroof import ops
from symroof.errors import InputError, ShapeError
from symroof.graph import Graph
from symroof.graph.ops.elementwise import WEIGHTS
from symroof.symbolic import symbols

B, D = symbols("B D")
BINARY = ["add", "sub", "mul", "div", "pow", "maximum", "minimum"]
UNARY = sorted(set(WEIGHTS) - {*BINARY, "where", "fma"})


@pytest.mark.parametrize("name", UNARY)
def test_unary(name):
    g = Graph("g")
    y = getattr(ops, name)(g.input("x", (B, D), "bf16"))
    assert y.shape == (B, D)
    assert (g.flops.expr, g.bytes.expr) == (B * D, 4 * B * D)


@pytest.mark.parametrize("name", BINARY)
def test_binary_with_a_broadcast_vector_and_with_a_number(name):
    g = Graph("g")
    x, y = g.input("x", (B, D), "fp32"), g.input("y", D, "fp32")
    getattr(ops, name)(x, y)
    assert (g.flops.expr, g.bytes.expr) == (B * D, 8 * B * D + 4 * D)
    getattr(ops, name)(2, y)
    getattr(ops, name)(y, "1/3")
    assert (g.flops.expr, g.bytes.expr) == (B * D + 2 * D, 8 * B * D + 20 * D)
    with pytest.raises(InputError):
        getattr(ops, name)(2, 3)


def test_the_table_has_exactly_the_functions():
    assert {name for name in WEIGHTS if hasattr(ops, name)} == set(WEIGHTS)


def test_weights_of_a_graph_and_of_a_call():
    g = Graph("g", flop_weights={"exp": 10, "add": "1/2"})
    x = g.input("x", 8, "fp32")
    ops.exp(x), x + x
    assert g.flops.value == 80 + 4
    ops.exp(x, flop_weight=3), ops.fma(x, x, x), ops.fma(x, x, x, flop_weight=0)
    assert g.flops.value == 84 + 24 + 16
    with pytest.raises(InputError):
        ops.exp(x, flop_weight=-1)


def test_one_graph_does_not_weigh_on_another():
    for weight in (10, 1, 10):
        g = Graph("g", flop_weights={"exp": weight})
        ops.exp(g.input("x", 8, "fp32"))
        assert g.flops.value == 8 * weight


def test_where_takes_its_dtype_from_what_it_picks():
    g = Graph("g")
    c, x = g.input("c", (B, 1), "bool"), g.input("x", (B, D), "bf16")
    assert ops.where(c, x, x * 0).spec is x.spec
    assert list(g.flops_by_dtype) == ["bf16"]


def test_in_place_targets_that_do_not_fit():
    g = Graph("g")
    x, y = g.input("x", (B, D), "fp32"), g.input("y", D, "fp32")
    with pytest.raises(ShapeError):
        ops.mul(x, y, out=y)


def test_axpy_written_as_a_multiply_add_in_place():
    g = Graph("axpy by hand")
    x, y = g.input("x", "n", "fp64"), g.input("y", "n", "fp64")
    ops.fma(x, g.input("a", (), "fp64"), y, out=y)
    n = symbols("n")
    assert g.flops.expr == 2 * n
    assert g.bytes.expr == 24 * n + 8
