"""Products and solves with one triangle of a matrix: trmm, trsm, syrk."""

from __future__ import annotations

from enum import Enum

from symroof.errors import ShapeError
from symroof.graph.op import AttrPairs, Attrs, Cost, OpKind, apply
from symroof.graph.ops.arguments import choice, rank_of
from symroof.graph.ops.lapack_counts import syrk_flops, triangular_flops
from symroof.graph.ops.linear_algebra import check_pair, triangle_bytes
from symroof.graph.registry import register
from symroof.graph.shapes import compute_key
from symroof.graph.tensor import Tensor, TensorSpec

SOURCE = "BLAS++ flops.hh, after LAPACK Working Note 41"


class Side(Enum):
    """On which side of a product the triangular matrix stands."""

    LEFT = "left"
    RIGHT = "right"


class _Triangular(OpKind):
    source = SOURCE

    def __init__(self, name: str) -> None:
        self.name = name
        self.count = "n*m**2 for a triangle of order m on the left of an m x n matrix; m*n**2 right"

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        a, b = inputs
        check_pair(self.name, a, b, axis=_axis_of_side(attrs))
        return (b,)

    def cost(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Cost:
        a, b = inputs
        flops = triangular_flops(a.shape[0], b.shape[1 - _axis_of_side(attrs)])
        key = compute_key(self.name, inputs)
        return Cost.moving(inputs, outputs, flops={key: flops}, reads=(triangle_bytes(a), b.bytes))


class _Syrk(OpKind):
    name = "syrk"
    count = "k*n*(n + 1), a multiply-add of length k per entry of one triangle"
    source = SOURCE

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        a, *c = inputs
        rank_of(self.name, "a", a, 2)
        n = a.shape[0]
        if c and (c[0].shape != (n, n) or c[0].dtype != a.dtype):
            expected = a.with_shape((n, n)).text
            raise ShapeError(self.name, f"c must be {expected}", (a.text, c[0].text))
        return (a.with_shape((n, n)),)

    def cost(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Cost:
        a = inputs[0]
        triangle = triangle_bytes(outputs[0])
        return Cost.moving(
            inputs,
            outputs,
            flops={compute_key(self.name, inputs): syrk_flops(*a.shape)},
            reads=(a.bytes, triangle)[: len(inputs)],
            writes=(triangle,),
        )


_TRMM, _TRSM, _SYRK = _Triangular("trmm"), _Triangular("trsm"), _Syrk()


@register(_TRMM)
def trmm(a: Tensor, b: Tensor, *, side: str = "left", name: str | None = None) -> Tensor:
    """Multiply a matrix by a triangular one, in place.

    Counts n·m² from the left and m·n² from the right for an m×n matrix B; reads the triangle and
    B, writes B. Source: BLAS++ flops.hh, after LAPACK Working Note 41.

    Parameters
    ----------
    a : Tensor
        Triangular, shape (m, m) on the left or (n, n) on the right.
    b : Tensor
        Shape (m, n).
    side : {"left", "right"}
        Where `a` stands.
    name : str, optional
        Name of the op.

    Returns
    -------
    Tensor
        Shape (m, n), in the storage of `b`.

    Raises
    ------
    ShapeError
        If the shapes do not fit.

    Examples
    --------
    >>> from symroof import ops
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> _ = ops.trmm(g.input("A", ("m", "m"), "fp64"), g.input("B", ("m", "n"), "fp64"))
    >>> str(g.flops)
    'm**2*n FLOP'
    """
    return apply(_TRMM, (a, b), _side_attr("trmm", side), name, out=b)


@register(_TRSM)
def trsm(a: Tensor, b: Tensor, *, side: str = "left", name: str | None = None) -> Tensor:
    """Solve with a triangular matrix and many right-hand sides, in place.

    Count, traffic, parameters and errors are those of `trmm`.

    Examples
    --------
    >>> from symroof import ops
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> a, b = g.input("A", ("n", "n"), "fp64"), g.input("B", ("m", "n"), "fp64")
    >>> _ = ops.trsm(a, b, side="right")
    >>> str(g.flops)
    'm*n**2 FLOP'
    """
    return apply(_TRSM, (a, b), _side_attr("trsm", side), name, out=b)


@register(_SYRK)
def syrk(a: Tensor, c: Tensor | None = None, *, name: str | None = None) -> Tensor:
    """Compute one triangle of A Aᵀ, or of C + A Aᵀ in place of C.

    Counts k·n·(n + 1); reads A (and the triangle of C), writes the triangle, n(n + 1)/2 elements.
    Source: BLAS++ flops.hh, after LAPACK Working Note 41.

    Parameters
    ----------
    a : Tensor
        Shape (n, k).
    c : Tensor, optional
        What is updated, shape (n, n).
    name : str, optional
        Name of the op.

    Returns
    -------
    Tensor
        Shape (n, n).

    Raises
    ------
    ShapeError
        If the shapes or dtypes do not fit.

    Examples
    --------
    >>> from symroof import ops
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> _ = ops.syrk(g.input("A", (1000, 500), "fp64"))
    >>> str(g.flops), str(g.bytes)
    ('500500000 FLOP', '8004000 byte')
    """
    return apply(_SYRK, (a,) if c is None else (a, c), (), name, out=c)


def _axis_of_side(attrs: Attrs) -> int:
    return 1 if attrs.get("side") == Side.RIGHT.value else 0


def _side_attr(op: str, side: str) -> AttrPairs:
    found = choice(Side, side, f"{op} side")
    return () if found is Side.LEFT else (("side", found.value),)
