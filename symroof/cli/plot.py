"""``symroof plot``: a picture of an algorithm on a machine, as PNG, SVG or PDF."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from symroof.cli.options import (
    SystemArguments,
    output_option,
    spec_argument,
    subject_options,
    symbol_option,
)

if TYPE_CHECKING:
    from symroof.plot import Picture
    from symroof.roofline import Roofline

KINDS = ("roofline", "network", "intensity", "times", "regimes", "breakdown")
SYMBOLS = {"intensity": 1, "times": 1, "regimes": 2}
"""Kind -> how many symbols it is drawn over; none where it is not here."""


@click.command(short_help="Draw SPEC on a chip: roofline, intensity, times, regimes, breakdown.")
@spec_argument
@click.option(
    "--kind",
    type=click.Choice(KINDS),
    default="roofline",
    show_default=True,
    help="What to draw.",
)
@symbol_option(
    "--over",
    help="The symbol along the axis, for intensity, times and regimes: one of SPEC's, or bw, link.",
)
@symbol_option("--and", "upward", help="The symbol up, for regimes.")
@subject_options
@output_option(
    "plot.png",
    "Where to write it: .png, .svg or .pdf.",
    extensions=("png", "svg", "pdf"),
    required=True,
)
def plot(
    spec: str,
    kind: str,
    over: str | None,
    upward: str | None,
    chip: str | None,
    system: SystemArguments,
    settings: tuple[str, ...],
    dtype: str | None,
    output: Path,
) -> None:
    """Draw SPEC on a chip, to a PNG, SVG or PDF file.

    SPEC is an einsum string ("mn,nk->mk"), a named algorithm (matmul, mlp, attention-decode, ...;
    see `symroof ops`), or a TOML file. What is not set takes the value the spec gives it.

    \b
    symroof plot mlp --chip h100-sxm -o mlp.png
    symroof plot mlp --chip h100-sxm --kind times --over B -o times.svg
    symroof plot mlp --chip h100-sxm --kind regimes --over B --and F -o map.pdf
    """  # noqa: D301
    from symroof.cli.question import ask
    from symroof.reports.plots.files import check

    check(output)
    names = _symbols(kind, over, upward)
    question = ask(spec, chip=chip, system=system, settings=settings, dtype=dtype)
    _draw(kind, question.roofline, names).save(output)
    click.echo(f"wrote {output}", err=True)


def _symbols(kind: str, over: str | None, upward: str | None) -> list[str]:
    """Return the symbols to draw over, as many as the kind takes."""
    from symroof.errors import InputError

    given = [("--over", over), ("--and", upward)]
    wanted = SYMBOLS.get(kind, 0)
    for place, (option, name) in enumerate(given):
        if place < wanted and not name:
            raise InputError(f"a plot of {kind} needs {option} NAME, a symbol of SPEC")
        if place >= wanted and name:
            raise InputError(f"a plot of {kind} takes no {option}", where=f"{option} {name:.40}")
    return [name for _, name in given if name]


def _draw(kind: str, roofline: Roofline, names: list[str]) -> Picture:
    from symroof import plot as plots
    from symroof.errors import InputError
    from symroof.reports.plots.axes import NumbersNeededError

    builder: Any = getattr(plots, kind)
    try:
        picture: Picture = builder(roofline, *names)
    except NumbersNeededError as error:
        values = " ".join(f"--set {name}=..." for name in error.names)
        raise InputError(
            f"{error.plot} needs numbers for {', '.join(error.names)}: {values}"
        ) from None
    return picture
