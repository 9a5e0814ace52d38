"""A scene as artists of matplotlib: every shape and every word where the layout has put it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Polygon, Rectangle
from matplotlib.patheffects import withStroke
from matplotlib.text import Text

from symroof.reports.plots.geometry import Box
from symroof.reports.plots.legend import SAMPLE
from symroof.reports.plots.palette import LIGHT, Colour
from symroof.reports.plots.plot import Place, Role
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

POINT = 0.72  # A pixel of the scene, of which 100 are an inch, in points.
SHADE = 0.12
INK = 6
HEAD = (9.0, 4.0)

# Width, and lengths drawn and left out (in widths), of a line.
LOOKS: dict[Role, tuple[float, tuple[float, ...]]] = {
    Role.ROOF: (2.6, ()),
    Role.CEILING: (1.5, (4, 3)),
    Role.UNDER: (1.3, ()),
    Role.CURVE: (2.2, ()),
    Role.BOUNDARY: (2.0, ()),
    Role.GUIDE: (1.3, (1.5, 3)),
}
RULE = (1.2, (4, 3))
QUIET = (Kind.TICK, Kind.AXIS, Kind.RULE)
PLAIN = (Kind.POINT, Kind.TITLE, Kind.KEY, Kind.ROW, Kind.TOTAL)
HALOED = (Kind.LINE, Kind.REGION, Kind.POINT, Kind.ARROW, Kind.RULE)
ALIGNED: Mapping[Anchor, Literal["left", "center", "right"]] = {
    Anchor.START: "left",
    Anchor.MIDDLE: "center",
    Anchor.END: "right",
}


def draw(figure: Figure, scene: Scene) -> None:
    """Draw a scene on an empty figure of its size.

    Examples
    --------
    >>> from symroof.reports.plots.layout import layout
    >>> from symroof.reports.plots.plot import Axis, Chart
    >>> figure = Figure()
    >>> draw(figure, layout(Chart("t", "", Axis("x", "", 1, 9), Axis("y", "", 1, 9), ())))
    >>> [text.get_text() for text in figure.axes[0].texts][:2]
    ['t', 'y']
    """
    figure.set_facecolor(LIGHT.sheet)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, scene.width)
    axes.set_ylim(scene.height, 0)
    sheet = _Sheet(axes)
    sheet.grid(scene)
    for shape in scene.shapes:
        sheet.shape(shape)
    for label in scene.labels:
        if label.leader is not None:
            end = (label.at[0] + label.leader[0], label.at[1] + label.leader[1])
            sheet.line((label.at, end), LIGHT.quiet, 0.9)
    for label in scene.labels:
        sheet.label(label)
    for key in scene.keys:
        sheet.key(key, solid=scene.y is None)
        sheet.label(key.label)


class _Sheet:
    """Axes in pixels, y downward; what is added later lies above."""

    def __init__(self, axes: Axes) -> None:
        self.axes = axes
        self.order = 1.0

    def add(self, artist: Any) -> None:
        """Put an artist on top."""
        self.order += 0.001
        artist.set_zorder(self.order)
        artist.set_clip_on(False)
        self.axes.add_artist(artist)

    def line(
        self,
        points: Iterable[Place],
        colour: str,
        width: float,
        dashes: tuple[float, ...] = (),
        **more: Any,
    ) -> None:
        """Draw straight pieces between points."""
        xs, ys = zip(*points, strict=True)
        style: Any = (0, dashes) if dashes else "-"
        self.add(
            Line2D(
                xs,
                ys,
                color=colour,
                linewidth=width * POINT,
                linestyle=style,
                solid_joinstyle="round",
                **more,
            )
        )

    def area(self, corners: Iterable[Place], colour: str, alpha: float = 1.0) -> None:
        """Fill an area, without an edge."""
        self.add(
            Polygon(list(corners), closed=True, facecolor=colour, alpha=alpha, edgecolor="none")
        )

    def box(self, box: Box, colour: str, edge: str, width: float) -> None:
        """Draw a rectangle."""
        self.add(
            Rectangle(
                (box.left, box.top),
                box.width,
                box.height,
                facecolor=colour,
                edgecolor=edge,
                linewidth=width * POINT,
            )
        )

    def grid(self, scene: Scene) -> None:
        """Draw the frame, lines at the ticks with a number, and short marks at the others."""
        box = scene.frame
        self.box(box, "none", LIGHT.grid, 1)
        for mark in scene.x.marks:
            at = box.left + mark.at
            top = box.top if mark.major else box.bottom - 4
            colour = LIGHT.grid if mark.major else LIGHT.quiet
            self.line(((at, box.bottom), (at, top)), colour, 1 if mark.major else 0.6)
        for mark in scene.y.marks if scene.y else ():
            at = box.bottom - mark.at
            right = box.right if mark.major else box.left + 4
            colour = LIGHT.grid if mark.major else LIGHT.quiet
            self.line(((box.left, at), (right, at)), colour, 1 if mark.major else 0.6)

    def shape(self, shape: Shape) -> None:
        """Draw one of the data."""
        match shape:
            case Area(corners, colour, _):
                self.area(corners, _hue(colour).fill, SHADE)
            case Stroke(points, role, colour, _):
                quiet = role is Role.CEILING and colour == INK
                self.line(points, LIGHT.quiet if quiet else _hue(colour).line, *LOOKS[role])
            case Cross(start, end, _):
                self.line((start, end), LIGHT.quiet, *RULE)
            case Shaft(start, end, head, colour, _):
                self.arrow(start, end, _hue(colour).line, head=head)
            case Cell(box, colour, _):
                self.box(box, _hue(colour).fill, LIGHT.sheet, 1)
            case Dot(at, radius, colour, measured, _):
                self.dot(at, radius, colour, measured=measured)

    def dot(self, at: Place, radius: float, colour: int, *, measured: bool) -> None:
        """Draw a point, or a cross where it was measured."""
        (x, y), r = at, radius
        if measured:
            for slope in (-1, 1):
                ends = ((x - r, y - slope * r), (x + r, y + slope * r))
                self.line(ends, _hue(colour).line, 2.4, solid_capstyle="round")
            return
        self.add(
            Circle(
                at,
                radius,
                facecolor=_hue(colour).fill,
                edgecolor=LIGHT.sheet,
                linewidth=1.3 * POINT,
            )
        )

    def arrow(self, start: Place, end: Place, colour: str, *, head: bool) -> None:
        """Draw an arrow; its head ends where it does."""
        long, half = HEAD
        away = math.dist(start, end)
        if not head or away == 0:
            self.line((start, end), colour, 1.7)
            return
        along = ((end[0] - start[0]) / away, (end[1] - start[1]) / away)
        neck = (end[0] - long * along[0], end[1] - long * along[1])
        if away > long:
            self.line((start, neck), colour, 1.7, solid_capstyle="butt")
        aside = (-half * along[1], half * along[0])
        corners = (
            end,
            (neck[0] + aside[0], neck[1] + aside[1]),
            (neck[0] - aside[0], neck[1] - aside[1]),
        )
        self.area(corners, colour)

    def label(self, label: Label) -> None:
        """Write words where they were laid out."""
        for i, line in enumerate(label.lines):
            self.words(label, line, LEADING * label.size * i)

    def words(self, label: Label, line: str, drop: float) -> None:
        """Write one line of a label, so far below its first."""
        cos, sin = math.cos(math.radians(label.angle)), math.sin(math.radians(label.angle))
        across, down = label.shift[0], label.shift[1] + drop
        text = Text(
            label.at[0] + across * cos - down * sin,
            label.at[1] + across * sin + down * cos,
            line,
            color=_ink(label),
            fontsize=label.size * POINT,
            fontweight="bold" if label.bold else "normal",
            horizontalalignment=ALIGNED[label.anchor],
            verticalalignment="baseline",
            rotation=-label.angle,
            rotation_mode="anchor",
            parse_math=False,
        )
        if label.kind in HALOED:
            text.set_path_effects([withStroke(linewidth=3 * POINT, foreground=LIGHT.sheet)])
        self.add(text)

    def key(self, key: Key, *, solid: bool) -> None:
        """Draw the sample of an entry of the legend."""
        (x, y), hue = key.at, _hue(key.colour)
        ends = ((x, y), (x + SAMPLE, y))
        middle = (x + SAMPLE / 2, y)
        match key.swatch:
            case Swatch.LINE:
                self.line(ends, hue.line, *LOOKS[Role.CURVE])
            case Swatch.DASHED:
                self.line(ends, hue.line, *LOOKS[Role.CEILING])
            case Swatch.RULE:
                self.line(ends, LIGHT.quiet, *RULE)
            case Swatch.AREA:
                box = Box(x + 3, y - 6, x + 17, y + 6)
                corners = ((x + 3, y - 6), (x + 17, y - 6), (x + 17, y + 6), (x + 3, y + 6))
                if solid:
                    self.box(box, hue.fill, LIGHT.sheet, 1)
                else:
                    self.area(corners, hue.fill, SHADE)
            case Swatch.DOT:
                self.dot(middle, 4.5, key.colour, measured=False)
            case Swatch.CROSS:
                self.dot(middle, 4.0, key.colour, measured=True)
            case Swatch.ARROW:
                self.arrow(*ends, hue.line, head=True)
            case Swatch.NONE:
                pass


def _hue(colour: int) -> Colour:
    return LIGHT.colours[colour % len(LIGHT.colours)]


def _ink(label: Label) -> str:
    if label.kind in QUIET:
        return LIGHT.quiet
    if label.colour is None or label.kind in PLAIN:
        return LIGHT.ink
    hue = _hue(label.colour)
    return hue.on if label.kind is Kind.VALUE else hue.text
