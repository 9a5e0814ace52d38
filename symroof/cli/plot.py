"""``symroof plot``: a picture of an algorithm on a machine, as PNG, SVG or PDF."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from symroof.cli.inside import InsideArguments
from symroof.cli.options import (
    ModelArguments,
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

OPTIONS = ("--over", "--and")


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
    help="The symbol along the axis, for intensity, times and regimes: one of SPEC's, or bw, link;"
    " by default the one that has no value.",
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
    model: ModelArguments,
    inside: InsideArguments,
    output: Path,
) -> None:
    """Draw SPEC on a chip, to a PNG, SVG or PDF file.

    SPEC is an einsum string ("mn,nk->mk"), a named algorithm (matmul, mlp, attention-decode, ...;
    see `symroof ops`), a TOML file, or a language model (llama-3-8b, a config.json; see `symroof
    model`), of which it is a decoding step in B and S. What is not set takes the value the
    spec gives it.

    \b
    symroof plot mlp --chip h100-sxm -o mlp.png
    symroof plot mlp --chip h100-sxm --kind times --over B -o times.svg
    symroof plot mlp --chip h100-sxm --kind regimes --over B --and F -o map.pdf
    """  # noqa: D301
    from symroof.cli.question import ask
    from symroof.reports.plots.files import check

    check(output)
    _refuse_more(kind, over, upward)
    question = ask(
        spec, chip=chip, system=system, settings=settings, dtype=dtype, model=model, inside=inside
    )
    names = _symbols(kind, over, upward, question.roofline)
    _draw(kind, question.roofline, names).save(output)
    click.echo(f"wrote {output}", err=True)


def _refuse_more(kind: str, *given: str | None) -> None:
    """Refuse a symbol that the kind is not drawn over."""
    from symroof.errors import InputError

    for option, name in list(zip(OPTIONS, given, strict=True))[SYMBOLS.get(kind, 0) :]:
        if name:
            raise InputError(f"a plot of {kind} takes no {option}", where=f"{option} {name:.40}")


def _symbols(kind: str, over: str | None, upward: str | None, roofline: Roofline) -> list[str]:
    """Return the symbols to draw over, as many as the kind takes.

    Those that are left out are the free ones, where there are just as many.
    """
    from symroof.errors import InputError

    given = (over, upward)[: SYMBOLS.get(kind, 0)]
    known = list(roofline.unbound.scope.dimensions)
    names = [name for name in known if "." not in name]
    missing = [option for option, name in zip(OPTIONS, given, strict=False) if not name]
    free = [name for name in names if name not in roofline.bindings and name not in given]
    if len(free) != len(missing) and missing:
        rates = dict.fromkeys(name.partition(".")[0] for name in known if "." in name)
        raise InputError(
            f"a plot of {kind} needs {missing[0]} NAME, a symbol of SPEC:"
            f" one of {', '.join([*names, *rates])}"
        )
    left = iter(free)
    return [name or next(left) for name in given]


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
