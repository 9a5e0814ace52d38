"""Shapes and words stand where the layout has put them."""

from __future__ import annotations

import pytest

from symroof.reports.plots.layout import layout
from symroof.reports.plots.plot import Axis, Bars, Chart, Line, Plot, Point, Role, Scale

pytest.importorskip("matplotlib")

PLOTS: list[Plot] = [
    Chart(
        "title",
        "",
        Axis("across", "FLOP/byte", 1, 1000),
        Axis("up", "TFLOP/s", 1, 1000),
        (
            Line(((1, 3), (100, 300)), "roof", Role.ROOF, 6),
            Point(10, 10, "an op", 0.5, 1),
            Point(10, 10, "another at the same place", 0.3, 2),
        ),
    ),
    Bars(
        "bars",
        "",
        Axis("time", "µs", 0, 10, Scale.LINEAR),
        (("gate", (2.0, 5.0)), ("down", (1.0, 3.0))),
        ("compute", "memory"),
    ),
]


@pytest.mark.parametrize("plot", PLOTS, ids=["chart", "bars"])
def test_all_words_of_a_scene_are_written(plot: Plot) -> None:
    from matplotlib.figure import Figure

    from symroof.reports.plots.artists import draw

    scene, figure = layout(plot, 800, 520), Figure()
    draw(figure, scene)
    written = sorted(text.get_text() for text in figure.axes[0].texts)
    labels = [*scene.labels, *(key.label for key in scene.keys)]
    assert written == sorted(line for label in labels for line in label.lines)


@pytest.mark.parametrize("plot", PLOTS, ids=["chart", "bars"])
def test_words_as_drawn_do_not_overlap(plot: Plot) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    from symroof.reports.plots.artists import draw

    scene = layout(plot, 800, 520)
    figure = Figure(figsize=(8, scene.height / 100), dpi=100)
    canvas = FigureCanvasAgg(figure)
    draw(figure, scene)
    renderer = canvas.get_renderer()
    flat = [text for text in figure.axes[0].texts if text.get_rotation() % 90 == 0]
    boxes = [text.get_window_extent(renderer).shrunk(0.98, 0.9) for text in flat]
    for i, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:i]), flat[i].get_text()
