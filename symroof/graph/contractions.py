"""Contractions: the sizes of matmul, linear, dot, outer, gemv and einsum, alone or in a fused op.

A contraction multiplies two operands and has four groups of indices, each a product of sizes:
``batch`` (in both operands and the result), ``m`` (of the left one and the result), ``n`` (of the
right one and the result) and ``k`` (summed). These ops are contractions: matmul, linear, dot,
outer and gemv, and an einsum of two operands, unless one of these holds: an operand repeats an
index, an index of one operand alone is summed, or nothing is summed and one side has no index of
its own (an elementwise product). Attention, convolutions and all else are none here.

A fused op keeps the contractions among the ops it was made of.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from sympy import Expr, Integer, Mul, expand

from symroof.errors import InputError
from symroof.graph.cost import AttrPairs, Attrs
from symroof.graph.indices import Index
from symroof.graph.op import Op, OpKind
from symroof.graph.tensor import TensorSpec
from symroof.symbolic.build import add, multiply

CONTRACTIONS = frozenset({"matmul", "linear", "dot", "outer", "gemv", "einsum"})
FUSED = "fused"
KEPT = "contractions"
"""The attribute of a fused op that has those among its ops."""


@dataclass(frozen=True, slots=True)
class Contraction:
    """The sizes of a contraction and its tensors.

    Attributes
    ----------
    batch, m, n, k : Expr
        Products of the sizes of its four groups of indices.
    left, right, out : TensorSpec
        The operands and the result.
    flops_per_point : Expr
        2, a multiply-add; 1 where nothing is summed.
    dtype : str
        The key of the peak it computes at.
    fed : bool
        Whether an operand is made by another contraction of the same fused op, and stays on chip.

    Examples
    --------
    >>> from symroof.graph.spec import load
    >>> c = contraction(load("bqd,bdk->bqk").ops[0])
    >>> c.batch, c.m, c.n, c.k
    (b, q, k, d)
    """

    batch: Expr
    m: Expr
    n: Expr
    k: Expr
    left: TensorSpec
    right: TensorSpec
    out: TensorSpec
    flops_per_point: Expr
    dtype: str
    fed: bool = False

    @property
    def points(self) -> Expr:
        """Points of the index space: multiply-adds."""
        return multiply([self.batch, self.m, self.n, self.k])

    @property
    def bytes_once(self) -> Expr:
        """Bytes of the two operands and the result."""
        return add([self.left.bytes, self.right.bytes, self.out.bytes])

    @property
    def element_bytes(self) -> tuple[Expr, Expr, Expr]:
        """Bytes of an element of the left operand, the right one and the result."""
        return self.left.dtype.bytes, self.right.dtype.bytes, self.out.dtype.bytes


def contraction(op: Op) -> Contraction | None:
    """Return an op as a contraction; None where it is none (`why_none` says why).

    An op that was fused with one contraction is that contraction.

    Raises
    ------
    InputError
        If several were fused to one, or their sizes are not known.
    """
    found = contractions(op)
    if len(found) > 1:
        raise InputError(
            f"op {op.name!r} was fused of {len(found)} contractions; tile the graph before it is"
            " fused"
        )
    return found[0] if found else None


def contractions(op: Op) -> tuple[Contraction, ...]:
    """Return the contractions of an op: itself, or those it was fused of.

    Raises
    ------
    InputError
        If it was fused, and their sizes are not known.

    Examples
    --------
    >>> from symroof import ops
    >>> from symroof.graph import Graph
    >>> from symroof.graph.passes import fuse_elementwise
    >>> g = Graph("g")
    >>> y = ops.relu(g.input("x", ("B", "D"), "bf16") @ g.weight("w", ("D", "F"), "bf16"))
    >>> (found,) = contractions(fuse_elementwise(g).ops[0])
    >>> found.m, found.n, found.k
    (B, F, D)
    """
    if not may_hold(op.kind.name):
        return ()
    if op.kind.name != FUSED:
        found = _found(op)
        return (found,) if isinstance(found, Contraction) else ()
    attrs = Attrs(op.attrs)
    if KEPT in attrs:
        kept: tuple[Contraction, ...] = attrs[KEPT]
        return kept
    lost = [name for name in attrs.get("ops", ()) if may_hold(name)]
    if lost:
        raise InputError(
            f"op {op.name!r} was fused with {', '.join(lost)}, whose sizes are not kept;"
            " tile the graph before it is fused"
        )
    return ()


def why_none(op: Op) -> str:
    """Return why an op is no contraction; empty where it is one.

    Examples
    --------
    >>> from symroof.graph.spec import load
    >>> why_none(load("mn,nk,kl->ml").ops[0])
    'an einsum of 3 operands; contract two at a time'
    """
    found = _found(op)
    return found if isinstance(found, str) else ""


def may_hold(kind: str) -> bool:
    """Return whether an op of this kind may be a contraction, or hold some."""
    return kind in CONTRACTIONS or kind == FUSED


def _found(op: Op) -> Contraction | str:
    signature = op.signature
    keys = [key for key, _ in signature.cost.flops]
    return _read(signature.kind, signature.attrs, signature.inputs, signature.outputs, *keys[:1])


@lru_cache(maxsize=4096)
def _read(
    kind: OpKind,
    attrs: AttrPairs,
    inputs: tuple[TensorSpec, ...],
    outputs: tuple[TensorSpec, ...],
    dtype: str = "",
) -> Contraction | str:
    if kind.name not in CONTRACTIONS:
        return f"{kind.name} is not among {', '.join(sorted(CONTRACTIONS))}"
    if kind.name == "einsum" and len(inputs) != 2:
        plural = "s; contract two at a time" if len(inputs) > 2 else ""
        return f"an einsum of {len(inputs)} operand{plural}"
    named = kind.indices(inputs, outputs, Attrs(attrs))
    if named is None:
        return f"nothing is known of the indices of {kind.name}"
    if named.whole:
        return f"an operand repeats the index {min(named.whole)}"
    left = _sizes_of(named.inputs[0], inputs[0])
    right = _sizes_of(named.inputs[1], inputs[1])
    made = {index for index in named.outputs[0] if index is not None}
    alone = sorted((left.keys() ^ right.keys()) - made)
    if alone:
        return f"the index {alone[0]} is summed in one operand alone"
    summed = (left.keys() & right.keys()) - made
    own = left.keys() - right.keys(), right.keys() - left.keys()
    if not summed and not all(own):
        return "nothing is summed, and it is no outer product"
    return Contraction(
        batch=_product(left, left.keys() & right.keys() & made),
        m=_product(left, own[0]),
        n=_product(right, own[1]),
        k=_product(left, summed),
        left=inputs[0],
        right=inputs[1],
        out=outputs[0],
        flops_per_point=Integer(2 if summed else 1),
        dtype=dtype,
    )


def _sizes_of(row: tuple[Index, ...], spec: TensorSpec) -> dict[str, Expr]:
    """Return the size of each index of an operand; a dim that is stretched has none."""
    return {index: size for index, size in zip(row, spec.shape, strict=True) if index is not None}


def _product(sizes: dict[str, Expr], indices: Iterable[str]) -> Expr:
    return expand(Mul(*(sizes[index] for index in indices)))
