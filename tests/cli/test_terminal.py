"""Output as it is read: in every width, in colour and without, in pipes that close."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable

import pytest

from symroof.cli.main import run
from symroof.cli.text import Grid
from symroof.cli.wrapping import columns

Run = Callable[..., tuple[int, str, str]]

MAIN = "from symroof.cli import main, progress; progress.DELAY = 1000; main.main()"
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
COLOUR = re.compile(r"\x1b\[[0-9;]*3[0-9]m")
SENTENCES = [
    "crossover mlp --for B --chip h100-sxm",
    "crossover moe --for B --chip h100-sxm --explain",
    "crossover tensor-parallel-mlp --for B --chip h100-sxm",
    "crossover transformer-decode --for B --chip mi300x",
    "crossover mn,nk->mk --for m --chip h100-sxm --set n=512 --set k=512 --explain",
]
TABLES = [
    "analyze transformer-layer --chip h100-sxm --explain",
    "analyze tensor-parallel-mlp --chip h100-sxm",
    "analyze mn,nk->mk --chip h100-sxm",
    "chips",
    "chips h100-sxm",
    "ops",
    "explain mlp",
    "explain softmax",
]


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("command", SENTENCES + TABLES)
def test_lines_fit(
    command: str, width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    assert run(shlex.split(command)) == 0
    lines = capsys.readouterr().out.splitlines()
    code = (">>> ", "... ")
    assert [line for line in lines if columns(line) > width and not line.startswith(code)] == []
    assert [line for line in lines if line != line.rstrip()] == []
    assert not any(ESCAPE.search(line) for line in lines)


@pytest.mark.parametrize("width", [50, 60, 80])
@pytest.mark.parametrize("command", SENTENCES)
def test_names_and_numbers_are_whole(
    command: str, width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for size in (100, width):
        monkeypatch.setenv("COLUMNS", str(size))
        run(shlex.split(command))
        found.append(capsys.readouterr().out)
    assert re.findall(r"[\w.]+", found[1]) == re.findall(r"[\w.]+", found[0])
    for line in found[1].splitlines():  # a formula goes on with its operator
        assert not line.rstrip().endswith((" +", " −", " =", " ≥", " ≤", " /", " →", "·"))


@pytest.mark.parametrize("command", [SENTENCES[0], TABLES[0], "chips"])
def test_colour_on_terminals_only(on_terminal: Run, command: str) -> None:
    words = shlex.split(command)
    _, _, coloured = on_terminal(MAIN, *words, both=True)
    assert COLOUR.search(coloured)
    plain = ESCAPE.sub("", coloured)
    for variables in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        _, _, shown = on_terminal(MAIN, *words, both=True, **variables)
        assert not COLOUR.search(shown)
        assert [line.rstrip() for line in ESCAPE.sub("", shown).splitlines()] == [
            line.rstrip() for line in plain.splitlines()
        ]
    _, piped, err = on_terminal(MAIN, *words)
    assert "\x1b" not in piped + err
    assert piped.splitlines() == [line.rstrip() for line in plain.splitlines()]


@pytest.mark.parametrize(
    "command",
    ["", "--help", "ops", "chips h100-sxm", "completion zsh", "crossover mlp --for B --chip h100"],
)
@pytest.mark.parametrize("after", ["| head -1", "| true", ">&-"])
def test_a_reader_that_leaves_hears_nothing(command: str, after: str) -> None:
    if shutil.which("sh") is None:
        pytest.skip("no sh here")
    line = f"{shlex.quote(sys.executable)} -c {shlex.quote(MAIN)} {command} {after}"
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.count("\n") <= 1


def test_a_full_disk_is_one_line() -> None:
    for command in ("", "ops", "crossover mlp --for B --chip h100-sxm --format json"):
        line = f"{shlex.quote(sys.executable)} -c {shlex.quote(MAIN)} {command} > /dev/full"
        done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert done.stderr == "symroof: cannot write: No space left on device\n"


def test_a_narrow_encoding_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    words = shlex.split(SENTENCES[0])
    done = subprocess.run([sys.executable, "-c", MAIN, *words], capture_output=True, check=False)
    assert done.returncode == 0
    assert rb"B \u2265 3\xb7D\xb7F\xb7I" in done.stdout


def test_columns_are_left_out_before_anything_is_folded() -> None:
    grid = Grid(["op", "time", "note"], [["matmul", "3 µs", "x" * 20]], optional=(2, 1))
    assert grid.columns(34) == [0, 1, 2]
    assert grid.columns(33) == [0, 1]
    assert grid.columns(11) == [0]


def test_titles_of_files_cannot_write_on_the_screen(
    capsys: pytest.CaptureFixture[str], tmp_path
) -> None:
    path = tmp_path / "g.toml"
    path.write_text(
        'schema_version = 1\nname = "g"\ntitle = "a\\u001b[2J\\u202eb"\ndtype = "bf16"\n'
        '[tensors.x]\nshape = ["B"]\n[[ops]]\nop = "relu"\nname = "y"\ninputs = ["x"]\n'
    )
    run(["analyze", str(path), "--chip", "h100-sxm"])
    out, err = capsys.readouterr()
    assert "\x1b" not in out + err
    assert "\u202e" not in out + err
