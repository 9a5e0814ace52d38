"""The backward of an op: the gradients of its operands, with costs that are given."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sympy import Expr

from symroof.errors import InputError
from symroof.graph.amounts import amount
from symroof.graph.op import AttrPairs, Attrs, Cost, OpKind, apply_all
from symroof.graph.registry import register
from symroof.graph.tensor import Shape, Tensor, TensorSpec, dim, dims_of
from symroof.lines import named
from symroof.units.dtype import DType
from symroof.units.dtype import dtype as dtype_of

LINK = "link"


class BackwardKind(OpKind):
    """The kind of an op that makes gradients."""

    source = (
        "the gradient of each factor of a product is a product of the same size "
        "(Kaplan et al. 2020, section 2.1)"
    )

    def __init__(self, name: str, count: str, *, rides_along: bool) -> None:
        self.name = name
        self.count = count
        self.rides_along = rides_along

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        """Return the gradients."""
        return tuple(
            TensorSpec.of(shape, stored)
            for shape, stored in zip(attrs["shapes"], attrs["dtypes"], strict=True)
        )

    def cost(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Cost:
        """Return the costs as given."""
        return Cost(
            flops=tuple(zip(attrs.get("compute", ()), attrs.get("flops", ()), strict=True)),
            reads=attrs.get("reads", tuple(spec.bytes for spec in inputs)),
            writes=attrs.get("writes", tuple(spec.bytes for spec in outputs)),
            link_bytes=attrs.get("link_bytes", amount(0, self.name)),
            link=attrs.get("link", LINK),
        )


BACKWARD = BackwardKind("backward", "as given; twice the forward for products", rides_along=False)
BACKWARD_MAP = BackwardKind(
    "backward_map", "as given; the forward for each gradient", rides_along=True
)


@register(BACKWARD)
def backward(
    inputs: Iterable[Tensor],
    *,
    shapes: Iterable[Shape],
    dtypes: Any,
    flops: Any = (),
    compute: Any = (),
    reads: Any = None,
    writes: Any = None,
    link_bytes: Any = 0,
    link: str = LINK,
    name: str | None = None,
) -> tuple[Tensor, ...]:
    """Make the gradients of the operands of an op, at the costs given.

    `symroof.models.training.training_step` adds it, with twice the FLOPs of a product.

    Parameters
    ----------
    inputs : iterable of Tensor
        What it reads: operands of the op, and gradients of its results.
    shapes : iterable of shape
        One for each gradient.
    dtypes : iterable of str or DType
        One for each gradient.
    flops, compute : iterable
        FLOPs, and the keys of the peaks they run at, such as ``"bf16"``.
    reads, writes : iterable, optional
        Bytes by operand and by gradient; those of the whole tensors by default.
    link_bytes : number, text or Expr
        Bytes through this chip's link in one direction.
    link : str
        Which link.
    name : str, optional
        Name of the op.

    Returns
    -------
    tuple of Tensor
        The gradients.

    Raises
    ------
    InputError
        If an amount is negative, or lists do not have one entry for each tensor.

    Examples
    --------
    >>> from symroof import ops
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> x, w = g.input("x", ("B", 8), "bf16"), g.weight("w", (8, 4), "bf16")
    >>> dy = g.input("dy", ("B", 4), "bf16")
    >>> ops.backward([x, w, dy], shapes=[("B", 8), (8, 4)], dtypes=["bf16", "bf16"],
    ...              flops=["128*B"], compute=["bf16"])
    (<backward_0:0 [B, 8] bf16>, <backward_0:1 [8, 4] bf16>)
    >>> str(g.flops), str(g.bytes)
    ('128*B FLOP', '(40*B + 128) byte')
    """
    costs = (flops, compute, reads, writes, link_bytes, link)
    return _added(BACKWARD, inputs, shapes, dtypes, costs, name)


@register(BACKWARD_MAP)
def backward_map(
    inputs: Iterable[Tensor],
    *,
    shapes: Iterable[Shape],
    dtypes: Any,
    flops: Any = (),
    compute: Any = (),
    reads: Any = None,
    writes: Any = None,
    link_bytes: Any = 0,
    link: str = LINK,
    name: str | None = None,
) -> tuple[Tensor, ...]:
    """Make the gradients of an op that rides along with others; otherwise as `backward`.

    Parameters and errors are those of `backward`. Counts what is given.

    Examples
    --------
    >>> from symroof import ops
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> x, dy = (g.input(n, "n", "fp32") for n in ("x", "dy"))
    >>> _ = ops.backward_map([x, dy], shapes=["n"], dtypes=["fp32"], flops=["n"],
    ...                              compute=["fp32"])
    >>> str(g.flops), str(g.bytes)
    ('n FLOP', '12*n byte')
    """
    costs = (flops, compute, reads, writes, link_bytes, link)
    return _added(BACKWARD_MAP, inputs, shapes, dtypes, costs, name)


def _added(
    kind: BackwardKind,
    inputs: Iterable[Tensor],
    shapes: Iterable[Shape],
    dtypes: Any,
    costs: tuple[Any, ...],
    name: str | None,
) -> tuple[Tensor, ...]:
    flops, compute, reads, writes, link_bytes, link = costs
    operands = tuple(inputs)
    dims = tuple(tuple(dim(size) for size in dims_of(shape)) for shape in shapes)
    stored: tuple[DType, ...] = tuple(dtype_of(one) for one in dtypes)
    attrs: AttrPairs = (("shapes", dims), ("dtypes", stored))
    _alike(kind, "dtypes", stored, len(dims))
    if flops:
        keys = tuple(named(key, f"{kind.name} compute") for key in compute)
        _alike(kind, "compute", keys, len(flops))
        attrs += (("flops", _amounts(kind, "flops", flops)), ("compute", keys))
    for what, given, ports in (("reads", reads, len(operands)), ("writes", writes, len(dims))):
        if given is not None:
            found = _amounts(kind, what, given)
            _alike(kind, what, found, ports)
            attrs += ((what, found),)
    sent = amount(link_bytes, f"{kind.name} link_bytes")
    if sent != 0:
        attrs += (("link_bytes", sent), ("link", named(link, f"{kind.name} link")))
    return apply_all(kind, operands, attrs, name)


def _amounts(kind: BackwardKind, what: str, given: Any) -> tuple[Expr, ...]:
    return tuple(amount(one, f"{kind.name} {what}") for one in given)


def _alike(kind: BackwardKind, what: str, given: tuple[Any, ...], expected: int) -> None:
    if len(given) != expected:
        raise InputError(
            f"expected {expected} entries, not {len(given)}", where=f"{kind.name} {what}"
        )
