"""``symroof report``: a closed-form report of an algorithm on a machine, in any format."""

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
from symroof.errors import InputError

TERMS = click.Choice(["compute", "memory", "network", "launch"])


@click.command(short_help="A report with every formula, number and condition.")
@spec_argument
@symbol_option(
    "--for",
    "unknown",
    help="Also answer: from which value of this symbol on is SPEC compute-bound?",
)
@click.option(
    "--bound",
    type=TERMS,
    default="compute",
    show_default=True,
    help="The time term that must be the largest, with --for.",
)
@subject_options
@click.option(
    "--memory",
    type=click.Choice(["touched", "full"]),
    help="Of a model, what an iteration streams: what it reads, or all of memory once."
    "  [default: touched]",
)
@click.option("--title", default="", help="Title of the report, instead of the algorithm's.")
@output_option(
    "report.html",
    "Where to write it: .html, .pdf, .md, .tex, .json or .txt; standard output without it.",
    extensions=("html", "pdf", "md", "tex", "json", "txt"),
)
@click.option(
    "--format",
    "output_format",
    metavar="FORMAT",
    help="Format, where the file's name does not say it.  [default: txt]",
)
def report(
    spec: str,
    unknown: str | None,
    bound: str,
    chip: str | None,
    system: SystemArguments,
    settings: tuple[str, ...],
    dtype: str | None,
    model: ModelArguments,
    inside: InsideArguments,
    title: str,
    output: Path | None,
    output_format: str | None,
    memory: str | None,
) -> int:
    """Write a report on SPEC: closed forms, their numbers, the verdict, and how they are checked.

    SPEC is an einsum string ("mn,nk->mk"), a named algorithm (matmul, mlp, attention-decode, ...;
    see `symroof ops`), a TOML file, or a language model (llama-3-8b, a config.json; see `symroof
    model`), with S set, or p and d.

    \b
    symroof report "mn,nk->mk" --chip h100-sxm --for m --set n=4096 --set k=4096 -o matmul.html
    symroof report transformer-layer --chip h100-sxm -o layer.pdf
    symroof report llama-3-8b --chip h100-sxm --set S=1024 -o llama.html
    """  # noqa: D301
    from symroof.cli.models import model_serving, names_model
    from symroof.cli.progress import progress
    from symroof.cli.question import ask
    from symroof.reports.renderers import renderer
    from symroof.reports.report import report as written

    if output_format is not None:
        renderer(output_format)  # a wrong name is refused before anything is worked out
    elif output is not None:
        if not output.suffix:
            raise InputError("the extension says the format, as in report.html", where=str(output))
        output_format = output.suffix
        renderer(output_format)
    if names_model(spec):
        if unknown is not None:
            raise InputError(
                "the report of a model asks for its batch; leave it out", where="--for"
            )
        from symroof.cli.question import check_model_options, machine_of, read_settings

        for option in (*system.options, *inside.options):
            raise InputError("the report of a model takes none; leave it out", where=option)
        check_model_options(spec, system, {}, is_model=True)
        machine = machine_of(spec, chip, system, None)
        given = read_settings(settings)
        served = model_serving(spec, machine, given, dtype, memory or "touched", model)
        _write(written(served, title=title).render(output_format or "txt"), output)
        return 3 if served.fits is False else 0
    if memory is not None:
        raise InputError(f"goes with a language model; {spec[:60]} is none", where="--memory")
    with progress("report", steps=2) as step:
        question = ask(
            spec,
            chip=chip,
            system=system,
            settings=settings,
            dtype=dtype,
            model=model,
            inside=inside,
        )
        step.advance(note="solving")
        roofline = question.roofline
        found = written(roofline, unknown, term=bound, title=title, defaults=question.defaults)
        step.advance(note="writing")
        content = found.render(output_format or "txt")
    _write(content, output)
    if roofline.fits() is not False:
        return 0
    if output is not None:
        click.echo(f"symroof: {roofline.graph.name} does not fit the memory", err=True)
    return 3


def _write(content: str | bytes, output: Path | None) -> None:
    from symroof.files import write_bytes_atomically, write_text_atomically

    if output is None:
        click.echo(content, nl=False)
        return
    if isinstance(content, str):
        write_text_atomically(output, content)
    else:
        write_bytes_atomically(output, content)
    click.echo(f"wrote {output}", err=True)
