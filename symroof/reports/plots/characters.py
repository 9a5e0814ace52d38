"""Plots made of characters, for terminals and plain files."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import cycle
from string import ascii_uppercase

from symroof.reports.plots.plot import (
    Arrow,
    Axis,
    Bars,
    Chart,
    Line,
    Place,
    Plot,
    Point,
    Region,
    Role,
    Rule,
    Scale,
    seen,
)
from symroof.reports.plots.strokes import SOLID, Pattern, Strokes
from symroof.reports.plots.ticks import amount, numbering, share, ticks
from symroof.reports.visible import visible
from symroof.reports.wrapping import TIE, tied, width_of, wrapped

WIDTH, HEIGHT = 76, 18
NARROWEST = 40
FILLS = "█▒░▓=+~:"
LONGEST = 28
"""Columns that the name of a bar may take."""
FIGURES = "123456789"
TOGETHER = 3
"""How many points in one character are named."""
PATTERNS = {
    Role.CEILING: Pattern(3, 5),
    Role.UNDER: Pattern(2, 3),
    Role.GUIDE: Pattern(1, 3, "·"),
}
ARROW = Pattern(1, 2, "·")
HEADS = "→↗↑↖←↙↓↘"
LETTER = 1.5
"""Size of the font for `ticks`, which counts in columns here."""


def characters(plot: Plot, width: int = WIDTH, height: int = HEIGHT) -> list[str]:
    """Return a plot as lines of text, with its legend.

    Points are letters, lines carry figures, and the legend says what they are.

    Parameters
    ----------
    plot : Chart or Bars
        What is drawn.
    width : int
        Columns that the lines take at most.
    height : int
        Lines of the drawing of a chart, without its axes.

    Examples
    --------
    >>> axis = Axis("time", "µs", 0.0, 10.0, Scale.LINEAR)
    >>> bars = Bars("", "", axis, (("matmul", (2.5, 5.0)),), ("compute", "memory"))
    >>> for line in characters(bars, 44):
    ...     print(line)
    time
    matmul  ███████▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒ 7.5 µs
            0            5 µs       10 µs
            █ compute   ▒ memory
    """
    width = min(max(width, NARROWEST), WIDTH)
    if isinstance(plot, Bars):
        return _bars(plot, width)
    return _Drawing(plot, width, height).lines()


# --- charts --------------------------------------------------------------------------------------


class _Drawing:
    """Draws one chart."""

    def __init__(self, chart: Chart, width: int, height: int) -> None:
        self.chart = chart
        self.width = width
        self.x_numbers, self.x_title = numbering(chart.x, narrow=True)
        self.y_numbers, self.y_title = numbering(chart.y, narrow=True)
        marks = ticks(chart.y, height - 1, LETTER, self.y_numbers, upright=True)
        self.y_ticks = [(tick.value, tick.label) for tick in marks if tick.label]
        self.gutter = max([len(label) for _, label in self.y_ticks], default=0) + 1
        self.grid = Strokes(width - self.gutter - 1, height)
        self.legend: list[tuple[str, str]] = []

    def lines(self) -> list[str]:
        self.rules()
        self.traces()
        self.points()
        self.regions()
        labels = {self.row(value): label for value, label in self.y_ticks}
        lines = wrapped(visible(self.y_title), self.width)
        for at, row in enumerate(self.grid.rows()):
            label = labels.get(at, "")
            lines.append(f"{label:>{self.gutter - 1}} {'┤' if label else '│'}{row}")
        lines.extend(self.below())
        space = " " * self.gutter
        for sign, text in self.legend:
            lines.extend(wrapped(text, self.width, f"{space}{sign} ", space + "  "))
        return lines

    def below(self) -> list[str]:
        """Return the axis of x: a line, its numbers, its title."""
        wide = self.grid.width
        found = ticks(self.chart.x, wide - 1, LETTER, self.x_numbers, upright=False)
        marks = [(self.column(tick.value), tick.label) for tick in found if tick.label]
        places = {column for column, _ in marks}
        rule = "".join(["┬" if at in places else "─" for at in range(wide)])
        space = " " * (self.gutter + 1)
        titles = wrapped(visible(self.x_title), wide)
        centred = [" " * ((wide - width_of(title)) // 2) + title for title in titles if title]
        return [
            " " * self.gutter + "└" + rule,
            (space + _spread(marks, wide)).rstrip(),
            *(space + title for title in centred),
        ]

    # --- places ----------------------------------------------------------------------------------

    def place(self, place: Place) -> Place:
        """Return a place of the axes as parts of the width and the height of the drawing."""
        return _part(self.chart.x, place[0]), _part(self.chart.y, place[1])

    def column(self, x: float) -> int:
        return round(_part(self.chart.x, x) * (self.grid.width - 1))

    def row(self, y: float) -> int:
        return round((1 - _part(self.chart.y, y)) * (self.grid.height - 1))

    def cell(self, place: Place) -> tuple[int, int] | None:
        """Return the column and the row of a place of the axes; None outside of them."""
        if not all(0 <= part <= 1 for part in self.place(place)):
            return None
        return self.column(place[0]), self.row(place[1])

    def explain(self, sign: str, label: str) -> None:
        if label:
            self.legend.append((sign, visible(label)))

    # --- marks -----------------------------------------------------------------------------------

    def rules(self) -> None:
        for mark in self.chart.marks:
            if not isinstance(mark, Rule):
                continue
            if not 0 <= _part(self.chart.x if mark.vertical else self.chart.y, mark.at) <= 1:
                continue
            if mark.vertical:
                for row in range(self.grid.height):
                    self.grid.under((self.column(mark.at), row), "┊")
            else:
                for column in range(self.grid.width):
                    self.grid.under((column, self.row(mark.at)), "┈")
            self.explain("┊" if mark.vertical else "┈", mark.label)

    def traces(self) -> None:
        """Draw lines and arrows, and put their figures and heads on them."""
        figures = iter(FIGURES)
        for mark in self.chart.marks:
            if isinstance(mark, Line):
                places = [self.place(place) for place in mark.points]
                self.grid.line(places, PATTERNS.get(mark.role, SOLID))
                if mark.label:
                    figure = next(figures, "")
                    spot = self.spot(places) if figure else None
                    if spot is not None:
                        self.grid.sign(spot, figure)
                    self.explain(figure if spot else "─", mark.label)
            elif isinstance(mark, Arrow):
                start, end = self.place(mark.start), self.place(mark.end)
                self.grid.line([start, end], ARROW)
                head = self.cell(mark.end)
                sign = self.head(start, end)
                if head is not None:
                    self.grid.sign(head, sign)
                self.explain(sign, mark.label)

    def spot(self, places: Sequence[Place]) -> tuple[int, int] | None:
        """Return where on a line its figure stands: far from signs, near its middle."""
        cells = [cell for cell, _ in self.grid.drawn(places)]
        middle = len(cells) / 2
        free = [(abs(at - middle), cell) for at, cell in enumerate(cells) if self.grid.alone(cell)]
        return min(free)[1] if free else None

    def head(self, start: Place, end: Place) -> str:
        across = (end[0] - start[0]) * self.grid.width
        up = (end[1] - start[1]) * self.grid.height * 2
        if not (math.isfinite(across) and math.isfinite(up)):
            return HEADS[0]
        return HEADS[round(math.atan2(up, across) / (math.pi / 4)) % len(HEADS)]

    def points(self) -> None:
        """Put the points; those in one character share a letter."""
        found: dict[tuple[int, int] | None, list[Point]] = {}
        for mark in self.chart.marks:
            if isinstance(mark, Point):
                found.setdefault(self.cell((mark.x, mark.y)), []).append(mark)
        outside = found.pop(None, [])
        letters = iter(ascii_uppercase)
        rest: list[Point] = []
        for cell, points in found.items():
            letter = next(letters, "")
            if cell is not None:
                self.grid.sign(cell, letter or "•")
            if letter:
                self.together(letter, points, "")
            else:
                rest.extend(points)
        self.together("•", rest, "")
        self.together("-", outside, "; outside")

    def together(self, sign: str, points: Sequence[Point], where: str) -> None:
        """Explain a sign that stands for some points."""
        for point in points[:TOGETHER]:
            self.explain(sign, self.said(point) + where)
        if len(points) > TOGETHER:
            self.explain(sign, f"and {len(points) - TOGETHER} more{where}")

    def said(self, point: Point) -> str:
        """Return what the legend says of a point; its detail often names it already."""
        if point.detail and point.detail.startswith(point.label.partition(",")[0]):
            return point.detail
        place = f"{amount(point.x, self.chart.x.unit)}, {amount(point.y, self.chart.y.unit)}"
        measured = "measured, " if point.measured else ""
        detail = f"; {point.detail}" if point.detail else ""
        return f"{point.label} ({measured}{place}){detail}"

    def regions(self) -> None:
        """Write the names of regions where there is room."""
        for mark in self.chart.marks:
            if isinstance(mark, Region) and mark.label:
                self.region([self.place(corner) for corner in mark.corners], visible(mark.label))

    def region(self, corners: Sequence[Place], label: str) -> None:
        long = width_of(label)
        best = None
        if long == len(label):
            for row in range(self.grid.height):
                y = 1 - (row + 0.5) / self.grid.height
                for start, end in self.grid.gaps(row):
                    if end - start < long + 2:
                        continue
                    inside = [at for at in range(start, end) if _holds(corners, self.middle(at), y)]
                    if len(inside) < long + 2 or inside[-1] - inside[0] >= len(inside):
                        continue
                    spare = len(inside) - long
                    if best is None or spare >= best[0]:
                        best = (spare, inside[0] + spare // 2, row)
        if best is None:
            self.explain(" ", f"region: {label}")
        else:
            self.grid.write((best[1], best[2]), label)

    def middle(self, column: int) -> float:
        return (column + 0.5) / self.grid.width


def _holds(corners: Sequence[Place], x: float, y: float) -> bool:
    """Return whether a place is in a polygon."""
    inside = False
    for (x0, y0), (x1, y1) in zip(corners, (*corners[1:], corners[0]), strict=True):
        if (y0 > y) != (y1 > y) and x < x0 + (y - y0) / (y1 - y0) * (x1 - x0):
            inside = not inside
    return inside


def _part(axis: Axis, value: float) -> float:
    """Return where on an axis a value is; what a logarithm cannot show is far below."""
    try:
        return share(axis, value)
    except (ValueError, ZeroDivisionError):
        return -1e9


def _spread(marks: Sequence[tuple[int, str]], width: int) -> str:
    """Return labels centred on their columns, without overlaps."""
    line = ""
    for column, label in marks:
        start = max(0, min(column - (len(label) - 1) // 2, width - len(label)))
        if not line or start > len(line):
            line = line.ljust(start) + label
    return line


# --- bars ----------------------------------------------------------------------------------------


def _bars(plot: Bars, width: int) -> list[str]:
    numbers, title = numbering(plot.axis, narrow=True)
    names = [_cut(visible(name), LONGEST) for name, _ in plot.rows]
    gutter = max(map(width_of, names), default=0) + 2
    totals = [visible(amount(sum(parts), plot.axis.unit)) for _, parts in plot.rows]
    room = max(10, width - gutter - max(map(width_of, totals), default=0) - 1)
    lines = wrapped(visible(title), width)
    for name, (_, parts), total in zip(names, plot.rows, totals, strict=True):
        bar = _bar(parts, plot.axis, room)
        lines.append(f"{name}{' ' * (gutter - width_of(name))}{bar} {total}")
    marks = [
        (round(_part(plot.axis, tick.value) * (room - 1)), tick.label)
        for tick in ticks(plot.axis, room - 1, LETTER, numbers, upright=False)
        if tick.label
    ]
    lines.append((" " * gutter + _spread(marks, room)).rstrip())
    pairs = list(zip(cycle(FILLS), plot.segments, strict=False))
    used = [pairs[place] for place in seen(plot)]
    legend = f"{TIE}{TIE} ".join([tied(f"{fill} {visible(segment)}") for fill, segment in used])
    if legend:
        lines.extend(wrapped(legend, width, " " * gutter))
    return lines


def _bar(parts: Sequence[float], axis: Axis, room: int) -> str:
    bar, total = "", axis.low if axis.scale is Scale.LINEAR else 0.0
    for fill, part in zip(cycle(FILLS), parts, strict=False):
        total += part
        end = round(min(max(_part(axis, total), 0.0), 1.0) * room) if part > 0 else len(bar)
        bar += fill * (end - len(bar))
    return bar or ("▏" if sum(parts) > 0 else "")


def _cut(text: str, most: int) -> str:
    while width_of(text) > most:
        text = f"{text[: max(1, min(len(text) - 2, most))].rstrip('…')}…"
    return text
