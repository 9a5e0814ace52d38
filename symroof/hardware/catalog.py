"""The catalogue: one file per chip, found by name, by alias, or by how people write it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from symroof.errors import InputError, UnknownNameError, near_match
from symroof.hardware.machine import Chip
from symroof.tables import parse

FOLDER = Path(__file__).with_name("chips")


def chip(name: str | os.PathLike[str]) -> Chip:
    """Return a chip of the catalogue, or the chip in a TOML file.

    Parameters
    ----------
    name : str or PathLike
        A name (``h100-sxm``), an alias (``H100 SXM``; case, spaces, hyphens and underscores do not
        matter), or the path of a file, which ends in ``.toml``.

    Raises
    ------
    UnknownNameError
        If there is no such chip; with the nearest one.
    InputError
        If the name fits several chips, or the file is not one of a chip.

    Examples
    --------
    >>> chip("h100-sxm"), chip("NVIDIA H100 SXM"), chip("mi300x").vendor
    (Chip('h100-sxm'), Chip('h100-sxm'), 'AMD')
    >>> chip("a100")
    Traceback (most recent call last):
    ...
    symroof.errors.InputError: the name 'a100' fits several chips: a100-sxm-40gb, a100-sxm-80gb
    """
    if not isinstance(name, str) or name.lower().endswith(".toml"):
        if not isinstance(name, (str, os.PathLike)):
            raise InputError(f"a chip is named by a text, not {type(name).__name__}")
        return Chip.load(name)
    key = normal(name)
    files = _files()
    if key in files:
        return _load(files[key])
    found = _aliases().get(key, ())
    if len(found) == 1:
        return _load(files[normal(found[0])])
    if found:
        raise InputError(f"the name {name[:60]!r} fits several chips: {', '.join(found)}")
    raise UnknownNameError(
        "chip", name, chips(), hint="symroof chips lists them all", suggestion=_nearest(name)
    )


def chips() -> tuple[str, ...]:
    """Return the names of the chips of the catalogue, sorted.

    Examples
    --------
    >>> "h100-sxm" in chips()
    True
    """
    return tuple(sorted(path.stem for path in _files().values()))


@cache
def _load(path: Path) -> Chip:
    return Chip.load(path)


@cache
def _files() -> dict[str, Path]:
    return files_in(FOLDER)


@cache
def _aliases() -> dict[str, tuple[str, ...]]:
    return by_alias(_files().values())


def files_in(folder: Path) -> dict[str, Path]:
    """Return the files of a catalogue by normalised name."""
    return {normal(path.stem): path for path in sorted(folder.glob("*.toml"))}


def by_alias(paths: Iterable[Path]) -> dict[str, tuple[str, ...]]:
    """Return names by normalised alias, read from the top of each file, up to its first table."""
    found: dict[str, list[str]] = {}
    for path in paths:
        fields = top_fields(path)
        vendor = fields.get("vendor", "")
        for alias in (path.stem, *fields.get("aliases", []), fields.get("title", "")):
            for spelling in (f"{alias}", f"{vendor} {alias}"):
                names = found.setdefault(normal(spelling), [])
                if path.stem not in names:
                    names.append(path.stem)
    return {alias: tuple(sorted(names)) for alias, names in found.items() if alias}


def top_fields(path: Path) -> dict[str, Any]:
    """Return the fields of a file of the catalogue that stand before its first table."""
    top = re.split(r"^\[", path.read_text("utf-8"), maxsplit=1, flags=re.MULTILINE)[0]
    return parse(top, str(path))


def _nearest(name: str) -> str | None:
    """Return the chip that a misspelt name, or a misspelt alias of one chip, may have meant."""
    aliases = {alias: names[0] for alias, names in _aliases().items() if len(names) == 1}
    near = near_match(normal(name), aliases)
    return aliases[near] if near else near_match(name, chips())


def normal(name: str) -> str:
    """Return a name without what does not matter: case, spaces, hyphens, underscores.

    Examples
    --------
    >>> normal("H100 SXM")
    'h100sxm'
    """
    return re.sub(r"[^a-z0-9]", "", name[:200].lower())
