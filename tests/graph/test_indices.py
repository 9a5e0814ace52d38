"""Which index runs along which dim, for every kind of op that has rules."""

from __future__ import annotations

import pytest
from sympy import sympify

from symroof import ops
from symroof.graph import Attrs, Graph, kinds
from symroof.graph.indices import Indices, reshaped
from symroof.symbolic import symbols

from .graphs import many_kinds

B, S, H, G, D, F, d, T = symbols("B S H G D F d T")


def of(make, *shapes, dtype="bf16"):
    g = Graph("g")
    tensors = [g.input(f"x{i}", shape, dtype) for i, shape in enumerate(shapes)]
    op = make(*tensors).producer
    specs = op.signature.inputs, op.signature.outputs
    return op.kind.indices(*specs, Attrs(op.attrs))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ((B, S, H * d), (B, S, H, d), "0 1 2 | 0 1 2 -"),
        ((B, S, H, d), (B, S, H * d), "0 1 2 - | 0 1 2"),
        ((B, S, D), (B * S, D), "0 - 1 | 0 1"),
        ((B * S, D), (B, S, D), "0 1 | 0 - 1"),
        ((B, 1, D), (B, D), "0 - 1 | 0 1"),
        ((1, D), (D, 1, 1), "- 0 | 0 - -"),
        ((6, 4), (3, 8), "0 - | 0 -"),
        ((B, S), (S, B), "0 - | 0 -"),
        ((8, 4, B), (2, 16, B), "0 - 1 | 0 - 1"),
        ((B + 1, D), (D, B + 1), "0 - | 0 -"),
        ((), (1, 1), " | - -"),
        ((B * D, F), (B, D * F), "0 - | 0 -"),
    ],
)
def test_reshape_keeps_the_first_dim_of_each_run(before, after, expected):
    rows = reshaped(*(tuple(map(sympify, row)) for row in (before, after)))
    shown = " | ".join(" ".join("-" if i is None else i[1:] for i in row) for row in rows)
    assert shown == expected


def test_products_sum_over_the_inner_index():
    found = of(ops.matmul, (B, 1, S, D), (H, D, F))
    assert found.inputs == (("b0", None, "m", "k"), ("b1", "k", "n"))
    assert found.outputs == (("b0", "b1", "m", "n"),)
    assert found.summed == {"k"}
    assert found.linear == (0, 1)
    assert of(ops.matmul, (D,), (D, F)).inputs == (("k",), ("k", "n"))
    assert of(ops.dot, (D,), (D,)).summed == {"k"}
    assert of(ops.outer, (B,), (D,)).summed == frozenset()
    assert of(ops.gemv, (B, D), (D,)).outputs == (("m",),)


def test_a_bias_is_not_added_to_partial_sums():
    assert of(ops.linear, (B, D), (D, F), (F,)).linear == ()
    assert of(ops.linear, (B, D), (D, F)).linear == (0, 1)


def test_a_diagonal_stays_whole():
    found = of(lambda x, y: ops.einsum("iij,jk->ik", x, y), (B, B, D), (D, F))
    assert found.whole == {"i"}
    assert found.summed == {"j"}


def test_elementwise_ops_follow_broadcasting():
    found = of(ops.add, (B, D), (1, D))
    assert found.inputs == (("0", "1"), (None, "1"))
    assert found.additive
    assert of(ops.mul, (B,), (B,)).linear == (0, 1)
    assert of(lambda x: x / 2, (B,)).linear == (0,)
    assert of(lambda x: 2 / x, (B,)).linear == ()
    assert of(lambda x: x + 1, (B,)) == Indices((("0",),), (("0",),))
    assert of(ops.gelu, (B,)).linear == ()


def test_a_norm_keeps_its_axis_whole():
    found = of(ops.rmsnorm, (B, D), (D,))
    assert found.whole == {"1"}
    assert found.inputs == (("0", "1"), ("1",))
    assert of(lambda x: ops.softmax(x, axis=0), (B, D)).whole == {"0"}


def test_sums_are_partial_and_other_reductions_whole():
    assert of(lambda x: ops.sum(x, axes=0), (B, D)).summed == {"0"}
    assert of(lambda x: ops.max(x, axes=0), (B, D)).whole == {"0"}
    assert of(lambda x: ops.mean(x, axes=0, keepdims=True), (B, D)).outputs == ((None, "1"),)


def test_movement():
    assert of(ops.transpose, (B, D)).outputs == (("1", "0"),)
    assert of(lambda x, y: ops.concat([x, y], axis=1), (B, D), (B, F)).inputs == (("0", None),) * 2
    assert of(lambda x: x[0, :, 1:4], (2, B, 8, D)).inputs == ((None, "1", None, "3"),)
    assert of(lambda x: x[0, :, 1:4], (2, B, 8, D)).outputs == (("1", None, "3"),)


def test_attention_shards_batch_heads_queries_and_the_depth_of_values():
    q, kv = (B, H, S, d), (B, G, S, d)
    found = of(ops.attention, q, kv, kv)
    assert found.outputs == (("b", "h", "t", "e"),)
    assert found.whole == {"d", "s"}
    assert of(ops.attention, q, (B, 1, S, d), (B, 1, S, d)).inputs[1][1] is None
    causal = of(lambda *t: ops.attention(*t, mask="causal"), q, kv, kv)
    assert "t" not in causal.whole
    top = of(
        lambda *t: ops.attention(*t, mask="causal", align="top-left"),
        (B, H, T, d),
        kv,
        kv,
    )
    assert "t" in top.whole


def test_a_gather_finds_its_own_rows_and_leaves_sums():
    g = Graph("g")
    table, ids = g.weight("table", (D, F), "bf16"), g.input("ids", (B, S), "int32")
    op = ops.gather(table, ids).producer
    found = op.kind.indices(op.signature.inputs, op.signature.outputs, Attrs(op.attrs))
    assert found.outputs == (("i0", "i1", "1"),)
    assert found.summed == {"0"}


def test_rows_fit_the_ranks_of_every_op():
    for op in many_kinds().ops:
        specs = op.signature.inputs, op.signature.outputs
        found = op.kind.indices(*specs, Attrs(op.attrs))
        if found is None:
            continue
        for rows, side in zip((found.inputs, found.outputs), specs, strict=True):
            assert [len(row) for row in rows] == [spec.rank for spec in side], op
        read = {index for row in found.inputs for index in row}
        assert {index for row in found.outputs for index in row} <= read | {None}, op


def test_an_op_without_rules_has_none():
    for name in ("potrf", "stencil", "all_reduce", "custom", "spmv_csr"):
        assert kinds()[name].indices((), (), Attrs()) is None
