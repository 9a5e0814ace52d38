"""``symroof compare``: a table of timings against the roof of a chip."""

from __future__ import annotations

from pathlib import Path

import click

from symroof.cli.complete import OutputPath
from symroof.cli.inside import InsideArguments, inside_options
from symroof.cli.timings_options import named_chip, pairs, say_bad, timings_options


@click.command(short_help="A CSV of timings against the bound of a chip.")
@timings_options
@inside_options
@click.option(
    "--above",
    default="0 s",
    metavar="TIME",
    help="Leave out shorter rows.  [default: none]",
)
@click.option(
    "--rows",
    type=click.IntRange(min=0),
    metavar="N",
    help="How many rows to list, the worst first.  [default: 5; all in JSON]",
)
@click.option(
    "--plot",
    "picture",
    type=OutputPath(("png", "svg", "pdf"), "rows"),
    metavar="FILE",
    help="Draw the rows under the roofs: .png, .svg or .pdf.",
)
def compare(
    table: str,
    chip: str | None,
    op: str,
    columns: tuple[str, ...],
    time: str | None,
    filters: tuple[str, ...],
    dtype: str | None,
    inside: InsideArguments,
    output_format: str,
    above: str,
    rows: int | None,
    picture: Path | None,
) -> int:
    """Show how far the rows of a table of timings are from their bound on a chip.

    The first line of the table names its columns. Rows above the roof are listed with what may
    explain them; rows that cannot be used are named, and counted.

    \b
    symroof compare gemm.csv --chip l40s --where device=l40s,dtype=bfloat16
    symroof compare gemm.csv --chip l40s --where device=l40s --residency partial --plot gemm.png
    symroof compare ops.csv --chip a100-sxm-80gb --dtype fp16 --where op=matmul --map m=d0,n=d1,k=d2
    """  # noqa: D301
    from symroof.cli.compare_view import compare_view
    from symroof.cli.progress import progress
    from symroof.cli.text import show, write_json
    from symroof.measurements import compare as compared

    if picture is not None:
        from symroof.reports.plots.files import check

        check(picture)
    with progress("compare"):
        found = compared(
            table,
            named_chip(chip),
            op=op,
            columns=pairs(columns, "--map"),
            time=time,
            where=pairs(filters, "--where"),
            dtype=dtype,
            above=above,
            **inside.choices(),
        )
        if picture is not None:
            found.plot().save(picture)
        if output_format == "json":
            document = found.to_dict(rows)
        else:
            title, blocks = compare_view(found, 5 if rows is None else rows)
    if output_format == "json":
        write_json(document)
    else:
        show(title, blocks)
    if picture is not None:
        click.echo(f"wrote {picture}", err=True)
    return say_bad(found.bad, found.rows, table)
