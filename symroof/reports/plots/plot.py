"""A plot as data: axes and marks in the units of the axes; renderers and layout are elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

Place: TypeAlias = tuple[float, float]


class Scale(Enum):
    """How an axis grows."""

    LINEAR = "linear"
    LOG = "log"


@dataclass(frozen=True, slots=True)
class Axis:
    """What an axis shows.

    Attributes
    ----------
    label : str
        ``arithmetic intensity``.
    unit : str
        The unit of its numbers, ``FLOP/byte``; empty for plain numbers.
    low, high : float
        Its ends.
    scale : Scale
        Linear or logarithmic.
    """

    label: str
    unit: str
    low: float
    high: float
    scale: Scale = Scale.LOG


class Role(Enum):
    """What a line is, and so how it is drawn.

    A ceiling is a roof that the algorithm does not reach for, `UNDER` one that lies under a roof
    and holds it down.
    """

    ROOF = "roof"
    CEILING = "ceiling"
    UNDER = "under"
    CURVE = "curve"
    BOUNDARY = "boundary"
    GUIDE = "guide"


@dataclass(frozen=True, slots=True)
class Line:
    """Straight pieces between points; (x, y) with x rising, except for boundaries.

    Attributes
    ----------
    points : tuple of (float, float)
        Where it goes.
    label : str
        Its name, written at the line.
    role : Role
        What it is.
    colour : int
        Index into the palette.
    formula : str
        y as a formula of `variable`, in the grammar of ``parse`` and the units of the axes; empty
        where there is none. The points are checked by it.
    variable : str
        The name of x in the formula.
    """

    points: tuple[Place, ...]
    label: str
    role: Role = Role.CURVE
    colour: int = 0
    formula: str = ""
    variable: str = ""


@dataclass(frozen=True, slots=True)
class Region:
    """A shaded area with its name: ``memory-bound``; `colour` as in Line."""

    corners: tuple[Place, ...]
    label: str
    colour: int = 0


@dataclass(frozen=True, slots=True)
class Point:
    """A point: an op, a measurement.

    Attributes
    ----------
    x, y : float
        Where it is.
    label : str
        Its name.
    size : float
        From 0 to 1: its share.
    colour : int
        Index into the palette.
    detail : str
        What is said when it is pointed at.
    measured : bool
        Whether it was measured, and so is drawn as a cross.
    """

    x: float
    y: float
    label: str
    size: float = 0.3
    colour: int = 0
    detail: str = ""
    measured: bool = False


@dataclass(frozen=True, slots=True)
class Arrow:
    """An arrow from a point to another: what moves an op, and where to."""

    start: Place
    end: Place
    label: str
    colour: int = 0


@dataclass(frozen=True, slots=True)
class Rule:
    """A line across the plot at one x (or y): a ridge point, a crossover."""

    at: float
    label: str
    vertical: bool = True


Mark: TypeAlias = Line | Region | Point | Arrow | Rule


@dataclass(frozen=True, slots=True)
class Chart:
    """Marks on two axes.

    Attributes
    ----------
    title : str
        What is shown.
    description : str
        What one sees, in a sentence or two; read aloud, and printed where nothing is drawn.
    x, y : Axis
        The axes.
    marks : tuple of Mark
        What is drawn, the first at the back.
    """

    title: str
    description: str
    x: Axis
    y: Axis
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class Bars:
    """Stacked horizontal bars: a row per thing, a segment per part.

    Attributes
    ----------
    title, description : str
        As for `Chart`.
    axis : Axis
        Of the lengths.
    rows : tuple of (str, tuple of float)
        A name and the length of each segment.
    segments : tuple of str
        What the segments are.
    """

    title: str
    description: str
    axis: Axis
    rows: tuple[tuple[str, tuple[float, ...]], ...]
    segments: tuple[str, ...]


def seen(bars: Bars) -> list[int]:
    """Return which segments some row has.

    Examples
    --------
    >>> axis = Axis("time", "s", 0, 3, Scale.LINEAR)
    >>> seen(Bars("t", "", axis, (("op", (1, 0, 2)),), ("a", "b", "c")))
    [0, 2]
    """
    places = range(len(bars.segments))
    return [i for i in places if any(i < len(parts) and parts[i] > 0 for _, parts in bars.rows)]


Plot: TypeAlias = Chart | Bars
