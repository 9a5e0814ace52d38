"""``symroof serve`` and ``symroof model`` at the prompt."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from symroof.cli.main import run

ONE = ["serve", "llama-3-8b", "--chip", "h100-sxm", "--context", "1024"]


def test_card(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(ONE) == 0
    out = capsys.readouterr().out
    assert "at most 476 sequences" in out
    assert "never" in out
    assert "beyond a context of 393" in out
    assert "14.7 ms" in out


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*ONE, "--format", "json", "--batch", "1,256"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["schema_version"] == 1
    assert found["fits"] is True
    assert found["params"] == found["active_params"] == 8030261248
    assert found["kv_bytes_per_token"]["value"] == 131072
    assert [each["bound"] for each in found["batches"]] == ["memory", "memory"]
    assert found["context_limit"]["value"] == pytest.approx(393.2, abs=0.1)
    assert found["max_batch"] == 476
    assert found["assumptions"]


def test_a_model_that_does_not_fit_is_an_answer(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["serve", "llama-2-70b", "--chip", "h100-sxm", "--context", "1024"]) == 3
    out = capsys.readouterr().out
    assert "it takes 2 chips" in out
    assert "nan" not in out.lower()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["serve", "lama-3-8b", "--chip", "h100-sxm"], "did you mean 'llama-3-8b'"),
        (["serve", "llama-3-8b"], "--chip"),
        ([*ONE, "--count", "0"], "--count"),
        ([*ONE, "--tp", "7"], "tp"),
        ([*ONE, "--tp", "64"], "64"),
        ([*ONE, "--prefill", "5"], "context"),
        ([*ONE, "--batch", "1,x"], "--batch"),
        ([*ONE, "--tpot", "50"], "tpot"),
        (["serve", "llama-3-8b", "--chip", "h100-sxm", "--context", "-5"], "context"),
        (["serve", "llama-3-8b", "--chip", "h100-sxm", "--prefill", "5"], "decode"),
        (["report", "llama-3-8b", "--chip", "h100-sxm"], "--set S=1024"),
        (["model", "no-such-model-at-all"], "unknown model"),
    ],
)
def test_bad_input_is_one_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert run(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 1
    assert said in captured.err


@pytest.mark.parametrize(
    ("text", "said"),
    [("[]", "list"), ("{", ""), ('{"model_type": "llama"}', ""), ('{"model_type": "x"}', "x")],
)
def test_bad_configs_are_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, said: str
) -> None:
    path = tmp_path / "config.json"
    path.write_text(text)
    assert run(["model", str(path)]) == 2
    err = capsys.readouterr().err
    assert len(err.splitlines()) == 1
    assert said in err


def test_models_are_algorithms_too(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["crossover", "llama-2-70b", "--for", "B", "--chip", "a100-sxm-80gb", "--set", "S=1024"]
    assert run(line) == 0
    assert "from B = 237 on" in capsys.readouterr().out


def test_model_lists_and_shows(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["model"]) == 0
    assert "deepseek-v3" in capsys.readouterr().out
    assert run(["model", "llama-3-8b"]) == 0
    assert "8,030,261,248" in capsys.readouterr().out
    assert run(["model", "llama-3-8b", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["model"]["params"] == 8030261248
