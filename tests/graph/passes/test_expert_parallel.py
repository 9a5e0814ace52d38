"""Mixtures of experts on chips that hold different experts."""

from __future__ import annotations

from itertools import product

import pytest

import symroof as sr
from symroof import ops, passes
from symroof.graph import Graph
from symroof.graph.work import link_bytes
from symroof.symbolic import bind

MESH = sr.Mesh(X="n", Y="t")
SIZES = {"T": 64, "h": 16, "f": 48, "E": 8, "k": 2, "n": 4, "t": 2}


def mixture(tokens, where, gated=True, **keywords):
    g = Graph("mixture")
    x = g.input("x", ("T", "h"), "bf16", sharding=tokens)
    up = g.weight("up", ("E", "h", "f"), "bf16", sharding=where)
    down = g.weight("down", ("E", "f", "h"), "bf16", sharding=(where[0], where[2], where[1]))
    gate = g.weight("gate", ("E", "h", "f"), "bf16", sharding=where) if gated else None
    g.output(ops.experts(x, up, down, gate, top_k="k", name="moe", **keywords))
    return g


def sent(local):
    return {axis: bind(n, SIZES) for axis, n in link_bytes(local).items()}


def test_tokens_go_to_their_experts_and_back():
    local = passes.shard(mixture(("X", None), ("X", None, None)), MESH)
    assert [op.name for op in local.ops] == [
        "moe.dispatch",
        "moe.to_experts_X",
        "moe",
        "moe.from_experts_X",
        "moe.combine",
    ]
    # A chip has T/n tokens, each in k copies of 2*h bytes; all but an n-th leave, twice.
    assert sent(local) == {"X": 2 * (64 // 4 * 2 * 16 * 2) * 3 // 4}
    assert local.plan.outputs["moe"].dims == (("X",), ())
    assert "experts and tokens lie on it" in str(local.plan)


def test_every_chip_serves_its_own_experts():
    local = passes.shard(mixture((None, None), ("X", None, None)), MESH)
    # Sums over the chips, of all tokens.
    assert sent(local) == {"X": 2 * (64 * 16 * 2) * 3 // 4}
    assert [op.name for op in local.ops] == [
        "moe.dispatch",
        "moe",
        "moe.combine",
        "moe.all_reduce_X",
    ]
    wanted = passes.shard(
        mixture((None, None), ("X", None, None)), MESH, outputs={"moe": ("X", None)}
    )
    assert sent(wanted) == {"X": (64 * 16 * 2) * 3 // 4}


@pytest.mark.parametrize("tokens", [("X", None), (None, None), (("X", "Y"), None), ("Y", None)])
@pytest.mark.parametrize("experts", [("X", None, None), ("X", None, "Y"), (("X", "Y"), None, None)])
@pytest.mark.parametrize("gated", [True, False])
def test_all_chips_together_do_the_work_once(tokens, experts, gated):
    g = mixture(tokens, experts, gated)
    local = passes.shard(g, MESH)
    chips = 4 * 2 if set(str(experts)) & set("Y") or "Y" in str(tokens) else 4
    whole = 2 * 64 * 2 * 16 * 48 * (3 if gated else 2)
    assert bind(local.flops.expr, SIZES) * chips == whole


def test_the_weights_read_are_those_of_the_experts_reached():
    experts = ("X", None, None)
    for given, reached in (
        # All T tokens of the group meet at a chip's E/n experts.
        ("expected", 8 * (1 - (1 - sr.symbols("k") / 8) ** 64) / 4),
        ("all", 2),
        ("bound", 2),
        (4, 1),
    ):
        local = passes.shard(mixture(("X", None), experts, experts=given), MESH)
        read = local.op("moe").cost.reads[1]
        assert bind(read, SIZES) == bind(reached * 16 * 48 * 2 + 0 * sr.symbols("k"), SIZES), given


def test_whole_experts_on_every_chip_need_no_rules():
    local = passes.shard(mixture(("X", None), (None, None, None)), MESH)
    assert [op.name for op in local.ops] == ["moe"]
    split = passes.shard(mixture(("X", None), (None, None, "Y")), MESH)
    assert [op.name for op in split.ops] == ["moe", "moe.all_reduce_Y"]


def test_it_can_be_saved(tmp_path):
    for tokens, experts in product(("X", None), (("X", None, "Y"), (("X", "Y"), None, None))):
        local = passes.shard(mixture((tokens, None), experts), MESH)
        local.save(tmp_path / "local.toml")
        twin = sr.load(tmp_path / "local.toml")
        assert twin.link_bytes.expr == local.link_bytes.expr
        assert [op.name for op in twin.ops] == [op.name for op in local.ops]


def test_numbers():
    g = Graph("g")
    x = g.input("x", (6, 16), "bf16", sharding=("X", None))
    up = g.weight("up", (8, 16, 48), "bf16", sharding=("X", None, None))
    down = g.weight("down", (8, 48, 16), "bf16", sharding=("X", None, None))
    g.output(ops.experts(x, up, down, top_k=2))
    local = passes.shard(g, sr.Mesh(X=2))
    assert local.link_bytes.value == 2 * (3 * 2 * 16 * 2) // 2
