"""Text files: written whole or not at all, and TOML with the same bytes for the same mapping."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from symroof.errors import InputError

WIDTH = 100
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPES = {
    "\\": "\\\\",
    '"': '\\"',
    "\n": "\\n",
    "\t": "\\t",
    "\r": "\\r",
    "\b": "\\b",
    "\f": "\\f",
}


def write_text_atomically(path: str | os.PathLike[str], text: str) -> None:
    """Write `text` to `path` through a temporary file, so that no reader sees half of it.

    Parameters
    ----------
    path : str or PathLike
        The file to make or replace; its folder must exist. A link is followed.
    text : str
        Its content, written as UTF-8 with the line ends it has.

    Raises
    ------
    InputError
        If the file cannot be written; an old file is then as it was.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     target = Path(folder) / "note.txt"
    ...     write_text_atomically(target, "half a roof is none")
    ...     target.read_text(), len(list(Path(folder).iterdir()))
    ('half a roof is none', 1)
    """
    try:
        content = text.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            "cannot be written: not text that UTF-8 can hold", where=str(path)
        ) from error
    write_bytes_atomically(path, content)


def write_bytes_atomically(path: str | os.PathLike[str], content: bytes) -> None:
    """Write bytes to `path` as `write_text_atomically` writes text.

    Raises
    ------
    InputError
        If the file cannot be written; an old file is then as it was.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     target = Path(folder) / "roof.png"
    ...     write_bytes_atomically(target, bytes(8))
    ...     len(target.read_bytes())
    8
    """
    temporary = None
    try:
        target = Path(path).resolve()
        with tempfile.NamedTemporaryFile(
            dir=target.parent, prefix=f".{target.name[:40]}.", delete=False
        ) as file:
            temporary = Path(file.name)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())
        temporary.replace(target)
    except (OSError, ValueError) as error:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(f"cannot be written: {reason}", where=str(path)) from error


def toml_text(mapping: Mapping[str, object]) -> str:
    """Return `mapping` as TOML: keys in their order, scalars before tables.

    Parameters
    ----------
    mapping : mapping of str to object
        Values are str, bool, int, float, sequences of those, mappings (tables), or sequences of
        mappings (arrays of tables).

    Returns
    -------
    str
        TOML 1.0 that ``tomllib`` reads back as an equal mapping.

    Raises
    ------
    InputError
        If a value has no TOML form (None among them: leave absent keys out).

    Examples
    --------
    >>> print(toml_text({"name": "mine", "memory": {"hbm": {"value": "3.35 TB/s"}}}), end="")
    name = "mine"
    <BLANKLINE>
    [memory.hbm]
    value = "3.35 TB/s"
    """
    lines: list[str] = []
    _table(mapping, (), lines)
    return "\n".join(lines).strip("\n") + "\n"


def _table(mapping: Mapping[str, object], path: tuple[str, ...], lines: list[str]) -> None:
    tables = {key: value for key, value in mapping.items() if _is_table(value)}
    for key, value in mapping.items():
        if not isinstance(key, str):
            raise InputError(f"a TOML key is text, not {key!r}", where=".".join(path) or None)
        if key not in tables:
            lines.append(_assignment(key, value, path))
    for key, value in tables.items():
        inner = (*path, key)
        header = ".".join(_key(part) for part in inner)
        if isinstance(value, Mapping):
            # A table that only holds tables needs no header of its own.
            if not value or not all(_is_table(entry) for entry in value.values()):
                lines.extend(("", f"[{header}]"))
            _table(value, inner, lines)
            continue
        assert isinstance(value, Sequence)
        for entry in value:
            lines.extend(("", f"[[{header}]]"))
            _table(entry, inner, lines)


def _is_table(value: object) -> bool:
    if isinstance(value, Mapping):
        return True
    return (
        isinstance(value, (list, tuple))
        and len(value) > 0
        and all(isinstance(entry, Mapping) for entry in value)
    )


def _assignment(key: str, value: object, path: tuple[str, ...]) -> str:
    where = ".".join((*path, key))
    line = f"{_key(key)} = {_scalar(value, where)}"
    if len(line) > WIDTH and isinstance(value, (list, tuple)) and len(value) > 1:
        entries = "".join(f"  {_scalar(entry, where)},\n" for entry in value)
        return f"{_key(key)} = [\n{entries}]"
    return line


def _scalar(value: object, where: str) -> str:
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float) and value - value == 0:
        return repr(value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_scalar(entry, where) for entry in value)}]"
    raise InputError(f"TOML has no form for {value!r}", where=where)


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _quoted(key)


def _quoted(text: str) -> str:
    def escape(char: str) -> str:
        if char in _ESCAPES:
            return _ESCAPES[char]
        return f"\\u{ord(char):04x}" if ord(char) < 32 or ord(char) == 127 else char

    return f'"{"".join(map(escape, text))}"'


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
