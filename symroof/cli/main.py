"""The ``symroof`` command: arguments and exit codes; nothing heavy is imported before its use."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from io import TextIOWrapper

import click

from symroof import __version__
from symroof.cli.analyze import analyze
from symroof.cli.calibrate import calibrate
from symroof.cli.catalogue import chips, explain, ops, systems
from symroof.cli.compare import compare
from symroof.cli.completion import COMPLETE, NAME, completion
from symroof.cli.crossover import crossover
from symroof.cli.explore import explore
from symroof.cli.measure import measure
from symroof.cli.model import model
from symroof.cli.plot import plot
from symroof.cli.report import report
from symroof.cli.serve import serve
from symroof.cli.tiles import tiles
from symroof.cli.validate import validate
from symroof.cli.verify import verify
from symroof.errors import SymroofError

ANSWERED, INTERNAL, BAD_INPUT, INFEASIBLE = 0, 1, 2, 3


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, message="symroof %(version)s")
def cli() -> None:
    """Ask an algorithm and a machine what bounds them, and get the closed form with its condition.

    \b
    symroof crossover "mn,nk->mk" --for m --chip h100-sxm --set n=4096 --set k=4096
    symroof analyze mlp --chip h100-sxm --set B=64 --set D=4096 --set F=14336

    Exit codes: 0 answered ("never" is an answer), 2 bad input, 3 answered but does not fit,
    1 internal error.
    """  # noqa: D301


COMMANDS = (
    crossover,
    analyze,
    report,
    verify,
    plot,
    explore,
    tiles,
    serve,
    model,
    compare,
    calibrate,
    measure,
    validate,
    chips,
    systems,
    ops,
    explain,
    completion,
)
for command in COMMANDS:
    cli.add_command(command)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit; every fault of the input is one line and exit code 2."""
    if isinstance(sys.stdout, TextIOWrapper):  # an encoding without ≥ is no reason to stop
        sys.stdout.reconfigure(errors="backslashreplace")
    code = run(arguments)
    try:
        if sys.stdout is not None:  # it is None where the caller has closed it
            sys.stdout.flush()
    except OSError:  # the reader of a pipe has left: nothing is to be said, at shutdown neither
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


def run(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    if arguments is None and COMPLETE in os.environ:
        from symroof.cli.shells import answer

        return answer(cli, NAME, os.environ[COMPLETE])
    try:
        return _answered(arguments)
    except (BrokenPipeError, SystemExit):  # both printers exit where a pipe's reader has left
        return ANSWERED
    except OSError as error:
        return _refuse(f"cannot write: {error.strerror}")
    except Exception as error:
        _say(f"symroof: internal error: {type(error).__name__}: {error}")
        return INTERNAL


def _answered(arguments: list[str] | None) -> int:
    try:
        result = cli.main(args=arguments, prog_name=NAME, standalone_mode=False)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.exceptions.NoArgsIsHelpError as help_text:
        click.echo(help_text.ctx.get_help())
        return BAD_INPUT
    except click.ClickException as error:
        return _refuse(error.format_message())
    except click.Abort:
        return _refuse("interrupted")
    except SymroofError as error:
        return _refuse(str(error))
    return result if isinstance(result, int) else ANSWERED


def _refuse(message: str) -> int:
    _say(f"symroof: {' '.join(message.split())}")
    return BAD_INPUT


def _say(line: str) -> None:
    with suppress(OSError):  # nobody may be listening
        click.echo(line, err=True)
