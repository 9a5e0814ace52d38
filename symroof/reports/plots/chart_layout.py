"""A chart on a canvas: marks brought to the frame, clipped, and named where there is room."""

from __future__ import annotations

from typing import TypeAlias

from symroof.reports.plots.frame import (
    EDGE,
    GAP,
    numbers_of,
    side,
    title,
    widest,
    x_depth,
    x_labels,
)
from symroof.reports.plots.geometry import Box
from symroof.reports.plots.groups import groups, named
from symroof.reports.plots.legend import legend
from symroof.reports.plots.marks import REGIONS, SMALL, Drawing, Wish
from symroof.reports.plots.placing import QUIET, Board
from symroof.reports.plots.plot import Chart
from symroof.reports.plots.scene import (
    Anchor,
    Area,
    Cross,
    Dot,
    Kind,
    Label,
    Scene,
    Shaft,
    Shape,
    Stroke,
    Swatch,
)
from symroof.reports.plots.text import ASCENT, DESCENT, shorten, shown

MOST_MISSED = 12
"""After so many marks in turn that found no place for their names, the plot is taken as full."""
Entry: TypeAlias = tuple[Swatch, int, str]
LAYERS = (Area, Cross, Stroke, Shaft, Dot)


def chart_scene(plot: Chart, wide: float, high: float, size: float, narrow: bool) -> Scene:
    """Return a chart laid out; what finds no place for its name is in the legend.

    Examples
    --------
    >>> from symroof.reports.plots.plot import Axis, Point, Rule
    >>> marks = (Point(10, 10, "op"), Rule(30, "ridge"))
    >>> plot = Chart("t", "", Axis("x", "", 1, 100), Axis("y", "", 1, 100), marks)
    >>> scene = chart_scene(plot, 400, 300, 12, narrow=False)
    >>> [type(shape).__name__ for shape in scene.shapes], scene.keys
    (['Cross', 'Dot'], ())
    """
    labels, top = title(plot.title, wide, size)
    above = top + 4 + ASCENT * size
    top = above + (DESCENT + 0.75) * size
    bottom = high - x_depth(size)
    left = EDGE + widest(numbers_of(plot.y, bottom - top, size, narrow, upright=True), size) + GAP
    widths = numbers_of(plot.x, wide - left - 2 * EDGE, size, narrow, upright=False)
    left = max(left, EDGE + widest(widths[:1], size) / 2)
    frame = Box(left, top, wide - EDGE - max(6.0, widest(widths, size) / 2), bottom)
    across, said_x = side(plot.x, frame.width, size, narrow, upright=False)
    upward, said_y = side(plot.y, frame.height, size, narrow, upright=True)
    name = shorten(shown(said_y), wide - 2 * EDGE, size)
    labels.append(Label(name, Kind.AXIS, (EDGE, above), size=size))
    labels += x_labels(across, said_x, frame, size, narrow, wide)
    heights = numbers_of(plot.y, frame.height, size, narrow, upright=True)
    majors = [mark for mark in upward.marks if mark.major]
    for mark, text in zip(majors, heights, strict=True):
        place = (frame.left - GAP, frame.bottom - mark.at + (ASCENT - DESCENT) / 2 * size)
        labels.append(Label(text, Kind.TICK, place, anchor=Anchor.END, size=size))
    shapes, wishes = _drawn(plot, frame, size)
    names, left_over = _named(shapes, wishes, frame)
    keys, lower = legend(left_over, wide, high, SMALL * size)
    return Scene(
        shown(plot.title, 200),
        plot.description,
        wide,
        lower + (EDGE if keys else 0.0),
        size,
        frame,
        across,
        upward,
        shapes,
        (*labels, *names),
        keys,
    )


def _drawn(plot: Chart, frame: Box, size: float) -> tuple[tuple[Shape, ...], list[Wish]]:
    """Return the shapes, areas at the back and small points in front, and the wishes by rank."""
    drawing = Drawing(plot, frame, size)
    shapes: list[Shape] = []
    wishes: list[Wish] = []
    for mark in plot.marks:
        made, wish = drawing.of(mark)
        shapes += made
        if wish is not None:
            wishes.append(wish)
    shapes.sort(key=lambda shape: (LAYERS.index(type(shape)), -getattr(shape, "radius", 0.0)))
    wishes.sort(key=lambda wish: wish.rank)
    return tuple(shapes), wishes


def _named(
    shapes: tuple[Shape, ...], wishes: list[Wish], frame: Box
) -> tuple[list[Label], list[Entry]]:
    board = Board(frame.inset(1.5))
    for shape in shapes:
        match shape:
            case Stroke(points=points):
                board.draw(points)
            case Shaft(start, end):
                board.draw((start, end))
            case Cross(start, end):
                board.draw((start, end), QUIET)
            case Dot(at, radius):
                board.dot(at, radius + 1)
    together = groups([wish for wish in wishes if wish.point is not None])
    rest = [[wish] for wish in wishes if wish.point is None]
    early = [wish for wish in rest if wish[0].rank[0] < REGIONS]
    late = [wish for wish in rest if wish[0].rank[0] >= REGIONS]
    many = [group for group in together if len(group) > 1]
    names: list[Label] = []
    left_over: list[Entry] = []
    known: set[Entry] = set()
    order = (*early, *many, *late, *(group for group in together if len(group) == 1))
    missed = 0
    for group in order:
        first = group[0]
        if first.point is None and first.entry in known:
            continue
        known.add(first.entry)
        found, others = named(group, board) if missed < MOST_MISSED else ([], group)
        missed = 0 if found else missed + 1
        names += found
        left_over += [wish.entry for wish in others]
    return names, left_over
