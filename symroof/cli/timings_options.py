"""Options of the commands that read tables of timings, and the words they share."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from symroof.cli.complete import complete_dtype, complete_spec
from symroof.cli.options import chip_option, format_option
from symroof.errors import InputError

if TYPE_CHECKING:
    from symroof.measurements.rows import BadRow

Command = Callable[..., Any]
MOST_BAD = 10
_NEXT = re.compile(r",(?=\s*[^,=()]+=)")


def timings_options(command: Command) -> Command:
    """Add the table, what it times, which rows are meant, and the chip."""
    options = (
        format_option,
        click.option(
            "--dtype",
            metavar="DTYPE",
            help="Of all rows, instead of a column dtype: bf16, fp8_block, fp8/fp8/bf16.",
            shell_complete=complete_dtype,
        ),
        click.option(
            "--where",
            "filters",
            metavar="COLUMN=VALUE",
            multiple=True,
            help="Rows to take: --where device=l40s,dtype=bfloat16.",
        ),
        click.option(
            "--time",
            metavar="COLUMN[:UNIT]",
            help="The time that was measured.  [default: the column called latency_ms or the like]",
        ),
        click.option(
            "--map",
            "columns",
            metavar="DIM=COLUMN",
            multiple=True,
            help="The column of a dim, or a formula of columns: --map m=M,S=isl+step.",
        ),
        click.option(
            "--op",
            default="matmul",
            show_default=True,
            metavar="SPEC",
            help="What was timed: C[m,n] = A[m,k]·B[k,n], an einsum, an algorithm or a TOML file.",
            shell_complete=complete_spec,
        ),
        chip_option,
        click.argument("table", metavar="MEASUREMENTS.csv", type=click.Path()),
    )
    for option in options:
        command = option(command)
    return command


def named_chip(chip: str | None) -> str:
    """Return the chip; it has to be named."""
    if chip is None:
        raise InputError("no chip named; expected --chip NAME or FILE (see: symroof chips)")
    return chip


def pairs(given: Sequence[str], option: str) -> dict[str, str]:
    """Return ``NAME=VALUE`` texts by name; one text may hold several.

    Examples
    --------
    >>> pairs(("device=l40s,dtype=bfloat16", "S=max(a, b)"), "--where")
    {'device': 'l40s', 'dtype': 'bfloat16', 'S': 'max(a, b)'}
    """
    found: dict[str, str] = {}
    for text in given:
        for part in _NEXT.split(text):
            name, equals, value = (piece.strip() for piece in part.partition("="))
            if not name or not equals or not value:
                raise InputError(f"expected NAME=VALUE, got {part[:60]!r}", where=option)
            if name in found:
                raise InputError(f"{name[:60]} is given twice", where=option)
            found[name] = value
    return found


def bad_rows(bad: Sequence[BadRow]) -> list[tuple[str, str]]:
    """Return lines about rows that could not be used, for people."""
    rows = [("bad rows" if place == 0 else "", str(one)) for place, one in enumerate(bad)]
    left = len(rows) - MOST_BAD
    return rows if left <= 0 else [*rows[:MOST_BAD], ("", f"and {left:,} more")]


def say_bad(bad: Sequence[BadRow], rows: int, table: str) -> int:
    """Say on standard error that rows could not be used; return the exit code."""
    if not bad:
        return 0
    more = f", and {len(bad) - 1:,} more" if len(bad) > 1 else ""
    line = f"symroof: {table}: {len(bad):,} of {len(bad) + rows:,} rows cannot be used: {bad[0]}"
    click.echo(line + more, err=True)
    return 2
