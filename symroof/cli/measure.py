"""``symroof measure``: the roofs of this machine, measured on the spot."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from symroof.cli.complete import OutputPath
from symroof.cli.options import Command, format_option

QUICK = click.option("--quick", is_flag=True, help="A few sizes, shortly: a try-out.")


def threads_option(help_text: str) -> Callable[[Command], Command]:
    """Return ``--threads N``."""
    return click.option("--threads", type=int, metavar="N", help=help_text)


@click.command(short_help="Measure this machine's roofs and write them as a chip.")
@click.option(
    "-o",
    "--output",
    "--out",
    type=OutputPath(("toml",), stem="machine"),
    metavar="FILE",
    help="Where to write the chip, a TOML file that --chip takes.",
)
@click.option(
    "--name", metavar="NAME", help="What the machine is called.  [default: its host name]"
)
@click.option(
    "--device",
    type=click.Choice(["cpu", "gpu"]),
    help="What to measure.  [default: the GPU where torch sees one]",
)
@threads_option("CPU threads to use at most.  [default: all CPUs]")
@click.option("--rounds", type=int, metavar="N", help="How often to repeat all.  [default: 10]")
@QUICK
@format_option
def measure(
    output: Path | None,
    name: str | None,
    device: str | None,
    threads: int | None,
    rounds: int | None,
    quick: bool,
    output_format: str,
) -> None:
    """Measure peak FLOP/s by dtype, bandwidth by level of memory, and the time of a call.

    Kernels run through numpy and its BLAS, and through torch where it is installed, on one to all
    threads. Everything is repeated; the roof is the best run, and the spread how far the median
    of the rounds lies below it. It takes a few minutes, best without other work on the machine.

    \b
    symroof measure -o machine.toml
    symroof validate --chip machine.toml
    symroof analyze mlp --chip machine.toml --residency partial
    """  # noqa: D301
    from symroof.cli.measure_view import measure_view
    from symroof.cli.progress import progress
    from symroof.cli.text import show, write_json
    from symroof.errors import InputError
    from symroof.probes.benches import bench_of
    from symroof.probes.measuring import measure as measured
    from symroof.probes.measuring import steps

    if output is not None and not output.absolute().parent.is_dir():
        raise InputError("there is no such folder", where=str(output))
    points = bench_of(device, threads).points(quick=quick)
    with progress("measure", steps=steps(len(points), rounds=rounds, quick=quick)) as bar:
        found = measured(
            device=device, threads=threads, rounds=rounds, quick=quick, name=name, tick=bar.tick
        )
    if output is not None:
        found.save(output)
        click.echo(f"wrote {output}", err=True)
    if output_format == "json":
        write_json(found.to_dict())
    else:
        show(*measure_view(found))
