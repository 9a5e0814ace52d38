from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from symroof.errors import SymroofError
from symroof.reports import chromium

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-ins are shell scripts")


def stand_in(folder: Path, body: str) -> Path:
    """Return a program that stands in for a browser."""
    path = folder / "chromium"
    path.write_text(f"#!/bin/sh\n{body}\n", "utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def bare(monkeypatch, tmp_path):
    """Leave nothing to be found."""
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    return tmp_path


def test_the_variable_comes_first(monkeypatch, tmp_path):
    path = stand_in(tmp_path, "exit 0")
    monkeypatch.setenv("CHROMIUM", str(path))
    assert chromium.find() == path


@pytest.mark.parametrize("wanted", ["/no/such/browser", "no-such-browser", "."])
def test_a_variable_that_names_no_program_is_an_error(monkeypatch, wanted):
    monkeypatch.setenv("CHROMIUM", wanted)
    with pytest.raises(SymroofError, match="CHROMIUM names no program") as caught:
        chromium.find()
    assert "\n" not in str(caught.value)


def test_the_path_is_searched(bare):
    path = stand_in(bare, "exit 0")
    assert chromium.find() == path


def test_none_at_all_is_one_line_that_says_what_to_do(bare):
    with pytest.raises(SymroofError, match="none was found; install one or set CHROMIUM") as caught:
        chromium.printed("<p>x</p>")
    assert "\n" not in str(caught.value)


def test_the_usual_places_of_macos(bare, monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(Path, "home", lambda: bare)
    place = bare / "Applications" / chromium.MAC[1]
    place.parent.mkdir(parents=True)
    place.touch()
    assert chromium.find() in (place, Path("/Applications") / chromium.MAC[0])


def test_the_usual_places_of_windows(bare, monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(chromium.shutil, "which", lambda name: None)
    monkeypatch.setattr(chromium, "WINDOWS", ("Google/Chrome/Application/chrome.exe",))
    monkeypatch.setenv("PROGRAMFILES", str(bare))
    place = bare / "Google/Chrome/Application/chrome.exe"
    place.parent.mkdir(parents=True)
    place.touch()
    assert chromium.find() == place


def test_what_is_printed_comes_back(monkeypatch, tmp_path):
    body = r"""
for word; do case $word in --print-to-pdf=*) target=${word#*=};; file:*) page=$word;; esac; done
printf '%%PDF %s' "$(cat "${page#file://}")" > "$target"
"""
    monkeypatch.setenv("CHROMIUM", str(stand_in(tmp_path, body)))
    assert chromium.printed("<p>é</p>") == "%PDF <p>é</p>".encode()


@pytest.mark.parametrize("root", [True, False])
def test_only_root_goes_without_the_sandbox(monkeypatch, tmp_path, root):
    seen = tmp_path / "seen"
    body = f"""
echo "$@" > {seen}
for word; do case $word in --print-to-pdf=*) printf %%PDF > "${{word#*=}}";; esac; done
"""
    monkeypatch.setenv("CHROMIUM", str(stand_in(tmp_path, body)))
    monkeypatch.setattr(chromium.os, "geteuid", lambda: 0 if root else 1000)
    chromium.printed("")
    assert ("--no-sandbox" in seen.read_text("utf-8")) is root


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("echo one; echo no display >&2; exit 3", r"printed no PDF \(exit status 3\): no display"),
        ("exit 0", "printed no PDF$"),
    ],
)
def test_a_browser_that_fails_is_one_line(monkeypatch, tmp_path, body, said):
    monkeypatch.setenv("CHROMIUM", str(stand_in(tmp_path, body)))
    with pytest.raises(SymroofError, match=said) as caught:
        chromium.printed("")
    assert "\n" not in str(caught.value)


def test_a_file_that_is_no_program_is_one_line(monkeypatch, tmp_path):
    path = tmp_path / "chromium"
    path.write_bytes(b"\x7fELF nothing")
    path.chmod(0o755)
    monkeypatch.setenv("CHROMIUM", str(path))
    with pytest.raises(SymroofError, match=r"cannot be run|printed no PDF"):
        chromium.printed("")


def test_a_browser_that_hangs_is_ended_with_its_helpers(monkeypatch, tmp_path):
    mark = tmp_path / "mark"
    body = f"(sleep 2; touch {mark}) & sleep 60"
    monkeypatch.setenv("CHROMIUM", str(stand_in(tmp_path, body)))
    start = time.monotonic()
    with pytest.raises(SymroofError, match=r"took longer than 0\.3 s"):
        chromium.printed("", timeout=0.3)
    assert time.monotonic() - start < 10
    time.sleep(2.5)
    assert not mark.exists()
