from __future__ import annotations

import pytest

from symroof.errors import InputError, SymroofError
from symroof.graph import Role, load
from symroof.graph.spec_read import read_graph

HEAD = """
schema_version = 1
name = "g"
dtype = "fp16"
"""
REPEAT = '[[ops]]\nop = "repeat"\nname = "r"\ncount = 2\n'
PRODUCT = (
    HEAD
    + """
[tensors]
x = { shape = ["B", "D"] }
w = { shape = ["D", "F"], role = "weight" }

[[ops]]
op = "matmul"
name = "y"
inputs = ["x", "w"]
"""
)


def read(text: str):
    return read_graph(HEAD + text)


def message(text: str, dtype: str | None = None) -> str:
    with pytest.raises(SymroofError) as caught:
        read_graph(text, dtype)
    found = str(caught.value)
    assert "\n" not in found
    return found


def test_a_product():
    g = read_graph(PRODUCT)
    assert g.tensor("w").role is Role.WEIGHT
    assert str(g.flops) == "2*B*D*F FLOP"
    assert str(g.bytes) == "(2*B*D + 2*B*F + 2*D*F) byte"


def test_the_default_dtype_can_be_overridden_where_tensors_name_none():
    text = PRODUCT.replace('role = "weight"', 'role = "weight", dtype = "int4"')
    g = read_graph(text, "bf16")
    assert [t.dtype.name for t in g.tensors] == ["bf16", "int4", "bf16"]


def test_a_dtype_that_would_change_nothing_is_refused():
    text = PRODUCT.replace(" }", ', dtype = "fp32" }')
    assert "every tensor names its dtype" in message(text, "bf16")


def test_a_tensor_without_any_dtype_is_refused():
    assert message(PRODUCT.replace('dtype = "fp16"', "")) == (
        "tensors.x: no dtype; give one here, or one for the whole file"
    )


def test_ops_may_stand_in_any_order():
    g = read(
        """
[tensors.x]
shape = "n"
[[ops]]
op = "add"
name = "c"
inputs = ["a", "b"]
[[ops]]
op = "neg"
name = "b"
inputs = "a"
[[ops]]
op = "relu"
name = "a"
inputs = ["x"]
"""
    )
    assert [op.name for op in g.ops] == ["a", "b", "c"]


def test_a_cycle_names_the_path():
    found = message(
        HEAD
        + """
[[ops]]
op = "relu"
name = "a"
inputs = ["b"]
[[ops]]
op = "neg"
name = "b"
inputs = ["a"]
"""
    )
    assert "[a, b, a]" in found
    assert "repeat" in found


def test_unnamed_ops_are_called_by_kind_and_place():
    g = read(
        """
[tensors.x]
shape = "n"
[[ops]]
op = "neg"
inputs = ["relu_1"]
[[ops]]
op = "relu"
inputs = ["x"]
"""
    )
    assert [op.name for op in g.ops] == ["relu_1", "neg_0"]


def test_operands_by_keyword():
    g = read_graph(
        PRODUCT
        + '[[ops]]\nop = "rmsnorm"\nname = "n"\nx = "y"\nweight = "s"\n'
        '[tensors.s]\nshape = "F"\n'.replace("[tensors.s]", "[tensors.s]")
    )
    assert [t.name for t in g.op("n").inputs] == ["y", "s"]


def test_numbers_stand_in_for_tensors_by_keyword():
    g = read_graph(
        PRODUCT
        + '[[ops]]\nop = "sub"\nname = "a"\ninputs = ["y"]\nx = 1\n'
        + '[[ops]]\nop = "div"\nname = "b"\ninputs = "a"\ny = "D**(1/2)"\n'
    )
    assert dict(g.op("a").attrs) == {"x": 1}
    assert str(dict(g.op("b").attrs)["y"]) == "sqrt(D)"


def test_custom_ops_have_textual_costs():
    g = read_graph(
        PRODUCT
        + '[[ops]]\nop = "custom"\nname = "scan"\ninputs = ["y"]\noutput_shape = ["B", "F"]\n'
        + 'flops = "5*B*F*log2(F)"\nbytes = "4*B*F"\n'
    )
    assert str(g.op("scan").cost.flops) == "(('fp16', 5*B*F*log2(F)),)"


def test_a_repeat_carries_its_operand_under_the_name_it_has_outside():
    g = read(
        """
[tensors.x]
shape = ["B", "D"]
[[ops]]
op = "repeat"
name = "layer"
count = "L"
carry = "x"
results = ["x_next"]
[ops.tensors.w]
shape = ["D", "D"]
role = "weight"
[[ops.ops]]
op = "matmul"
name = "x_next"
inputs = ["x", "w"]
"""
    )
    assert str(g.flops) == "2*B*D**2*L FLOP"
    assert str(g.footprint()) == "2*D**2*L byte"
    assert g.op("layer").inputs == (g.tensor("x"),)


def test_inside_a_repeat_two_dots_lead_outside():
    g = read(
        """
[tensors.x]
shape = ["B", "D"]
[[ops]]
op = "repeat"
name = "layer"
count = 4
carry = ["x"]
results = ["next"]
[[ops.ops]]
op = "add"
name = "next"
inputs = ["x", "../x"]
"""
    )
    body = g.op("layer").body
    assert body.op("next").inputs == (body.tensor("carry_0"), g.tensor("x"))


def test_fuse_names_the_traffic():
    fused = PRODUCT.replace("[tensors]", 'fuse = [["y", "z"]]\n[tensors]', 1)
    g = read_graph(fused + '[[ops]]\nop = "relu"\nname = "z"\ninputs = ["y"]\n')
    assert g.traffic == "fused: y+z"
    assert str(g.bytes) == "(2*B*D + 2*B*F + 2*D*F) byte"


@pytest.mark.parametrize(
    "key", ['traffic = "fused"', 'fuse = "elementwise"', 'fuse = ["elementwise"]']
)
def test_elementwise_ops_ride_along_on_request(key):
    g = read_graph(
        PRODUCT.replace("[tensors]", f"{key}\n[tensors]", 1)
        + '[[ops]]\nop = "relu"\nname = "z"\ninputs = ["y"]\n'
    )
    assert g.traffic == "fused"
    assert len(g.ops) == 1


def test_what_a_spec_says_about_its_symbols():
    g = read_graph(
        PRODUCT
        + '[symbols]\nB = "tokens"\nD = { meaning = "model dim", default = "2**12" }\nF = {}\n'
    )
    assert dict(g.about.meanings) == {"B": "tokens", "D": "model dim"}
    assert dict(g.about.defaults) == {"D": 4096}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("schema_version = 1", "", "schema_version is missing; expected 1"),
        ("schema_version = 1", "schema_version = 2", "schema_version is 2; expected 1"),
        ("schema_version = 1", "schema_version = true", "schema_version is True; expected 1"),
        ('name = "g"', "", "missing field"),
        ('name = "g"', "name = 3", "name: expected text, got whole number"),
        ('name = "g"', 'name = "g"\ntitel = "G"', "unknown field 'titel'; did you mean 'title'?"),
        (
            'shape = ["B", "D"]',
            "shap = 3",
            "tensors.x: unknown field 'shap'; did you mean 'shape'?",
        ),
        (
            'role = "weight"',
            'role = "weigth"',
            "tensors.w: unknown role 'weigth'; did you mean 'weight'?",
        ),
        (
            'dtype = "fp16"',
            'dtype = "bff16"',
            "dtype: unknown dtype 'bff16'; did you mean 'bf16'?",
        ),
        ('["B", "D"]', '["B", 0]', "tensors.x: shape: a dim is a whole number of 1 or more, not 0"),
        (
            '["B", "D"]',
            '["B", "E"]',
            "ops.y: matmul: inner dim E does not match D (got [B, E] fp16 and [D, F] fp16)",
        ),
        ('["x", "w"]', '["x", "wz"]', "ops.y: unknown tensor 'wz'; did you mean 'w'?"),
        ('["x", "w"]', '["x", "w", "x"]', "ops.y: matmul: 3 inputs for 2 (a, b)"),
        ('["x", "w"]', '["x"]', "ops.y: matmul: missing input 'b'"),
        ('op = "matmul"', 'op = "matmull"', "ops.y: unknown op 'matmull'; did you mean 'matmul'?"),
        ('op = "matmul"', "", "ops.y: missing field 'op'"),
        (
            'op = "matmul"',
            'op = "matmul"\nout_dtpe = "fp32"',
            "ops.y: matmul: unknown keyword 'out_dtpe'; did you mean 'out_dtype'?",
        ),
        (
            'op = "matmul"',
            'op = "matmul"\nout_dtype = 32',
            "ops.y: matmul: out_dtype: expected a text, not 32",
        ),
        ('name = "y"', "name = \"__import__('os')\"", "ops.__import__('os'): "),
        ('name = "y"', 'name = ["y"]', "ops.#1: the name of an op is text, not list"),
    ],
)
def test_bad_input_is_one_line_with_its_place(old, new, expected):
    assert old in PRODUCT
    assert message(PRODUCT.replace(old, new)).startswith(expected)


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ('[[ops]]\nop = "neg"\nname = "y"\ninputs = "x"', "ops.y: two ops are called 'y'"),
        ('[symbols]\nB = "b"\nD = "d"', "tensors.w: unknown symbol 'F'; known: B, D"),
        (
            '[symbols]\nB = "b"\nD = "d"\nF = "f"\nFF = "ff"',
            "symbols.FF: unknown symbol 'FF'; did you mean 'F'?",
        ),
        (
            '[symbols]\nB = { default = "D" }\nD = {}\nF = {}',
            "default of B: expected a positive number, not D",
        ),
        (
            "[symbols]\nB = { default = -1 }\nD = {}\nF = {}",
            "default of B: expected a positive number, not -1",
        ),
        ("[symbols]\nB = { meaning = 1 }\nD = {}\nF = {}", "symbols.B: meaning: expected text"),
        (
            '[[ops]]\nop = "all_reduce"\nname = "z"\ninputs = ["y"]',
            "ops.z: all_reduce: missing keyword 'group'",
        ),
        (
            '[[ops]]\nop = "all_reduce"\nname = "z"\ninputs = ["y"]\ngroup = 0',
            "ops.z: all_reduce group: expected a whole number of 1 or more, not 0",
        ),
        (
            '[[ops]]\nop = "softmax"\nname = "z"\ninputs = ["y"]\naxis = "last"',
            "ops.z: softmax: axis: expected a whole number, not 'last'",
        ),
        (
            '[[ops]]\nop = "softmax"\nname = "z"\ninputs = ["y"]\naxis = true',
            "ops.z: softmax: axis: expected a whole number, not True",
        ),
        (
            '[[ops]]\nop = "neg"\nname = "z"\ninputs = ["y"]\nout = ["x", "w"]',
            "ops.z: neg: out: expected one tensor, not 2",
        ),
        ('[[ops]]\nop = "neg"\nname = "z"\ninputs = 3', "ops.z: neg: inputs: expected names of"),
        (
            '[[ops]]\nop = "slice"\nname = "z"\ninputs = ["y"]\nkey = [1.5]',
            "ops.z: slice: key: expected places such as 0, 'n' or '0:n', not 1.5",
        ),
        ('[[ops]]\nop = "slice"\nname = "z"\ninputs = ["y"]', "ops.z: slice: missing input 'key'"),
        (
            '[[ops]]\nop = "repeat"\nname = "r"\ncont = 3',
            "ops.r: unknown field 'cont'; did you mean 'count'?",
        ),
        (
            '[[ops]]\nop = "repeat"\nname = "r"\ncount = 0',
            "ops.r: repeat 'r': the count is a whole",
        ),
        (
            '[[ops]]\nop = "repeat"\nname = "r"\ncount = 2\ncarry = ["z"]\nresults = ["z"]',
            "ops.r: unknown tensor 'z'",
        ),
        (
            '[[ops]]\nop = "repeat"\nname = "r"\ncount = 2\ncarry = ["x"]\nresults = ["y"]',
            "ops.r: repeat 'r': carry 0 goes in and comes out with different shapes",
        ),
        (
            REPEAT + '[[ops.ops]]\nop = "neg"\ninputs = ["q"]',
            "ops.r: ops.neg_0: unknown tensor 'q'",
        ),
        (
            REPEAT + '[[ops.ops]]\nop = "neg"\nname = "q"\ninputs = ["../../x"]',
            "ops.r: ops.q: unknown tensor '../../x'",
        ),
        (
            '[[ops]]\nop = "fused"\nname = "f"\ninputs = ["x"]\n'
            "outputs = []\nops = []\nreads = []\nwrites = []",
            "ops.f: reads: 0 amounts for 1 tensors",
        ),
    ],
)
def test_faults_of_ops_and_symbols_are_one_line_with_their_place(more, expected):
    assert message(f"{PRODUCT}\n{more}\n").startswith(expected)


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ('traffic = "fusd"', "traffic: unknown traffic 'fusd'; did you mean 'fused'?"),
        ('fuse = [["nope"]]', "fuse[0]: unknown op 'nope'"),
        ("fuse = [3]", "fuse[0]: expected"),
        ('fuse = [["y"]]\ntraffic = "fused"', "give fuse or traffic, not both"),
        ('outputs = ["why"]', "outputs: unknown tensor 'why'"),
        ('uncosted = "ignore"', "unknown uncosted policy 'ignore'"),
        ("flop_weights = { expp = 3 }", "unknown FLOP weight 'expp'; did you mean 'exp'?"),
        ("chip = 5", "chip: expected text"),
    ],
)
def test_faults_of_the_whole_file(key, expected):
    assert message(PRODUCT.replace("[tensors]", f"{key}\n[tensors]", 1)).startswith(expected)


def test_the_file_stands_in_front_of_every_error(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(PRODUCT.replace("matmul", "matmull"))
    with pytest.raises(InputError) as caught:
        load(path)
    assert str(caught.value) == f"{path}: ops.y: unknown op 'matmull'; did you mean 'matmul'?"
