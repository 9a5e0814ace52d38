"""Copying a graph with some regions of its ops joined into one op each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sympy import Expr

from symroof.errors import GraphError
from symroof.graph.block import Block
from symroof.graph.contractions import KEPT, Contraction, may_hold
from symroof.graph.graph import Graph
from symroof.graph.op import AttrPairs, Attrs, Op, OpKind, Signature
from symroof.graph.passes.boundary import Boundary, Plan, Region
from symroof.graph.repeat import Repeat, place_repeat
from symroof.graph.tensor import NamedTensor, Tensor, TensorSpec
from symroof.symbolic.symbols import symbol


class FusedKind(OpKind):
    """The kind of fused regions; their cost is made by the pass, from the ops they were."""

    name = "fused"
    count = "the sum of the FLOPs of its ops"
    source = "definition"

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        """Refuse: only a pass makes fused ops."""
        raise GraphError("a fused op is made by fusing ops of a graph")

    def cost(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> None:
        """Return nothing: the pass knows the cost."""

    def counted(self, attrs: Attrs) -> Iterable[Expr]:
        """Return the symbols that were counts in its ops and stand in no shape."""
        return [symbol(name) for name in attrs.get("counts", ())]

    def __reduce__(self) -> str:
        return "FUSED"


FUSED = FusedKind()


def rebuilt(graph: Graph, regions: Mapping[Block, Sequence[Region]]) -> Graph:
    """Return a copy of `graph` in which each region is one op.

    Names of tensors and ops are kept, automatic ones too.

    Raises
    ------
    GraphError
        If two regions wait for each other.
    """
    made = Graph(graph.name, flop_weights=graph.flop_weights, uncosted=graph.uncosted)
    made.about, made.mesh, made.plan = graph.about, graph.mesh, graph.plan
    Copier(made, regions).fill(graph, made)
    return made


def fused_attrs(
    ops: Iterable[str], counts: Iterable[str], contractions: tuple[Contraction, ...] | None
) -> AttrPairs:
    """Return the attributes of a fused op: the kinds of its ops, counts, and its contractions."""
    kinds = tuple(ops)
    attrs: AttrPairs = (("ops", kinds),)
    if counts := tuple(counts):
        attrs += (("counts", counts),)
    if contractions is not None and any(map(may_hold, kinds)):
        attrs += ((KEPT, contractions),)
    return attrs


class Copier:
    """Copies blocks into a new graph, regions as one op each; what it made is found by what was."""

    def __init__(self, graph: Graph, regions: Mapping[Block, Sequence[Region]]) -> None:
        self.graph = graph
        self.regions = regions
        self.tensors: dict[Tensor, Tensor] = {}
        self.storages: dict[Tensor, Tensor] = {}
        self.signatures: dict[Signature, Signature] = {}

    def fill(self, old: Block, new: Block) -> None:
        """Copy the leaves, the ops and the results of a block."""
        for leaf in old.leaves.values():
            made = new.leaf(leaf.name, leaf.shape, leaf.dtype, leaf.role, leaf.sharding)
            self.keep(leaf, made)
        plan = Plan(old, self.regions.get(old, ()))
        keys = {signature: key for key, signature in old.signatures.items()}
        for unit in plan.order():
            if isinstance(unit, Region):
                self.fuse(unit, plan, new)
            elif isinstance(unit, Repeat):
                self.repeat(unit, new)
            else:
                self.copy(unit, keys[unit.signature], new)
        for tensor in old.results:
            new.results[self.tensors[tensor]] = None
        new.carried = tuple(self.tensors[tensor] for tensor in old.carried)
        for tensor in old.captured:
            new.captured[self.tensors[tensor]] = None

    def keep(self, old: Tensor, new: Tensor) -> None:
        """Remember what a tensor has become."""
        self.tensors[old] = new
        self.storages.setdefault(old.storage, new.storage)

    def copy(self, old: Op, key: tuple[object, ...], new: Block) -> None:
        """Copy an op."""
        signature = self.signatures.get(old.signature)
        if signature is None:
            was = old.signature
            signature = Signature(was.kind, was.attrs, was.inputs, was.outputs, was.cost)
            self.signatures[was] = new.signatures[key] = signature
        self.add(signature, old.inputs, old.outputs, old.name, new)

    def repeat(self, old: Repeat, new: Block) -> None:
        """Copy a repeat and its body."""
        body = Block(old.body.name, new)
        body.graph = self.graph
        self.fill(old.body, body)
        body.active = False
        inputs = tuple(self.tensors[tensor] for tensor in old.inputs)
        made = place_repeat(new, body, old.times, inputs, old.carries)
        for before, after in zip(old.outputs, made.outputs, strict=True):
            self.keep(before, after)

    def fuse(self, region: Region, plan: Plan, new: Block) -> None:
        """Add a region as one op."""
        boundary = Boundary(region, plan)
        inputs, outputs = tuple(boundary.reads), tuple(boundary.writes)
        found = boundary.contractions
        attrs = fused_attrs((op.kind.name for op in region.ops), boundary.counts, found)
        cost = boundary.cost()
        specs = tuple(t.spec for t in inputs), tuple(t.spec for t in outputs)
        key = (FUSED, attrs, *specs, cost)
        signature = new.signatures.get(key)
        if signature is None:
            signature = new.signatures[key] = Signature(FUSED, attrs, *specs, cost)
        self.add(signature, inputs, outputs, region.name or region.ops[0].name, new)

    def add(
        self,
        signature: Signature,
        inputs: tuple[Tensor, ...],
        outputs: tuple[Tensor, ...],
        name: str,
        new: Block,
    ) -> None:
        """Add an op of a signature, with inputs and outputs as they were."""
        op = Op(signature, tuple(self.tensors[t] for t in inputs), len(new.op_list), name)
        made = []
        for old in outputs:
            tensor = self.output(old, op, new)
            self.keep(old, tensor)
            made.append(tensor)
        op.outputs = tuple(made)
        new.claim(op)
        if not signature.count:
            signature.first = op
        signature.count += 1
        new.op_list.append(op)

    def output(self, old: Tensor, op: Op, new: Block) -> Tensor:
        """Return what an output becomes."""
        # What was written in place into a result that stayed on chip, the fused op makes whole.
        base = None if old.base is None else self.storages.get(old.base)
        if op.kind is FUSED:
            made: Tensor = NamedTensor(old.spec, new, op, base, old.name)
            new.renamed[old.name] = made
        else:
            made = Tensor(old.spec, new, op, base)
        if base is not None and old.view is not None:
            made.placed = old.view.on(base)
        return made
