"""Elementwise functions with numpy's broadcasting and a table of FLOP weights."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, Protocol

from symroof.errors import InputError
from symroof.graph.indices import Indices, numbered
from symroof.graph.indices import elementwise as broadcast_indices
from symroof.graph.op import Attrs, Cost, OpKind, apply, weight_attr
from symroof.graph.registry import register
from symroof.graph.shapes import broadcast, compute_key, result_dtype
from symroof.graph.tensor import Tensor, TensorSpec
from symroof.symbolic.adopt import adopt
from symroof.symbolic.symbols import check_own

WEIGHTS = MappingProxyType(
    {
        "abs": 1,
        "add": 1,
        "cos": 1,
        "div": 1,
        "erf": 1,
        "exp": 1,
        "fma": 2,
        "gelu": 1,
        "log": 1,
        "maximum": 1,
        "minimum": 1,
        "mul": 1,
        "neg": 1,
        "pow": 1,
        "reciprocal": 1,
        "relu": 1,
        "rsqrt": 1,
        "sigmoid": 1,
        "silu": 1,
        "sin": 1,
        "sqrt": 1,
        "square": 1,
        "sub": 1,
        "tanh": 1,
        "where": 1,
    }
)
"""FLOPs per element of the result. One for each function, however a chip computes it, so that
counts are portable; `Graph(flop_weights=...)` and ``flop_weight=`` put in a chip's own."""

LINEAR = MappingProxyType({"mul": (0, 1), "neg": (0,), "div": (0,)})
"""Functions that are linear in each of these operands while the others stay."""

ADDITIVE = frozenset({"add", "sub"})

_SOURCE = "convention: each function is 1 FLOP per element unless the table says otherwise"


class _Elementwise(OpKind):
    rides_along = True

    def __init__(self, name: str) -> None:
        self.name = name
        weight = WEIGHTS[name]
        self.count = f"{weight} per element of the result"
        self.source = _SOURCE if weight == 1 else "a multiplication and an addition"
        self.weights = {name: weight}

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        return (TensorSpec.of(broadcast(self.name, inputs), result_dtype(*self._data(inputs))),)

    def cost(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Cost:
        key = compute_key(self.name, self._data(inputs))
        flops = attrs.weight(self.name) * outputs[0].elements
        return Cost.moving(inputs, outputs, flops={key: flops})

    def indices(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Indices:
        rows = broadcast_indices([spec.shape for spec in inputs], outputs[0].shape)
        linear = LINEAR.get(self.name, ())
        if self.name == "div" and "x" in attrs:
            linear = ()  # one number over a partial sum is no partial sum
        return Indices(
            rows,
            (numbered(outputs[0].rank),),
            linear=tuple(place for place in linear if place < len(inputs)),
            additive=self.name in ADDITIVE and len(inputs) > 1,
        )

    def _data(self, inputs: tuple[TensorSpec, ...]) -> tuple[TensorSpec, ...]:
        return inputs


class _Where(_Elementwise):
    def _data(self, inputs: tuple[TensorSpec, ...]) -> tuple[TensorSpec, ...]:
        return inputs[1:]  # the condition is no operand of the arithmetic


class Unary(Protocol):
    """A function of one tensor."""

    def __call__(
        self,
        x: Tensor,
        *,
        out: Tensor | None = None,
        flop_weight: Any = None,
        name: str | None = None,
    ) -> Tensor:
        """Add the op."""


class Binary(Protocol):
    """A function of two tensors, or of a tensor and a number."""

    def __call__(
        self,
        x: Any,
        y: Any,
        *,
        out: Tensor | None = None,
        flop_weight: Any = None,
        name: str | None = None,
    ) -> Tensor:
        """Add the op."""


_UNARY_DOC = """Return {formula} of each element.

    FLOPs: {weight} per element. Source: {source}.

    Parameters
    ----------
    x : Tensor
        Any shape.
    out : Tensor, optional
        Write into this tensor's storage; `x` itself for an operation in place.
    flop_weight : number or text, optional
        FLOPs per element for this call.
    name : str, optional
        Name of the op and its output.

    Returns
    -------
    Tensor
        With the shape of `x`.

    Examples
    --------
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> y = {function}(g.input("x", ("B", "D"), "fp32"))
    >>> print(g.flops, "|", g.bytes)
    B*D FLOP | 8*B*D byte
    """

_BINARY_DOC = """Return {formula} of each pair of elements, broadcast as numpy does.

    FLOPs: {weight} per element of the result. Source: {source}. An operand that is broadcast is
    read once; a number is no traffic.

    Parameters
    ----------
    x, y : Tensor or number
        Shapes that broadcast; one of them may be a number or a formula.
    out : Tensor, optional
        Write into this tensor's storage; ``out=x`` for an operation in place.
    flop_weight : number or text, optional
        FLOPs per element for this call.
    name : str, optional
        Name of the op and its output.

    Returns
    -------
    Tensor
        With the broadcast shape, and the dtype of the first float operand.

    Raises
    ------
    ShapeError
        If the shapes do not broadcast; names both dims.

    Examples
    --------
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> z = {function}(g.input("x", ("B", "D"), "fp32"), g.input("y", "D", "fp32"))
    >>> print(g.flops, "|", g.bytes)
    B*D FLOP | (8*B*D + 4*D) byte
    """


def _unary(op: str, formula: str, function: str | None = None) -> Unary:
    kind = _Elementwise(op)

    @register(kind)
    def elementwise(
        x: Tensor,
        *,
        out: Tensor | None = None,
        flop_weight: Any = None,
        name: str | None = None,
    ) -> Tensor:
        attrs = () if flop_weight is None else weight_attr(flop_weight)
        return apply(kind, (x,), attrs, name, out)

    _describe(elementwise, kind, _UNARY_DOC, formula, function or op)
    return elementwise


def _binary(op: str, formula: str, function: str | None = None) -> Binary:
    kind = _Elementwise(op)

    @register(kind)
    def elementwise(
        x: Any,
        y: Any,
        *,
        out: Tensor | None = None,
        flop_weight: Any = None,
        name: str | None = None,
    ) -> Tensor:
        if isinstance(x, Tensor) and isinstance(y, Tensor):
            attrs = () if flop_weight is None else weight_attr(flop_weight)
            return apply(kind, (x, y), attrs, name, out)
        tensor, constant = _with_constant(op, x, y)
        return apply(kind, (tensor,), (constant, *weight_attr(flop_weight)), name, out)

    _describe(elementwise, kind, _BINARY_DOC, formula, function or op)
    return elementwise


def _describe(elementwise: Any, kind: OpKind, doc: str, formula: str, function: str) -> None:
    elementwise.__name__ = elementwise.__qualname__ = function
    elementwise.__doc__ = doc.format(
        formula=formula, weight=WEIGHTS[kind.name], source=kind.source, function=function
    )


def _with_constant(op: str, x: Any, y: Any) -> tuple[Tensor, tuple[str, Any]]:
    if isinstance(x, Tensor):
        return x, ("y", check_own(adopt(y), op))
    if isinstance(y, Tensor):
        return y, ("x", check_own(adopt(x), op))
    raise InputError("needs at least one tensor", where=op)


add = _binary("add", "the sum")
sub = _binary("sub", "the difference")
mul = _binary("mul", "the product")
div = _binary("div", "the quotient")
power = _binary("pow", "the power", "power")
maximum = _binary("maximum", "the larger")
minimum = _binary("minimum", "the smaller")

absolute = _unary("abs", "the absolute value", "absolute")
neg = _unary("neg", "the negative")
square = _unary("square", "the square")
sqrt = _unary("sqrt", "the square root")
rsqrt = _unary("rsqrt", "one over the square root")
reciprocal = _unary("reciprocal", "one over the value")
exp = _unary("exp", "the exponential")
log = _unary("log", "the natural logarithm")
sin = _unary("sin", "the sine")
cos = _unary("cos", "the cosine")
tanh = _unary("tanh", "the hyperbolic tangent")
erf = _unary("erf", "the error function")
sigmoid = _unary("sigmoid", "the logistic function")
relu = _unary("relu", "the positive part")
gelu = _unary("gelu", "the Gaussian error linear unit")
silu = _unary("silu", "x times its logistic function")

_WHERE, _FMA = _Where("where"), _Elementwise("fma")


@register(_WHERE)
def where(
    condition: Tensor,
    x: Tensor,
    y: Tensor,
    *,
    out: Tensor | None = None,
    flop_weight: Any = None,
    name: str | None = None,
) -> Tensor:
    """Take each element from `x` where the condition holds, else from `y`.

    FLOPs: 1 per element of the result. Source: convention: each function is 1 FLOP per element
    unless the table says otherwise.

    Parameters
    ----------
    condition, x, y : Tensor
        Shapes that broadcast.
    out : Tensor, optional
        Write into this tensor's storage.
    flop_weight : number or text, optional
        FLOPs per element for this call.
    name : str, optional
        Name of the op and its output.

    Returns
    -------
    Tensor
        With the broadcast shape.

    Examples
    --------
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> c, x = g.input("c", "n", "bool"), g.input("x", "n", "fp32")
    >>> y = where(c, x, g.input("y", "n", "fp32"))
    >>> print(g.flops, "|", g.bytes)
    n FLOP | 13*n byte
    """
    return apply(_WHERE, (condition, x, y), weight_attr(flop_weight), name, out)


@register(_FMA)
def fma(
    x: Tensor,
    y: Tensor,
    z: Tensor,
    *,
    out: Tensor | None = None,
    flop_weight: Any = None,
    name: str | None = None,
) -> Tensor:
    """Return ``x * y + z`` of each element, in one op.

    FLOPs: 2 per element of the result. Source: a multiplication and an addition.

    Parameters
    ----------
    x, y, z : Tensor
        Shapes that broadcast.
    out : Tensor, optional
        Write into this tensor's storage; ``out=z`` accumulates.
    flop_weight : number or text, optional
        FLOPs per element for this call.
    name : str, optional
        Name of the op and its output.

    Returns
    -------
    Tensor
        With the broadcast shape.

    Examples
    --------
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> x, y, z = (g.input(name, "n", "fp32") for name in "xyz")
    >>> z = fma(x, y, z, out=z)
    >>> print(g.flops, "|", g.bytes)
    2*n FLOP | 16*n byte
    """
    return apply(_FMA, (x, y, z), weight_attr(flop_weight), name, out)
