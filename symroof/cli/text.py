"""Printing for people, through rich; and JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

import click

from symroof.cli.wrapping import columns, reflow, wrap

WIDTH = 100
"""Of text on wider terminals: longer lines are hard to read."""
GAP = "  "
MOST_NARROW = 6
"""Columns that a column of a table keeps."""


@dataclass(frozen=True, slots=True)
class Lines:
    """Labels with one text each, aligned: formulas and their meaning."""

    rows: Sequence[tuple[str, str]]
    strong: bool = False

    @property
    def filled(self) -> bool:
        """Whether there is anything to print."""
        return bool(self.rows)


@dataclass(frozen=True, slots=True)
class Grid:
    """A table with a header; columns of numbers are set to the right.

    Where the terminal is narrow, `optional` columns are left out, the first of them first.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: frozenset[int] = field(default_factory=frozenset)
    optional: tuple[int, ...] = ()

    def columns(self, width: int) -> list[int]:
        """Return the columns to show in `width` characters."""
        shown = list(range(len(self.header)))
        widths = [
            max(columns(row[place]) for row in (self.header, *self.rows)) + len(GAP)
            for place in shown
        ]
        for place in self.optional:
            if sum(widths[i] for i in shown) - len(GAP) > width:
                shown.remove(place)
        return shown

    @property
    def filled(self) -> bool:
        """Whether there is anything to print."""
        return bool(self.rows)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A paragraph, or the paragraphs and examples of a docstring."""

    text: str
    dim: bool = False
    is_doc: bool = False

    @property
    def filled(self) -> bool:
        """Whether there is anything to print."""
        return bool(self.text)


Block = Lines | Grid | Sentence


def show(title: str, blocks: Sequence[Block]) -> None:
    """Print a title and blocks to standard output, in colour where it is a terminal."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, markup=False, emoji=False)
    width = min(console.width, WIDTH)
    for line in _titled(title, blocks, width):
        styled = Text.assemble(*line)
        styled.rstrip()
        console.print(styled, soft_wrap=True)


Line = list[tuple[str, str]]
"""Texts with their styles."""


def _titled(title: str, blocks: Sequence[Block], width: int) -> Iterator[Line]:
    yield from ([(line, "bold")] for line in wrap(_printable(title), width))
    for block in blocks:
        yield []
        match block:
            case Sentence(text, dim, is_doc):
                style = "dim" if dim else ""
                lines = reflow(text, width) if is_doc else wrap(text, width)
                yield from ([(_printable(line), style)] for line in lines)
            case Lines():
                yield from _labelled(block, width)
            case Grid():
                yield from _table(block, width)


def _labelled(block: Lines, width: int) -> Iterator[Line]:
    rows = [(_printable(label), _printable(text)) for label, text in block.rows]
    size = min(max(columns(label) for label, _ in rows), width // 2)
    style = "bold" if block.strong else ""
    for label, text in rows:
        labels, texts = wrap(label, size), wrap(text, max(width - size - len(GAP), MOST_NARROW))
        for left, right in zip_longest(labels, texts, fillvalue=""):
            yield [(_padded(left, size), "cyan"), (GAP, ""), (right, style)]


def _table(block: Grid, width: int) -> Iterator[Line]:
    shown = block.columns(width)
    rows = [[_printable(row[place]) for place in shown] for row in (block.header, *block.rows)]
    limits = _widths(rows, width)
    wrapped = [[wrap(cell, size) for cell, size in zip(row, limits, strict=True)] for row in rows]
    widths = [
        max(columns(part) for cell in cells for part in cell)
        for cells in zip(*wrapped, strict=True)
    ]
    for number, row in enumerate(wrapped):
        for parts in zip_longest(*row, fillvalue=""):
            line: Line = []
            for place, part, size in zip(shown, parts, widths, strict=True):
                text = _padded(part, size, right=place in block.right)
                line += [(text, "cyan" if number == 0 else ""), (GAP, "")]
            yield line


def _widths(rows: Sequence[Sequence[str]], width: int) -> list[int]:
    """Return the widths of columns that fit together: the widest give way, to their last word."""
    natural = [max(map(columns, cells)) for cells in zip(*rows, strict=True)]
    room = width - len(GAP) * (len(natural) - 1)
    if sum(natural) <= room:
        return natural
    least = [
        min(size, max(columns(word) for cell in cells for word in cell.split(" ")))
        for size, cells in zip(natural, zip(*rows, strict=True), strict=True)
    ]
    if sum(least) > room:
        least = [min(size, MOST_NARROW) for size in least]
    cap = max(natural)
    widths = natural
    while sum(widths) > room and cap > 1:
        cap -= 1
        widths = [max(low, min(high, cap)) for low, high in zip(least, natural, strict=True)]
    for place, size in enumerate(natural):  # what is left is less than a place for each column
        if sum(widths) < room and widths[place] < size:
            widths[place] += 1
    return widths


def _padded(text: str, size: int, *, right: bool = False) -> str:
    space = " " * (size - columns(text))
    return space + text if right else text + space


def _printable(text: str) -> str:
    return text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)


def write_json(document: dict[str, Any]) -> None:
    """Print a document as JSON, alone on standard output."""
    click.echo(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))
