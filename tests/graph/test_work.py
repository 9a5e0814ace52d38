from __future__ import annotations

import pytest

from symroof import ops
from symroof.graph import Graph, rows, work
from symroof.symbolic import bind, symbols

B, D, L, n = symbols("B D L n")


def test_rows_group_equal_ops_and_leave_views_out():
    g = Graph("g")
    x = g.input("x", (B, D), "fp32")
    for _ in range(5):
        x = ops.reshape(ops.reshape(x + x, "B*D"), (B, D))
    (row,) = rows(g)
    assert (row.ops, row.count, row.flops, row.bytes) == (5, 5, {"fp32": B * D}, 8 * B * D)
    assert row.op.name == "add_0"


def test_totals_are_the_sums_of_the_rows():
    g = Graph("g")
    x = g.input("x", (B, D), "fp32")
    y = ops.all_reduce(x @ g.weight("w", (D, D), "fp32"), group=n)
    g.repeat("layer", L, lambda y: y * y + y, y)
    found = rows(g)
    point = {"B": 3, "D": 5, "L": 7, "n": 4}
    for total, part in (
        (work.flops(g), lambda row: sum(row.flops.values())),
        (work.bytes_moved(g), lambda row: row.bytes),
        (work.link_bytes(g)["link"], lambda row: sum(row.link_bytes.values())),
    ):
        assert bind(total, point) == sum(bind(row.count * part(row), point) for row in found)


def test_a_group_size_is_a_count():
    g = Graph("g")
    ops.all_reduce(g.input("x", (B, D), "fp32"), group=n)
    assert g.scope.counts == {"B", "D", "n"}
    assert g.link_bytes.at(B=2, D=3, n=1).value == 0


@pytest.mark.parametrize("layers", [80])
def test_equal_layers_with_ceilings_collapse_to_a_multiple(layers):
    g = Graph("g")
    x = g.input("x", ("128*ceil(B/128)", D), "bf16")
    for number in range(layers):
        x = ops.relu(x @ g.weight(f"w{number}", (D, D), "bf16"))
    one = work.flops(g) / layers
    assert len(rows(g)) == 2
    assert bind(one, {"B": 64, "D": 10}) == 2 * 128 * 100 + 128 * 10


def test_the_quotient_loses_common_factors():
    assert work.ratio(6 * B * D, 4 * B * D + 2 * B) == 3 * D / (2 * D + 1)
