"""Areas and boundary curves from columns: a map cut into strips, as fine as it needs."""

from __future__ import annotations

import math
from bisect import bisect
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

from symroof.reports.plots.plot import Place
from symroof.reports.plots.sampling import decimal

FIRST = 17
MOST = 240
STRAIGHT = 0.001
NARROWEST = 1e-4
TALL = 0.02


@dataclass(frozen=True, slots=True)
class Column:
    """What lies over one x: stretches from low to high.

    Attributes
    ----------
    x : float
        Where it is.
    edges : tuple of float
        The ends of the stretches, one more than there are.
    labels : tuple of str
        What each stretch is; neighbours differ.
    """

    x: float
    edges: tuple[float, ...]
    labels: tuple[str, ...]

    @classmethod
    def joined(cls, x: float, edges: tuple[float, ...], labels: tuple[str, ...]) -> Column:
        """Return a column with equal neighbours made one.

        Examples
        --------
        >>> Column.joined(1.0, (1.0, 2.0, 3.0, 4.0), ("a", "a", "b"))
        Column(x=1.0, edges=(1.0, 3.0, 4.0), labels=('a', 'b'))
        """
        kept_edges, kept = [edges[0]], [labels[0]]
        for edge, label in zip(edges[1:-1], labels[1:], strict=True):
            if label != kept[-1]:
                kept_edges.append(edge)
                kept.append(label)
        return cls(x, (*kept_edges, edges[-1]), tuple(kept))

    def at(self, y: float) -> str:
        """Return the label of the stretch that holds `y`."""
        return self.labels[bisect(self.edges, y, 1, len(self.labels)) - 1]


@dataclass(slots=True)
class Trace:
    """An area between two curves, or one curve (its `lower`); points have rising x."""

    label: str
    lower: list[Place] = field(default_factory=list)
    upper: list[Place] = field(default_factory=list)
    upright: bool = False
    swapped: bool = False

    def turned(self) -> Trace:
        """Return the trace with x for y.

        Examples
        --------
        >>> Trace("a", [(1.0, 2.0)]).turned().lower
        [(2.0, 1.0)]
        """
        lower, upper = ([(y, x) for x, y in points] for points in (self.lower, self.upper))
        return Trace(self.label, lower, upper, self.upright, not self.swapped)

    @property
    def outline(self) -> list[Place]:
        """The corners of an area."""
        return [*self.lower, *reversed(self.upper)]

    @property
    def size(self) -> float:
        """The area in decades by decades."""
        if self.swapped:
            return self.turned().size
        heights = [
            math.log10(above / below)
            for (_, below), (_, above) in zip(self.lower, self.upper, strict=True)
        ]
        widths = (math.log10(b / a) for (a, _), (b, _) in pairwise(self.lower))
        return sum(
            width * (left + right) / 2
            for width, (left, right) in zip(widths, pairwise(heights), strict=True)
        )


class Columns:
    """Columns from one end of an axis to the other, close where edges bend or appear.

    Parameters
    ----------
    column : callable
        Makes the column at an x.
    x_ends, y_ends : pair of Fraction
        The ends of the axes, both logarithmic.
    most : int
        About how many columns to make beyond the first ones.
    whole : bool
        Whether x takes whole numbers only.

    Examples
    --------
    >>> low, high = Fraction(1), Fraction(100)
    >>> made = Columns(
    ...     lambda x: Column(float(x), (1.0, float(x), 100.0), ("a", "b")), (low, high), (low, high)
    ... )
    >>> [round(column.edges[1], 2) for column in made.all()][:3]
    [1.0, 1.15, 1.33]
    """

    def __init__(
        self,
        column: Callable[[Fraction], Column],
        x_ends: tuple[Fraction, Fraction],
        y_ends: tuple[Fraction, Fraction],
        *,
        most: int = MOST,
        whole: bool = False,
    ) -> None:
        self.column = column
        self.x_ends = x_ends
        self.width = math.log(x_ends[1] / x_ends[0])
        self.height = math.log(y_ends[1] / y_ends[0])
        self.left = most
        self.whole = whole

    def all(self) -> list[Column]:
        """Return the columns in order of x."""
        low, high = self.x_ends
        wanted = [float(low) * self._step(i) for i in range(1, FIRST - 1)]
        places = dict.fromkeys(self._place(place) for place in wanted)
        inner = (place for place in places if low < place < high)
        found = [self.column(place) for place in (low, *inner, high)]
        spans = list(pairwise(found))
        while spans and self.left > 0:
            # Breadth first, so that what is left over is spread evenly.
            finer = []
            for a, b in spans:
                middle = self._between(a, b)
                if middle is None:
                    continue
                found.append(middle)
                if not self._straight(a, middle, b):
                    finer += [(a, middle), (middle, b)]
            spans = finer
        return sorted(found, key=lambda column: column.x)

    def _step(self, i: int) -> float:
        return math.exp(self.width * i / (FIRST - 1))

    def _place(self, x: float) -> Fraction:
        return Fraction(round(x)) if self.whole else decimal(x, 9)

    def _between(self, a: Column, b: Column) -> Column | None:
        if math.log(b.x / a.x) < NARROWEST * self.width or self.left <= 0:
            return None
        x = self._place(math.sqrt(a.x) * math.sqrt(b.x))
        if not a.x < x < b.x:
            return None
        self.left -= 1
        return self.column(x)

    def _straight(self, a: Column, middle: Column, b: Column) -> bool:
        if not a.labels == middle.labels == b.labels:
            return False
        share = math.log(middle.x / a.x) / math.log(b.x / a.x)
        for left, found, right in zip(a.edges, middle.edges, b.edges, strict=True):
            guess = math.log(left) + share * math.log(right / left)
            if abs(math.log(found) - guess) > STRAIGHT * self.height:
                return False
        return True


def traces(columns: list[Column]) -> tuple[list[Trace], list[Trace]]:
    """Return the areas that columns make, and the curves between them.

    Examples
    --------
    >>> areas, curves = traces(
    ...     [Column(1.0, (1.0, 9.0), ("a",)), Column(2.0, (1.0, 4.0, 9.0), ("a", "b"))]
    ... )
    >>> [(area.label, area.outline) for area in areas]  # doctest: +ELLIPSIS
    [('a', [(1.0, 1.0), (2.0, 1.0), (2.0, 4.0), (1.0, 9.0)]), ('b', ...)]
    """
    areas: list[Trace] = []
    curves: list[Trace] = []
    open_areas: list[Trace] = []
    open_curves: list[Trace] = []
    before: Column | None = None
    for column in columns:
        open_areas = _areas(areas, before, open_areas, column)
        open_curves = _curves(curves, open_curves, column)
        if before is not None and before.labels != column.labels:
            curves.extend(_upright(before, column))
        before = column
    return areas, [curve for curve in curves if len(curve.lower) > 1]


def _areas(
    areas: list[Trace], before: Column | None, running: list[Trace], column: Column
) -> list[Trace]:
    """Carry the areas of a column on into the next; return those that run on from there."""
    follows = {} if before is None else _matched(before, column)
    found = []
    between = column.x if before is None else math.sqrt(before.x * column.x)
    for i, label in enumerate(column.labels):
        low, high = column.edges[i], column.edges[i + 1]
        earlier = follows.get(i)
        if earlier is None:
            trace = Trace(label)
            areas.append(trace)
            if before is not None:
                trace.lower.append((between, low))
                trace.upper.append((between, high))
        else:
            trace = running[earlier]
        trace.lower.append((column.x, low))
        trace.upper.append((column.x, high))
        found.append(trace)
    if before is not None:
        for i, trace in enumerate(running):
            if i not in follows.values():
                trace.lower.append((between, before.edges[i]))
                trace.upper.append((between, before.edges[i + 1]))
    return found


def _matched(before: Column, column: Column) -> dict[int, int]:
    """Return which stretch of a column goes on from which of the one before, one to one."""
    pairs = [
        (i, j)
        for i, label in enumerate(column.labels)
        for j, other in enumerate(before.labels)
        if label == other
        and max(column.edges[i], before.edges[j]) < min(column.edges[i + 1], before.edges[j + 1])
    ]
    here, there = Counter(i for i, _ in pairs), Counter(j for _, j in pairs)
    return {i: j for i, j in pairs if here[i] == 1 and there[j] == 1}


def _curves(curves: list[Trace], running: list[Trace], column: Column) -> list[Trace]:
    """Carry the curves between stretches on into the next column, by the pair they divide."""
    found = []
    for pair, edges in _edges(column).items():
        earlier = [trace for trace in running if trace.label == pair]
        if len(earlier) != len(edges):
            earlier = [Trace(pair) for _ in edges]
            curves.extend(earlier)
        for trace, edge in zip(earlier, edges, strict=True):
            trace.lower.append((column.x, edge))
            found.append(trace)
    return found


def _edges(column: Column) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for below, above, edge in zip(
        column.labels, column.labels[1:], column.edges[1:-1], strict=False
    ):
        found.setdefault(pair_name(below, above), []).append(edge)
    return found


def pair_name(first: str, second: str) -> str:
    """Return what the curve between two stretches is called.

    Examples
    --------
    >>> pair_name("memory", "compute")
    'compute = memory'
    """
    return " = ".join(sorted((first, second)))


def _upright(before: Column, column: Column) -> list[Trace]:
    """Return the straight lines up between two columns of which stretches differ."""
    x = math.sqrt(before.x * column.x)
    cuts = sorted({*before.edges, *column.edges})
    found: list[Trace] = []
    for low, high in pairwise(cuts):
        middle = math.sqrt(low * high)
        one, other = before.at(middle), column.at(middle)
        if one == other:
            continue
        name = pair_name(one, other)
        if found and found[-1].label == name and found[-1].lower[-1][1] == low:
            found[-1].lower[-1] = (x, high)
        else:
            found.append(Trace(name, [(x, low), (x, high)], upright=True))
    least = TALL * math.log(cuts[-1] / cuts[0])
    return [line for line in found if math.log(line.lower[1][1] / line.lower[0][1]) > least]
