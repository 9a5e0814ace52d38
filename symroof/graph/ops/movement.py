"""Moving and viewing tensors: concat, slice, reshape, transpose."""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from sympy import Add, Expr, Integer, Mul, expand

from symroof.errors import InputError, ShapeError
from symroof.graph.indices import Indices, numbered, reshaped
from symroof.graph.op import AttrPairs, Attrs, Cost, OpKind, apply
from symroof.graph.registry import register
from symroof.graph.shapes import axis_of, same_size
from symroof.graph.storage import View
from symroof.graph.tensor import Shape, Tensor, TensorSpec, dim, dims_of
from symroof.symbolic.adopt import adopt
from symroof.symbolic.build import add, subtract
from symroof.symbolic.exact import shown
from symroof.symbolic.signs import is_below
from symroof.symbolic.symbols import check_own

ZERO = Integer(0)
Cut = tuple[Expr, Expr, bool]


class _Concat(OpKind):
    name = "concat"
    count = "0: every operand is read, the result is written"
    source = "definition"

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        first = inputs[0]
        axis = axis_of(self.name, first, attrs["axis"])
        for other in inputs[1:]:
            shown = (first.text, other.text)
            if other.dtype != first.dtype:
                raise ShapeError(self.name, "operands have different dtypes; cast one", shown)
            if _without(first.shape, axis) != _without(other.shape, axis):
                raise ShapeError(self.name, f"only axis {axis} may differ", shown)
        joined = Add(*(spec.shape[axis] for spec in inputs))
        return (first.with_shape((*first.shape[:axis], joined, *first.shape[axis + 1 :])),)

    def cost(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Cost:
        return Cost.moving(inputs, outputs)

    def indices(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Indices:
        axis = axis_of(self.name, inputs[0], attrs["axis"])
        row = tuple(
            None if i == axis else index for i, index in enumerate(numbered(inputs[0].rank))
        )
        return Indices((row,) * len(inputs), (row,), additive=True)


class _ViewKind(OpKind):
    count = "0: a view moves nothing"
    source = "definition"
    view = True

    def cost(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Cost:
        return Cost.moving(inputs, outputs, reads=[0], writes=[0])


class _Slice(_ViewKind):
    name = "slice"

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        (x,) = inputs
        kept = [length for _, length, drop in attrs["key"] if not drop]
        return (x.with_shape((*kept, *x.shape[len(attrs["key"]) :])),)

    def view_of(self, view: View, output: TensorSpec, attrs: Attrs) -> View:
        axis = 0
        for start, length, drop in attrs["key"]:
            view = view.sliced(axis, start, length, drop=drop)
            axis += not drop
        return view

    def indices(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Indices:
        x, key = inputs[0], attrs["key"]
        taken = [
            None if place < len(key) and (key[place][2] or key[place][1] != size) else index
            for place, (size, index) in enumerate(zip(x.shape, numbered(x.rank), strict=True))
        ]
        made = [
            index for place, index in enumerate(taken) if place >= len(key) or not key[place][2]
        ]
        return Indices((tuple(taken),), (tuple(made),), linear=(0,))

    def local_attrs(
        self,
        attrs: AttrPairs,
        inputs: tuple[TensorSpec, ...],
        parts: tuple[TensorSpec, ...],
        made: tuple[TensorSpec, ...],
    ) -> AttrPairs:
        key = dict(attrs)["key"]
        cuts = tuple(
            (start, part if size != part else length, drop)
            for (start, length, drop), size, part in zip(
                key, inputs[0].shape, parts[0].shape, strict=False
            )
        )
        return tuple((name, cuts if name == "key" else value) for name, value in attrs)


class _Reshape(_ViewKind):
    name = "reshape"

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        (x,) = inputs
        made = x.with_shape(attrs["shape"])
        if not same_size(x.shape, made.shape):
            raise ShapeError(self.name, "element counts differ", (x.text, made.text))
        return (made,)

    def indices(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Indices:
        before, after = reshaped(inputs[0].shape, outputs[0].shape)
        return Indices((before,), (after,), linear=(0,))

    def local_attrs(
        self,
        attrs: AttrPairs,
        inputs: tuple[TensorSpec, ...],
        parts: tuple[TensorSpec, ...],
        made: tuple[TensorSpec, ...],
    ) -> AttrPairs:
        return (("shape", made[0].shape),)


class _Transpose(_ViewKind):
    name = "transpose"

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        (x,) = inputs
        return (x.with_shape(tuple(x.shape[axis] for axis in attrs["axes"])),)

    def indices(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Indices:
        row = numbered(inputs[0].rank)
        return Indices((row,), (tuple(row[axis] for axis in attrs["axes"]),), linear=(0,))

    def view_of(self, view: View, output: TensorSpec, attrs: Attrs) -> View:
        return view.transposed(attrs["axes"])


class _Materialised(_Transpose):
    count = "0: the tensor is read and written"
    view = False

    def cost(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Cost:
        return Cost.moving(inputs, outputs)


_CONCAT, _SLICE, _RESHAPE, _TRANSPOSE = _Concat(), _Slice(), _Reshape(), _Transpose()
_MATERIALISED = _Materialised()


@register(_CONCAT)
def concat(tensors: Iterable[Tensor], *, axis: int = 0, name: str | None = None) -> Tensor:
    """Join tensors along an axis.

    FLOPs: 0. Source: definition; every operand is read and the result is written.

    Parameters
    ----------
    tensors : iterable of Tensor
        Equal in dtype and in every dim but that of `axis`.
    axis : int
        Where to join; negative from the end.
    name : str, optional
        Name of the op and its output.

    Returns
    -------
    Tensor
        With the sum of the dims along `axis`.

    Raises
    ------
    ShapeError
        If other dims or the dtypes differ.

    Examples
    --------
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> concat([g.input("x", ("B", "S"), "bf16"), g.input("y", ("B", "T"), "bf16")], axis=1)
    <concat_0 [B, S + T] bf16>
    >>> print(g.bytes)
    (4*B*S + 4*B*T) byte
    """
    if isinstance(tensors, Tensor):
        raise InputError("it takes a list of tensors", where="concat")
    return apply(_CONCAT, tuple(tensors), (("axis", axis),), name)


@register(_SLICE)
def slice_(x: Tensor, key: Any, *, name: str | None = None) -> Tensor:
    """View part of a tensor, as ``x[key]`` does.

    FLOPs: 0. Source: definition; a view moves nothing. Who reads the view reads its part of the
    storage.

    Parameters
    ----------
    x : Tensor
        Any shape.
    key : int, slice, or a tuple of those
        Positions along the first axes. An integer or a formula takes one place and drops the axis;
        ``start:stop`` may hold numbers, symbols and text; ``...`` stands for whole axes. Steps are
        not supported.
    name : str, optional
        Name of the op and its output.

    Returns
    -------
    Tensor
        A view of the storage of `x`.

    Raises
    ------
    ShapeError
        If the part lies outside the tensor.

    Examples
    --------
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> kv = g.cache("kv", ("L", 8, "S", 128), "bf16")
    >>> kv[0], kv[:, 2:4]
    (<slice_0 [8, S, 128] bf16>, <slice_1 [L, 2, S, 128] bf16>)
    """
    if not isinstance(x, Tensor):
        raise InputError(f"it views a tensor, not {type(x).__name__}", where="slice")
    return apply(_SLICE, (x,), (("key", _cuts(x.spec, key)),), name)


@register(_RESHAPE)
def reshape(x: Tensor, shape: Shape, *, name: str | None = None) -> Tensor:
    """View a tensor in another shape with as many elements.

    FLOPs: 0. Source: definition; a view moves nothing.

    Parameters
    ----------
    x : Tensor
        Any shape.
    shape : tuple of int, symbol or text
        The new dims; one of them may be -1, for what the others leave.
    name : str, optional
        Name of the op and its output.

    Returns
    -------
    Tensor
        A view of the storage of `x`.

    Raises
    ------
    ShapeError
        If the element counts differ; shows both shapes.

    Examples
    --------
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> reshape(g.input("x", ("B", "H*d"), "bf16"), ("B", "H", -1))
    <reshape_0 [B, H, d] bf16>
    >>> print(g.bytes)
    0 byte
    """
    if not isinstance(x, Tensor):
        raise InputError(f"it views a tensor, not {type(x).__name__}", where="reshape")
    given = dims_of(shape)
    try:
        attrs = _shape_attr(x.spec, given, tuple(map(type, given)))
    except TypeError:  # not hashable, so no dim
        attrs = (("shape", _filled(x.spec, given)),)
    return apply(_RESHAPE, (x,), attrs, name)


@register(_TRANSPOSE)
def transpose(
    x: Tensor,
    axes: Iterable[int] | None = None,
    *,
    materialise: bool = False,
    name: str | None = None,
) -> Tensor:
    """Put the axes of a tensor in another order.

    FLOPs: 0. Source: definition; a view moves nothing, a materialised transpose reads and writes
    the tensor.

    Parameters
    ----------
    x : Tensor
        Any shape.
    axes : iterable of int, optional
        Which axis of `x` each axis of the result is; reversed by default.
    materialise : bool
        Write the result into a storage of its own.
    name : str, optional
        Name of the op and its output.

    Returns
    -------
    Tensor
        A view of the storage of `x`, or a tensor of its own.

    Raises
    ------
    ShapeError
        If `axes` is no permutation.

    Examples
    --------
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> x = g.input("x", ("M", "K"), "fp16")
    >>> transpose(x), transpose(x, materialise=True)
    (<transpose_0 [K, M] fp16>, <transpose_1 [K, M] fp16>)
    >>> print(g.bytes)
    4*K*M byte
    """
    if not isinstance(x, Tensor):
        raise InputError(f"it views a tensor, not {type(x).__name__}", where="transpose")
    rank = x.spec.rank
    order = tuple(range(rank - 1, -1, -1)) if axes is None else tuple(axes)
    places = tuple(axis_of("transpose", x.spec, axis) for axis in order)
    if sorted(places) != list(range(rank)):
        raise ShapeError("transpose", f"{order} is no order of {rank} axes", (x.spec.text,))
    if materialise:
        return apply(_MATERIALISED, (x,), (("axes", places), ("materialise", True)), name)
    return apply(_TRANSPOSE, (x,), (("axes", places),), name)


def _without(shape: tuple[Expr, ...], axis: int) -> tuple[Expr, ...]:
    return (*shape[:axis], *shape[axis + 1 :])


def _cuts(spec: TensorSpec, key: Any) -> tuple[Cut, ...]:
    keys = list(key) if isinstance(key, tuple) else [key]
    gaps = [place for place, part in enumerate(keys) if part is Ellipsis]
    if len(gaps) > 1:
        raise InputError("'...' stands once in a slice", where="slice")
    missing = spec.rank - (len(keys) - len(gaps))
    if missing < 0:
        raise ShapeError("slice", f"{len(keys)} positions for {spec.rank} axes", (spec.text,))
    if gaps:
        keys[gaps[0] : gaps[0] + 1] = [builtins.slice(None)] * missing
    return tuple(_cut(spec, size, part) for size, part in zip(spec.shape, keys, strict=False))


def _cut(spec: TensorSpec, size: Expr, part: Any) -> Cut:
    if not isinstance(part, builtins.slice):
        start = _place(size, part)
        _inside(spec, size, start, Integer(1))
        return start, Integer(1), True
    if part.step not in (None, 1):
        raise ShapeError("slice", f"steps are not supported, got {shown(part.step)}", (spec.text,))
    start = ZERO if part.start is None else _place(size, part.start)
    stop = size if part.stop is None else _place(size, part.stop)
    length = expand(subtract(stop, start)) if start != ZERO else stop
    _inside(spec, size, start, length)
    return start, length, False


def _place(size: Expr, value: Any) -> Expr:
    place = check_own(adopt(value, where="slice"), "slice")
    if place.is_Integer:
        return size + place if place.p < 0 else place
    if place.is_number:
        raise InputError(f"a position is a whole number, not {shown(place)}", where="slice")
    return expand(size + place) if is_below(place, 0) else place


def _inside(spec: TensorSpec, size: Expr, start: Expr, length: Expr) -> None:
    if _outside(size, start, length):
        message = (
            f"{shown(length)} places from {shown(start)} do not lie in an axis of {shown(size)}"
        )
        raise ShapeError("slice", message, (spec.text,))


@lru_cache(maxsize=4096)
def _outside(size: Expr, start: Expr, length: Expr) -> bool:
    # Kept: a model slices alike in every layer, and a proof of signs takes time.
    left = subtract(size, add((start, length)))
    return is_below(start, 0) or is_below(length, 1) or is_below(left, 0)


@lru_cache(maxsize=4096)
def _shape_attr(spec: TensorSpec, shape: tuple[Any, ...], types: tuple[type, ...]) -> AttrPairs:
    # Kept by what was given: a model reshapes alike in every layer, and text takes time to read.
    return (("shape", _filled(spec, shape)),)


def _filled(spec: TensorSpec, shape: tuple[Any, ...]) -> tuple[Expr, ...]:
    holes = [place for place, size in enumerate(shape) if size in (-1, "-1")]
    if not holes:
        return tuple(dim(size) for size in shape)
    if len(holes) > 1:
        raise ShapeError("reshape", "only one dim can be -1", (spec.text,))
    known = [dim(size) for place, size in enumerate(shape) if place != holes[0]]
    left = dim(spec.elements / Mul(*known)) if known else spec.elements
    return (*known[: holes[0]], left, *known[holes[0] :])
