"""Sparse matrices: the product of a compressed-row matrix with a vector."""

from __future__ import annotations

from symroof.errors import ShapeError
from symroof.graph.op import Attrs, Cost, OpKind, apply
from symroof.graph.ops.arguments import flag_attr, rank_of
from symroof.graph.registry import register
from symroof.graph.shapes import compute_key
from symroof.graph.tensor import Tensor, TensorSpec
from symroof.units.dtype import DTypeKind


class _SpmvCsr(OpKind):
    name = "spmv_csr"
    count = "2*nnz, a multiply-add per stored entry"
    source = "Williams, Oliker et al. 2007 (SpMV on multicore), 2 FLOPs per nonzero"

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        values, columns, rows, x = inputs
        for what, spec in (("values", values), ("columns", columns), ("rows", rows), ("x", x)):
            rank_of(self.name, what, spec, 1)
        if columns.shape != values.shape:
            message = "one column index is needed for each value"
            raise ShapeError(self.name, message, (values.text, columns.text))
        for what, spec in (("columns", columns), ("rows", rows)):
            if spec.dtype.kind is not DTypeKind.INTEGER or spec.dtype.is_block:
                raise ShapeError(self.name, f"{what} must have an integer dtype", (spec.text,))
        number = rows.shape[0] - 1
        if number == 0:
            message = "rows needs one entry more than the matrix has rows"
            raise ShapeError(self.name, message, (rows.text,))
        return (x.with_shape((number,)),)

    def cost(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Cost:
        values, columns, rows, x = inputs
        gathered = values.elements * x.dtype.bytes if attrs.get("x_uncached") else x.bytes
        return Cost.moving(
            inputs,
            outputs,
            flops={compute_key(self.name, (values, x)): 2 * values.elements},
            reads=(values.bytes, columns.bytes, rows.bytes, gathered),
        )


_SPMV_CSR = _SpmvCsr()


@register(_SPMV_CSR)
def spmv_csr(
    values: Tensor,
    columns: Tensor,
    rows: Tensor,
    x: Tensor,
    *,
    x_uncached: bool = False,
    name: str | None = None,
) -> Tensor:
    """Multiply a sparse matrix in compressed rows by a vector.

    Counts 2 FLOPs per stored entry. Reads every value, column index and row pointer once, x once
    (the compulsory traffic; with `x_uncached` one element of x for every entry) and writes the
    result. Source: 2 FLOPs per nonzero, Williams, Oliker et al. 2007.

    Parameters
    ----------
    values : Tensor
        Stored entries, shape (nnz,).
    columns : Tensor
        Their columns, shape (nnz,), an integer dtype.
    rows : Tensor
        Row pointers, shape (rows + 1,), an integer dtype.
    x : Tensor
        Shape (columns of the matrix,).
    x_uncached : bool
        Whether no element of x stays in cache between two uses.
    name : str, optional
        Name of the op.

    Returns
    -------
    Tensor
        Shape (rows,), in the dtype of `x`.

    Raises
    ------
    ShapeError
        If the shapes do not fit, or indices are no integers.

    Examples
    --------
    >>> from symroof import ops
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> a, j = g.weight("a", "nnz", "fp64"), g.weight("j", "nnz", "int32")
    >>> p, x = g.weight("p", "n + 1", "int32"), g.input("x", "n", "fp64")
    >>> ops.spmv_csr(a, j, p, x)
    <spmv_csr_0 [n] fp64>
    >>> str(g.flops), str(g.bytes)
    ('2*nnz FLOP', '(20*n + 12*nnz + 4) byte')
    """
    attrs = flag_attr("spmv_csr", "x_uncached", x_uncached)
    return apply(_SPMV_CSR, (values, columns, rows, x), attrs, name)
