from __future__ import annotations

import pytest

from symroof import ops
from symroof.errors import GraphError, InputError, ShapeError
from symroof.graph import Graph, Role, rows
from symroof.symbolic import symbols

B, D, L, T = symbols("B D L T")


def model(count, unrolled=0):
    g = Graph("model")
    x = g.input("x", (B, D), "bf16")
    shared = g.weight("shared", (D, D), "bf16")

    def layer(x, tag=""):
        h = ops.relu(x @ g.weight(f"w{tag}", (D, D), "bf16"))
        return x + h @ shared

    if unrolled:
        for number in range(unrolled):
            x = layer(x, str(number))
    else:
        x = g.repeat("layer", count, layer, x)
    x @ shared
    return g


@pytest.mark.parametrize("count", [1, 3, 80])
def test_a_repeat_costs_what_the_unrolled_layers_cost(count):
    repeated, unrolled = model(count), model(count, count)
    assert repeated.flops == unrolled.flops
    assert repeated.bytes == unrolled.bytes
    assert repeated.footprint() == unrolled.footprint()


def test_a_symbolic_count_multiplies_the_body():
    g = model(L)
    expected = L * (4 * B * D**2 + 2 * B * D) + 2 * B * D**2
    assert (g.flops.expr - expected).expand() == 0
    assert (g.footprint().expr - (2 * D**2 + 2 * L * D**2)).expand() == 0
    assert g.scope.counts == {"B", "D", "L"}
    assert g.flops.at(L=80) == model(80).flops


def test_rows_carry_the_count():
    counts = {row.op.name: row.count for row in rows(model(L))}
    assert counts == {"matmul_0": 2 * L, "relu_1": L, "add_3": L, "matmul_1": 1}


def test_one_node_with_a_body():
    g = model(L)
    node = g.op("layer")
    assert node.times == L
    assert node.carries == 1
    assert [t.name for t in node.inputs] == ["x", "shared"]
    assert g.tensor("layer").producer is node
    assert g.tensor("layer/w").role is Role.WEIGHT
    assert g.op("layer/matmul_0").block is node.body
    assert len(g.digraph) == 2 * len(g.ops) + len(g.leaves)


def test_nested_repeats_multiply():
    g = Graph("nested")
    x = g.input("x", (B, D), "fp32")
    outer_weight = g.weight("v", (D, D), "fp32")

    def inner(x):
        return (x @ g.weight("w", (D, D), "fp32")) @ outer_weight

    def outer(x):
        return g.repeat("inner", T, inner, x) + x

    g.repeat("outer", L, outer, x)
    assert (g.flops.expr - L * (T * 4 * B * D**2 + B * D)).expand() == 0
    assert (g.footprint().expr - (4 * D**2 * L * T + 4 * D**2)).expand() == 0
    assert [t.name for t in g.op("outer").inputs] == ["x", "v"]
    assert g.tensor("outer/inner/w").shape == (D, D)


def test_several_carries():
    g = Graph("g")
    x, y = g.input("x", B, "fp32"), g.input("y", D, "fp32")
    u, v = g.repeat("swap", L, lambda a, b: (a + a, b * 2), (x, y))
    assert (u.shape, v.shape) == ((B,), (D,))
    assert (u.name, v.name) == ("swap:0", "swap:1")
    with pytest.raises(GraphError, match="carries in 2"):
        g.repeat("lost", L, lambda a, b: a, (x, y))


def test_one_tensor_may_be_carried_out_twice():
    g = Graph("g")
    x = g.input("x", 4, "fp32")
    a, b, c = g.repeat("r", 3, lambda a, b, c: (a, a, b + c), (x, x, x))
    assert [t.name for t in a.producer.body.carried] == ["carry_0", "carry_0", "add_0"]
    assert b.spec is c.spec


def test_what_goes_in_must_come_out():
    g = Graph("g")
    x = g.input("x", (B, D), "bf16")
    with pytest.raises(ShapeError, match=r"\[B, D\] bf16.*\[D, B\] bf16"):
        g.repeat("layer", L, ops.transpose, x)
    with pytest.raises(ShapeError, match=r"\[B, D\] bf16.*\[B, D\] fp32"):
        g.repeat("layer", L, lambda x: ops.cast(x, "fp32"), x)
    with pytest.raises(GraphError, match="NoneType"):
        g.repeat("layer", L, lambda x: None, x)


def test_a_failed_body_leaves_the_graph_as_it_was():
    g = Graph("g")
    x = g.input("x", (B, D), "bf16")

    def broken(x):
        g.weight("w", (D, D), "bf16")
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        g.repeat("layer", L, broken, x)
    y = g.repeat("layer", L, lambda x: x + x, x)
    assert g.ops == (y.producer,)
    assert y + x


@pytest.mark.parametrize("bad", [0, -1, 1.5, "1/2", "-L"])
def test_counts_are_positive_integers(bad):
    g = Graph("g")
    x = g.input("x", 4, "fp32")
    with pytest.raises(InputError, match="layer"):
        g.repeat("layer", bad, lambda x: x + x, x)


def test_tensors_of_a_closed_body_stay_inside():
    g = Graph("g")
    x = g.input("x", 4, "fp32")
    leaked = []

    def body(x):
        leaked.append(x + x)
        return leaked[0]

    g.repeat("layer", L, body, x)
    with pytest.raises(GraphError, match=r"add_0.*inside repeat 'layer'"):
        x + leaked[0]
    with pytest.raises(GraphError):
        g.repeat("again", L, lambda x: leaked[0], x)
    with pytest.raises(InputError):
        g.repeat("again", L, body, 3)


def test_names_of_bodies_are_their_own():
    g = Graph("g")
    x = g.input("w", (D, D), "fp32")

    def layer(x):
        return x @ g.weight("w", (D, D), "fp32")

    y = g.repeat("second", 2, layer, g.repeat("first", 2, layer, x))
    assert g.tensor("first/w") is not g.tensor("second/w")
    with pytest.raises(GraphError, match="two ops"):
        g.repeat("first", 2, layer, y)


def test_a_stacked_cache_of_outside_is_read_every_iteration():
    g = Graph("g")
    cache = g.cache("kv", (8, D), "bf16")
    x = g.input("x", (8, D), "bf16")
    g.repeat("step", T, lambda x: x + cache, x)
    assert g.bytes.expr == 48 * D * T
    assert g.footprint(Role.CACHE).expr == 16 * D


def test_a_repeat_may_carry_nothing():
    g = Graph("g")
    x = g.input("x", D, "fp32")

    def body():
        ops.exp(x, out=x)

    assert g.repeat("warm", T, body) == ()
    assert g.bytes.expr == 8 * D * T
    assert g.op("warm").inputs == (x,)
