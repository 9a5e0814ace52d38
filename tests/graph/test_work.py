from __future__ import annotations

import pytest

from symroof import ops
from symroof.errors import CostError
from symroof.graph import Graph, OpKind, Role, apply, rows, work
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


def test_bytes_by_role_are_all_bytes_and_those_of_each_leaf():
    g = Graph("g")
    x = g.input("x", (B, D), "bf16")
    table = g.weight("table", (D, D), "bf16")

    def layer(x):
        h = x @ g.weight("w", (D, D), "bf16")
        k = ops.cache_append(g.cache("k", (B, n, D), "bf16"), ops.reshape(h, (B, 1, D)))
        return ops.einsum("bd,bnd->bd", h, k) @ table

    g.repeat("layer", L, layer, x)
    found = {role: moved.expr for role, moved in g.bytes_by_role.items()}
    # Each layer reads its matrix and the table; the cache takes one token and is read whole.
    assert found[Role.WEIGHT] == (L * 2 * 2 * D**2).expand()
    assert found[Role.CACHE].expand() == (L * (2 * B * D + 2 * B * n * D)).expand()
    # x, the product (written, then read by the append and the sum), the sum (written, read), y.
    assert found[Role.ACTIVATION] == 7 * 2 * B * D * L
    assert sum(found.values()).expand() == g.bytes.expr.expand()


def test_equal_ops_on_weights_and_on_inputs_are_told_apart():
    g = Graph("g")
    a, b = g.input("a", (8, 8), "fp32"), g.weight("b", (8, 8), "fp32")
    (a @ a) + (b @ b)
    assert {role.value: int(moved.value) for role, moved in g.bytes_by_role.items()} == {
        "input": 256,
        "weight": 256,
        "activation": 256 * 2 + 256 * 3,
    }


def test_bytes_nobody_knows_are_refused_or_named_among_activations():
    def mystery(policy):
        g = Graph("g", uncosted=policy)
        signature = apply(_Unknown(), (g.weight("w", (4,), "fp32"),), name="m")
        assert signature is not None
        return g

    with pytest.raises(CostError, match="bytes unknown"):
        _ = mystery("error").bytes_by_role
    assert {r: str(q) for r, q in mystery("symbol").bytes_by_role.items()} == {
        Role.ACTIVATION: "bytes_m byte"
    }


class _Unknown(OpKind):
    name = "unknown"
    count = "unknown"
    source = "nobody"

    def infer(self, inputs, attrs):
        return inputs

    def cost(self, inputs, outputs, attrs):
        return None
