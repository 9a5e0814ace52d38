from __future__ import annotations

import re
from dataclasses import replace
from itertools import product
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symroof.reports.plots.palette import DARK, LIGHT, SIZE, Theme
from symroof.reports.plots.plot import Axis, Bars, Chart, Line, Point, Region, Rule
from symroof.reports.plots.svg import script, style, svg
from tests.reports.plots.drawings import PLOTS, bars, roofline
from tests.reports.sample import HOSTILE

PARTS = {"div", "svg", "g", "title", "desc", "path", "rect", "circle", "text", "tspan"}


def read(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text)


def chart_of(text: str) -> Chart:
    axis = Axis(text, text, 1, 100)
    marks = (
        Point(10, 10, text, detail=text),
        Line(((1, 1), (100, 50)), text),
        Region(((1, 1), (100, 1), (100, 100)), text),
        Rule(50, text),
    )
    return Chart(text, text, axis, axis, marks)


def bars_of(text: str) -> Bars:
    return Bars(text, text, Axis(text, text, 0.5, 5), ((text, (1.0, 2.0)),), (text, text))


@pytest.mark.parametrize("name", PLOTS)
def test_a_plot_is_well_formed_and_says_what_it_shows(name: str) -> None:
    plot = PLOTS[name]
    root = read(svg(plot))
    drawings = [node for node in root.iter("svg") if node.get("role") == "img"]
    assert [node.get("viewBox", "").split()[2] for node in drawings] == ["720", "360"]
    for drawing in drawings:
        first = drawing[0]
        assert (first.tag, first.text) == ("title", plot.title)
    assert drawings[0].findtext("desc") == plot.description
    assert svg(plot) == svg(plot)


@pytest.mark.parametrize("name", PLOTS)
def test_a_plot_has_no_ids_styles_or_handlers(name: str) -> None:
    for node in read(svg(PLOTS[name])).iter():
        assert node.tag in PARTS
        assert not {key for key in node.attrib if key in {"id", "style", "href"} or key[:2] == "on"}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("make", [chart_of, bars_of])
def test_hostile_texts_are_inert(name: str, make: type) -> None:
    text = svg(make(HOSTILE[name]))
    root = read(text)
    assert {node.tag for node in root.iter()} <= PARTS
    assert not re.search(r"[\u202a-\u202e\u2066-\u2067\x00-\x08]", text)
    assert len(text) < 40_000


@given(st.text(max_size=200))
def test_any_text_is_inert(text: str) -> None:
    for plot in (chart_of(text), bars_of(text)):
        assert {node.tag for node in read(svg(plot)).iter()} <= PARTS


def test_points_are_told_with_units() -> None:
    told = [node.text for node in read(svg(roofline())).iter("title")]
    assert "scores\n16%\narithmetic intensity: 0.98 FLOP/byte\nperformance: 3.28 TFLOP/s" in told
    assert "all-reduce\nnetwork: 21 µs (95 %)" in [n.text for n in read(svg(bars())).iter("title")]


def test_the_sizes_are_small() -> None:
    assert len(svg(roofline()).encode()) < 15_000
    assert len(script().encode()) < 8192
    assert len(style().encode()) < 8192


def test_narrow_canvases_are_drawn_once() -> None:
    assert svg(roofline(), 400, 300).count("<svg viewBox") == 1
    assert svg(roofline(), 720, 440).count("<svg viewBox") == 2


def test_the_style_closes_what_it_opens_and_colours_what_is_drawn() -> None:
    assert style().count("{") == style().count("}")
    assert "</" not in style() + script()
    shapes = r'<(?:path|circle|rect) class="([^"]*)"'
    used = {
        name
        for names in re.findall(shapes, "".join(map(svg, PLOTS.values())))
        for name in names.split()
    }
    assert {"roof", "curve", "boundary", "dot", "cross", "cell", "area", "c0"} <= used
    for name in used:
        assert re.search(rf"\.{name}\b", style()), name


def test_colours_beyond_the_palette_begin_again() -> None:
    point = Point(10, 10, "p", colour=SIZE + 1)
    axis = Axis("x", "", 1, 100)
    chart = Chart("t", "", axis, axis, (point,))
    assert svg(chart) == svg(replace(chart, marks=(replace(point, colour=1),)))


@pytest.mark.parametrize(("theme", "index"), [*product([LIGHT, DARK], range(SIZE))])
def test_words_stand_out(theme: Theme, index: int) -> None:
    colour = theme.colours[index]
    assert contrast(colour.text, theme.sheet) >= 4.5
    assert contrast(colour.on, colour.fill) >= 4.5
    assert contrast(theme.ink, theme.sheet) >= 7
    assert contrast(theme.quiet, theme.sheet) >= 4.5


def contrast(one: str, other: str) -> float:
    """As WCAG 2.2 defines it."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
