from __future__ import annotations

import pytest

from symroof import ops
from symroof.errors import CostError, GraphError, InputError, ShapeError, UnknownNameError
from symroof.graph import Attrs, Cost, Graph, OpKind, apply, apply_all
from symroof.graph.op import weight_attr
from symroof.symbolic import symbols

B, D = symbols("B D")


class Split(OpKind):
    name = "split"
    count = "0"
    source = "a test"

    def infer(self, inputs, attrs):
        half = inputs[0].with_shape((inputs[0].shape[0] / 2,))
        return (half, half)

    def cost(self, inputs, outputs, attrs):
        return Cost.moving(inputs, outputs)


class Mystery(Split):
    name = "mystery"

    def infer(self, inputs, attrs):
        return inputs[:1]

    def cost(self, inputs, outputs, attrs):
        return None


def test_equal_ops_share_one_cost():
    g = Graph("g")
    x = g.input("x", (B, D), "fp32")
    a, b = x + x, x + x
    assert a.producer.cost is b.producer.cost
    assert a.producer.signature.count == 2
    assert (x + a).producer.cost is not a.producer.cost


def test_ports_keep_their_order_and_repeats():
    g = Graph("g")
    x, y = g.input("x", D, "fp32"), g.input("y", D, "fp32")
    assert (x - y).producer.inputs == (x, y)
    assert (x * x).producer.inputs == (x, x)


def test_several_outputs():
    g = Graph("g")
    a, b = apply_all(Split(), (g.input("x", 2 * D, "fp32"),), name="halves")
    assert (a.name, b.name, a.shape) == ("halves:0", "halves:1", (D,))
    assert g.tensor("halves:1") is b
    assert g.bytes.expr == 16 * D


def test_an_op_without_cost_is_an_error_naming_it():
    g = Graph("g")
    x = g.input("x", (2, 73), "fp32")
    y = apply(Mystery(), (x @ g.weight("w", (73, 256), "fp32"),), name="opaque")
    y + g.weight("b", 256, "fp32")
    with pytest.raises(CostError, match=r"opaque.*mystery"):
        _ = g.flops
    with pytest.raises(CostError, match="opaque"):
        _ = g.intensity


def test_an_op_without_cost_is_a_symbol_on_request():
    g = Graph("g", uncosted="symbol")
    x = g.input("x", (2, 73), "fp32")
    apply(Mystery(), (x,), name="one")
    apply(Mystery(), (x,), name="two")
    x + x
    assert g.flops.expr == sum(symbols("flops_one flops_two")) + 146
    assert set(g.bytes.scope.dimensions) >= {"bytes_one", "bytes_two"}
    assert not g.scope.counts
    with pytest.raises(UnknownNameError, match="symbol"):
        Graph("h", uncosted="symbl")


@pytest.mark.parametrize("bad", [3, None, "x", [1, 2]])
def test_an_operand_that_is_no_tensor_is_named_by_its_place(bad):
    x = Graph("g").input("x", (4, 4), "fp32")
    with pytest.raises(InputError, match="matmul: operand 2 is"):
        ops.matmul(x, bad)
    with pytest.raises(InputError, match="matmul: operand 1 is"):
        ops.matmul(bad, x)
    with pytest.raises(InputError, match="relu: operand 1 is"):
        ops.relu(bad)


def test_an_op_needs_an_operand():
    with pytest.raises(GraphError, match="no operand"):
        ops.concat([])


def test_tensors_of_two_graphs_are_refused():
    x, y = Graph("one").input("x", 4, "fp32"), Graph("two").input("y", 4, "fp32")
    with pytest.raises(GraphError, match=r"'one' and 'two'.*'y'"):
        x + y


def test_a_refused_op_leaves_the_graph_as_it_was():
    g = Graph("g")
    x = g.input("x", 4, "fp32")
    ops.relu(x, name="y")
    for op in (ops.relu, ops.exp):
        with pytest.raises(GraphError):
            op(x, name="y")
    with pytest.raises(ShapeError):
        x + g.input("z", 5, "fp32")
    assert len(g.ops) == 1
    assert g.flops.expr == 4


def test_in_place_forms_read_and_write_once():
    g = Graph("g")
    x, y = g.input("x", 10**6, "fp32"), g.input("y", 10**6, "fp32")
    z = ops.add(x, y, out=x)
    assert g.bytes.value == 12_000_000
    assert z is not x
    assert z.storage is x
    assert ops.add(z, z, out=z).storage is x


def test_in_place_targets_must_fit():
    g = Graph("g")
    x, y = g.input("x", (4, 4), "fp32"), g.input("y", 4, "fp32")
    with pytest.raises(ShapeError, match="out="):
        ops.add(x, y, out=y)
    with pytest.raises(InputError, match="out="):
        ops.add(x, x, out=3)
    with pytest.raises(GraphError, match="two graphs"):
        ops.add(x, x, out=Graph("h").input("x", (4, 4), "fp32"))
    assert not g.ops


def test_weights_of_a_call_a_graph_and_the_table():
    assert Attrs({"flop_weight": 7}, {"exp": 3}).weight("exp") == 7
    assert Attrs({}, {"exp": 3}).weight("exp") == 3
    with pytest.raises(InputError):
        weight_attr(-1)


def test_memory_through_ports_is_what_the_kind_says():
    x = Graph("g").input("x", (4,), "fp32").spec
    cost = Cost.moving((x, x), (x,), flops={"fp32": 0}, reads=(1, "B"), writes=(0,))
    assert cost.flops == ()
    assert cost.reads == (1, B)
