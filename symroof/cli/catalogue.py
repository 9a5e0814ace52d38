"""``symroof chips``, ``ops`` and ``explain``: what the library knows."""

from __future__ import annotations

import click

from symroof.cli.complete import complete_chip, complete_op, complete_system
from symroof.cli.options import format_option


@click.command(short_help="The catalogue of chips, or one chip with its sources.")
@click.argument("name", required=False, shell_complete=complete_chip)
@format_option
def chips(name: str | None, output_format: str) -> None:
    """List the chips of the catalogue, or show every number of one, with its source."""
    from symroof.cli import catalogue_view
    from symroof.cli.text import show, write_json

    if name is None:
        view = catalogue_view.chips_document() if output_format == "json" else None
    else:
        view = catalogue_view.chip_document(name) if output_format == "json" else None
    if view is not None:
        write_json(view)
    elif name is None:
        show(*catalogue_view.chips_view())
    else:
        show(*catalogue_view.chip_view(name))


@click.command(short_help="The catalogue of systems, or one system with its sources.")
@click.argument("name", required=False, shell_complete=complete_system)
@format_option
def systems(name: str | None, output_format: str) -> None:
    """List the systems of the catalogue, or show every number of one, with its source.

    NAME may also be a number of a chip, such as 8xh100-sxm, with several numbers for the shape of a
    torus, such as 4x4xtpu-v5e; or a TOML file.
    """
    from symroof.cli import systems_view as views
    from symroof.cli.text import show, write_json

    if output_format == "json":
        write_json(views.systems_document() if name is None else views.system_document(name))
    else:
        show(*(views.systems_view() if name is None else views.system_view(name)))


@click.command(short_help="The ops and the named algorithms.")
@format_option
def ops(output_format: str) -> None:
    """List the ops and the named algorithms."""
    from symroof.cli import catalogue_view
    from symroof.cli.text import show, write_json

    if output_format == "json":
        write_json(catalogue_view.ops_document())
    else:
        show(*catalogue_view.ops_view())


@click.command(short_help="How an op is counted, or what a named algorithm is.")
@click.argument("name", metavar="OP", shell_complete=complete_op)
@format_option
def explain(name: str, output_format: str) -> None:
    """Show how an op is counted and where the count is from, or what a named algorithm is."""
    from symroof.cli import catalogue_view
    from symroof.cli.text import show, write_json

    if output_format == "json":
        write_json(catalogue_view.op_document(name))
    else:
        show(*catalogue_view.op_view(name))
