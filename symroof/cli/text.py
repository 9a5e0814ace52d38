"""Printing for people, through rich; and JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import click

WIDTH = 100


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
        widths = [max(len(row[place]) for row in (self.header, *self.rows)) + 2 for place in shown]
        for place in self.optional:
            if sum(widths[i] for i in shown) > width:
                shown.remove(place)
        return shown

    @property
    def filled(self) -> bool:
        """Whether there is anything to print."""
        return bool(self.rows)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A paragraph; `as_is` keeps its lines as they are."""

    text: str
    dim: bool = False
    as_is: bool = False

    @property
    def filled(self) -> bool:
        """Whether there is anything to print."""
        return bool(self.text)


Block = Lines | Grid | Sentence


def show(title: str, blocks: Sequence[Block]) -> None:
    """Print a title and blocks to standard output, in colour where it is a terminal."""
    from rich.console import Console
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=False)
    if console.width > WIDTH:
        console.width = WIDTH
    console.print(Text(title, style="bold"))
    for block in blocks:
        console.print()
        match block:
            case Sentence(text, dim, as_is):
                console.print(Text(text, style="dim" if dim else ""), soft_wrap=as_is)
            case Lines(rows, strong):
                table = Table.grid(padding=(0, 2))
                table.add_column(style="cyan", no_wrap=True)
                table.add_column(overflow="fold")
                for label, text in rows:
                    table.add_row(Text(label), Text(text, style="bold" if strong else ""))
                console.print(table)
            case Grid(header, rows, right):
                shown = block.columns(console.width)
                table = Table(box=None, padding=(0, 2, 0, 0), header_style="cyan")
                for place in shown:
                    justify: Any = "right" if place in right else "left"
                    table.add_column(header[place], justify=justify, overflow="fold")
                for row in rows:
                    table.add_row(*(Text(row[place]) for place in shown))
                console.print(Padding(table, 0))


def write_json(document: dict[str, Any]) -> None:
    """Print a document as JSON, alone on standard output."""
    click.echo(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))
