"""The least that a fused step moves: weights once per product, caches once, nothing in between."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TypeAlias

from symroof.errors import GraphError, InputError
from symroof.graph.block import Block
from symroof.graph.graph import Graph
from symroof.graph.op import ZERO, Cost, Op, Signature
from symroof.graph.origins import Origins
from symroof.graph.passes.rebuild import FUSED, Copier
from symroof.graph.repeat import Repeat
from symroof.graph.storage import Access, Region, union
from symroof.graph.tensor import Role, Tensor

WEIGHTS_AND_CACHES = "weights+kv"
STAYS = frozenset({Role.WEIGHT, Role.CACHE})

Kept: TypeAlias = tuple[tuple[bool, ...], tuple[bool, ...]]
"""Which read ports and which write ports of an op keep their bytes."""


def weights_and_caches(graph: Graph) -> Graph:
    """Return a new graph in which only weights and caches move, as if all else stayed on chip.

    - An op reads the weights and caches it takes; inputs and what other ops made cost nothing. Rows
      of a weight that `gather` picks cost nothing either: they are as small as activations.
    - Each byte of a cache moves once. What is appended to one that is read afterwards is not
      counted: S tokens are S - 1 that are read and one that is written. A state that is read and
      then overwritten moves twice, however often the new one is read.
    - FLOPs are those of products, attention and reductions; elementwise ops and normalisations
      ride along and count none.
    - Link bytes stay. A gathered weight is read as a weight. Bytes stated for a `custom` op stay.

    Bodies of repeats are treated alike: every iteration reads its own weights and caches, and the
    outer ones again. The `traffic` of the result is "weights+kv".

    Parameters
    ----------
    graph : Graph
        Not fused, of one chip or not sharded; it is left as it is.

    Returns
    -------
    Graph
        With the names of tensors and ops kept.

    Raises
    ------
    GraphError
        If an op is fused: its FLOPs are no longer told apart.

    Examples
    --------
    >>> from symroof import ops
    >>> g = Graph("decode")
    >>> x = g.input("x", ("B", "D"), "bf16") @ g.weight("w", ("D", "D"), "bf16")
    >>> new = ops.reshape(ops.relu(x), ("B", 1, 1, "D"))
    >>> k = ops.cache_append(g.cache("k", ("B", 1, "S", "D"), "bf16"), new)
    >>> y = ops.attention(new, k, k)
    >>> least = weights_and_caches(g)
    >>> print(g.bytes, "|", least.bytes, "|", least.traffic)
    (2*B*D*S + 16*B*D + 2*D**2) byte | (2*B*D*S + 2*D**2) byte | weights+kv
    >>> print(g.flops, "|", least.flops)
    (2*B*D**2 + 4*B*D*S + B*D) FLOP | (2*B*D**2 + 4*B*D*S) FLOP
    """
    if not isinstance(graph, Graph):
        raise InputError(
            f"expected a Graph, not {type(graph).__name__}", where="weights_and_caches"
        )
    for block in graph.blocks():
        for op in block.op_list:
            if op.kind is FUSED:
                raise GraphError(
                    f"weights_and_caches: op {block.path + op.name!r} is fused;"
                    " give the graph as it was before"
                )
    made = Graph(graph.name, flop_weights=graph.flop_weights, uncosted=graph.uncosted)
    made.about, made.mesh, made.plan = graph.about, graph.mesh, graph.plan
    made.traffic = WEIGHTS_AND_CACHES
    _Counted(made, _Moves(graph).kept).fill(graph, made)
    return made


class _Counted(Copier):
    """Copies a graph; costs on the way become those of weights and caches."""

    def __init__(self, graph: Graph, kept: dict[Op, Kept]) -> None:
        super().__init__(graph, {})
        self.kept = kept
        self.counted: dict[tuple[Signature, Kept], Signature] = {}

    def copy(self, old: Op, key: tuple[object, ...], new: Block) -> None:
        """Copy an op with what is left of its cost."""
        kept = self.kept.get(old)
        if kept is None:
            super().copy(old, key, new)
            return
        was = old.signature
        signature = self.counted.get((was, kept))
        if signature is None:
            cost = _left(was, kept)
            signature = Signature(was.kind, was.attrs, was.inputs, was.outputs, cost)
            self.counted[was, kept] = new.signatures[*key, WEIGHTS_AND_CACHES, kept] = signature
        self.add(signature, old.inputs, old.outputs, old.name, new)


def _left(signature: Signature, kept: Kept) -> Cost:
    cost = signature.cost
    reads, writes = kept
    return replace(
        cost,
        flops=() if signature.kind.rides_along else cost.flops,
        reads=tuple(n if keep else ZERO for n, keep in zip(cost.reads, reads, strict=True)),
        writes=tuple(n if keep else ZERO for n, keep in zip(cost.writes, writes, strict=True)),
    )


@dataclass(frozen=True, slots=True)
class _Written:
    """What an op wrote in place into a weight or a cache."""

    tensor: Tensor
    regions: tuple[Region, ...]
    op: Op
    port: int
    full: bool


class _Meet(Enum):
    """How what was written lies to what is read."""

    COVERS = "covers"
    APART = "apart"
    OVERLAPS = "overlaps"


class _Moves:
    """Walks the ops in their order, and finds which of their bytes are those of weights and caches.

    Attributes
    ----------
    kept : dict of Op to Kept
        For every op that is neither a view nor a repeat.
    """

    def __init__(self, graph: Graph) -> None:
        self.origins = Origins(graph)
        self.kept: dict[Op, Kept] = {}
        self.written: dict[Tensor, list[_Written]] = {}
        self.walk(graph)

    def walk(self, block: Block) -> None:
        """Find what the ops of a block move."""
        for op in block.op_list:
            if isinstance(op, Repeat):
                self.walk(op.body)
            elif not op.kind.view:
                reads = tuple([self.reads(op, port) for port in range(len(op.inputs))])
                writes = tuple([self.writes(op, port) for port in range(len(op.outputs))])
                self.kept[op] = reads, writes

    def reads(self, op: Op, port: int) -> bool:
        """Return whether a port reads a weight or a cache as it was before."""
        tensor = op.inputs[port]
        if op.cost.reads[port] == 0:
            return False
        role = self.origins.role(tensor)
        if role not in STAYS or (role is Role.WEIGHT and port == 0 and op.kind.name == "gather"):
            return False
        storage, regions = self.origins.place(tensor)
        parts = []
        for one in self.written.get(storage, ()):
            meet = _meet(one, tensor, regions)
            if meet is _Meet.COVERS and one.full:
                return False
            if meet is not _Meet.APART:
                parts.append(one)
        # Parts are read with the rest: to count their writes too would be to count them twice.
        for one in parts:
            self.drop(one)
        return True

    def writes(self, op: Op, port: int) -> bool:
        """Return whether a port writes into a weight or a cache, or moves what is stated."""
        tensor, amount = op.outputs[port], op.cost.writes[port]
        if op.kind.name == "custom" and "bytes" in dict(op.attrs):
            return True
        if amount == 0 or tensor.base is None:
            return False
        storage, regions = self.origins.place(tensor)
        if self.origins.role(storage) not in STAYS:
            return False
        full = amount == tensor.spec.bytes
        known = self.written.setdefault(storage, [])
        if full:
            for one in known:
                if one.regions == regions:
                    self.drop(one)
        known.append(_Written(tensor, regions, op, port, full))
        return True

    def drop(self, one: _Written) -> None:
        """Let a write cost nothing."""
        reads, writes = self.kept[one.op]
        self.kept[one.op] = reads, (*writes[: one.port], False, *writes[one.port + 1 :])


def _meet(one: _Written, tensor: Tensor, regions: tuple[Region, ...]) -> _Meet:
    if not one.regions or one.regions == regions:
        return _Meet.COVERS
    if one.tensor.storage is not tensor.storage:
        return _Meet.OVERLAPS
    mine, other = one.tensor.spec.bytes, tensor.spec.bytes
    accesses = [Access(one.tensor.region, mine, True), Access(tensor.region, other, True)]
    both = union(accesses, tensor.storage.spec.bytes)
    if both == mine:
        return _Meet.COVERS
    return _Meet.APART if both == mine + other else _Meet.OVERLAPS
