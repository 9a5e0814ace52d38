"""``symroof validate``: kernels on this machine against the roofs of a chip."""

from __future__ import annotations

import click

from symroof.cli.measure import QUICK, threads_option
from symroof.cli.options import chip_option, format_option


@click.command(short_help="Time kernels on this machine against the bound of a chip.")
@chip_option
@threads_option("Threads of BLAS.  [default: all CPUs]")
@click.option("--rounds", type=int, metavar="N", help="How often to time each.  [default: 5]")
@QUICK
@format_option
def validate(
    chip: str | None, threads: int | None, rounds: int | None, quick: bool, output_format: str
) -> None:
    """Time dot, axpy, gemv, gemm, softmax and FFT at many sizes against the bound of a chip.

    The chip is this machine's, as `symroof measure` writes it. A bound is at most the measured
    time, or a reason is given; the first line says for how many that holds.

    \b
    symroof validate --chip machine.toml
    """  # noqa: D301
    from symroof.cli.measure_view import validate_view
    from symroof.cli.progress import progress
    from symroof.cli.text import show, write_json
    from symroof.errors import InputError
    from symroof.hardware import chip as find_chip
    from symroof.probes.validating import steps
    from symroof.probes.validating import validate as validated

    if chip is None:
        raise InputError(
            "say which chip this machine is: a file that `symroof measure -o FILE` wrote",
            where="--chip",
        )
    found = find_chip(chip)
    with progress("validate", steps=steps(found, rounds=rounds, quick=quick)) as bar:
        answer = validated(found, threads=threads, rounds=rounds, quick=quick, tick=bar.tick)
    if output_format == "json":
        write_json(answer.to_dict())
    else:
        show(*validate_view(answer))
