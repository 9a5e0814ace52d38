"""Rows picked and placed by index: gather (embedding), scatter, and appending to a cache."""

from __future__ import annotations

from enum import Enum
from typing import Any

from sympy import Expr, Integer, Max, ceiling, expand

from symroof.errors import ShapeError
from symroof.graph.indices import Indices, numbered
from symroof.graph.op import AttrPairs, Attrs, Cost, OpKind, apply
from symroof.graph.ops.arguments import axis_attr, choice, whole
from symroof.graph.registry import register
from symroof.graph.shapes import axis_of, compute_key
from symroof.graph.tensor import Tensor, TensorSpec
from symroof.symbolic.build import subtract
from symroof.symbolic.exact import shown
from symroof.symbolic.signs import is_below
from symroof.units.dtype import DTypeKind


class Mode(Enum):
    """What scatter does with the rows it meets."""

    SET = "set"
    ADD = "add"


class _Gather(OpKind):
    name = "gather"
    count = "0, nothing is computed"
    source = "a copy of rows; an embedding is no product with one-hot vectors"

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        table, ids = inputs
        _check_ids(self.name, table, ids)
        axis = axis_of(self.name, table, attrs.get("axis", 0))
        return (table.with_shape((*table.shape[:axis], *ids.shape, *table.shape[axis + 1 :])),)

    def cost(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Cost:
        table, ids = inputs
        rows = attrs.get("distinct", ids.elements)
        row = _row(table, attrs.get("axis", 0))
        return Cost.moving(inputs, outputs, reads=(rows * row, ids.bytes))

    def counted(self, attrs: Attrs) -> tuple[Expr, ...]:
        return (attrs["distinct"],) if "distinct" in attrs else ()

    def indices(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Indices:
        table, ids = inputs
        axis = axis_of(self.name, table, attrs.get("axis", 0))
        row, picked = numbered(table.rank), numbered(ids.rank, "i")
        # Of a table cut along its rows each chip finds its own; the others' are zeros to be summed.
        return Indices((row, picked), ((*row[:axis], *picked, *row[axis + 1 :]),), linear=(0,))

    def local_attrs(
        self,
        attrs: AttrPairs,
        inputs: tuple[TensorSpec, ...],
        parts: tuple[TensorSpec, ...],
        made: tuple[TensorSpec, ...],
    ) -> AttrPairs:
        axis = axis_of(self.name, inputs[0], dict(attrs).get("axis", 0))
        size, held = inputs[0].shape[axis], parts[0].shape[axis]
        distinct = dict(attrs).get("distinct")
        if size == held and distinct is None:
            return attrs
        rows = parts[1].elements if distinct is None else distinct * parts[1].elements
        rows = expand(rows * held / size / (1 if distinct is None else inputs[1].elements))
        if rows.is_number:
            rows = Max(1, ceiling(rows))
        return (*(pair for pair in attrs if pair[0] != "distinct"), ("distinct", rows))


class _Scatter(OpKind):
    name = "scatter"
    count = "0 for mode 'set', 1 addition per element of the updates for mode 'add'"
    source = "a copy of rows into place, or an update of them"

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        x, ids, updates = inputs
        _check_ids(self.name, x, ids)
        axis = axis_of(self.name, x, attrs.get("axis", 0))
        expected = (*x.shape[:axis], *ids.shape, *x.shape[axis + 1 :])
        if updates.shape != expected:
            wanted = x.with_shape(expected).text
            raise ShapeError(self.name, f"updates must be {shown(wanted)}", (x.text, updates.text))
        if updates.dtype != x.dtype:
            raise ShapeError(self.name, "updates have another dtype", (x.text, updates.text))
        return (x,)

    def cost(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Cost:
        x, ids, updates = inputs
        adds = attrs.get("mode") == Mode.ADD.value
        return Cost.moving(
            inputs,
            outputs,
            flops={compute_key(self.name, (x, updates)): updates.elements if adds else Integer(0)},
            reads=(updates.bytes if adds else 0, ids.bytes, updates.bytes),
            writes=(updates.bytes,),
        )

    def indices(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Indices:
        x, ids, _ = inputs
        axis = axis_of(self.name, x, attrs.get("axis", 0))
        row = numbered(x.rank)
        kept = (*row[:axis], None, *row[axis + 1 :])
        updates = (*row[:axis], *(None,) * ids.rank, *row[axis + 1 :])
        return Indices((kept, (None,) * ids.rank, updates), (kept,))


class _CacheAppend(OpKind):
    name = "cache_append"
    count = "0, nothing is computed"
    source = "a copy of the new slice into its slot"

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        cache, new = inputs
        shapes = (spec.text for spec in inputs)
        axis = axis_of(self.name, cache, attrs.get("axis", -2))
        if new.rank != cache.rank:
            raise ShapeError(self.name, "the cache and what is new differ in dims", shapes)
        for i, (whole_dim, part) in enumerate(zip(cache.shape, new.shape, strict=True)):
            if i != axis and whole_dim != part:
                raise ShapeError(
                    self.name, f"axis {i}: {shown(whole_dim)} is not {shown(part)}", shapes
                )
        if is_below(subtract(cache.shape[axis], new.shape[axis]), 0):
            message = (
                f"{shown(new.shape[axis])} new entries do not fit in {shown(cache.shape[axis])}"
            )
            raise ShapeError(self.name, message, shapes)
        if new.dtype != cache.dtype:
            raise ShapeError(self.name, "dtypes differ; cast what is new", shapes)
        return (cache,)

    def cost(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Cost:
        new = inputs[1]
        return Cost.moving(inputs, outputs, reads=(0, new.bytes), writes=(new.bytes,))

    def indices(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Indices:
        axis = axis_of(self.name, inputs[0], attrs.get("axis", -2))
        row = numbered(inputs[0].rank)
        kept = (*row[:axis], None, *row[axis + 1 :])
        return Indices((kept, kept), (kept,))


_GATHER, _SCATTER, _CACHE_APPEND = _Gather(), _Scatter(), _CacheAppend()


@register(_GATHER)
def gather(
    table: Tensor, ids: Tensor, *, axis: int = 0, distinct: Any = None, name: str | None = None
) -> Tensor:
    """Pick rows of `table` by `ids`, as an embedding does.

    Counts no FLOPs; reads one row of the table for each id, and the ids; writes the rows picked.
    The table is never read whole. Repeated ids found in a cache make it less: say so by `distinct`.

    Parameters
    ----------
    table : Tensor
        Rows along `axis`, such as a vocabulary (V, D).
    ids : Tensor
        Indices, any shape, of an integer dtype.
    axis : int
        The axis of the table that is indexed.
    distinct : int, symbol or text, optional
        How many rows are read from memory, when that is not one for each id.
    name : str, optional
        Name of the op.

    Returns
    -------
    Tensor
        The shape of the table with `axis` replaced by the shape of `ids`.

    Raises
    ------
    ShapeError
        If the table has no such axis or the ids are no integers.

    Examples
    --------
    >>> from symroof import ops
    >>> from symroof.graph import Graph
    >>> g = Graph("embed")
    >>> table, ids = g.weight("E", (128256, 4096), "bf16"), g.input("ids", 8, "int32")
    >>> ops.gather(table, ids)
    <gather_0 [8, 4096] bf16>
    >>> str(g.flops), str(g.bytes)
    ('0 FLOP', '131104 byte')
    """
    attrs = axis_attr("gather", axis, 0)
    if distinct is not None:
        attrs += (("distinct", whole(distinct, "gather distinct")),)
    return apply(_GATHER, (table, ids), attrs, name)


@register(_SCATTER)
def scatter(
    x: Tensor,
    ids: Tensor,
    updates: Tensor,
    *,
    axis: int = 0,
    mode: str = "set",
    name: str | None = None,
) -> Tensor:
    """Write `updates` over rows of `x`, or add them, in place.

    Mode "set" counts no FLOPs, reads ids and updates and writes the rows. Mode "add" counts an
    addition per element and reads the rows as well. Rows that no id names do not move.

    Parameters
    ----------
    x : Tensor
        What is written into; the result shares its storage.
    ids : Tensor
        Indices along `axis`, of an integer dtype; taken as distinct.
    updates : Tensor
        The shape of `x` with `axis` replaced by the shape of `ids`.
    axis : int
        The axis that is indexed.
    mode : {"set", "add"}
        Replace rows or add to them.
    name : str, optional
        Name of the op.

    Returns
    -------
    Tensor
        Shape and dtype of `x`.

    Raises
    ------
    ShapeError
        If the updates do not have that shape or dtype.

    Examples
    --------
    >>> from symroof import ops
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> x, ids = g.input("x", ("N", "D"), "fp32"), g.input("ids", "T", "int32")
    >>> y = ops.scatter(x, ids, g.input("u", ("T", "D"), "fp32"), mode="add")
    >>> str(g.flops), str(g.bytes)
    ('D*T FLOP', '(12*D*T + 4*T) byte')
    """
    attrs = axis_attr("scatter", axis, 0)
    if choice(Mode, mode, "scatter mode") is Mode.ADD:
        attrs += (("mode", Mode.ADD.value),)
    return apply(_SCATTER, (x, ids, updates), attrs, name, out=x)


@register(_CACHE_APPEND)
def cache_append(cache: Tensor, new: Tensor, *, axis: int = -2, name: str | None = None) -> Tensor:
    """Write `new` into its slot of `cache`, in place.

    Counts no FLOPs; reads the new slice and writes the slot, whatever the size of the cache.

    Parameters
    ----------
    cache : Tensor
        The cache, the new entries included, such as (B, Hkv, S, d).
    new : Tensor
        What is appended: the shape of the cache but for `axis`.
    axis : int
        The axis along which the cache grows.
    name : str, optional
        Name of the op.

    Returns
    -------
    Tensor
        Shape and dtype of `cache`, in its storage.

    Raises
    ------
    ShapeError
        If the shapes differ off the axis, or the dtypes do.

    Examples
    --------
    >>> from symroof import ops
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> k, new = g.cache("k", (8, 8192, 128), "bf16"), g.input("new", (8, 1, 128), "bf16")
    >>> ops.cache_append(k, new)
    <cache_append_0 [8, 8192, 128] bf16>
    >>> str(g.bytes)
    '4096 byte'
    """
    attrs = axis_attr("cache_append", axis, -2)
    return apply(_CACHE_APPEND, (cache, new), attrs, name, out=cache)


def _check_ids(op: str, table: TensorSpec, ids: TensorSpec) -> None:
    if ids.dtype.kind is not DTypeKind.INTEGER or ids.dtype.is_block:
        raise ShapeError(op, "ids must have an integer dtype", (table.text, ids.text))


def _row(table: TensorSpec, axis: int) -> Expr:
    size = table.dtype.bytes
    for i, dim in enumerate(table.shape):
        if i != axis % table.rank:
            size *= dim
    return size
