from __future__ import annotations

import pickle

import pytest

import symroof as sr
from symroof import ops
from symroof.errors import GraphError, InputError, UnknownNameError
from symroof.graph import Graph, Mesh, Role, load
from symroof.graph.passes import fuse, fuse_elementwise, shard, weights_and_caches
from symroof.symbolic import symbols

from ..graph_facts import facts
from ..graphs import ALL

B, D, E, F, L, N, S, T, W, k = symbols("B D E F L N S T W k")


def bytes_of(graph):
    return weights_and_caches(graph).bytes.expr


def attended(g, tokens=1, mask="none", window=None, name=""):
    """One layer's cache of 2 heads of 16: append, then attend."""
    q = g.input(f"q{name}", (B, 4, tokens, 16), "bf16")
    new = g.input(f"new{name}", (B, 2, tokens, 16), "bf16")
    k, v = (g.cache(f"{n}{name}", (B, 2, S, 16), "bf16") for n in "kv")
    k, v = ops.cache_append(k, new), ops.cache_append(v, new)
    align = None if mask == "none" else "bottom-right"
    return ops.attention(q, k, v, mask=mask, window=window, align=align)


# Llama 3 8B, one layer: 2*4096*4096 + 2*4096*1024 + 3*4096*14336 matrix elements and 2*4096 of
# norms; the caches are 2*8*128 elements a token.
LAYER = 218_103_808 + 2 * 4096


def test_a_layer_of_llama_moves_its_matrices_norms_and_caches():
    g = weights_and_caches(load("llama-3-8b-decode"))
    assert g.bytes.expr == 32 * (2 * LAYER + 2 * 2048 * B * S)
    # Products alone: 2 FLOP for each element of a matrix, and 4*32*128 for each key.
    assert g.flops.expr == 32 * (2 * 218_103_808 * B + 4 * 4096 * B * S)
    assert g.traffic == "weights+kv"


@pytest.mark.parametrize(("batch", "ms"), [(1, 4.52), (8, 4.80), (64, 7.05), (256, 14.75)])
def test_a_step_of_llama_on_an_h100(batch, ms):
    g = load("llama-3-8b-decode")
    x = g.op("layer").outputs[0]
    x @ g.weight("lm_head", (4096, 128256), "bf16")
    answer = sr.analyze(weights_and_caches(g), "h100-sxm").at(B=batch, S=1024)
    assert float(answer.time.overlapped.resolved().value) * 1e3 == pytest.approx(ms, rel=0.01)
    assert answer.t_memory.resolved().value > answer.t_compute.resolved().value


def test_the_graph_given_is_left_as_it_is():
    g = load("llama-3-8b-decode")
    before = facts(g)
    weights_and_caches(g)
    assert facts(g) == before


def test_activations_and_inputs_move_nothing():
    g = Graph("g")
    x = g.input("x", (B, D), "bf16")
    y = ops.rmsnorm(ops.relu(x * x) + x)
    g.output(y)
    made = weights_and_caches(g)
    assert (made.bytes.expr, made.flops.expr) == (0, 0)
    assert made.intensity is None


def test_what_rides_along_counts_no_flops_and_reads_its_weights():
    g = Graph("g")
    x = g.input("x", (B, D), "bf16")
    ops.rmsnorm(x, g.weight("norm", (D,), "fp32")) @ g.weight("w", (D, F), "bf16")
    made = weights_and_caches(g)
    assert made.bytes.expr == 4 * D + 2 * D * F
    assert made.flops.expr == 2 * B * D * F


def test_tied_weights_are_read_by_the_product_and_not_by_the_lookup():
    g = Graph("g")
    table = g.weight("table", (1000, 64), "bf16")
    x = ops.gather(table, g.input("ids", (B,), "int32"))
    x @ ops.transpose(table)
    assert bytes_of(g) == 2 * 64_000
    assert g.footprint().expr == 2 * 64_000


def test_a_weight_that_two_products_take_is_read_twice():
    g = Graph("g")
    w = g.weight("w", (D, D), "bf16")
    (g.input("x", (B, D), "bf16") @ w) @ w
    assert bytes_of(g) == 2 * 2 * D**2


def test_rows_picked_from_a_cache_are_read():
    g = Graph("g")
    pages = g.cache("pages", (1000, 64), "bf16")
    ops.gather(pages, g.input("ids", (T,), "int32"))
    assert bytes_of(g) == 128 * T


@pytest.mark.parametrize("tokens", [1, 8, T])
def test_each_byte_of_a_cache_moves_once(tokens):
    # A token is 2*16 elements of 2 bytes, for keys and for values.
    g = Graph("g")
    attended(g, tokens)
    assert bytes_of(g) == 2 * 64 * B * S


def test_a_cache_that_is_as_long_as_what_is_new_moves_once():
    g = Graph("g")
    attended(g, S)
    assert bytes_of(g) == 2 * 64 * B * S
    assert weights_and_caches(g).op("cache_append_0").cost.writes == (64 * B * S,)


def test_what_is_appended_and_never_read_is_written():
    g = Graph("g")
    new = g.input("new", (B, 2, T, 16), "bf16")
    ops.cache_append(g.cache("k", (B, 2, S, 16), "bf16"), new)
    ops.attention(g.input("q", (B, 2, T, 16), "bf16"), new, new, mask="causal")
    assert bytes_of(g) == 64 * B * T


def test_what_is_read_before_it_is_appended_counts_both():
    g = Graph("g")
    cache = g.cache("k", (B, 2, S, 16), "bf16")
    ops.einsum("bhd,bhsd->bhs", g.input("q", (B, 2, 16), "bf16"), cache[:, :, : S - 1])
    ops.cache_append(cache, g.input("new", (B, 2, 1, 16), "bf16"))
    assert bytes_of(g).expand() == 64 * B * S


def test_a_window_reads_its_last_tokens():
    g = Graph("g")
    attended(g, 1, "window", 128)
    at = weights_and_caches(g).bytes.at
    assert at(B=3, S=1000).value == 2 * 64 * 3 * 128
    assert at(B=3, S=100).value == 2 * 64 * 3 * 100


def test_a_cache_that_holds_a_window_moves_the_window():
    g = Graph("g")
    held = "Min(W, S)"
    cache = g.cache("k", (B, 2, held, 16), "bf16")
    cache = ops.cache_append(cache, g.input("new", (B, 2, 1, 16), "bf16"))
    ops.attention(g.input("q", (B, 4, 1, 16), "bf16"), cache, cache)
    at = weights_and_caches(g).bytes.at
    assert at(B=3, S=1000, W=128).value == 64 * 3 * 128


def test_keys_and_values_of_one_latent_cache_are_read_once():
    g = Graph("g")
    cache = g.cache("latent", (B, 1, S, 576), "bf16")
    cache = ops.cache_append(cache, g.input("new", (B, 1, 1, 576), "bf16"))
    ops.attention(g.input("q", (B, 128, 1, 576), "bf16"), cache, cache[:, :, :, :512])
    assert bytes_of(g) == 2 * 576 * B * S


def test_two_parts_of_one_cache_count_for_themselves():
    g = Graph("g")
    cache = g.cache("kv", (2, B, 2, S, 16), "bf16")
    new = g.input("new", (B, 2, 1, 16), "bf16")
    q = g.input("q", (B, 2, 1, 16), "bf16")
    ops.cache_append(cache[0], new)
    ops.attention(q, cache[1], cache[1])
    assert bytes_of(g) == 64 * B * S + 64 * B


def test_a_copy_into_a_slot_is_not_counted_when_all_is_read():
    g = Graph("g")
    cache = g.cache("k", (B, 2, S, 16), "bf16")
    ops.copy(g.input("new", (B, 2, 1, 16), "bf16"), out=cache[:, :, S - 1 :])
    ops.attention(g.input("q", (B, 2, 1, 16), "bf16"), cache, cache)
    assert bytes_of(g) == 64 * B * S


def state(g, shape=(B, 8, 64, 128)):
    return g.cache("state", shape, "fp32")


def test_a_state_read_and_overwritten_moves_twice_however_often_the_new_one_is_read():
    g = Graph("g")
    old = state(g)
    new = ops.add(old * "1/2", g.input("x", old.shape, "fp32"), out=old)
    for name in ("c", "d"):
        ops.einsum("bhpn,bn->bhp", new, g.input(name, (B, 128), "fp32"))
    assert bytes_of(g) == 2 * 4 * 8 * 64 * 128 * B


def test_a_state_overwritten_in_steps_moves_twice():
    g = Graph("g")
    old = state(g)
    half = ops.mul(old, "1/2", out=old)
    ops.add(half, g.input("x", old.shape, "fp32"), out=half)
    assert bytes_of(g) == 2 * 4 * 8 * 64 * 128 * B


def test_one_layer_of_a_state_of_all_layers_moves_alone():
    g = Graph("g")
    old = state(g, (24, B, 64))[3]
    new = ops.add(old * "1/2", g.input("x", (B, 64), "fp32"), out=old)
    new @ g.weight("w", (64, 64), "fp32")
    assert bytes_of(g) == 2 * 4 * 64 * B + 4 * 64 * 64


def test_a_state_that_is_only_filled_is_written():
    g = Graph("g")
    old = state(g)
    ops.fill(old, out=old)
    assert bytes_of(g) == 4 * 8 * 64 * 128 * B


def test_a_weight_overwritten_in_place_is_written():
    g = Graph("g")
    w = g.weight("w", (D, D), "bf16")
    ops.sub(w, g.input("dw", (D, D), "bf16"), out=w)
    assert bytes_of(g) == 2 * 2 * D**2


def test_a_mixture_reads_the_experts_that_are_reached():
    g = Graph("g")
    x = g.input("x", (B, 64), "bf16")
    up, down = g.weight("up", (8, 64, 256), "bf16"), g.weight("down", (8, 256, 64), "bf16")
    ops.experts(x, up, down, top_k=2)
    x @ g.weight("router", (64, 8), "bf16")
    # Of 8 experts 3 tokens with 2 each reach 8*(1 - (3/4)**3) = 37/8; a matrix is 64*256 elements.
    assert weights_and_caches(g).bytes.at(B=3).value == 2 * (2 * 64 * 256 * 37 // 8 + 64 * 8)
    assert weights_and_caches(g).flops.at(B=3).value == 3 * (2 * 2 * 2 * 64 * 256 + 2 * 64 * 8)


def test_a_repeat_in_a_repeat_reads_its_own_weights_and_outer_ones_again():
    g = Graph("g")
    x = g.input("x", (B, D), "bf16")
    shared = g.weight("shared", (D, D), "bf16")

    def inner(x):
        return ops.relu(x @ g.weight("w", (D, D), "bf16"))

    def outer(x):
        return g.repeat("inner", 3, inner, x) @ shared

    g.repeat("outer", L, outer, x)
    assert bytes_of(g) == (L * 4 * 2 * D**2).expand()
    assert weights_and_caches(g).flops.expr == L * 4 * 2 * B * D**2


def test_a_state_that_a_repeat_carries_in_place_is_a_cache():
    g = Graph("g")

    def token(h):
        def part(h):
            return ops.add(h, h * 2, out=h)

        return g.repeat("part", 1, part, h)

    out = g.repeat("token", T, token, g.cache("h", (B, D), "fp32"))
    out @ g.weight("w", (D, D), "fp32")
    # Each of T tokens reads the state (once for both operands) and writes it; then it is there.
    one = 4 * B * D
    made = weights_and_caches(g)
    assert made.bytes_by_role[Role.CACHE].expr == 3 * T * one


def test_a_state_that_becomes_another_tensor_is_an_activation():
    g = Graph("g")
    g.repeat("token", T, lambda h: h * 2, g.cache("h", (B, D), "fp32"))
    assert bytes_of(g) == 0


def test_of_one_chip_it_counts_the_local_shapes_and_keeps_what_is_sent():
    g = Graph("mlp")
    x = g.input("x", ("B", 64), "bf16")
    h = ops.relu(x @ g.weight("up", (64, 256), "bf16", sharding=("", "X")))
    y = h @ g.weight("down", (256, 64), "bf16", sharding=("X", ""))
    local = shard(g, Mesh(X=4), outputs={y.name: ("", "")})
    made = weights_and_caches(local)
    assert made.bytes.expr == 2 * 2 * 64 * 64
    assert made.flops.expr == 2 * 2 * B * 64 * 64
    # An all-reduce over 4 chips sends 2*3/4 of 2*64*B bytes.
    assert made.link_bytes.expr == local.link_bytes.expr == 192 * B
    assert made.plan is local.plan


def test_a_gathered_weight_is_read_as_a_weight():
    g = Graph("g")
    w = ops.all_gather(g.weight("w", (D, D), "bf16"), group=4)
    g.input("x", (B, "4*D"), "bf16") @ w
    assert bytes_of(g) == 2 * 4 * D**2


def test_a_weight_that_is_cast_is_read_as_it_is_stored():
    g = Graph("g")
    w = ops.cast(g.weight("w", (D, D), "int8"), "bf16")
    g.input("x", (B, D), "bf16") @ w
    assert bytes_of(g) == D**2


def test_bytes_that_are_stated_stay():
    g = Graph("g")
    x = g.input("x", (B, D), "bf16")
    ops.custom("mystery", inputs=[x], output_shape=(B,), flops=0, bytes="10*B")
    ops.custom("plain", inputs=[x], output_shape=(B,), flops=0)
    assert bytes_of(g) == 10 * B


def test_what_is_not_known_stays_unknown():
    g = Graph("g", uncosted="symbol")
    ops.custom("mystery", inputs=[g.input("x", (B, D), "bf16")], output_shape=(B,))
    assert str(weights_and_caches(g).flops) == "flops_mystery FLOP"


def test_equal_layers_share_their_costs():
    g = Graph("g")
    x = g.input("x", (B, D), "bf16")
    for number in range(50):
        x = ops.relu(x @ g.weight(f"w{number}", (D, D), "bf16"))
    made = weights_and_caches(g)
    assert len({op.signature for op in made.ops}) == 2
    assert made.bytes.expr == 50 * 2 * D**2


def test_an_op_on_activations_and_one_on_weights_do_not_share_a_cost():
    g = Graph("g")
    x, w = g.input("x", (D, D), "bf16"), g.weight("w", (D, D), "bf16")
    x @ x
    x @ w
    w @ w
    assert bytes_of(g) == 2 * D**2 + 2 * D**2


def test_twice_is_as_once():
    g = Graph("g")
    attended(g)
    old = state(g)
    ops.mul(old, "1/2", out=old) + 1
    once = weights_and_caches(g)
    assert facts(weights_and_caches(once)) == facts(once)


@pytest.mark.parametrize("name", [name for name in ALL if "fused" not in name])
def test_what_is_counted_is_never_more_than_unfused(name):
    graph = ALL[name]()
    made = weights_and_caches(graph)
    assert [op.name for op in made.ops] == [op.name for op in graph.ops]
    assert made.scope.counts == graph.scope.counts
    for op, was in zip(made.ops, graph.ops, strict=True):
        now, before = op.cost, was.cost
        cost = zip((*now.reads, *now.writes), (*before.reads, *before.writes), strict=True)
        assert all(left in (0, full) for left, full in cost)


@pytest.mark.parametrize("name", [name for name in ALL if "fused" not in name])
def test_what_is_saved_loads_back_equal(name, tmp_path):
    made = weights_and_caches(ALL[name]())
    made.save(tmp_path / "saved.toml")
    text = (tmp_path / "saved.toml").read_text()
    assert 'traffic = "weights+kv"' in text
    assert "fuse = " not in text
    again = load(tmp_path / "saved.toml")
    assert facts(again) == facts(made)
    again.save(tmp_path / "again.toml")
    assert (tmp_path / "again.toml").read_text() == text


def test_a_graph_of_one_chip_loads_back_equal(tmp_path):
    g = Graph("g")
    x = g.input("x", ("B", 64), "bf16", sharding=("Y", ""))
    h = x @ g.weight("up", (64, 256), "bf16", sharding=("", "X"))
    h @ g.weight("down", (256, 64), "bf16", sharding=("X", ""))
    made = weights_and_caches(shard(g, Mesh(X=4, Y=2)))
    made.save(tmp_path / "saved.toml")
    again = load(tmp_path / "saved.toml")
    assert facts(again) == facts(made)
    assert again.plan.splits == made.plan.splits


def test_it_survives_pickling():
    made = weights_and_caches(load("llama-3-8b-decode"))
    again = pickle.loads(pickle.dumps(made))
    assert facts(again) == facts(made)
    assert again.bytes.expr == made.bytes.expr


def test_a_fused_graph_is_refused():
    g = Graph("g")
    y = ops.relu(g.input("x", (B, D), "bf16") @ g.weight("w", (D, D), "bf16"))
    g.output(y)
    with pytest.raises(GraphError, match="op 'matmul_0' is fused"):
        weights_and_caches(fuse_elementwise(g))
    with pytest.raises(InputError, match="expected a Graph, not str"):
        weights_and_caches("mlp")


def test_fusing_afterwards_changes_no_total_and_cannot_be_saved(tmp_path):
    g = Graph("g")
    attended(g)
    made = weights_and_caches(g)
    for later in (fuse_elementwise(made), fuse(made, made.ops)):
        assert later.bytes.expr == made.bytes.expr
        assert later.flops.expr == made.flops.expr
    with pytest.raises(GraphError, match="fused after 'weights\\+kv' was counted"):
        later.save(tmp_path / "g.toml")


def test_it_is_sharded_before_it_is_counted():
    g = Graph("g")
    x = g.input("x", ("B", 64), "bf16", sharding=("X", ""))
    x @ g.weight("w", (64, 64), "bf16")
    with pytest.raises(GraphError, match="shard it first, then count"):
        shard(weights_and_caches(g), Mesh(X=4))


SPEC = """
schema_version = 1
name = "g"
dtype = "bf16"
traffic = "{}"
[tensors]
x = {{ shape = ["B", 8] }}
w = {{ shape = [8, 8], role = "weight" }}
[[ops]]
op = "matmul"
name = "y"
inputs = ["x", "w"]
"""


def test_a_file_may_ask_for_it(tmp_path):
    path = tmp_path / "g.toml"
    path.write_text(SPEC.format("weights+kv"))
    assert load(path).bytes.expr == 128
    path.write_text(SPEC.format("weights+vk"))
    with pytest.raises(InputError, match="did you mean 'weights\\+kv'") as caught:
        load(path)
    assert isinstance(caught.value.__cause__, UnknownNameError | InputError)


def test_a_file_with_fused_ops_cannot_ask_for_it(tmp_path):
    g = Graph("g")
    g.output(ops.relu(g.input("x", (B, 8), "bf16") @ g.weight("w", (8, 8), "bf16")))
    path = tmp_path / "g.toml"
    fuse_elementwise(g).save(path)
    path.write_text(path.read_text().replace('traffic = "fused"', 'traffic = "weights+kv"'))
    with pytest.raises(InputError, match=r"traffic: weights_and_caches: op 'matmul_0' is fused"):
        load(path)
