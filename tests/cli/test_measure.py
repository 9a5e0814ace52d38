"""``symroof measure`` and ``symroof validate``, shortly and for real; structure, not speeds."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from symroof.cli.main import run
from symroof.hardware import Chip

Captured = pytest.CaptureFixture[str]

pytest.importorskip("threadpoolctl")


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a quick measurement."""
    path = tmp_path_factory.mktemp("measured") / "machine.toml"
    arguments = ["measure", "--quick", "--device", "cpu", "--name", "here", "-o", str(path)]
    assert run([*arguments, "--format", "json"]) == 0
    return path


def test_the_chip_that_is_written(machine: Path) -> None:
    chip = Chip.load(machine)
    assert chip.name == "here"
    assert {peak.dtype for peak in chip.peaks} >= {"fp64", "fp32"}
    assert all(peak.rate.source == "measured" for peak in chip.peaks)
    bandwidths = [chip.bandwidth(level.name).to("byte/s") for level in chip.hierarchy]
    assert bandwidths == sorted(bandwidths, reverse=True)
    assert all(rate > 0 for rate in bandwidths)
    assert chip.hierarchy[-1].name == chip.main == "dram"
    assert chip.launch is not None
    assert 0 < chip.launch.value.to("s") < 1e-3
    assert 1 <= (chip.compute_units or 0) <= (os.cpu_count() or 1)
    assert [path.name for path in machine.parent.iterdir()] == ["machine.toml"]


def test_validate_on_it(machine: Path, capsys: Captured) -> None:
    assert run(["validate", "--quick", "--chip", str(machine), "--format", "json"]) == 0
    captured = capsys.readouterr()
    document = json.loads(captured.out)
    assert captured.err == ""
    assert 0 <= document["fraction"] <= 1
    kernels = {row["kernel"] for row in document["rows"]}
    assert kernels == {"dot", "axpy", "gemv", "gemm", "softmax", "fft"}
    for row in document["rows"]:
        assert row["bound"]["value"] > 0
        assert row["measured"]["value"] > 0
        assert row["holds"] == (row["bound"]["value"] <= row["measured"]["value"])
        assert row["holds"] == (row["reason"] is None)


def test_validate_as_text(machine: Path, capsys: Captured) -> None:
    assert run(["validate", "--quick", "--chip", str(machine)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("here: bound ≤ measured for ")
    for word in ("softmax", "set by", "reached", "partial residency"):
        assert word in out


def test_measure_as_text(capsys: Captured) -> None:
    assert run(["measure", "--quick", "--device", "cpu", "--rounds", "1", "--threads", "1"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    for word in ("peak.fp64", "bw.dram", "launch", "working set", "update", "compulsory"):
        assert word in captured.out
    assert "one thread" not in captured.out


def test_json_is_alone_on_standard_output(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "m.toml"
    arguments = ["measure", "--quick", "--device", "cpu", "--rounds", "1", "--out", str(path)]
    assert run([*arguments, "--format", "json"]) == 0
    captured = capsys.readouterr()
    document = json.loads(captured.out)
    assert captured.err == f"wrote {path}\n"
    assert document["schema_version"] == 1
    assert all(roof["best"]["value"] > 0 and roof["best"]["unit"] for roof in document["roofs"])
    assert all(0 <= roof["spread"] < 1 for roof in document["roofs"])
    assert {row["threads"] for row in document["rows"]} >= {1}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["measure", "--rounds", "0"], "rounds"),
        (["measure", "--threads", "0"], "threads"),
        (["measure", "--device", "tpu"], "--device"),
        (["measure", "-o", "no/such/folder/m.toml"], "no such folder"),
        (["validate"], "--chip: say which chip this machine is"),
        (["validate", "--chip", "h100-sxn"], "did you mean 'h100-sxm'"),
        (["validate", "--chip", "no-such.toml"], "no-such.toml"),
        (["validate", "--chip", "tpu-v5e"], "expected a peak in one of fp64, fp32"),
    ],
)
def test_bad_input_is_one_line(capsys: Captured, arguments: list[str], said: str) -> None:
    assert run(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 1
    assert said in captured.err


def test_a_missing_library_is_one_line(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> object:
        raise ImportError(name)

    monkeypatch.setattr("symroof.extras.import_module", missing)
    assert run(["measure", "--device", "cpu"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "symroof: numpy is not installed; pip install 'symroof[measure]'\n"
