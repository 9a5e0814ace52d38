"""What is offered for each part of a line, asked for as a shell does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import symroof as sr
from symroof.cli.complete import OutputPath
from symroof.cli.main import cli
from symroof.cli.shells import answer
from symroof.graph import algorithms, kinds
from symroof.models.catalog import models
from symroof.units.dtype import dtypes


@pytest.fixture
def offers(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    def ask(line: str) -> list[str]:
        words = line.split(" ")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
        assert answer(cli, "symroof", "bash_complete") == 0
        out, err = capsys.readouterr()
        assert err == ""
        return [item for item in out.split("\n") if item and not item.startswith("dir,")]

    return ask


def values(items: list[str]) -> list[str]:
    return [item.partition(",")[2] for item in items]


def test_commands_and_options(offers) -> None:
    assert values(offers("symroof cross")) == ["crossover"]
    assert {"analyze", "chips", "completion", "crossover", "ops"} <= set(values(offers("symroof ")))
    assert values(offers("symroof crossover mlp --fo")) == ["--for", "--format"]
    assert values(offers("symroof crossover mlp --bound n")) == ["network"]
    assert "--chip" in values(offers("symroof crossover mlp "))
    assert values(offers("symroof completion z")) == ["zsh"]


def test_specs_are_algorithms_and_files(
    offers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("my own.toml", "mlp2.TOML", "mlp.txt", ".hidden.toml"):
        Path(name).touch()
    Path("deep").mkdir()
    Path("deep/er.toml").touch()
    named = [*algorithms(), *models()]
    assert values(offers("symroof analyze ")) == [*named, "mlp2.TOML", "my own.toml"]
    assert offers("symroof analyze ml") == ["plain,mlp", "plain,mlp-fused", "path,mlp2.TOML"]
    assert offers("symroof analyze deep/") == ["path,deep/er.toml"]
    assert offers("symroof analyze .h") == ["path,.hidden.toml"]
    assert offers("symroof analyze mn,nk->") == []


def test_chips_and_their_aliases(offers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert values(offers("symroof crossover mlp --chip h1")) == ["h100-pcie", "h100-sxm"]
    assert values(offers("symroof crossover mlp --chip H100-S")) == ["h100-sxm"]
    assert values(offers("symroof chips ")) == list(sr.chips())
    for alias in values(offers("symroof chips tpuv")):
        assert sr.chip(alias).vendor == "Google"
    assert values(offers("symroof chips iron")) == ["ironwood"]


def test_ops_and_dtypes(offers) -> None:
    assert values(offers("symroof explain ")) == [*kinds(), *sorted({*algorithms()} - {*kinds()})]
    assert values(offers("symroof explain softm")) == ["softmax"]
    assert values(offers("symroof analyze mlp --dtype ")) == list(dtypes())


RATES = ["bw", "peak", "link", "ridge"]


def test_symbols_of_the_spec(offers) -> None:
    assert values(offers("symroof crossover mlp --for ")) == ["B", "D", "F", *RATES]
    assert values(offers("symroof crossover --for B mlp --set ")) == [
        *("D=", "F="),
        *(f"{rate}=" for rate in RATES),
    ]
    assert values(offers("symroof crossover 'mn,nk->mk' --for ")) == ["m", "n", "k", *RATES]
    assert values(offers("symroof crossover --for ")) == RATES
    assert values(offers("symroof crossover no-such --for ")) == RATES
    assert values(offers("symroof crossover no-such.toml --for ")) == RATES


def test_symbols_of_a_model(offers) -> None:
    assert values(offers("symroof crossover llama-3-8b --for "))[:2] == ["B", "S"]
    assert values(offers("symroof analyze llama-3-8b --set B=8 --set S")) == ["S="]
    assert values(offers("symroof report llama-3-8b --set ")) == ["S=", "p=", "d=", "E="]


def test_bindings_take_the_values_of_the_spec(offers) -> None:
    assert offers("symroof analyze mlp --set B") == ["open,B="]
    assert offers("symroof analyze mlp --set b") == ["open,bw="]
    # bash takes B=64 for three words, and wants what comes after the sign.
    for line in (
        "--set B=",
        "--set B =",
        "--set B = 6",
        "--set B=6",
        "--set=B=6",
    ):
        assert offers(f"symroof analyze mlp {line}") == ["plain,64"], line
    assert offers("symroof analyze mlp --set B = 7") == []
    assert offers("symroof analyze mlp --set Q =") == []
    assert values(offers("symroof analyze mlp --set B = 64 --set ")) == [
        *("D=", "F="),
        *(f"{rate}=" for rate in RATES),
    ]
    assert values(offers("symroof analyze mlp --chip = h100-s")) == ["h100-sxm"]


def test_words_in_lines_are_those_of_bash(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def offered(*words: str) -> list[str]:
        monkeypatch.setenv("COMP_WORDS", "\n".join(words))
        monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
        assert answer(cli, "symroof", "bash_complete") == 0
        return values(capsys.readouterr().out.splitlines())

    assert offered("symroof", "analyze", "$(touch x)", "--dtype", "bf") == ["bf16"]
    assert offered("symroof", "analyze", "'my spec.toml'", "--dtype", "bf") == ["bf16"]
    assert offered("symroof", "analyze", "mlp", "--set", "B", "=", "6") == ["64"]
    assert "--dtype" in offered("symroof", "analyze", "mlp", "--set", "B", "=", "")
    assert "--dtype" in offered("symroof", "analyze", "mlp", "--set", "B", "=", "6", "")


def test_symbols_that_a_file_does_not_declare(
    offers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tensor = '[tensors.x]\nshape = ["B", "2*D"]\n[[ops]]\nop = "relu"\nname = "y"\ninputs = ["x"]\n'
    head = 'schema_version = 1\nname = "g"\ndtype = "bf16"\n'
    Path("plain.toml").write_text(head + tensor)
    Path("said.toml").write_text(f'{head}[symbols]\nB = "b"\nD = {{ default = 8 }}\n{tensor}')
    Path("broken.toml").write_text("[symbols\n")
    assert values(offers("symroof crossover plain.toml --for ")) == ["B", "D", *RATES]
    assert values(offers("symroof crossover said.toml --for ")) == ["B", "D", *RATES]
    assert values(offers("symroof analyze said.toml --set D =")) == ["8"]
    assert values(offers("symroof crossover broken.toml --for ")) == RATES
    Path("plain.toml").write_text(head + tensor + "#" * 300_000)
    assert values(offers("symroof crossover plain.toml --for ")) == RATES


def test_files_to_write_have_the_extensions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("old.md").touch()
    Path("old.toml").touch()
    kind = OutputPath(["html", "md"], stem="report")

    def offered(typed: str) -> list[str]:
        items = kind.shell_complete(None, None, typed)  # type: ignore[arg-type]
        return [item.value for item in items if item.type != "dir"]

    assert offered("") == ["report.html", "report.md", "old.md"]
    assert offered("o") == ["o.html", "o.md", "old.md"]
    assert offered("out.h") == ["out.html"]
    assert offered("out.html") == ["out.html"]
    assert offered("old") == ["old.html", "old.md"]
    assert offered("v1.2") == ["v1.2.html", "v1.2.md"]
    assert offered("a/b/c") == ["a/b/c.html", "a/b/c.md"]
    assert OutputPath(lambda: ["pdf"]).shell_complete(None, None, "x")[0].value == "x.pdf"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "line",
    [
        "symroof crossover 'mn,nk->mk --for ",
        'symroof crossover "',
        "symroof crossover \\",
        "symroof crossover $(touch pwned) --chip `id` --for ",
        "symroof crossover /dev/zero --for ",
        "symroof crossover \x01\x1b[31m --for ",
        "symroof crossover " + "a" * 100_000,
        "symroof crossover " + "../" * 5000,
        "symroof crossover ~nobody-here/",
        "symroof crossover \udcff --for ",
        "symroof crossover mlp --set " + "=" * 1000,
        "symroof -- -- --",
        "symroof crossover --no-such ",
        "symroof no-such ",
        "symroof crossover mlp --set B=" + "9" * 5000,
        "",
        " ",
    ],
)
def test_hostile_lines_are_quiet(offers, line: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    offers(line)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("line", "first"),
    [
        ("symroof crossover ml", "plain,mlp"),
        ("symroof crossover mlp --chip h100-s", "plain,h100-sxm"),
        ("symroof crossover mlp --chip tpuv5p", "plain,tpuv5p"),
        ("symroof cr", "plain,crossover"),
        ("symroof crossover mlp --for ", "plain,B"),
        ("symroof crossover mn,nk->mk --for ", "plain,m"),
    ],
)
def test_names_are_listed_without_the_library(line: str, first: str) -> None:
    program = (
        "import sys\n"
        "from symroof.cli.main import run\n"
        "assert run() == 0\n"
        "heavy = {'sympy', 'pint', 'networkx', 'rich', 'numpy'} & set(sys.modules)\n"
        "sys.exit(', '.join(heavy) or 0)\n"
    )
    environment = {
        **os.environ,
        "_SYMROOF_COMPLETE": "bash_complete",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(line.split(" ")) - 1),
    }
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == first


def test_unknown_wishes_are_refused_in_silence(capsys: pytest.CaptureFixture[str]) -> None:
    for wanted in ("", "bash", "tcsh_complete", "bash_eat", "_complete"):
        assert answer(cli, "symroof", wanted) == 1
    assert capsys.readouterr() == ("", "")


def test_a_shell_that_says_nothing_gets_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COMP_WORDS", raising=False)
    for count in ("", "x", "-5", "99999"):
        monkeypatch.setenv("COMP_CWORD", count)
        assert answer(cli, "symroof", "bash_complete") == 0
    assert capsys.readouterr().err == ""
