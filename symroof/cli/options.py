"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from typing import Any

import click

from symroof.cli.complete import (
    OutputPath,
    complete_binding,
    complete_chip,
    complete_dtype,
    complete_spec,
    complete_symbol,
    complete_system,
)
from symroof.cli.inside import inside_options

Command = Callable[..., Any]

PRECISIONS = {
    "weights": "Of a model's weights, such as fp8 or block(4,128,16)."
    "  [default: as its config says, else as --dtype]",
    "kv": "Of a model's KV cache.  [default: as --dtype]",
}
CUTS = {
    "tp": "Cut a model's layers over this many chips (tensor parallel).  [default: all chips, if"
    " nothing else is cut]",
    "pp": "Cut a model's stack of layers into this many stages (pipeline parallel).",
    "ep": "Spread a model's experts over this many chips (expert parallel).",
    "dp": "Copies of a model, each with a share of the batch (data parallel).",
}


@dataclass(frozen=True, slots=True)
class SystemArguments:
    """What the line says of a system.

    Attributes
    ----------
    name : str or None
        A system of the catalogue, a number of a chip, or a file.
    mesh : tuple of str
        ``X=4`` texts: axes that tensors are sharded over.
    axes : tuple of str
        ``X=node`` texts: the levels that axes lie on.
    pipelined, latency : bool
        As `symroof.analyze` takes them.
    """

    name: str | None = None
    mesh: tuple[str, ...] = ()
    axes: tuple[str, ...] = ()
    pipelined: bool = False
    latency: bool = False

    @property
    def options(self) -> dict[str, Any]:
        """What only a system has, by the option that says it."""
        given = {"--axis": self.axes, "--pipelined": self.pipelined, "--latency": self.latency}
        return {option: value for option, value in given.items() if value}


@dataclass(frozen=True, slots=True)
class ModelArguments:
    """What the line says of a language model.

    Attributes
    ----------
    weights, kv : str or None
        Dtypes of the weights and of the KV cache.
    tp, pp, ep, dp : int or None
        Over how many chips the model is cut: by tensors, layers, experts, copies.

    Examples
    --------
    >>> given = ModelArguments(kv="fp8", tp=8)
    >>> given.precisions, given.cut, list(given.options)
    ({'kv': 'fp8'}, {'tp': 8}, ['--kv', '--tp'])
    """

    weights: str | None = None
    kv: str | None = None
    tp: int | None = None
    pp: int | None = None
    ep: int | None = None
    dp: int | None = None

    @property
    def given(self) -> dict[str, Any]:
        """What is said, by name."""
        said = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in said.items() if value is not None}

    @property
    def precisions(self) -> dict[str, str]:
        """The dtypes that are said."""
        return {name: value for name, value in self.given.items() if name in PRECISIONS}

    @property
    def cut(self) -> dict[str, int]:
        """The sizes that are said."""
        return {name: value for name, value in self.given.items() if name in CUTS}

    @property
    def options(self) -> dict[str, Any]:
        """What only a model has, by the option that says it."""
        return {f"--{name}": value for name, value in self.given.items()}


def spec_argument(command: Command) -> Command:
    """SPEC: an einsum string, a named algorithm, a TOML file, or a language model."""
    return click.argument("spec", shell_complete=complete_spec)(command)


def symbol_option(*names: str, **settings: Any) -> Callable[[Command], Command]:
    """Return an option that takes a symbol of SPEC: ``--for B``.

    Parameters
    ----------
    *names : str
        As `click.option` takes them.
    **settings
        As `click.option` takes them: help, required.
    """
    return click.option(*names, metavar="NAME", shell_complete=complete_symbol, **settings)


def chip_option(command: Command) -> Command:
    """``--chip``: a chip of the catalogue, or a TOML file."""
    return click.option(
        "--chip",
        metavar="NAME|FILE",
        help="A chip of the catalogue, or a TOML file.",
        shell_complete=complete_chip,
    )(command)


def system_option(command: Command) -> Command:
    """``--system``: chips in a network, of the catalogue, counted, or from a TOML file."""
    return click.option(
        "--system",
        metavar="NAME|FILE",
        help="Chips in a network, instead of one: dgx-h100, 8xh100-sxm, or a TOML file.",
        shell_complete=complete_system,
    )(command)


def system_options(command: Command) -> Command:
    """``--system`` and what goes with it, given to the command as one `SystemArguments`."""

    @wraps(command)
    def gathered(
        *args: Any,
        system: str | None,
        mesh: tuple[str, ...],
        axes: tuple[str, ...],
        pipelined: bool,
        latency: bool,
        **rest: Any,
    ) -> Any:
        given = SystemArguments(system, mesh, axes, pipelined, latency)
        return command(*args, system=given, **rest)

    options = (
        click.option("--latency", is_flag=True, help="Count the hops of collectives too."),
        click.option(
            "--pipelined",
            is_flag=True,
            help="Levels of the system work at the same time; the slowest takes the time.",
        ),
        click.option(
            "--axis",
            "axes",
            metavar="AXIS=LEVEL",
            multiple=True,
            help="The level an axis lies on: --axis X=node, or X=node,nodes for both.",
        ),
        click.option(
            "--shard",
            "mesh",
            metavar="AXIS=SIZE",
            multiple=True,
            help="Shard SPEC over axes of chips, as its tensors say: --shard X=4,Y=8.",
        ),
        system_option,
    )
    made: Command = gathered
    for option in options:
        made = option(made)
    return made


def model_options(command: Command) -> Command:
    """``--weights``, ``--kv`` and the cuts, given to the command as one `ModelArguments`."""

    @wraps(command)
    def gathered(*args: Any, **given: Any) -> Any:
        said = {name: given.pop(name) for name in (*PRECISIONS, *CUTS)}
        return command(*args, model=ModelArguments(**said), **given)

    made: Command = gathered
    for name, text in reversed(CUTS.items()):
        made = click.option(f"--{name}", type=int, metavar="N", help=text)(made)
    for name, text in reversed(PRECISIONS.items()):
        made = click.option(f"--{name}", metavar="DTYPE", help=text, shell_complete=complete_dtype)(
            made
        )
    return made


def set_option(command: Command) -> Command:
    """``--set NAME=VALUE``, as often as wanted."""
    return click.option(
        "--set",
        "settings",
        metavar="NAME=VALUE",
        multiple=True,
        help="Bind a symbol, or override a rate: --set n=4096 --set bw='3 TB/s'.",
        shell_complete=complete_binding,
    )(command)


def dtype_option(command: Command) -> Command:
    """``--dtype``: of the tensors, instead of the spec's own."""
    return click.option(
        "--dtype",
        metavar="DTYPE",
        help="Dtype of the tensors, instead of the spec's own (fp16 for einsum strings, bf16 for"
        " models).",
        shell_complete=complete_dtype,
    )(command)


def format_option(command: Command) -> Command:
    """``--format``: text for people, JSON for programs."""
    return click.option(
        "--format",
        "output_format",
        type=click.Choice(["text", "json"]),
        default="text",
        show_default=True,
        help="Text for people, JSON for programs.",
    )(command)


def output_option(
    example: str, help_text: str, *, extensions: tuple[str, ...] = (), required: bool = False
) -> Callable[[Command], Command]:
    """Return the option ``-o FILE``, ``--output FILE``, which gives a `Path`.

    Parameters
    ----------
    example : str
        A usual file, such as ``report.html``: the shell offers its name, with each extension.
    help_text : str
        What is written, and in which formats.
    extensions : tuple of str
        Extensions without the dot; that of the example alone by default.
    required : bool
        Whether there is no other place to write to.
    """
    stem, _, extension = example.rpartition(".")
    return click.option(
        "-o",
        "--output",
        type=OutputPath(extensions or (extension,), stem=stem),
        required=required,
        metavar="FILE",
        help=help_text,
    )


def subject_options(command: Command) -> Command:
    """Options that say what the algorithm runs on and with which numbers."""
    found = (model_options, inside_options, dtype_option, set_option, system_options, chip_option)
    for option in found:
        command = option(command)
    return command


def machine_options(command: Command) -> Command:
    """`subject_options`, the format of the answer, and ``--explain``."""
    explain = click.option(
        "--explain", is_flag=True, help="Show formula → numbers → result, line by line."
    )
    for option in (explain, format_option, subject_options):
        command = option(command)
    return command
