"""The tables of a spec file: TOML in, checked field by field; errors are one line with a place."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from symroof.errors import InputError, SymroofError, near_match

SCHEMA_VERSION = 1
MAX_BYTES = 64_000_000
MAX_DOTS = 250
MAX_INTEGER = 1 << 63


class SymbolFields(msgspec.Struct, forbid_unknown_fields=True):
    """A symbol: what it means, and the value it usually has."""

    meaning: str = ""
    default: int | float | str | None = None


class TensorFields(msgspec.Struct, forbid_unknown_fields=True):
    """A tensor that no op makes; without a dtype it has that of the file."""

    shape: int | str | list[int | str]
    dtype: str | None = None
    role: str = "input"


class RepeatFields(msgspec.Struct, forbid_unknown_fields=True):
    """A repeat: `carry` goes into the first iteration, `results` from each one into the next."""

    op: str
    name: str
    count: int | str
    carry: str | list[str] = []
    tensors: dict[str, dict[str, Any]] = {}
    ops: list[dict[str, Any]] = []
    results: str | list[str] = []


class FusedOutputFields(msgspec.Struct, forbid_unknown_fields=True):
    """A result of a fused op, written over the tensor `out`, or over a part of one, if given."""

    name: str
    shape: int | str | list[int | str]
    dtype: str | None = None
    out: str | None = None
    part: dict[str, Any] | None = None


class FusedFields(msgspec.Struct, forbid_unknown_fields=True):
    """A fused op: the kinds of the ops it was, and what its boundary moves, port by port.

    `counts` names counts that stand in no shape, such as the size of a group.
    """

    op: str
    name: str
    inputs: list[str]
    outputs: list[dict[str, Any]]
    ops: list[str]
    reads: list[int | str]
    writes: list[int | str]
    counts: list[str] = []
    flops: dict[str, int | str] = {}
    link_bytes: int | str = 0
    link: str = "link"
    unknown: list[str] = []


class RegionFields(msgspec.Struct, forbid_unknown_fields=True):
    """Ops that are to be fused once the graph is there."""

    ops: list[str]
    name: str | None = None


class SpecFields(msgspec.Struct, forbid_unknown_fields=True):
    """A spec file."""

    schema_version: int
    name: str
    title: str = ""
    description: str = ""
    chip: str | None = None
    dtype: str | None = None
    traffic: str | None = None
    fuse: str | list[Any] | None = None
    uncosted: str = "error"
    outputs: str | list[str] = []
    flop_weights: dict[str, int | float | str] = {}
    symbols: dict[str, str | dict[str, Any]] = {}
    tensors: dict[str, dict[str, Any]] = {}
    ops: list[dict[str, Any]] = []


_Fields = TypeVar("_Fields", bound=msgspec.Struct)


def read_spec(text: str) -> SpecFields:
    r"""Return the fields of a spec file.

    Parameters
    ----------
    text : str
        TOML.

    Raises
    ------
    InputError
        If it is not TOML, of another version, or a field is unknown, missing or of another type.

    Examples
    --------
    >>> read_spec("schema_version = 1\nname = 'g'\ntitel = 'G'")
    Traceback (most recent call last):
    symroof.errors.InputError: unknown field 'titel'; did you mean 'title'?
    """
    raw = _parsed(text)
    version = raw.get("schema_version")
    if version != SCHEMA_VERSION or isinstance(version, bool):
        said = "is missing" if version is None else f"is {version!r:.60}"
        raise InputError(f"schema_version {said}; expected {SCHEMA_VERSION}")
    return read_table(raw, SpecFields)


def read_table(given: Mapping[str, Any], fields: type[_Fields]) -> _Fields:
    """Return a TOML table as a struct of the type `fields`.

    Raises
    ------
    InputError
        If a field is unknown (with a near match), missing, or of another type.

    Examples
    --------
    >>> read_table({"shape": ["B"], "roll": "weight"}, TensorFields)
    Traceback (most recent call last):
    symroof.errors.InputError: unknown field 'roll'; did you mean 'role'?
    """
    known = fields.__struct_fields__
    for name in given:
        if name not in known:
            raise unknown("field", name, known)
    try:
        return msgspec.convert(given, fields)
    except msgspec.ValidationError as error:
        raise InputError(_sentence(str(error))) from None
    except RecursionError:
        raise InputError("nested too deeply") from None


def unknown(kind: str, name: str, known: tuple[str, ...]) -> InputError:
    """Return the error about a field or keyword nobody knows.

    Examples
    --------
    >>> print(unknown("keyword", "grp", ("group", "axis")))
    unknown keyword 'grp'; did you mean 'group'?
    """
    near = near_match(name, known)
    hint = f"did you mean {near!r}?" if near else f"known: {', '.join(known)}"
    return InputError(f"unknown {kind} {name[:60]!r}; {hint}")


@contextmanager
def place(where: str) -> Iterator[None]:
    """Put the place in front of every error from within, which is then an `InputError`.

    Examples
    --------
    >>> with place("mlp.toml"), place("tensors.x"):
    ...     raise InputError("no dtype")
    Traceback (most recent call last):
    symroof.errors.InputError: mlp.toml: tensors.x: no dtype
    """
    try:
        yield
    except SymroofError as error:
        line = " ".join(str(error).split())
        raise InputError(line, where=where) from error


def read_text(path: str | os.PathLike[str]) -> str:
    """Return the text of a spec file.

    Raises
    ------
    InputError
        If it cannot be read, is too large, or is not UTF-8.
    """
    file = Path(path)
    try:
        if file.stat().st_size > MAX_BYTES:
            raise InputError(f"larger than {MAX_BYTES} bytes: not a spec")
        return file.read_text("utf-8")
    except UnicodeDecodeError:
        raise InputError("not TOML: not UTF-8") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot be read: {reason}") from None


def _parsed(text: str) -> dict[str, Any]:
    for number, line in enumerate(text.split("\n"), start=1):
        # tomllib takes time quadratic in the parts of a dotted key.
        if line.count(".") > MAX_DOTS and _STRING.sub("", line).count(".") > MAX_DOTS:
            raise InputError(f"not TOML: line {number} has more than {MAX_DOTS} dots")
    try:
        found = tomllib.loads(text)
        _check_integers(found)
    except RecursionError:
        raise InputError("not TOML: nested too deeply") from None
    except ValueError as error:
        raise InputError(f"not TOML: {str(error).splitlines()[0][:200]}") from None
    return found


def _check_integers(value: Any) -> None:
    if isinstance(value, dict):
        for entry in value.values():
            _check_integers(entry)
    elif isinstance(value, list):
        for entry in value:
            _check_integers(entry)
    elif isinstance(value, int) and not -MAX_INTEGER <= value < MAX_INTEGER:
        raise ValueError("a whole number has more than 64 bits; write it as text")


def _sentence(message: str) -> str:
    found = re.fullmatch(r"(.*?)(?: - at `\$\.?(.*)`)?", message, re.DOTALL)
    assert found
    what = found[1].replace("`", "").replace("Object missing required field", "missing field")
    for theirs, ours in _WORDS.items():
        what = re.sub(rf"\b{theirs}\b", ours, what)
    what = what[:1].lower() + what[1:]
    return f"{found[2]}: {what}" if found[2] else what


_STRING = re.compile(r'"(?:[^"\\]|\\.)*"|\'[^\']*\'')
_WORDS = {"object": "table", "array": "list", "str": "text", "int": "whole number"}
