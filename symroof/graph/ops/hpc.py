"""Kernels of scientific computing: axpy, stencil, fft."""

from __future__ import annotations

from typing import Any

from sympy import Add, Expr, Mul

from symroof.errors import InputError, ShapeError
from symroof.graph.indices import Indices, numbered
from symroof.graph.op import AttrPairs, Attrs, Cost, OpKind, apply, weight_attr
from symroof.graph.ops.arguments import flag_attr, integer, whole
from symroof.graph.registry import register
from symroof.graph.shapes import compute_key
from symroof.graph.tensor import Tensor, TensorSpec
from symroof.symbolic.exact import shown
from symroof.symbolic.functions import log2
from symroof.units.dtype import DTypeKind


class _Axpy(OpKind):
    name = "axpy"
    count = "2*n, a multiplication and an addition per element"
    source = "BLAS++ flops.hh, after LAPACK Working Note 41"

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        x, y = inputs
        if x.shape != y.shape:
            raise ShapeError(self.name, "shapes differ", (x.text, y.text))
        return (y,)

    def cost(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Cost:
        flops = {compute_key(self.name, inputs): 2 * outputs[0].elements}
        return Cost.moving(inputs, outputs, flops=flops)

    def indices(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Indices:
        row = numbered(inputs[0].rank)
        return Indices((row, row), (row,), additive=True)


class _Stencil(OpKind):
    name = "stencil"
    count = "(2*points - 1) per grid point: a multiplication for each neighbour, sums between"
    source = "one coefficient per neighbour; other stencils give their own count as flop_weight"

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        if inputs[0].rank == 0:
            raise ShapeError(self.name, "the grid needs a dim", (inputs[0].text,))
        return inputs

    def cost(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Cost:
        x = inputs[0]
        per_point = attrs.get("flop_weight", 2 * attrs["points"] - 1)
        return Cost.moving(
            inputs,
            outputs,
            flops={compute_key(self.name, inputs): x.elements * per_point},
            writes=(_written(outputs[0], attrs),),
        )

    def counted(self, attrs: Attrs) -> tuple[Expr, ...]:
        return (attrs["points"],)


class _Fft(OpKind):
    name = "fft"
    count = "5*n*log2(n) per transform of n complex numbers"
    source = "radix-2 Cooley-Tukey, the count FFTW's benchmarks use (Frigo and Johnson 2005)"

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        x = inputs[0]
        dims = attrs.get("dims", 1)
        if x.rank <= dims or x.shape[-1] != 2:
            message = f"expected {dims} transformed dims, then 2: real and imaginary part"
            raise ShapeError(self.name, message, (x.text,))
        if x.dtype.kind is not DTypeKind.FLOAT:
            raise ShapeError(self.name, "the parts must be floats", (x.text,))
        return inputs

    def cost(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Cost:
        x = inputs[0]
        transformed = x.shape[-1 - attrs.get("dims", 1) : -1]
        stages = Add(*(log2(length) for length in transformed))
        return Cost.moving(
            inputs,
            outputs,
            flops={compute_key(self.name, inputs): 5 * Mul(*x.shape[:-1]) * stages},
            writes=(_written(outputs[0], attrs),),
        )

    def indices(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Indices:
        batch = inputs[0].rank - 1 - attrs.get("dims", 1)
        row = (*numbered(batch), *(None,) * (inputs[0].rank - batch))
        return Indices((row,), (row,), linear=(0,))


_AXPY, _STENCIL, _FFT = _Axpy(), _Stencil(), _Fft()


@register(_AXPY)
def axpy(x: Tensor, y: Tensor, *, name: str | None = None) -> Tensor:
    """Add a multiple of `x` to `y`, in place: y ← αx + y, α in a register.

    Counts 2 FLOPs per element; reads x and y, writes y. Source: BLAS++ flops.hh.

    Parameters
    ----------
    x, y : Tensor
        Of one shape.
    name : str, optional
        Name of the op.

    Returns
    -------
    Tensor
        The sum, in the storage of `y`.

    Raises
    ------
    ShapeError
        If the shapes differ.

    Examples
    --------
    >>> from symroof import ops
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> _ = ops.axpy(g.input("x", "n", "fp64"), g.input("y", "n", "fp64"))
    >>> str(g.intensity)
    '1/12 FLOP/byte'
    """
    return apply(_AXPY, (x, y), (), name, out=y)


@register(_STENCIL)
def stencil(
    x: Tensor,
    *,
    points: Any,
    flop_weight: Any = None,
    write_allocate: bool = False,
    name: str | None = None,
) -> Tensor:
    """Sweep a stencil of `points` neighbours once over a grid of any number of dims.

    Counts 2·points − 1 per grid point, one coefficient per neighbour. Traffic is compulsory: the
    grid is read once and written once, neighbours come from cache; with `write_allocate` each
    line written is read before (its bytes count with the write). Boundaries count as inner points.

    Parameters
    ----------
    x : Tensor
        The grid.
    points : int, symbol or text
        Grid points that go into one new value, the middle included: 5, 7, 9, 27 ...
    flop_weight : number or text, optional
        FLOPs per grid point instead of 2·points − 1.
    write_allocate : bool
        Whether the cache reads what it is about to write.
    name : str, optional
        Name of the op.

    Returns
    -------
    Tensor
        The new grid, shape and dtype of `x`.

    Raises
    ------
    InputError
        If `points` is no whole number of 1 or more.

    Examples
    --------
    >>> from symroof import ops
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> _ = ops.stencil(g.input("u", ("n", "n", "n"), "fp64"), points=7, write_allocate=True)
    >>> str(g.flops), str(g.bytes), str(g.intensity)
    ('13*n**3 FLOP', '24*n**3 byte', '13/24 FLOP/byte')
    """
    attrs: AttrPairs = (("points", whole(points, "stencil points")), *weight_attr(flop_weight))
    return apply(
        _STENCIL, (x,), (*attrs, *flag_attr("stencil", "write_allocate", write_allocate)), name
    )


@register(_FFT)
def fft(
    x: Tensor, *, dims: int = 1, write_allocate: bool = False, name: str | None = None
) -> Tensor:
    """Transform the last dims of a complex array to frequencies, out of place.

    Counts 5·n·log2(n) per transform of n complex numbers, n the product of the transformed dims,
    times the leading dims as batch. Reads the input once and writes the result once; with
    `write_allocate` each line written is read before (its bytes count with the write).
    Source: radix-2 Cooley-Tukey, the count of FFTW's benchmarks (Frigo and Johnson 2005).

    Parameters
    ----------
    x : Tensor
        Complex numbers as pairs: the last dim is 2, the real and the imaginary part.
    dims : int
        How many dims before that one are transformed together.
    write_allocate : bool
        Whether the cache reads what it is about to write.
    name : str, optional
        Name of the op.

    Returns
    -------
    Tensor
        Shape and dtype of `x`.

    Raises
    ------
    ShapeError
        If the last dim is not 2, or there are too few dims.

    Examples
    --------
    >>> from symroof import ops
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> _ = ops.fft(g.input("x", ("n", 2), "fp64"), write_allocate=True)
    >>> str(g.flops), str(g.bytes), str(g.intensity)
    ('5*n*log2(n) FLOP', '48*n byte', '5*log2(n)/48 FLOP/byte')
    """
    if integer(dims, "fft dims") < 1:
        raise InputError(
            f"expected a whole number of 1 or more, not {shown(dims)}", where="fft dims"
        )
    attrs: AttrPairs = () if dims == 1 else (("dims", dims),)
    return apply(_FFT, (x,), (*attrs, *flag_attr("fft", "write_allocate", write_allocate)), name)


def _written(output: TensorSpec, attrs: Attrs) -> Expr:
    return output.bytes * (2 if attrs.get("write_allocate") else 1)
