"""What the backward of each kind of op reads, computes and makes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sympy import Expr, Integer

from symroof.errors import CostError
from symroof.graph.op import AttrPairs, Attrs, Op
from symroof.graph.ops.backward import BACKWARD, BACKWARD_MAP, BackwardKind
from symroof.graph.tensor import Tensor
from symroof.symbolic.build import add
from symroof.units.dtype import DTypeKind

ATTENTION = frozenset({"attention", "attention_scores", "attention_softmax", "attention_values"})
"""What selective recomputation runs again (Korthikanti et al. 2022, section 5)."""

SAME = frozenset({"add", "sub", "neg", "copy", "cache_append"})
"""Their result's gradient is that of each operand of its shape."""

NOTHING = SAME | {"cast", "fill", "sum", "mean", "gather", "scatter", "transpose"}
"""Their gradients follow from that of the result alone, without arithmetic."""

RESULT = frozenset({"softmax", "attention_softmax", "exp", "sigmoid", "tanh", "sqrt"})
"""Their gradients need the result instead of the operand."""


@dataclass(frozen=True, slots=True)
class Backward:
    """The backward of an op.

    Attributes
    ----------
    kind : BackwardKind
    needs : tuple of Tensor
        Tensors of the forward that it reads, before the gradients of the results.
    attrs : tuple
        Of the op, in the order of `symroof.ops.backward`.
    """

    kind: BackwardKind
    needs: tuple[Tensor, ...]
    attrs: AttrPairs


def has_gradient(tensor: Tensor) -> bool:
    """Return whether numbers of this dtype are trained: floats, not blocks and not integers."""
    return tensor.dtype.kind is DTypeKind.FLOAT and not tensor.dtype.is_block


def backward_of(op: Op, wanted: Sequence[Tensor], given: Sequence[Tensor]) -> Backward:
    """Return the backward of an op.

    Products (matmul, attention, experts, convolution and what else is neither elementwise nor a
    reduction) take twice their FLOPs, elementwise ops and norms once for each gradient. Operands
    are read as the forward reads them, gradients whole, and each gradient is written once. Bytes
    that are stated for a `custom` op are taken twice.

    Parameters
    ----------
    op : Op
        Of the forward graph.
    wanted : sequence of Tensor
        Operands whose gradients are made.
    given : sequence of Tensor
        Results whose gradients are there.

    Raises
    ------
    CostError
        If nobody knows what the op costs.

    Examples
    --------
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> y = g.input("x", ("B", 8), "bf16") @ g.weight("w", (8, 4), "bf16")
    >>> found = backward_of(y.producer, y.producer.inputs, [y])
    >>> found.needs, dict(found.attrs)["flops"]
    ((<x [B, 8] bf16>, <w [8, 4] bf16>), (128*B,))
    """
    if op.cost.unknown:
        raise CostError(
            f"op {op.block.path + op.name!r} ({op.kind.name}) has no cost, so its backward has"
            f" none: {' and '.join(op.cost.unknown)} unknown"
        )
    named = Attrs(op.attrs)
    needs = _needs(op, named)
    reads = (*needs.values(), *(tensor.spec.bytes for tensor in given))
    writes = tuple(tensor.spec.bytes for tensor in wanted)
    if op.kind.name == "custom" and "bytes" in named:
        zero = Integer(0)
        reads, writes = (zero,) * len(reads), (2 * named["bytes"], *(zero,) * (len(writes) - 1))
    flops = _flops(op, wanted)
    attrs: AttrPairs = (
        ("shapes", tuple(tensor.shape for tensor in wanted)),
        ("dtypes", tuple(tensor.dtype for tensor in wanted)),
    )
    if flops:
        attrs += (("flops", tuple(flops.values())), ("compute", tuple(flops)))
    attrs += (("reads", reads), ("writes", writes))
    if op.cost.link_bytes != 0:
        attrs += (("link_bytes", op.cost.link_bytes), ("link", op.cost.link))
    kind = BACKWARD_MAP if op.kind.rides_along or op.kind.name in NOTHING else BACKWARD
    return Backward(kind, tuple(needs), attrs)


def sum_of(tensor: Tensor, wholes: int, parts: Sequence[Tensor], key: str) -> AttrPairs:
    """Return the attributes of the op that adds the gradients of a tensor, whole ones and parts.

    What is added is read once, the sum is written once. Parts alone are put in their places.
    """
    added = [tensor.spec.elements] * (wholes - 1 if wholes else 0)
    if wholes:
        added += [part.spec.elements for part in parts]
    attrs: AttrPairs = (("shapes", (tensor.shape,)), ("dtypes", (tensor.dtype,)))
    return (*attrs, ("flops", (add(added),)), ("compute", (key,))) if added else attrs


def _needs(op: Op, named: Attrs) -> dict[Tensor, Expr]:
    """Return what of the forward is read, and how many bytes of it."""
    kind = op.kind.name
    scaled = kind in ("mul", "div") and len(op.inputs) == 1 and "y" in named
    if kind in RESULT:
        return dict(zip(op.outputs, op.cost.writes, strict=True))
    found: dict[Tensor, Expr] = {}
    for tensor, amount in zip(op.inputs, op.cost.reads, strict=True):
        counted = tensor.dtype.kind is not DTypeKind.FLOAT  # indices and masks say where to put it
        if counted or not (scaled or kind in NOTHING):
            found.setdefault(tensor, amount)
    return found


def _flops(op: Op, wanted: Sequence[Tensor]) -> dict[str, Expr]:
    kind = op.kind.name
    if kind in SAME:  # of an operand that was broadcast it is the sum over the result's gradient
        key = next((key for key, _ in op.cost.flops), None)
        return {} if key is None else {key: len(wanted) * op.outputs[0].spec.elements}
    if kind in NOTHING:
        return {}
    times = len(wanted) if op.kind.rides_along else 2
    found: dict[str, Expr] = {}
    for key, amount in op.cost.flops:
        found[key] = add([found[key], times * amount]) if key in found else times * amount
    return found
