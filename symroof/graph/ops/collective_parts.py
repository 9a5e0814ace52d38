"""The kinds of collectives and their attributes: what they make of tensors, and what they send."""

from __future__ import annotations

from typing import Any, ClassVar

from sympy import Expr, Integer, expand

from symroof.errors import InputError, ShapeError
from symroof.graph.op import AttrPairs, Attrs, Cost, OpKind
from symroof.graph.ops.arguments import axis_attr, whole
from symroof.graph.shapes import axis_of
from symroof.graph.tensor import TensorSpec
from symroof.lines import named
from symroof.network.collectives import flow
from symroof.network.names import Algorithm, Collective
from symroof.network.names import named as member
from symroof.network.topology import Switch, Topology
from symroof.network.topology import topology as topology_of
from symroof.symbolic.exact import shown

RING = "ring algorithm, per chip and direction (Patarasuk and Yuan 2009; NCCL's bus bandwidth)"
LINK = "link"
ZERO = Integer(0)


class CollectiveKind(OpKind):
    """A collective: its bytes are the egress of its flow over the network."""

    count = "0, link bytes only"
    source = RING
    collective: ClassVar[Collective]

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        """Return the chip's tensor after it."""
        return inputs

    def cost(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Cost:
        """Return link bytes alone."""
        volume, n = self.volume(inputs[0], outputs[0]), attrs.get("group")
        if n is not None:
            place = topology_of(attrs["topology"], n) if "topology" in attrs else Switch(n)
            volume = flow(self.collective, place, volume, attrs.get("algorithm")).egress
        return Cost((), (ZERO,), (ZERO,), link_bytes=volume, link=attrs.get("link", LINK))

    def volume(self, x: TensorSpec, y: TensorSpec) -> Expr:
        """Return the bytes the collective is counted by, from a chip's tensor before and after."""
        return x.bytes

    def counted(self, attrs: Attrs) -> tuple[Expr, ...]:
        """Return the group size."""
        return (attrs["group"],) if "group" in attrs else ()


class AllGather(CollectiveKind):
    """Join the shards of all chips."""

    name = "all_gather"
    collective = Collective.ALL_GATHER

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        """Return the chip's tensor after it."""
        (x,) = inputs
        axis = axis_of(self.name, x, attrs.get("axis", 0))
        return (_scaled(x, axis, attrs["group"]),)

    def volume(self, x: TensorSpec, y: TensorSpec) -> Expr:
        """Return the bytes of the full tensor."""
        return y.bytes


class ReduceScatter(CollectiveKind):
    """Add up, and leave a shard of the sum."""

    name = "reduce_scatter"
    collective = Collective.REDUCE_SCATTER

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        """Return the chip's tensor after it."""
        (x,) = inputs
        axis = axis_of(self.name, x, attrs.get("axis", 0))
        return (_split(self.name, x, axis, attrs["group"]),)


class AllReduce(CollectiveKind):
    """Add up, and leave all of the sum."""

    name = "all_reduce"
    collective = Collective.ALL_REDUCE


class AllToAll(CollectiveKind):
    """Exchange equal parts."""

    name = "all_to_all"
    source = "each chip keeps 1/n of its buffer and sends the rest, through a switch (NCCL)"
    collective = Collective.ALL_TO_ALL

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        """Return the chip's tensor after it."""
        (x,) = inputs
        if "split_axis" not in attrs:
            return (x,)
        split = axis_of(self.name, x, attrs["split_axis"])
        concat = axis_of(self.name, x, attrs["concat_axis"])
        parts = _split(self.name, x, split, attrs["group"])
        return (_scaled(parts, concat, attrs["group"]),)


class Broadcast(CollectiveKind):
    """Copy from one chip to all."""

    name = "broadcast"
    source = "pipelined ring: the root, and every chip that passes it on, sends the tensor once"
    collective = Collective.BROADCAST


class Send(CollectiveKind):
    """Copy from one chip to another."""

    name = "send"
    source = "the tensor crosses the link once"
    collective = Collective.SEND


def network_attrs(
    kind: CollectiveKind,
    group: Any,
    link: str,
    topology: str | Topology | None,
    algorithm: str | None,
    axis: int = 0,
) -> AttrPairs:
    """Return the attributes of a collective, those at their default left out.

    Raises
    ------
    InputError
        If one is not what it should be, or they do not fit each other.

    Examples
    --------
    >>> network_attrs(AllReduce(), 8, "ib", "ring", None)
    (('group', 8), ('link', 'ib'), ('topology', 'ring'))
    """
    op = kind.name
    attrs: AttrPairs = ()
    if group is not None or kind.collective is not Collective.SEND:
        attrs += (("group", whole(group, f"{op} group")),)
    attrs += axis_attr(op, axis, 0)
    if not isinstance(link, str):
        raise InputError(f"a link is named by text, not {link!r:.60}", where=op)
    named(link, f"{op} link")
    if link != LINK:
        attrs += (("link", link),)
    if topology is not None or algorithm is not None:
        if group is None:
            raise InputError("a topology or an algorithm needs the group", where=op)
        attrs += _place_attrs(attrs[0][1], topology, algorithm)
    return attrs


def _place_attrs(group: Expr, topology: str | Topology | None, algorithm: str | None) -> AttrPairs:
    attrs: AttrPairs = ()
    if topology is not None:
        attrs += (("topology", topology_of(topology, group).name),)
    if algorithm is not None:
        attrs += (("algorithm", member(Algorithm, algorithm, "algorithm").value),)
    return attrs


def _scaled(x: TensorSpec, axis: int, by: Expr) -> TensorSpec:
    return x.with_shape((*x.shape[:axis], expand(x.shape[axis] * by), *x.shape[axis + 1 :]))


def _split(op: str, x: TensorSpec, axis: int, parts: Expr) -> TensorSpec:
    shard = expand(x.shape[axis] / parts)
    if shard.is_Rational and not shard.is_Integer:
        message = f"{shown(x.shape[axis])} does not split into {shown(parts)} equal parts"
        raise ShapeError(op, message, (x.text,))
    return x.with_shape((*x.shape[:axis], shard, *x.shape[axis + 1 :]))
