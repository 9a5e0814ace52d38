"""Chip files: TOML in, TOML out, the same bytes for the same chip."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from symroof.files import toml_text, write_text_atomically
from symroof.hardware.fields import ChipFields
from symroof.tables import check_version, parse, read_table, read_text

SCHEMA_VERSION = 1
MAX_BYTES = 200_000


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
    raw = parse(read_text(path, MAX_BYTES, "a chip file", where), where)
    check_version(raw, SCHEMA_VERSION, where)
    read_table(raw, ChipFields, where)
    return {key: value for key, value in raw.items() if key != "schema_version"}


def write(path: str | os.PathLike[str], fields: Mapping[str, object]) -> None:
    """Write the fields of a chip to `path`, whole or not at all."""
    write_text_atomically(path, toml_text({"schema_version": SCHEMA_VERSION, **fields}))
