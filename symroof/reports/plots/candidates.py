"""Where the label of a thing may stand, each place with what it costs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import TypeAlias

from symroof.reports.plots.geometry import Box, Plate, area_holds, distance
from symroof.reports.plots.plot import Place, Role
from symroof.reports.plots.scene import Anchor, Label
from symroof.reports.plots.text import ASCENT, DESCENT

Candidates: TypeAlias = Iterator[tuple[float, Label]]

FLAT, STEEP = 4.0, 80.0
PLACES = 14
FAR = (18.0, 32.0, 48.0, 66.0)

# The eight places around a point: where to, which end of the label is near, and the cost.
_AROUND = (
    (1.0, 0.0, Anchor.START, 0.0),
    (0.8, 0.6, Anchor.START, 0.2),
    (0.8, -0.6, Anchor.START, 0.3),
    (0.0, -1.0, Anchor.MIDDLE, 0.4),
    (-1.0, 0.0, Anchor.END, 0.5),
    (-0.8, 0.6, Anchor.END, 0.5),
    (-0.8, -0.6, Anchor.END, 0.6),
    (0.0, 1.0, Anchor.MIDDLE, 0.7),
)
# Between those, for labels with a leader.
_BETWEEN = (
    (0.45, 0.9, Anchor.START, 0.3),
    (0.45, -0.9, Anchor.START, 0.4),
    (-0.45, 0.9, Anchor.END, 0.6),
    (-0.45, -0.9, Anchor.END, 0.7),
)


def around(label: Label, radius: float, far: bool = True) -> Candidates:
    """Yield the eight places around a point, near it and then farther out with a leader.

    Parameters
    ----------
    label : Label
        The label, `at` the point.
    radius : float
        Of the point.
    far : bool
        Whether there may be a leader.

    Examples
    --------
    >>> from symroof.reports.plots.scene import Kind
    >>> found = list(around(Label("op", Kind.POINT, (50.0, 50.0)), 4))
    >>> len(found), found[0][1].leader, found[8][1].leader
    (56, None, (22.0, 0.0))
    """
    for reach in (0.0, *FAR) if far else (0.0,):
        away = radius + (reach or 3.0)
        for dx, dy, anchor, cost in (*_AROUND, *_BETWEEN) if reach else _AROUND:
            x, y = dx * away, dy * away
            if dy:
                drop, rise = (ASCENT, 0.0) if dy > 0 else (-DESCENT, label.below)
                if reach and dx:
                    drop -= math.copysign(0.35, dy)
            else:
                drop, rise = (ASCENT - DESCENT) / 2, label.below / 2
            gap = math.copysign(2.0, dx) if reach and dx else 0.0
            placed = replace(
                label,
                shift=(x + gap, y + drop * label.size - rise),
                anchor=anchor,
                leader=(x, y) if reach else None,
            )
            yield cost + (1.5 + reach / 14 if reach else 0.0), placed


def along(label: Label, points: Sequence[Place], role: Role) -> Candidates:
    """Yield places along a line, turned as it goes, above and below it.

    Roofs are named at their right end where that is level, other lines where they end.

    Examples
    --------
    >>> from symroof.reports.plots.scene import Kind
    >>> label = Label("roof", Kind.LINE, (0.0, 0.0))
    >>> cost, best = min(along(label, ((0.0, 0.0), (100.0, 0.0)), Role.ROOF), key=lambda c: c[0])
    >>> cost, round(best.at[0]), best.angle
    (0.0, 82, 0.0)
    """
    wide = label.wide
    marks = list(accumulate((math.dist(a, b) for a, b in pairwise(points)), initial=0.0))
    free = marks[-1] - wide - 2 * label.size * 0.5
    if free < 0:
        yield from _at_ends(label, points)
        return
    level = abs(_slope(points[-2], points[-1])) < FLAT
    favoured = 1.0 if level or role is Role.CURVE else 0.5 if role is Role.BOUNDARY else 0.3
    for step in range(PLACES + 1):
        part = step / PLACES
        first = label.size * 0.5 + part * free
        start, end = _on(points, marks, first), _on(points, marks, first + wide)
        if start[0] > end[0]:
            start, end = end, start
        angle = _slope(start, end)
        if abs(angle) > STEEP and abs(angle) < 90:
            angle = math.copysign(90.0, angle)
        middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
        over, under = _bulges(points, marks, first, wide, start, end)
        turned = replace(
            label, at=middle, anchor=Anchor.MIDDLE, angle=angle, track=_track(points, middle)
        )
        bent = (over + under) / label.size
        cost = 1.5 * abs(part - favoured) + 4 * bent + (1.0 if abs(angle) > 60 else 0.0)
        yield cost, replace(turned, shift=(0.0, -over - DESCENT * label.size - 2))
        yield cost + 0.6, replace(turned, shift=(0.0, under + ASCENT * label.size + 2))


def _at_ends(label: Label, points: Sequence[Place]) -> Candidates:
    """Yield places at the ends of a line that is shorter than its name."""
    (left, right), lift = sorted((points[0], points[-1])), (DESCENT * label.size + 3)
    drop = ASCENT * label.size + 3
    for at, aside, anchor, cost in (
        (right, -3.0, Anchor.END, 0.5),
        (left, 3.0, Anchor.START, 1.0),
    ):
        for shift in (-lift, drop):
            yield cost, replace(label, at=at, anchor=anchor, shift=(aside, shift))
            cost += 0.3


def beside(label: Label, start: Place, end: Place) -> Candidates:
    """Yield places beside a rule from `start` to `end`, first those at its ends.

    Examples
    --------
    >>> from symroof.reports.plots.scene import Kind
    >>> label = Label("ridge", Kind.RULE, (0.0, 0.0))
    >>> cost, best = min(beside(label, (50.0, 100.0), (50.0, 0.0)), key=lambda c: c[0])
    >>> round(best.at[1]), best.shift
    (94, (4.0, 0.0))
    """
    wide = label.size * (ASCENT + DESCENT)
    gap = 4.0
    track = (start, end)
    if start[0] == end[0]:
        low, high = max(start[1], end[1]), min(start[1], end[1])
        count = max(1, int((low - high - wide) / (wide + 2)))
        for step in range(count):
            y = low - DESCENT * label.size - 3 - step * (low - high - wide - 6) / count
            placed = replace(label, at=(start[0], y), track=track)
            cost = 0.25 * min(step, count - 1 - step + 1)
            yield cost, replace(placed, shift=(gap, 0.0))
            yield cost + 0.15, replace(placed, shift=(-gap, 0.0), anchor=Anchor.END)
        for cost, turned in along(label, (start, end), Role.GUIDE):
            yield cost + 2.5, turned
        return
    for step in range(PLACES + 1):
        x = end[0] - 4 - step / PLACES * (end[0] - start[0] - 8)
        anchor = Anchor.END if step < PLACES / 2 else Anchor.START
        placed = replace(label, at=(x, start[1]), anchor=anchor, track=track)
        yield 0.25 * step, replace(placed, shift=(0.0, -gap))
        yield 0.25 * step + 0.1, replace(placed, shift=(0.0, gap + ASCENT * label.size))


def near(label: Label, start: Place, end: Place) -> Candidates:
    """Yield places around an arrow, at its middle first, then along it.

    Examples
    --------
    >>> from symroof.reports.plots.scene import Kind
    >>> label = Label("batch", Kind.ARROW, (0.0, 0.0))
    >>> next(near(label, (0.0, 0.0), (100.0, 0.0)))[1].at
    (50.0, 0.0)
    """
    for part, cost in ((0.5, 0.0), (0.35, 0.6), (0.7, 0.8)):
        at = tuple(a + part * (b - a) for a, b in zip(start, end, strict=True))
        for more, placed in around(replace(label, at=(at[0], at[1])), 2.0, far=False):
            yield cost + more, placed
    if start != end:
        for more, placed in along(label, (start, end), Role.BOUNDARY):
            yield 0.5 + more, replace(placed, track=None)


def inside(label: Label, corners: Sequence[Place], box: Box) -> Candidates:
    """Yield places in an area where the whole label lies in it, those in its middle the cheapest.

    Examples
    --------
    >>> from symroof.reports.plots.scene import Kind
    >>> label = Label("area", Kind.REGION, (0.0, 0.0))
    >>> corners = ((0.0, 0.0), (100.0, 0.0), (100.0, 80.0), (0.0, 80.0))
    >>> min(inside(label, corners, Box(0, 0, 100, 100)), key=lambda c: c[0])[1].at
    (50.0, 40.0)
    """
    wide, tall = label.wide, label.size * (ASCENT + DESCENT)
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    left, right = max(min(xs), box.left), min(max(xs), box.right)
    top, bottom = max(min(ys), box.top), min(max(ys), box.bottom)
    edges = list(zip(corners, (*corners[1:], *corners[:1]), strict=True))
    reach = min(right - left, bottom - top) / 2 + tall
    found = False
    for angle, extra in ((0.0, 0.0), (-90.0, 2.0)):
        for row in range(1, PLACES):
            for column in range(1, PLACES):
                x = left + (right - left) * column / PLACES
                y = top + (bottom - top) * row / PLACES
                placed = replace(
                    label,
                    at=(x, y),
                    shift=(0.0, label.size * (ASCENT - DESCENT) / 2),
                    anchor=Anchor.MIDDLE,
                    angle=angle,
                )
                if not _holds(corners, edges, placed.plate(4.0)):
                    continue
                found = True
                clear = min(distance((x, y), *edge) for edge in edges)
                off = abs(x - (left + right) / 2) / (right - left + wide)
                yield extra + 4.0 * (1 - min(1.0, clear / reach)) + 2.0 * off, placed
        if found:
            return


def _holds(corners: Sequence[Place], edges: Sequence[tuple[Place, Place]], plate: Plate) -> bool:
    """Whether a label lies wholly in an area."""
    return area_holds(corners, plate.corners[0]) and not any(plate.crossed(*edge) for edge in edges)


def _slope(start: Place, end: Place) -> float:
    return math.degrees(math.atan2(end[1] - start[1], end[0] - start[0]))


def _on(points: Sequence[Place], marks: Sequence[float], way: float) -> Place:
    """Return the place that far along a line."""
    for index, (a, b) in enumerate(pairwise(points)):
        if marks[index + 1] >= way or index == len(points) - 2:
            part = (way - marks[index]) / ((marks[index + 1] - marks[index]) or 1.0)
            return a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1])
    return points[-1]


def _bulges(
    points: Sequence[Place],
    marks: Sequence[float],
    first: float,
    wide: float,
    start: Place,
    end: Place,
) -> tuple[float, float]:
    """Return how far a line goes above and below its chord."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    long = math.hypot(dx, dy) or 1.0
    over = under = 0.0
    for point, mark in zip(points, marks, strict=True):
        if first < mark < first + wide:
            off = ((point[1] - start[1]) * dx - (point[0] - start[0]) * dy) / long
            over, under = max(over, -off), max(under, off)
    return over, under


def _track(points: Sequence[Place], near_to: Place) -> tuple[Place, Place]:
    """Return the straight part of a line nearest to a place."""
    return min(pairwise(points), key=lambda part: distance(near_to, *part))
