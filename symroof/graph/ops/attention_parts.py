"""The parts of unfused attention: scores, softmax of the scores, and their product with values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sympy import Expr

from symroof.errors import InputError, ShapeError
from symroof.graph.indices import Index, Indices
from symroof.graph.op import AttrPairs, Attrs, Cost, OpKind, apply, weight_attr
from symroof.graph.ops.arguments import choice, flag_attr, rank_of, whole
from symroof.graph.ops.masks import Align, Mask, attended_keys, attended_pairs
from symroof.graph.registry import register
from symroof.graph.shapes import compute_key, dtype_attr
from symroof.graph.tensor import Tensor, TensorSpec
from symroof.symbolic.build import multiplied
from symroof.symbolic.exact import shown
from symroof.units.dtype import DType

SOFTMAX = "attention_softmax"
SOFTMAX_WEIGHTS: Mapping[str, Any] = {SOFTMAX: 5}


class MaskedKind(OpKind):
    """A kind of op whose work is counted over attended pairs."""

    source = (
        "the products of FlashAttention's count, 4*S^2*d*H (Dao 2023, section 4.1), "
        "over the exact number of attended pairs instead of half of them"
    )

    def counted(self, attrs: Attrs) -> tuple[Expr, ...]:
        """Return the window, which is a count."""
        return (attrs["window"],) if "window" in attrs else ()

    def domain(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> Iterable[tuple[Expr, Expr]]:
        """Return that there are no more key-value heads than query heads."""
        heads = inputs[0].shape[1]
        shared = [(other.shape[1], heads) for other in inputs[1:2]]
        return [*super().domain(inputs, attrs), *shared]

    def number(self, queries: TensorSpec, keys: Expr, attrs: Attrs) -> Expr:
        """Return the attended pairs of all sequences and heads."""
        batch, heads, length, _ = queries.shape
        return multiplied(batch, heads, attended_pairs(length, keys, *_mask_of(attrs)))

    def read(self, cache: TensorSpec, queries: TensorSpec, attrs: Attrs) -> Expr:
        """Return the bytes of those keys or values that some query attends."""
        batch, heads, length, depth = cache.shape
        touched = attended_keys(queries.shape[2], length, *_mask_of(attrs))
        return multiplied(batch, heads, touched, depth, cache.dtype.bytes)

    def masked(self, attrs: Attrs) -> frozenset[str]:
        """Return the indices that stay whole where a mask cuts the score matrix itself."""
        free = attrs.get("mask", "none") == "none"
        return frozenset() if free else frozenset({"t", "s"})

    def whole(self, queries: TensorSpec, keys: Expr, attrs: Attrs) -> frozenset[str]:
        """Return the indices a mask keeps whole: the queries, unless the last see the last keys.

        Where queries are sharded, the work is that of the chip with the last of them, which is the
        busiest; it sees the whole length of the keys.
        """
        ends_alike = queries.shape[2] == keys or attrs.get("align") == Align.BOTTOM_RIGHT.value
        free = attrs.get("mask", "none") == "none" or ends_alike
        return frozenset() if free else frozenset({"t"})

    def check(self, queries: TensorSpec, keys: TensorSpec, attrs: Attrs, axis: int = 2) -> None:
        """Refuse operands that do not belong together, or a mask whose alignment is open."""
        shapes = (spec.text for spec in (queries, keys))
        rank_of(self.name, "the tensor of queries", queries, 4)
        rank_of(self.name, "the tensor of keys or values", keys, 4)
        if queries.shape[0] != keys.shape[0]:
            raise ShapeError(self.name, "batch sizes differ", shapes)
        heads, shared = queries.shape[1], keys.shape[1]
        group = heads / shared
        if group.is_number and not group.is_Integer:
            message = (
                f"{shown(heads)} query heads are no multiple of {shown(shared)} key-value heads"
            )
            raise ShapeError(self.name, message, shapes)
        masked = attrs.get("mask", "none") != "none"
        if masked and "align" not in attrs and queries.shape[2] != keys.shape[axis]:
            message = (
                f"align is required where {shown(queries.shape[2])} queries meet"
                f" {shown(keys.shape[axis])} keys: "
                "'bottom-right' (a cache, the last query sees the last key) or 'top-left'"
            )
            raise ShapeError(self.name, message, shapes)


def mask_attrs(op: str, mask: Any, window: Any, align: Any) -> AttrPairs:
    """Return the attributes of a mask, checked.

    Raises
    ------
    UnknownNameError
        If there is no such mask or alignment.
    InputError
        If a window is missing, superfluous or no whole number of 1 or more.

    Examples
    --------
    >>> mask_attrs("attention", "window", "W", "bottom-right")
    (('mask', 'window'), ('window', W), ('align', 'bottom-right'))
    """
    kind = choice(Mask, mask, f"{op} mask")
    found: AttrPairs = () if kind is Mask.NONE else (("mask", kind.value),)
    if kind is Mask.WINDOW and window is None:
        raise InputError("mask 'window' needs window=, the keys a query sees", where=op)
    if kind is not Mask.WINDOW and window is not None:
        raise InputError(f"a window needs mask='window', not {kind.value!r}", where=op)
    if kind is Mask.WINDOW:
        found += (("window", whole(window, f"{op} window")),)
    if align is not None:
        side = choice(Align, align, f"{op} align")
        if kind is not Mask.NONE:
            found += (("align", side.value),)
    return found


def softmax_attrs(op: str, softmax: bool, flop_weight: Any) -> AttrPairs:
    """Return the attributes that say whether and how softmax counts.

    Examples
    --------
    >>> softmax_attrs("attention", True, 6)
    (('softmax', True), ('flop_weight', 6))
    """
    found = flag_attr(op, "softmax", softmax)
    if flop_weight is not None and not found:
        raise InputError("flop_weight counts the softmax; it needs softmax=True", where=op)
    return (*found, *weight_attr(flop_weight))


def shared_heads(keys: TensorSpec) -> Index:
    """Return the index of key-value heads: that of the query heads, unless there is only one."""
    return None if keys.shape[1] == 1 else "h"


def bottom_right(attrs: AttrPairs, queries: TensorSpec, part: TensorSpec) -> AttrPairs:
    """Return a mask's attributes where a chip has a part of the queries: the last of them."""
    if queries.shape[2] == part.shape[2] or "mask" not in dict(attrs):
        return attrs
    others = tuple(pair for pair in attrs if pair[0] != "align")
    return (*others, ("align", Align.BOTTOM_RIGHT.value))


class _Scores(MaskedKind):
    name = "attention_scores"
    count = "2*B*H*pairs*dqk, the product of queries and keys over the attended pairs"

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        q, k = inputs
        self.check(q, k, attrs)
        if q.shape[3] != k.shape[3]:
            raise ShapeError(self.name, "head dims of queries and keys differ", (q.text, k.text))
        return (TensorSpec.of((*q.shape[:3], k.shape[2]), attrs.get("out_dtype", q.dtype)),)

    def cost(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Cost:
        q, k = inputs
        number = self.number(q, k.shape[2], attrs)
        return Cost.moving(
            inputs,
            outputs,
            flops={compute_key(self.name, inputs): 2 * number * q.shape[3]},
            reads=(q.bytes, self.read(k, q, attrs)),
            writes=(number * outputs[0].dtype.bytes,),
        )

    def indices(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Indices:
        k = inputs[1]
        rows = (("b", "h", "t", "d"), ("b", shared_heads(k), "s", "d"))
        masked = self.masked(attrs)
        return Indices(rows, (("b", "h", "t", "s"),), masked, linear=() if masked else (0, 1))


class _Softmax(MaskedKind):
    name = SOFTMAX
    count = "0; on request 5 per attended score: maximum, subtract, exp, sum, divide"
    source = "safe softmax (Milakov and Gimelshein 2018, algorithm 2), each operation once"
    weights = SOFTMAX_WEIGHTS
    rides_along = True

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        self.check(inputs[0], inputs[0], attrs, axis=3)
        return inputs

    def cost(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Cost:
        scores = inputs[0]
        number = self.number(scores, scores.shape[3], attrs)
        moved = (number * scores.dtype.bytes,)
        weight = attrs.weight(SOFTMAX) if attrs.get("softmax") else 0
        flops = {compute_key(self.name, inputs): number * weight}
        return Cost.moving(inputs, outputs, flops=flops, reads=moved, writes=moved)

    def indices(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Indices:
        row = ("b", "h", "t", "s")
        return Indices((row,), (row,), self.masked(attrs) | {"s"})


class _Values(MaskedKind):
    name = "attention_values"
    count = "2*B*H*pairs*dv, the product of probabilities and values over the attended pairs"

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        p, v = inputs
        self.check(p, v, attrs)
        if p.shape[3] != v.shape[2]:
            raise ShapeError(self.name, "numbers of keys differ", (p.text, v.text))
        return (TensorSpec.of((*p.shape[:3], v.shape[3]), attrs.get("out_dtype", p.dtype)),)

    def cost(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Cost:
        p, v = inputs
        number = self.number(p, v.shape[2], attrs)
        return Cost.moving(
            inputs,
            outputs,
            flops={compute_key(self.name, (outputs[0], v)): 2 * number * v.shape[3]},
            reads=(number * p.dtype.bytes, self.read(v, p, attrs)),
        )

    def indices(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Indices:
        v = inputs[1]
        rows = (("b", "h", "t", "s"), ("b", shared_heads(v), "s", "e"))
        masked = self.masked(attrs)
        return Indices(rows, (("b", "h", "t", "e"),), masked, linear=() if masked else (0, 1))


_SCORES, _SOFTMAX, _VALUES = _Scores(), _Softmax(), _Values()


@register(_SCORES)
def attention_scores(
    q: Tensor,
    k: Tensor,
    *,
    mask: str = "none",
    window: Any = None,
    align: str | None = None,
    out_dtype: str | DType | None = None,
    name: str | None = None,
) -> Tensor:
    """Multiply queries with keys and write the score matrix, the first part of unfused attention.

    Counts 2·B·H·pairs·dqk over the attended pairs; reads the queries and the attended keys, writes
    one score for each attended pair. The tensor itself is the full rectangle (B, H, Tq, Tk).

    Parameters
    ----------
    q, k : Tensor
        Shapes (B, H, Tq, dqk) and (B, Hkv, Tk, dqk).
    mask, window, align
        As in `attention`.
    out_dtype : str or DType, optional
        Storage dtype of the scores; that of `q` by default.
    name : str, optional
        Name of the op.

    Raises
    ------
    ShapeError
        If the shapes do not fit, or a mask needs `align`.

    Examples
    --------
    >>> from symroof import ops
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> q, k = g.input("q", (1, 8, 1, 128), "fp16"), g.cache("k", (1, 8, 2048, 128), "fp16")
    >>> ops.attention_scores(q, k)
    <attention_scores_0 [1, 8, 1, 2048] fp16>
    >>> str(g.flops)
    '4194304 FLOP'
    """
    attrs = mask_attrs(_SCORES.name, mask, window, align)
    return apply(_SCORES, (q, k), (*attrs, *dtype_attr(out_dtype)), name)


@register(_SOFTMAX)
def attention_softmax(
    scores: Tensor,
    *,
    mask: str = "none",
    window: Any = None,
    align: str | None = None,
    softmax: bool = False,
    flop_weight: Any = None,
    name: str | None = None,
) -> Tensor:
    """Turn scores into probabilities, the second part of unfused attention.

    Reads the attended scores and writes as many probabilities, in the dtype of the scores. Counts
    no FLOPs unless `softmax` is set: then 5 per attended score (maximum, subtraction, exponential,
    sum, division), or `flop_weight`.

    Parameters
    ----------
    scores : Tensor
        Shape (B, H, Tq, Tk).
    mask, window, align, softmax, flop_weight
        As in `attention`.
    name : str, optional
        Name of the op.

    Raises
    ------
    ShapeError
        If the scores do not have 4 dims, or a mask needs `align`.

    Examples
    --------
    >>> from symroof import ops
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> s = g.input("s", ("B", "H", "S", "S"), "bf16")
    >>> _ = ops.attention_softmax(s, softmax=True)
    >>> str(g.flops), str(g.bytes)
    ('5*B*H*S**2 FLOP', '4*B*H*S**2 byte')
    """
    attrs = mask_attrs(SOFTMAX, mask, window, align)
    attrs += softmax_attrs(SOFTMAX, softmax, flop_weight)
    return apply(_SOFTMAX, (scores,), attrs, name)


@register(_VALUES)
def attention_values(
    p: Tensor,
    v: Tensor,
    *,
    mask: str = "none",
    window: Any = None,
    align: str | None = None,
    out_dtype: str | DType | None = None,
    name: str | None = None,
) -> Tensor:
    """Multiply probabilities with values, the last part of unfused attention.

    Counts 2·B·H·pairs·dv over the attended pairs; reads the probabilities of the attended pairs
    and the attended values, writes the result.

    Parameters
    ----------
    p, v : Tensor
        Shapes (B, H, Tq, Tk) and (B, Hkv, Tk, dv).
    mask, window, align
        As in `attention`.
    out_dtype : str or DType, optional
        Dtype of the result and of the product; that of `p` by default.
    name : str, optional
        Name of the op.

    Raises
    ------
    ShapeError
        If the shapes do not fit, or a mask needs `align`.

    Examples
    --------
    >>> from symroof import ops
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> p, v = g.input("p", (1, 32, 1, "S"), "bf16"), g.cache("v", (1, 8, "S", 128), "bf16")
    >>> ops.attention_values(p, v)
    <attention_values_0 [1, 32, 1, 128] bf16>
    >>> str(g.flops)
    '8192*S FLOP'
    """
    attrs = mask_attrs(_VALUES.name, mask, window, align)
    return apply(_VALUES, (p, v), (*attrs, *dtype_attr(out_dtype)), name)


def _mask_of(attrs: Attrs) -> tuple[Mask, Align, Expr | None]:
    return (
        Mask(attrs.get("mask", "none")),
        Align(attrs.get("align", "bottom-right")),
        attrs.get("window"),
    )
