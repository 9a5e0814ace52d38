from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symroof.reports.plots.plot import Axis, Bars, Chart, Line, Point, Region, Rule, Scale
from symroof.reports.plots.tikz import tikz
from tests.reports.plots.drawings import PLOTS, roofline
from tests.reports.sample import HOSTILE

COMMANDS = {
    "begin", "end", "definecolor", "path", "draw", "fill", "filldraw", "node", "sffamily",
    "bfseries", "fontsize", "selectfont", "textsuperscript", "ensuremath", "allowbreak", "ldots",
    "textbackslash", "textasciicircum", "textasciitilde", "textless", "textgreater", "textbar",
    "textquotedbl", "textasciigrave", "textmu", "to", "infty", "ge", "cdot", "times", "frac",
}  # fmt: skip
PAGE = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage{lmodern}
\usepackage{tikz}
\begin{document}
%s
\end{document}
"""


def hostile(text: str) -> Chart:
    axis = Axis(text, text, 1, 100)
    marks = (
        Point(10, 10, text),
        Line(((1, 1), (100, 50)), text),
        Region(((1, 1), (100, 1), (100, 100)), text),
        Rule(50, text),
    )
    return Chart(text, text, axis, axis, marks)


def compiled(folder: Path, *plots: str) -> str:
    """Return the text of the pages."""
    if shutil.which("pdflatex") is None or shutil.which("pdftotext") is None:
        pytest.skip("no pdflatex")
    page = folder / "page.tex"
    page.write_text(PAGE % "\n\\clearpage\n".join(plots), "utf-8")
    command = [
        "pdflatex",
        "-interaction=nonstopmode",
        "-halt-on-error",
        "-no-shell-escape",
        page.name,
    ]
    found = subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=120)
    assert found.returncode == 0, found.stdout.decode(errors="replace")[-2000:]
    done = subprocess.run(
        ["pdftotext", "-layout", "page.pdf", "-"], cwd=folder, capture_output=True, check=True
    )
    return done.stdout.decode()


def test_the_plots_compile_with_their_words(tmp_path: Path) -> None:
    text = compiled(tmp_path, *map(tikz, PLOTS.values()))
    for words in ("memory-bound", "bf16 roof", "100 TFLOP/s", "88.2 µs", "and 25 more"):
        assert words in text


def test_hostile_names_compile_and_are_shown(tmp_path: Path) -> None:
    text = compiled(tmp_path, *(tikz(hostile(name)) for name in HOSTILE.values()))
    assert "<script>alert(1)</script>" in text


def test_nothing_in_a_name_is_a_command(tmp_path: Path) -> None:
    name = r"\input{/etc/passwd}"
    text = compiled(tmp_path, tikz(hostile(name)))
    assert name in text
    assert "root:" not in text


@given(st.text(max_size=60))
def test_only_known_commands_are_written(text: str) -> None:
    made = tikz(hostile(text))
    # A greek letter or a sign is a command of its own, set in \ensuremath alone.
    bare = re.sub(r"\\ensuremath\{\\[A-Za-z]+\}", "", made)
    bare = re.sub(r"\\(text[a-z]+|copyright|pounds|S|dag|ddag)\{\}", "", bare)
    assert set(re.findall(r"\\([A-Za-z]+)", bare)) <= COMMANDS
    assert made.count(r"\begin{tikzpicture}") == made.count(r"\end{tikzpicture}") == 1


def test_the_same_plot_gives_the_same_picture() -> None:
    assert tikz(roofline()) == tikz(roofline())


def test_powers_of_ten_are_raised() -> None:
    chart = Chart("t", "", Axis("x", "", 1e-9, 1e-3), Axis("y", "", 0, 1, Scale.LINEAR), ())
    assert r"10\textsuperscript{-8}" in tikz(chart)


def test_bars_have_a_cell_for_each_part() -> None:
    plot = Bars(
        "t", "", Axis("time", "s", 0, 3e-6, Scale.LINEAR), (("op", (1e-6, 2e-6)),), ("a", "b")
    )
    assert tikz(plot).count(r"\filldraw") == 2
