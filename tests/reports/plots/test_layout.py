from __future__ import annotations

from itertools import combinations
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symroof.errors import InputError
from symroof.reports.plots.geometry import Box
from symroof.reports.plots.layout import layout
from symroof.reports.plots.plot import (
    Arrow,
    Axis,
    Bars,
    Chart,
    Line,
    Mark,
    Plot,
    Point,
    Region,
    Role,
    Rule,
    Scale,
)
from symroof.reports.plots.scene import Area, Cell, Cross, Dot, Kind, Label, Scene, Shaft, Stroke
from tests.reports.plots.drawings import OPS, PEAKS, PLOTS, crowd, roofline

SIZES = [(720.0, 440.0), (360.0, 380.0), (640.0, 400.0), (240.0, 200.0)]
EDGES = Axis("x", "FLOP/byte", 0.1, 1e4), Axis("y", "FLOP/s", 1e9, 1e15)

numbers = st.floats(min_value=-3, max_value=18).map(lambda power: 10.0**power)
places = st.tuples(numbers, numbers)
names = st.text(max_size=40) | st.sampled_from(
    ["op", "W" * 10_000, "שלום", "🔥", "ridge 295 FLOP/byte"]
)
colours = st.integers(0, 20)
lists = st.lists(places, max_size=6).map(tuple)
marks: st.SearchStrategy[Mark] = st.one_of(
    st.builds(Line, lists, names, st.sampled_from(Role), colours),
    st.builds(Region, lists, names, colours),
    st.builds(Point, numbers, numbers, names, st.floats(-1, 2), colours, names, st.booleans()),
    st.builds(Arrow, places, places, names, colours),
    st.builds(Rule, numbers, names, st.booleans()),
)


@st.composite
def axes(draw: st.DrawFn) -> Axis:
    low = 10.0 ** draw(st.floats(-12, 15))
    high = low * 10.0 ** draw(st.floats(0.01, 24))
    unit = draw(
        names
        | st.sampled_from(["", "s", "µs", "FLOP/s", "TFLOP/s", "byte", "FLOP/byte", "$/token"])
    )
    if draw(st.booleans()):
        return Axis(draw(names), unit, low, high)
    return Axis(draw(names), unit, draw(st.sampled_from([0.0, -high, low])), high, Scale.LINEAR)


charts = st.builds(Chart, names, names, axes(), axes(), st.lists(marks, max_size=25).map(tuple))
rows = st.tuples(names, st.lists(st.floats(0, 1e3), max_size=5).map(tuple))
stacks = st.builds(
    Bars, names, names, axes(), st.lists(rows, max_size=6).map(tuple), st.lists(names).map(tuple)
)


def words(scene: Scene) -> list[Label]:
    return [*scene.labels, *(key.label for key in scene.keys)]


def check(scene: Scene) -> None:
    """All words are on the canvas, and no two overlap."""
    canvas = Box(0, 0, scene.width, scene.height)
    plates = [(label.text, label.plate(0.0)) for label in words(scene)]
    for text, plate in plates:
        assert plate.within(canvas), (text, plate.bounds)
    for (text, plate), (other, second) in combinations(plates, 2):
        assert not plate.overlaps(second), (text, other)
    for shape in scene.shapes:
        corners = {
            Area: lambda s: s.corners,
            Stroke: lambda s: s.points,
            Shaft: lambda s: (s.start, s.end),
            Cross: lambda s: (s.start, s.end),
            Dot: lambda s: (s.at,),
            Cell: lambda s: ((s.box.left, s.box.top), (s.box.right, s.box.bottom)),
        }[type(shape)](shape)
        assert all(scene.frame.holds(corner, 1e-6) for corner in corners)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", PLOTS)
def test_words_do_not_overlap(name: str, size: tuple[float, float]) -> None:
    check(layout(PLOTS[name], *size))


@given(charts, st.sampled_from(SIZES))
def test_words_of_any_chart_do_not_overlap(chart: Chart, size: tuple[float, float]) -> None:
    check(layout(chart, *size))


@given(stacks, st.sampled_from(SIZES))
def test_words_of_any_bars_do_not_overlap(bars: Bars, size: tuple[float, float]) -> None:
    check(layout(bars, *size))


@given(charts | stacks)
def test_the_same_plot_is_laid_out_the_same(plot: Plot) -> None:
    assert layout(plot) == layout(plot)


@pytest.mark.parametrize("size", SIZES[:3])
@pytest.mark.parametrize("name", ["roofline", "intensity", "times", "regimes"])
def test_all_marks_are_named_in_the_plot_or_below(name: str, size: tuple[float, float]) -> None:
    plot = PLOTS[name]
    assert isinstance(plot, Chart)
    scene = layout(plot, *size)
    said = "\n".join(label.text for label in words(scene)).split("\n")
    for mark in plot.marks:
        assert mark.label in said


def test_the_regions_and_roofs_are_named_in_a_wide_plot() -> None:
    scene = layout(roofline())
    inside = {label.text for label in scene.labels}
    assert {"memory-bound", "compute-bound", "unattainable", "HBM 3.35 TB/s"} <= inside
    assert {"bf16 roof", "fp8 roof", "fp32 roof", "ridge fp8 591 FLOP/byte"} <= inside


def test_thirty_points_at_one_place_share_a_label() -> None:
    scene = layout(crowd())
    inside = [label.text for label in scene.labels if label.kind is Kind.POINT]
    assert inside == ["\n".join([*(f"op number {n}" for n in range(29, 24, -1)), "and 25 more"])]
    assert [key.label.text for key in scene.keys] == [f"op number {n}" for n in range(24, -1, -1)]
    assert scene.height > 440


def test_a_long_legend_is_cut() -> None:
    points = tuple(Point(60.0, 2e14, f"op {n}") for n in range(100))
    scene = layout(Chart("t", "", *EDGES, points))
    assert len(scene.keys) == 40
    assert scene.keys[-1].label.text == "and 56 more"  # 100 less 5 in the plot and 39 below


def test_points_of_one_name_are_counted() -> None:
    scene = layout(Chart("t", "", *EDGES, (Point(10, 1e12, "norm"), Point(10, 1e12, "norm"))))
    assert [label.text for label in scene.labels if label.kind is Kind.POINT] == ["norm ×2"]


def test_places_are_those_of_the_axes() -> None:
    chart = Chart(
        "t",
        "",
        Axis("x", "", 1.0, 10_000.0),
        Axis("y", "", 0.0, 8.0, Scale.LINEAR),
        (Point(100.0, 2.0, "a"), Point(1.0, 8.0, "b")),
    )
    scene = layout(chart)
    dots = {shape.said[0]: shape.at for shape in scene.shapes if isinstance(shape, Dot)}
    box = scene.frame
    assert dots["a"] == pytest.approx((box.left + box.width / 2, box.bottom - box.height / 4))
    assert dots["b"] == pytest.approx((box.left, box.top))


def test_the_ridge_is_where_the_roofs_meet() -> None:
    scene = layout(roofline())
    slanted = next(s for s in scene.shapes if isinstance(s, Stroke) and s.said.startswith("HBM"))
    flat = next(s for s in scene.shapes if isinstance(s, Stroke) and s.said.startswith("fp8"))
    rules = [s for s in scene.shapes if isinstance(s, Cross) and "fp8" in s.said]
    assert slanted.points[-1] == pytest.approx(flat.points[0])
    assert rules[0].start[0] == pytest.approx(flat.points[0][0])


def test_dots_are_larger_for_larger_shares_and_told_with_units() -> None:
    dots = [shape for shape in layout(roofline()).shapes if isinstance(shape, Dot)]
    by_name = {dot.said.split("\n")[0]: dot for dot in dots}
    sizes = sorted(OPS, key=lambda op: op[2])
    radii = [by_name[name].radius for name, _, _ in sizes]
    assert radii == sorted(radii)
    assert by_name["q projection"].said.split("\n") == [
        "q projection",
        "12%",
        "arithmetic intensity: 62 FLOP/byte",
        "performance: 208 TFLOP/s",
    ]
    assert by_name["measured q"].measured


def test_what_is_outside_is_named_below() -> None:
    scene = layout(Chart("t", "", *EDGES, (Point(1e9, 1e12, "far"), Point(-1.0, 1e12, "odd"))))
    assert not scene.shapes
    assert [key.label.text for key in scene.keys] == ["far (outside)", "odd (outside)"]


def test_numbers_without_a_place_do_no_harm() -> None:
    nan, inf = float("nan"), float("inf")
    marks = (
        Line(((1.0, nan), (10.0, 1e12), (inf, inf)), "a"),
        Line(((0.0, 0.0), (10.0, 1e12)), "b"),
        Point(nan, 1e12, "c"),
        Point(10.0, inf, "d"),
        Arrow((nan, 1.0), (10.0, 1e12), "e"),
        Rule(nan, "f"),
        Region(((nan, 1.0), (1.0, 1e10), (10.0, 1e10), (10.0, 1e12)), "g"),
    )
    check(layout(Chart("t", "", *EDGES, marks)))


def test_a_line_is_kept_within_a_tenth_of_a_pixel() -> None:
    points = tuple((10 ** (step / 100), 10 ** (9 + (step / 100) ** 0.5)) for step in range(1, 400))
    scene = layout(Chart("t", "", *EDGES, (Line(points, "curve"),)))
    (stroke,) = [shape for shape in scene.shapes if isinstance(shape, Stroke)]
    box = scene.frame
    assert len(stroke.points) < 60
    for x, y in points[::7]:
        across = box.left + _share(x, 0.1, 1e4) * box.width
        up = box.bottom - _share(y, 1e9, 1e15) * box.height
        pairs = zip(stroke.points, stroke.points[1:], strict=False)
        near = next((a, b) for a, b in pairs if a[0] - 1e-9 <= across <= b[0] + 1e-9)
        (ax, ay), (bx, by) = near
        assert ay + (across - ax) / (bx - ax) * (by - ay) == pytest.approx(up, abs=0.11)


def _share(value: float, low: float, high: float) -> float:
    return log(value / low) / log(high / low)


@pytest.mark.parametrize(
    ("axis", "said"),
    [
        (Axis("x", "", 10.0, 1.0), "axis 'x' goes from 10 to 1"),
        (Axis("x", "", 1.0, 1.0), "axis 'x' goes from 1 to 1"),
        (Axis("x", "", 0.0, 1.0), "axis 'x' is logarithmic and begins at 0"),
        (Axis("x", "", 1.0, float("inf")), "axis 'x' goes from 1 to inf"),
    ],
)
def test_an_axis_without_extent_is_refused(axis: Axis, said: str) -> None:
    with pytest.raises(InputError, match=said):
        layout(Chart("t", "", axis, EDGES[1], ()))
    with pytest.raises(InputError, match=said):
        layout(Chart("t", "", EDGES[0], axis, ()))


def test_a_canvas_has_a_least_size() -> None:
    with pytest.raises(InputError, match="needs 240 by 200 pixels, not 100 by 440"):
        layout(roofline(), 100)


def test_values_are_written_on_the_parts_that_have_room() -> None:
    scene = layout(PLOTS["bars"])
    values = [label.text for label in scene.labels if label.kind is Kind.VALUE]
    assert values == ["41.3 µs", "66 µs", "88.2 µs", "21 µs"]
    totals = [label.text for label in scene.labels if label.kind is Kind.TOTAL]
    assert totals == ["53.4 µs", "163 µs", "2.3 µs", "22.1 µs"]
    cells = [shape for shape in scene.shapes if isinstance(shape, Cell)]
    first, second = cells[:2]
    assert first.box.width / second.box.width == pytest.approx(12.1 / 41.3)
    assert first.box.right == pytest.approx(second.box.left)
    assert cells[0].said == "attention, all heads\ncompute: 12.1 µs (22.7 %)"


def test_the_peaks_are_in_the_plot() -> None:
    flat = [s for s in layout(roofline()).shapes if isinstance(s, Stroke) and "roof" in s.said]
    assert len(flat) == len(PEAKS)
    assert all(stroke.points[0][1] == pytest.approx(stroke.points[1][1]) for stroke in flat)
