"""TOML files as checked tables: what is wrong with one is a line, and no file takes long."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from symroof.errors import InputError, near_match
from symroof.schema import sentence

MAX_DOTS = 32
MAX_INTEGER = 1 << 63

_Fields = TypeVar("_Fields", bound=msgspec.Struct)


def read_text(path: str | os.PathLike[str], most: int, what: str, where: str | None = None) -> str:
    """Return the text of a file.

    Parameters
    ----------
    path : str or PathLike
        The file.
    most : int
        How many bytes it may have.
    what : str
        What larger files are not, such as ``a spec``.
    where : str, optional
        The place, for messages.

    Raises
    ------
    InputError
        If it cannot be read, is too large, or is not UTF-8.
    """
    file = Path(path)
    try:
        if file.stat().st_size > most:
            raise InputError(f"larger than {most} bytes: not {what}", where=where)
        return file.read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("not TOML: not UTF-8", where=where) from None
    except InputError:
        raise
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot be read: {reason}", where=where) from None


def parse(text: str, where: str | None = None) -> dict[str, Any]:
    """Return TOML as a mapping; whatever is wrong with it is one line.

    Raises
    ------
    InputError
        If it is not TOML, has a key of more than `MAX_DOTS` dots, or a whole number of more than
        64 bits.

    Examples
    --------
    >>> parse("a = ", "mine.toml")
    Traceback (most recent call last):
    symroof.errors.InputError: mine.toml: not TOML: Invalid value (at end of document)
    """
    _check_dots(text, where)
    try:
        found = tomllib.loads(text)
        _check_integers(found)
    except RecursionError:
        raise InputError("not TOML: nested too deeply", where=where) from None
    except ValueError as error:
        raise InputError(f"not TOML: {str(error).splitlines()[0][:200]}", where=where) from None
    return found


def check_version(given: Mapping[str, Any], expected: int, where: str | None = None) -> None:
    """Raise `InputError` unless the field `schema_version` is `expected`.

    Examples
    --------
    >>> check_version({"schema_version": 2}, 1)
    Traceback (most recent call last):
    symroof.errors.InputError: schema_version is 2; expected 1
    """
    version = given.get("schema_version")
    if version != expected or isinstance(version, bool):
        said = "is missing" if version is None else f"is {version!r:.60}"
        raise InputError(f"schema_version {said}; expected {expected}", where=where)


def read_table(
    given: Mapping[str, Any], fields: type[_Fields], where: str | None = None
) -> _Fields:
    """Return a table as a struct of the type `fields`.

    Parameters
    ----------
    given : mapping of str to object
        Values by field.
    fields : type of msgspec.Struct
        The fields there are.
    where : str, optional
        The place, for messages.

    Raises
    ------
    InputError
        If a field is unknown (with a near match), missing, or of another type.

    Examples
    --------
    >>> class Box(msgspec.Struct):
    ...     width: int
    >>> read_table({"widht": 3}, Box, "box")
    Traceback (most recent call last):
    symroof.errors.InputError: box: unknown field 'widht'; did you mean 'width'?
    """
    known = fields.__struct_fields__
    for name in given:
        if name not in known:
            raise unknown("field", name, known, where)
    try:
        return msgspec.convert(dict(given), fields)
    except msgspec.ValidationError as error:
        raise InputError(sentence(str(error)), where=where) from None
    except RecursionError:
        raise InputError("nested too deeply", where=where) from None


def unknown(kind: str, name: Any, known: Iterable[str], where: str | None = None) -> InputError:
    """Return the error about a field or keyword nobody knows.

    Examples
    --------
    >>> print(unknown("keyword", "grp", ("group", "axis")))
    unknown keyword 'grp'; did you mean 'group'?
    """
    near = near_match(str(name), known)
    hint = f"did you mean {near!r}?" if near else f"known: {', '.join(known)}"
    return InputError(f"unknown {kind} {str(name)[:60]!r}; {hint}", where=where)


def _check_dots(text: str, where: str | None) -> None:
    """Refuse keys of many parts: tomllib takes time quadratic in them."""
    if not any(line.count(".") > MAX_DOTS for line in text.split("\n")):
        return
    bare = _TEXTS.sub(lambda found: "\n" * found[0].count("\n"), text)
    for number, line in enumerate(bare.split("\n"), start=1):
        if line.count(".") > MAX_DOTS and any(
            part.count(".") > MAX_DOTS for part in _BETWEEN_KEYS.split(line)
        ):
            raise InputError(
                f"not TOML: line {number} has a key of more than {MAX_DOTS} dots", where=where
            )


def _check_integers(value: Any) -> None:
    if isinstance(value, dict):
        for entry in value.values():
            _check_integers(entry)
    elif isinstance(value, list):
        for entry in value:
            _check_integers(entry)
    elif isinstance(value, int) and not -MAX_INTEGER <= value < MAX_INTEGER:
        raise ValueError("a whole number has more than 64 bits; write it as text")


# Texts and comments as TOML has them, ended or not; possessive, so that none is read twice.
_TEXTS = re.compile(
    r'"""(?:[^"\\]++|\\.|"(?!""))*+(?:"{3,5})?'
    r"|'''(?:[^']++|'(?!''))*+(?:'{3,5})?"
    r'|"(?:[^"\\\n]++|\\[^\n])*+"?'
    r"|'[^'\n]*+'?"
    r"|#[^\n]*+",
    re.DOTALL,
)
_BETWEEN_KEYS = re.compile(r"[=,\[\]{}]")
