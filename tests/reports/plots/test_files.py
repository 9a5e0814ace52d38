"""Plots as files: the same bytes every time, whole or not at all."""

from __future__ import annotations

import struct
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

import symroof as sr
from symroof.errors import InputError, UnknownNameError
from symroof.reports.plots.files import EXTENSIONS, check, extension_of, image, save
from symroof.reports.plots.plot import Arrow, Axis, Chart, Line, Plot, Point, Region, Role, Rule

matplotlib = pytest.importorskip("matplotlib")

AXIS = Axis("x", "", 1, 100)


def pictures() -> dict[str, Plot]:
    general = sr.analyze(sr.load("mlp"), "h100-sxm")
    r = general.at(B=64, D=4096, F=14336)
    return {
        "roofline": sr.plot.roofline(r, measured=[("run", "200 us")]).plot,
        "intensity": sr.plot.intensity(r, "B").plot,
        "times": sr.plot.times(r, "bw").plot,
        "regimes": sr.plot.regimes(r, "B", "F").plot,
        "breakdown": sr.plot.breakdown(r).plot,
    }


@pytest.mark.parametrize("extension", EXTENSIONS)
def test_the_same_plot_gives_the_same_bytes(extension: str) -> None:
    for name, plot in pictures().items():
        first, second = image(plot, extension), image(plot, extension)
        assert first == second, name
        assert len(first) > 2000


def test_what_the_files_are(tmp_path: Path) -> None:
    plot = pictures()["roofline"]
    for extension in EXTENSIONS:
        save(plot, tmp_path / f"plot.{extension}")
    png = (tmp_path / "plot.png").read_bytes()
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">I", png[16:20]) == (1600,)
    assert b"Roofline: mlp" in png
    root = ElementTree.parse(tmp_path / "plot.svg").getroot()
    assert root.tag.endswith("svg")
    assert (tmp_path / "plot.pdf").read_bytes()[:5] == b"%PDF-"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["plot.pdf", "plot.png", "plot.svg"]


def test_every_mark_is_drawn() -> None:
    marks = (
        Region(((1, 1), (10, 1), (10, 10), (1, 10)), "region", 1),
        *(Line(((1, i + 1), (100, i + 30)), role.value, role, i) for i, role in enumerate(Role)),
        Rule(10, "rule"),
        Rule(50, "across", vertical=False),
        Arrow((2, 2), (20, 20), "arrow", 5),
        Point(5, 50, "point", 1.0, 2),
        Point(6, 60, "measured", 0.3, 3, measured=True),
    )
    assert image(Chart("t", "", AXIS, AXIS, marks), "png") != image(
        Chart("t", "", AXIS, AXIS, marks[:-1]), "png"
    )


def test_hostile_names_are_drawn_as_they_are() -> None:
    names = ["$\\alpha$", "\\input{x}", "<script>", "日本語", "🙂", "\u202eabc", "a\nb", "x" * 9000]
    marks = tuple(Point(2 + i, 10 + i, name) for i, name in enumerate(names))
    chart = Chart("$x^{", "]]>", Axis("$", "%", 1, 100), AXIS, marks)
    for extension in EXTENSIONS:
        made = image(chart, extension)
        assert made
    ElementTree.fromstring(image(chart, "svg"))


def test_settings_of_the_user_change_nothing() -> None:
    plot = pictures()["times"]
    wanted = image(plot, "png")
    with matplotlib.rc_context(
        {"font.family": "serif", "text.color": "red", "savefig.bbox": "tight", "axes.grid": True}
    ):
        assert image(plot, "png") == wanted
    before = dict(matplotlib.rcParams)
    image(plot, "svg")
    assert dict(matplotlib.rcParams) == before


def test_no_interactive_backend_is_loaded() -> None:
    script = (
        "import sys\n"
        "from symroof.reports.plots.files import image\n"
        "from symroof.reports.plots.plot import Axis, Chart\n"
        "axis = Axis('x', '', 1, 100)\n"
        "image(Chart('t', '', axis, axis, ()), 'pdf')\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_extensions() -> None:
    assert extension_of(Path("a.b/Plot.PDF")) == "pdf"
    with pytest.raises(UnknownNameError, match="'pgn'; did you mean 'png'"):
        check("plot.pgn")
    with pytest.raises(InputError, match=r"plot: no extension.*png, svg, pdf"):
        check("plot")
    with pytest.raises(InputError, match="path is text"):
        extension_of(3)  # type: ignore[arg-type]


def test_no_file_is_left_where_none_can_be_written(tmp_path: Path) -> None:
    plot = pictures()["breakdown"]
    with pytest.raises(InputError, match="cannot be written: No such file or directory"):
        save(plot, tmp_path / "none" / "plot.png")
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(InputError, match=r"folder\.png: cannot be written"):
        save(plot, tmp_path / "folder.png")
    assert [path.name for path in tmp_path.iterdir()] == ["folder.png"]


def test_without_matplotlib_one_line_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(
        InputError, match=r"^plots need matplotlib: pip install 'symroof\[plots\]'$"
    ):
        save(pictures()["breakdown"], tmp_path / "plot.png")
    with pytest.raises(InputError, match="plots need matplotlib"):
        check("plot.png")
    assert not list(tmp_path.iterdir())
