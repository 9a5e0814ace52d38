"""`symroof explore`: a whole page or none, and one line for bad input."""

from __future__ import annotations

import json
import re
import webbrowser
from pathlib import Path

import pytest

from symroof.cli.main import run

MATMUL = ["explore", "mn,nk->mk", "--chip", "h100-sxm"]


def starts(page: Path) -> dict[str, str]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page.read_text())
    assert found is not None
    return {slot["name"]: slot["start"] for slot in json.loads(found[1])["slots"]}


def test_it_writes_one_page_with_what_is_set(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "explore.html"
    settings = ["--set", "n=4096", "--set", "bw=3 TB/s"]
    assert run([*MATMUL, *settings, "--for", "k", "-o", str(page)]) == 0
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert starts(page)["n"] == "4096"
    assert starts(page)["bw.hbm"] == "3000000000000"
    assert [file.name for file in tmp_path.iterdir()] == ["explore.html"]


def test_defaults_of_the_spec_are_the_start(tmp_path: Path) -> None:
    page = tmp_path / "explore.htm"
    assert run(["explore", "mlp", "--chip", "h100-sxm", "--set", "F=4*D", "-o", str(page)]) == 0
    assert {"B": "64", "D": "4096"}.items() <= starts(page).items()
    assert "F" not in starts(page)


def test_the_same_input_gives_the_same_bytes(tmp_path: Path) -> None:
    pages = [tmp_path / "a.html", tmp_path / "b.html"]
    for page in pages:
        assert run(["explore", "transformer-layer", "--chip", "mi300x", "-o", str(page)]) == 0
    assert pages[0].read_bytes() == pages[1].read_bytes()


def test_open_shows_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda url: opened.append(url) or True)
    page = tmp_path / "a page.html"
    assert run([*MATMUL, "-o", str(page), "--open"]) == 0
    assert opened == [page.resolve().as_uri()]
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert run([*MATMUL, "--open"]) == 0
    assert Path(opened[1].removeprefix("file://")).read_text().startswith("<!DOCTYPE html>")


def test_no_browser_is_said_and_the_page_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(webbrowser, "open", lambda url: False)
    page = tmp_path / "page.html"
    assert run([*MATMUL, "-o", str(page), "--open"]) == 2
    assert "no browser" in capsys.readouterr().err
    assert page.exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([*MATMUL], ["-o", "--open"]),
        ([*MATMUL, "-o", "page.pdf"], ["page.pdf", ".html"]),
        ([*MATMUL, "-o", "missing/page.html"], ["missing/page.html", "No such file"]),
        ([*MATMUL, "-o", "page.html", "--for", "q"], ["q"]),
        ([*MATMUL, "-o", "page.html", "--set", "n=0"], ["n=0", "positive"]),
        ([*MATMUL, "-o", "page.html", "--set", "z=3"], ["z"]),
        ([*MATMUL, "-o", "page.html", "--set", "n=10**70"], ["n=", "10**60"]),
        (["explore", "matmul", "-o", "page.html"], ["--chip"]),
        (["explore", "matmul", "--chip", "h100-sxn", "-o", "page.html"], ["h100-sxm"]),
        (["explore", "no-such.toml", "--chip", "h100-sxm", "-o", "page.html"], ["no-such.toml"]),
    ],
)
def test_bad_input_is_one_line_exit_code_2_and_no_file(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    words: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    code = run(arguments)
    out, err = capsys.readouterr()
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert all(word in err for word in words), err
    assert list(tmp_path.iterdir()) == []


def test_an_old_page_stays_where_the_new_one_cannot_be_made(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("old")
    assert run([*MATMUL, "--set", "n=0", "-o", str(page)]) == 2
    assert page.read_text() == "old"
