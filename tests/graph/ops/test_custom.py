"""Custom ops: costs as given, and never zero for want of one."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import Rational

from symroof import ops
from symroof.errors import (
    CostError,
    InputError,
    ParseError,
    ShapeError,
    UnitError,
    UnknownNameError,
)
from symroof.graph import Graph
from symroof.symbolic import symbols
from symroof.symbolic.functions import log2
from symroof.units.quantity import Quantity

B, F, n = symbols("B F n")


def custom(g: Graph, **options: Any) -> Any:
    x = g.input("x", ("B", "F"), "bf16")
    return ops.custom("mine", inputs=[x], output_shape=("B",), **options)


def test_costs_as_text() -> None:
    g = Graph("g")
    y = custom(g, flops="5*B*F*log2(F)", bytes="3*B*F + 7", link_bytes="B*(n - 1)/n", link="ib")
    assert y.shape == (B,)
    assert y.name == "mine"
    assert g.flops.expr == 5 * B * F * log2(F)
    assert (g.bytes.expr - (3 * B * F + 7)).expand() == 0
    assert (g.link_bytes.expr - B * (n - 1) / n).expand() == 0
    assert y.producer.cost.link == "ib"


def test_costs_as_numbers_expressions_and_quantities() -> None:
    for flops in (1000, 1e3, "1000", Quantity("1 kFLOP")):
        g = Graph("g")
        custom(g, flops=flops, bytes=Quantity("2 KiB"))
        assert g.flops.value == 1000
        assert g.bytes.value == 2048
    g = Graph("g")
    custom(g, flops=Quantity(B * F, "FLOP"))
    assert g.flops.expr == B * F


def test_bytes_are_compulsory_by_default() -> None:
    g = Graph("g")
    custom(g, flops=0)
    assert (g.bytes.expr - (2 * B * F + 2 * B)).expand() == 0
    assert g.flops.value == 0


def test_without_a_cost_totals_refuse_by_name() -> None:
    g = Graph("g")
    custom(g)
    with pytest.raises(CostError, match="mine"):
        _ = g.flops
    with pytest.raises(CostError, match="mine"):
        _ = g.intensity
    assert (g.bytes.expr - (2 * B * F + 2 * B)).expand() == 0


def test_one_op_without_a_cost_spoils_the_total() -> None:
    """A dense layer of 75264 FLOPs whose product nobody costed: refused, not 512."""
    g = Graph("g")
    x, b = g.input("x", (2, 73), "fp32"), g.weight("b", 256, "fp32")
    w = g.weight("w", (73, 256), "fp32")
    y = ops.custom("opaque", inputs=[x, w], output_shape=(2, 256))
    ops.add(y, b)
    with pytest.raises(CostError, match="opaque"):
        _ = g.flops
    named = Graph("named", uncosted="symbol")
    y = ops.custom("opaque", inputs=[named.input("x", (2, 73), "fp32")], output_shape=(2, 256))
    ops.add(y, named.weight("b", 256, "fp32"))
    assert named.flops.expr == 512 + symbols("flops_opaque")


def test_names_in_costs_are_bound_but_need_not_be_counts() -> None:
    g = Graph("g")
    custom(g, flops="2*density*B*F")
    assert g.flops.at(density="0.1", B=10, F=10).value == 20
    assert "density" not in g.scope.counts


def test_dtypes() -> None:
    g = Graph("g")
    y = custom(g, flops=1, dtype="fp32", compute="fp8")
    assert y.dtype.name == "fp32"
    assert g.flops_by_dtype.keys() == {"fp8"}
    h = Graph("h")
    custom(h, flops=1)
    assert h.flops_by_dtype.keys() == {"bf16"}


def test_several_inputs_and_a_single_one() -> None:
    g = Graph("g")
    x, ids = g.input("x", (4, 4), "fp16"), g.input("i", 4, "int32")
    y = ops.custom(inputs=(ids, x), output_shape="4*4", flops="7/2")
    assert y.spec.text == "[16] fp16"
    assert g.flops.value == Rational(7, 2)
    assert ops.custom(inputs=x, output_shape=3, flops=0).shape == (3,)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"flops": -1}, InputError, "0 or more"),
        ({"flops": "-B"}, InputError, "0 or more"),
        ({"flops": float("inf")}, InputError, "finite"),
        ({"flops": True}, InputError, "flops"),
        ({"flops": "5*B*"}, ParseError, "column"),
        ({"flops": "__import__('os')"}, InputError, "flops"),
        ({"flops": "2**9999999999"}, InputError, "flops"),
        ({"flops": 1, "bytes": Quantity("1 FLOP")}, UnitError, "byte"),
        ({"flops": Quantity("1 s")}, UnitError, "FLOP"),
        ({"flops": 1, "link": 3}, InputError, "link"),
        ({"flops": 1, "dtype": "bf61"}, UnknownNameError, "bf16"),
    ],
)
def test_faults(options: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        custom(Graph("g"), **options)
    assert "\n" not in str(caught.value)


def test_other_faults() -> None:
    g = Graph("g")
    x = g.input("x", 4, "fp16")
    with pytest.raises(InputError, match="inputs"):
        ops.custom(inputs=4, output_shape=4)
    with pytest.raises(InputError, match="output_shape"):
        ops.custom(inputs=x, output_shape=None)
    with pytest.raises(ShapeError, match="1 or more"):
        ops.custom(inputs=x, output_shape=0)
    with pytest.raises(Exception, match="no operand"):
        ops.custom(inputs=[], output_shape=4)
