from __future__ import annotations

import copy
import pickle

import pytest
from sympy import Symbol

from symroof.errors import InputError, ShapeError, UnknownNameError
from symroof.graph import Graph, Role, TensorSpec
from symroof.graph.tensor import dim
from symroof.symbolic import symbols

B, D, F, n = symbols("B D F n")


def test_equal_specs_are_one_object_however_they_are_written():
    a = TensorSpec.of((B, 4 * D), "bf16")
    assert TensorSpec.of(("B", "D*4"), "bf16") is a
    assert TensorSpec.of([B, "2*(D + D)"], "bfloat16") is a
    assert TensorSpec.of((B, 4 * D), "fp32") is not a


def test_a_foreign_symbol_is_the_symbol_of_that_name():
    assert TensorSpec.of((Symbol("B"),), "bf16") is TensorSpec.of((B,), "bf16")


@pytest.mark.parametrize(
    ("one", "other"),
    [("2*F", "F*2"), ("2*(F + 1)", "2*F + 2"), ("F/n", "F*(1/n)"), ("(F + 1)*(F - 1)", "F**2 - 1")],
)
def test_dims_that_are_equal_in_algebra_compare_equal(one, other):
    assert dim(one) == dim(other)


def test_sizes_are_exact_with_block_scales():
    spec = TensorSpec.of((4096, 4096), "mxfp4")
    assert spec.bytes == 4096 * 4096 * 17 // 32
    assert TensorSpec.of((), "fp16").bytes == 2


@pytest.mark.parametrize("bad", [0, -3, 2.5, "1/2", "-F", "F - F"])
def test_constant_dims_are_positive_integers(bad):
    with pytest.raises(ShapeError, match="dim"):
        TensorSpec.of((bad, 4), "fp32")


@pytest.mark.parametrize("bad", [True, None, object(), [1], float("nan"), 1j])
def test_what_is_no_dim_is_refused_also_after_an_equal_number_was_seen(bad):
    TensorSpec.of((1, 4), "fp32")
    with pytest.raises(InputError):
        TensorSpec.of((bad, 4), "fp32")


def test_one_dim_needs_no_tuple():
    assert TensorSpec.of("4*D", "fp32").shape == (4 * D,)
    assert TensorSpec.of(7, "fp32").shape == (7,)
    with pytest.raises(InputError, match="shape"):
        TensorSpec.of(3.0j, "fp32")


def test_a_power_of_a_sum_is_not_expanded_without_end():
    assert dim("(B + D + F + n)**9999").args == (B + D + F + n, 9999)


def test_an_unknown_dtype_is_an_error():
    with pytest.raises(UnknownNameError, match="bf16"):
        TensorSpec.of((1,), "bf61")


def test_specs_survive_pickle_and_copy_as_the_same_object():
    spec = TensorSpec.of((B, D), "mxfp8")
    assert pickle.loads(pickle.dumps(spec)) is spec
    assert copy.deepcopy(spec) is spec


def test_roles():
    g = Graph("g")
    x, w, c = g.input("x", D, "fp32"), g.weight("w", D, "fp32"), g.cache("c", D, "fp32")
    y = x + w
    assert [t.role for t in (x, w, c, y)] == [Role.INPUT, Role.WEIGHT, Role.CACHE, Role.ACTIVATION]
    g.output(y)
    assert y.role is Role.OUTPUT


def test_every_operator_adds_its_op():
    g = Graph("g")
    x = g.input("x", (4, 4), "fp32")
    made = [x @ x, x + x, x - x, x * x, x / x, x**2, -x, 1 + x, 1 - x, 2 * x, 1 / x, 2**x, x + D]
    names = "matmul add sub mul div pow neg add sub mul div pow add"
    assert " ".join(t.producer.kind.name for t in made) == names
    assert (D * x).producer.kind.name == "mul"
    assert x[0].shape == (4,)


def test_a_tensor_is_no_sequence_and_no_array():
    g = Graph("g")
    x = g.input("x", (4, 4), "fp32")
    with pytest.raises(TypeError):
        iter(x)
    assert x != x + 0
    assert len({x, x}) == 1


def test_names_of_outputs():
    g = Graph("g")
    x = g.input("x", (4, 4), "fp32")
    assert (x + x).name == "add_0"
    assert (x @ x).producer.name == "matmul_1"


@pytest.mark.parametrize("shape", [b"B", bytearray(b"B"), {"B": 1}, {"B", "S"}, frozenset("B")])
def test_what_says_nothing_of_dims_in_order_is_no_shape(shape):
    with pytest.raises(InputError, match="a shape is a tuple of dims"):
        TensorSpec.of(shape, "fp16")
