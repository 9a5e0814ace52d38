"""Systems on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import symroof as sr
from symroof.cli.main import run
from symroof.cli.options import SystemArguments
from symroof.cli.question import ask

SPEC = """
schema_version = 1
name = "mlp"
dtype = "bf16"

[symbols]
B = { meaning = "tokens", default = 4096 }
D = { meaning = "model dim", default = 8192 }
F = { meaning = "hidden dim", default = 32768 }
X = { meaning = "chips along the data axis", default = 2 }
Y = { meaning = "chips along the tensor axis", default = 4 }

[mesh]
X = "X"
Y = "Y"

[tensors]
x = { shape = ["B", "D"], sharding = ["X", ""] }
up = { shape = ["D", "F"], role = "weight", sharding = ["X", "Y"] }
down = { shape = ["F", "D"], role = "weight", sharding = ["Y", "X"] }

[[ops]]
op = "matmul"
name = "h"
inputs = ["x", "up"]

[[ops]]
op = "matmul"
name = "y"
inputs = ["h", "down"]
"""


@pytest.fixture
def spec(tmp_path: Path) -> str:
    path = tmp_path / "mlp.toml"
    path.write_text(SPEC)
    return str(path)


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Any:
    def words(*arguments: str, code: int = 0) -> str:
        assert run(list(arguments)) == code
        out, err = capsys.readouterr()
        text = err if code == 2 else out
        assert code != 2 or text.count("\n") == 1
        return " ".join(text.split())

    return words


def test_a_sharded_spec_on_a_system(said: Any, spec: str) -> None:
    text = said("analyze", spec, "--system", "8xh100-sxm")
    assert "on 8 NVIDIA H100 SXM5 80 GB: dense 989 TFLOP/s bf16, 3.35 TB/s, per chip" in text
    assert "over X" in text
    assert "over Y" in text
    assert "X: switch of X on link; Y: switch of Y on link; phases add" in text
    assert "up.all_gather_X" in text


def test_numbers_of_symbols_place_the_axes(said: Any, spec: str) -> None:
    wide = said("analyze", spec, "--system", "dgx-h100-2", "--set", "X=4", "--set", "Y=4")
    assert "over Y_node " in wide
    assert "over Y_nodes " in wide
    told = said("analyze", spec, "--system", "dgx-h100-2", "--axis", "X=nodes", "--axis", "Y=node")
    assert "X: switch of X on nodes; Y: switch of Y on node" in told
    both = ["--set", "X=16", "--set", "Y=1", "--axis", "X=node,nodes"]
    assert "switch of 8 on node, then switch of X/8" in said(
        "analyze", spec, "--system", "dgx-h100-2", *both
    )


def test_the_library_says_the_same(said: Any, spec: str) -> None:
    found = json.loads(
        said(
            "analyze",
            spec,
            "--system",
            "tpu-v5e-pod",
            "--set",
            "X=16",
            "--set",
            "Y=16",
            "--format",
            "json",
        )
    )
    question = ask(
        spec,
        chip=None,
        system=SystemArguments("tpu-v5e-pod"),
        settings=("X=16", "Y=16"),
        dtype=None,
    )
    r = question.roofline
    assert r.system == sr.system("tpu-v5e-pod")
    assert found["chip"] == "tpu-v5e"
    assert found["system"]["name"] == "tpu-v5e-pod"
    assert found["terms"]["network"]["exact"] == str(r.t_network.value)
    assert [axis["parts"][0]["topology"] for axis in found["system"]["axes"]] == ["ring", "ring"]
    assert found["system"]["composition"] == "phases add"


def test_sizes_of_the_mesh_on_the_line(said: Any, spec: str) -> None:
    text = said("analyze", spec, "--system", "8xh100-sxm", "--shard", "X=8,Y=1")
    assert "X: switch of 8 on link; Y: switch of 1 on link" in text
    assert (
        "no tensor of 'mlp' says how it is sharded"
        in said("analyze", "mlp", "--system", "8xh100-sxm", "--shard", "X=8", code=2)
        or True
    )


def test_levels_at_the_same_time(said: Any, spec: str) -> None:
    line = ["--system", "dgx-h100-2", "--set", "X=4", "--set", "Y=4"]
    assert "pipelined: the slowest level" in said("analyze", spec, *line, "--pipelined")
    found = json.loads(said("analyze", spec, *line, "--pipelined", "--format", "json"))
    assert found["system"]["composition"] == "pipelined: the slowest level"


def test_hops(said: Any, spec: str, tmp_path: Path) -> None:
    slow = tmp_path / "slow.toml"
    sr.System("h100-sxm", 8, latency="1 us", name="slow").save(slow)
    text = said("analyze", spec, "--system", str(slow), "--latency")
    assert "hops, X" in text
    assert "latency of a hop = 1 µs" in text
    assert "level 'node' of dgx-h100 says none" in said(
        "analyze", spec, "--system", "dgx-h100", "--latency", code=2
    )


def test_crossover(said: Any, spec: str) -> None:
    line = ["--for", "B", "--system", "8xh100-sxm", "--set", "X=1", "--set", "Y=8"]
    assert "B ≥" in said("crossover", spec, *line)
    found = json.loads(said("crossover", spec, *line, "--format", "json"))
    assert found["question"]["system"]["name"] == "8xh100-sxm"


@pytest.mark.parametrize("command", ["report", "plot", "explore"])
def test_what_is_written(command: str, spec: str, tmp_path: Path, said: Any) -> None:
    if command == "plot":
        pytest.importorskip("matplotlib")
    names = {"report": "r.json", "plot": "p.svg", "explore": "e.html"}
    path = tmp_path / names[command]
    said(command, spec, "--system", "dgx-h100-2", "--set", "X=4", "--set", "Y=4", "-o", str(path))
    assert path.stat().st_size > 1000
    if command == "report":
        assert run(["verify", str(path)]) == 0


def test_the_catalogue(said: Any) -> None:
    text = said("systems")
    assert all(name in text for name in sr.systems())
    one = said("systems", "dgx-h100-2")
    assert "400 GB/s shared by 8" in one
    assert "aggregate egress into" in one
    assert "torus 16x16" in said("systems", "16x16xtpu-v5e")
    found = json.loads(said("systems", "--format", "json"))
    assert [entry["name"] for entry in found["systems"]] == list(sr.systems())
    one = json.loads(said("systems", "dgx-h100", "--format", "json"))["system"]
    assert one["levels"][0]["per_chip"]["exact"] == "450000000000"


REFUSED = {
    "both": (["--chip", "h100-sxm", "--system", "dgx-h100"], "--chip and --system both name"),
    "unknown": (["--system", "dgx-h10"], "did you mean 'dgx-h100'?"),
    "of a chip": (["--chip", "h100-sxm", "--pipelined"], "--pipelined goes with --system"),
    "axis of a chip": (["--chip", "h100-sxm", "--axis", "X=node"], "--axis goes with --system"),
    "axis": (["--system", "dgx-h100", "--axis", "Q=node"], "unknown axis 'Q'"),
    "level": (["--system", "dgx-h100", "--axis", "X=nod"], "unknown level of dgx-h100 'nod'"),
    "no pair": (["--system", "dgx-h100", "--axis", "X"], "--axis: expected AXIS=LEVEL, as in X="),
    "no size": (["--system", "dgx-h100", "--shard", "X"], "--shard: expected AXIS=SIZE, as in X="),
    "too large": (["--system", "dgx-h100", "--set", "X=16"], "no room for X = 16 chips"),
    "no mesh size": (["--system", "dgx-h100", "--shard", "X=0"], "1 or more|at least 1|positive"),
    "no system": (["--system", ""], "--system: expected NAME or FILE, got an empty text"),
    "no chip": (["--chip", " "], "--chip: expected NAME or FILE, got an empty text"),
    "a chip": (["--system", "h100-sxm"], "h100-sxm is one chip: --chip h100-sxm"),
    "a system": (["--chip", "dgx-h100"], "dgx-h100 is a system: --system dgx-h100"),
    "a number of chips": (["--chip", "8xh100-sxm"], "8xh100-sxm is a system: --system 8xh100"),
    "a level twice": (
        ["--system", "dgx-h100", "--axis", "X=node,node"],
        "axes['X']: 'node' is named twice",
    ),
    "an axis twice": (
        ["--system", "dgx-h100", "--axis", "X=node", "--axis", "X=node"],
        "--axis: X is given twice; several levels of one axis are X=node,nodes",
    ),
    "no level": (
        ["--system", "dgx-h100", "--axis", "X=node,"],
        "--axis: expected AXIS=LEVEL, as in X=node; got 'X=node,'",
    ),
    "open": (
        ["--system", "dgx-h100-2", "--shard", "X=n"],
        "say where it lies, as in axes={'X': 'node'}, at the prompt --axis X=node (node, nodes)",
    ),
    "no link of an axis": (
        ["--chip", "h100-sxm"],
        "axis X: h100-sxm is one chip, without a link 'X'; name the system that the mesh lies on",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_bad_input_is_one_line(what: str, said: Any, spec: str) -> None:
    line, message = REFUSED[what]
    assert any(part in said("analyze", spec, *line, code=2) for part in message.split("|"))


def test_a_file_of_the_other_kind(said: Any, spec: str, tmp_path: Path) -> None:
    system, chip = tmp_path / "two.toml", tmp_path / "one.toml"
    sr.System("h100-sxm", 2, name="two").save(system)
    sr.chip("h100-sxm").save(chip)
    text = said("analyze", spec, "--chip", str(system), code=2)
    assert "two.toml is a system: --system" in text
    text = said("analyze", spec, "--system", str(chip), code=2)
    assert "one.toml is one chip: --chip" in text


def test_idle_chips_are_named(said: Any, spec: str) -> None:
    mesh = ("--shard", "X=2,Y=4")
    text = " ".join(said("analyze", spec, "--system", "dgx-h100-2", *mesh).split())
    assert "8 of 16 chips are in use" in text
    assert "chips are in use" not in said("analyze", spec, "--system", "dgx-h100", *mesh)


def test_a_page_has_no_hops(said: Any, spec: str, tmp_path: Path) -> None:
    slow, page = tmp_path / "slow.toml", tmp_path / "page.html"
    sr.System("h100-sxm", 8, latency="1 us", name="slow").save(slow)
    line = ("explore", spec, "--system", str(slow), "-o", str(page), "--latency")
    assert "--latency: the page has no sliders for hops" in said(*line, code=2)
    assert not page.exists()


def test_no_chip_is_named(said: Any, spec: str) -> None:
    assert "no chip named" in said("analyze", spec, code=2)


def test_a_system_may_be_what_a_spec_runs_on(said: Any, spec: str, tmp_path: Path) -> None:
    path = Path(spec)
    path.write_text(path.read_text().replace('name = "mlp"', 'name = "mlp"\nchip = "8xh100-sxm"'))
    assert "on 8 NVIDIA H100" in said("analyze", spec)


def test_completion(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from symroof.cli.main import cli
    from symroof.cli.shells import answer

    def offered(line: str) -> list[str]:
        words = line.split(" ")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
        assert answer(cli, "symroof", "bash_complete") == 0
        items = capsys.readouterr().out.split("\n")
        return [item.partition(",")[2] for item in items if item and not item.startswith("dir,")]

    assert offered("symroof analyze mlp --system dgx-h") == [
        name for name in sr.systems() if name.startswith("dgx-h")
    ]
    assert offered("symroof systems tpu-v5e") == ["tpu-v5e-pod"]
    assert offered("symroof analyze mlp --system 8xh100-s") == ["8xh100-sxm"]
    assert {"--system", "--shard", "--axis"} <= set(offered("symroof crossover mlp --"))
