"""``sr.plot``: pictures that show and save themselves."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import symroof as sr
from symroof.errors import UnboundError
from symroof.plot import Picture

KINDS = {
    "roofline": (),
    "intensity": ("B",),
    "times": ("B",),
    "regimes": ("B", "F"),
    "breakdown": (),
}


def known() -> sr.Roofline:
    return sr.analyze(sr.load("mlp"), "h100-sxm").at(B=64, D=4096, F=14336)


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_a_picture(kind: str) -> None:
    picture = getattr(sr.plot, kind)(known(), *KINDS[kind])
    assert isinstance(picture, Picture)
    assert picture.plot.title.lower().startswith(kind)
    assert "mlp on h100-sxm" in picture.plot.title
    assert picture.plot.description.endswith(".")
    assert picture == getattr(sr.plot, kind)(known(), *KINDS[kind])


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_says_which_numbers_it_needs(kind: str) -> None:
    general = sr.analyze(sr.load("mlp"), "h100-sxm")
    left = ", ".join(name for name in ("B", "D", "F") if name not in KINDS[kind])
    with pytest.raises(UnboundError, match=rf"^{kind} needs numbers for {left}: r\.at\("):
        getattr(sr.plot, kind)(general, *KINDS[kind])


def test_a_notebook_shows_it_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    shown = sr.plot.times(known(), "B")._repr_html_()
    assert "<svg" in shown
    assert "t_memory" in shown


def test_saving(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    sr.plot.roofline(known()).save(tmp_path / "roof.svg")
    assert (tmp_path / "roof.svg").read_text().startswith("<?xml")


def test_nothing_heavy_is_loaded_before_a_file_is_written() -> None:
    script = (
        "import sys, symroof as sr; r = sr.analyze(sr.load('mlp'), 'h100-sxm');"
        "sr.plot.roofline(r.at(B=64, D=64, F=64)); assert 'matplotlib' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_throughput_of_a_served_model_names_it() -> None:
    picture = sr.plot.throughput(sr.serve("llama-3-8b", "h100-sxm", context=1024))
    assert picture.plot.title == "Throughput: llama-3-8b on h100-sxm"
