"""``symroof tiles``: what a contraction moves and holds in tiles, and which tile is best."""

from __future__ import annotations

import click

from symroof.cli.options import chip_option, dtype_option, format_option, set_option, spec_argument


@click.command(short_help="Tiles of a contraction: what they move, hold, and which is best.")
@spec_argument
@chip_option
@click.option("--level", metavar="NAME", help="The level of memory that tiles stream from.")
@click.option(
    "--capacity",
    metavar="AMOUNT|LEVEL",
    help="The fast memory that holds the tiles: '256 KiB', or a level of the chip.",
)
@click.option("--tile", metavar="MxNxK", help="The tile: 128x128x32, or 'b, b, 1' with symbols.")
@click.option(
    "--keep",
    type=click.Choice(["output", "left", "right", "best"]),
    default="output",
    show_default=True,
    help="The tile that stays while the others stream past it.",
)
@click.option("--op", metavar="NAME", help="The op, where SPEC has several contractions.")
@set_option
@dtype_option
@format_option
def tiles(
    spec: str,
    chip: str | None,
    level: str | None,
    capacity: str | None,
    tile: str | None,
    keep: str,
    op: str | None,
    settings: tuple[str, ...],
    dtype: str | None,
    output_format: str,
) -> None:
    """Show the traffic, the room and the lost work of a contraction in tiles, and the best tile.

    SPEC is an einsum string ("mn,nk->mk"), a named algorithm or a TOML file with a contraction.
    Without --tile it is worked off in tiles of b by b.

    \b
    symroof tiles "mk,kn->mn" --chip h100-sxm --set m=4096 --set n=4096 --set k=4096
    symroof tiles "mk,kn->mn" --capacity "228 KiB" --set m=4096 --set n=4096 --set k=4096
    symroof tiles "mk,kn->mn" --chip a100-sxm-80gb --tile 128x128x32 --set m=1000 --set n=1000 --set k=64
    """  # noqa: D301, E501
    from symroof.cli.inside import read_tile
    from symroof.cli.question import read_settings
    from symroof.cli.text import Lines, show, write_json
    from symroof.tiles import tiling

    block = None if tile is None else read_tile(tile, "--tile", keep)
    asked = tiling(
        spec, block, chip=chip, level=level, capacity=capacity, keep=keep, op=op, dtype=dtype
    )
    made = asked.at(**read_settings(settings))
    if output_format == "json":
        write_json(made.to_dict())
        return
    (op, sizes), *rows = made.rows()
    show(f"{op}: {sizes}", [Lines(rows)])
