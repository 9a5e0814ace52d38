"""Meshes and shardings in TOML files."""

from __future__ import annotations

import pytest
from sympy import Integer

import symroof as sr
from symroof import passes
from symroof.errors import InputError, ShapeError
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


# --- graphs of one chip ---------------------------------------------------------------------------


def local_graph():
    g = sr.Graph("g")
    x = g.input("x", ("B", "D"), "bf16", sharding=("X", ("Y", "Z")))
    sr.ops.matmul(x, g.weight("w", ("D", 64), "bf16", sharding=("Y", "X")), name="y")
    return passes.shard(g, sr.Mesh(X="X", Y=4, Z="k"))


SPLITS = """
[[sharded.splits]]
tensor = "x"
dim = "B"
over = "X"

[[sharded.splits]]
tensor = "x"
dim = "D"
over = ["Y", "Z"]
"""


def test_what_has_to_divide_is_saved(tmp_path):
    local = local_graph()
    local.save(tmp_path / "local.toml")
    assert SPLITS in (tmp_path / "local.toml").read_text("utf-8")
    twin = sr.load(tmp_path / "local.toml")
    assert facts(twin) == facts(local)
    assert graph_tables(twin) == graph_tables(local)
    assert twin.plan.mesh == sr.Mesh(X="X", Y=4, Z="k")
    assert list(twin.plan.splits.items()) == list(local.plan.splits.items())
    B, D = sr.symbols("B D")
    assert set(twin.plan.splits) == {
        (B, ("X",)),
        (D, ("Y", "Z")),
        (D, ("Y",)),
        (Integer(64), ("X",)),
    }


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"B": 10, "X": 4}, "dim B of x, 10, does not divide over X = 4: 10 = 4*2 + 2"),
        ({"D": 20, "k": 2}, "dim D of x, 20, does not divide over Y = 4 * Z = 2: 20 = 8*2 + 4"),
        ({"X": 3}, "dim 64 of w, 64, does not divide over X = 3: 64 = 3*21 + 1"),
    ],
)
def test_a_loaded_graph_refuses_the_same_numbers(tmp_path, sizes, message):
    local = local_graph()
    local.save(tmp_path / "local.toml")
    chip = sr.Chip(
        name="c",
        peak={"bf16": "1 PFLOP/s"},
        memory={"hbm": "1 TB/s"},
        link=dict.fromkeys("XYZ", "100 GB/s"),
    )
    for graph in (local, sr.load(tmp_path / "local.toml")):
        with pytest.raises(ShapeError) as caught:
            sr.analyze(graph, chip).at(sizes)
        assert str(caught.value) == f"shard: {message}"


def test_symbols_that_only_the_mesh_has_may_be_declared(tmp_path):
    text = SPEC.replace('["", ["X", "Y"]]', '["", ""]')
    local = passes.shard(load(tmp_path, text))
    local.save(tmp_path / "local.toml")
    twin = sr.load(tmp_path / "local.toml")
    assert facts(twin) == facts(local)
    assert twin.about.meanings["n"] == "chips along Y"


def test_files_without_a_plan_load_as_before(tmp_path):
    local = local_graph()
    local.save(tmp_path / "local.toml")
    text = (tmp_path / "local.toml").read_text("utf-8")
    start, end = text.index("[sharded.mesh]"), text.index("[tensors.x]")
    assert facts(load(tmp_path, text[:start] + text[end:])) == facts(local)
    assert load(tmp_path, text[:start] + text[end:]).plan is None


SHARDED = """
schema_version = 1
name = "g"
[sharded]
mesh = { X = 4 }
splits = [{ tensor = "x", dim = "B", over = "X" }]
[tensors.x]
shape = "B/4"
dtype = "fp32"
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("{ X = 4 }", "{ X = 0 }", "sharded: mesh: mesh axis X: the count is a whole number"),
        ('over = "X"', 'over = "Z"', "sharded: splits[0]: unknown axis 'Z'; known: X (over)"),
        ('over = "X"', 'over = ""', "sharded: splits[0]: over: expected an axis or a list of axes"),
        (
            'over = "X"',
            'ovr = "X"',
            "sharded: splits[0]: unknown field 'ovr'; did you mean 'over'?",
        ),
        (
            'dim = "B"',
            "dim = 0",
            "sharded: splits[0]: dim: the count is a whole number of 1 or more",
        ),
        ('dim = "B"', "dim = 6", "sharded: shard: dim 6 of x, 6, does not divide over X = 4"),
        ("mesh = { X = 4 }", "", "sharded: missing field 'mesh'"),
    ],
)
def test_a_faulty_plan_is_one_line_with_its_place(tmp_path, old, new, message):
    assert load(tmp_path, SHARDED).plan.mesh == sr.Mesh(X=4)
    with pytest.raises(InputError) as caught:
        load(tmp_path, SHARDED.replace(old, new, 1))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


# --- faults ---------------------------------------------------------------------------------------


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
