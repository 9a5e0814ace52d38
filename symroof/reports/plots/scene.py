"""What a layout gives: shapes and words at their places on a canvas; y grows downward."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from symroof.reports.plots.geometry import Box, Plate
from symroof.reports.plots.plot import Axis, Place, Role
from symroof.reports.plots.text import ASCENT, DESCENT, width
from symroof.reports.plots.ticks import Numbering

LEADING = 1.2
"""From one baseline of a label to the next, in sizes of its font."""


class Kind(Enum):
    """What a label names, and so how it looks."""

    TITLE = "title"
    AXIS = "axis"
    TICK = "tick"
    LINE = "line"
    REGION = "region"
    POINT = "point"
    ARROW = "arrow"
    RULE = "rule"
    KEY = "key"
    ROW = "row"
    VALUE = "value"
    TOTAL = "total"


class Anchor(Enum):
    """Which end of a label stands at its place."""

    START = "start"
    MIDDLE = "middle"
    END = "end"


_BEHIND = {Anchor.START: 0.0, Anchor.MIDDLE: 0.5, Anchor.END: 1.0}


@dataclass(frozen=True, slots=True)
class Label:
    """Words at a place.

    Attributes
    ----------
    text : str
        Printable; names of points at the same place stand in a line each.
    kind : Kind
        What it names.
    at : (float, float)
        The place of what it names; with it, it moves.
    shift : (float, float)
        From there to the anchor of the first baseline, before the label is turned about `at`.
    anchor : Anchor
        What part of the baseline is there.
    angle : float
        How far it is turned, in degrees clockwise.
    size : float
        Of the font.
    colour : int or None
        Index into the palette; None for ink.
    leader : (float, float) or None
        Where a thin line from `at` to the label ends, from `at`.
    track : ((float, float), (float, float)) or None
        A straight line along which `at` may slide.
    """

    text: str
    kind: Kind
    at: Place
    shift: Place = (0.0, 0.0)
    anchor: Anchor = Anchor.START
    angle: float = 0.0
    size: float = 12.0
    colour: int | None = None
    leader: Place | None = None
    track: tuple[Place, Place] | None = None

    @property
    def bold(self) -> bool:
        """Whether the font is bold."""
        return self.kind in (Kind.TITLE, Kind.REGION)

    @property
    def lines(self) -> list[str]:
        """The lines of its text."""
        return self.text.split("\n")

    @property
    def wide(self) -> float:
        """How wide it is, before it is turned."""
        return max(width(line, self.size, self.bold) for line in self.lines)

    @property
    def below(self) -> float:
        """How far its last baseline is below its first."""
        return LEADING * self.size * self.text.count("\n")

    def plate(self, margin: float = 1.0) -> Plate:
        """Return the rectangle that it fills, with a margin.

        Examples
        --------
        >>> Label("roof", Kind.LINE, (10.0, 20.0), angle=90.0).plate().bounds.height > 20
        True
        """
        wide, below = self.wide, self.below
        x = self.shift[0] + wide * (0.5 - _BEHIND[self.anchor])
        y = self.shift[1] + self.size * (DESCENT - ASCENT) / 2 + below / 2
        cos, sin = math.cos(math.radians(self.angle)), math.sin(math.radians(self.angle))
        centre = (self.at[0] + x * cos - y * sin, self.at[1] + x * sin + y * cos)
        tall = self.size * (ASCENT + DESCENT) + below
        return Plate(centre, wide / 2 + margin, tall / 2 + margin, self.angle)


@dataclass(frozen=True, slots=True)
class Stroke:
    """A piece of a line, in the frame; `said` is what it is, for a reader who points at it."""

    points: tuple[Place, ...]
    role: Role
    colour: int
    said: str


@dataclass(frozen=True, slots=True)
class Area:
    """A shaded area, in the frame."""

    corners: tuple[Place, ...]
    colour: int
    said: str


@dataclass(frozen=True, slots=True)
class Dot:
    """A point; `said` has a line per fact."""

    at: Place
    radius: float
    colour: int
    measured: bool
    said: str


@dataclass(frozen=True, slots=True)
class Shaft:
    """An arrow, in the frame; without head where the end was cut off."""

    start: Place
    end: Place
    head: bool
    colour: int
    said: str


@dataclass(frozen=True, slots=True)
class Cross:
    """A rule: a line across the frame."""

    start: Place
    end: Place
    said: str


@dataclass(frozen=True, slots=True)
class Cell:
    """A segment of a bar."""

    box: Box
    colour: int
    said: str


class Swatch(Enum):
    """What stands before a line of the legend."""

    LINE = "line"
    DASHED = "dashed"
    AREA = "area"
    DOT = "dot"
    CROSS = "cross"
    ARROW = "arrow"
    RULE = "rule"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Key:
    """An entry of the legend: a sample, and the label right of it."""

    swatch: Swatch
    at: Place
    colour: int
    label: Label


@dataclass(frozen=True, slots=True)
class Mark:
    """A tick: where on its edge of the frame, and whether it has a number."""

    at: float
    major: bool


@dataclass(frozen=True, slots=True)
class Side:
    """An axis as it was laid out."""

    axis: Axis
    numbers: Numbering
    marks: tuple[Mark, ...]


Shape: TypeAlias = Area | Cross | Stroke | Shaft | Dot | Cell


@dataclass(frozen=True, slots=True)
class Scene:
    """A plot on a canvas.

    Attributes
    ----------
    title, description : str
        What is shown, for those who do not see it.
    width, height : float
        Of the canvas.
    size : float
        Of the font of most words.
    frame : Box
        Where the data are.
    x, y : Side or None
        The axes; bars have no y.
    shapes : tuple of Shape
        The data, the first at the back.
    labels : tuple of Label
        All words but those of the legend.
    keys : tuple of Key
        The legend.
    """

    title: str
    description: str
    width: float
    height: float
    size: float
    frame: Box
    x: Side
    y: Side | None
    shapes: tuple[Shape, ...]
    labels: tuple[Label, ...]
    keys: tuple[Key, ...]
