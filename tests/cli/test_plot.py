"""``symroof plot``: files, exit codes, and one line for bad input."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from symroof.cli.main import run

MLP = ["plot", "mlp", "--chip", "h100-sxm"]


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--kind", "intensity", "--over", "B"],
        ["--kind", "times", "--over", "bw"],
        ["--kind", "regimes", "--over", "B", "--and", "F"],
        ["--kind", "breakdown", "--set", "B=128"],
    ],
)
def test_a_file_is_written_and_named_on_stderr(
    options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    assert run([*MLP, *options, "-o", str(tmp_path / "plot.png")]) == 0
    assert (tmp_path / "plot.png").read_bytes()[:4] == b"\x89PNG"
    assert capsys.readouterr() == ("", f"wrote {tmp_path / 'plot.png'}\n")


@pytest.mark.parametrize(
    ("options", "name", "words"),
    [
        ([], "none/plot.png", ["none/plot.png", "cannot be written"]),
        ([], "plot.pgn", ["'pgn'", "did you mean 'png'"]),
        ([], "plot", ["no extension", "png, svg, pdf"]),
        (["--kind", "times"], "plot.png", ["times", "--over NAME", "one of B, D, F, peak, bw"]),
        (["--kind", "regimes", "--over", "B"], "plot.png", ["regimes", "--and NAME", "one of B"]),
        (["--kind", "times", "--over", "Q"], "plot.png", ["unknown symbol 'Q'", "B, D, F"]),
        (["--kind", "times", "--over", "B", "--and", "F"], "plot.png", ["--and F"]),
        (["--over", "B"], "plot.png", ["roofline", "--over"]),
        (["--kind", "regimes", "--over", "B", "--and", "B"], "plot.png", ["B is named twice"]),
        (["--kind", "pie"], "plot.png", ["pie", "roofline"]),
        (["--set", "B=0"], "plot.png", ["B=0", "positive"]),
    ],
)
def test_bad_input_is_one_line_and_no_file(
    options: list[str],
    name: str,
    words: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("matplotlib")
    assert run([*MLP, *options, "-o", str(tmp_path / name)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    for word in words:
        assert word in err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "options",
    [
        ["--kind", "times", "--set", "n=4096", "--set", "k=4096"],
        ["--kind", "intensity", "--set", "n=4096", "--set", "k=4096"],
        ["--kind", "regimes", "--set", "k=4096"],
        ["--kind", "regimes", "--over", "n", "--set", "k=4096"],
    ],
)
def test_the_only_free_symbols_are_those_it_is_drawn_over(
    options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    spec = ["plot", "mn,nk->mk", "--chip", "h100-sxm", *options]
    assert run([*spec, "-o", str(tmp_path / "plot.svg")]) == 0
    assert capsys.readouterr().err.startswith("wrote ")


def test_symbols_without_numbers_are_named_as_one_sets_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    spec = ["plot", "mn,nk->mk", "--chip", "h100-sxm", "--kind", "intensity", "--over", "m"]
    assert run([*spec, "-o", str(tmp_path / "plot.png")]) == 2
    assert capsys.readouterr().err == (
        "symroof: intensity needs numbers for k, n: --set k=... --set n=...\n"
    )
    assert not list(tmp_path.iterdir())


def test_without_matplotlib(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert run([*MLP, "-o", str(tmp_path / "plot.png")]) == 2
    assert capsys.readouterr().err == (
        "symroof: plots need matplotlib: pip install 'symroof[plots]'\n"
    )
    assert not list(tmp_path.iterdir())


def test_an_output_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(MLP) == 2
    assert "-o" in capsys.readouterr().err
