"""``symroof completion``: the script that makes a shell complete the command line."""

from __future__ import annotations

import click

NAME = "symroof"
COMPLETE = "_SYMROOF_COMPLETE"
"""Says what a shell wants: ``bash_complete`` with the words in COMP_WORDS, or ``bash_source``."""


@click.command(short_help="The script that makes a shell complete symroof.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that makes the tab key complete a line in your shell.

    It completes commands, options, chips, algorithms, ops, dtypes, and the symbols of SPEC.

    \b
    bash: put this line into ~/.bashrc:   eval "$(symroof completion bash)"
    zsh:  put this line into ~/.zshrc, after compinit:
          eval "$(symroof completion zsh)"
    fish: symroof completion fish > ~/.config/fish/completions/symroof.fish
    """  # noqa: D301
    from symroof.cli.shells import script

    click.echo(script(context.find_root().command, NAME, shell), nl=False)
