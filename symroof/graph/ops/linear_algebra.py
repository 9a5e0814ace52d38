"""Dense linear algebra in place: factorisations, inverses and solves."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from sympy import Expr

from symroof.errors import ShapeError
from symroof.graph.op import Attrs, Cost, OpKind, apply
from symroof.graph.ops import lapack_counts as counts
from symroof.graph.ops.arguments import rank_of
from symroof.graph.registry import register
from symroof.graph.shapes import compute_key
from symroof.graph.tensor import Tensor, TensorSpec
from symroof.symbolic.exact import shown

Count: TypeAlias = Callable[[Expr, Expr], Expr]
SOURCE = "LAPACK Working Note 41, appendix C, multiplications plus additions, as LAPACK++ codes it"


class _OneMatrix(OpKind):
    """Overwrites one matrix: all of it, or its triangle."""

    source = SOURCE

    def __init__(
        self, name: str, count: str, flops: Count, *, square: bool = True, triangle: bool = False
    ) -> None:
        self.name = name
        self.count = count
        self.flops = flops
        self.square = square
        self.triangle = triangle

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        (a,) = inputs
        rank_of(self.name, "the matrix", a, 2)
        if self.square:
            _check_square(self.name, a)
        return (a,)

    def cost(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Cost:
        (a,) = inputs
        moved = (triangle_bytes(a) if self.triangle else a.bytes,)
        flops = {compute_key(self.name, inputs): self.flops(*a.shape)}
        return Cost.moving(inputs, outputs, flops=flops, reads=moved, writes=moved)


class _Getrs(OpKind):
    name = "getrs"
    count = "r*(2*n**2 - n) for r right-hand sides"
    source = SOURCE

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        lu, b = inputs
        check_pair(self.name, lu, b, axis=0)
        return (b,)

    def cost(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Cost:
        flops = counts.getrs_flops(*inputs[1].shape)
        return Cost.moving(inputs, outputs, flops={compute_key(self.name, inputs): flops})


_POTRF = _OneMatrix(
    "potrf", "n**3/3 + n**2/2 + n/6", lambda n, _: counts.potrf_flops(n), triangle=True
)
_POTRI = _OneMatrix(
    "potri", "2*n**3/3 + n**2/2 + 5*n/6", lambda n, _: counts.potri_flops(n), triangle=True
)
_GETRF = _OneMatrix(
    "getrf", "m*n*k - k**3/3 - k**2/2 + 5*k/6, k = min(m, n)", counts.getrf_flops, square=False
)
_GETRI = _OneMatrix("getri", "4*n**3/3 - n**2 + 5*n/3", lambda n, _: counts.getri_flops(n))
_GEQRF = _OneMatrix(
    "geqrf",
    "2*m*n*k - 2*k**3/3 + m*n + 2*n*k - k**2 + 14*k/3, k = min(m, n)",
    counts.geqrf_flops,
    square=False,
)
_GETRS = _Getrs()


@register(_POTRF)
def potrf(a: Tensor, *, name: str | None = None) -> Tensor:
    """Factorise a symmetric positive definite matrix by Cholesky, in place.

    Counts n³/3 + n²/2 + n/6 multiplications and additions (roots and divisions as
    multiplications); reads and writes one triangle, n(n + 1)/2 elements.
    Source: LAPACK Working Note 41, appendix C.

    Parameters
    ----------
    a : Tensor
        Shape (n, n).
    name : str, optional
        Name of the op.

    Returns
    -------
    Tensor
        The factor, in the storage of `a`.

    Raises
    ------
    ShapeError
        If `a` is no square matrix.

    Examples
    --------
    >>> from symroof import ops
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> _ = ops.potrf(g.input("A", (1000, 1000), "fp64"))
    >>> str(g.flops), str(g.bytes)
    ('333833500 FLOP', '8008000 byte')
    """
    return apply(_POTRF, (a,), (), name, out=a)


@register(_POTRI)
def potri(a: Tensor, *, name: str | None = None) -> Tensor:
    """Invert a symmetric positive definite matrix from its Cholesky factor, in place.

    Counts 2n³/3 + n²/2 + 5n/6; traffic, parameters and errors are those of `potrf`.
    Source: LAPACK Working Note 41, appendix C.

    Examples
    --------
    >>> from symroof import ops
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> _ = ops.potri(g.input("A", (1000, 1000), "fp64"))
    >>> str(g.flops)
    '667167500 FLOP'
    """
    return apply(_POTRI, (a,), (), name, out=a)


@register(_GETRF)
def getrf(a: Tensor, *, name: str | None = None) -> Tensor:
    """Factorise a matrix by LU with partial pivoting, in place.

    Counts m·n·k − k³/3 − k²/2 + 5k/6 with k = min(m, n), one formula for tall and wide matrices;
    reads and writes the matrix. Pivots are not counted.
    Source: LAPACK Working Note 41, appendix C, and LAPACK++ for the wide case.

    Parameters
    ----------
    a : Tensor
        Shape (m, n).
    name : str, optional
        Name of the op.

    Returns
    -------
    Tensor
        Both factors, in the storage of `a`.

    Raises
    ------
    ShapeError
        If `a` does not have two dims.

    Examples
    --------
    >>> from symroof import ops
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> _ = ops.getrf(g.input("A", (2000, 1000), "fp64"))
    >>> str(g.flops), str(g.bytes)
    ('1666167500 FLOP', '32000000 byte')
    """
    return apply(_GETRF, (a,), (), name, out=a)


@register(_GETRI)
def getri(a: Tensor, *, name: str | None = None) -> Tensor:
    """Invert a matrix from its LU factors, in place.

    Counts 4n³/3 − n² + 5n/3; reads and writes the matrix. Parameters and errors are those of
    `potrf`. Source: LAPACK Working Note 41, appendix C.

    Examples
    --------
    >>> from symroof import ops
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> _ = ops.getri(g.input("LU", (1000, 1000), "fp64"))
    >>> str(g.flops), str(g.bytes)
    ('1332335000 FLOP', '16000000 byte')
    """
    return apply(_GETRI, (a,), (), name, out=a)


@register(_GEQRF)
def geqrf(a: Tensor, *, name: str | None = None) -> Tensor:
    """Factorise a matrix by QR with Householder reflections, in place.

    Counts 2mn² − 2n³/3 + mn + n² + 14n/3 for m ≥ n and 2nm² − 2m³/3 + 3mn − m² + 14m/3 for m < n,
    written as one formula of k = min(m, n); reads and writes the matrix. The factors τ are not
    counted as bytes. Source: LAPACK Working Note 41, appendix C.

    Parameters and errors are those of `getrf`.

    Examples
    --------
    >>> from symroof import ops
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> _ = ops.geqrf(g.input("A", (2000, 1000), "fp64"))
    >>> str(g.flops)
    '3336338000 FLOP'
    """
    return apply(_GEQRF, (a,), (), name, out=a)


@register(_GETRS)
def getrs(lu: Tensor, b: Tensor, *, name: str | None = None) -> Tensor:
    """Solve A X = B from the LU factors of A, in place of B.

    Counts r·(2n² − n) for r right-hand sides; reads the factors and B, writes X.
    Source: LAPACK Working Note 41, appendix C.

    Parameters
    ----------
    lu : Tensor
        Factors, shape (n, n).
    b : Tensor
        Right-hand sides, shape (n, r).
    name : str, optional
        Name of the op.

    Returns
    -------
    Tensor
        Shape (n, r), in the storage of `b`.

    Raises
    ------
    ShapeError
        If the shapes do not fit.

    Examples
    --------
    >>> from symroof import ops
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> x = ops.getrs(g.input("LU", (1000, 1000), "fp64"), g.input("B", (1000, 10), "fp64"))
    >>> str(g.flops)
    '19990000 FLOP'
    """
    return apply(_GETRS, (lu, b), (), name, out=b)


def triangle_bytes(a: TensorSpec) -> Expr:
    """Return the bytes of one triangle of a square matrix, the diagonal included.

    Examples
    --------
    >>> triangle_bytes(TensorSpec.of((3, 3), "fp64"))
    48
    """
    n = a.shape[0]
    return n * (n + 1) * a.dtype.bytes / 2


def _check_square(op: str, a: TensorSpec) -> None:
    if a.shape[0] != a.shape[1]:
        raise ShapeError(op, "the matrix must be square", (a.text,))


def check_pair(op: str, a: TensorSpec, b: TensorSpec, axis: int) -> None:
    """Refuse two matrices unless the first is square and as long as the second along `axis`.

    Examples
    --------
    >>> check_pair("trmm", TensorSpec.of((3, 3), "fp64"), TensorSpec.of((3, 9), "fp64"), 0)
    """
    rank_of(op, "the first matrix", a, 2)
    rank_of(op, "the second matrix", b, 2)
    if a.shape[0] != a.shape[1] or a.shape[0] != b.shape[axis]:
        message = f"a square matrix of {shown(b.shape[axis])} is needed beside the second"
        raise ShapeError(op, message, (a.text, b.text))
