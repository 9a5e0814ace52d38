"""Reductions: a loop that combines values one at a time is the reference."""

from __future__ import annotations

import pytest
from sympy import Integer

from symroof import ops
from symroof.errors import InputError, ShapeError
from symroof.graph import Graph
from symroof.symbolic import symbols

B, S, D = symbols("B S D")


def combinations(values: int) -> int:
    """Steps of a running fold over that many values."""
    return sum(1 for position in range(values) if position > 0)


@pytest.mark.parametrize("name", ["sum", "max", "min"])
@pytest.mark.parametrize(("shape", "axes"), [((3, 4), (1,)), ((3, 4), (0, 1)), ((2, 1, 5), (1,))])
def test_each_output_combines_n_minus_one_times(name: str, shape, axes) -> None:  # type: ignore[no-untyped-def]
    g = Graph("g")
    y = getattr(ops, name)(g.input("x", shape, "fp32"), axes=axes)
    outputs = values = 1
    for axis, size in enumerate(shape):
        if axis in axes:
            values *= size
        else:
            outputs *= size
    assert g.flops.value == outputs * combinations(values)
    assert g.bytes.value == 4 * (outputs * values + outputs)
    assert y.spec.elements == outputs


def test_mean_divides_as_well() -> None:
    g = Graph("g")
    ops.mean(g.input("x", (3, 4), "fp32"), axes=-1)
    assert g.flops.value == 3 * (combinations(4) + 1)


def test_a_part_of_a_mean_divides_by_the_count_of_the_whole() -> None:
    g = Graph("g")
    y = ops.mean(g.input("x", (3, 4), "fp32"), axes=-1, count="4*n")
    assert y.shape == (3,)
    assert g.flops.value == 3 * (combinations(4) + 1)
    assert "n" in g.scope.counts
    with pytest.raises(InputError, match="mean count: expected a whole number of 1 or more, not 0"):
        ops.mean(g.input("z", (3, 4), "fp32"), count=0)


def test_symbolic_and_mixed_shapes() -> None:
    g = Graph("g")
    y = ops.sum(g.input("x", ("B", 8, "4*D"), "bf16"), axes=(0, -1))
    assert y.shape == (Integer(8),)
    assert (g.flops.expr - 8 * (4 * B * D - 1)).expand() == 0
    assert (g.bytes.expr - (64 * B * D + 16)).expand() == 0


def test_one_value_costs_nothing_and_a_full_reduction_is_a_scalar() -> None:
    g = Graph("g")
    y = ops.max(g.input("x", (1,), "fp32"))
    assert y.shape == ()
    assert g.flops.value == 0
    assert g.bytes.value == 8


def test_keepdims() -> None:
    g = Graph("g")
    assert ops.sum(g.input("x", ("B", "S"), "fp32"), axes=1, keepdims=True).shape == (B, 1)


def test_bad_axes() -> None:
    x = Graph("g").input("x", ("B", "S"), "fp32")
    with pytest.raises(ShapeError, match=r"\[B, S\] fp32"):
        ops.sum(x, axes=2)
    with pytest.raises(ShapeError, match="twice"):
        ops.sum(x, axes=(1, -1))
    for axes in ("0", 1.5, True, [[0]]):
        with pytest.raises((InputError, ShapeError)):
            ops.sum(x, axes=axes)
