"""``symroof serve``: a language model on a machine under a load."""

from __future__ import annotations

from typing import Any

import click

from symroof.cli.complete import complete_dtype, complete_model
from symroof.cli.options import chip_option, format_option, model_options, system_option


@click.command(short_help="A language model on a machine: fit, bounds, throughput, what helps.")
@click.argument("config", shell_complete=complete_model)
@chip_option
@click.option("--count", type=int, metavar="N", help="How many of the chip.")
@system_option
@click.option(
    "--context",
    metavar="TOKENS",
    help="Decode at this context: tokens a sequence attends to.",
)
@click.option("--prefill", metavar="TOKENS", help="Tokens of a prompt, with --decode.")
@click.option("--decode", metavar="TOKENS", help="Tokens of an answer, with --prefill.")
@click.option("--source", metavar="TOKENS", help="Tokens an encoder reads, where it has no length.")
@click.option(
    "--trace",
    metavar="FILE|MIX",
    help="Lengths from a CSV file, or of a public mix (sharegpt, lmsys-chat, splitwise), instead.",
)
@click.option("--for", "unknown", metavar="NAME", help="What to solve for.  [default: the batch]")
@click.option(
    "--batch",
    "batches",
    metavar="N,N,…",
    help="Batches to show.  [default: a few, and the largest that fits]",
)
@click.option(
    "--memory",
    type=click.Choice(["touched", "full"]),
    default="touched",
    show_default=True,
    help="What an iteration streams: what it reads, or all of memory once.",
)
@click.option(
    "--dtype",
    metavar="DTYPE",
    help="Of activations.  [default: bf16]",
    shell_complete=complete_dtype,
)
@model_options
@click.option("--tpot", metavar="TIME", help="A latency target: the largest batch within '50 ms'.")
@click.option("--rate", metavar="N", help="Requests per second: how many chips they need.")
@click.option("--price", metavar="PRICE", help="Of one chip, as in '2 USD/h'.")
@format_option
def serve(config: str, output_format: str, **given: Any) -> int:
    """Show whether a model fits a machine, what bounds it, and from which batch that changes.

    CONFIG is a name (llama-3-8b; see `symroof model`), a Hugging Face config.json, or a folder
    that has one. With --context the batch is B sequences that decode; with --prefill and --decode
    it is B_dense tokens of an iteration, those of prompts included.

    \b
    symroof serve llama-3-8b --chip h100-sxm --context 1024
    symroof serve llama-2-70b --chip a100-sxm-80gb --count 8 --prefill 512 --decode 1024
    symroof serve mixtral-8x7b --system 8xh100-sxm --context 4096 --tpot "30 ms" --format json
    """  # noqa: D301
    from symroof.cli.serve_question import ask
    from symroof.cli.serve_view import serve_document, serve_view
    from symroof.cli.text import show, write_json

    question = ask(config, **given)
    if output_format == "json":
        write_json(serve_document(question))
    else:
        show(*serve_view(question))
    return 3 if question.serving.fits is False else 0
