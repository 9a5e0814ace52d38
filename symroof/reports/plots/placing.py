"""Labels find places: one after the other, each the best place that is left, or none."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, product
from operator import itemgetter

from symroof.reports.plots.geometry import Box, Plate, distance
from symroof.reports.plots.plot import Place
from symroof.reports.plots.scene import Kind, Label

WORST = 11.0
"""A label that has no place better than this goes to the legend."""

CROSSED, COVERED, LED_ACROSS = 4.0, 6.0, 1.0
ASTRAY, TOO_NEAR = 3.5, 6.0
"""What it costs that the name of a point is so near another one."""
CELL = 24.0
QUIET = 0.4
"""What it costs to cross a rule, of what it costs to cross a line."""


class Board:
    """What is drawn and written already, and where there is room for more.

    Parameters
    ----------
    room : Box
        Where labels may be.

    Examples
    --------
    >>> from symroof.reports.plots.scene import Kind
    >>> board = Board(Box(0, 0, 100, 50))
    >>> first = Label("a", Kind.POINT, (10.0, 20.0))
    >>> [board.place([(0.0, first), (1.0, Label("a", Kind.POINT, (60.0, 20.0)))]).at
    ...  for _ in range(2)]
    [(10.0, 20.0), (60.0, 20.0)]
    """

    def __init__(self, room: Box) -> None:
        self._room = room
        self._plates: list[Plate] = []
        self._leaders: list[tuple[Place, Place]] = []
        self._strokes: list[tuple[Place, Place, float]] = []
        self._dots: dict[tuple[int, int], list[tuple[Place, float]]] = {}

    def draw(self, points: Sequence[Place], weight: float = 1.0) -> None:
        """Note a line, which labels should rather not cross."""
        self._strokes += [(start, end, weight) for start, end in pairwise(points)]

    def dot(self, at: Place, radius: float) -> None:
        """Note a point, which labels should not cover."""
        self._dots.setdefault((int(at[0] // CELL), int(at[1] // CELL)), []).append((at, radius))

    def place(self, candidates: Iterable[tuple[float, Label]]) -> Label | None:
        """Return the best of labels with their costs, and keep its place; None if all are bad."""
        best, least = None, WORST
        for cost, label in sorted(candidates, key=itemgetter(0)):
            if cost >= least:
                break
            plate = label.plate()
            if not plate.within(self._room) or self._blocked(label, plate):
                continue
            cost += self._harm(label, plate, least - cost)
            if cost < least:
                best, least = (label, plate), cost
        if best is None:
            return None
        label, plate = best
        self._plates.append(plate)
        if label.leader is not None:
            self._leaders.append(_led(label))
        return label

    def _blocked(self, label: Label, plate: Plate) -> bool:
        if any(map(plate.overlaps, self._plates)):
            return True
        if any(plate.crossed(*leader) for leader in self._leaders):
            return True
        if label.leader is None:
            return False
        start, end = _led(label)
        return any(other.crossed(start, end) for other in self._plates)

    def _harm(self, label: Label, plate: Plate, limit: float) -> float:
        """Return what it costs that things are covered, if less than the limit."""
        harm = 0.0
        for at, radius in self._dots_near(plate.bounds):
            if plate.near(at, radius):
                harm += COVERED
            elif label.kind is Kind.POINT and plate.near(at, radius + TOO_NEAR):
                harm += ASTRAY if math.dist(at, label.at) > TOO_NEAR else 0.0
            if harm >= limit:
                return harm
        lines = 0.75 + 0.25 * len(label.lines)
        for start, end, weight in self._strokes:
            if plate.crossed(start, end):
                harm += CROSSED * weight * lines
                if harm >= limit:
                    return harm
        if label.leader is not None:
            start, end = _led(label)
            harm += LED_ACROSS * (
                sum(_cross(start, end, *other) for other in self._leaders)
                + sum(_cross(start, end, a, b) for a, b, _ in self._strokes)
            )
            harm += ASTRAY * sum(
                distance(at, start, end) < radius and math.dist(at, start) > TOO_NEAR
                for at, radius in self._dots_near(_spanned(start, end))
            )
        return harm

    def _dots_near(self, box: Box) -> Iterator[tuple[Place, float]]:
        """Yield the points that may touch a box, and some more."""
        columns = range(int((box.left - CELL) // CELL), int((box.right + CELL) // CELL) + 1)
        rows = range(int((box.top - CELL) // CELL), int((box.bottom + CELL) // CELL) + 1)
        for cell in product(columns, rows):
            yield from self._dots.get(cell, ())


def _spanned(start: Place, end: Place) -> Box:
    (left, right), (top, bottom) = sorted((start[0], end[0])), sorted((start[1], end[1]))
    return Box(left, top, right, bottom)


def _led(label: Label) -> tuple[Place, Place]:
    assert label.leader is not None
    x, y = label.at
    return label.at, (x + label.leader[0], y + label.leader[1])


def _cross(a: Place, b: Place, c: Place, d: Place) -> bool:
    return _left(a, b, c) != _left(a, b, d) and _left(c, d, a) != _left(c, d, b)


def _left(a: Place, b: Place, c: Place) -> bool:
    return (b[0] - a[0]) * (c[1] - a[1]) > (b[1] - a[1]) * (c[0] - a[0])
