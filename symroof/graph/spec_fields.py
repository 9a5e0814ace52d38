"""The tables of a spec file: TOML in, checked field by field; errors are one line with a place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import msgspec

from symroof.errors import InputError, SymroofError
from symroof.tables import check_version, parse, read_table

SCHEMA_VERSION = 1
MAX_BYTES = 64_000_000
MAX_TABLES = 20_000
TOO_MANY = f"more than {MAX_TABLES:,} tables; put what repeats into a repeat"


class SymbolFields(msgspec.Struct, forbid_unknown_fields=True):
    """A symbol: what it means, and the value it usually has."""

    meaning: str = ""
    default: int | float | str | None = None


class TensorFields(msgspec.Struct, forbid_unknown_fields=True):
    """A tensor that no op makes; without a dtype it has that of the file.

    `sharding` names for each dim the axis of the mesh it is sharded over: "" for none, a list for
    several.
    """

    shape: int | str | list[int | str]
    dtype: str | None = None
    role: str = "input"
    sharding: str | list[str | list[str]] | None = None


class SplitFields(msgspec.Struct, forbid_unknown_fields=True):
    """A dim of a whole tensor that has to divide over axes of the mesh, the major one first."""

    tensor: str
    dim: int | str
    over: str | list[str]


class ShardedFields(msgspec.Struct, forbid_unknown_fields=True):
    """Says that the graph is that of one chip of a mesh, and what numbers have to divide."""

    mesh: dict[str, int | str]
    splits: list[dict[str, Any]] = []


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


class ContractionFields(msgspec.Struct, forbid_unknown_fields=True):
    """A contraction that was fused: its sizes, its operands and result, and where it computes.

    `flops` is what a point of it counts; `fed`, that another one makes an operand.
    """

    left: dict[str, Any]
    right: dict[str, Any]
    out: dict[str, Any]
    dtype: str
    batch: int | str = 1
    m: int | str = 1
    n: int | str = 1
    k: int | str = 1
    flops: int = 2
    fed: bool = False


class OperandFields(msgspec.Struct, forbid_unknown_fields=True):
    """The shape and the dtype of an operand."""

    shape: int | str | list[int | str]
    dtype: str


class FusedFields(msgspec.Struct, forbid_unknown_fields=True):
    """A fused op: the kinds of the ops it was, and what its boundary moves, port by port.

    `counts` names counts that stand in no shape, such as the size of a group; `contractions` has
    the sizes of those among its ops, so that tiles can be asked of it.
    """

    op: str
    name: str
    inputs: list[str]
    outputs: list[dict[str, Any]]
    ops: list[str]
    reads: list[int | str]
    writes: list[int | str]
    counts: list[str] = []
    contractions: list[dict[str, Any]] | None = None
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
    mesh: dict[str, int | str] = {}
    sharded: dict[str, Any] | None = None
    tensors: dict[str, dict[str, Any]] = {}
    ops: list[dict[str, Any]] = []


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
    check_version(raw, SCHEMA_VERSION)
    return read_table(raw, SpecFields)


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


def _parsed(text: str) -> dict[str, Any]:
    if len(_HEADER.findall(text)) + text.count("{") > MAX_TABLES:
        raise InputError(TOO_MANY)
    found = parse(text)
    check_size(found)
    return found


def check_size(tables: Mapping[str, Any]) -> None:
    """Refuse a spec of more tables than are read in a few seconds.

    Raises
    ------
    InputError
        If there are more than `MAX_TABLES`.
    """
    if _tables(tables) > MAX_TABLES:
        raise InputError(TOO_MANY)


def _tables(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + sum(map(_tables, value.values()))
    return sum(map(_tables, value)) if isinstance(value, list) else 0


_HEADER = re.compile(r"^[ \t]*\[.*\][ \t]*(?:#.*)?$", re.MULTILINE)
