"""``symroof calibrate``: what of its roofs a chip reaches, from a table of timings."""

from __future__ import annotations

from pathlib import Path

import click

from symroof.cli.complete import OutputPath
from symroof.cli.timings_options import named_chip, pairs, say_bad, timings_options
from symroof.errors import InputError


@click.command(short_help="Fit what a chip reaches to a CSV of timings.")
@timings_options
@click.option(
    "--residency",
    type=click.Choice(["cold", "cached", "partial"]),
    default="cold",
    show_default=True,
    help="Where bytes are charged: main memory, the level that holds all, or in part.",
)
@click.option(
    "--above",
    default="20 us",
    show_default=True,
    metavar="TIME",
    help="Leave out shorter rows: they are launches.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="N",
    help="Which half is fitted, and which resamples give intervals.",
)
@click.option(
    "--resamples",
    type=int,
    default=200,
    show_default=True,
    metavar="N",
    help="Of the bootstrap, for the intervals.",
)
@click.option(
    "--tiles",
    default="auto",
    show_default=True,
    metavar="TILES",
    help="Tiles whose edges and last wave are work: 128x128,128x256, or none.",
)
@click.option(
    "--preparation",
    default="auto",
    show_default=True,
    metavar="BYTES",
    help="Bytes moved before the op, a formula of its dims, or none; quantising by default.",
)
@click.option(
    "--out",
    "-o",
    "output",
    type=OutputPath(("toml",), "chip"),
    help="Write the chip with the fitted ceilings to this file.",
)
def calibrate(
    table: str,
    chip: str | None,
    op: str,
    columns: tuple[str, ...],
    time: str | None,
    filters: tuple[str, ...],
    dtype: str | None,
    residency: str,
    output_format: str,
    above: str,
    seed: int,
    resamples: int,
    tiles: str,
    preparation: str,
    output: Path | None,
) -> int:
    """Fit the fractions of a chip's roofs, and a launch floor, that a table of timings shows.

    Half of the rows is fitted, the other half says how well that predicts. The fractions are saved
    as ceilings of the chip; numbers of its datasheet stay as they are.

    \b
    symroof calibrate gemm.csv --chip l40s --where device=l40s --out l40s-measured.toml
    symroof calibrate gemm.csv --chip b200-sxm --where device=b200_sxm,dtype=nvfp4 --tiles 128x128
    """  # noqa: D301
    from symroof.cli.calibrate_view import calibrate_view
    from symroof.cli.progress import progress
    from symroof.cli.text import show, write_json
    from symroof.measurements import calibrate as calibrated

    if output is not None and output.suffix.lower() != ".toml":
        raise InputError("a chip is a .toml file", where=str(output))
    with progress("calibrate") as bar:
        found = calibrated(
            table,
            named_chip(chip),
            op=op,
            columns=pairs(columns, "--map"),
            time=time,
            where=pairs(filters, "--where"),
            dtype=dtype,
            residency=residency,
            above=above,
            seed=seed,
            resamples=resamples,
            tiles=_tiles(tiles),
            preparation=None if preparation.strip().lower() == "none" else preparation,
            tick=bar.tick,
        )
        if output is not None:
            found.save(output)
    if output_format == "json":
        write_json(found.to_dict())
    else:
        show(*calibrate_view(found))
    if output is not None:
        click.echo(f"wrote {output}", err=True)
    return say_bad(found.bad, found.measured.rows, table)


def _tiles(text: str) -> str | list[str] | None:
    plain = text.strip().lower()
    if plain in ("auto", "none"):
        return "auto" if plain == "auto" else None
    return [part for part in plain.split(",") if part.strip()]
