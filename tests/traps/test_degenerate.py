"""Degenerate cases: no bytes, no work, no tokens; an answer or one line, never a crash or a nan."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import oo

import symroof as sr
from symroof import ops, passes
from symroof.cli.main import run
from symroof.graph import Role

ROOT = Path(sr.__file__).parents[1]


# --- B56: dividing by zero ----------------------------------------------------------------------


def kernel(flops: Any, moved: Any) -> sr.Graph:
    g = sr.Graph("kernel")
    x = g.input("x", (1,), "fp32")
    ops.custom("op", inputs=[x], output_shape=(1,), flops=flops, bytes=moved)
    return g


QUESTIONS = """
import json, numpy as np, symroof as sr
from symroof import ops
np.seterr(all="raise")
g = sr.Graph("kernel")
x = g.input("x", (1,), "fp32")
ops.custom("op", inputs=[x], output_shape=(1,), flops=6, bytes="b")
f = sr.compile(g.intensity, ["b"])
g = sr.Graph("matmul")
g.input("A", ("M", "N"), "bf16") @ g.weight("W", ("N", "K"), "bf16")
h = sr.compile(sr.analyze(g, "h100-sxm").intensity, ["M", "N", "K"])
print(json.dumps([
    [float(f(0)), float(f(0.0)), float(f(np.int64(0)))],
    f([0, 2]).tolist(), f(np.array([0, 2])).tolist(), f(b=np.array([0.0, 2.0])).tolist(),
    h(0, 0, [0, 3]).tolist(), h([0, 3], 3, 3).tolist(),
]))
"""


def test_b56_compiled_intensity_at_zero_bytes(answer: Any) -> None:
    """In a process where every warning and every floating-point flag is an error."""
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", QUESTIONS],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr == ""
    at_zero, *arrays, nothing, some = json.loads(ran.stdout)
    assert at_zero == [float("inf")] * 3
    assert arrays == [[float("inf"), float(answer["at_2"])]] * 3
    assert all(np.isnan(nothing))
    assert some == [0, 1]


def test_b56_policy_of_the_symbolic_intensity() -> None:
    """Without bytes it is infinite, without work there is none; never a number made up."""
    assert kernel(6, 2).intensity.value == 3
    assert kernel(6, 0).intensity.value is oo
    assert kernel(0, 0).intensity is None
    assert kernel(0, 2).intensity.value == 0
    assert kernel("6*B", 0).intensity.value is oo
    assert kernel(6, 0).intensity.to_dict()["value"] is None


@given(st.lists(st.sampled_from([0, 1, 2, 5]), min_size=1, max_size=5), st.data())
def test_b56_any_quotient_on_arrays_with_zeros(values: list[int], data: st.DataObject) -> None:
    text = data.draw(
        st.sampled_from(["a/b", "a/(b + c)", "(a + c)/(b*c)", "a/b + c/a", "max(a/b, c)", "a/b/c"])
    )
    expr = sr.Quantity(text, "")
    names = sorted(expr.scope.dimensions)
    f = sr.compile(expr, names)
    others = {name: data.draw(st.sampled_from([0, 1, 3])) for name in names[1:]}
    found = f(values, **others)
    for value, number in zip(values, found, strict=True):
        point = {names[0]: value, **others}
        if all(point.values()):
            assert number == pytest.approx(float(expr.at(point).value))
        else:
            assert number == f(**point) or (np.isnan(number) and np.isnan(f(**point)))


# --- B65: nothing to do, nothing to share -------------------------------------------------------


def only_views(views: int = 1) -> sr.Graph:
    g = sr.Graph("views")
    x = g.input("x", ("B", 16), "bf16")
    for _ in range(views):
        x = ops.reshape(x, ("B", 4, 4) if x.spec.rank == 2 else ("B", 16))
    return g


@pytest.mark.parametrize("views", [0, 1, 5])
def test_b65_no_work_takes_no_time_and_has_no_intensity(
    answer: Any, h100: sr.Chip, views: int
) -> None:
    r = sr.analyze(only_views(views), h100)
    assert r.verdict() is sr.Bound.NO_WORK
    assert r.largest_terms() == ()
    for time in (r.time.overlapped, r.time.per_op, r.time.serial, *r.groups.values()):
        assert time.value == answer["t"]
        assert time.unit == "s"
    assert r.intensity is None
    assert r.graph.intensity is None
    assert r.terms == {}
    assert r.ops() == []
    assert r.dominant() is None
    assert {share.value for share in r.utilisation().values()} == {0}
    with pytest.raises(sr.errors.InputError, match="no work"):
        r.attainable()


@pytest.mark.parametrize("term", ["compute", "memory", "network"])
def test_b65_no_work_is_never_bound_by_anything(h100: sr.Chip, term: str) -> None:
    """As the verdict says: not "always" because nothing competes."""
    x = sr.analyze(only_views(), h100).crossover("B", term=term)
    assert x.kind is sr.Kind.NEVER
    assert x.first is None


def test_b65_command_line_prints_no_share_and_no_crash(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "view.toml"
    path.write_text(
        'schema_version = 1\nname = "view"\ndtype = "bf16"\n'
        '[symbols]\nB = { meaning = "tokens", default = 4 }\n'
        '[tensors]\nx = { shape = ["B", 16] }\n'
        '[[ops]]\nop = "reshape"\nname = "y"\ninputs = ["x"]\nshape = ["B", 4, 4]\n',
        encoding="utf-8",
    )
    for command in (["analyze"], ["crossover", "--for", "B"]):
        for form in ("text", "json"):
            assert run([*command, str(path), "--chip", "h100-sxm", "--format", form]) == 0
            out = capsys.readouterr().out
            assert not {"nan", "nan%", "0/0"} & set(out.lower().replace(",", " ").split())
            if form == "json" and command == ["analyze"]:
                said = json.loads(out)
                assert said["verdict"] == sr.Bound.NO_WORK.value
                assert said["intensity"] is None
    assert run(["analyze", str(path), "--chip", "h100-sxm", "--set", "B=0"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_b65_shares_of_ops_without_work(h100: sr.Chip) -> None:
    """An op of zero cost among others has the share 0, also where it is alone."""
    alone = sr.Graph("alone")
    x = alone.input("x", ("B",), "bf16")
    ops.custom("nothing", inputs=[x], output_shape="B", flops=0, bytes=0, compute="bf16")
    (row,) = sr.analyze(alone, h100).ops()
    assert row.share == 0
    assert row.bound is sr.Bound.NO_WORK
    assert row.intensity is None
    assert str(row.time) == "0 s"
    ops.copy(x)
    rows = {row.kind: row.share for row in sr.analyze(alone, h100).ops(B=7)}
    assert rows == {"custom": 0, "copy": 1}


@pytest.mark.parametrize("pass_", [passes.fuse_elementwise, lambda g: g])
def test_b65_sums_over_nothing(pass_: Any, h100: sr.Chip) -> None:
    g = pass_(only_views())
    assert (g.flops.value, g.bytes.value, g.link_bytes.value) == (0, 0, 0)
    assert g.footprint(Role.WEIGHT).value == 0
    assert dict(g.flops_by_dtype) == {}
    assert sr.compile(sr.analyze(g, h100).time.per_op, ["B"])([1, 2]).tolist() == [0, 0]


ASKED = {
    "flops": lambda g, chip, value: g.flops.at(B=value),
    "bytes": lambda g, chip, value: g.bytes.at(B=value),
    "intensity": lambda g, chip, value: g.intensity.at(B=value),
    "roofline": lambda g, chip, value: sr.analyze(g, chip).at(B=value),
    "verdict": lambda g, chip, value: sr.analyze(g, chip).verdict(B=value, D=8, F=8),
    "utilisation": lambda g, chip, value: sr.analyze(g, chip).utilisation(B=value, D=8, F=8),
    "ops": lambda g, chip, value: sr.analyze(g, chip).ops(B=value, D=8, F=8),
    "crossover": lambda g, chip, value: sr.analyze(g, chip).crossover("D").at(B=value),
    "shape": lambda g, chip, value: g.input("y", (value, 4), "bf16"),
    "repeat": lambda g, chip, value: g.repeat("r", value, lambda x: -x, g.input("y", 4, "bf16")),
}


@pytest.mark.parametrize("value", [0, -1, "0", "D - D", "-D", float("inf"), float("nan")])
@pytest.mark.parametrize("asked", ASKED)
def test_b65_no_tokens_are_refused_by_one_clear_line(asked: str, value: Any, h100: sr.Chip) -> None:
    """Decided once: dims and counts are 1 or more, wherever they are given."""
    g = sr.Graph("matmul")
    g.input("x", ("B", "D"), "bf16") @ g.weight("w", ("D", "F"), "bf16")
    with pytest.raises(ValueError, match=r"positive|1 or more|at least 1|NaN") as error:
        ASKED[asked](g, h100, value)
    assert isinstance(error.value, sr.SymroofError)
    assert "\n" not in str(error.value)
