"""Points at the same place are named together: one label, a line for each."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import chain, product

from symroof.reports.plots.candidates import around
from symroof.reports.plots.marks import Wish
from symroof.reports.plots.placing import Board
from symroof.reports.plots.scene import Label

NEAR = 6.0
MOST_LINES = (6, 4, 3)


def groups(wishes: Iterable[Wish]) -> list[list[Wish]]:
    """Return the wishes of points, those together whose points are at the same place, nearly.

    Examples
    --------
    >>> from symroof.reports.plots.scene import Kind, Swatch
    >>> wishes = [
    ...     Wish((0, 0), Swatch.DOT, 0, "op", iter(()), (Label("op", Kind.POINT, (x, 0.0)), 3.0))
    ...     for x in (10.0, 12.0, 40.0)
    ... ]
    >>> [len(group) for group in groups(wishes)]
    [2, 1]
    """
    found: list[list[Wish]] = []
    cells: dict[tuple[int, int], list[list[Wish]]] = {}
    for wish in wishes:
        x, y = (int(along // NEAR) for along in _at(wish))
        around_it = product((x - 1, x, x + 1), (y - 1, y, y + 1))
        for group in chain.from_iterable(cells.get(cell, ()) for cell in around_it):
            if group[0].swatch is wish.swatch and math.dist(_at(group[0]), _at(wish)) < NEAR:
                group.append(wish)
                break
        else:
            found.append([wish])
            cells.setdefault((x, y), []).append(found[-1])
    return found


def named(group: list[Wish], board: Board) -> tuple[list[Label], list[Wish]]:
    """Return the labels of a mark, or of points at one place, and what is left for the legend.

    Examples
    --------
    >>> from symroof.reports.plots.geometry import Box
    >>> from symroof.reports.plots.scene import Kind, Swatch
    >>> def wish(name):
    ...     label = Label(name, Kind.POINT, (50.0, 50.0))
    ...     return Wish((0, 0), Swatch.DOT, 0, name, iter(()), (label, 3.0))
    >>> labels, left = named([wish("q"), wish("k")], Board(Box(0, 0, 200, 100)))
    >>> labels[0].lines, left
    (['q', 'k'], [])
    """
    if len(group) > 1:
        for most in MOST_LINES:
            lines, told = _lines(group, most)
            first, radius = _point(group[0])
            placed = board.place(around(replace(first, text="\n".join(lines)), radius))
            if placed is not None:
                return [placed], [wish for wish in group if _point(wish)[0].text not in told]
    labels: list[Label] = []
    left = group[MOST_LINES[0] :]
    for wish in group[: MOST_LINES[0]]:
        placed = board.place(wish.places)
        if placed is None:
            left.append(wish)
        else:
            labels.append(placed)
    return labels, left


def _lines(group: list[Wish], most: int) -> tuple[list[str], set[str]]:
    """Return at most so many lines, and the names that are in them."""
    counts = Counter(_point(wish)[0].text for wish in group)
    lines = [f"{text} ×{count}" if count > 1 else text for text, count in counts.items()]
    if len(lines) <= most:
        return lines, set(counts)
    kept = most - 1
    return [*lines[:kept], f"and {len(lines) - kept} more"], set(list(counts)[:kept])


def _at(wish: Wish) -> tuple[float, float]:
    return _point(wish)[0].at


def _point(wish: Wish) -> tuple[Label, float]:
    assert wish.point is not None
    return wish.point
