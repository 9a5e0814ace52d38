"""Collectives: bytes a chip sends in one direction, by the topology of its network.

No FLOPs and no bytes of main memory count; a group of one chip sends nothing. The bytes are the
egress of `symroof.network.flow`: over what a chip can send in one direction, over all its ports
together, they give the time. Without a topology the chips are on a switch.
"""

from __future__ import annotations

from typing import Any

from symroof.errors import InputError
from symroof.graph.op import apply
from symroof.graph.ops.arguments import integer
from symroof.graph.ops.collective_parts import (
    LINK,
    AllGather,
    AllReduce,
    AllToAll,
    Broadcast,
    ReduceScatter,
    Send,
    network_attrs,
)
from symroof.graph.registry import register
from symroof.graph.tensor import Tensor
from symroof.network.topology import Topology

_ALL_GATHER, _REDUCE_SCATTER, _ALL_REDUCE = AllGather(), ReduceScatter(), AllReduce()
_ALL_TO_ALL, _BROADCAST, _SEND = AllToAll(), Broadcast(), Send()


@register(_ALL_GATHER)
def all_gather(
    x: Tensor,
    *,
    group: Any,
    axis: int = 0,
    link: str = LINK,
    topology: str | Topology | None = None,
    algorithm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Collect the shards of all chips of a group on each of them.

    Each chip sends (n − 1)/n·V bytes in one direction, V being the full tensor, n times the shard;
    on a line, where the ports at the ends take all of it, 2(n − 1)/n·V.
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
    topology : str or Topology, optional
        How the group is joined: ``switch`` (the default), ``fully-connected``, ``ring``,
        ``line``, ``tree``, or with a shape ``torus 4x4`` and, without wrap-around, ``mesh 4x4``.
        The bandwidth of the link is that of all ports of the chip together.
    algorithm : str, optional
        ``ring``, ``bidirectional-ring``, ``line``, ``tree``, ``recursive-doubling``, ``direct``,
        ``in-network`` or ``all-axes``, as far as the topology runs it; by default the one with
        the fewest bytes that needs no help of a switch.
    name : str, optional
        Name of the op.

    Returns
    -------
    Tensor
        The full tensor: `x` with `axis` n times as long.

    Raises
    ------
    InputError
        If the group is no whole number of 1 or more, or the topology is not of its size or does
        not run the algorithm.
    UnknownNameError
        If there is no such topology or algorithm; with the nearest.
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
    >>> h = Graph("h")
    >>> _ = ops.all_gather(h.input("x", 128, "bf16"), group=8, topology="line")
    >>> h.link_bytes.value
    3584
    """
    attrs = network_attrs(_ALL_GATHER, group, link, topology, algorithm, axis=axis)
    return apply(_ALL_GATHER, (x,), attrs, name)


@register(_REDUCE_SCATTER)
def reduce_scatter(
    x: Tensor,
    *,
    group: Any,
    axis: int = 0,
    link: str = LINK,
    topology: str | Topology | None = None,
    algorithm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Add up the tensors of all chips of a group and leave a shard of the sum on each.

    Each chip sends (n − 1)/n·V bytes in one direction, V being the full tensor. The additions are
    not counted. Source: ring algorithm, Patarasuk and Yuan 2009.

    Parameters
    ----------
    x : Tensor
        This chip's partial sum, full size.
    group, link, topology, algorithm, name
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
    attrs = network_attrs(_REDUCE_SCATTER, group, link, topology, algorithm, axis=axis)
    return apply(_REDUCE_SCATTER, (x,), attrs, name)


@register(_ALL_REDUCE)
def all_reduce(
    x: Tensor,
    *,
    group: Any,
    link: str = LINK,
    topology: str | Topology | None = None,
    algorithm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Add up the tensors of all chips of a group and leave the sum on each.

    Each chip sends 2(n − 1)/n·V bytes in one direction: a reduce-scatter and an all-gather of the
    full tensor of V bytes; V where the switch adds up (``in-network``). The additions are not
    counted.
    Source: ring algorithm, Patarasuk and Yuan 2009.

    Parameters
    ----------
    x : Tensor
        This chip's partial sum, full size.
    group, link, topology, algorithm, name
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
    attrs = network_attrs(_ALL_REDUCE, group, link, topology, algorithm)
    return apply(_ALL_REDUCE, (x,), attrs, name)


@register(_ALL_TO_ALL)
def all_to_all(
    x: Tensor,
    *,
    group: Any,
    split_axis: int | None = None,
    concat_axis: int | None = None,
    link: str = LINK,
    topology: str | Topology | None = None,
    algorithm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Exchange equal parts of each chip's buffer between all chips of a group.

    Each chip sends (n − 1)/n·V bytes in one direction, V being its own buffer, not the tensor of
    the whole group; all to all through a switch, so that every byte crosses the chip's link once.
    On a ring, where bytes are passed on, more cross it: n/4·V for an even n.

    Parameters
    ----------
    x : Tensor
        This chip's buffer.
    group, link, topology, algorithm, name
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
    attrs = network_attrs(_ALL_TO_ALL, group, link, topology, algorithm)
    if (split_axis is None) is not (concat_axis is None):
        raise InputError("split_axis and concat_axis go together", where="all_to_all")
    if split_axis is not None:
        for axis, value in (("split_axis", split_axis), ("concat_axis", concat_axis)):
            attrs += ((axis, integer(value, f"all_to_all {axis}")),)
    return apply(_ALL_TO_ALL, (x,), attrs, name)


@register(_BROADCAST)
def broadcast(
    x: Tensor,
    *,
    group: Any,
    link: str = LINK,
    topology: str | Topology | None = None,
    algorithm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Copy a tensor from one chip of a group to all of them.

    The busiest chips send V bytes in one direction, the whole tensor: the root, and in a pipelined
    ring every chip that passes it on; a group of one sends nothing, so V·min(1, n − 1).

    Parameters
    ----------
    x : Tensor
        What is copied.
    group, link, topology, algorithm, name
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
    attrs = network_attrs(_BROADCAST, group, link, topology, algorithm)
    return apply(_BROADCAST, (x,), attrs, name)


@register(_SEND)
def send(
    x: Tensor,
    *,
    group: Any = None,
    link: str = LINK,
    topology: str | Topology | None = None,
    algorithm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Send a tensor to another chip: V bytes in one direction.

    Parameters
    ----------
    x : Tensor
        What is sent.
    group : int, symbol or text, optional
        Chips in the chain, when there may be only one: then nothing is sent.
    link, topology, algorithm, name
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
    attrs = network_attrs(_SEND, group, link, topology, algorithm)
    return apply(_SEND, (x,), attrs, name)
