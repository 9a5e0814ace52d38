"""Chip files: TOML in, TOML out, the same bytes for the same chip."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from symroof.errors import InputError
from symroof.files import toml_text, write_text_atomically
from symroof.hardware.fields import ChipFields, read_fields

SCHEMA_VERSION = 1
MAX_BYTES = 1_000_000


def read(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the fields of a chip file, as `Chip` takes them.

    Parameters
    ----------
    path : str or PathLike
        A TOML file.

    Raises
    ------
    InputError
        If there is no such file, it is not TOML, or a field is unknown or missing.
    """
    where = str(path)
    raw = parse(_text(path), where)
    version = raw.get("schema_version")
    if version != SCHEMA_VERSION:
        said = "is missing" if version is None else f"is {version!r:.60}"
        raise InputError(f"schema_version {said}; expected {SCHEMA_VERSION}", where=where)
    read_fields(raw, ChipFields, where)
    return {key: value for key, value in raw.items() if key != "schema_version"}


def write(path: str | os.PathLike[str], fields: Mapping[str, object]) -> None:
    """Write the fields of a chip to `path`, whole or not at all."""
    write_text_atomically(path, toml_text({"schema_version": SCHEMA_VERSION, **fields}))


def parse(text: str, where: str) -> dict[str, object]:
    """Return TOML as a mapping; whatever is wrong with it is one line.

    Examples
    --------
    >>> parse("a = ", "mine.toml")
    Traceback (most recent call last):
    ...
    symroof.errors.InputError: mine.toml: not TOML: Invalid value (at end of document)
    """
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise InputError("not TOML: nested too deeply", where=where) from None
    except ValueError as error:
        raise InputError(f"not TOML: {str(error).splitlines()[0][:200]}", where=where) from None


def _text(path: str | os.PathLike[str]) -> str:
    file = Path(path)
    try:
        if file.stat().st_size > MAX_BYTES:
            raise InputError(f"larger than {MAX_BYTES} bytes: not a chip file", where=str(path))
        return file.read_text("utf-8")
    except UnicodeDecodeError:
        raise InputError("not TOML: not UTF-8", where=str(path)) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot be read: {reason}", where=str(path)) from None
