"""Collectives on the networks of a machine: topologies for those there are, phases over levels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from sympy import Expr

from symroof.errors import GraphError, InputError, SymroofError
from symroof.graph.block import MOST_LETTERS, Block
from symroof.graph.graph import Graph
from symroof.graph.op import AttrPairs, Attrs, Cost, Op, Signature
from symroof.graph.ops.collective_parts import LINK, ZERO, CollectiveKind
from symroof.graph.passes.rebuild import FUSED, Copier
from symroof.graph.tensor import NamedTensor, Tensor, TensorSpec
from symroof.network.collectives import Flow, flow
from symroof.network.hierarchical import hierarchical
from symroof.network.levels import Level, Phase
from symroof.network.names import Collective
from symroof.network.topology import Switch, Topology
from symroof.network.topology import topology as topology_of
from symroof.symbolic.exact import shown

Networks: TypeAlias = Callable[[str, Expr | None], Sequence[Level]]
"""The levels that a group of so many chips over a link lies on, the innermost first."""


class PhaseKind(CollectiveKind):
    """One phase of a collective over several levels; its volume is part of its attributes."""

    count = "0, link bytes only"
    source = "hierarchical: one phase at each level"

    def __init__(self, collective: Collective) -> None:
        self.name = collective.value
        self.collective = collective  # type: ignore[misc]

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        """Return the chip's tensor after it."""
        return (inputs[0].with_shape(attrs["shape"]),)

    def cost(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Cost:
        """Return link bytes alone."""
        made = _flow(self.collective, attrs["volume"], attrs)
        return Cost((), (ZERO,), (ZERO,), link_bytes=made.egress, link=attrs["link"])

    def __reduce__(self) -> tuple[Any, ...]:
        return phase_kind, (self.collective,)


_KINDS: dict[Collective, PhaseKind] = {}


def phase_kind(collective: Collective) -> PhaseKind:
    """Return the kind of the phases that run a collective."""
    if collective not in _KINDS:
        _KINDS[collective] = PhaseKind(collective)
    return _KINDS[collective]


def connect(graph: Graph, networks: Networks) -> Graph:
    """Return the graph with its collectives on the networks of a machine.

    A collective whose group lies on one level takes the topology there, if it does not state one.
    One that spans levels becomes phases, each an op over a link of its own: an all-reduce is a
    reduce-scatter inside, an all-reduce across of what is left, and an all-gather inside.

    Parameters
    ----------
    graph : Graph
        Of one chip; it is left as it is.
    networks : callable
        For a link and a group (None for an op that sends without one) the levels it lies on, the
        innermost first. Their names are those of the links.

    Returns
    -------
    Graph
        With the names of tensors and ops kept; phases add theirs.

    Raises
    ------
    InputError
        If a collective does not run on its topology, or is not composed over levels.

    Examples
    --------
    >>> from symroof import ops
    >>> from symroof.network import Level, Ring, Switch
    >>> g = Graph("sum")
    >>> _ = ops.all_reduce(g.input("x", ("V",), "int8"), group=16, link="X")
    >>> levels = Level("X_node", Switch(8), "450 GB/s"), Level("X_nodes", Switch(2), "50 GB/s")
    >>> [op.name for op in connect(g, lambda link, group: levels).ops]
    ['all_reduce_0.reduce_scatter', 'all_reduce_0.all_reduce', 'all_reduce_0.all_gather']
    >>> line = connect(g, lambda link, group: [Level(link, Ring(group), "100 GB/s")])
    >>> dict(line.ops[0].attrs)["topology"]
    'ring'
    """
    return _Connected.copy_of(graph, networks)


def flow_of(op: Op) -> Flow | None:
    """Return what a collective moves over its network; None for another op.

    Examples
    --------
    >>> from symroof import ops
    >>> g = Graph("g")
    >>> y = ops.all_gather(g.input("x", 4, "int8"), group=8, topology="ring")
    >>> flow_of(y.producer).hops
    4
    """
    kind, attrs = op.kind, Attrs(op.attrs)
    if not isinstance(kind, CollectiveKind) or "group" not in attrs:
        return None
    if isinstance(kind, PhaseKind):
        return _flow(kind.collective, attrs["volume"], attrs)
    volume = kind.volume(op.signature.inputs[0], op.signature.outputs[0])
    return _flow(kind.collective, volume, attrs)


def sends(op: Op) -> tuple[str, Expr | None] | None:
    """Return the link an op sends over and its group; None for an op that sends nothing.

    Examples
    --------
    >>> from symroof import ops
    >>> g = Graph("g")
    >>> y = ops.all_gather(g.input("x", 4, "int8"), group=8, link="X")
    >>> sends(y.producer)
    ('X', 8)
    """
    if isinstance(op.kind, CollectiveKind):
        attrs = Attrs(op.attrs)
        return attrs.get("link", LINK), attrs.get("group")
    return None if op.cost.link_bytes == 0 else (op.cost.link, None)


class _Connected(Copier):
    """Copies a graph; what sends is connected on the way."""

    networks: Networks

    @classmethod
    def copy_of(cls, graph: Graph, networks: Networks) -> Graph:
        """Return the copy."""
        made = Graph(graph.name, flop_weights=graph.flop_weights, uncosted=graph.uncosted)
        made.about, made.mesh, made.plan = graph.about, graph.mesh, graph.plan
        made.traffic = graph.traffic
        copier = cls(made, {})
        copier.networks = networks
        copier.fill(graph, made)
        return made

    def copy(self, old: Op, key: tuple[object, ...], new: Block) -> None:
        """Copy an op; collectives with their networks."""
        sent = sends(old)
        if sent is None:
            super().copy(old, key, new)
            return
        name = f"op {old.block.path + old.name!r}"
        levels = self.networks(*sent)
        try:
            if not isinstance(old.kind, CollectiveKind):
                _check_stated(old, levels)
                super().copy(old, key, new)
            elif len(levels) == 1:
                self.place(old, old.kind, key, levels[0], new)
            else:
                self.compose(old, old.kind, levels, new)
        except SymroofError as error:
            raise InputError(str(error), where=name) from None

    def place(
        self,
        old: Op,
        kind: CollectiveKind,
        key: tuple[object, ...],
        level: Level,
        new: Block,
    ) -> None:
        """Add a collective with the topology of its level."""
        attrs = old.attrs
        named = dict(attrs)
        if named.get("link", LINK) != level.name:
            attrs = (*((k, v) for k, v in attrs if k != "link"), ("link", level.name))
        if "topology" not in named and not isinstance(level.topology, Switch):
            if "group" not in named:
                attrs = (("group", level.topology.size), *attrs)
            attrs = (*attrs, ("topology", level.topology.name))
        if attrs == old.attrs:
            super().copy(old, key, new)
            return
        signature = _signature(kind, attrs, old.signature.inputs, old.signature.outputs, new)
        self.add(signature, old.inputs, old.outputs, old.name, new)

    def compose(self, old: Op, kind: CollectiveKind, levels: Sequence[Level], new: Block) -> None:
        """Add the phases of a collective over several levels."""
        named = Attrs(old.attrs)
        if "topology" in named:
            across = ", ".join(level.name for level in levels)
            raise GraphError(f"it states a topology, and spans {across}; leave it out")
        x, y = old.signature.inputs[0], old.signature.outputs[0]
        algorithm = named.get("algorithm")
        chosen = {level.name: algorithm for level in levels} if algorithm else None
        made = hierarchical(kind.collective, levels, kind.volume(x, y), chosen)
        source: Tensor = self.tensors[old.inputs[0]]
        last = len(made.phases) - 1
        for at, phase in enumerate(made.phases):
            shape = y.shape if at == last else x.shape
            attrs = _phase_attrs(phase, shape, algorithm)
            source = self._add_phase(phase, attrs, source, old, new, is_last=at == last)
        self.keep(old.outputs[0], source)

    def _add_phase(
        self, phase: Phase, attrs: AttrPairs, x: Tensor, old: Op, new: Block, *, is_last: bool
    ) -> Tensor:
        kind = phase_kind(phase.flow.collective)
        outputs = kind.infer((x.spec,), Attrs(attrs))
        signature = _signature(kind, attrs, (x.spec,), outputs, new)
        op = Op(signature, (x,), len(new.op_list), _free(old, kind.name, new))
        spec = signature.outputs[0]
        made: Tensor = Tensor(spec, new, op)
        if is_last:  # it keeps the name that the result of the collective has
            made = NamedTensor(spec, new, op, None, old.outputs[0].name)
            new.renamed[made.name] = made
        op.outputs = (made,)
        new.claim(op)
        if not signature.count:
            signature.first = op
        signature.count += 1
        new.op_list.append(op)
        return made


def _signature(
    kind: CollectiveKind,
    attrs: AttrPairs,
    inputs: tuple[TensorSpec, ...],
    outputs: tuple[TensorSpec, ...],
    new: Block,
) -> Signature:
    """Return the one signature that a block has for such an op."""
    key = (kind, attrs, *inputs)
    signature = new.signatures.get(key)
    if signature is None:
        cost = kind.cost(inputs, outputs, Attrs(attrs))
        signature = new.signatures[key] = Signature(kind, attrs, inputs, outputs, cost)
    return signature


def _phase_attrs(phase: Phase, shape: tuple[Expr, ...], algorithm: str | None) -> AttrPairs:
    level = phase.level
    attrs: AttrPairs = (
        ("group", level.topology.size),
        ("link", level.name),
        ("topology", level.topology.name),
        ("volume", phase.flow.volume),
        ("shape", shape),
    )
    return attrs if algorithm is None else (*attrs, ("algorithm", algorithm))


def _flow(collective: Collective, volume: Expr, attrs: Attrs) -> Flow:
    n = attrs["group"]
    place: Topology = topology_of(attrs["topology"], n) if "topology" in attrs else Switch(n)
    return flow(collective, place, volume, attrs.get("algorithm"))


def _check_stated(old: Op, levels: Sequence[Level]) -> None:
    """Refuse link bytes that are stated, where the network decides how many there are."""
    if len(levels) > 1:
        across = ", ".join(level.name for level in levels)
        raise GraphError(f"it states its link bytes, and {old.cost.link} spans {across}")
    if old.kind is FUSED and not isinstance(levels[0].topology, Switch):
        place = levels[0].topology
        raise GraphError(
            f"a fused op sends over {old.cost.link}, a {place.title}; fuse after, not before"
            f" ({shown(old.cost.link_bytes, 60)} byte are those of a switch)"
        )


def _free(old: Op, kind: str, new: Block) -> str:
    base = f"{old.name[: MOST_LETTERS // 2]}.{kind}"
    name = base
    number = 2
    while new.has(name) or old.block.has(name):
        name, number = f"{base}_{number}", number + 1
    return name
