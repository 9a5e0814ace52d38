"""Contractions inside fused ops: kept, tiled as they were alone, saved and loaded."""

from __future__ import annotations

import copy
import pickle

import pytest
from sympy import Rational, ceiling

import symroof as sr
from symroof import ops, passes
from symroof.errors import InputError, SymroofError
from symroof.graph import Graph
from symroof.graph.contractions import contraction, contractions
from symroof.graph.spec_read import read_graph
from symroof.graph.tile import Tile, extra_bytes, padded_flops
from symroof.symbolic import bind

TILE = Tile(16, 8, 4)
AT = {"B": 37, "D": 20, "F": 50}

FUSED = """
schema_version = 1
name = "g"
dtype = "fp32"
[tensors]
x = { shape = ["n", 4] }
w = { shape = [4, 8], role = "weight" }
[[ops]]
op = "fused"
name = "f"
inputs = ["x", "w"]
ops = ["matmul", "relu"]
reads = ["16*n", 128]
writes = ["32*n"]
flops = { fp32 = "72*n" }
outputs = [{ name = "y", shape = ["n", 8] }]
"""
KEPT = """
[[ops.contractions]]
m = "n"
n = 8
k = 4
dtype = "fp32"
left = { shape = ["n", 4], dtype = "fp32" }
right = { shape = [4, 8], dtype = "fp32" }
out = { shape = ["n", 8], dtype = "fp32" }
"""


def mlp() -> Graph:
    """gelu(x u) d + x: two products and two ops that ride along."""
    g = Graph("mlp")
    x = g.input("x", ("B", "D"), "bf16")
    h = ops.gelu(x @ g.weight("u", ("D", "F"), "bf16"))
    h @ g.weight("d", ("F", "D"), "bf16") + x
    return g


def test_an_op_fused_with_a_contraction_is_that_contraction() -> None:
    plain, fused = mlp(), passes.fuse_elementwise(mlp())
    assert [op.kind.name for op in fused.ops] == ["fused", "fused"]
    assert [contraction(op) for op in fused.ops] == [contraction(plain.ops[i]) for i in (0, 2)]


@pytest.mark.parametrize("keep", ["output", "left", "right", "best"])
def test_tiles_add_to_a_fused_op_what_they_add_to_its_product(keep: str) -> None:
    plain, fused, tile = mlp(), passes.fuse_elementwise(mlp()), TILE.keeping(keep)
    for after, at in zip(fused.ops, (0, 2), strict=True):
        before = plain.ops[at]
        assert extra_bytes(after, tile) == extra_bytes(before, tile)
        riding = plain.ops[at + 1].cost.flops[0][1]
        padded = padded_flops(before, tile, 3) + riding
        assert bind(padded_flops(after, tile, 3) - padded, AT) == 0


def test_a_roofline_of_a_fused_graph_takes_tiles() -> None:
    chip = sr.Chip(
        "c",
        peak={"bf16": "1 FLOP/s"},
        memory={"l2": ("10 B/s", "64 B"), "hbm": ("1 B/s", "1 MB")},
        compute_units=1,
    )
    fused = passes.fuse_elementwise(mlp())
    r = sr.analyze(fused, chip, levels={"l2": TILE}, quantise=TILE).at(AT)
    # 3 x 7 tiles of 5 steps, 3 x 3 of 13; 2 FLOPs a point; 50 and 20 ops that ride along a row.
    flops = 2 * 16 * 8 * 4 * (3 * 7 * 5 + 3 * 3 * 13) + 37 * (50 + 20)
    # left read 7 times and right 3 times, then 3 and 3; results once, and x again.
    moved = 2 * (7 * 37 * 20 + 3 * 20 * 50 + 37 * 50)
    moved += 2 * (3 * 37 * 50 + 3 * 50 * 20 + 37 * 20) + 2 * 37 * 20
    assert r.terms["flop", "bf16"].resolved().value == flops
    assert r.terms["byte", "l2"].resolved().value == Rational(moved, 10)


@pytest.mark.parametrize("how", ["saved", "pickled", "copied"])
def test_contractions_outlive_the_graph(how: str, tmp_path) -> None:
    fused = passes.fuse_elementwise(mlp())
    if how == "saved":
        fused.save(tmp_path / "g.toml")
        again = sr.load(tmp_path / "g.toml")
        again.save(tmp_path / "h.toml")
        assert (tmp_path / "g.toml").read_bytes() == (tmp_path / "h.toml").read_bytes()
    else:
        again = pickle.loads(pickle.dumps(fused)) if how == "pickled" else copy.deepcopy(fused)
    assert [contractions(op) for op in again.ops] == [contractions(op) for op in fused.ops]
    assert all(contractions(op) for op in again.ops)


def test_products_that_feed_each_other_have_padded_flops_and_no_traffic_of_tiles() -> None:
    plain = mlp()
    (op,) = passes.fuse(plain, plain.ops, name="all").ops
    assert [each.fed for each in contractions(op)] == [False, True]
    padded = sum(padded_flops(each, TILE) for each in plain.ops)
    assert bind(padded_flops(op, TILE) - padded, AT) == 0
    with pytest.raises(InputError, match=r"^op 'all' keeps on chip what one of its contractions"):
        extra_bytes(op, TILE)
    with pytest.raises(InputError, match=r"^op 'all' was fused of 2 contractions; tile the graph"):
        contraction(op)


def test_products_side_by_side_both_count() -> None:
    g = Graph("g")
    x = g.input("x", (8, 8), "fp32")
    y = x @ g.weight("u", (8, 8), "fp32") + x @ g.weight("v", (8, 8), "fp32")
    assert y.shape == (8, 8)
    (op,) = passes.fuse(g, g.ops, name="both").ops
    alone = extra_bytes(g.ops[0], Tile(2, 2))
    assert alone == 2 * (3 * 4 * 64)  # either operand 4 times instead of once
    assert extra_bytes(op, Tile(2, 2)) == 2 * alone


def test_fusing_again_keeps_them() -> None:
    once = passes.fuse_elementwise(mlp())
    (op,) = passes.fuse(once, once.ops, name="all").ops
    assert [(str(each.n), each.fed) for each in contractions(op)] == [("F", False), ("D", True)]


def test_a_model_takes_tiles() -> None:
    graph = sr.model("llama-3-8b").graph("decode")
    r = sr.analyze(graph, "h100-sxm", quantise=Tile(128, 128, 32)).at(B=8, S=256)
    plain = sr.analyze(graph, "h100-sxm").at(B=8, S=256)
    assert r.t_compute.resolved() > plain.t_compute.resolved()
    assert r.t_memory == plain.t_memory


def test_a_file_may_say_them() -> None:
    n = sr.symbols("n")
    graph = read_graph(FUSED + KEPT)
    # 16n bytes once more, 128 bytes of weights for each other pair of rows
    assert extra_bytes(graph.op("f"), Tile(2, 4)) == 16 * n + 128 * ceiling(n / 2) - 128


def test_a_file_without_them_has_no_tiles() -> None:
    (op,) = read_graph(FUSED).ops
    for ask in (extra_bytes, padded_flops):
        with pytest.raises(InputError, match=r"^op 'f' was fused with matmul, whose sizes are not"):
            ask(op, TILE)
    graph = read_graph(FUSED)
    (again,) = passes.fuse(graph, graph.ops, name="again").ops
    with pytest.raises(InputError, match=r"^op 'again' was fused with fused, whose sizes are not"):
        extra_bytes(again, TILE)


@pytest.mark.parametrize(
    ("was", "now", "words"),
    [
        ("n = 8", "n = 0", "a size is a whole number of 1 or more"),
        ('m = "n"', 'm = "n/0"', "division by zero"),
        ('m = "n"', 'm = "peak.fp32"', "is a rate of a machine"),
        ('dtype = "fp32"\nleft', 'dtype = "fp64"\nleft', "the op computes at fp32, not at fp64"),
        ("n = 8", "n = 8\nflops = 3", "expected 1 or 2 a point, not 3"),
        ('[4, 8], dtype = "fp32"', '[4, 8], dtype = "fp33"', "unknown dtype 'fp33'"),
        ('[4, 8], dtype = "fp32"', "[4, 8]", "missing field 'dtype'"),
        ("k = 4", "kk = 4", "unknown field 'kk'"),
    ],
)
def test_wrong_contractions_of_a_file_are_one_line_with_the_place(was, now, words) -> None:
    assert was in KEPT
    with pytest.raises(SymroofError, match=words) as caught:
        read_graph(FUSED + KEPT.replace(was, now))
    assert "\n" not in str(caught.value)
    assert "contractions[0]" in str(caught.value)
