"""The catalogue of systems: one file for each, and ``8xh100-sxm`` for any number of a chip."""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path
from typing import Any

from symroof.errors import InputError, UnknownNameError, near_match
from symroof.hardware.catalog import by_alias, chip, files_in, normal
from symroof.hardware.levels import links_of
from symroof.hardware.machine import Chip
from symroof.hardware.system import System
from symroof.network.topology import Torus
from symroof.tables import parse, read_text

FOLDER = Path(__file__).with_name("systems")
MOST_CHIPS = 10**9
_COUNTED = re.compile(r"\s*((?:\d{1,10}\s*[x×*]\s*)+)(.*)", re.I | re.S)


def system(name: str | os.PathLike[str]) -> System:
    """Return a system of the catalogue, a number of chips, or the system in a TOML file.

    Parameters
    ----------
    name : str or PathLike
        A name (``dgx-h100``) or an alias; a number and a chip (``8xh100-sxm``) for chips joined by
        their own link, with several numbers for the shape of a torus (``4x4xtpu-v5e``); or the path
        of a file, which ends in ``.toml``.

    Raises
    ------
    UnknownNameError
        If there is no such system or chip; with the nearest.
    InputError
        If the name fits several, or the file is not one of a system.

    Examples
    --------
    >>> system("dgx-h100"), system("8xh100-sxm").count
    (System('dgx-h100'), 8)
    >>> system("4x4xtpu-v5e").levels[0].topology.name  # too short to wrap around
    'mesh 4x4'
    >>> system("dgx-h10")
    Traceback (most recent call last):
    symroof.errors.UnknownNameError: unknown system 'dgx-h10'; did you mean 'dgx-h100'? \
(symroof systems lists them all; 8xh100-sxm is 8 of a chip)
    """
    if not isinstance(name, str) or name.lower().endswith(".toml"):
        if not isinstance(name, (str, os.PathLike)):
            raise InputError(f"a system is named by a text, not {type(name).__name__}")
        return System.load(name)
    found = _find(name)
    if found is not None:
        return found
    hint = "symroof systems lists them all; 8xh100-sxm is 8 of a chip"
    raise UnknownNameError("system", name, systems(), hint=hint)


def systems() -> tuple[str, ...]:
    """Return the names of the systems of the catalogue, sorted.

    Examples
    --------
    >>> "dgx-h100" in systems()
    True
    """
    return tuple(sorted(path.stem for path in _files().values()))


def machine(name: str | os.PathLike[str]) -> Chip | System:
    """Return the chip or the system of a name, or that of a TOML file.

    Raises
    ------
    UnknownNameError
        If there is none; with the nearest.

    Examples
    --------
    >>> machine("h100-sxm"), machine("dgx-h100"), machine("8xh100-sxm")
    (Chip('h100-sxm'), System('dgx-h100'), System('8xh100-sxm'))
    """
    if not isinstance(name, str) or name.lower().endswith(".toml"):
        return System.load(name) if _is_system_file(name) else chip(name)
    if normal(name) not in _files():
        # Many of a chip: what else the names of chips and systems may mean need not be read.
        many = counted(name)
        if many is not None:
            return many
    try:
        return chip(name)
    except UnknownNameError as error:
        found = _find(name)
        if found is not None:
            return found
        near = near_match(name, systems())
        if error.suggestion is None and near is not None:
            raise UnknownNameError("chip or system", name, systems(), suggestion=near) from None
        raise


def counted(name: str) -> System | None:
    """Return the system of a name such as ``8xh100-sxm``; None where it is no such name."""
    found = _COUNTED.fullmatch(name[:300])
    if found is None or not found[2].strip():
        return None
    numbers = [int(number) for number in re.findall(r"\d+", found[1])]
    one = chip(found[2].strip())
    text = "x".join(map(str, numbers)) + f"x{one.name}"
    total = 1
    for number in numbers:
        total *= number
    if not 1 <= total <= MOST_CHIPS or min(numbers) < 1:
        raise InputError(f"expected 1 to {MOST_CHIPS:,} chips, as in 8x{one.name}", where=name[:60])
    kind = one.links[0].kind if len(one.links) == 1 else ""
    shape: Any = None
    if "torus" in kind and total > 1:
        shape = _torus(numbers, kind, text)
    elif len(numbers) > 1:
        message = f"{one.name} is on no torus ({kind or 'no link'}); write {total}x{one.name}"
        raise InputError(message, where=name[:60])
    peers = links_of(kind) if "full mesh" in kind else None
    if peers is not None and total > peers + 1:
        message = f"at most {peers + 1} in a full mesh; give their levels in a file"
        raise InputError(message, where=text)
    title = f"{'x'.join(map(str, numbers))} {one.title or one.name}"
    return System(one, total, shape, name=text, title=title)


def _torus(numbers: list[int], kind: str, name: str) -> Torus:
    """Return the torus of a shape, with the wrap-around that such a slice has.

    An axis of a 2D slice wraps around at 16 chips, a 3D slice if it is made of cubes of 4 x 4 x 4
    (Austin et al., How to Scale Your Model, chapter 2; Google Cloud documentation, TPU v5p).
    """
    dims = 3 if "3D" in kind else 2
    if len(numbers) == 1:
        numbers = _even(numbers[0], dims)
    if len(numbers) > dims:
        raise InputError(f"{kind}: at most {dims} axes, not {len(numbers)}", where=name)
    if dims == 3:
        cubes = len(numbers) == dims and all(number % 4 == 0 for number in numbers)
        return Torus(numbers, wrap=cubes)
    return Torus(numbers, [number % 16 == 0 for number in numbers])


def _even(count: int, dims: int) -> list[int]:
    """Return the most even shape of as many chips, the shortest axis first."""
    if dims == 1:
        return [count]
    root = round(count ** (1 / dims))
    first = next(
        size
        for size in range(min(root + 1, count), 0, -1)
        if count % size == 0 and size**dims <= count
    )
    return [first, *_even(count // first, dims - 1)]


def _find(name: str) -> System | None:
    key = normal(name)
    files = _files()
    if key in files:
        return _load(files[key])
    found = _aliases().get(key, ())
    if len(found) == 1:
        return _load(files[normal(found[0])])
    if found:
        raise InputError(f"the name {name[:60]!r} fits several systems: {', '.join(found)}")
    return counted(name)


def _is_system_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a file says of which chip it is; a chip's own says its peaks."""
    if not isinstance(path, (str, os.PathLike)):
        raise InputError(f"a machine is named by a text, not {type(path).__name__}")
    where = str(path)
    fields = parse(read_text(path, 200_000, "a file of a chip or system", where), where)
    return "peak" not in fields and ("chip" in fields or "level" in fields)


@cache
def _load(path: Path) -> System:
    return System.load(path)


@cache
def _files() -> dict[str, Path]:
    return files_in(FOLDER)


@cache
def _aliases() -> dict[str, tuple[str, ...]]:
    return by_alias(_files().values())
