"""Meshes and shardings in TOML files."""

from __future__ import annotations

import pytest

import symroof as sr
from symroof import passes
from symroof.errors import InputError
from symroof.graph.spec_write import graph_tables

from .graph_facts import facts

SPEC = """
schema_version = 1
name = "mlp"
dtype = "bf16"

[symbols]
B = "tokens"
D = "model dim"
n = "chips along Y"

[mesh]
X = 4
Y = "n"

[tensors]
x = { shape = ["B", "D"], sharding = ["X", ""] }
w = { shape = ["D", "4*D"], role = "weight", sharding = ["", ["X", "Y"]] }

[[ops]]
op = "matmul"
name = "y"
inputs = ["x", "w"]
"""


def load(tmp_path, text=SPEC):
    path = tmp_path / "spec.toml"
    path.write_text(text, "utf-8")
    return sr.load(path)


def test_a_file_has_a_mesh_and_shardings(tmp_path):
    g = load(tmp_path)
    assert g.mesh == sr.Mesh(X=4, Y="n")
    assert g.leaves["x"].sharding == (("X",), ())
    assert g.leaves["w"].sharding == ((), ("X", "Y"))
    assert [op.name for op in passes.shard(g).ops][-1] == "y"


def test_it_reads_back_equal(tmp_path):
    g = load(tmp_path)
    g.save(tmp_path / "saved.toml")
    twin = sr.load(tmp_path / "saved.toml")
    assert facts(twin) == facts(g)
    assert graph_tables(twin) == graph_tables(g)
    assert graph_tables(g)["mesh"] == {"X": 4, "Y": "n"}
    assert graph_tables(g)["tensors"]["w"]["sharding"] == ["", ["X", "Y"]]


def test_one_dim_may_be_a_text(tmp_path):
    text = 'schema_version = 1\nname = "g"\n[tensors.x]\nshape = "D"\ndtype = "fp32"\n'
    assert load(tmp_path, text + 'sharding = "X"').leaves["x"].sharding == (("X",),)


def test_shardings_without_a_mesh_wait_for_one(tmp_path):
    text = SPEC.replace('[mesh]\nX = 4\nY = "n"\n', "").replace('n = "chips along Y"\n', "")
    g = load(tmp_path, text)
    assert g.mesh is None
    with pytest.raises(InputError, match="give a mesh"):
        passes.shard(g)
    D = sr.symbols("D")
    assert passes.shard(g, sr.Mesh(X=2, Y=2)).leaves["w"].shape == (D, D)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("X = 4", "X = 0", "mesh: mesh axis X: the count is a whole number of 1 or more, not 0"),
        ("X = 4", "X = 4.5", "mesh[...]: expected whole number or text, got number"),
        ("X = 4", '"a b" = 4', "mesh: 'a b' cannot be the name of a mesh axis"),
        ('Y = "n"', 'Y = "m"', "mesh: unknown symbol 'm'; known: B, D, n"),
        ('["X", "Y"]]', '["X", "Z"]]', "tensors.w: unknown axis 'Z'; known: X, Y (sharding)"),
        ('["X", ""]', '["X"]', "tensors.x: sharding of x: a sharding has one entry for each of"),
        ('["X", ""]', '["X", "X"]', "tensors.x: sharding of x: axis 'X' shards two dims, B and D"),
        ('["X", ""]', '["X", 3]', "tensors.x: sharding[1]: expected"),
        ("sharding = [", "shardings = [", "unknown field 'shardings'; did you mean 'sharding'?"),
        ("[mesh]", "[mehs]", "unknown field 'mehs'; did you mean 'mesh'?"),
    ],
)
def test_a_fault_is_one_line_with_its_place(tmp_path, old, new, message):
    with pytest.raises(InputError) as caught:
        load(tmp_path, SPEC.replace(old, new, 1))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
