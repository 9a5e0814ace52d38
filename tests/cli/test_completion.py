"""The scripts in the shells themselves, as far as these are here."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from symroof.cli.main import run

MAIN = "from symroof.cli.main import main; main()"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Return an environment in which this interpreter's symroof is the one that is found."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "symroof"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{MAIN}" "$@"\n')
    program.chmod(0o755)
    (tmp_path / "home").mkdir()
    return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "HOME": f"{tmp_path}/home"}


def shell(name: str, program: str, environment: dict[str, str], folder: Path) -> str:
    if shutil.which(name) is None:
        pytest.skip(f"no {name} here")
    flags = {"bash": ["--norc"], "zsh": ["-f"], "fish": ["--no-config"]}[name]
    done = subprocess.run(
        [name, *flags, "-c", program],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_scripts_are_alone_on_standard_output(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(["completion", name]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert f"_SYMROOF_COMPLETE={name}_complete" in out
    assert "%(" not in out
    monkeypatch.setenv("_SYMROOF_COMPLETE", f"{name}_source")
    assert run() == 0
    assert capsys.readouterr().out.strip() == out.strip()


def test_help_says_how() -> None:
    done = subprocess.run(
        [sys.executable, "-c", MAIN, "completion", "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert 'eval "$(symroof completion bash)"' in done.stdout
    assert "symroof completion fish > " in done.stdout


def test_other_shells_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["completion", "tcsh"]) == 2
    assert "bash" in capsys.readouterr().err


def test_bash(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "my own.toml").touch()
    program = r"""
        eval "$(symroof completion bash)"
        complete -p symroof
        try() {
            COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
            _symroof_completion symroof "${COMP_WORDS[COMP_CWORD]}" ""
            IFS='|'; echo "${COMPREPLY[*]}"; unset IFS
        }
        try symroof cross
        try symroof crossover mlp --for ''
        try symroof crossover mlp --set B =
        try symroof crossover '"mn,nk->mk"' --chip h100-
        try symroof analyze my
        try symroof analyze '$(touch hacked)' --dtype bf
        try symroof analyze '"'
    """
    lines = shell("bash", program, environment, tmp_path).splitlines()
    assert lines == [
        "complete -o nosort -F _symroof_completion symroof",
        "crossover",
        "B|D|F|bw|peak|link|ridge",
        "64",
        "h100-pcie|h100-sxm",
        "my own.toml",
        "bf16",
        lines[-1],
    ]
    assert not (tmp_path / "hacked").exists()


def test_fish(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "my own.toml").touch()
    program = """
        symroof completion fish | source
        for line in 'symroof cross' 'symroof crossover mlp --set B=' 'symroof analyze my' \
                'symroof crossover mlp --chip=h100-s'
            complete -C $line
        end
    """
    assert shell("fish", program, environment, tmp_path).splitlines() == [
        "crossover\tFrom which value of a symbol on is SPEC compute-bound?",
        "B=64\tby default",
        "my own.toml",
        "--chip=h100-sxm\tNVIDIA H100 SXM5 80 GB",
    ]


def test_zsh(environment: dict[str, str], tmp_path: Path) -> None:
    program = r"""
        compdef() { : }
        compadd() { while [[ $1 == -* ]]; do [[ $1 == -[SV] ]] && shift; shift; done
                    print -r -- ${(j:|:)${(P)1}} }
        _describe() { print -r -- ${(j:|:)${(P)3}} }
        _path_files() { : }
        eval "$(symroof completion zsh)"
        try() { words=("$@"); CURRENT=$#; _symroof_completion }
        try symroof crossover mlp --set B
        try symroof crossover mlp --set B=
        try symroof crossover 'mn,nk->mk' --bound n
        try symroof crossover mlp --chip=h100-s
    """
    assert shell("zsh", program, environment, tmp_path).splitlines() == [
        "B=",
        "B=64:by default",
        "network",
        "--chip=h100-sxm:NVIDIA H100 SXM5 80 GB",
    ]
