r"""A plot as a TikZ picture, with the layout of the SVG; it needs ``\usepackage{tikz}`` alone."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import astuple

from symroof.reports.plots.layout import layout
from symroof.reports.plots.legend import SAMPLE
from symroof.reports.plots.palette import LIGHT
from symroof.reports.plots.plot import Place, Plot
from symroof.reports.plots.scene import (
    LEADING,
    Anchor,
    Area,
    Cell,
    Cross,
    Dot,
    Key,
    Kind,
    Label,
    Scene,
    Shaft,
    Shape,
    Stroke,
    Swatch,
)
from symroof.reports.renderers._latex_text import tex

WIDTH, HEIGHT = 640.0, 400.0
POINT = 9 / 13
"""Points of a unit of the canvas: the words of 13 units are set in 9 points."""

_STYLES = r"""  roof/.style={line width=1.5pt}, curve/.style={line width=1.1pt},
  ceiling/.style={line width=1pt, dash pattern=on 4pt off 3pt},
  under/.style={line width=.8pt}, boundary/.style={curve},
  guide/.style={line width=.8pt, dash pattern=on 1pt off 2.5pt},
  rule/.style={draw=quiet, line width=.7pt, dash pattern=on 3pt off 2.5pt},
  shaft/.style={line width=1pt, -stealth}, cut/.style={line width=1pt},
  lead/.style={draw=quiet, line width=.5pt}, cross/.style={line width=1.4pt},
  words/.style={inner sep=0pt, outer sep=0pt, text=ink},
  over/.style={fill=white, fill opacity=.65, text opacity=1}"""
_SIZES = {
    Kind.TITLE: r"\sffamily\bfseries\fontsize{10}{12}\selectfont",
    Kind.AXIS: r"\sffamily\fontsize{9}{11}\selectfont",
    Kind.TICK: r"\sffamily\fontsize{9}{11}\selectfont",
    Kind.ROW: r"\sffamily\fontsize{9}{11}\selectfont",
    Kind.TOTAL: r"\sffamily\fontsize{9}{11}\selectfont",
    Kind.REGION: r"\sffamily\bfseries\fontsize{8}{10}\selectfont",
}
_SMALL = r"\sffamily\fontsize{8}{10}\selectfont"
_QUIET = (Kind.AXIS, Kind.TICK, Kind.RULE)
_OVER = (Kind.LINE, Kind.RULE, Kind.ARROW, Kind.POINT)
_ANCHORS = {Anchor.START: "base west", Anchor.MIDDLE: "base", Anchor.END: "base east"}
_RAISED = re.compile("[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_LOWERED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def tikz(plot: Plot) -> str:
    r"""Return a plot as a ``tikzpicture`` of about 443 points' width.

    All text in it is escaped. Beyond ASCII it is set as T1 fonts allow.

    Examples
    --------
    >>> from symroof.reports.plots.plot import Axis, Chart, Point
    >>> axis = Axis("x", "", 1, 100)
    >>> text = tikz(Chart(r"\input{x}", "", axis, axis, (Point(10, 10, "50 %"),)))
    >>> r"\input" in text, r"\textbackslash{}input\{x\}" in text, r"50 \%" in text
    (False, True, True)
    """
    scene = layout(plot, WIDTH, HEIGHT)
    dots = [shape for shape in scene.shapes if isinstance(shape, Dot)]
    others = [shape for shape in scene.shapes if not isinstance(shape, Dot)]
    unit = f"{POINT:.4f}pt"
    lines = [
        rf"\begin{{tikzpicture}}[x={unit}, y=-{unit}, line cap=round, line join=round,",
        _STYLES + "]",
        *_colours(scene),
        rf"\path[clip, use as bounding box] (0,0) rectangle {_at((scene.width, scene.height))};",
        *_frame(scene),
        *(line for shape in others for line in _shape(shape)),
        *(_leader(label) for label in scene.labels if label.leader is not None),
        *(line for dot in dots for line in _shape(dot)),
        *(line for label in scene.labels for line in _words(label)),
        *(line for key in scene.keys for line in _key(key, solid=scene.y is None)),
        r"\end{tikzpicture}",
    ]
    return "\n".join(lines)


def _colours(scene: Scene) -> Iterator[str]:
    """Yield the colours that are used."""
    for name, value in (("ink", LIGHT.ink), ("quiet", LIGHT.quiet), ("grid", LIGHT.grid)):
        yield _colour(name, value)
    shapes = {shape.colour for shape in scene.shapes if not isinstance(shape, Cross)}
    named = {label.colour for label in scene.labels if label.colour is not None}
    keys = {key.colour for key in scene.keys}
    for index in sorted({hue % len(LIGHT.colours) for hue in shapes | named | keys}):
        colour = LIGHT.colours[index]
        for letter, value in zip("fltn", astuple(colour), strict=True):
            yield _colour(f"{letter}{index}", value)


def _colour(name: str, value: str) -> str:
    return rf"\definecolor{{{name}}}{{HTML}}{{{value[1:].upper()}}}"


def _frame(scene: Scene) -> Iterator[str]:
    box = scene.frame
    for mark in scene.x.marks:
        x = box.left + mark.at
        if mark.major:
            yield _line("draw=grid", ((x, box.top), (x, box.bottom)))
        else:
            yield _line("draw=quiet!60", ((x, box.bottom), (x, box.bottom - 4)))
    for mark in scene.y.marks if scene.y else ():
        y = box.bottom - mark.at
        if mark.major:
            yield _line("draw=grid", ((box.left, y), (box.right, y)))
        else:
            yield _line("draw=quiet!60", ((box.left, y), (box.left + 4, y)))
    corners = f"{_at((box.left, box.top))} rectangle {_at((box.right, box.bottom))}"
    yield rf"\draw[draw=grid] {corners};"


def _shape(shape: Shape) -> Iterator[str]:
    hue = 0 if isinstance(shape, Cross) else shape.colour % len(LIGHT.colours)
    match shape:
        case Area(corners):
            yield rf"\fill[fill=f{hue}, fill opacity=.1] {_path(corners)} -- cycle;"
        case Stroke(points, role):
            yield _line(f"{role.value}, draw=l{hue}", points)
        case Cross(start, end):
            yield _line("rule", (start, end))
        case Shaft(start, end, head):
            yield _line(f"{'shaft' if head else 'cut'}, draw=l{hue}, fill=l{hue}", (start, end))
        case Dot(at, radius, _, measured):
            yield _dot(at, radius, hue, measured)
        case Cell(box):
            corners_ = f"{_at((box.left, box.top))} rectangle {_at((box.right, box.bottom))}"
            yield rf"\filldraw[fill=f{hue}, draw=white, line width=.5pt] {corners_};"


def _dot(at: Place, radius: float, hue: int, measured: bool) -> str:
    if not measured:
        style = f"fill=f{hue}, draw=white, line width=.7pt"
        return rf"\filldraw[{style}] {_at(at)} circle[radius={radius * POINT:.2f}pt];"
    (x, y), r = at, radius
    strokes = ((x - r, y - r), (x + r, y + r)), ((x - r, y + r), (x + r, y - r))
    return rf"\draw[cross, draw=l{hue}] {' '.join(map(_path, strokes))};"


def _leader(label: Label) -> str:
    assert label.leader is not None
    x, y = label.at
    return _line("lead", (label.at, (x + label.leader[0], y + label.leader[1])))


def _words(label: Label) -> Iterator[str]:
    """Yield a node for each line of a label."""
    angle = math.radians(label.angle)
    cos, sin = math.cos(angle), math.sin(angle)
    font = _SIZES.get(label.kind, _SMALL)
    style = f"words, anchor={_ANCHORS[label.anchor]}, font={font}"
    if label.kind in _OVER:
        style += ", over"
    if label.angle:
        style += f", rotate={-label.angle:.2f}"
    if label.kind in _QUIET:
        style += ", text=quiet"
    elif label.colour is not None and label.kind is not Kind.POINT:
        letter = "n" if label.kind is Kind.VALUE else "t"
        style += f", text={letter}{label.colour % len(LIGHT.colours)}"
    for row, line in enumerate(label.lines):
        x, y = label.shift[0], label.shift[1] + row * LEADING * label.size
        at = (label.at[0] + x * cos - y * sin, label.at[1] + x * sin + y * cos)
        yield rf"\node[{style}] at {_at(at)} {{{_set(line)}}};"


def _key(key: Key, solid: bool) -> Iterator[str]:
    (x, y), hue = key.at, key.colour % len(LIGHT.colours)
    across = ((x, y), (x + SAMPLE, y))
    match key.swatch:
        case Swatch.LINE:
            yield _line(f"curve, draw=l{hue}", across)
        case Swatch.DASHED:
            yield _line(f"ceiling, draw=l{hue}", across)
        case Swatch.RULE:
            yield _line("rule", across)
        case Swatch.ARROW:
            yield _line(f"shaft, draw=l{hue}, fill=l{hue}", across)
        case Swatch.AREA:
            opacity = "" if solid else ", fill opacity=.1"
            corners = f"{_at((x + 3, y - 6))} rectangle {_at((x + 17, y + 6))}"
            yield rf"\fill[fill=f{hue}{opacity}] {corners};"
        case Swatch.DOT | Swatch.CROSS:
            yield _dot((x + SAMPLE / 2, y), 4.5, hue, key.swatch is Swatch.CROSS)
        case Swatch.NONE:
            pass
    yield from _words(key.label)


def _set(text: str) -> str:
    """Return a line as LaTeX, raised digits as such."""
    parts: list[str] = []
    last = 0
    for found in _RAISED.finditer(text):
        parts.append(tex(text[last : found.start()]))
        parts.append(rf"\textsuperscript{{{found[0].translate(_LOWERED)}}}")
        last = found.end()
    return "".join([*parts, tex(text[last:])])


def _line(style: str, points: Iterable[Place]) -> str:
    return rf"\draw[{style}] {_path(points)};"


def _path(points: Iterable[Place]) -> str:
    return " -- ".join(map(_at, points))


def _at(place: Place) -> str:
    return f"({place[0]:.1f},{place[1]:.1f})"
