from __future__ import annotations

import pytest

from symroof import ops
from symroof.errors import ShapeError, UnknownNameError
from symroof.graph import Graph
from symroof.symbolic import symbols

n = symbols("n")


def test_copy_cast_and_fill_move_bytes_and_compute_nothing():
    g = Graph("g")
    x = g.input("x", n, "fp32")
    costs = [
        (t.producer.cost.flops, sum(t.producer.cost.reads), sum(t.producer.cost.writes))
        for t in (ops.copy(x), ops.cast(x, "fp8"), ops.fill(x, 1), ops.fill(x, out=x))
    ]
    assert costs == [((), 4 * n, 4 * n), ((), 4 * n, n), ((), 0, 4 * n), ((), 0, 4 * n)]


def test_a_copy_has_a_storage_of_its_own_unless_told():
    g = Graph("g")
    x, y = g.input("x", n, "fp32"), g.input("y", n, "fp32")
    assert ops.copy(x).storage is not x
    assert ops.copy(x, out=y).storage is y
    with pytest.raises(ShapeError):
        ops.copy(x, out=g.input("z", "m", "fp32"))


def test_dtypes_of_casts():
    g = Graph("g")
    x = g.input("x", n, "fp32")
    assert ops.cast(x, "int8").dtype.name == "int8"
    with pytest.raises(UnknownNameError, match="bf16"):
        ops.cast(x, "bf61")
