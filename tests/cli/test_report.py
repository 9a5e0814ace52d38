"""``symroof report`` and ``symroof verify``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from symroof.cli.main import run
from symroof.errors import SymroofError
from symroof.reports import chromium

MATMUL = ["report", "mn,nk->mk", "--chip", "h100-sxm", "--for", "m"]
NUMBERS = ["--set", "n=4096", "--set", "k=4096"]


def test_text_goes_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*MATMUL, *NUMBERS]) == 0
    out, err = capsys.readouterr()
    assert "so from m = 345 on" in out
    assert err == ""


@pytest.mark.parametrize("extension", ["txt", "md", "tex", "html", "json", "htm"])
def test_the_extension_says_the_format(
    extension: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / f"report.{extension}"
    assert run([*MATMUL, *NUMBERS, "-o", str(target)]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert err == f"wrote {target}\n"
    assert "344.949" in target.read_text(encoding="utf-8")


def test_defaults_are_named_as_such(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["report", "mlp", "--chip", "h100-sxm", "--set", "B=8"]) == 0
    out = capsys.readouterr().out
    assert "model dim (by default)" in out
    assert "tokens in the batch (by default)" not in out


def test_what_does_not_fit_is_answered_with_exit_code_3(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["report", "mlp", "--chip", "h100-sxm", "--set", "B=10**8"]) == 3
    assert "It does not fit" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["-o", "report.htlm"], "unknown format 'htlm'; did you mean"),
        (["-o", "report"], "the extension says the format"),
        (["-o", "no/such/folder/report.md"], "cannot be written: No such file or directory"),
        (["--format", "docx"], "unknown format 'docx'"),
        (["--for", "z"], "unknown symbol 'z'"),
    ],
)
def test_bad_input_is_one_line(
    arguments: list[str],
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run([*MATMUL, *NUMBERS, *arguments]) == 2
    out, err = capsys.readouterr()
    assert says in err
    assert err.count("\n") == 1
    assert out == ""
    assert list(tmp_path.iterdir()) == []


def test_without_chromium_there_is_no_pdf(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CHROMIUM", str(tmp_path / "none"))
    assert run([*MATMUL, *NUMBERS, "-o", str(tmp_path / "report.pdf")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_pdf(tmp_path: Path) -> None:
    try:
        chromium.find()
    except SymroofError as error:
        pytest.skip(str(error))
    target = tmp_path / "report.pdf"
    assert run([*MATMUL, *NUMBERS, "-o", str(target)]) == 0
    assert target.read_bytes().startswith(b"%PDF-")


@pytest.mark.parametrize("extension", ["json", "md", "txt"])
def test_verify_recomputes_what_was_written(
    extension: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / f"report.{extension}"
    run([*MATMUL, *NUMBERS, "-o", str(target)])
    capsys.readouterr()
    assert run(["verify", str(target)]) == 0
    assert "numbers recomputed, all hold" in capsys.readouterr().out
    text = target.read_text(encoding="utf-8").replace("10127360/29359", "10127361/29359")
    target.write_text(text, encoding="utf-8")
    assert run(["verify", str(target)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "crossover.threshold: 10127361/29359 is written, 10127360/29359 comes out" in err


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("report.json", "{", "not JSON"),
        ("report.json", json.dumps({"kind": "bill"}), "not a report of symroof"),
        ("report.html", "<html>", "html carries no exact expressions"),
        ("report.pdf", "%PDF", "pdf carries no exact expressions"),
        ("report.txt", "Hello.", "no exact expressions found"),
        ("report", "Hello.", "the extension says the format"),
    ],
)
def test_verify_says_what_is_no_report(
    name: str, content: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / name
    target.write_text(content, encoding="utf-8")
    assert run(["verify", str(target)]) == 2
    err = capsys.readouterr().err
    assert says in err
    assert err.count("\n") == 1


def test_verify_of_a_file_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["verify", "none.json"]) == 2
    assert "none.json: cannot be read: No such file" in capsys.readouterr().err


def test_verify_of_bytes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "report.json"
    target.write_bytes(b"\xff\xfe\x00")
    assert run(["verify", str(target)]) == 2
    assert "not text in UTF-8" in capsys.readouterr().err
