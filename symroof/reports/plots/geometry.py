"""Plane geometry of a layout: boxes, turned rectangles, clipping; y grows downward."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from symroof.reports.plots.plot import Place


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle along the axes.

    Examples
    --------
    >>> Box(0, 0, 4, 3).width, Box(0, 0, 4, 3).inset(1)
    (4, Box(left=1, top=1, right=3, bottom=2))
    """

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        """From left to right."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """From top to bottom."""
        return self.bottom - self.top

    def inset(self, by: float) -> Box:
        """Return the box that much smaller on each side."""
        return Box(self.left + by, self.top + by, self.right - by, self.bottom - by)

    def holds(self, place: Place, slack: float = 0.0) -> bool:
        """Whether a place lies in it, or on its edge."""
        x, y = place
        return (
            self.left - slack <= x <= self.right + slack
            and self.top - slack <= y <= self.bottom + slack
        )


class Plate:
    """A rectangle turned about its centre: where a label lies.

    Parameters
    ----------
    centre : (float, float)
        Its middle.
    half_width, half_height : float
        Half of its sides.
    angle : float
        In degrees, clockwise on the screen.

    Examples
    --------
    >>> flat, turned = Plate((0, 0), 10, 2, 0), Plate((0, 8), 10, 2, 90)
    >>> flat.overlaps(turned), flat.overlaps(Plate((0, 13), 10, 2, 90))
    (True, False)
    >>> flat.crossed((0, -5), (0, 5)), flat.crossed((11, -5), (11, 5))
    (True, False)
    """

    __slots__ = ("_cos", "_sin", "bounds", "centre", "flat", "half_height", "half_width")

    def __init__(self, centre: Place, half_width: float, half_height: float, angle: float) -> None:
        self.centre = centre
        self.half_width = half_width
        self.half_height = half_height
        self.flat = angle == 0
        self._cos, self._sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        reach_x = abs(half_width * self._cos) + abs(half_height * self._sin)
        reach_y = abs(half_width * self._sin) + abs(half_height * self._cos)
        x, y = centre
        self.bounds = Box(x - reach_x, y - reach_y, x + reach_x, y + reach_y)

    @property
    def corners(self) -> tuple[Place, ...]:
        """The four corners in turn."""
        x, y = self.centre
        a, b, c, s = self.half_width, self.half_height, self._cos, self._sin
        turns = ((-a, -b), (a, -b), (a, b), (-a, b))
        return tuple((x + u * c - v * s, y + u * s + v * c) for u, v in turns)

    def within(self, box: Box) -> bool:
        """Whether it lies wholly in a box."""
        own = self.bounds
        return (
            own.left >= box.left
            and own.right <= box.right
            and own.top >= box.top
            and own.bottom <= box.bottom
        )

    def overlaps(self, other: Plate) -> bool:
        """Whether the two share a place."""
        a, b = self.bounds, other.bounds
        if a.left >= b.right or b.left >= a.right or a.top >= b.bottom or b.top >= a.bottom:
            return False
        if self.flat and other.flat:
            return True
        return not (self._apart(other) or other._apart(self))

    def crossed(self, start: Place, end: Place) -> bool:
        """Whether a straight line from `start` to `end` touches it."""
        own = self.bounds
        if (
            max(start[0], end[0]) < own.left
            or min(start[0], end[0]) > own.right
            or max(start[1], end[1]) < own.top
            or min(start[1], end[1]) > own.bottom
        ):
            return False
        if self.flat:
            return clip_segment(start, end, own) is not None
        inside = Box(-self.half_width, -self.half_height, self.half_width, self.half_height)
        return clip_segment(self._local(start), self._local(end), inside) is not None

    def near(self, place: Place, radius: float) -> bool:
        """Whether a disc touches it."""
        x, y = self._local(place)
        return (
            math.hypot(max(abs(x) - self.half_width, 0.0), max(abs(y) - self.half_height, 0.0))
            < radius
        )

    def _local(self, place: Place) -> Place:
        x, y = place[0] - self.centre[0], place[1] - self.centre[1]
        return x * self._cos + y * self._sin, y * self._cos - x * self._sin

    def _apart(self, other: Plate) -> bool:
        """Whether a line along one of my sides separates the two."""
        inside = [self._local(corner) for corner in other.corners]
        return (
            all(x >= self.half_width for x, _ in inside)
            or all(x <= -self.half_width for x, _ in inside)
            or all(y >= self.half_height for _, y in inside)
            or all(y <= -self.half_height for _, y in inside)
        )


def clip_segment(start: Place, end: Place, box: Box) -> tuple[Place, Place] | None:
    """Return the part of a straight line that lies in a box, by Liang and Barsky.

    Examples
    --------
    >>> clip_segment((-1, 1), (3, 1), Box(0, 0, 2, 2))
    ((0.0, 1.0), (2.0, 1.0))
    """
    (x, y), (dx, dy) = start, (end[0] - start[0], end[1] - start[1])
    first, last = 0.0, 1.0
    for step, room in (
        (-dx, x - box.left),
        (dx, box.right - x),
        (-dy, y - box.top),
        (dy, box.bottom - y),
    ):
        if step == 0:
            if room < 0:
                return None
            continue
        at = room / step
        if step < 0:
            first = max(first, at)
        else:
            last = min(last, at)
        if first > last:
            return None
    return (x + first * dx, y + first * dy), (x + last * dx, y + last * dy)


def clip_line(points: Sequence[Place], box: Box) -> tuple[tuple[Place, ...], ...]:
    """Return the pieces of a line of straight parts that lie in a box.

    Examples
    --------
    >>> clip_line([(0, 1), (4, 1), (4, 9), (0, 1)], Box(0, 0, 2, 2))
    (((0.0, 1.0), (2.0, 1.0)), ((0.5, 2.0), (0.0, 1.0)))
    """
    pieces: list[list[Place]] = []
    for start, end in pairwise(points):
        inside = clip_segment(start, end, box)
        if inside is None or inside[0] == inside[1]:
            continue
        if pieces and math.dist(pieces[-1][-1], inside[0]) < 1e-6:
            pieces[-1].append(inside[1])
        else:
            pieces.append(list(inside))
    return tuple(map(tuple, pieces))


def clip_area(corners: Sequence[Place], box: Box) -> tuple[Place, ...]:
    """Return the part of an area that lies in a box, by Sutherland and Hodgman.

    Examples
    --------
    >>> clip_area([(-1, 0), (1, 0), (1, 1), (-1, 1)], Box(0, 0, 9, 9))
    ((0.0, 0.0), (1, 0), (1, 1), (0.0, 1.0))
    """
    found = list(corners)
    edges: tuple[tuple[int, float, Callable[[float, float], bool]], ...] = (
        (0, box.left, lambda at, edge: at >= edge),
        (0, box.right, lambda at, edge: at <= edge),
        (1, box.top, lambda at, edge: at >= edge),
        (1, box.bottom, lambda at, edge: at <= edge),
    )
    for along, edge, inside in edges:
        before, found = found, []
        for start, end in zip([*before[-1:], *before[:-1]], before, strict=True):
            if inside(start[along], edge) != inside(end[along], edge):
                share = (edge - start[along]) / (end[along] - start[along])
                cut = [start[axis] + share * (end[axis] - start[axis]) for axis in (0, 1)]
                cut[along] = float(edge)
                found.append((cut[0], cut[1]))
            if inside(end[along], edge):
                found.append(end)
    return tuple(found)


def area_holds(corners: Sequence[Place], place: Place) -> bool:
    """Whether a place lies in an area, by counting what a ray from it crosses.

    Examples
    --------
    >>> area_holds([(0, 0), (4, 0), (0, 4)], (1, 1)), area_holds([(0, 0), (4, 0), (0, 4)], (3, 3))
    (True, False)
    """
    x, y = place
    inside = False
    for (ax, ay), (bx, by) in zip(corners, (*corners[1:], *corners[:1]), strict=True):
        if (ay > y) != (by > y) and x < ax + (y - ay) / (by - ay) * (bx - ax):
            inside = not inside
    return inside


def thinned(points: Sequence[Place], tolerance: float) -> tuple[Place, ...]:
    """Return a line without the points that it passes by less than `tolerance` anyhow.

    The way is Douglas and Peucker's.

    Examples
    --------
    >>> thinned([(0, 0), (1, 0.001), (2, 0), (3, 1)], 0.01)
    ((0, 0), (2, 0), (3, 1))
    """
    keep = {0, len(points) - 1}
    open_spans = [(0, len(points) - 1)]
    while open_spans:
        first, last = open_spans.pop()
        if last - first < 2:
            continue
        a, b = points[first], points[last]
        far, index = max((distance(points[at], a, b), at) for at in range(first + 1, last))
        if far > tolerance:
            keep.add(index)
            open_spans += [(first, index), (index, last)]
    return tuple(point for at, point in enumerate(points) if at in keep)


def distance(place: Place, start: Place, end: Place) -> float:
    """Return how far a place is from a straight line between two others.

    Examples
    --------
    >>> distance((1, 1), (0, 0), (4, 0)), distance((7, 4), (0, 0), (4, 0))
    (1.0, 5.0)
    """
    dx, dy = end[0] - start[0], end[1] - start[1]
    square = dx * dx + dy * dy
    share = 0.0
    if square:
        share = ((place[0] - start[0]) * dx + (place[1] - start[1]) * dy) / square
    share = min(1.0, max(0.0, share))
    return math.dist(place, (start[0] + share * dx, start[1] + share * dy))
