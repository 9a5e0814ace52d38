from __future__ import annotations

import pytest

from symroof import ops
from symroof.errors import ShapeError
from symroof.graph import Graph
from symroof.graph.shapes import axis_of
from symroof.symbolic import symbols

S, T, F = symbols("S T F")


def test_two_names_are_never_merged():
    g = Graph("g")
    x, y = g.input("x", (S, 4096), "bf16"), g.input("y", (T, 4096), "bf16")
    with pytest.raises(ShapeError, match=r"dim S does not match dim T.*\[S, 4096\].*\[T, 4096\]"):
        x + y
    assert g.ops == ()


def test_names_with_one_value_stay_two_names():
    g = Graph("g")
    x, y = g.input("x", (S, 8), "bf16"), g.input("y", (T, 8), "bf16")
    ops.exp(x), ops.exp(y)
    assert g.bytes.expr == 32 * S + 32 * T
    assert g.bytes.at(S=512, T=512).value == 32768
    assert g.bytes.at(S=512).expr == 16384 + 32 * T


@pytest.mark.parametrize(
    ("one", "other", "result"),
    [
        ((3, 1), (1, 4), (3, 4)),
        ((S, T), (T,), (S, T)),
        ((1,), (S, T), (S, T)),
        ((), (S,), (S,)),
        ((2, S, 1), (S, T), (2, S, T)),
        (("2*F",), ("F*2",), (2 * F,)),
        (("2*(F+1)", 3), (1, 3), (2 * F + 2, 3)),
    ],
)
def test_broadcasting_is_that_of_numpy(one, other, result):
    g = Graph("g")
    x, y = g.input("x", one, "fp32"), g.input("y", other, "fp32")
    assert (x + y).shape == result
    assert (y + x).shape == result


@pytest.mark.parametrize(("one", "other"), [((3,), (4,)), ((S, 2), (S,)), ((2, 3), (3, 2))])
def test_what_does_not_broadcast_is_refused_with_both_shapes(one, other):
    g = Graph("g")
    x, y = g.input("x", one, "fp32"), g.input("y", other, "fp32")
    with pytest.raises(ShapeError) as caught:
        x * y
    assert caught.value.op == "mul"
    assert caught.value.shapes == (x.spec.text, y.spec.text)


def test_an_axis_out_of_range_is_refused():
    g = Graph("g")
    x = g.input("x", (2, 3), "fp32")
    for axis in (2, -3, True, 1.0):
        with pytest.raises(ShapeError):
            axis_of("sum", x.spec, axis)


def test_fp16_with_bf16_names_both():
    g = Graph("g")
    x, y = g.input("x", 8, "fp16"), g.input("y", 8, "bf16")
    with pytest.raises(ShapeError, match=r"add.*fp16.*bf16"):
        x + y


def test_the_result_is_stored_like_the_first_float_operand():
    g = Graph("g")
    w, x = g.weight("w", (8, 8), "int4"), g.input("x", (8, 8), "bf16")
    y = w @ x
    assert y.dtype.name == "bf16"
    assert y.producer.cost.flops[0][0] == "bf16"
    assert ops.matmul(w, x, out_dtype="fp32").dtype.name == "fp32"
    i = g.input("i", (8, 8), "int8")
    assert (i @ i).dtype.name == "int8"
    assert (i @ i).producer.cost.flops == (("int8", 1024),)
