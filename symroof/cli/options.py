"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

Command = Callable[..., Any]


def spec_argument(command: Command) -> Command:
    """SPEC: an einsum string, a named algorithm, or a TOML file."""
    return click.argument("spec")(command)


def machine_options(command: Command) -> Command:
    """Options that say what the algorithm runs on and with which numbers."""
    for option in reversed(
        (
            click.option(
                "--chip", metavar="NAME|FILE", help="A chip of the catalogue, or a TOML file."
            ),
            click.option(
                "--set",
                "settings",
                metavar="NAME=VALUE",
                multiple=True,
                help="Bind a symbol, or override a rate: --set n=4096 --set bw='3 TB/s'.",
            ),
            click.option(
                "--dtype",
                metavar="DTYPE",
                help="Dtype of the tensors, instead of the spec's own (fp16 for einsum strings).",
            ),
            click.option(
                "--format",
                "output_format",
                type=click.Choice(["text", "json"]),
                default="text",
                show_default=True,
                help="Text for people, JSON for programs.",
            ),
            click.option(
                "--explain", is_flag=True, help="Show formula → numbers → result, line by line."
            ),
        )
    ):
        command = option(command)
    return command
