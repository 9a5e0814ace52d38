"""The fields of a chip: one vocabulary for files and for Python, and errors that name the place."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from symroof.errors import InputError, near_match


class RateFields(msgspec.Struct, forbid_unknown_fields=True):
    """A rate as a table: its value with its unit, where it is from, and how sure it is.

    A formula has its unit, and the units of its symbols, in fields of their own.
    """

    value: Any
    unit: str | None = None
    symbols: dict[str, str] = {}
    source: str = "given"
    confidence: str = "given"
    note: str = ""


class LevelFields(msgspec.Struct, forbid_unknown_fields=True):
    """A level of memory: bandwidth, capacity, and whether it is the main one."""

    bandwidth: Any = None
    capacity: Any = None
    main: bool = False


class LinkFields(msgspec.Struct, forbid_unknown_fields=True):
    """A link: bandwidth per direction, or of both directions where `bidirectional` says so."""

    bandwidth: Any
    bidirectional: bool = False
    kind: str = ""
    halved_from: str = ""


class ChipFields(msgspec.Struct, forbid_unknown_fields=True):
    """A chip: what `Chip` takes, and in a file the version of these fields."""

    name: str
    schema_version: int = 1
    title: str = ""
    vendor: str = ""
    kind: str = ""
    aliases: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    main: str | None = None
    default_peak: dict[str, str] = {}
    peak: dict[str, Any] = {}
    sparse_peak: dict[str, Any] = {}
    memory: dict[str, Any] = {}
    capacity: Any = None
    link: Any = None


Fields = TypeVar("Fields", bound=msgspec.Struct)


def read_fields(given: Mapping[str, object], fields: type[Fields], where: str) -> Fields:
    """Return `given` as a struct of the type `fields`.

    Parameters
    ----------
    given : mapping of str to object
        Values by field.
    fields : type of msgspec.Struct
        The fields there are.
    where : str
        The place, for messages.

    Raises
    ------
    InputError
        If a field is unknown (with a near match), missing, or of another type.

    Examples
    --------
    >>> read_fields({"value": "80 GB", "sourse": "label"}, RateFields, "capacity")
    Traceback (most recent call last):
    ...
    symroof.errors.InputError: capacity: unknown field 'sourse'; did you mean 'source'?
    """
    known = fields.__struct_fields__
    for name in given:
        if name not in known:
            near = near_match(str(name), known)
            hint = f"did you mean {near!r}?" if near else f"known: {', '.join(known)}"
            raise InputError(f"unknown field {str(name)[:60]!r}; {hint}", where=where)
    try:
        return msgspec.convert(dict(given), fields)
    except msgspec.ValidationError as error:
        raise InputError(_sentence(str(error)), where=where) from None


def _sentence(message: str) -> str:
    """Put msgspec's message into the words of a chip file."""
    found = re.fullmatch(r"(.*?)(?: - at `\$\.?(.*)`)?", message, re.DOTALL)
    assert found
    what = found[1].replace("`", "").replace("Object missing required field", "missing field")
    what = what.replace("object", "table").replace("str", "text").replace("int", "whole number")
    return f"{found[2]}: {what[:1].lower()}{what[1:]}" if found[2] else what
