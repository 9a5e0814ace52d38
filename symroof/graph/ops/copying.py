"""Copying, converting and filling tensors."""

from __future__ import annotations

from typing import Any

from symroof.graph.indices import Indices, numbered
from symroof.graph.op import AttrPairs, Attrs, Cost, OpKind, apply
from symroof.graph.registry import register
from symroof.graph.tensor import Tensor, TensorSpec
from symroof.symbolic.adopt import adopt
from symroof.symbolic.symbols import check_own
from symroof.units.dtype import DType, dtype


class _Copy(OpKind):
    name = "copy"
    count = "0: the tensor is read and written"
    source = "definition"
    rides_along = True

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        return inputs

    def cost(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Cost:
        return Cost.moving(inputs, outputs)

    def indices(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Indices:
        row = numbered(inputs[0].rank)
        return Indices((row,), (row,), linear=(0,) if self.name == "copy" else ())


class _Cast(_Copy):
    name = "cast"
    count = "0: the tensor is read in one dtype and written in another"

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        return (inputs[0].with_dtype(attrs["to"]),)


class _Fill(_Copy):
    name = "fill"
    count = "0: the result is written, nothing is read"

    def cost(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Cost:
        return Cost.moving(inputs, outputs, reads=[0])


_COPY, _CAST, _FILL = _Copy(), _Cast(), _Fill()


@register(_COPY)
def copy(x: Tensor, *, out: Tensor | None = None, name: str | None = None) -> Tensor:
    """Copy a tensor into a storage of its own.

    FLOPs: 0. Source: definition; the tensor is read and written.

    Parameters
    ----------
    x : Tensor
        Any shape.
    out : Tensor, optional
        Write into this tensor's storage.
    name : str, optional
        Name of the op and its output.

    Returns
    -------
    Tensor
        With the shape and dtype of `x`.

    Examples
    --------
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> y = copy(g.input("x", "n", "fp32"))
    >>> print(g.flops, "|", g.bytes)
    0 FLOP | 8*n byte
    """
    return apply(_COPY, (x,), (), name, out)


@register(_CAST)
def cast(x: Tensor, to: str | DType, *, name: str | None = None) -> Tensor:
    """Convert a tensor to another dtype.

    FLOPs: 0. Source: definition; the tensor is read in one dtype and written in another.

    Parameters
    ----------
    x : Tensor
        Any shape.
    to : str or DType
        The new storage dtype.
    name : str, optional
        Name of the op and its output.

    Returns
    -------
    Tensor
        With the shape of `x`.

    Raises
    ------
    UnknownNameError
        If there is no such dtype.

    Examples
    --------
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> y = cast(g.input("x", "n", "fp32"), "bf16")
    >>> print(g.bytes)
    6*n byte
    """
    return apply(_CAST, (x,), (("to", dtype(to)),), name)


@register(_FILL)
def fill(
    x: Tensor, value: Any = 0, *, out: Tensor | None = None, name: str | None = None
) -> Tensor:
    """Write one value into every element of a tensor shaped like `x`.

    FLOPs: 0. Source: definition; the result is written, nothing is read.

    Parameters
    ----------
    x : Tensor
        Gives shape and dtype; it is not read.
    value : number or text
        The value.
    out : Tensor, optional
        Write into this tensor's storage; ``out=x`` overwrites `x`.
    name : str, optional
        Name of the op and its output.

    Returns
    -------
    Tensor
        With the shape and dtype of `x`.

    Examples
    --------
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> x = g.input("x", "n", "fp32")
    >>> y = fill(x, out=x)
    >>> print(g.bytes)
    4*n byte
    """
    attrs: AttrPairs = (("value", check_own(adopt(value), "fill value")),)
    return apply(_FILL, (x,), attrs, name, out)
