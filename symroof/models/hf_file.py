"""Files of configs: JSON of bounded size that says nothing twice, as a checked mapping."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from symroof.errors import InputError, brief

MAX_BYTES = 16 << 20
MAX_DEPTH = 64
MAX_ENTRIES = 2_000_000
FILE = "config.json"


def read_json(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the object in a JSON file.

    Parameters
    ----------
    path : str or PathLike
        The file, or a folder with a ``config.json``.

    Raises
    ------
    InputError
        If it cannot be read, has more than 16 MiB, is not JSON, is no object, or if `check_entries`
        refuses it.

    Examples
    --------
    >>> read_json("no/such/config.json")
    Traceback (most recent call last):
    symroof.errors.InputError: no/such/config.json: cannot be read: No such file or directory
    """
    file, where = Path(path), os.fspath(path)
    try:
        if file.is_dir():
            file = file / FILE
            where = str(file)
        content = _content(file, where)
    except InputError:
        raise
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot be read: {reason}", where=where) from None
    return parse_json(content, where)


def parse_json(content: bytes, where: str) -> dict[str, Any]:
    """Return the object in JSON text as `read_json` does.

    Examples
    --------
    >>> parse_json(b'{"a": 1, "b": {"c": 1, "c": 2}}', "config.json")
    Traceback (most recent call last):
    symroof.errors.InputError: config.json: b.c: given twice
    """
    try:
        found = json.loads(content.decode("utf-8-sig"), object_pairs_hook=_Object)
    except UnicodeDecodeError:
        raise InputError("not JSON: not UTF-8", where=where) from None
    except RecursionError:
        raise InputError("not JSON: nested too deeply", where=where) from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise InputError(f"not JSON: {error.msg} at {place}", where=where) from None
    except ValueError:
        raise InputError("not JSON: a number has too many digits", where=where) from None
    if not isinstance(found, dict):
        raise InputError(f"expected an object of fields, not {kind(found)}", where=where)
    check_entries(found, where)
    return found


def check_entries(given: Mapping[str, Any], where: str) -> None:
    """Raise `InputError` where a mapping is not what a JSON file could hold once.

    That is, for a key twice in an object, a key that is no text, NaN, and nesting of more than
    64 levels; infinity is allowed, as files have it in fields that nobody reads.

    Examples
    --------
    >>> check_entries({"a": [{"b": float("nan")}]}, "config")
    Traceback (most recent call last):
    symroof.errors.InputError: config: a[0].b: NaN is not a number
    """
    pending: list[tuple[Any, str, int]] = [(given, "", 0)]
    seen = 0
    while pending:
        value, path, depth = pending.pop()
        place = f"{where}: {brief(path)}" if path else where
        seen += 1
        if isinstance(value, float) and value != value:
            raise InputError("NaN is not a number", where=place)
        if not isinstance(value, (Mapping, list, tuple)):
            continue
        if depth > MAX_DEPTH:
            raise InputError("nested too deeply", where=f"{where}: {brief(path, 30)}")
        if seen + len(value) > MAX_ENTRIES:
            raise InputError("too many entries to be a config", where=where)
        if isinstance(value, Mapping):
            pending += reversed(_entries(value, path, depth, place))
        else:
            pending += [(entry, f"{path}[{i}]", depth + 1) for i, entry in enumerate(value)][::-1]


def kind(value: object) -> str:
    """Return what a value of JSON is, in words.

    Examples
    --------
    >>> kind([]), kind(True), kind(None), kind(1.5)
    ('a list', 'true', 'nothing', 'the number 1.5')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if value is None:
        return "nothing"
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, (list, tuple)):
        return "a list"
    if isinstance(value, str):
        return f"the text {brief(value)!r}"
    if isinstance(value, (int, float)):
        return f"the number {_digits(value)}"
    return f"a {type(value).__name__}"


class _Object(dict[str, Any]):
    """An object of a file that remembers the first key it has twice."""

    __slots__ = ("twice",)

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.twice: str | None = None
        if len(self) < len(pairs):
            keys: set[str] = set()
            self.twice = next(key for key, _ in pairs if key in keys or keys.add(key))  # type: ignore[func-returns-value]


def _content(file: Path, where: str) -> bytes:
    if file.exists() and not file.is_file():
        raise InputError("cannot be read: not a file", where=where)
    too_large = InputError(f"larger than {MAX_BYTES >> 20} MiB: not a config", where=where)
    if file.stat().st_size > MAX_BYTES:
        raise too_large
    with file.open("rb") as opened:
        content = opened.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise too_large
    return content


def _entries(
    value: Mapping[str, Any], path: str, depth: int, place: str
) -> list[tuple[Any, str, int]]:
    lead = f"{path}." if path else ""
    if isinstance(value, _Object) and value.twice is not None:
        name = brief(lead + value.twice)
        raise InputError(
            "given twice", where=f"{place.removesuffix(path)}{name}" if path else f"{place}: {name}"
        )
    found = []
    for key, entry in value.items():
        if not isinstance(key, str):
            raise InputError(f"a field has a name, not {kind(key)}", where=place)
        found.append((entry, lead + key, depth + 1))
    return found


def _digits(value: float) -> str:
    try:
        return brief(str(value))
    except ValueError:
        return "of too many digits"
