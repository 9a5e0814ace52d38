"""Convolutions over one, two or three spatial dims."""

from __future__ import annotations

from enum import Enum
from typing import Any

from sympy import Add, Expr, Integer, Mul, ceiling, expand, floor

from symroof.errors import InputError, ShapeError
from symroof.graph.indices import Indices
from symroof.graph.op import AttrPairs, Attrs, Cost, OpKind, apply
from symroof.graph.ops.arguments import rank_of, refuse_typo, whole
from symroof.graph.registry import register
from symroof.graph.shapes import compute_key, result_dtype
from symroof.graph.tensor import Tensor, TensorSpec
from symroof.symbolic.exact import shown

ONE = Integer(1)


class Padding(Enum):
    """Paddings that have a name: none, or as much as keeps ceil(L/stride) positions."""

    SAME = "same"
    VALID = "valid"


SAME, VALID = Padding.SAME.value, Padding.VALID.value


class _Conv(OpKind):
    name = "conv"
    count = "2*N*Cout*(Cin/groups)*kernel*output positions; bias 1 per output"
    source = "one multiply-add per tap, input channel and output, padded taps included"

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        x, w, *bias = inputs
        shapes = tuple(spec.text for spec in inputs)
        rank_of(self.name, "x (batch, channels, then 1 to 3 spatial dims)", x, 3, 4, 5)
        if w.rank != x.rank:
            raise ShapeError(self.name, "input and weight differ in dims", shapes)
        groups = attrs.get("groups", ONE)
        if w.shape[1] * groups != x.shape[1]:
            message = (
                f"the weight takes {shown(w.shape[1])} channels in each of {shown(groups)} groups"
            )
            raise ShapeError(self.name, f"{message}, the input has {shown(x.shape[1])}", shapes)
        if w.shape[0].is_Integer and groups.is_Integer and w.shape[0] % groups:
            message = (
                f"{shown(w.shape[0])} output channels are no multiple of {shown(groups)} groups"
            )
            raise ShapeError(self.name, message, shapes)
        if bias and bias[0].shape != w.shape[:1]:
            raise ShapeError(self.name, f"bias must have shape ({shown(w.shape[0])},)", shapes)
        spatial = self.spatial(x, w, attrs, shapes)
        return (TensorSpec.of((x.shape[0], w.shape[0], *spatial), result_dtype(x, w)),)

    def cost(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Cost:
        w, y = inputs[1], outputs[0]
        per_output = 2 * Mul(*w.shape[1:]) + (len(inputs) - 2)
        key = compute_key(self.name, inputs)
        return Cost.moving(inputs, outputs, flops={key: y.elements * per_output})

    def indices(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Indices:
        rest = (None,) * (inputs[0].rank - 2)
        biased, groups = len(inputs) > 2, attrs.get("groups", ONE)
        if groups == inputs[0].shape[1] == inputs[1].shape[0] != ONE:
            # Depthwise: each channel has a kernel of its own.
            rows = (("n", "c", *rest), ("c", None, *rest), *(("c",),) * biased)
            return Indices(rows, (("n", "c", *rest),), linear=() if biased else (0, 1))
        grouped = groups != ONE
        channels = None if biased or grouped else "c"
        made = None if grouped else "o"
        rows = (("n", channels, *rest), (made, channels, *rest), *((made,),) * biased)
        linear = () if biased else (0, 1)
        return Indices(rows, (("n", made, *rest),), linear=linear)

    def local_attrs(
        self,
        attrs: AttrPairs,
        inputs: tuple[TensorSpec, ...],
        parts: tuple[TensorSpec, ...],
        made: tuple[TensorSpec, ...],
    ) -> AttrPairs:
        size, held = inputs[0].shape[1], parts[0].shape[1]
        if size == held or dict(attrs).get("groups", ONE) != size:
            return attrs
        return tuple((name, held if name == "groups" else value) for name, value in attrs)

    def spatial(
        self, x: TensorSpec, w: TensorSpec, attrs: Attrs, shapes: tuple[str, ...]
    ) -> tuple[Expr, ...]:
        """Return the output's spatial dims; ShapeError where the kernel does not fit."""
        dims = x.rank - 2
        strides = attrs.get("stride", (ONE,) * dims)
        dilations = attrs.get("dilation", (ONE,) * dims)
        padding = attrs.get("padding", ((Integer(0), Integer(0)),) * dims)
        lengths = []
        for i, (length, kernel) in enumerate(zip(x.shape[2:], w.shape[2:], strict=True)):
            pads = padding if isinstance(padding, str) else padding[i]
            made = output_length(length, kernel, strides[i], pads, dilations[i])
            if made.is_number and made < 1:
                message = (
                    f"a kernel of {shown(kernel)} with dilation {shown(dilations[i])}"
                    f" does not fit in length {shown(length)} with padding {shown(pads)}"
                )
                raise ShapeError(self.name, message, shapes)
            lengths.append(made)
        return tuple(lengths)


def output_length(
    length: Expr,
    kernel: Expr,
    stride: Expr,
    padding: str | tuple[Expr, Expr],
    dilation: Expr = ONE,
) -> Expr:
    """Return the output positions along one spatial dim.

    floor((L + before + after − dilation·(k − 1) − 1)/stride) + 1; "valid" is padding 0, and
    "same" is ceil(L/stride).

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> L = symbols("L")
    >>> output_length(L, Integer(3), Integer(1), (Integer(1), Integer(1)))
    L
    >>> output_length(Integer(224), Integer(7), Integer(2), (Integer(3), Integer(3)))
    112
    """
    if padding == SAME:
        return rounded(ceiling, length, stride)
    before, after = (Integer(0), Integer(0)) if isinstance(padding, str) else padding
    return rounded(floor, length + before + after - dilation * (kernel - 1) - 1, stride) + 1


def rounded(rounding: Any, length: Expr, stride: Expr) -> Expr:
    """Return ``length/stride`` rounded, without the terms of it that are whole in any case.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> H = symbols("H")
    >>> rounded(ceiling, 2 * H, Integer(2)), rounded(floor, 2 * H - 1, Integer(2))
    (H, H - 1)
    """
    if stride == 1:
        return length
    terms = Add.make_args(expand(length / stride))
    whole = [term for term in terms if _is_whole(term)]
    rest = [term for term in terms if not _is_whole(term)]
    return Add(rounding(Add(*rest)), *whole)


def _is_whole(term: Expr) -> bool:
    """Tell whether a product is a whole number at whole values of its symbols."""
    return all(
        factor.is_Integer
        or factor.is_Symbol
        or isinstance(factor, floor | ceiling)
        or (factor.is_Pow and factor.base.is_Symbol and factor.exp.is_Integer and factor.exp > 0)
        for factor in Mul.make_args(term)
    )


_CONV = _Conv()


@register(_CONV)
def conv(
    x: Tensor,
    w: Tensor,
    bias: Tensor | None = None,
    *,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: Any = 1,
    name: str | None = None,
) -> Tensor:
    """Convolve over one, two or three spatial dims, channels first.

    Counts 2·N·Cout·(Cin/groups)·kernel·positions, one multiply-add per tap of each output, taps on
    padding included as a dense kernel does them; a bias adds 1 per output. Reads x (whole, also
    when the stride skips some of it), the weight and the bias, and writes the result.

    Parameters
    ----------
    x : Tensor
        Shape (N, Cin, L), (N, Cin, H, W) or (N, Cin, D, H, W).
    w : Tensor
        Shape (Cout, Cin/groups, kernel...), as many spatial dims.
    bias : Tensor, optional
        Shape (Cout,).
    stride, dilation : int, symbol, text, or one for each spatial dim
        At least 1.
    padding : int, symbol, text, one for each spatial dim, "same" or "valid"
        Positions added on both sides; an entry for a dim may be a pair (before, after). "same"
        makes ceil(L/stride) positions, "valid" pads nothing.
    groups : int, symbol or text
        Groups the channels are split into; Cin of them is a depthwise convolution.
    name : str, optional
        Name of the op.

    Returns
    -------
    Tensor
        Shape (N, Cout, positions...), each floor((L + before + after − dilation·(k − 1) − 1)/
        stride) + 1.

    Raises
    ------
    ShapeError
        If channels do not match, or the kernel does not fit in the padded input.
    InputError
        If there are not as many strides, paddings or dilations as spatial dims.

    Examples
    --------
    >>> from symroof import ops
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> x, w = g.input("x", (1, 1000, 512), "fp16"), g.weight("w", (1000, 1000, 3), "fp16")
    >>> ops.conv(x, w, g.weight("b", 1000, "fp16"), padding=1)
    <conv_0 [1, 1000, 512] fp16>
    >>> str(g.flops)
    '3072512000 FLOP'
    """
    rank = x.spec.rank - 2 if isinstance(x, Tensor) else 1
    attrs: AttrPairs = (
        *_per_dim("stride", stride, rank),
        *_padding_attr(padding, rank),
        *_per_dim("dilation", dilation, rank),
    )
    count = whole(groups, "conv groups")
    if count != 1:
        attrs += (("groups", count),)
    return apply(_CONV, (x, w) if bias is None else (x, w, bias), attrs, name)


def _per_dim(what: str, value: Any, rank: int) -> AttrPairs:
    if not isinstance(value, tuple | list):
        if value == 1:
            return ()
        value = (value,) * rank
    _check_number(what, value, rank)
    return ((what, tuple(whole(entry, f"conv {what}") for entry in value)),)


def _padding_attr(value: Any, rank: int) -> AttrPairs:
    if value in (0, VALID):
        return ()
    if value == SAME:
        return (("padding", SAME),)
    refuse_typo(value, Padding, "conv padding")
    if not isinstance(value, tuple | list):
        value = (value,) * rank
    _check_number("padding", value, rank)
    return (("padding", tuple(_both_sides(entry) for entry in value)),)


def _both_sides(entry: Any) -> tuple[Expr, Expr]:
    sides = entry if isinstance(entry, tuple | list) else (entry, entry)
    if len(sides) != 2:
        raise InputError(f"a pair (before, after), not {entry!r}"[:200], where="conv padding")
    before, after = (whole(side, "conv padding", least=0) for side in sides)
    return before, after


def _check_number(what: str, value: Any, rank: int) -> None:
    if len(value) != rank:
        message = f"{len(value)} values for {rank} spatial dims"
        raise InputError(message, where=f"conv {what}")
