"""``symroof compare``: a table of timings against the roof of a chip."""

from __future__ import annotations

import click

from symroof.cli.measured import measured_options, named_chip, pairs, say_bad


@click.command(short_help="A CSV of timings against the bound of a chip.")
@measured_options
@click.option(
    "--rows",
    type=click.IntRange(min=0),
    metavar="N",
    help="How many rows to list, the worst first.  [default: 5; all in JSON]",
)
def compare(
    table: str,
    chip: str | None,
    op: str,
    columns: tuple[str, ...],
    time: str | None,
    filters: tuple[str, ...],
    dtype: str | None,
    residency: str,
    output_format: str,
    rows: int | None,
) -> int:
    """Show how far the rows of a table of timings are from their bound on a chip.

    The first line of the table names its columns. Rows above the roof are listed with what may
    explain them; rows that cannot be used are named, and counted.

    \b
    symroof compare gemm.csv --chip l40s --where device=l40s,dtype=bfloat16
    symroof compare gemm.csv --chip l40s --where device=l40s --residency partial
    symroof compare ops.csv --chip a100-sxm-80gb --dtype fp16 --where op=matmul --map m=d0,n=d1,k=d2
    """  # noqa: D301
    from symroof.cli.compare_view import compare_view
    from symroof.cli.progress import progress
    from symroof.cli.text import show, write_json
    from symroof.measurements import compare as compared

    with progress("compare"):
        found = compared(
            table,
            named_chip(chip),
            op=op,
            columns=pairs(columns, "--map"),
            time=time,
            where=pairs(filters, "--where"),
            dtype=dtype,
            residency=residency,
        )
        if output_format == "json":
            document = found.to_dict(rows)
        else:
            title, blocks = compare_view(found, 5 if rows is None else rows)
    if output_format == "json":
        write_json(document)
    else:
        show(title, blocks)
    return say_bad(found.bad, found.rows, table)
