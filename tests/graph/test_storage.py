from __future__ import annotations

from sympy import Integer, Min

from symroof import ops
from symroof.graph import Graph
from symroof.graph.storage import Access, union
from symroof.symbolic import symbols

S, T, H, d = symbols("S T H d")


def reads(tensor):
    return tensor.producer.cost.reads


def test_one_tensor_on_two_ports_is_read_once():
    g = Graph("g")
    x = g.input("x", (8, 8), "fp32")
    assert reads(x * x) == (256, 0)
    assert reads(x @ x) == (256, 0)
    assert reads(ops.fma(x, x, x)) == (256, 0, 0)


def test_a_reshaped_or_transposed_tensor_is_the_same_memory():
    g = Graph("g")
    x = g.input("x", (8, 8), "fp32")
    assert sum(reads(x @ ops.transpose(x))) == 256
    assert sum(reads(x + ops.reshape(ops.reshape(x, 64), (8, 8)))) == 256


def test_disjoint_slices_add_and_are_not_capped():
    g = Graph("g")
    x = g.input("x", (8, 8), "fp32")
    assert reads(x[0] + x[1]) == (32, 32)
    assert reads(x[:4] + x[4:]) == (128, 128)
    assert reads(x[:, :4] + x[:, 4:]) == (128, 128)


def test_symbolic_slices_are_told_apart_where_signs_tell():
    g = Graph("g")
    x = g.input("x", (2 * S, d), "fp32")
    assert sum(reads(x[:S] + x[S:])) == 8 * S * d


def test_a_slice_next_to_the_whole_is_inside_it():
    g = Graph("g")
    x = g.input("x", (8, 8), "fp32")
    assert sum(reads(x + x[0])) == 256
    assert sum(reads(x[0] + x)) == 256
    assert sum(reads(x[:4] + x[1])) == 128


def test_overlapping_slices_are_capped_by_the_storage():
    g = Graph("g")
    x = g.input("x", (8, 8), "fp32")
    assert sum(reads(x[0:6] + x[2:8])) == 256
    assert sum(reads(x[0:3] + x[2:5])) == 192


def test_slices_of_a_reshaped_slice_are_compared_in_its_shape():
    g = Graph("g")
    x = g.input("x", (2, 8, 8), "fp32")
    flat = ops.reshape(x[0], 64)
    assert sum(reads(flat[:32] + flat[32:])) == 256
    assert sum(reads(flat[:8] + ops.reshape(x[1], 64)[:8])) == 64
    assert sum(reads(flat[:8] + flat[:8])) == 32


def test_equal_boxes_of_different_axis_orders_are_different_memory():
    g = Graph("g")
    x = g.input("x", (8, 8), "fp32")
    rows = ops.reshape(x, 64)[:8]
    columns = ops.reshape(ops.transpose(x), 64)[:8]
    assert sum(reads(rows + columns)) == 64


def test_layers_sliced_from_one_stacked_cache():
    g = Graph("kv")
    kv = g.cache("kv", (62, 8, 8192, 128), "bf16")
    layers = [ops.copy(kv[layer]) for layer in range(62)]
    assert sum(sum(reads(t)) for t in layers) == 1040187392
    assert {t.producer.cost.reads[0] for t in layers} == {16777216}


def test_union_of_parts_that_may_overlap_is_capped():
    part = Access(None, 4 * T, False)
    assert union([part, part], Integer(100)) == Min(8 * T, 100)
    whole = Access(None, Integer(100), True)
    assert union([part, whole], Integer(100)) == 100


def test_views_of_views_keep_the_storage_and_move_nothing():
    g = Graph("g")
    x = g.input("x", (H, S, d), "bf16")
    view = ops.transpose(ops.reshape(x, ("H*S", d)))[:, 0]
    assert view.storage is x
    assert view.region.box == ((0, 1), (0, d))
    assert g.bytes.expr == 0


def test_a_long_chain_of_views():
    g = Graph("g")
    x = view = g.input("x", (4, 4), "fp32")
    for _ in range(5000):
        view = ops.transpose(view)
    assert view.region is None
    assert sum(reads(x + view)) == 64


def test_dims_of_at_least_one_decide_what_lies_inside():
    g = Graph("g")
    x = g.input("x", 4 * S, "fp16")
    y = ops.concat([x[0 : 2 * S], x[0:1]])
    # Place 0 is among the first 2*S: 2*S places of 2 bytes are read, 2*S + 1 written.
    assert sum(reads(y)) == 4 * S
    assert g.bytes.at(S=5).value == 42


def test_overlaps_are_capped_where_dims_of_at_least_one_decide():
    part = Access(None, 3 * S, False)
    # 6*S is at least 5*S + 1, and at most 8*S - 2.
    assert union([part, part], 5 * S + 1) == 5 * S + 1
    assert union([part, part], 8 * S - 2) == 6 * S


def test_an_amount_may_hold_a_share_below_one():
    p, n = symbols("p n")
    part = Access(None, 4 * n * p, False)
    # At p = 1/8 the two parts are n bytes, far less than the whole.
    assert union([part, part], 8 * n) == Min(8 * n * p, 8 * n)
