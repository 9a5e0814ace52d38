"""``symroof analyze``: time terms, intensity, bounds and verdict of an algorithm on a machine."""

from __future__ import annotations

import click

from symroof.cli.inside import InsideArguments
from symroof.cli.options import ModelArguments, SystemArguments, machine_options, spec_argument


@click.command(short_help="What bounds SPEC on a chip, op by op.")
@spec_argument
@machine_options
def analyze(
    spec: str,
    chip: str | None,
    system: SystemArguments,
    settings: tuple[str, ...],
    dtype: str | None,
    model: ModelArguments,
    inside: InsideArguments,
    output_format: str,
    explain: bool,
) -> int:
    """Show the work of SPEC, its time terms on a chip, and what bounds it, op by op.

    SPEC is an einsum string ("mn,nk->mk"), a named algorithm (matmul, mlp, attention-decode, ...;
    see `symroof ops`), a TOML file, or a language model (llama-3-8b, a config.json; see `symroof
    model`), of which it is a decoding step in B and S. Symbols that are not set stay in the
    formulas.

    \b
    symroof analyze mlp --chip h100-sxm --set B=64
    symroof analyze my-layer.toml --chip a100-sxm-80gb --format json
    """  # noqa: D301
    from symroof.cli.analyze_view import analyze_view
    from symroof.cli.progress import progress
    from symroof.cli.question import ask
    from symroof.cli.text import show, write_json
    from symroof.roofline.documents import analysis_document

    with progress("analyze", steps=3 if output_format == "json" else 6) as bar:
        question = ask(
            spec,
            chip=chip,
            system=system,
            settings=settings,
            dtype=dtype,
            model=model,
            inside=inside,
            tick=bar.tick,
        )
        if output_format == "json":
            bar.tick("work, times, memory, ops")
            document = analysis_document(question.roofline)
        else:
            title, blocks = analyze_view(question, explain=explain, tick=bar.tick)
        fits = question.roofline.fits()
    if output_format == "json":
        write_json(document)
    else:
        show(title, blocks)
    return 3 if fits is False else 0
