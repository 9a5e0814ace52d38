"""``symroof serve``: a language model on a machine under a load."""

from __future__ import annotations

from typing import Any

import click

from symroof.cli.complete import (
    complete_chip,
    complete_dtype,
    complete_model,
    complete_system,
)
from symroof.cli.options import format_option

CUTS = (
    ("tp", "Cut layers over this many chips (tensor parallel).  [default: all chips]"),
    ("pp", "Cut the stack of layers into this many stages (pipeline parallel)."),
    ("ep", "Spread experts over this many chips (expert parallel)."),
    ("dp", "Copies of the model, each with a share of the batch (data parallel)."),
)
PRECISIONS = (
    ("dtype", "Of activations.  [default: bf16]"),
    ("weights", "Of weights, such as fp8 or block(4,128,16).  [default: as --dtype]"),
    ("kv", "Of the KV cache.  [default: as --dtype]"),
)


def _cut_options(command: click.decorators.FC) -> click.decorators.FC:
    for name, text in reversed(CUTS):
        command = click.option(f"--{name}", type=int, metavar="N", help=text)(command)
    return command


def _precision_options(command: click.decorators.FC) -> click.decorators.FC:
    for name, text in reversed(PRECISIONS):
        command = click.option(
            f"--{name}", metavar="DTYPE", help=text, shell_complete=complete_dtype
        )(command)
    return command


@click.command(short_help="A language model on a machine: fit, bounds, throughput, what helps.")
@click.argument("config", shell_complete=complete_model)
@click.option(
    "--chip", metavar="NAME|FILE", help="A chip of the catalogue.", shell_complete=complete_chip
)
@click.option("--count", type=int, metavar="N", help="How many of the chip.")
@click.option(
    "--system",
    metavar="NAME|FILE",
    help="Chips in a network, instead of one: dgx-h100, 8xh100-sxm, or a TOML file.",
    shell_complete=complete_system,
)
@_cut_options
@click.option(
    "--context",
    metavar="TOKENS",
    help="Decode at this context: tokens a sequence attends to.",
)
@click.option("--prefill", metavar="TOKENS", help="Tokens of a prompt, with --decode.")
@click.option("--decode", metavar="TOKENS", help="Tokens of an answer, with --prefill.")
@click.option(
    "--trace", metavar="FILE|MIX", help="Lengths from a CSV file or a public mix instead of these."
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
@_precision_options
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
    from symroof.cli.serve_view import ask, serve_document, serve_view
    from symroof.cli.text import show, write_json

    question = ask(config, **given)
    if output_format == "json":
        write_json(serve_document(question))
    else:
        show(*serve_view(question))
    return 3 if question.serving.fits is False else 0
