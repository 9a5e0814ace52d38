"""Options on the inside of a chip: ``--residency``, ``--ceiling``, ``--level``, ``--numa``, ..."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from symroof.errors import InputError, SymroofError

if TYPE_CHECKING:
    from symroof.graph.tile import Tile

Command = Callable[..., Any]
CHIPS_OWN = "chip"
_TILE = re.compile(r"\d+\s*[xX×]")


@dataclass(frozen=True, slots=True)
class InsideArguments:
    """What the line says of the inside of a chip.

    Attributes
    ----------
    residency : str
        ``cold``, ``cached`` or ``partial``.
    ceilings : tuple of str
        Names of ceilings of the chip.
    levels : tuple of str
        ``l2=once``, ``hbm=128x128x32`` or ``l2=2*m*n`` texts.
    numa, local : str or None
        How local and remote memory work together, and the fraction that is local.
    launch : str or None
        A time, or ``chip`` for the chip's own.
    quantise : str or None
        A tile, ``128x128x32``.
    """

    residency: str = "cold"
    ceilings: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    numa: str | None = None
    local: str | None = None
    launch: str | None = None
    quantise: str | None = None

    @property
    def options(self) -> dict[str, Any]:
        """What is said, by the option that says it."""
        given = {
            "--residency": None if self.residency == "cold" else self.residency,
            "--ceiling": self.ceilings,
            "--level": self.levels,
            "--numa": self.numa,
            "--local": self.local,
            "--launch": self.launch,
            "--quantise": self.quantise,
        }
        return {option: value for option, value in given.items() if value}

    def choices(self) -> dict[str, Any]:
        """Return what `symroof.analyze` takes.

        Raises
        ------
        InputError
            If a text is not what its option expects.

        Examples
        --------
        >>> InsideArguments(levels=("l2=once",)).choices()["levels"]
        {'l2': 'once'}
        """
        return {
            "residency": self.residency,
            "ceilings": self.ceilings,
            "levels": _levels(self.levels),
            "numa": self.numa,
            "local": self.local,
            "launch": True if self.launch == CHIPS_OWN else self.launch,
            "quantise": None if self.quantise is None else read_tile(self.quantise, "--quantise"),
        }


def read_tile(text: str, where: str, keep: str = "output") -> Tile:
    """Return the tile of an option.

    Raises
    ------
    InputError
        If it is none; it names the option.

    Examples
    --------
    >>> str(read_tile("128x128x32", "--tile"))
    '128 × 128 × 32'
    """
    from symroof.graph.tile import Tile

    try:
        return Tile.of(text, keep)
    except SymroofError as error:
        raise InputError(str(error), where=where) from None


def _levels(texts: tuple[str, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, how in map(_level, texts):
        if name in found:
            raise InputError(f"{name[:60]} is given twice", where="--level")
        found[name] = how
    return found


def _level(text: str) -> tuple[str, Any]:
    name, equals, how = (part.strip() for part in text.partition("="))
    if not equals or not name or not how:
        expected = "expected NAME=HOW, as in l2=once, hbm=128x128x32 or l2='2*m*n'"
        raise InputError(f"{expected}; got {text[:60]!r}", where="--level")
    is_tile = ("," in how and "(" not in how) or _TILE.match(how) is not None
    return name, read_tile(how, "--level") if is_tile else how


def inside_options(command: Command) -> Command:
    """``--residency`` and the others, given to the command as one `InsideArguments`."""

    @wraps(command)
    def gathered(
        *args: Any,
        residency: str,
        ceilings: tuple[str, ...],
        levels: tuple[str, ...],
        numa: str | None,
        local: str | None,
        launch: str | None,
        quantise: str | None,
        **rest: Any,
    ) -> Any:
        given = InsideArguments(residency, ceilings, levels, numa, local, launch, quantise)
        return command(*args, inside=given, **rest)

    options = (
        click.option(
            "--quantise",
            metavar="MxNxK",
            help="Count edges of tiles and the last wave of them as compute: 128x128x32.",
        ),
        click.option(
            "--launch",
            metavar="TIME|chip",
            help="A fixed time per kernel, as a term of its own: '5 us', or the chip's.",
        ),
        click.option(
            "--local",
            metavar="F",
            help="With --numa, the fraction of the bytes that is local, as in 1/2; by default"
            " the symbol f.",
        ),
        click.option(
            "--numa",
            type=click.Choice(["concurrent", "serial"]),
            help="Remote memory too: at the same time as local memory, or after it.",
        ),
        click.option(
            "--level",
            "levels",
            metavar="NAME=HOW",
            multiple=True,
            help="How the bytes of a level are counted: l2=once (each tensor), hbm=128x128x32"
            " (a tile), l2='2*m*n' (given).",
        ),
        click.option(
            "--ceiling",
            "ceilings",
            metavar="NAME",
            multiple=True,
            help="A ceiling of the chip that is not lifted: --ceiling 'no simd'. symroof chips NAME"
            " lists them.",
        ),
        click.option(
            "--residency",
            type=click.Choice(["cold", "cached", "partial"]),
            default="cold",
            show_default=True,
            help="Where the bytes of an op are charged: at main memory; at the smallest level that"
            " holds them; or at each level what those inside of it do not hold.",
        ),
    )
    made: Command = gathered
    for option in options:
        made = option(made)
    return made
