"""Normalisations over one axis: softmax, layernorm, rmsnorm."""

from __future__ import annotations

from typing import Any

from symroof.errors import InputError, ShapeError
from symroof.graph.indices import Indices, numbered
from symroof.graph.op import Attrs, Cost, OpKind, apply, weight_attr
from symroof.graph.ops.arguments import axis_attr
from symroof.graph.registry import register
from symroof.graph.shapes import axis_of, compute_key
from symroof.graph.tensor import Tensor, TensorSpec
from symroof.symbolic.build import multiplied
from symroof.symbolic.exact import shown


class _Normalisation(OpKind):
    rides_along = True

    def __init__(self, name: str, flops: int, count: str, source: str) -> None:
        self.name = name
        self.weights = {name: flops}
        self.count = count
        self.source = source

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        x, *affine = inputs
        length = x.shape[axis_of(self.name, x, attrs.get("axis", -1))]
        for what, tensor in zip(("weight", "bias"), affine, strict=False):
            if tensor.shape != (length,):
                message = f"{what} must be one vector of {shown(length)}, the length of the axis"
                raise ShapeError(self.name, message, (x.text, tensor.text))
        return (x,)

    def cost(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Cost:
        per_element = attrs.weight(self.name)
        # An overridden weight is that of the whole op; only the table's leaves out the affine part.
        if "flop_weight" not in attrs and attrs.weights[self.name] is self.weights[self.name]:
            per_element += len(inputs) - 1
        key = compute_key(self.name, inputs)
        return Cost.moving(
            inputs, outputs, flops={key: multiplied(per_element, inputs[0].elements)}
        )

    def indices(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Indices:
        x = inputs[0]
        row = numbered(x.rank)
        index = row[axis_of(self.name, x, attrs.get("axis", -1))]
        affine = ((index,),) * (len(inputs) - 1)
        return Indices((row, *affine), (row,), whole=frozenset({index}))


_SOFTMAX = _Normalisation(
    "softmax",
    5,
    "5 per element: maximum, subtract, exp, sum, divide",
    "safe softmax in its three passes (Milakov and Gimelshein 2018, algorithm 2), "
    "each elementary operation once",
)
_LAYERNORM = _Normalisation(
    "layernorm",
    5,
    "5 per element: sum, subtract the mean, square, sum, scale; 1 more for weight, 1 for bias",
    "two-pass layer normalisation (Ba, Kiros and Hinton 2016, section 3), "
    "each elementary operation once",
)
_RMSNORM = _Normalisation(
    "rmsnorm",
    3,
    "3 per element: square, sum, scale; 1 more for weight",
    "root mean square normalisation (Zhang and Sennrich 2019, section 4), "
    "each elementary operation once",
)


@register(_SOFTMAX)
def softmax(
    x: Tensor, *, axis: int = -1, flop_weight: Any = None, name: str | None = None
) -> Tensor:
    """Normalise exponentials along `axis`.

    Counts 5 FLOPs per element: maximum, subtraction, exponential, sum, division (the maximum and
    the sum of n values are counted n, as a kernel that starts from −∞ and 0 does them). Reads `x`
    once and writes the result once. Source: safe softmax, Milakov and Gimelshein 2018.

    Parameters
    ----------
    x : Tensor
        Any shape of one dim or more.
    axis : int
        The axis along which results add to 1.
    flop_weight : number or text, optional
        FLOPs per element instead of 5, for this call.
    name : str, optional
        Name of the op.

    Returns
    -------
    Tensor
        Shape and dtype of `x`.

    Raises
    ------
    ShapeError
        If `x` has no such axis.

    Examples
    --------
    >>> from symroof import ops
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> _ = ops.softmax(g.input("x", ("B", "S"), "bf16"))
    >>> str(g.flops), str(g.bytes)
    ('5*B*S FLOP', '4*B*S byte')
    """
    return apply(_SOFTMAX, (x,), (*axis_attr("softmax", axis, -1), *weight_attr(flop_weight)), name)


@register(_LAYERNORM)
def layernorm(
    x: Tensor,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    *,
    axis: int = -1,
    flop_weight: Any = None,
    name: str | None = None,
) -> Tensor:
    """Subtract the mean along `axis`, divide by the standard deviation, scale and shift.

    Counts 5 FLOPs per element: the sum for the mean, the subtraction of the mean, its square, the
    sum of squares, the scaling; `weight` and `bias` add one each. What is done once per row
    (two divisions, epsilon, the root) is not counted. Reads `x` and the affine vectors, writes the
    result. Source: Ba, Kiros and Hinton 2016, section 3.

    Parameters
    ----------
    x : Tensor
        Any shape of one dim or more.
    weight, bias : Tensor, optional
        Vectors of the length of the axis.
    axis : int
        The axis that is normalised.
    flop_weight : number or text, optional
        FLOPs per element of the whole op, affine part included, for this call.
    name : str, optional
        Name of the op.

    Returns
    -------
    Tensor
        Shape and dtype of `x`.

    Raises
    ------
    ShapeError
        If an affine vector does not have the length of the axis.
    InputError
        If there is a bias but no weight.

    Examples
    --------
    >>> from symroof import ops
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> _ = ops.layernorm(g.input("x", (1, 256), "fp32"), flop_weight=5)
    >>> str(g.flops), str(g.bytes)
    ('1280 FLOP', '2048 byte')
    """
    if bias is not None and weight is None:
        raise InputError("a bias needs a weight", where="layernorm")
    operands = tuple(t for t in (x, weight, bias) if t is not None)
    return apply(
        _LAYERNORM, operands, (*axis_attr("layernorm", axis, -1), *weight_attr(flop_weight)), name
    )


@register(_RMSNORM)
def rmsnorm(
    x: Tensor,
    weight: Tensor | None = None,
    *,
    axis: int = -1,
    flop_weight: Any = None,
    name: str | None = None,
) -> Tensor:
    """Divide by the root mean square along `axis` and scale.

    Counts 3 FLOPs per element: square, sum, scaling; `weight` adds one. What is done once per row
    (a division, epsilon, the root) is not counted. Reads `x` and `weight`, writes the result.
    Source: Zhang and Sennrich 2019, section 4.

    Parameters
    ----------
    x : Tensor
        Any shape of one dim or more.
    weight : Tensor, optional
        Vector of the length of the axis.
    axis : int
        The axis that is normalised.
    flop_weight : number or text, optional
        FLOPs per element of the whole op, the weight included, for this call.
    name : str, optional
        Name of the op.

    Returns
    -------
    Tensor
        Shape and dtype of `x`.

    Raises
    ------
    ShapeError
        If `weight` does not have the length of the axis.

    Examples
    --------
    >>> from symroof import ops
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> _ = ops.rmsnorm(g.input("x", ("B", "D"), "bf16"), g.weight("w", "D", "bf16"))
    >>> str(g.flops), str(g.bytes)
    ('4*B*D FLOP', '(4*B*D + 2*D) byte')
    """
    operands = (x,) if weight is None else (x, weight)
    return apply(
        _RMSNORM, operands, (*axis_attr("rmsnorm", axis, -1), *weight_attr(flop_weight)), name
    )
