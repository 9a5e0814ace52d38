"""Attention with exact attended pairs and separate query and key-value heads."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer

from symroof.errors import InputError, ShapeError
from symroof.graph.indices import Indices
from symroof.graph.op import AttrPairs, Attrs, Cost, apply
from symroof.graph.ops.arguments import flag_attr
from symroof.graph.ops.attention_parts import (
    SOFTMAX,
    SOFTMAX_WEIGHTS,
    MaskedKind,
    attention_scores,
    attention_softmax,
    attention_values,
    bottom_right,
    mask_attrs,
    shared_heads,
    softmax_attrs,
)
from symroof.graph.registry import register
from symroof.graph.shapes import compute_key
from symroof.graph.tensor import Tensor, TensorSpec
from symroof.symbolic.build import multiplied
from symroof.units.dtype import DType


class _Attention(MaskedKind):
    name = "attention"
    count = "B*H*pairs*(2*dqk + 2*dv), the two products over attended pairs; softmax on request"
    weights = SOFTMAX_WEIGHTS

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        q, k, v = inputs
        self.check(q, k, attrs)
        self.check(q, v, attrs)
        if q.shape[3] != k.shape[3]:
            raise ShapeError(self.name, "head dims of queries and keys differ", (q.text, k.text))
        if k.shape[1:3] != v.shape[1:3]:
            message = "keys and values differ in heads or length"
            raise ShapeError(self.name, message, (k.text, v.text))
        return (q.with_shape((*q.shape[:3], v.shape[3])),)

    def cost(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Cost:
        q, k, v = inputs
        number = self.number(q, k.shape[2], attrs)
        softmax = attrs.weight(SOFTMAX) if attrs.get("softmax") else Integer(0)
        per_pair: dict[str, Expr] = {}
        for other, flops in ((k, 2 * q.shape[3] + softmax), (v, 2 * v.shape[3])):
            key = compute_key(self.name, (q, other))
            per_pair[key] = per_pair.get(key, Integer(0)) + flops
        return Cost.moving(
            inputs,
            outputs,
            flops={key: multiplied(number, flops) for key, flops in per_pair.items()},
            reads=(q.bytes, self.read(k, q, attrs), self.read(v, q, attrs)),
        )

    def indices(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Indices:
        q, k, _ = inputs
        heads = shared_heads(k)
        whole = self.whole(q, k.shape[2], attrs) | {"d", "s"}
        rows = (("b", "h", "t", "d"), ("b", heads, "s", "d"), ("b", heads, "s", "e"))
        return Indices(rows, (("b", "h", "t", "e"),), whole=whole)

    def local_attrs(
        self,
        attrs: AttrPairs,
        inputs: tuple[TensorSpec, ...],
        parts: tuple[TensorSpec, ...],
        made: tuple[TensorSpec, ...],
    ) -> AttrPairs:
        return bottom_right(attrs, inputs[0], parts[0])


_ATTENTION = _Attention()


@register(_ATTENTION)
def attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    mask: str = "none",
    window: Any = None,
    align: str | None = None,
    softmax: bool = False,
    flop_weight: Any = None,
    fused: bool = True,
    scores_dtype: str | DType | None = None,
    name: str | None = None,
) -> Tensor:
    """Attend: softmax(q kᵀ) v, for B sequences and H query heads on Hkv key-value heads.

    Counts the two products over the attended pairs, B·H·pairs·(2·dqk + 2·dv). The pairs of one
    head are exact: Tq·Tk without a mask; S(S + 1)/2 for causal and equal lengths;
    Tq·Tk − Tq(Tq − 1)/2 for causal bottom-right and Tq ≤ Tk; W·S − W(W − 1)/2 for a window W ≤ S;
    the other cases (more queries than keys, top-left, W > S) by ``Min`` and ``Max`` where the sign
    is open. A length written as P + C, new tokens behind a prefix, decides it: no ``Min`` is left.
    Softmax counts on request only: 5 per attended pair.

    Fused, it reads q, writes the result and reads those keys and values that some query attends
    (all of them, or with a window and bottom-right alignment the last Tq + W − 1), each once per
    key-value head. Unfused it is three ops, `attention_scores`, `attention_softmax` and
    `attention_values`: besides q, k, v and the result, for each attended pair the score is written
    and read once and the probability is written and read once, both in `scores_dtype`.

    Source: the products of FlashAttention's count 4·S²·d·H (Dao 2023, section 4.1), over the exact
    number of attended pairs instead of half of them.

    Parameters
    ----------
    q : Tensor
        Queries, shape (B, H, Tq, dqk).
    k : Tensor
        Keys, shape (B, Hkv, Tk, dqk); H is a multiple of Hkv.
    v : Tensor
        Values, shape (B, Hkv, Tk, dv).
    mask : {"none", "causal", "window"}
        What a query sees: all keys, those up to its own position, or the last `window` of those.
    window : int, symbol or text
        Keys a query sees with mask "window", its own position included.
    align : {"bottom-right", "top-left"}, optional
        Where the diagonal ends, required when a mask is set and Tq and Tk differ: the last query
        at the last key (a cache, chunked prefill), or the first query at the first key.
    softmax : bool
        Count the FLOPs of softmax as well, 5 per attended pair.
    flop_weight : number or text, optional
        FLOPs per attended pair instead of 5 (6 when the scaling of scores is a pass of its own).
    fused : bool
        Whether the score matrix stays on chip.
    scores_dtype : str or DType, optional
        Storage dtype of scores and probabilities when unfused; that of `q` by default.
    name : str, optional
        Name of the op; the parts of an unfused one are called ``name.scores`` and
        ``name.softmax``.

    Returns
    -------
    Tensor
        Shape (B, H, Tq, dv), in the dtype of `q`.

    Raises
    ------
    ShapeError
        If the shapes do not fit, H is no multiple of Hkv, or `align` is missing.
    InputError
        If the window is missing or superfluous.

    Examples
    --------
    >>> from symroof import ops
    >>> from symroof.graph import Graph
    >>> g = Graph("prefill")
    >>> q = g.input("q", ("B", 32, "S", 128), "bf16")
    >>> k, v = (g.cache(n, ("B", 8, "S", 128), "bf16") for n in "kv")
    >>> ops.attention(q, k, v, mask="causal")
    <attention_0 [B, 32, S, 128] bf16>
    >>> str(g.flops)
    '8192*B*S*(S + 1) FLOP'

    A query of one token reads its window of the cache:

    >>> g = Graph("decode")
    >>> q = g.input("q", (1, 32, 1, 128), "bf16")
    >>> k, v = (g.cache(n, (1, 8, 32768, 128), "bf16") for n in "kv")
    >>> o = ops.attention(q, k, v, mask="window", window=1024, align="bottom-right")
    >>> [str(r) for r in o.producer.cost.reads]
    ['8192', '2097152', '2097152']
    """
    attrs = mask_attrs(_ATTENTION.name, mask, window, align)
    counted = softmax_attrs(_ATTENTION.name, softmax, flop_weight)
    if flag_attr(_ATTENTION.name, "fused", fused):
        if scores_dtype is not None:
            message = "scores_dtype needs fused=False; fused, no scores are stored"
            raise InputError(message, where=_ATTENTION.name)
        return apply(_ATTENTION, (q, k, v), (*attrs, *counted), name)
    if isinstance(q, Tensor) and isinstance(k, Tensor) and isinstance(v, Tensor):
        _ATTENTION.infer((q.spec, k.spec, v.spec), Attrs(attrs))
    first, second = (name and f"{name}.{part}" for part in ("scores", "softmax"))
    scores = attention_scores(q, k, **dict(attrs), out_dtype=scores_dtype, name=first)
    p = attention_softmax(scores, **dict(attrs), **dict(counted), name=second)
    return attention_values(p, v, **dict(attrs), out_dtype=q.dtype, name=name)
