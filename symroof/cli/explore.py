"""``symroof explore``: a page with a slider for each symbol, and answers that follow it."""

from __future__ import annotations

from pathlib import Path

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


@click.command(short_help="A page with a slider for each symbol of SPEC.")
@spec_argument
@symbol_option("--for", "unknown", help="The symbol whose crossover is shown at first.")
@subject_options
@output_option("explore.html", "The page: an .html file. May be left out with --open.")
@click.option("--open", "shown", is_flag=True, help="Show the page in the browser.")
def explore(
    spec: str,
    unknown: str | None,
    chip: str | None,
    system: SystemArguments,
    settings: tuple[str, ...],
    dtype: str | None,
    model: ModelArguments,
    inside: InsideArguments,
    output: Path | None,
    shown: bool,
) -> None:
    """Write a page on SPEC: sliders, chips to pick from, verdict, roofline, crossover, regime map.

    SPEC may be a language model too: a decoding step in B and S.

    It is one file that needs no network. The sliders start from the values that are set; a symbol
    that is set to a formula follows the others.

    \b
    symroof explore "mn,nk->mk" --chip h100-sxm --set n=4096 --set k=4096 -o explore.html
    symroof explore mlp --chip h100-sxm --open
    """  # noqa: D301
    from symroof.cli.question import ask
    from symroof.errors import InputError
    from symroof.reports.explorer import check_path
    from symroof.reports.explorer import explore as explored

    if output is None and not shown:
        raise InputError("no file named; expected -o explore.html, or --open")
    if output is not None:
        check_path(output)  # before anything is worked out
    if system.latency:
        raise InputError(
            "the page has no sliders for hops; leave it out, or ask for a report", where="--latency"
        )
    question = ask(
        spec, chip=chip, system=system, settings=settings, dtype=dtype, model=model, inside=inside
    )
    page = explored(question.roofline, unknown)
    path = page.save(_somewhere() if output is None else output).resolve()
    if output is not None:
        click.echo(f"wrote {output}", err=True)
    if shown:
        _show(path)


def _somewhere() -> Path:
    from tempfile import mkdtemp

    return Path(mkdtemp(prefix="symroof-")) / "explore.html"


def _show(path: Path) -> None:
    import webbrowser

    from symroof.errors import InputError

    if not webbrowser.open(path.as_uri()):
        raise InputError(f"no browser could be started; the page is in {path}")
