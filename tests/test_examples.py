"""Every script of examples/ runs, every spec loads, saves, and answers the command at its top."""

from __future__ import annotations

import re
import runpy
import shlex
from pathlib import Path

import pytest

import symroof as sr
from symroof.cli.main import run

from .graph.graph_facts import facts

ROOT = Path(__file__).parents[1]
SCRIPTS = sorted((ROOT / "examples").glob("*.py"))
SPECS = sorted((ROOT / "examples").glob("*.toml"))
SAYS = {
    "dot_product": ["1/2 FLOP/byte", "compute-bound never"],
    "matmul": ["N = K =   512: never", "N = K =  4096: from M = 345 on"],
    "gated_mlp": ["unfused: B ≥", "fused: gate_up: B ≥"],
    "attention": ["as S -> oo 4 FLOP/byte", "never"],
    "transformer_layer": ["compute-bound", "memory"],
    "llama_decode": [
        # In a trial, without the FLOPs of elementwise ops: about 11,600, about 1,500, and 985.
        "nothing fused                  context   256: B >= 11507",
        "elementwise ops ride along     context   256: B >= 2254",
        "four kernels beside attention  context   256: B >= 1454",
        "weights and cache only         context   256: B >= 984",
        "nothing fused                  context  8192: never",
        "weights and cache only         context  8192: never",
    ],
    "cpu_kernels": ["memory-bound, at most 110.9 GFLOP/s"],
    "tensor_parallel_mlp": ["network-bound n ≥"],
    "sharded_mlp": [
        "fully sharded forward: t_compute 4*B*D*F/(X*peak.bf16) s",
        "on X: 4*D*F*(X - 1)/(X*link.X) s",
        "hidden behind compute: B ≥ peak.bf16·(X − 1)/link.X",
        "48,000 tokens on 64 chips: X = 8, Y = 8",
    ],
}


@pytest.mark.parametrize("script", SCRIPTS, ids=[path.stem for path in SCRIPTS])
def test_a_script_runs_and_answers(script, capsys):
    runpy.run_path(str(script), run_name="__main__")
    printed = capsys.readouterr().out
    for line in SAYS[script.stem]:
        assert line in printed


@pytest.mark.parametrize("spec", SPECS, ids=[path.stem for path in SPECS])
def test_a_spec_loads_and_loads_back_equal(spec, tmp_path):
    graph = sr.load(spec)
    assert graph.name == spec.stem
    assert sr.chip(graph.about.chip)
    graph.save(tmp_path / "saved.toml")
    assert facts(sr.load(tmp_path / "saved.toml")) == facts(graph)


@pytest.mark.parametrize("spec", SPECS, ids=[path.stem for path in SPECS])
def test_the_command_at_the_top_of_a_spec_answers(spec, capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    command = re.match(r"# symroof ([^(\n]*)", spec.read_text("utf-8"))
    assert command
    arguments = shlex.split(command[1])
    assert arguments[1] == f"examples/{spec.name}"
    assert run(arguments) == 0
    assert "-bound" in capsys.readouterr().out


def test_the_spec_file_in_the_docs_loads(tmp_path):
    text = (ROOT / "docs" / "specs.md").read_text("utf-8")
    block = re.search(r"```toml\n(.*?)```", text, re.DOTALL)
    assert block
    path = tmp_path / "docs.toml"
    path.write_text(block[1], "utf-8")
    assert [op.name for op in sr.load(path).ops] == ["hidden", "act", "y"]
