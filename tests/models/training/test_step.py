from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Rational

import symroof as sr
from symroof import ops
from symroof.errors import CostError, GraphError, InputError, UnknownNameError
from symroof.graph import Graph, Mesh, Role, footprint, load, work
from symroof.graph.passes import fuse_elementwise, shard, weights_and_caches
from symroof.models.training import training_step
from symroof.symbolic import symbols

B, D, F, L, N, S, T, V, h, s = symbols("B D F L N S T V h s")


def flops_of(graph: Graph, *kinds: str) -> Any:
    """FLOPs of ops of these kinds, and of their backwards."""
    names = {op.name for op in graph.ops if op.kind.name in kinds}
    names |= {f"{name}.backward" for name in names}
    amounts = (amount for op in graph.ops if op.name in names for _, amount in op.cost.flops)
    return sum(amounts).expand()


def mlp(g: Graph, x: Any, name: str = "") -> Any:
    up, down = g.weight(f"up{name}", (D, F), "bf16"), g.weight(f"down{name}", (F, D), "bf16")
    return x + ops.gelu(x @ up) @ down


def layers(count: Any = L) -> Graph:
    """A stack of feed-forward layers with an embedding and a head."""
    g = Graph("net")
    x = ops.gather(g.weight("table", (V, D), "bf16"), g.input("ids", (B,), "int32"))
    x = g.repeat("layer", count, lambda x: mlp(g, ops.rmsnorm(x, g.weight("n", (D,), "bf16"))), x)
    g.output(x @ g.weight("head", (D, V), "bf16"))
    return g


def gpt(recompute: str) -> Any:
    """FLOPs of products of a training step of a GPT with 4*h feed-forward and plain attention."""
    g = Graph("gpt")
    x = ops.gather(g.weight("table", (V, h), "bf16"), g.input("ids", (B, s), "int32"))

    def layer(x: Any) -> Any:
        q, k, v = (x @ g.weight(f"w_{name}", (h, h), "bf16") for name in "qkv")
        heads = (ops.reshape(t, (B, s, 16, "h/16")) for t in (q, k, v))
        q, k, v = (ops.transpose(t, (0, 2, 1, 3)) for t in heads)
        o = ops.reshape(ops.transpose(ops.attention(q, k, v), (0, 2, 1, 3)), (B, s, h))
        x = x + o @ g.weight("w_o", (h, h), "bf16")
        up, down = g.weight("up", (h, "4*h"), "bf16"), g.weight("down", ("4*h", h), "bf16")
        return x + ops.gelu(x @ up) @ down

    x = g.repeat("layer", L, layer, x)
    g.output(x @ g.weight("head", (h, V), "bf16"))
    step = weights_and_caches(training_step(g, recompute=recompute))  # products alone
    return step.flops.expr.expand()


def test_products_take_three_times_their_flops():
    # Narayanan et al. 2021, appendix: a layer is 24*B*s*h^2 + 4*B*s^2*h, the head 2*B*s*h*V.
    layer, head = 24 * B * s * h**2 + 4 * B * s**2 * h, 2 * B * s * h * V
    assert gpt("none") == (3 * L * layer + 3 * head).expand()


def test_full_recomputation_is_the_published_count():
    # 96*B*s*l*h^2*(1 + s/(6*h) + V/(16*l*h)) with all layers run again (Narayanan et al. 2021).
    count = 96 * B * s * L * h**2 * (1 + s / (6 * h) + V / (16 * L * h))
    assert gpt("full") == count.expand()


def test_selective_recomputation_runs_attention_again():
    layer, head = 24 * B * s * h**2, 2 * B * s * h * V
    attention = 4 * B * s**2 * h
    assert gpt("selective") == (L * (3 * layer + 4 * attention) + 3 * head).expand()


@pytest.mark.parametrize(("recompute", "times"), [("none", 3), ("selective", 4)])
def test_unfused_attention_is_taken_alike(recompute, times):
    g = Graph("g")
    q, k, v = (g.input(name, (B, 4, S, 16), "bf16") for name in "qkv")
    ops.attention(q, k, v, mask="causal", fused=False)
    step = training_step(g, recompute=recompute)
    # Of 7 tokens 28 pairs; scores and values take 2*16 FLOPs for each. Softmax rides along.
    products = 3 * 4 * 28 * 2 * 2 * 16
    assert weights_and_caches(step).flops.at(B=3, S=7).value == times * products


def test_without_a_repeat_all_runs_again():
    g = Graph("g")
    x = g.input("x", (B, D), "bf16")
    mlp(g, x)
    once = weights_and_caches(g).flops.expr
    again = weights_and_caches(training_step(g, recompute="full")).flops.expr
    assert again == 4 * once == 4 * 4 * B * D * F


def test_the_backward_of_a_product_reads_operands_and_gradient_and_writes_two():
    g = Graph("g")
    x, w = g.input("x", (B, D), "bf16"), g.weight("w", (D, F), "bf16")
    ops.matmul(x, w, name="y")
    op = training_step(g).op("y.backward")
    assert [t.name for t in op.inputs] == ["x", "w", "y.gradient"]
    assert op.cost.reads == (2 * B * D, 2 * D * F, 2 * B * F)
    assert op.cost.writes == (2 * B * D, 2 * D * F)
    assert op.cost.flops == (("bf16", 4 * B * D * F),)


def test_bytes_of_a_step_by_hand():
    g = Graph("g")
    x, w = g.input("x", (B, D), "bf16"), g.weight("w", (D, F), "bf16")
    ops.relu(x @ w)
    step = training_step(g)
    x, w, y = 2 * B * D, 2 * D * F, 2 * B * F
    forward = (x + w + y) + 2 * y
    relu = 3 * y  # the operand, the gradient of the result, the gradient
    product = (x + w + y) + (x + w)
    assert step.bytes.expr == (forward + relu + product).expand()
    # One FLOP for each element of relu, and one more backward.
    assert step.flops.expr == 6 * B * D * F + 2 * B * F


def test_a_gradient_passes_through_sums_and_views_and_is_added_where_paths_meet():
    g = Graph("g")
    x = g.input("x", (B, 4, D), "bf16")
    flat = ops.reshape(x, (B, "4*D"))
    g.output(flat + ops.relu(flat, name="r"))
    step = training_step(g)
    made = [op.name for op in step.ops if not op.kind.view][2:]
    assert made == ["r.backward", "reshape_0.gradient"]
    # Two gradients of 4*B*D elements are read, the sum is written, one addition for each.
    added = step.op("reshape_0.gradient")
    assert sum((*added.cost.reads, *added.cost.writes)) == 3 * 8 * B * D
    assert added.cost.flops == (("bf16", 4 * B * D),)


def test_a_bias_has_the_sum_of_the_gradient():
    g = Graph("g")
    ops.add(g.input("x", (B, D), "bf16"), g.weight("b", (D,), "bf16"), name="y")
    op = training_step(g).op("y.backward")
    assert [t.shape for t in op.outputs] == [(D,)]
    assert (op.cost.reads, op.cost.writes) == ((2 * B * D,), (2 * D,))
    assert op.cost.flops == (("bf16", B * D),)


def test_parts_of_a_tensor_are_put_in_their_places():
    g = Graph("g")
    x = g.input("x", (B, "2*D"), "bf16")
    ops.concat([ops.relu(x[:, :D]), ops.exp(x[:, D:])], axis=1)
    step = training_step(g)
    op = step.op("x.gradient")
    assert sum((*op.cost.reads, *op.cost.writes)) == 2 * 4 * B * D
    assert op.cost.flops == ()
    # The gradient of what was joined is looked at, each half by one of the two.
    assert [t.shape for t in step.op("relu_1.backward").inputs] == [(B, D), (B, D)]


def test_softmax_and_exp_keep_their_result():
    g = Graph("g")
    ops.softmax(ops.exp(g.input("x", (B, D), "bf16"), name="e"), name="p")
    step = training_step(g)
    assert [t.name for t in step.op("p.backward").inputs] == ["p", "p.gradient"]
    assert [t.name for t in step.op("e.backward").inputs] == ["e", "p.backward"]


def test_scaling_needs_nothing_of_the_forward():
    g = Graph("g")
    ops.mul(g.input("x", (B, D), "bf16"), 2, name="y")
    assert [t.name for t in training_step(g).op("y.backward").inputs] == ["y.gradient"]


def test_a_lookup_has_the_gradient_of_its_table_and_none_of_its_ids():
    g = Graph("g")
    ops.gather(g.weight("table", (V, D), "bf16"), g.input("ids", (B,), "int32"), name="x")
    op = training_step(g).op("x.backward")
    assert [t.name for t in op.inputs] == ["ids", "x.gradient"]
    assert [t.shape for t in op.outputs] == [(V, D)]
    assert op.cost.reads == (4 * B, 2 * B * D)
    assert op.cost.writes == (2 * V * D,)
    assert op.cost.flops == ()


def test_a_tied_table_adds_both_gradients():
    g = Graph("g")
    table = g.weight("table", (V, D), "bf16")
    x = ops.gather(table, g.input("ids", (B,), "int32"))
    x @ ops.transpose(table)
    step = training_step(g, gradients={"dp": 4})
    op = step.op("table.gradient")
    assert op.cost.reads == (2 * V * D,) * 2
    assert [t.name for t in step.op("table.gradient.dp").inputs] == ["table.gradient"]


def test_quantised_weights_are_frozen():
    g = Graph("g")
    g.input("x", (B, D), "bf16") @ g.weight("w", (D, F), "int8")
    op = training_step(g).op("matmul_0.backward")
    assert [t.shape for t in op.outputs] == [(B, D)]


def test_layers_share_a_weight_of_all_of_them():
    step = training_step(layers())
    assert step.footprint().expr == (2 * (2 * V * D + L * (2 * D * F + D))).expand()
    assert step.tensor("layer.up").shape == (L, D, F)
    assert step.tensor("layer/up").storage is step.tensor("layer.up")
    assert step.tensor("layer.backward/up").storage is step.tensor("layer.up")


def test_what_the_backward_needs_is_kept_once_for_each_layer():
    # rmsnorm needs its input, the products theirs, gelu its own: D + D + 2*F elements a token.
    kept = footprint(training_step(layers())).inputs.expr.expand()
    ids_and_loss = 4 * B + 2 * B * V
    assert kept == (ids_and_loss + 2 * B * L * (2 * D + 2 * F)).expand()
    # With full recomputation it is what goes into a layer.
    kept = footprint(training_step(layers(), recompute="full")).inputs.expr.expand()
    assert kept == (ids_and_loss + 2 * B * L * D).expand()


def test_layers_as_a_repeat_cost_what_layers_one_by_one_cost():
    g = Graph("net")
    x = g.input("x", (B, D), "bf16")
    for number in range(3):
        x = mlp(g, x, str(number))
    one = Graph("net")
    one.repeat("layer", 3, lambda x: mlp(one, x), one.input("x", (B, D), "bf16"))
    for recompute in ("none", "selective"):
        by_one, repeated = (training_step(which, recompute=recompute) for which in (g, one))
        assert by_one.flops.expr == repeated.flops.expr
        assert by_one.bytes.expr == repeated.bytes.expr


def test_a_weight_that_layers_share_has_one_gradient():
    g = Graph("g")
    w = g.weight("w", (D, D), "bf16")
    g.repeat("layer", L, lambda x: x @ w, g.input("x", (B, D), "bf16"))
    step = training_step(g, gradients={"dp": 2})
    assert weights_and_caches(step).flops.expr == 6 * B * D**2 * L
    assert work.link_bytes(step)["dp"] == 2 * D**2
    assert step.op("w.gradient.dp").block is step


def test_what_an_encoder_made_gets_its_gradient_from_every_layer():
    g = Graph("g")
    memory = ops.matmul(g.input("e", (B, D), "bf16"), g.weight("w_e", (D, D), "bf16"), name="m")

    def layer(x):
        return x + memory @ g.weight("w", (D, D), "bf16")

    g.repeat("layer", L, layer, g.input("x", (B, D), "bf16"))
    step = training_step(g)
    assert weights_and_caches(step).flops.expr == 6 * B * D**2 * L + 6 * B * D**2
    assert step.op("m.backward").inputs[-1].producer is step.op("layer.backward")


def test_repeats_in_repeats():
    g = Graph("g")

    def outer(x):
        x = g.repeat("inner", N, lambda x: mlp(g, x), x)
        return x @ g.weight("w", (D, D), "bf16")

    g.repeat("outer", L, outer, g.input("x", (B, D), "bf16"))
    one = L * (N * 4 * B * D * F + 2 * B * D**2)
    for recompute, times in (("none", 3), ("full", 4)):
        step = training_step(g, recompute=recompute)
        assert weights_and_caches(step).flops.expr.expand() == (times * one).expand()
        assert step.tensor("outer.inner.up").shape == (L, N, D, F)
        assert step.footprint().expr == g.footprint().expr


def test_a_mixture_trains_its_experts():
    g = Graph("g")
    x = g.input("x", (B, D), "bf16")
    up, down = g.weight("up", (8, D, F), "bf16"), g.weight("down", (8, F, D), "bf16")
    ops.experts(x, up, down, top_k=2, name="moe")
    step = training_step(g)
    assert step.flops.expr == 3 * 2 * 2 * 2 * B * D * F
    assert step.op("moe.backward").cost.writes == (2 * B * D, 16 * D * F, 16 * D * F)
    assert step.op("moe.backward").cost.reads[1] == g.op("moe").cost.reads[1]


def test_a_prompt_that_goes_through_its_cache_is_trained():
    g = Graph("g")
    x = g.input("x", (B, S, 32), "bf16")
    q, k, v = (
        ops.reshape(x @ g.weight(f"w_{name}", (32, 32), "bf16"), (B, 1, S, 32)) for name in "qkv"
    )
    k, v = (
        ops.cache_append(g.cache(f"{name}_cache", (B, 1, S, 32), "bf16"), new)
        for name, new in (("k", k), ("v", v))
    )
    ops.attention(q, k, v)
    step = training_step(g)
    once = 3 * 2 * B * S * 32**2 + 4 * B * S**2 * 32
    assert weights_and_caches(step).flops.expr.expand() == 3 * once


def test_collectives_run_back_with_as_many_bytes():
    g = Graph("g")
    x = g.input("x", ("B", 64), "bf16", sharding=(None, "tp"))
    for number in range(2):
        w = g.weight(f"w{number}", (64, 256), "bf16", sharding=(None, "tp"))
        x = ops.relu(x @ w) @ g.weight(f"v{number}", (256, 64), "bf16", sharding=("tp", None))
    local = shard(g, Mesh(tp=4))
    assert [op.kind.name for op in local.ops if op.cost.link_bytes != 0]
    step = training_step(local)
    assert step.link_bytes.expr == 2 * local.link_bytes.expr
    products = weights_and_caches(local).flops.expr
    assert weights_and_caches(step).flops.expr == 3 * products == 3 * 4 * 2 * B * 64 * 64
    again = training_step(local, recompute="full")
    assert again.link_bytes.expr == 3 * local.link_bytes.expr


@pytest.mark.parametrize(
    ("add", "dual"),
    [
        (lambda x: ops.all_gather(x, group=4), "reduce_scatter"),
        (lambda x: ops.reduce_scatter(x, group=4, link="X"), "all_gather"),
        (lambda x: ops.all_reduce(x, group=4, topology="ring"), "all_reduce"),
        (lambda x: ops.all_to_all(x, group=4), "all_to_all"),
        (lambda x: ops.all_to_all(x, group=4, split_axis=0, concat_axis=1), "all_to_all"),
        (lambda x: ops.broadcast(x, group=4), "broadcast"),
        (lambda x: ops.send(x), "send"),
    ],
)
def test_each_collective_has_its_dual(add, dual):
    g = Graph("g")
    y = add(g.input("x", (8, 12), "bf16"))
    step = training_step(g)
    op = step.op(f"{y.name}.backward")
    assert op.kind.name == dual
    assert op.outputs[0].shape == (8, 12)
    assert op.cost.link_bytes == y.producer.cost.link_bytes
    assert op.cost.link == y.producer.cost.link


def test_gradients_of_weights_are_summed_over_the_axes_of_data():
    step = training_step(layers(), gradients={"dp": "N", "pod": 4})
    elements = 2 * V * D + L * (2 * D * F + D)
    sent = work.link_bytes(step)
    # An all-reduce over n chips sends 2*(n - 1)/n of the bytes.
    assert (sent["dp"] * N).expand() == (2 * (N - 1) * 2 * elements).expand()
    assert sent["pod"].expand() == (Rational(3, 2) * 2 * elements).expand()
    (op,) = (op for op in step.op("layer.backward").body.ops if op.name == "n.gradient.pod")
    assert (op.cost.link, op.inputs[0].name) == ("pod", "n.gradient.dp")


def test_one_copy_sends_nothing():
    assert training_step(layers(), gradients={"dp": 1}).link_bytes.expr == 0


def test_gathered_weights_are_scattered_and_not_summed_again():
    g = Graph("g")
    w = ops.all_gather(g.weight("w", (D, D), "bf16"), group=4, link="dp")
    g.input("x", (B, "4*D"), "bf16") @ w
    step = training_step(g, gradients={"dp": 4, "pod": 2})
    assert [op.name for op in step.ops if op.cost.link_bytes != 0] == [
        "all_gather_0",
        "all_gather_0.backward",
        "w.gradient.pod",
    ]


def test_experts_that_tokens_travel_to_are_not_summed_over_that_axis():
    g = Graph("g")
    x = g.input("x", ("B", 64), "bf16", sharding=("ep", None))
    up, down = (
        g.weight(name, shape, "bf16", sharding=("ep", None, None))
        for name, shape in (("up", (8, 64, 256)), ("down", (8, 256, 64)))
    )
    ops.experts(x @ g.weight("w", (64, 64), "bf16"), up, down, top_k=2)
    step = training_step(shard(g, Mesh(ep=4)), gradients={"ep": 4, "dp": 2})
    summed = [op.name for op in step.ops if op.kind.name == "all_reduce"]
    assert summed == ["up.gradient.dp", "down.gradient.dp", "w.gradient.ep", "w.gradient.dp"]


def test_what_nothing_reads_is_trained_in_a_body_too():
    g = Graph("g")

    def layer(x):
        x @ g.weight("router", (D, 8), "bf16")
        return x @ g.weight("w", (D, D), "bf16")

    g.repeat("layer", L, layer, g.input("x", (B, D), "bf16"))
    products = weights_and_caches(training_step(g)).flops.expr
    assert products.expand() == (3 * L * (2 * B * D**2 + 16 * B * D)).expand()


def test_fusing_lets_the_backward_of_elementwise_ops_ride_along():
    g = layers()
    step = training_step(g)
    fused = fuse_elementwise(step)
    assert fused.flops.expr == step.flops.expr
    names = [op.name for op in fused.op("layer.backward").body.ops if op.kind.name == "fused"]
    assert "matmul_3.backward" in names
    assert (
        fused.bytes.at(B=64, D=64, F=256, L=2, V=100).value
        < step.bytes.at(B=64, D=64, F=256, L=2, V=100).value
    )


@pytest.mark.parametrize("recompute", ["none", "selective", "full"])
@pytest.mark.parametrize("name", ["llama-3-8b-decode", "transformer-layer", "mlp"])
def test_a_step_is_saved_and_loads_with_the_same_costs(name, recompute, tmp_path):
    step = training_step(load(name), recompute=recompute, gradients={"dp": "N"})
    step.save(tmp_path / "step.toml")
    again = load(tmp_path / "step.toml")
    assert [op.name for op in again.ops] == [op.name for op in step.ops]
    for total in ("flops", "bytes", "link_bytes"):
        assert getattr(again, total).expr == getattr(step, total).expr
    assert footprint(again) == footprint(step)


def test_the_forward_is_left_as_it_is_and_keeps_its_names():
    g = layers()
    names = [op.name for op in g.ops]
    before = g.flops.expr, g.bytes.expr
    step = training_step(g)
    assert [op.name for op in step.ops][: len(names)] == names == [op.name for op in g.ops]
    assert (g.flops.expr, g.bytes.expr) == before


def test_it_has_a_roofline():
    step = training_step(layers())
    answer = sr.analyze(step, "h100-sxm").at(B=4096, D=4096, F=16384, L=32, V=32000)
    assert answer.t_compute.resolved().value > 0
    assert answer.unbound.scope.counts >= {"B", "D", "F", "L", "V"}


def test_refused():
    g = layers()
    with pytest.raises(UnknownNameError, match="did you mean 'full'"):
        training_step(g, recompute="ful")
    with pytest.raises(InputError, match="whole number of 1 or more"):
        training_step(g, gradients={"dp": 0})
    with pytest.raises(InputError, match="expected a Graph"):
        training_step("net")
    with pytest.raises(GraphError, match="give the unfused graph"):
        training_step(fuse_elementwise(g))
    g = Graph("g")
    ops.custom("mystery", inputs=[g.input("x", (B, D), "bf16")], output_shape=(B, D))
    with pytest.raises(CostError, match="op 'mystery'"):
        training_step(g)


@settings(max_examples=30, deadline=None)
@given(
    widths=st.lists(st.integers(1, 6), min_size=1, max_size=4),
    times=st.integers(1, 5),
    recompute=st.sampled_from(["none", "selective", "full"]),
)
def test_products_of_any_chain_are_three_or_four_times(widths, times, recompute):
    g = Graph("g")

    def layer(x):
        for place, width in enumerate((*widths, 3)):
            x = ops.relu(x @ g.weight(f"w{place}", (x.shape[-1], width), "bf16"))
        return x

    g.repeat("layer", times, layer, g.input("x", (B, 3), "bf16"))
    once = weights_and_caches(g).flops.expr
    step = weights_and_caches(training_step(g, recompute=recompute))
    assert step.flops.expr == (4 if recompute == "full" else 3) * once
    # Every weight of every layer has one gradient, written once.
    made = training_step(g).op("layer.backward").body
    written = sum(
        write
        for op in made.ops
        for tensor, write in zip(op.outputs, op.cost.writes, strict=True)
        if B not in tensor.spec.elements.free_symbols
    )
    assert written * times == g.footprint(Role.WEIGHT).expr


# --- published problems -------------------------------------------------------------------------

PROBLEMS: dict[str, dict[str, Any]] = {
    problem["id"]: problem
    for problem in json.loads(
        (Path(__file__).parents[2] / "data" / "serving_problems.json").read_text(encoding="utf-8")
    )
}
SOLVERS: dict[str, Callable[[dict[str, Any]], Any]] = {}


def solves(*problems: str) -> Callable[[Any], Any]:
    """Say which problems a function solves."""

    def kept(solver: Any) -> Any:
        SOLVERS.update(dict.fromkeys(problems, solver))
        return solver

    return kept


@solves("tf-02", "tf-02b")
def attention_as_much_as_matrices(problem: dict[str, Any]) -> Any:
    """A layer with a gated network of 4*D, heads that make up D, and attention without a mask."""
    g = Graph("layer")
    x = g.input("x", (B, "T", D), "bf16")
    q, k, v = (
        ops.reshape(x @ g.weight(f"w_{name}", (D, D), "bf16"), (B, 1, "T", D)) for name in "qkv"
    )
    o = ops.reshape(ops.attention(q, k, v, name="attention"), (B, "T", D))
    x = o @ g.weight("w_o", (D, D), "bf16")
    gate, up = (x @ g.weight(name, (D, "4*D"), "bf16") for name in ("w_gate", "w_up"))
    (ops.silu(gate) * up) @ g.weight("w_down", ("4*D", D), "bf16")
    step = training_step(g)
    attention, matrices = (flops_of(step, kind) for kind in ("attention", "matmul"))
    # Training: 12*B*T^2*D against 96*B*T*D^2.
    assert (attention, matrices) == (12 * B * T**2 * D, 96 * B * T * D**2)
    found = sr.region(
        sr.Quantity(attention, "FLOP", g.scope), sr.Quantity(matrices, "FLOP", g.scope), "T"
    )
    return found.at(D=problem["inputs"]["D"]["value"], B=1).threshold_bound


@pytest.mark.parametrize("name", SOLVERS)
def test_published_problem(name):
    assert SOLVERS[name](PROBLEMS[name]) == Rational(PROBLEMS[name]["right"]["exact"])
