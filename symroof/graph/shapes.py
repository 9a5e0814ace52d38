"""Shape and dtype rules that ops share."""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Expr, Integer, expand

from symroof.errors import ShapeError, UnitError
from symroof.graph.cost import AttrPairs, Attrs
from symroof.graph.tensor import TensorSpec
from symroof.symbolic.build import multiply
from symroof.symbolic.exact import shown
from symroof.units.dtype import DType, DTypeKind, compute_dtype, dtype

ONE = Integer(1)


def broadcast(op: str, specs: Sequence[TensorSpec], *, drop: int = 0) -> tuple[Expr, ...]:
    """Return the shape that numpy's rule broadcasts `specs` to.

    Dims of 1 stretch; other dims must be equal by name. Two names are never merged.

    Parameters
    ----------
    op : str
        Who asks, for the error.
    specs : sequence of TensorSpec
        The operands.
    drop : int
        How many trailing dims of each operand do not take part.

    Raises
    ------
    ShapeError
        If two dims differ; names both dims and shows both shapes.

    Examples
    --------
    >>> x, y = TensorSpec.of(("S", 4096), "bf16"), TensorSpec.of(("T", 4096), "bf16")
    >>> broadcast("add", (x, y))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    symroof.errors.ShapeError: add: dim S does not match dim T (got [S, 4096] bf16 and [T, ...
    """
    shapes = [spec.shape[: spec.rank - drop] if drop else spec.shape for spec in specs]
    rank = max(map(len, shapes))
    result = [ONE] * rank
    for shape in shapes:
        for place, dim in enumerate(shape, start=rank - len(shape)):
            known = result[place]
            if dim in (known, ONE):
                continue
            if known != ONE:
                raise ShapeError(
                    op,
                    f"dim {shown(known)} does not match dim {shown(dim)}",
                    [spec.text for spec in specs],
                )
            result[place] = dim
    return tuple(result)


def axis_of(op: str, spec: TensorSpec, axis: int) -> int:
    """Return `axis` counted from the front.

    Raises
    ------
    ShapeError
        If the tensor has no such axis.

    Examples
    --------
    >>> axis_of("sum", TensorSpec.of(("B", "S"), "bf16"), -1)
    1
    """
    if not isinstance(axis, int) or isinstance(axis, bool):
        raise ShapeError(op, f"an axis is a whole number, not {axis!r}", (spec.text,))
    if not -spec.rank <= axis < spec.rank:
        raise ShapeError(op, f"no axis {axis} among {spec.rank}", (spec.text,))
    return axis % spec.rank


def split(op: str, spec: TensorSpec, axis: int, parts: Expr) -> TensorSpec:
    """Return the spec of one of equal parts of a tensor along an axis, counted from the front.

    Raises
    ------
    ShapeError
        If the axis does not split into that many.

    Examples
    --------
    >>> split("take_shard", TensorSpec.of((1024, "D"), "bf16"), 0, Integer(8))
    <[128, D] bf16>
    """
    part = expand(spec.shape[axis] / parts)
    if part.is_Rational and not part.is_Integer:
        message = f"{shown(spec.shape[axis])} does not split into {shown(parts)} equal parts"
        raise ShapeError(op, message, (spec.text,))
    return spec.with_shape((*spec.shape[:axis], part, *spec.shape[axis + 1 :]))


def result_dtype(*specs: TensorSpec) -> DType:
    """Return the storage dtype of a result: that of the first plain float operand.

    Integers and block formats are dequantised to it; without one, the first operand's dtype.

    Examples
    --------
    >>> w, x = TensorSpec.of((4, 4), "int4"), TensorSpec.of((4, 4), "bf16")
    >>> result_dtype(w, x).name
    'bf16'
    """
    for spec in specs:
        if spec.dtype.kind is DTypeKind.FLOAT and not spec.dtype.is_block:
            return spec.dtype
    return specs[0].dtype


def compute_key(op: str, specs: Sequence[TensorSpec]) -> str:
    """Return the key of the peak that arithmetic on `specs` runs at.

    Raises
    ------
    ShapeError
        If the dtypes do not combine (fp16 with bf16); names both.

    Examples
    --------
    >>> compute_key("matmul", (TensorSpec.of((4, 4), "int4"), TensorSpec.of((4, 4), "bf16")))
    'bf16'
    """
    try:
        return compute_dtype(*(spec.dtype for spec in specs))
    except UnitError as error:
        raise ShapeError(op, str(error), [spec.text for spec in specs]) from None


def dtype_attr(out_dtype: str | DType | None) -> AttrPairs:
    """Return the attribute that sets the storage dtype of a result; nothing for None.

    Examples
    --------
    >>> dtype_attr(None), dtype_attr("fp32")[0][1].name
    ((), 'fp32')
    """
    return () if out_dtype is None else (("out_dtype", dtype(out_dtype)),)


def out_dtype_of(inputs: Sequence[TensorSpec], attrs: Attrs) -> DType:
    """Return the dtype that `dtype_attr` set, else `result_dtype`.

    Examples
    --------
    >>> x = TensorSpec.of((4, 4), "bf16")
    >>> out_dtype_of((x, x), Attrs(dtype_attr("fp32"))).name
    'fp32'
    """
    given: DType | None = attrs.get("out_dtype")
    return result_dtype(*inputs) if given is None else given


def same_size(one: Sequence[Expr], other: Sequence[Expr]) -> bool:
    """Return whether two shapes have equally many elements, whatever their symbols are.

    Examples
    --------
    >>> B, D = TensorSpec.of(("B", "2*D"), "bf16").shape
    >>> same_size((B, D), (2 * B, D / 2))
    True
    """
    left, right = multiply(one), multiply(other)
    return left == right or bool(expand(left - right) == 0)
