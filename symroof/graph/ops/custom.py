"""An op of one's own: shapes and costs as given."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sympy import Expr, Integer

from symroof.errors import InputError, UnitError
from symroof.graph.amounts import amount
from symroof.graph.op import AttrPairs, Attrs, Cost, OpKind, apply
from symroof.graph.registry import register
from symroof.graph.shapes import compute_key, result_dtype
from symroof.graph.tensor import Shape, Tensor, TensorSpec
from symroof.lines import named
from symroof.symbolic.adopt import adopt
from symroof.symbolic.exact import shown
from symroof.units.dtype import DType
from symroof.units.dtype import dtype as dtype_of
from symroof.units.quantity import Quantity

LINK = "link"
ZERO = Integer(0)


class _Custom(OpKind):
    name = "custom"
    count = "as given; an error in totals when it is not"
    source = "the user"

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        stored = attrs.get("dtype") or result_dtype(*inputs)
        return (TensorSpec.of(attrs["output_shape"], stored),)

    def cost(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Cost:
        flops, moved = attrs.get("flops"), attrs.get("bytes")
        key = attrs.get("compute") or (compute_key(self.name, inputs) if flops else "")
        return Cost(
            flops=((key, flops),) if flops else (),
            reads=tuple(spec.bytes if moved is None else ZERO for spec in inputs),
            writes=(outputs[0].bytes if moved is None else moved,),
            link_bytes=attrs.get("link_bytes", ZERO),
            link=attrs.get("link", LINK),
            unknown=("flops",) if flops is None else (),
        )


_CUSTOM = _Custom()


@register(_CUSTOM)
def custom(
    name: str | None = None,
    *,
    inputs: Iterable[Tensor],
    output_shape: Shape,
    flops: Any = None,
    bytes: Any = None,  # noqa: A002 - the name the costs have everywhere
    link_bytes: Any = 0,
    link: str = LINK,
    dtype: str | DType | None = None,
    compute: str | DType | None = None,
) -> Tensor:
    """Add an op whose costs are given as text, expressions or quantities.

    Without FLOPs the op has no cost: totals refuse it by name, or, in a graph made with
    ``uncosted="symbol"``, use a symbol of that name. It is never taken as 0: write ``flops=0``
    where nothing is computed.

    Parameters
    ----------
    name : str, optional
        Name of the op and of its output.
    inputs : iterable of Tensor
        What it takes, at least one.
    output_shape : tuple of int, symbol or text
        Shape of what it makes.
    flops : number, text, Expr or Quantity, optional
        FLOPs, such as ``"5*B*F*log2(F)"``.
    bytes : number, text, Expr or Quantity, optional
        All bytes it moves through main memory. By default its compulsory traffic: each input read
        once and the output written once. Reported as written.
    link_bytes : number, text, Expr or Quantity
        Bytes through this chip's link in one direction.
    link : str
        Which link.
    dtype : str or DType, optional
        Storage dtype of the result; that of the first float input by default.
    compute : str or DType, optional
        Dtype whose peak it runs at; the widest input's by default.

    Returns
    -------
    Tensor
        The output.

    Raises
    ------
    InputError
        If a cost is negative or cannot be read, or there is no input.
    UnitError
        If a quantity has another unit than FLOP or byte.

    Examples
    --------
    >>> from symroof import ops
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> x = g.input("x", ("B", "F"), "fp32")
    >>> ops.custom("scan", inputs=[x], output_shape=("B", "F"), flops="5*B*F*log2(F)")
    <scan [B, F] fp32>
    >>> str(g.flops), str(g.bytes)
    ('5*B*F*log2(F) FLOP', '8*B*F byte')
    """
    operands = (inputs,) if isinstance(inputs, Tensor) else _listed("inputs", inputs)
    attrs: AttrPairs = (("output_shape", _shape(output_shape)),)
    counts = _names(operands, attrs[0][1])
    for what, value, unit in (("flops", flops, "FLOP"), ("bytes", bytes, "byte")):
        if value is not None:
            attrs += ((what, _cost(what, value, unit, counts)),)
    sent = _cost("link_bytes", link_bytes, "byte", counts)
    if sent != 0:
        attrs += (("link_bytes", sent),)
    if link != LINK:
        attrs += (("link", _text("link", link)),)
    if dtype is not None:
        attrs += (("dtype", dtype_of(dtype)),)
    if compute is not None:
        attrs += (("compute", dtype_of(compute).key),)
    return apply(_CUSTOM, operands, attrs, name)


def _cost(what: str, value: Any, unit: str, counts: frozenset[str]) -> Expr:
    where = f"custom {what}"
    if isinstance(value, Quantity):
        if value.unit != unit:
            raise UnitError(f"{where}: expected {unit}, not {shown(value)}")
        value = value.expr
    return amount(value, where, counts=counts)


def _names(operands: Iterable[Any], shape: tuple[Expr, ...]) -> frozenset[str]:
    sizes = [*shape, *(x.spec.elements for x in operands if isinstance(x, Tensor))]
    return frozenset(symbol.name for size in sizes for symbol in size.free_symbols)


def _shape(given: Shape) -> tuple[Any, ...]:
    single = isinstance(given, int | str | Expr)
    dims = (given,) if single else _listed("output_shape", given)
    return tuple(adopt(dim, where="custom output_shape") for dim in dims)


def _listed(what: str, given: Any) -> tuple[Any, ...]:
    try:
        return tuple(given)
    except TypeError:
        message = f"expected a list, not {type(given).__name__}"
        raise InputError(message, where=f"custom {what}") from None


def _text(what: str, value: Any) -> str:
    if not isinstance(value, str):
        raise InputError(f"expected a name, not {value!r:.60}", where=f"custom {what}")
    return named(value, f"custom {what}")
