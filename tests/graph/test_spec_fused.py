from __future__ import annotations

import tomllib

import pytest

from symroof.errors import SymroofError
from symroof.files import toml_text
from symroof.graph.passes import fuse_elementwise
from symroof.graph.spec_read import read_graph
from symroof.graph.spec_write import graph_tables

from .graph_facts import facts
from .graphs import fused_over_a_part, fused_region

HEAD = 'schema_version = 1\nname = "g"\ndtype = "fp32"\n[tensors]\nx = { shape = ["n", 4] }\n'
FUSED = """
[[ops]]
op = "fused"
name = "f"
inputs = ["x"]
ops = ["exp", "neg"]
reads = ["16*n"]
writes = ["16*n"]
flops = { fp32 = "8*n" }
outputs = [{ name = "y", shape = ["n", 4] }]
"""


def test_a_fused_op_by_hand():
    g = read_graph(HEAD + FUSED + '[[ops]]\nop = "relu"\nname = "z"\ninputs = ["y"]\n')
    assert [op.name for op in g.ops] == ["f", "z"]
    assert str(g.flops) == "12*n FLOP"
    assert str(g.bytes) == "64*n byte"


def test_the_label_of_the_traffic_is_kept():
    g = read_graph("traffic = 'fused: f'\n" + HEAD + FUSED)
    assert g.traffic == "fused: f"


def test_equal_fused_ops_share_their_cost():
    second = FUSED.replace('"f"', '"h"').replace('"y"', '"z"')
    g = read_graph(HEAD + FUSED + second)
    assert g.op("f").cost is g.op("h").cost
    assert str(g.flops) == "16*n FLOP"


def test_a_part_that_no_tensor_shows_is_spelled_out():
    graph = fused_over_a_part()
    tables = tomllib.loads(toml_text(graph_tables(graph)))
    over = next(o for o in tables["ops"][0]["outputs"] if o["name"] == "over")
    # Half of both as [2, B, D]; transposed, its first row left out.
    assert over["part"] == {
        "of": "both",
        "shape": [2, "B", "D"],
        "box": [[0, 1], [0, "B"], [1, "D - 1"]],
        "axes": [2, 1],
    }


def test_passes_do_the_same_to_a_graph_from_its_file():
    graph = fused_region()
    loaded = read_graph(toml_text(graph_tables(graph)))
    assert facts(fuse_elementwise(loaded)) == facts(fuse_elementwise(graph))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('reads = ["16*n"]', "reads = []", "ops.f: reads: 0 amounts for 1 tensors"),
        ('writes = ["16*n"]', 'writes = ["-n"]', "ops.f: writes: an amount is 0 or more"),
        ('ops = ["exp", "neg"]', "ops = 3", "ops.f: ops: expected list, got whole number"),
        ("flops =", "flps =", "ops.f: unknown field 'flps'; did you mean 'flops'?"),
        ("flops = {", 'unknown = ["time"]\nflops = {', "ops.f: unknown: expected some of flops"),
        ('name = "y"', 'name = "x"', "ops.f: outputs.x: two tensors have this name"),
        ("4] }]", '4], out = "q" }]', "ops.f: unknown tensor 'q'"),
        ("4] }]", '4], out = "x", part = {} }]', "ops.f: outputs.y: give out or part, not both"),
        ('["n", 4] }]', '[4, "n"], out = "x" }]', "ops.f: outputs.y: out: must have the result's"),
        ("4] }]", "4], part = { of = 'x' } }]", "ops.f: outputs.y: part: missing field"),
        (
            "4] }]",
            "4], part = { of = 'x', shape = ['n', 4], box = [[0, 1]], axes = [0, 1] } }]",
            "ops.f: outputs.y: part: box: expected a start and a length for each of 2 axes",
        ),
        (
            "4] }]",
            "4], part = { of = 'x', shape = ['n', 4], box = [[0, 'n'], [0, 4]], axes = [2] } }]",
            "ops.f: outputs.y: part: axes: expected axes of 2, not (2,)",
        ),
        (
            "4] }]",
            "4], part = { of = 'x', shape = ['n', 4], box = [[0, 'n'], [0, 2]], axes = [0, 1] } }]",
            "ops.f: outputs.y: the part does not have the shape [n, 4] fp32",
        ),
    ],
)
def test_faults_are_one_line_with_their_place(old, new, expected):
    assert old in FUSED
    with pytest.raises(SymroofError) as caught:
        read_graph(HEAD + FUSED.replace(old, new, 1))
    assert str(caught.value).startswith(expected)
