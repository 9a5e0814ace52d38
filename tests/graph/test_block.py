from __future__ import annotations

import networkx as nx
import pytest

from symroof import ops
from symroof.errors import GraphError, InputError, UnknownNameError
from symroof.graph import Graph


def small():
    g = Graph("small")
    x, w = g.input("x", ("B", "D"), "bf16"), g.weight("w", ("D", "D"), "bf16")
    y = ops.matmul(x, w, name="y")
    return g, x, w, y, y * y


def test_listing_and_looking_up():
    g, x, w, y, z = small()
    assert g.ops == (y.producer, z.producer)
    assert g.tensors == (x, w, y, z)
    assert g.tensor("x") is x
    assert g.tensor("y") is y
    assert g.tensor("mul_1") is z
    assert g.op("y") is y.producer
    assert g.op("mul_1") is z.producer
    assert "2 ops" in repr(g)


@pytest.mark.parametrize("name", ["yy", "mul_11", "mul_0", "y/x", "y:1", "x:0"])
def test_unknown_names(name):
    g = small()[0]
    with pytest.raises(UnknownNameError):
        g.tensor(name)


def test_unknown_ops_offer_the_nearest():
    g = small()[0]
    with pytest.raises(UnknownNameError, match="mul_1"):
        g.op("mul_2")


def test_two_tensors_or_two_ops_of_one_name_are_refused():
    g, x, *_ = small()
    for make in (
        lambda: g.input("x", 4, "fp32"),
        lambda: g.weight("y", 4, "fp32"),
        lambda: g.cache("mul_1", 4, "fp32"),
        lambda: ops.relu(x, name="y"),
        lambda: ops.relu(x, name="mul_1"),
    ):
        with pytest.raises(GraphError, match=r"two (tensors|ops)"):
            make()
    assert len(g.tensors) == 4


def test_ops_and_tensors_are_separate_namespaces():
    g, x, *_ = small()
    made = ops.relu(x, name="w")
    assert g.op("w") is made.producer
    assert made.name == "w:0"
    assert g.tensor("w:0") is made
    assert g.tensor("w") is g.leaves["w"]


def test_automatic_names_give_way_to_given_ones():
    g = Graph("g")
    x = g.input("x", 4, "fp32")
    first = ops.relu(x, name="relu_1")
    second = ops.relu(x)
    leaf = g.input("relu_2", 4, "fp32")
    third = ops.relu(x)
    names = [t.name for t in (first, second, leaf, third)]
    assert names == ["relu_1", "relu_1_", "relu_2", "relu_2_"]
    assert [g.tensor(name) for name in names] == [first, second, leaf, third]
    with pytest.raises(GraphError):
        g.input("relu_1_", 4, "fp32")


@pytest.mark.parametrize("bad", ["", "a b", "a/b", "a:0", ".a", "1a", "a\n", "a" * 201])
def test_names_that_could_not_be_referred_to_are_refused(bad):
    g, x, *_ = small()
    with pytest.raises(InputError):
        g.input(bad, 4, "fp32")
    with pytest.raises(InputError):
        ops.relu(x, name=bad)
    with pytest.raises(InputError):
        g.input(3, 4, "fp32")


@pytest.mark.parametrize("good", ["λ", "l0.q", "l-0", "_x", "Größe", "a."])
def test_other_names_are_fine(good):
    g, x, *_ = small()
    assert g.input(good, 4, "fp32").name == good
    assert ops.relu(x, name=f"{good}2").name == f"{good}2"


def test_the_networkx_graph_has_the_objects_as_nodes():
    g, x, w, y, z = small()
    digraph = g.digraph
    assert set(digraph) == {x, w, y, z, y.producer, z.producer}
    assert set(digraph.edges) == {
        (x, y.producer),
        (w, y.producer),
        (y.producer, y),
        (y, z.producer),
        (z.producer, z),
    }
    assert nx.is_directed_acyclic_graph(digraph)
    assert all(digraph.in_degree(t) <= 1 for t in g.tensors)


def test_the_networkx_graph_is_built_once_and_follows_the_graph():
    g, x, *_ = small()
    before = g.digraph
    assert g.digraph is before
    with pytest.raises(nx.NetworkXError):
        before.add_node("mine")
    unused = g.input("unused", 4, "fp32")
    assert unused in g.digraph
    made = ops.relu(x)
    assert made in g.digraph
    assert made not in before
