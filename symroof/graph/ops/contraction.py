"""Matrix and vector products: matmul, linear, dot, outer, gemv."""

from __future__ import annotations

from sympy import Integer

from symroof.errors import ShapeError
from symroof.graph.indices import Indices, aligned, numbered
from symroof.graph.op import Attrs, Cost, OpKind, apply
from symroof.graph.registry import register
from symroof.graph.shapes import broadcast, compute_key, dtype_attr, out_dtype_of
from symroof.graph.tensor import Tensor, TensorSpec
from symroof.symbolic.build import multiplied
from symroof.units.dtype import DType

TWO = Integer(2)


class _Matmul(OpKind):
    name = "matmul"
    count = "2*M*N*K per matrix of the batch"
    source = "one multiply-add is 2 FLOPs (BLAS gemm, LAPACK Working Note 41)"

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        a, b = inputs
        if not a.rank or not b.rank:
            raise ShapeError(self.name, "a scalar is no matrix", (a.text, b.text))
        inner = b.shape[-2] if b.rank > 1 else b.shape[0]
        if a.shape[-1] != inner:
            raise ShapeError(
                self.name, f"inner dim {a.shape[-1]} does not match {inner}", (a.text, b.text)
            )
        rows, columns = a.shape[-2:-1], b.shape[-1:] if b.rank > 1 else ()
        batch = () if a.rank == 1 or b.rank == 1 else broadcast(self.name, inputs, drop=2)
        if b.rank == 1:
            batch = a.shape[:-2]
        elif a.rank == 1:
            batch = b.shape[:-2]
        return (TensorSpec.of((*batch, *rows, *columns), out_dtype_of(inputs, attrs)),)

    def cost(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Cost:
        flops = multiplied(TWO, outputs[0].elements, inputs[0].shape[-1])
        return Cost.moving(inputs, outputs, flops={compute_key(self.name, inputs): flops})

    def indices(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Indices:
        a, b = inputs[:2]
        rows, columns = ("m",) * (a.rank > 1), ("n",) * (b.rank > 1)
        batch = outputs[0].shape[: outputs[0].rank - len(rows) - len(columns)]
        names = numbered(len(batch), "b")
        of_a = (*aligned(a.shape[:-2], batch, names), *rows, "k")
        of_b = (*aligned(b.shape[:-2], batch, names), "k", *columns)
        made = (*names, *rows, *columns)
        if len(inputs) > 2:
            # A bias is added once: to the sum, not to each chip's part of it.
            return Indices((of_a, of_b, ("n",)), (made,))
        return Indices((of_a, of_b), (made,), linear=(0, 1))


class _Linear(_Matmul):
    name = "linear"
    count = "2*T*D*F for T rows, and T*F for the bias"
    source = "a matrix product and a broadcast addition"

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        if inputs[1].rank != 2:
            shown = [spec.text for spec in inputs[:2]]
            raise ShapeError(self.name, "the weight is a matrix [in, out]", shown)
        (made,) = super().infer(inputs[:2], attrs)
        for bias in inputs[2:]:
            if bias.shape != inputs[1].shape[1:]:
                shown = [inputs[1].text, bias.text]
                raise ShapeError(self.name, "the bias has one element per output", shown)
        return (made,)

    def cost(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Cost:
        key = compute_key(self.name, inputs)
        made = outputs[0].elements
        flops = 2 * made * inputs[1].shape[0] + (made if len(inputs) > 2 else 0)
        return Cost.moving(inputs, outputs, flops={key: flops})


class _Dot(OpKind):
    name = "dot"
    count = "2*n - 1: n multiplications and n - 1 additions"
    source = "BLAS dot, LAPACK Working Note 41"

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        x, y = inputs
        if x.rank != 1 or y.rank != 1 or x.shape != y.shape:
            raise ShapeError(self.name, "needs two vectors of one length", (x.text, y.text))
        return (TensorSpec.of((), out_dtype_of(inputs, attrs)),)

    def cost(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Cost:
        flops = 2 * inputs[0].elements - 1
        return Cost.moving(inputs, outputs, flops={compute_key(self.name, inputs): flops})

    def indices(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Indices:
        return Indices((("k",), ("k",)), ((),), linear=(0, 1))


class _Outer(OpKind):
    name = "outer"
    count = "m*n: one multiplication per element of the result"
    source = "definition; nothing is summed"

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        x, y = inputs
        if x.rank != 1 or y.rank != 1:
            raise ShapeError(self.name, "needs two vectors", (x.text, y.text))
        return (TensorSpec.of((*x.shape, *y.shape), out_dtype_of(inputs, attrs)),)

    def cost(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Cost:
        flops = outputs[0].elements
        return Cost.moving(inputs, outputs, flops={compute_key(self.name, inputs): flops})

    def indices(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Indices:
        return Indices((("m",), ("n",)), (("m", "n"),), linear=(0, 1))


class _Gemv(OpKind):
    name = "gemv"
    count = "2*m*n"
    source = "BLAS gemv, LAPACK Working Note 41"

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        a, x = inputs
        if a.rank != 2 or x.rank != 1 or a.shape[1] != x.shape[0]:
            raise ShapeError(self.name, "needs a matrix [m, n] and a vector [n]", (a.text, x.text))
        return (TensorSpec.of(a.shape[:1], out_dtype_of(inputs, attrs)),)

    def cost(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Cost:
        flops = 2 * inputs[0].elements
        return Cost.moving(inputs, outputs, flops={compute_key(self.name, inputs): flops})

    def indices(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Indices:
        return Indices((("m", "k"), ("k",)), (("m",),), linear=(0, 1))


_MATMUL, _LINEAR, _DOT, _OUTER, _GEMV = _Matmul(), _Linear(), _Dot(), _Outer(), _Gemv()


@register(_MATMUL)
def matmul(
    a: Tensor, b: Tensor, *, out_dtype: str | DType | None = None, name: str | None = None
) -> Tensor:
    """Multiply matrices, batches of them, or a matrix and a vector, as numpy's ``@`` does.

    FLOPs: 2*M*N*K per matrix of the broadcast batch. Source: one multiply-add is 2 FLOPs (BLAS
    gemm, LAPACK Working Note 41). An operand that is broadcast over the batch is read once.

    Parameters
    ----------
    a : Tensor
        ``[..., M, K]``, or a vector ``[K]``.
    b : Tensor
        ``[..., K, N]``, or a vector ``[K]``.
    out_dtype : str or DType, optional
        Storage dtype of the result; that of the first float operand by default.
    name : str, optional
        Name of the op and its output.

    Returns
    -------
    Tensor
        ``[..., M, N]``, less the dim of a vector operand.

    Raises
    ------
    ShapeError
        If the inner dims or the batch dims do not match.

    Examples
    --------
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> a, b = g.input("a", ("B", "M", "K"), "fp16"), g.weight("b", ("K", "N"), "fp16")
    >>> matmul(a, b, name="c")
    <c [B, M, N] fp16>
    >>> print(g.flops, "|", g.bytes)
    2*B*K*M*N FLOP | (2*B*K*M + 2*B*M*N + 2*K*N) byte
    """
    return apply(_MATMUL, (a, b), dtype_attr(out_dtype) if out_dtype else (), name)


@register(_LINEAR)
def linear(
    x: Tensor,
    w: Tensor,
    bias: Tensor | None = None,
    *,
    out_dtype: str | DType | None = None,
    name: str | None = None,
) -> Tensor:
    """Apply a linear layer: ``x @ w + bias``.

    FLOPs: 2*T*D*F for T rows, and T*F for the bias. Source: a matrix product and a broadcast
    addition, which it equals.

    Parameters
    ----------
    x : Tensor
        ``[..., D]``.
    w : Tensor
        ``[D, F]``.
    bias : Tensor, optional
        ``[F]``.
    out_dtype : str or DType, optional
        Storage dtype of the result; that of the first float operand by default.
    name : str, optional
        Name of the op and its output.

    Returns
    -------
    Tensor
        ``[..., F]``.

    Raises
    ------
    ShapeError
        If the dims do not match.

    Examples
    --------
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> x, w = g.input("x", ("T", "D"), "bf16"), g.weight("w", ("D", "F"), "bf16")
    >>> y = linear(x, w, g.weight("b", ("F",), "bf16"))
    >>> print(g.flops)
    (2*D*F*T + F*T) FLOP
    """
    operands = (x, w) if bias is None else (x, w, bias)
    return apply(_LINEAR, operands, dtype_attr(out_dtype), name)


@register(_DOT)
def dot(
    x: Tensor, y: Tensor, *, out_dtype: str | DType | None = None, name: str | None = None
) -> Tensor:
    """Return the scalar product of two vectors.

    FLOPs: 2*n - 1, n multiplications and n - 1 additions. Source: BLAS dot, LAPACK Working
    Note 41.

    Parameters
    ----------
    x, y : Tensor
        ``[n]``.
    out_dtype : str or DType, optional
        Storage dtype of the result; that of the first float operand by default.
    name : str, optional
        Name of the op and its output.

    Returns
    -------
    Tensor
        A scalar, ``[]``.

    Raises
    ------
    ShapeError
        If they are no vectors of one length.

    Examples
    --------
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> s = dot(g.input("x", "n", "fp16"), g.input("y", "n", "fp16"))
    >>> print(g.flops, "|", g.bytes)
    (2*n - 1) FLOP | (4*n + 2) byte
    """
    return apply(_DOT, (x, y), dtype_attr(out_dtype), name)


@register(_OUTER)
def outer(
    x: Tensor, y: Tensor, *, out_dtype: str | DType | None = None, name: str | None = None
) -> Tensor:
    """Return the matrix of all products of two vectors' elements.

    FLOPs: m*n, one multiplication per element of the result. Source: definition; nothing is
    summed.

    Parameters
    ----------
    x : Tensor
        ``[m]``.
    y : Tensor
        ``[n]``.
    out_dtype : str or DType, optional
        Storage dtype of the result; that of the first float operand by default.
    name : str, optional
        Name of the op and its output.

    Returns
    -------
    Tensor
        ``[m, n]``.

    Raises
    ------
    ShapeError
        If an operand is no vector.

    Examples
    --------
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> c = outer(g.input("x", "m", "fp32"), g.input("y", "n", "fp32"))
    >>> print(g.flops)
    m*n FLOP
    """
    return apply(_OUTER, (x, y), dtype_attr(out_dtype), name)


@register(_GEMV)
def gemv(
    a: Tensor, x: Tensor, *, out_dtype: str | DType | None = None, name: str | None = None
) -> Tensor:
    """Multiply a matrix and a vector.

    FLOPs: 2*m*n. Source: BLAS gemv, LAPACK Working Note 41. The matrix and the vector are read,
    the result is written.

    Parameters
    ----------
    a : Tensor
        ``[m, n]``.
    x : Tensor
        ``[n]``.
    out_dtype : str or DType, optional
        Storage dtype of the result; that of the first float operand by default.
    name : str, optional
        Name of the op and its output.

    Returns
    -------
    Tensor
        ``[m]``.

    Raises
    ------
    ShapeError
        If the shapes do not match.

    Examples
    --------
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> y = gemv(g.input("a", ("m", "n"), "fp64"), g.input("x", "n", "fp64"))
    >>> print(g.flops, "|", g.bytes)
    2*m*n FLOP | (8*m*n + 8*m + 8*n) byte
    """
    return apply(_GEMV, (a, x), dtype_attr(out_dtype), name)
