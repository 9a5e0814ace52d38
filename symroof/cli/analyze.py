"""``symroof analyze``: time terms, intensity, bounds and verdict of an algorithm on a machine."""

from __future__ import annotations

import click

from symroof.cli.options import machine_options, spec_argument


@click.command(short_help="What bounds SPEC on a chip, op by op.")
@spec_argument
@machine_options
def analyze(
    spec: str,
    chip: str | None,
    settings: tuple[str, ...],
    dtype: str | None,
    output_format: str,
    explain: bool,
) -> int:
    """Show the work of SPEC, its time terms on a chip, and what bounds it, op by op.

    SPEC is an einsum string ("mn,nk->mk"), a named algorithm (matmul, mlp, attention-decode, ...;
    see `symroof ops`), or a TOML file. Symbols that are not set stay in the formulas.

    \b
    symroof analyze mlp --chip h100-sxm --set B=64
    symroof analyze my-layer.toml --chip a100-sxm-80gb --format json
    """  # noqa: D301
    from symroof.cli.analyze_view import analyze_view
    from symroof.cli.question import ask
    from symroof.cli.text import show, write_json
    from symroof.roofline.documents import analysis_document

    question = ask(spec, chip=chip, settings=settings, dtype=dtype)
    if output_format == "json":
        write_json(analysis_document(question.roofline))
    else:
        show(*analyze_view(question, explain=explain))
    return 3 if question.roofline.fits() is False else 0
