"""Parts of storages in a spec file, where no tensor of the file shows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from sympy import Expr

from symroof.errors import InputError
from symroof.graph.spec_fields import place
from symroof.graph.spec_values import write_value
from symroof.graph.storage import Region, Span, View
from symroof.graph.tensor import Tensor
from symroof.symbolic.adopt import adopt
from symroof.symbolic.symbols import check_own
from symroof.tables import read_table

MOST_AXES = 64


class BoxFields(msgspec.Struct, forbid_unknown_fields=True):
    """A box: start and length along each axis of a shape.

    `order` is that of the axes of what it is cut from, where they were put in another one.
    """

    shape: list[int | str]
    box: list[list[int | str]]
    order: list[int] = []


class PartFields(msgspec.Struct, forbid_unknown_fields=True):
    """A part of the storage of the tensor `of`, cut from one box after the other.

    `axes` says along which axis of the last shape each axis of the tensor runs.
    """

    of: str
    shape: list[int | str]
    box: list[list[int | str]]
    axes: list[int]
    order: list[int] = []
    cut_from: list[dict[str, Any]] = []


def read_part(fields: PartFields, storage: Tensor) -> View:
    """Return the view that `write_part` wrote.

    Raises
    ------
    InputError
        If boxes and shapes do not match.
    """
    parent: Region | None = None
    for number, table in enumerate(fields.cut_from):
        with place(f"cut_from[{number}]"):
            parent = Region(parent, *_box(read_table(table, BoxFields)))
    shape, order, box = _box(fields)
    axes = tuple(fields.axes)
    if not set(axes) <= set(range(len(shape))):
        raise InputError(f"expected axes of {len(shape)}, not {axes}", where="axes")
    full = all(start == 0 and n == size for (start, n), size in zip(box, shape, strict=True))
    region = parent if full else Region(parent, shape, order, box)
    return View(storage, parent, shape, order, box, axes, region)


def write_part(view: View, of: str) -> dict[str, Any]:
    """Return the table of a view of the storage of the tensor called `of`.

    Examples
    --------
    >>> from symroof.graph import Graph
    >>> kv = Graph("g").cache("kv", (2, "S"), "bf16")
    >>> table = write_part(kv[1].view, "kv")
    >>> table
    {'of': 'kv', 'shape': [2, 'S'], 'box': [[1, 1], [0, 'S']], 'axes': [1]}
    >>> read_part(read_table(table, PartFields), kv).region == kv[1].region
    True
    """
    table: dict[str, Any] = {"of": of, **_table(view)}
    table["axes"] = list(view.axes)
    if view.parent is not None:
        table["cut_from"] = [_table(region) for region in reversed([*view.parent.lineage()])]
    return table


def _table(part: View | Region) -> dict[str, Any]:
    table = {"shape": write_value(part.shape), "box": write_value(part.box)}
    return table | ({"order": list(part.order)} if part.order else {})


def _box(
    fields: BoxFields | PartFields,
) -> tuple[tuple[Expr, ...], tuple[int, ...], tuple[Span, ...]]:
    shape = _exprs("shape", fields.shape)
    spans = [_exprs("box", span) for span in fields.box]
    if len(spans) != len(shape) or any(len(span) != 2 for span in spans):
        raise InputError(
            f"expected a start and a length for each of {len(shape)} axes", where="box"
        )
    return shape, tuple(fields.order), tuple((start, length) for start, length in spans)


def _exprs(where: str, values: Sequence[int | str]) -> tuple[Expr, ...]:
    if len(values) > MOST_AXES:
        raise InputError(f"more than {MOST_AXES} axes", where=where)
    return tuple(check_own(adopt(value, where=where), where) for value in values)
