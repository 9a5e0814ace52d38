"""A drawing made of characters that every font has: lines as strokes at four heights, and signs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from symroof.reports.plots.plot import Place

LEVELS = "'-._"
"""Strokes in a character, from its top to its bottom."""
DEEP = len(LEVELS)
FLAT, UPRIGHT = "─", "│"
FINE = 4
"""Steps along a line in a character."""

Cell = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Pattern:
    """How a line is drawn: `on` columns of `every`, with a `dot` in the place of strokes."""

    on: int = 1
    every: int = 1
    dot: str = ""

    def shows(self, place: int) -> bool:
        """Return whether something is drawn in a column, or a row."""
        return place % self.every < self.on


SOLID = Pattern()


class Strokes:
    r"""A grid of characters; places in it go from (0, 0), bottom left, to (1, 1), top right.

    Examples
    --------
    >>> strokes = Strokes(16, 3)
    >>> strokes.line([(0, 0), (0.7, 1), (1, 1)])
    >>> strokes.sign((0, 2), "A")
    >>> print(*strokes.rows(), sep="\n")
           __-'─────
       __.''
    A-''
    """

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self._signs: dict[Cell, str] = {}
        self._strokes: dict[Cell, str] = {}
        self._under: dict[Cell, str] = {}

    def alone(self, cell: Cell) -> bool:
        """Return whether no sign stands in a character, nor beside it."""
        column, row = cell
        return not any((column + at, row) in self._signs for at in (-1, 0, 1))

    def gaps(self, row: int) -> Iterator[tuple[int, int]]:
        """Yield where a row is empty: from a column up to, and without, another."""
        layers = (self._signs, self._strokes, self._under)
        start = 0
        for column in range(self.width + 1):
            cell = (column, row)
            if column == self.width or any(cell in layer for layer in layers):
                if column > start:
                    yield start, column
                start = column + 1

    def sign(self, cell: Cell, sign: str) -> None:
        """Put a character, over the lines."""
        self._signs[cell] = sign

    def under(self, cell: Cell, sign: str) -> None:
        """Put a character that is seen where nothing else is."""
        self._under[cell] = sign

    def write(self, cell: Cell, text: str) -> None:
        """Put a text whose characters are one column wide each."""
        for at, character in enumerate(text):
            self.sign((cell[0] + at, cell[1]), character)

    def line(self, places: Sequence[Place], pattern: Pattern = SOLID) -> None:
        """Draw a line through places, over earlier ones; of it only what is inside."""
        for cell, stroke in self.drawn(places, pattern):
            self._strokes[cell] = stroke

    def drawn(self, places: Sequence[Place], pattern: Pattern = SOLID) -> list[tuple[Cell, str]]:
        """Return the characters of a line, in its order."""
        found: list[tuple[Cell, str]] = []
        for run in self._runs(places):
            columns = list(run)
            levels = [run[column] for column in columns]
            flat = [a == b and len(set(a)) == 1 for a, b in pairwise(levels)]
            rightward = columns[-1] >= columns[0]
            for at, column in enumerate(columns):
                even = True in flat[max(0, at - 1) : at + 1]
                for row, stroke in _strokes(*levels[at], even, rightward):
                    if pattern.shows(row if len(columns) == 1 else column):
                        found.append(((column, row), pattern.dot or stroke))
        return found

    def _runs(self, places: Sequence[Place]) -> Iterator[dict[int, tuple[int, int]]]:
        """Yield the levels that a line passes first and last in each column, turn by turn."""
        run: dict[int, list[int]] = {}
        ahead = 0.0
        for start, end in pairwise(places):
            clipped = _clipped(start, end)
            if clipped is None:
                continue
            (x0, y0), (x1, y1) = clipped
            turn = math.copysign(1, x1 - x0) if abs(x1 - x0) * self.width > 0.01 else 0.0
            if run and turn != ahead:
                yield {column: (levels[0], levels[-1]) for column, levels in run.items()}
                run = {}
            ahead = turn
            for x, y in self._walk((x0, y0), (x1, y1)):
                run.setdefault(x, []).append(y)
        if run:
            yield {column: (levels[0], levels[-1]) for column, levels in run.items()}

    def _walk(self, start: Place, end: Place) -> Iterator[tuple[int, int]]:
        """Yield the columns and levels from a place to another, levels counted from the top."""
        wide, high = self.width - 1, self.height * DEEP - 1
        (x0, y0), (x1, y1) = start, end
        steps = math.ceil(max(abs(x1 - x0) * wide * FINE, abs(y1 - y0) * high, 1))
        for step in range(steps + 1):
            part = step / steps
            yield round((x0 + (x1 - x0) * part) * wide), round((1 - y0 - (y1 - y0) * part) * high)

    def rows(self) -> list[str]:
        """Return the drawing as lines, without spaces at their ends."""
        layers = {**self._under, **self._strokes, **self._signs}
        return [
            "".join([layers.get((column, row), " ") for column in range(self.width)]).rstrip()
            for row in range(self.height)
        ]


def _strokes(first: int, last: int, even: bool, rightward: bool) -> Iterator[tuple[int, str]]:
    """Yield the rows and characters of a line in one column, from a level to another."""
    high, low = min(first, last), max(first, last)
    rising = (first > last) == rightward
    slope = "/" if rising else "\\"
    steep = low - high > 2 * DEEP
    for row in range(high // DEEP, low // DEEP + 1):
        top, bottom = max(high - row * DEEP, 0), min(low - row * DEEP, DEEP - 1)
        if bottom - top >= 2:
            yield row, UPRIGHT if steep else slope
        elif even:
            yield row, LEVELS[-1] if top == DEEP - 1 else FLAT
        else:
            yield row, LEVELS[bottom if top >= DEEP // 2 else top]


def _clipped(start: Place, end: Place) -> tuple[Place, Place] | None:
    """Return the part of a line in the unit square; None where there is none."""
    (x0, y0), (x1, y1) = start, end
    if not all(map(math.isfinite, (x0, y0, x1, y1))):
        return None
    low, high = 0.0, 1.0
    for origin, change in ((x0, x1 - x0), (y0, y1 - y0)):
        if change == 0:
            if not 0 <= origin <= 1:
                return None
            continue
        enters, leaves = sorted((-origin / change, (1 - origin) / change))
        low, high = max(low, enters), min(high, leaves)
    if low > high:
        return None
    return (
        (x0 + (x1 - x0) * low, y0 + (y1 - y0) * low),
        (x0 + (x1 - x0) * high, y0 + (y1 - y0) * high),
    )
