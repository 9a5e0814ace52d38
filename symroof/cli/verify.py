"""``symroof verify``: recompute every number of a report that was written."""

from __future__ import annotations

from pathlib import Path

import click

from symroof.errors import InputError

MOST_BYTES = 200_000_000
SHOWN = 20


@click.command(short_help="Recompute every number of a report.")
@click.argument("file", type=click.Path(path_type=Path))
def verify(file: Path) -> int:
    """Recompute every number of a report from the formulas that stand in it.

    FILE is a report in JSON, Markdown or text. What does not hold is named, line by line, and the
    exit code is 2.

    \b
    symroof report mlp --chip h100-sxm --for B -o mlp.json
    symroof verify mlp.json
    """  # noqa: D301
    from symroof.reports.renderers import renderer
    from symroof.reports.verify import verify as verified

    if not file.suffix:
        raise InputError("the extension says the format, as in report.json", where=str(file))
    chosen = renderer(file.suffix)
    found = verified(_text(file), chosen.EXTENSIONS[0])
    if not found.faults:
        click.echo(f"{file}: {found.claims:,} numbers recomputed, all hold")
        return 0
    for fault in found.faults[:SHOWN]:
        click.echo(f"symroof: {file}: {fault}", err=True)
    left_out = len(found.faults) - SHOWN
    if left_out > 0:
        click.echo(f"symroof: {file}: and {left_out:,} more", err=True)
    return 2


def _text(file: Path) -> str:
    try:
        if file.stat().st_size > MOST_BYTES:
            raise InputError("too large for a report", where=str(file))
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=str(file)) from None
    except UnicodeDecodeError:
        raise InputError("not text in UTF-8", where=str(file)) from None
