"""Collectives on one link: bytes each chip sends in one direction, from the full size V.

No FLOPs and no bytes of main memory count; a group of one chip sends nothing. Every form is what
conservation demands of the busiest chip: what it does not hold must come in, what others need must
go out, once.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, expand

from symroof.errors import InputError, ShapeError
from symroof.graph.op import AttrPairs, Attrs, Cost, OpKind, apply
from symroof.graph.ops.arguments import axis_attr, integer, whole
from symroof.graph.registry import register
from symroof.graph.shapes import axis_of
from symroof.graph.tensor import Tensor, TensorSpec
from symroof.lines import named
from symroof.symbolic.bounds import least
from symroof.symbolic.exact import shown

RING = "ring algorithm, per chip and direction (Patarasuk and Yuan 2009; NCCL's bus bandwidth)"
LINK = "link"
ONE, ZERO = Integer(1), Integer(0)


class _Collective(OpKind):
    count = "0, link bytes only"
    source = RING

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        return inputs

    def cost(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Cost:
        sent = self.sent(inputs[0], outputs[0], attrs.get("group"))
        return Cost((), (ZERO,), (ZERO,), link_bytes=sent, link=attrs.get("link", LINK))

    def sent(self, x: TensorSpec, y: TensorSpec, n: Expr) -> Expr:
        """Return the bytes a chip sends, from its tensor before and after and the group size."""
        raise NotImplementedError

    def counted(self, attrs: Attrs) -> tuple[Expr, ...]:
        return (attrs["group"],) if "group" in attrs else ()


class _AllGather(_Collective):
    name = "all_gather"

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        (x,) = inputs
        axis = axis_of(self.name, x, attrs.get("axis", 0))
        return (_scaled(x, axis, attrs["group"]),)

    def sent(self, x: TensorSpec, y: TensorSpec, n: Expr) -> Expr:
        return y.bytes * ((n - 1) / n)


class _ReduceScatter(_Collective):
    name = "reduce_scatter"

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        (x,) = inputs
        axis = axis_of(self.name, x, attrs.get("axis", 0))
        return (_split(self.name, x, axis, attrs["group"]),)

    def sent(self, x: TensorSpec, y: TensorSpec, n: Expr) -> Expr:
        return x.bytes * ((n - 1) / n)


class _AllReduce(_Collective):
    name = "all_reduce"

    def sent(self, x: TensorSpec, y: TensorSpec, n: Expr) -> Expr:
        return 2 * x.bytes * ((n - 1) / n)


class _AllToAll(_Collective):
    name = "all_to_all"
    source = "each chip keeps 1/n of its buffer and sends the rest, through a switch (NCCL)"

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        (x,) = inputs
        if "split_axis" not in attrs:
            return (x,)
        split = axis_of(self.name, x, attrs["split_axis"])
        concat = axis_of(self.name, x, attrs["concat_axis"])
        parts = _split(self.name, x, split, attrs["group"])
        return (_scaled(parts, concat, attrs["group"]),)

    def sent(self, x: TensorSpec, y: TensorSpec, n: Expr) -> Expr:
        return x.bytes * ((n - 1) / n)


class _Broadcast(_Collective):
    name = "broadcast"
    source = "pipelined ring: the root, and every chip that passes it on, sends the tensor once"

    def sent(self, x: TensorSpec, y: TensorSpec, n: Expr) -> Expr:
        return least(ONE, n - 1) * x.bytes


class _Send(_Collective):
    name = "send"
    source = "the tensor crosses the link once"

    def sent(self, x: TensorSpec, y: TensorSpec, n: Expr | None) -> Expr:
        return x.bytes if n is None else least(ONE, n - 1) * x.bytes


_ALL_GATHER, _REDUCE_SCATTER, _ALL_REDUCE = _AllGather(), _ReduceScatter(), _AllReduce()
_ALL_TO_ALL, _BROADCAST, _SEND = _AllToAll(), _Broadcast(), _Send()


@register(_ALL_GATHER)
def all_gather(
    x: Tensor, *, group: Any, axis: int = 0, link: str = LINK, name: str | None = None
) -> Tensor:
    """Collect the shards of all chips of a group on each of them.

    Each chip sends (n − 1)/n·V bytes in one direction, V being the full tensor, n times the shard.
    Source: ring algorithm, Patarasuk and Yuan 2009.

    Parameters
    ----------
    x : Tensor
        This chip's shard.
    group : int, symbol or text
        Number of chips n, at least 1; one chip sends nothing.
    axis : int
        The axis along which shards are joined.
    link : str
        Which link of the chip.
    name : str, optional
        Name of the op.

    Returns
    -------
    Tensor
        The full tensor: `x` with `axis` n times as long.

    Raises
    ------
    InputError
        If the group is no whole number of 1 or more.
    ShapeError
        If the tensor has no such axis.

    Examples
    --------
    >>> from symroof import ops
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> ops.all_gather(g.input("x", ("B", "F/n"), "bf16"), group="n", axis=1)
    <all_gather_0 [B, F] bf16>
    >>> g.link_bytes.at(B=1, F=1024, n=8).value, g.bytes.value
    (1792, 0)
    """
    return apply(_ALL_GATHER, (x,), _attrs("all_gather", group, link, axis=axis), name)


@register(_REDUCE_SCATTER)
def reduce_scatter(
    x: Tensor, *, group: Any, axis: int = 0, link: str = LINK, name: str | None = None
) -> Tensor:
    """Add up the tensors of all chips of a group and leave a shard of the sum on each.

    Each chip sends (n − 1)/n·V bytes in one direction, V being the full tensor. The additions are
    not counted. Source: ring algorithm, Patarasuk and Yuan 2009.

    Parameters
    ----------
    x : Tensor
        This chip's partial sum, full size.
    group, link, name
        As in `all_gather`.
    axis : int
        The axis that is split into n shards.

    Returns
    -------
    Tensor
        The shard: `x` with `axis` a nth as long.

    Raises
    ------
    InputError
        If the group is no whole number of 1 or more.
    ShapeError
        If the axis does not split into n equal parts.

    Examples
    --------
    >>> from symroof import ops
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> ops.reduce_scatter(g.input("x", (1024, "D"), "bf16"), group=8)
    <reduce_scatter_0 [128, D] bf16>
    >>> str(g.link_bytes)
    '1792*D byte'
    """
    return apply(_REDUCE_SCATTER, (x,), _attrs("reduce_scatter", group, link, axis=axis), name)


@register(_ALL_REDUCE)
def all_reduce(x: Tensor, *, group: Any, link: str = LINK, name: str | None = None) -> Tensor:
    """Add up the tensors of all chips of a group and leave the sum on each.

    Each chip sends 2(n − 1)/n·V bytes in one direction: a reduce-scatter and an all-gather of the
    full tensor of V bytes. The additions are not counted.
    Source: ring algorithm, Patarasuk and Yuan 2009.

    Parameters
    ----------
    x : Tensor
        This chip's partial sum, full size.
    group, link, name
        As in `all_gather`.

    Returns
    -------
    Tensor
        Shape and dtype of `x`.

    Raises
    ------
    InputError
        If the group is no whole number of 1 or more.

    Examples
    --------
    >>> from symroof import ops
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> _ = ops.all_reduce(g.input("x", 500_000_000, "bf16"), group=8)
    >>> str(g.link_bytes)
    '1750000000 byte'
    """
    return apply(_ALL_REDUCE, (x,), _attrs("all_reduce", group, link), name)


@register(_ALL_TO_ALL)
def all_to_all(
    x: Tensor,
    *,
    group: Any,
    split_axis: int | None = None,
    concat_axis: int | None = None,
    link: str = LINK,
    name: str | None = None,
) -> Tensor:
    """Exchange equal parts of each chip's buffer between all chips of a group.

    Each chip sends (n − 1)/n·V bytes in one direction, V being its own buffer, not the tensor of
    the whole group; all to all through a switch, so that every byte crosses the chip's link once.
    On a ring, where bytes are passed on, more cross it.

    Parameters
    ----------
    x : Tensor
        This chip's buffer.
    group, link, name
        As in `all_gather`.
    split_axis, concat_axis : int, optional
        The axis cut into n parts, and the one along which the parts received are joined; without
        them the shape stays.

    Returns
    -------
    Tensor
        `x` with `split_axis` a nth and `concat_axis` n times as long.

    Raises
    ------
    InputError
        If the group is no whole number of 1 or more, or only one axis is given.
    ShapeError
        If the axis does not split into n equal parts.

    Examples
    --------
    >>> from symroof import ops
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> x = g.input("x", ("T/n", "H", 128), "bf16")
    >>> ops.all_to_all(x, group="n", split_axis=1, concat_axis=0)
    <all_to_all_0 [T, H/n, 128] bf16>
    """
    attrs = _attrs("all_to_all", group, link)
    if (split_axis is None) is not (concat_axis is None):
        raise InputError("split_axis and concat_axis go together", where="all_to_all")
    if split_axis is not None:
        for axis, value in (("split_axis", split_axis), ("concat_axis", concat_axis)):
            attrs += ((axis, integer(value, f"all_to_all {axis}")),)
    return apply(_ALL_TO_ALL, (x,), attrs, name)


@register(_BROADCAST)
def broadcast(x: Tensor, *, group: Any, link: str = LINK, name: str | None = None) -> Tensor:
    """Copy a tensor from one chip of a group to all of them.

    The busiest chips send V bytes in one direction, the whole tensor: the root, and in a pipelined
    ring every chip that passes it on; a group of one sends nothing, so V·min(1, n − 1).

    Parameters
    ----------
    x : Tensor
        What is copied.
    group, link, name
        As in `all_gather`.

    Returns
    -------
    Tensor
        Shape and dtype of `x`.

    Raises
    ------
    InputError
        If the group is no whole number of 1 or more.

    Examples
    --------
    >>> from symroof import ops
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> _ = ops.broadcast(g.input("x", (4, 4), "fp32"), group="n")
    >>> [g.link_bytes.at(n=n).value for n in (1, 2, 8)]
    [0, 64, 64]
    """
    return apply(_BROADCAST, (x,), _attrs("broadcast", group, link), name)


@register(_SEND)
def send(x: Tensor, *, group: Any = None, link: str = LINK, name: str | None = None) -> Tensor:
    """Send a tensor to another chip: V bytes in one direction.

    Parameters
    ----------
    x : Tensor
        What is sent.
    group : int, symbol or text, optional
        Chips in the chain, when there may be only one: then nothing is sent.
    link, name
        As in `all_gather`.

    Returns
    -------
    Tensor
        Shape and dtype of `x`.

    Raises
    ------
    InputError
        If the group is no whole number of 1 or more.

    Examples
    --------
    >>> from symroof import ops
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> _ = ops.send(g.input("x", ("B", "D"), "bf16"), link="pcie")
    >>> str(g.link_bytes)
    '2*B*D byte'
    """
    return apply(_SEND, (x,), _attrs("send", group, link), name)


def _attrs(op: str, group: Any, link: str, axis: int = 0) -> AttrPairs:
    attrs: AttrPairs = ()
    if op != "send" or group is not None:
        attrs += (("group", whole(group, f"{op} group")),)
    attrs += axis_attr(op, axis, 0)
    if not isinstance(link, str):
        raise InputError(f"a link is named by text, not {link!r:.60}", where=op)
    named(link, f"{op} link")
    return attrs if link == LINK else (*attrs, ("link", link))


def _scaled(x: TensorSpec, axis: int, by: Expr) -> TensorSpec:
    return x.with_shape((*x.shape[:axis], expand(x.shape[axis] * by), *x.shape[axis + 1 :]))


def _split(op: str, x: TensorSpec, axis: int, parts: Expr) -> TensorSpec:
    shard = expand(x.shape[axis] / parts)
    if shard.is_Rational and not shard.is_Integer:
        message = f"{shown(x.shape[axis])} does not split into {shown(parts)} equal parts"
        raise ShapeError(op, message, (x.text,))
    return x.with_shape((*x.shape[:axis], shard, *x.shape[axis + 1 :]))
