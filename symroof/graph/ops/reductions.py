"""Reductions over axes: sum, mean, max, min."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sympy import Expr, Mul

from symroof.graph.indices import Indices, numbered
from symroof.graph.op import AttrPairs, Attrs, Cost, OpKind, apply
from symroof.graph.ops.arguments import axes_of, flag_attr, integer, whole
from symroof.graph.registry import register
from symroof.graph.shapes import compute_key
from symroof.graph.tensor import Tensor, TensorSpec


class _Reduction(OpKind):
    source = "a tree or a chain over n values combines two at a time, n - 1 times"

    def __init__(self, name: str, each: str, final: int = 0, *, additive: bool = False) -> None:
        self.name = name
        self.additive = additive
        self.count = f"n - 1 {each} per output" + (" and a division: n" if final else "")
        self.final = final

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        x = inputs[0]
        axes = axes_of(self.name, x, attrs.get("axes"))
        if attrs.get("keepdims"):
            return (x.with_shape(tuple(1 if i in axes else d for i, d in enumerate(x.shape))),)
        return (x.with_shape(tuple(d for i, d in enumerate(x.shape) if i not in axes)),)

    def cost(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Cost:
        x = inputs[0]
        reduced = Mul(*(x.shape[i] for i in axes_of(self.name, x, attrs.get("axes"))))
        flops = outputs[0].elements * (reduced - 1 + self.final)
        return Cost.moving(inputs, outputs, flops={compute_key(self.name, inputs): flops})

    def indices(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Indices:
        x = inputs[0]
        axes = axes_of(self.name, x, attrs.get("axes"))
        row = numbered(x.rank)
        kept = tuple(None if i in axes else index for i, index in enumerate(row))
        made = kept if attrs.get("keepdims") else tuple(i for i in kept if i is not None)
        # Sums of shards, and means as parts of the whole mean, add up; extremes do not.
        if self.additive:
            return Indices((row,), (made,), linear=(0,))
        return Indices((row,), (made,), whole=frozenset(row[i] for i in axes))


class _Mean(_Reduction):
    def local_attrs(
        self,
        attrs: AttrPairs,
        inputs: tuple[TensorSpec, ...],
        parts: tuple[TensorSpec, ...],
        made: tuple[TensorSpec, ...],
    ) -> AttrPairs:
        axes = axes_of(self.name, inputs[0], dict(attrs).get("axes"))
        count, held = (Mul(*(x.shape[i] for i in axes)) for x in (inputs[0], parts[0]))
        if count == held or "count" in dict(attrs):
            return attrs
        return (*attrs, ("count", count))

    def counted(self, attrs: Attrs) -> tuple[Expr, ...]:
        return (attrs["count"],) if "count" in attrs else ()


_SUM = _Reduction("sum", "additions", additive=True)
_MEAN = _Mean("mean", "additions", final=1, additive=True)
_MAX = _Reduction("max", "comparisons")
_MIN = _Reduction("min", "comparisons")


@register(_SUM)
def sum_(
    x: Tensor,
    *,
    axes: int | Iterable[int] | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Add up `x` over `axes`.

    Counts n − 1 additions per output, n being the number of values that go into it; reads `x`
    and writes the result. Source: combining n values takes n − 1 steps in any order.

    Parameters
    ----------
    x : Tensor
        Any shape.
    axes : int or iterable of int, optional
        What to reduce; all axes by default.
    keepdims : bool
        Keep reduced axes as dims of 1.
    name : str, optional
        Name of the op.

    Returns
    -------
    Tensor
        The shape of `x` without `axes`, in the dtype of `x`.

    Raises
    ------
    ShapeError
        If `x` has no such axis or one is named twice.

    Examples
    --------
    >>> from symroof import ops
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> x = g.input("x", ("B", "S"), "fp32")
    >>> ops.sum(x, axes=-1), str(g.flops)
    (<sum_0 [B] fp32>, 'B*(S - 1) FLOP')
    """
    return _reduce(_SUM, x, axes, keepdims, name)


@register(_MEAN)
def mean(
    x: Tensor,
    *,
    axes: int | Iterable[int] | None = None,
    keepdims: bool = False,
    count: Any = None,
    name: str | None = None,
) -> Tensor:
    """Average `x` over `axes`: n − 1 additions and a division per output, n FLOPs.

    Traffic, parameters and errors are those of `sum`. With `count`, a whole number, symbol or
    text, the sum is divided by that and not by n: a chip's part of a mean over more values.

    Examples
    --------
    >>> from symroof import ops
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> _ = ops.mean(g.input("x", ("B", "S"), "fp32"), axes=1, keepdims=True)
    >>> str(g.flops), str(g.bytes)
    ('B*S FLOP', '(4*B*S + 4*B) byte')
    """
    attrs = () if count is None else (("count", whole(count, "mean count")),)
    return _reduce(_MEAN, x, axes, keepdims, name, attrs)


@register(_MAX)
def max_(
    x: Tensor,
    *,
    axes: int | Iterable[int] | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Take the largest value of `x` over `axes`: n − 1 comparisons per output.

    Traffic, parameters and errors are those of `sum`.

    Examples
    --------
    >>> from symroof import ops
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> ops.max(g.input("x", (3, 5), "fp32"))
    <max_0 [] fp32>
    >>> str(g.flops)
    '14 FLOP'
    """
    return _reduce(_MAX, x, axes, keepdims, name)


@register(_MIN)
def min_(
    x: Tensor,
    *,
    axes: int | Iterable[int] | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Take the smallest value of `x` over `axes`: n − 1 comparisons per output.

    Traffic, parameters and errors are those of `sum`.

    Examples
    --------
    >>> from symroof import ops
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> ops.min(g.input("x", ("B", 8), "fp32"), axes=(1,)).shape, str(g.flops)
    ((B,), '7*B FLOP')
    """
    return _reduce(_MIN, x, axes, keepdims, name)


def _reduce(
    kind: _Reduction,
    x: Tensor,
    axes: int | Iterable[int] | None,
    keepdims: bool,
    name: str | None,
    more: AttrPairs = (),
) -> Tensor:
    attrs = flag_attr(kind.name, "keepdims", keepdims)
    if axes is not None:
        listed = tuple(axes) if isinstance(axes, Iterable) else (axes,)
        attrs += (("axes", tuple(integer(axis, f"{kind.name} axes") for axis in listed)),)
    return apply(kind, (x,), attrs + more, name)
