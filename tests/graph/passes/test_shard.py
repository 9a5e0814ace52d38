"""Graphs of one chip: which collectives, where, and how the plan says so."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from sympy import Rational

import symroof as sr
from symroof import ops, passes
from symroof.errors import GraphError, InputError, ShapeError, UnknownNameError
from symroof.graph import Graph, Role, load
from symroof.graph.work import link_bytes
from symroof.symbolic import bind, symbols

from ..executor import Chips
from ..graph_facts import facts

B, D, F, S, H, G, d, L, V, n = symbols("B D F S H G d L V n")
ROWS = ("X", None)
MESH = sr.Mesh(X="X", Y="Y")


def names(graph):
    return [op.name for op in graph.ops]


def sent(graph, **sizes):
    return {axis: bind(amount, sizes) for axis, amount in link_bytes(graph).items()}


def check(graph, mesh, sizes=None, **how):
    """Run the whole graph on one chip and the sharded one on all; return the local graph."""
    rng = np.random.default_rng(3)
    arrays = {}
    for block in graph.blocks():
        for name, leaf in block.leaves.items():
            shape = tuple(int(bind(size, sizes or {})) for size in leaf.shape)
            front = () if block.parent is None else (2,)
            arrays[block.path + name] = rng.standard_normal((*front, *shape)) / 2
    alone = Chips(sr.Mesh(**dict.fromkeys(mesh.names, 1)), sizes)
    expected = alone.run(graph, graph, arrays)
    local = passes.shard(graph, mesh, **how)
    chips = Chips(mesh, sizes)
    found = chips.run(local, graph, arrays)
    for whole, part in zip(graph.results, local.results, strict=True):
        (array, *_) = expected[whole].values()
        layout = local.plan.outputs[whole.name]
        assert np.allclose(chips.join(found[part], layout.dims, array.shape), array)
    for axis in mesh.names:
        total = sum(chips.sent[axis, chip] for chip in chips.chips)
        assert total == len(chips.chips) * bind(
            link_bytes(local).get(axis, 0) + 0 * mesh.size, sizes or {}
        )
    return local


# --- the four cases of a product ------------------------------------------------------------------


def product(a, b, out=None, **how):
    g = Graph("g")
    x = g.input("A", (B, D), "bf16", sharding=a)
    y = ops.matmul(x, g.weight("W", (D, F), "bf16", sharding=b), name="C")
    g.output(y)
    return passes.shard(g, MESH, outputs={"C": out} if out else None, **how)


def test_kept_dims_send_nothing():
    local = product(("X", None), (None, "Y"))
    assert names(local) == ["C"]
    assert local.tensor("C").shape == (B / symbols("X"), F / symbols("Y"))
    assert local.plan.step("C").cases == (
        "X: kept B of A; nothing is sent",
        "Y: kept F of W; nothing is sent",
    )


def test_a_summed_dim_sharded_alike_leaves_a_sum_to_make():
    assert names(product((None, "X"), ("X", None))) == ["C", "C.all_reduce_X"]
    assert names(product((None, "X"), ("X", None), ("X", None))) == ["C", "C.reduce_scatter_X"]
    assert names(product((None, "X"), ("X", None), (None, "X"))) == ["C", "C.reduce_scatter_X"]
    local = product((None, "X"), ("X", None))
    assert sent(local, B=3, D=8, F=5, X=4) == {"X": 2 * (2 * 3 * 5) * 3 // 4}
    (case,) = local.plan.step("C").cases
    assert (
        case == "X: summed D of A and D of W, sharded alike; each chip is left with a partial sum"
    )


def test_a_summed_dim_sharded_on_one_side_is_gathered_or_the_other_is_cut():
    # By bytes: gathering A sends B*D, the sum of the shares' product twice B*F.
    gathered = product((None, "X"), (None, None), sizes={"B": 64, "D": 64, "F": 64})
    assert names(gathered) == ["A.all_gather_X", "C"]
    cut = product((None, "X"), (None, None), sizes={"B": 64, "D": 640, "F": 64})
    assert names(cut) == ["W.take_shard_X", "C", "C.all_reduce_X"]
    assert cut.plan.step("C").cases[0].startswith("X: summed D of A only; each chip takes its")
    # In symbols it stays open; one collective either way, and in shards less work is repeated.
    open_ = product((None, "X"), (None, None))
    assert names(open_) == names(cut)
    assert "sizes leave it open" in str(open_.plan)


def test_two_kept_dims_on_one_axis_cannot_stay():
    local = product(("X", None), (None, "X"))
    # Either operand could move; of equal ways it is the weight.
    assert names(local) == ["W.all_gather_X", "C"]
    assert "cannot stay so" in str(local.plan)
    smaller = product(("X", None), (None, "X"), sizes={"B": 4, "D": 512, "F": 512})
    assert names(smaller) == ["A.all_gather_X", "C"]
    assert names(product(("X", None), (None, "X"), prefer="activations"))[0] == "A.all_gather_X"


def test_prefer_weights_gathers_what_is_stored_in_shards():
    stored = product((None, None), ("X", None), prefer="weights")
    assert names(stored) == ["W.all_gather_X", "C"]
    assert names(product((None, None), ("X", None))) == ["A.take_shard_X", "C", "C.all_reduce_X"]


def test_prefer_work_splits_it_even_where_gathering_sends_less():
    def layer(**how):
        g = Graph("layer")
        x = g.input("x", (4096, 64), "fp64")
        h = ops.matmul(x, g.weight("up", (64, 64), "fp64", sharding=(None, "X")), name="h")
        y = ops.matmul(h, g.weight("down", (64, 64), "fp64", sharding=ROWS), name="y")
        g.output(y)
        return check(g, sr.Mesh(X=2), outputs={"y": (None, None)}, **how)

    # An all-reduce sends 2·½ of y; to gather h and the small weight sends ½ of each.
    y, down = 4096 * 64 * 8, 64 * 64 * 8
    by_bytes, by_work = layer(), layer(prefer="work")
    assert sent(by_bytes) == {"X": Rational(y + down, 2)}
    assert sent(by_work) == {"X": y}
    assert by_work.flops.expr == 2 * 2 * 4096 * 64 * 64 // 2
    assert by_bytes.flops.expr > by_work.flops.expr


def test_faster_axes_carry_more():
    # A sum over both axes: the first one of the hierarchy carries the larger part.
    for fast in "XY":
        local = product(
            (None, ("X", "Y")),
            (("X", "Y"), None),
            bandwidth={"X": 1, "Y": 1, fast: 1000},
            sizes={"X": 4, "Y": 4},
        )
        assert local.ops[1].name == f"C.reduce_scatter_{fast}"


def test_idle_axes_help_where_that_is_proved():
    # The rows are not sharded over Y by anyone; halves of them are cheaper to gather.
    g = Graph("g")
    a = g.input("A", (640, 32), "bf16", sharding=(None, "Y"))
    ops.matmul(a, g.weight("W", (32, 64), "bf16"), name="C")
    local = passes.shard(g, sr.Mesh(X=4, Y=8), outputs={"C": (None, "Y")})
    assert local.plan.step("C").ground == "least link time, with axes that were idle"
    gathered = 2 * 640 * 32 * 7 / 8
    assert local.link_bytes.value < gathered


def fully_sharded(rows, **how):
    g = Graph("g")
    x = g.input("x", (rows, 12), "fp64", sharding=("X", None))
    w = g.weight("w", (12, 12), "fp64", sharding=("X", None))
    g.output(ops.matmul(ops.relu(x), w, name="y"))
    return check(g, sr.Mesh(X=2, Y=3), **how)


def test_a_free_result_costs_no_more_than_it_has_to():
    # Plain: each chip gets the other half of the weight. Spread over Y: a third of that, and then
    # the two thirds of its rows of the result that it did not make.
    local = fully_sharded(8)
    assert sent(local) == {"X": 8 * 12 * 12 // 2 // 3, "Y": 8 * (8 // 2) * 12 * 2 // 3}
    assert sum(sent(local).values()) < 8 * 12 * 12 // 2
    assert local.plan.step("y").ground == "least link time, with axes that were idle"
    # It lies as it would have.
    assert local.plan.outputs["y"].dims == (("X",), ())


def test_where_spreading_sends_no_less_the_plain_plan_stays():
    # With 12 rows that is 192 + 384 byte, as many as the whole weight takes.
    assert 8 * 12 * 12 // 2 // 3 + 8 * (12 // 2) * 12 * 2 // 3 == 8 * 12 * 12 // 2
    for rows in (12, 24):
        local = fully_sharded(rows)
        assert names(local) == ["relu_0", "w.all_gather_X", "y"]
        assert sent(local) == {"X": 8 * 12 * 12 // 2}


def test_symbols_that_leave_it_open_keep_the_plain_plan():
    g = Graph("g")
    x = g.input("x", (B, D), "bf16", sharding=("X", None))
    g.output(ops.matmul(x, g.weight("w", (D, F), "bf16", sharding=("X", None)), name="y"))
    assert names(passes.shard(g, MESH)) == ["w.all_gather_X", "y"]
    small = {"B": 8, "D": 12, "F": 12, "X": 2, "Y": 3}
    spread = passes.shard(g, MESH, sizes=small)
    assert sent(spread, **small) == {"X": 2 * 12 * 12 // 2 // 3, "Y": 2 * (8 // 2) * 12 * 2 // 3}


# --- everything else ------------------------------------------------------------------------------


def test_a_residual_takes_the_layout_of_the_stream():
    g = Graph("g")
    x = g.input("x", (B, D), "bf16", sharding=("X", "Y"))
    h = x @ g.weight("up", (D, F), "bf16", sharding=(None, "Y"))
    y = ops.relu(h) @ g.weight("down", (F, D), "bf16", sharding=("Y", None))
    ops.add(x, y, name="z")
    local = passes.shard(g, MESH)
    assert names(local)[-2:] == ["matmul_2.reduce_scatter_Y", "z"]
    assert local.plan.outputs["z"].dims == (("X",), ("Y",))


def test_partial_sums_pass_through_what_is_linear():
    g = Graph("parallel blocks")
    x = g.input("x", (3, 12), "fp64")
    a, b = (g.weight(w, (12, 12), "fp64", sharding=("X", None)) for w in "ab")
    left, right = ops.relu(x) @ a, ops.square(x) @ b
    y = ops.transpose(left - right / 2)
    g.output(ops.reshape(-y, (36,), name="y"))
    local = check(g, sr.Mesh(X=3))
    assert [op.kind.name for op in local.ops].count("all_reduce") == 1
    assert "partial sums pass through" in str(local.plan)


def test_other_functions_get_the_sum():
    g = Graph("g")
    x = g.input("x", (12, 12), "fp64", sharding=(None, "X"))
    y = x @ g.weight("w", (12, 12), "fp64", sharding=("X", None))
    g.output(ops.square(y), ops.add(y, y * y), 1 / (y * y + 1))
    check(g, sr.Mesh(X=4))


def test_a_norm_along_a_sharded_dim_is_gathered_first():
    g = Graph("g")
    x = g.input("x", (12, 12), "fp64", sharding=("X", "Y"))
    w = g.weight("w", (12,), "fp64", sharding=("Y",))
    g.output(ops.rmsnorm(x, w, name="y"), ops.softmax(x, axis=0))
    local = check(g, sr.Mesh(X=2, Y=3))
    assert names(local)[:3] == ["x.all_gather_Y", "w.all_gather_Y", "y"]
    assert "12 of x and 12 of w has to be whole" in local.plan.step("y").cases[1]


def test_reductions_movement_and_lookup():
    g = Graph("g")
    x = g.input("x", (12, 4, 6), "fp64", sharding=("X", None, "Y"))
    g.output(
        ops.sum(x, axes=2, name="total"),
        ops.max(x, axes=(1, 2), keepdims=True),
        ops.mean(x, axes=0),
        ops.reshape(x, (48, 6), name="merged"),
        ops.transpose(x, (2, 0, 1)),
        ops.concat([x, x], axis=1),
        x[:, 1:3, 2],
    )
    local = check(g, sr.Mesh(X=2, Y=3))
    assert "total.all_reduce_Y" in names(local)
    assert local.tensor("merged").shape == (24, 2)


def test_a_mean_of_shards_is_a_partial_sum():
    g = Graph("g")
    x = g.input("x", (4, 6, 12), "fp64", sharding=("X", "Y", None))
    g.output(ops.mean(x, axes=(0, 1), name="m"))
    local = check(g, sr.Mesh(X=2, Y=3))
    # Each chip adds up its values and divides once for each of 12: as many FLOPs as it has values.
    assert local.op("m").cost.flops == (("fp64", 4 * 6 * 12 // 6),)
    assert dict(local.op("m").attrs)["count"] == 4 * 6
    # A sum over both axes: scattered over one, reduced over the other, and gathered again.
    assert sum(sent(local).values()) == 2 * (8 * 12) * 5 // 6


def test_a_mean_along_whole_dims_stays_what_it_was():
    g = Graph("g")
    x = g.input("x", (B, S), "fp64", sharding=("X", None))
    g.output(ops.mean(x, axes=1, name="rows"), ops.mean(x, axes=0, name="columns"))
    local = check(g, MESH, {"B": 4, "S": 6, "X": 2, "Y": 3})
    assert "count" not in dict(local.op("rows").attrs)
    assert dict(local.op("columns").attrs)["count"] == B
    assert names(local) == ["rows", "columns", "columns.all_reduce_X"]


def test_a_table_sharded_by_rows_is_looked_up_in_parts():
    g = Graph("embed")
    table = g.weight("table", (V, D), "bf16", sharding=("Y", None))
    y = ops.gather(table, g.input("ids", B, "int32", sharding=("X",)), name="e")
    g.output(y)
    local = passes.shard(g, MESH)
    assert names(local) == ["e", "e.all_reduce_Y"]
    assert local.tensor("e").shape == (B / symbols("X"), D)
    # A Y-th of the rows asked for are this chip's own.
    reads = local.op("e").cost.reads[0]
    assert bind(reads, {"B": 64, "X": 2, "Y": 4, "D": 10, "V": 1000}) == 64 // 2 // 4 * 20
    by_columns = Graph("embed")
    table = by_columns.weight("table", (12, 12), "fp64", sharding=(None, "Y"))
    ids = by_columns.input("ids", 6, "int32")
    by_columns.output(ops.gather(table, ids))
    assert not link_bytes(passes.shard(by_columns, sr.Mesh(Y=3)))


def test_linear_with_a_bias_adds_it_once():
    g = Graph("g")
    x = g.input("x", (12, 12), "fp64", sharding=(None, "X"))
    w = g.weight("w", (12, 12), "fp64", sharding=("X", None))
    g.output(ops.linear(x, w, g.weight("bias", (12,), "fp64"), name="y"))
    local = check(g, sr.Mesh(X=3))
    assert names(local) == ["y.product", "y.product.all_reduce_X", "y"]
    assert local.flops.value == 2 * 12 * 4 * 12 + 12 * 12


def test_an_op_without_rules_gets_whole_operands():
    g = Graph("g")
    a = g.input("a", (12, 12), "fp64", sharding=("X", None))
    g.output(ops.potrf(a, name="c"))
    local = passes.shard(g, sr.Mesh(X=4))
    assert names(local) == ["a.all_gather_X", "c"]
    assert "12 of a has to be whole" in str(local.plan)


def test_one_tensor_on_two_ports_is_moved_once_for_each_layout():
    g = Graph("g")
    x = g.input("x", (12, 12), "fp64", sharding=("X", None))
    g.output(x @ x)
    local = check(g, sr.Mesh(X=4))
    assert len(link_bytes(local)) == 1


def test_in_place_ops_stay_in_place():
    g = Graph("g")
    cache = g.cache("k", (B, H, S, d), "bf16", sharding=("X", "Y", None, None))
    new = g.input("new", (B, H, 1, d), "bf16", sharding=("X", "Y", None, None))
    y = ops.cache_append(cache, new, name="k2")
    x = g.input("x", (B, D), "fp32", sharding=("X", None))
    ops.relu(x, out=x, name="r")
    local = passes.shard(g, MESH)
    assert not link_bytes(local)
    assert local.tensor("k2").storage is local.tensor("k")
    assert local.tensor("r").storage is local.tensor("x")
    assert y.storage is cache


def test_views_stay_views():
    g = Graph("g")
    kv = g.cache("kv", (2, B, S, d), "bf16", sharding=(None, "X", None, None))
    q = g.input("q", (B, 1, d), "bf16", sharding=("X", None, None))
    ops.matmul(q, ops.transpose(kv[0], (0, 2, 1)), name="scores")
    local = passes.shard(g, MESH)
    assert local.op("scores").inputs[1].storage is local.tensor("kv")
    assert not link_bytes(local)


# --- attention ------------------------------------------------------------------------------------


def attention(mask="none", heads=(H, G), **sharding):
    g = Graph("attention")
    q = g.input("q", (B, heads[0], S, d), "bf16", **sharding)
    k, v = (g.input(name, (B, heads[1], S, d), "bf16", **sharding) for name in "kv")
    g.output(ops.attention(q, k, v, mask=mask, name="o"))
    return g


def test_heads_and_batch_are_apart():
    local = passes.shard(attention(sharding=("X", "Y", None, None)), MESH)
    assert not link_bytes(local)
    assert local.tensor("o").shape == (B / symbols("X"), H / symbols("Y"), S, d)


def test_sequence_sharded_attention_gathers_keys_and_values():
    g = attention("causal", sharding=(None, None, "X", None))
    local = passes.shard(g, MESH)
    assert names(local) == ["k.all_gather_X", "v.all_gather_X", "o"]
    # Ring attention passes every block of keys and values round: the same bytes.
    assert sent(local, B=2, G=3, S=64, d=5, X=4) == {"X": 2 * (2 * 2 * 3 * 64 * 5) * 3 // 4}
    # The last chip attends (S/n)*S pairs less the triangle in front of its own queries.
    sizes = {"B": 1, "H": 1, "G": 1, "S": 64, "d": 1, "X": 4}
    pairs = sum(min(64, query + 1) for query in range(48, 64))
    assert bind(local.flops.expr, sizes) == 4 * pairs


def test_one_key_value_head_serves_all_chips():
    local = passes.shard(attention(heads=(H, 1), sharding=("X", None, None, None)), MESH)
    assert not link_bytes(local)
    g = Graph("mqa")
    q = g.input("q", (B, H, S, d), "bf16", sharding=(None, "Y", None, None))
    k, v = (g.input(name, (B, 1, S, d), "bf16") for name in "kv")
    ops.attention(q, k, v, name="o")
    local = passes.shard(g, MESH)
    assert not link_bytes(local)
    assert local.tensor("o").shape[1] == H / symbols("Y")


def test_attention_on_chips():
    g = Graph("g")
    q = g.input("q", (2, 6, 4, 3), "fp64", sharding=(None, "Y", "X", None))
    k, v = (g.input(n, (2, 3, 4, 3), "fp64", sharding=(None, "Y", "X", None)) for n in "kv")
    g.output(ops.attention(q, k, v))
    check(g, sr.Mesh(X=2, Y=3))


def test_a_transformer_layer_in_tensor_parallel_form():
    g = Graph("layer")
    x = g.input("x", (4, 6, 12), "fp64", sharding=("X", None, None))

    def project(y, name, heads):
        w = g.weight(name, (12, heads * 2), "fp64", sharding=(None, "Y"))
        return ops.transpose(ops.reshape(y @ w, (4, 6, heads, 2)), (0, 2, 1, 3))

    y = ops.rmsnorm(x, g.weight("norm", (12,), "fp64"))
    o = ops.attention(project(y, "q", 6), project(y, "k", 3), project(y, "v", 3))
    o = ops.reshape(ops.transpose(o, (0, 2, 1, 3)), (4, 6, 12))
    x = x + o @ g.weight("o", (12, 12), "fp64", sharding=("Y", None))
    h = ops.relu(x @ g.weight("up", (12, 24), "fp64", sharding=(None, "Y")))
    g.output(ops.add(x, h @ g.weight("down", (24, 12), "fp64", sharding=("Y", None)), name="z"))
    local = check(g, sr.Mesh(X=2, Y=3))
    # Megatron's two all-reduces a layer (Shoeybi et al. 2019, section 3).
    assert [op.kind.name for op in local.ops if op.cost.link_bytes != 0] == ["all_reduce"] * 2
    assert sent(local) == {"Y": 2 * 2 * (8 * 2 * 6 * 12) * 2 // 3}


# --- repeats --------------------------------------------------------------------------------------


def stack(sharding=("X", "Y")):
    g = Graph("stack")
    x = g.input("x", (12, 12), "fp64", sharding=sharding)
    shared = g.weight("shared", (12, 12), "fp64", sharding=(None, "Y"))

    def layer(h):
        w = g.weight("w", (12, 24), "fp64", sharding=("X", "Y"))
        down = g.weight("down", (24, 12), "fp64", sharding=("Y", "X"))
        return ops.add(h @ shared, ops.matmul(h @ w, down, name="y"), name="z")

    g.output(g.repeat("layer", L, layer, x))
    return g


@pytest.mark.parametrize("reuse", [True, False])
def test_what_a_repeat_carries_keeps_its_layout(reuse):
    local = check(stack(), sr.Mesh(X=2, Y=3), {"L": 2}, reuse=reuse)
    body = local.repeats[0].body
    assert body.carried[0].spec is body.leaves["carry_0"].spec
    assert local.plan.step("layer/z").op == "layer/z"
    assert sent(local, L=2)["X"] % 2 == 0


def test_tensors_of_a_body_can_be_wanted_in_a_layout():
    g = stack(("X", None))
    plain = passes.shard(g, sr.Mesh(X=2, Y=3))
    wanted = check(g, sr.Mesh(X=2, Y=3), {"L": 2}, outputs={"layer/y": ("X", "Y")})
    assert plain.plan.step("layer/y").becomes == "[12_X, 12] partial over Y"
    assert wanted.plan.step("layer/y").becomes == "[12_X, 12_Y]"


def test_what_a_body_gets_can_be_wanted_in_a_layout():
    local = check(
        stack(("X", None)), sr.Mesh(X=2, Y=3), {"L": 2}, outputs={"layer/carry_0": ("X", "Y")}
    )
    assert local.repeats[0].body.op_list[0].name == "carry_0.take_shard_Y"


def test_sizes_of_a_mesh_may_be_formulas():
    local = passes.shard(stack(), sr.Mesh(X="n/8", Y=4))
    assert local.leaves["x"].shape == (96 / n, 3)
    # At n = 8 the axis has one chip, so that nothing is sent along it.
    assert "X" not in link_bytes(passes.shard(stack(), sr.Mesh(X="n/8", Y=4).at(n=8)))


def test_gathered_weights_are_kept_or_gathered_again():
    g = Graph("g")
    x = g.input("x", (B, D), "bf16", sharding=ROWS)
    w = g.weight("w", (D, D), "bf16", sharding=ROWS)
    g.output((x @ w) @ w)
    once, twice = (passes.shard(g, MESH, reuse=reuse) for reuse in (True, False))
    assert 2 * once.link_bytes.expr == twice.link_bytes.expr
    assert names(twice)[2] == "w.all_gather_X_"


# --- the graph that comes out ---------------------------------------------------------------------


def test_roles_names_and_settings_are_kept():
    g = load("mlp")
    local = passes.shard(g, sr.Mesh(X=2))
    # Nothing is sharded, so that every chip does everything.
    assert facts(local) == facts(g)
    assert local is not g
    sharded = stack()
    local = passes.shard(sharded, sr.Mesh(X=2, Y=3))
    assert {t.name: t.role for t in local.leaves.values()} == {
        "x": Role.INPUT,
        "shared": Role.WEIGHT,
    }


def test_it_is_saved_copied_and_fused_like_any_other(tmp_path):
    local = passes.shard(stack(), sr.Mesh(X="n", Y="m"))
    local.save(tmp_path / "local.toml")
    loaded = sr.load(tmp_path / "local.toml")
    assert facts(loaded) == facts(local)
    assert (loaded.plan.mesh, loaded.plan.splits) == (local.plan.mesh, local.plan.splits)
    for twin in (pickle.loads(pickle.dumps(local)), copy.deepcopy(local)):
        assert twin.plan == local.plan
        assert facts(twin) == facts(local)
    assert passes.fuse_elementwise(local).plan == local.plan


def test_every_axis_has_its_own_time():
    g = Graph("g")
    x = g.input("x", (B, D), "bf16", sharding=("X", "Y"))
    w = g.weight("w", (D, F), "bf16", sharding=("X", "Y"))
    ops.matmul(x, w)
    chip = sr.Chip(
        name="c",
        peak={"bf16": "1 PFLOP/s"},
        memory={"hbm": "1 TB/s"},
        link={"X": "100 GB/s", "Y": "50 GB/s"},
    )
    r = sr.analyze(passes.shard(g, sr.Mesh(X=4, Y=8)), chip).at(B=1024, D=512, F=2048)
    times = {axis: r.terms["link", axis].value for axis in "XY"}
    assert times["X"] == Rational(2 * 512 * 2048 // 8 * 3 // 4, 100 * 10**9)
    assert times["Y"] == Rational(2 * 1024 * 512 // 4 * 7 // 8, 50 * 10**9)


def test_the_mesh_of_the_graph_is_the_default():
    g = stack()
    with pytest.raises(InputError, match="give a mesh, such as"):
        passes.shard(g)
    g.mesh = sr.Mesh(X=2, Y=3)
    assert passes.shard(g).plan.mesh == g.mesh
    assert passes.shard(g).mesh is None


def test_numbers_that_do_not_divide_are_refused_later():
    local = product(("X", None), (None, "Y"))
    local.plan.check({"B": 8, "X": 4})
    with pytest.raises(ShapeError) as caught:
        local.plan.check({"B": 10, "X": 4})
    assert str(caught.value) == ("shard: dim B of A, 10, does not divide over X = 4: 10 = 4*2 + 2")


def test_the_plan_is_text():
    local = product(("X", "Y"), ("X", "Y"), ("X", "Y"))
    text = str(local.plan)
    assert text.startswith("on Mesh(X=X, Y=Y)\nC: A[B_X, D_Y], W[D_X, F_Y] -> [B_X, F_Y]\n")
    assert "X: kept B of A and summed D of W lie on one axis; all-gather of W," in text
    assert "    or: " in text
    assert local.plan.step("C").sent[0].bytes != 0
    with pytest.raises(UnknownNameError, match="unknown op 'D'"):
        local.plan.step("D")


# --- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shard", "error", "message"),
    [
        (lambda g: passes.shard(g, "X"), InputError, "expected a Mesh, not str"),
        (lambda g: passes.shard("g", MESH), InputError, "expected a Graph, not str"),
        (
            lambda g: passes.shard(passes.shard(g, sr.Mesh(X=2, Y=3)), MESH),
            GraphError,
            "graph 'stack' is that of one chip of Mesh(X=2, Y=3) already",
        ),
        (lambda g: passes.shard(g, sr.Mesh(X=4)), UnknownNameError, "unknown axis 'Y'; known: X"),
        (lambda g: passes.shard(g, sr.Mesh(X=5, Y=2)), ShapeError, "12 = 5*2 + 2"),
        (
            lambda g: passes.shard(g, MESH, outputs={"layr": ("X", None)}),
            UnknownNameError,
            "unknown tensor 'layr'; did you mean 'layer'?",
        ),
        (
            lambda g: passes.shard(g, MESH, outputs={"layer": ("X",)}),
            InputError,
            "sharding of layer: a sharding has one entry for each of the 2 dims",
        ),
        (
            lambda g: passes.shard(g, MESH, prefer="weight"),
            UnknownNameError,
            "unknown preference 'weight'; did you mean 'weights'?",
        ),
        (
            lambda g: passes.shard(passes.fuse(g, ["layer/y", "layer/z"]), MESH),
            GraphError,
            "is fused; shard the graph, then fuse",
        ),
    ],
)
def test_bad_input_is_one_clear_error(shard, error, message):
    with pytest.raises(error) as caught:
        shard(stack())
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_graph_in_the_making_is_refused():
    g = Graph("g")
    x = g.input("x", (B, D), "bf16")

    def body(h):
        passes.shard(g, MESH)

    with pytest.raises(GraphError, match="while a repeat is being added"):
        g.repeat("layer", 2, body, x)
