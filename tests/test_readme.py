"""The README shows what the commands print, and its library example runs."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from shutil import copy

import pytest

import symroof as sr
from symroof.cli.main import run

README = Path(__file__).parent.parent / "README.md"
TEXT = README.read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, flags=re.MULTILINE | re.DOTALL)


def test_the_demo_prints_what_is_shown(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    plain = blocks("")
    command = next(block for block in plain if block.startswith("symroof crossover"))
    assert run(shlex.split(command)[1:]) == 0
    printed = "\n".join(line.rstrip() for line in capsys.readouterr().out.splitlines())
    assert printed.strip() in [block.strip() for block in plain]


def test_the_library_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    example = blocks("python")[0]
    exec(compile(example, "README.md", "exec"), names)
    roofline, answer = names["r"], names["x"]
    assert isinstance(roofline, sr.Roofline)
    assert isinstance(answer, sr.Crossover)
    assert roofline.verdict(B=64) is sr.Bound.MEMORY
    assert answer.at(D=4096, F=16384).verify()[1] == 0


def test_every_command_line_is_understood(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    copy(README.parent / "examples" / "gemm.csv", tmp_path)
    commands = [
        line.split("  ")[0]
        for block in blocks("")
        for line in block.splitlines()
        if line.startswith("symroof ") and "layer.toml" not in line
    ]
    assert len(commands) >= 6
    for command in commands:
        assert run(shlex.split(command.split("#")[0].split(";")[0])[1:]) == 0, command
    capsys.readouterr()


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", TEXT):
        assert (README.parent / target).exists(), target
