"""``symroof model``: what a language model is made of, as its config says."""

from __future__ import annotations

import click

from symroof.cli.complete import complete_model
from symroof.cli.options import format_option


@click.command(short_help="What a language model is made of: parameters, cache, layers.")
@click.argument("config", required=False, shell_complete=complete_model)
@format_option
def model(config: str | None, output_format: str) -> None:
    """Show the parameters, cache and layers of a model; without CONFIG list those known by name.

    CONFIG is a name (llama-3-8b), a Hugging Face config.json, or a folder that has one. It is read
    offline.

    \b
    symroof model llama-3-8b
    symroof model ./my-model/config.json --format json
    """  # noqa: D301
    from symroof.cli import model_view as views
    from symroof.cli.text import show, write_json

    if output_format == "json":
        write_json(views.models_document() if config is None else views.model_document(config))
    else:
        show(*(views.models_view() if config is None else views.model_view(config)))
