"""``symroof crossover``: for which values of a symbol is the algorithm compute-bound?"""

from __future__ import annotations

import click

from symroof.cli.inside import InsideArguments
from symroof.cli.options import (
    ModelArguments,
    SystemArguments,
    machine_options,
    spec_argument,
    symbol_option,
)


@click.command(short_help="From which value of a symbol on is SPEC compute-bound?")
@spec_argument
@symbol_option(
    "--for",
    "unknown",
    required=True,
    help="The symbol to solve for: one of SPEC's, or bw, peak, link, ridge.",
)
@click.option(
    "--bound",
    type=click.Choice(["compute", "memory", "network", "launch"]),
    default="compute",
    show_default=True,
    help="The time term that must be the largest.",
)
@machine_options
def crossover(
    spec: str,
    unknown: str,
    bound: str,
    chip: str | None,
    system: SystemArguments,
    settings: tuple[str, ...],
    dtype: str | None,
    model: ModelArguments,
    inside: InsideArguments,
    output_format: str,
    explain: bool,
) -> None:
    """Solve for the values of a symbol at which SPEC becomes compute-bound.

    SPEC is an einsum string ("mn,nk->mk"), a named algorithm (matmul, mlp, attention, ...; see
    `symroof ops`), a TOML file, or a language model (llama-3-8b, a config.json; see `symroof
    model`), of which it is a decoding step in B and S.

    \b
    symroof crossover "mn,nk->mk" --for m --chip h100-sxm --set n=4096 --set k=4096
    symroof crossover mlp --for B --chip a100-sxm-80gb --format json
    symroof crossover llama-3-8b --for B --chip h100-sxm --weights fp8 --set S=256
    """  # noqa: D301
    from symroof.cli.crossover_view import crossover_view
    from symroof.cli.progress import progress
    from symroof.cli.question import ask
    from symroof.cli.text import show, write_json
    from symroof.roofline.documents import crossover_document

    with progress("crossover", steps=5) as bar:
        question = ask(
            spec,
            chip=chip,
            system=system,
            settings=settings,
            dtype=dtype,
            model=model,
            inside=inside,
            unknown=unknown,
            tick=bar.tick,
        )
        bar.tick(f"solving for {unknown}")
        general = question.general.crossover(unknown, term=bound)
        bar.tick("numbers")
        answer = question.roofline.crossover(unknown, term=bound)
        bar.tick("formulas")
        if output_format == "json":
            thumb = question.roofline.rule_of_thumb(answer, bound)
            document = crossover_document(question.roofline, general, answer, bound, thumb)
        else:
            title, blocks = crossover_view(question, general, answer, bound, explain=explain)
    if output_format == "json":
        write_json(document)
    else:
        show(title, blocks)
