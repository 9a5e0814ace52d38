from __future__ import annotations

from collections import Counter

import pytest

from symroof import ops
from symroof.errors import CostError, GraphError, InputError, UnknownNameError
from symroof.graph import Graph, OpKind, Role, apply
from symroof.graph.passes import fuse, fuse_elementwise
from symroof.symbolic import symbols

B, D, L, S, T, n = symbols("B D L S T n")


def accumulate(*, in_place):
    g = Graph("accumulate")
    x, y, z, w = (g.input(name, 10**6, "fp32") for name in "xyzw")
    for _ in range(1000):
        for addend in (y, z, w):
            x = ops.add(x, addend, out=x if in_place else None)
    return g


@pytest.mark.parametrize("in_place", [False, True])
def test_three_thousand_additions_unfused_and_fused(in_place):
    g = accumulate(in_place=in_place)
    assert g.flops.value == 3_000_000_000
    assert g.intensity.value * 12 == 1
    fused = fuse(g, g.ops, name="all")
    assert fused.flops.value == 3_000_000_000
    assert fused.bytes.value == 20_000_000
    assert fused.intensity.value == 150
    assert (g.traffic, fused.traffic) == ("unfused", "fused: all")
    assert g.intensity.value * 12 == 1


def test_a_body_of_three_additions_repeated():
    g = Graph("accumulate")
    x, y, z, w = (g.input(name, 10**6, "fp32") for name in "xyzw")
    g.repeat("step", 1000, lambda x: ((x + y) + z) + w, x)
    assert (g.flops.value, g.bytes.value) == (3 * 10**9, 36 * 10**9)
    fused = fuse(g, [f"step/add_{i}" for i in range(3)])
    # Each iteration reads the carry and three addends, and writes the carry.
    assert (fused.flops.value, fused.bytes.value) == (3 * 10**9, 20 * 10**9)
    assert fused.op("step/add_0").kind.name == "fused"


def test_a_tensor_read_whole_by_three_consumers():
    g = Graph("fan-out")
    k = g.cache("k", (8, 8192, 128), "bf16")
    scalars = [g.input(f"s{i}", (), "bf16") for i in range(3)]
    for scalar in scalars:
        ops.custom(inputs=[k, scalar], output_shape=(), flops=0)
    small = 3 * 2 * 2
    assert g.bytes.value == 50331648 + small
    assert fuse(g, g.ops).bytes.value == 16777216 + small


def test_fused_layers_of_a_stacked_cache_still_add():
    g = Graph("kv")
    kv = g.cache("kv", (62, 8, 8192, 128), "bf16")
    for layer in range(62):
        ops.custom(inputs=[kv[layer]], output_shape=(), flops=0)
    assert fuse(g, g.ops).bytes.value == 1040187392 + 62 * 2


def test_only_what_leaves_is_written():
    g = Graph("g")
    x = g.input("x", n, "fp32")
    a = ops.exp(x, name="a")
    b = ops.log(a, name="b")
    c = ops.sin(b, name="c")
    ops.cos(b, name="d")
    g.output(a)
    fused = fuse(g, ["a", "b"])
    # Reads x; a is an output, b is read outside.
    assert fused.op("a").cost.writes == (4 * n, 4 * n)
    assert [t.name for t in fused.op("a").outputs] == ["a", "b"]
    assert fuse(g, ["b", "c"]).op("b").cost.writes == (4 * n, 4 * n)
    assert fuse(g, ["b", "c", "d"]).op("b").cost.writes == (4 * n, 4 * n)
    assert fuse(g, ["b", "c", "d"], name="bcd").tensor("c").producer.name == "bcd"
    assert c.producer.kind.name == "sin"


def test_everything_else_stays_as_it_was():
    g = Graph("g", flop_weights={"exp": 4})
    x, w = g.input("x", (B, D), "bf16"), g.weight("w", (D, D), "bf16")
    h = ops.reshape(ops.exp(x @ w), (1, B, D))
    y = ops.reshape(h, (B, D)) + x
    g.output(y)
    fused = fuse(g, ["matmul_0", "exp_1"], name="up")
    assert fused.flops == g.flops
    assert [op.name for op in fused.ops] == ["up", "reshape_2", "reshape_3", "add_4"]
    assert fused.tensor("add_4").role is Role.OUTPUT
    assert fused.tensor("add_4").shape == (B, D)
    assert fused.tensor("reshape_3").storage is fused.tensor("exp_1")
    assert fused.footprint() == g.footprint()
    assert fused.scope == g.scope
    assert g.bytes.expr - fused.bytes.expr == 4 * B * D


def test_views_on_the_way_need_not_be_listed():
    g = Graph("g")
    x = g.input("x", (B, D), "fp32")
    h = ops.reshape(ops.exp(x, name="a"), "B*D")
    ops.log(h, name="b")
    fused = fuse(g, ["a", "b"])
    assert fused.bytes.expr == 8 * B * D
    assert [op.name for op in fused.ops] == ["a"]


def test_a_view_that_others_read_keeps_its_tensor():
    g = Graph("g")
    x = g.input("x", (4, D), "fp32")
    a = ops.exp(x, name="a")
    row = a[0]
    ops.log(a, name="b")
    ops.sin(row, name="c")
    fused = fuse(g, ["a", "b"])
    assert [t.name for t in fused.op("a").outputs] == ["a", "b"]
    assert fused.op("c").cost.reads == (4 * D,)
    assert fused.op("c").inputs[0].storage is fused.tensor("a")


def test_a_region_reads_each_part_of_a_storage_once():
    g = Graph("g")
    x = g.input("x", (8, 8), "fp32")
    ops.exp(x[:4]), ops.log(x[:4]), ops.sin(x[4:]), ops.cos(x[2:6])
    fused = fuse(g, [op for op in g.ops if not op.kind.view])
    (op,) = (op for op in fused.ops if not op.kind.view)
    assert sum(op.cost.reads) == 256
    assert sum(op.cost.writes) == 4 * 128


def test_a_path_that_leaves_and_comes_back_is_shown():
    g = Graph("g")
    x = g.input("x", n, "fp32")
    a = ops.exp(x, name="a")
    b = ops.log(a, name="b")
    c = ops.reshape(ops.sin(b, name="c"), (n, 1), name="v")
    ops.add(a, ops.reshape(c, n), name="d")
    with pytest.raises(GraphError, match="a -> b -> c -> d"):
        fuse(g, ["a", "d"])
    with pytest.raises(GraphError, match="b -> c -> d"):
        fuse(g, ["a", "b", "d"])
    assert fuse(g, ["a", "b", "c", "d"]).bytes.expr == 8 * n


def test_the_fused_op_stands_after_what_it_needs():
    g = Graph("g")
    x = g.input("x", n, "fp32")
    a = ops.exp(x, name="a")
    b = ops.log(a, name="b")
    c = ops.sin(x, name="c")
    ops.add(a, c, name="d")
    ops.cos(b, name="e")
    fused = fuse(g, ["a", "d"], name="ad")
    seen = set(fused.leaves.values())
    for op in fused.ops:
        assert seen.issuperset(op.inputs)
        seen.update(op.outputs)
    assert [op.name for op in fused.ops] == ["c", "ad", "b", "e"]


def test_regions_that_cannot_be():
    g = Graph("g")
    x = g.input("x", (B, D), "fp32")
    y = g.repeat("layer", L, lambda x: x + x, x)
    view = ops.reshape(y, "B*D")
    with pytest.raises(InputError, match="no op to fuse"):
        fuse(g, [])
    with pytest.raises(InputError, match="no op to fuse"):
        fuse(g, [view.producer])
    with pytest.raises(InputError, match="made of ops"):
        fuse(g, [y])
    with pytest.raises(GraphError, match="repeat 'layer'"):
        fuse(g, ["layer"])
    with pytest.raises(UnknownNameError):
        fuse(g, ["layers"])
    z = ops.exp(y)
    with pytest.raises(GraphError, match="different blocks"):
        fuse(g, ["layer/add_0", z.producer])
    with pytest.raises(GraphError, match="not of graph"):
        fuse(Graph("other"), [z.producer])


def test_a_region_over_one_link_sums_what_it_sends():
    g = Graph("g")
    x = g.input("x", (B, D), "fp32")
    y = ops.all_reduce(ops.exp(x), group=n)
    ops.all_reduce(y, group=n)
    fused = fuse(g, g.ops)
    assert fused.link_bytes == g.link_bytes
    assert fused.scope.counts >= {"n"}


def test_appending_to_a_cache_inside_a_region():
    g = Graph("decode")
    cache = g.cache("k", (8, S, 128), "bf16")
    x = g.input("x", (8, 1, 128), "bf16")
    new = ops.exp(x, name="new")
    kept = ops.cache_append(cache, new, name="append")
    ops.custom("attend", inputs=[kept], output_shape=(8, 1, 128), flops=0)
    fused = fuse(g, ["new", "append", "attend"])
    slot = 8 * 128 * 2
    # x is read, the slot and the result are written; of the cache, all but the slot is read.
    assert fused.bytes.expr.expand() == slot + slot + slot + 8 * 128 * 2 * (S - 1)


def test_a_result_kept_on_chip_and_overwritten_there_is_written_whole():
    g = Graph("g")
    x = g.input("x", n, "fp32")
    a = ops.exp(x)
    b = ops.log(a, out=a)
    ops.sin(b)
    fused = fuse(g, ["exp_0", "log_1"])
    assert fused.op("exp_0").cost.writes == (4 * n,)
    (made,) = fused.op("exp_0").outputs
    assert made.storage is made


class Unknown(OpKind):
    name = "unknown"
    count = source = "nobody knows"

    def infer(self, inputs, attrs):
        return inputs

    def cost(self, inputs, outputs, attrs):
        return None


def test_an_unknown_cost_stays_unknown():
    g = Graph("g")
    x = g.input("x", n, "fp32")
    ops.exp(apply(Unknown(), (x,), name="odd"))
    fused = fuse(g, g.ops)
    with pytest.raises(CostError, match="odd"):
        _ = fused.flops


def test_equal_regions_share_one_cost():
    g = Graph("g")
    x = g.input("x", (B, D), "bf16")
    for layer in range(50):
        x = ops.relu(x @ g.weight(f"w{layer}", (D, D), "bf16")) + x
    fused = fuse_elementwise(g)
    assert len(fused.signatures) == 1
    assert len(fused.ops) == 50
    assert fused.flops == g.flops
    # Each layer reads x and w and writes x; the product and its positive part stay on chip.
    assert fused.bytes.expr == 50 * (4 * B * D + 2 * D**2)


def test_elementwise_ops_and_norms_ride_along():
    g = Graph("layer")
    x = g.input("x", (B, D), "bf16")

    def layer(x):
        h = ops.rmsnorm(x, g.weight("scale", D, "bf16"))
        up = h @ g.weight("up", (D, 4 * D), "bf16")
        gate = h @ g.weight("gate", (D, 4 * D), "bf16")
        return (ops.silu(gate) * up) @ g.weight("down", (4 * D, D), "bf16") + x

    g.repeat("layer", L, layer, x)
    fused = fuse_elementwise(g)
    body = fused.op("layer").body
    assert fused.traffic == "fused"
    assert [op.name for op in body.ops] == ["rmsnorm_0", "matmul_1", "matmul_2", "matmul_5"]
    assert fused.flops == g.flops
    weights = 2 * (D + 3 * 4 * D**2)
    # norm: x, h; up: h, up; gate with silu and product: h, up, result; down with sum: result, x, y.
    activations = 2 * (B * D * (2 + 1 + 1 + 2) + 4 * B * D * (1 + 2 + 1))
    assert (fused.bytes.expr - L * (weights + activations)).expand() == 0


def test_nothing_rides_on_a_repeat_or_on_a_link():
    g = Graph("g")
    x = g.input("x", (B, D), "bf16")
    y = ops.relu(g.repeat("layer", L, lambda x: x @ g.weight("w", (D, D), "bf16"), x), name="a")
    ops.exp(ops.all_reduce(y, group=n), name="b")
    kinds = Counter(op.kind.name for op in fuse_elementwise(g).ops)
    assert kinds == {"repeat": 1, "relu": 1, "all_reduce": 1, "exp": 1}


def test_an_op_joins_the_latest_of_its_producers():
    g = Graph("g")
    x, w = g.input("x", (B, D), "bf16"), g.weight("w", (D, D), "bf16")
    a = ops.matmul(x, w, name="a")
    b = ops.matmul(a, w, name="b")
    ops.add(a, b, name="c")
    fused = fuse_elementwise(g)
    assert [op.name for op in fused.ops] == ["a", "b"]
    assert dict(fused.op("b").attrs)["ops"] == ("matmul", "add")


def test_fusing_what_is_fused():
    g = accumulate(in_place=False)
    once = fuse(g, g.ops[:1500], name="half")
    twice = fuse(once, ["half", *(op.name for op in once.ops[1:])], name="all")
    assert twice.bytes.value == 20_000_000
    assert twice.flops.value == 3_000_000_000
    assert twice.traffic == "fused: half, all"
