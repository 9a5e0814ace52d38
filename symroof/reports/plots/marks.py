"""The marks of a chart as shapes in its frame, each with a wish to be named."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise

from symroof.reports.plots.candidates import Candidates, along, around, beside, inside, near
from symroof.reports.plots.geometry import Box, clip_area, clip_line, clip_segment, thinned
from symroof.reports.plots.plot import (
    Arrow,
    Axis,
    Chart,
    Line,
    Mark,
    Place,
    Point,
    Region,
    Role,
    Rule,
    Scale,
)
from symroof.reports.plots.scene import (
    Anchor,
    Area,
    Cross,
    Dot,
    Kind,
    Label,
    Shaft,
    Shape,
    Stroke,
    Swatch,
)
from symroof.reports.plots.text import shorten, shown
from symroof.reports.plots.ticks import amount, share

FAR_OFF = 20.0
TOLERANCE = 0.08
LEAST, MOST, CROSS, MANY = 3.2, 10.0, 4.5, 3.0
SMALL = 0.92
LONGEST_NAME, LONGEST_DETAIL = 120, 300
REGIONS = 4.0
"""The rank of regions: after lines, before single points."""
ROOM = {Kind.POINT: 0.42, Kind.REGION: 0.6, Kind.ARROW: 0.5}


@dataclass(frozen=True, slots=True)
class Wish:
    """That a mark be named: the sooner, the lower its rank.

    Attributes
    ----------
    rank : tuple of float
        Lines first, small points last.
    swatch, colour : Swatch, int
        Its sample, if it is named in the legend.
    text : str
        Its name.
    places : iterator of (float, Label)
        Where the name may stand, with costs; empty for what is not in the frame.
    point : (Label, float) or None
        Of a point: the label, at its place, and its radius.
    """

    rank: tuple[float, float]
    swatch: Swatch
    colour: int
    text: str
    places: Candidates
    point: tuple[Label, float] | None = None

    @property
    def entry(self) -> tuple[Swatch, int, str]:
        """What the legend would say."""
        return self.swatch, self.colour, self.text


class Drawing:
    """Turns marks into shapes.

    Parameters
    ----------
    chart : Chart
        Whose marks they are.
    frame : Box
        Where its data are on the canvas.
    size : float
        Of the font.
    """

    def __init__(self, chart: Chart, frame: Box, size: float) -> None:
        self._x, self._y = chart.x, chart.y
        self._frame = frame
        self._size = size

    def of(self, mark: Mark) -> tuple[list[Shape], Wish | None]:
        """Return the shapes of a mark, the first at the back, and how it would be named.

        Examples
        --------
        >>> chart = Chart("t", "", Axis("x", "", 1, 100), Axis("y", "s", 1, 100), ())
        >>> shapes, wish = Drawing(chart, Box(0, 0, 200, 100), 12).of(Point(10, 10, "op"))
        >>> shapes[0].at, wish.text
        ((100.0, 50.0), 'op')
        """
        match mark:
            case Line():
                return self._line(mark)
            case Region():
                return self._region(mark)
            case Rule():
                return self._rule(mark)
            case Arrow():
                return self._arrow(mark)
            case Point():
                return self._point(mark)

    def _line(self, mark: Line) -> tuple[list[Shape], Wish | None]:
        said = shown(mark.label, LONGEST_NAME)
        pieces = [
            thinned(piece, TOLERANCE) for piece in clip_line(self._places(mark.points), self._frame)
        ]
        shapes: list[Shape] = [Stroke(piece, mark.role, mark.colour, said) for piece in pieces]
        swatch = Swatch.DASHED if mark.role in (Role.CEILING, Role.GUIDE) else Swatch.LINE
        label = self._label(mark.label, Kind.LINE, mark.colour)
        longest = max(pieces, key=_length, default=None)
        rank = 0.0 if mark.role is Role.ROOF else 1.0
        places = iter(()) if longest is None else along(label, longest, mark.role)
        return shapes, self._wish((rank, 0), swatch, mark.colour, mark.label, places)

    def _region(self, mark: Region) -> tuple[list[Shape], Wish | None]:
        corners = clip_area(self._places(mark.corners), self._frame)
        corners = thinned((*corners, *corners[:1]), TOLERANCE)[:-1] if corners else ()
        label = self._label(mark.label, Kind.REGION, mark.colour)
        if len(corners) < 3:
            return [], None
        area = Area(corners, mark.colour, shown(mark.label, LONGEST_NAME))
        places = inside(label, corners, self._frame)
        return [area], self._wish((REGIONS, 0), Swatch.AREA, mark.colour, mark.label, places)

    def _rule(self, mark: Rule) -> tuple[list[Shape], Wish | None]:
        frame, axis = self._frame, self._x if mark.vertical else self._y
        if not self._within(axis, mark.at):
            return [], None
        if mark.vertical:
            x = self._across(mark.at)
            start, end = (x, frame.bottom), (x, frame.top)
        else:
            y = self._up(mark.at)
            start, end = (frame.left, y), (frame.right, y)
        value = f"{shown(axis.label)}: {amount(mark.at, axis.unit)}"
        label = self._label(mark.label, Kind.RULE, None)
        said = f"{shown(mark.label, LONGEST_NAME)}\n{value}"
        wish = self._wish((2, 0), Swatch.RULE, 6, mark.label, beside(label, start, end))
        return [Cross(start, end, said)], wish

    def _arrow(self, mark: Arrow) -> tuple[list[Shape], Wish | None]:
        ends = self._places((mark.start, mark.end))
        if len(ends) < 2:
            return [], None
        start, end = ends
        part = clip_segment(start, end, self._frame)
        if part is None:
            return [], None
        head = self._frame.holds(end, 0.5) and start != end
        said = shown(mark.label, LONGEST_NAME)
        label = self._label(mark.label, Kind.ARROW, mark.colour)
        wish = self._wish((3, 0), Swatch.ARROW, mark.colour, mark.label, near(label, *part))
        return [Shaft(*part, head, mark.colour, said)], wish

    def _point(self, mark: Point) -> tuple[list[Shape], Wish | None]:
        swatch = Swatch.CROSS if mark.measured else Swatch.DOT
        sized = min(1.0, max(0.0, mark.size)) if math.isfinite(mark.size) else 0.0
        if not (self._within(self._x, mark.x) and self._within(self._y, mark.y)):
            text = f"{shown(mark.label, 40)} (outside)"
            return [], self._wish((6, 0), swatch, mark.colour, text, iter(()))
        at = (self._across(mark.x), self._up(mark.y))
        cross = CROSS if mark.label else MANY
        radius = cross if mark.measured else LEAST + (MOST - LEAST) * math.sqrt(sized)
        facts = [
            shown(mark.label, LONGEST_NAME),
            *(shown(line, LONGEST_DETAIL) for line in mark.detail.splitlines()),
            f"{shown(self._x.label)}: {amount(mark.x, self._x.unit)}",
            f"{shown(self._y.label)}: {amount(mark.y, self._y.unit)}",
        ]
        label = self._label(mark.label, Kind.POINT, mark.colour, at)
        wish = self._wish((5, -sized), swatch, mark.colour, mark.label, around(label, radius))
        wish = wish and replace(wish, point=(label, radius))
        return [Dot(at, radius, mark.colour, mark.measured, "\n".join(facts))], wish

    def _label(self, text: str, kind: Kind, colour: int | None, at: Place = (0, 0)) -> Label:
        size = self._size * SMALL
        room = self._frame.width * ROOM.get(kind, 0.62)
        cut = shorten(shown(text), room, size, bold=kind is Kind.REGION)
        return Label(cut, kind, at, anchor=Anchor.START, size=size, colour=colour)

    def _wish(
        self,
        rank: tuple[float, float],
        swatch: Swatch,
        colour: int,
        text: str,
        places: Candidates,
    ) -> Wish | None:
        return Wish(rank, swatch, colour, text, places) if shown(text) else None

    def _places(self, points: Iterable[Place]) -> list[Place]:
        return [
            (self._across(x), self._up(y))
            for x, y in points
            if not (math.isnan(x) or math.isnan(y))
        ]

    def _across(self, value: float) -> float:
        return self._frame.left + _part(self._x, value) * self._frame.width

    def _up(self, value: float) -> float:
        return self._frame.bottom - _part(self._y, value) * self._frame.height

    @staticmethod
    def _within(axis: Axis, value: float) -> bool:
        return not math.isnan(value) and -1e-9 <= _part(axis, value) <= 1 + 1e-9


def _part(axis: Axis, value: float) -> float:
    """Return where a value is on an axis; what is too far off, or has no place, is far off."""
    if axis.scale is Scale.LOG and value <= 0:
        return -FAR_OFF
    if math.isinf(value):
        return math.copysign(FAR_OFF, value)
    return min(FAR_OFF, max(-FAR_OFF, share(axis, value)))


def _length(points: tuple[Place, ...]) -> float:
    return sum(math.dist(a, b) for a, b in pairwise(points))
