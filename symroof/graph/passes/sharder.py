"""The walk over a graph that makes the graph of one chip, op by op."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from symroof.errors import GraphError, UnknownNameError
from symroof.graph.block import Block
from symroof.graph.graph import Graph
from symroof.graph.indices import Indices
from symroof.graph.mesh import Mesh
from symroof.graph.op import AttrPairs, Attrs, Op, OpKind, apply, apply_all
from symroof.graph.passes.expert_parallel import holds_experts, run_experts
from symroof.graph.passes.holdings import Held, Value
from symroof.graph.passes.mover import Mover
from symroof.graph.passes.rebuild import FUSED
from symroof.graph.registry import op as registered
from symroof.graph.repeat import Repeat
from symroof.graph.sharding.cases import case_of, described
from symroof.graph.sharding.choose import (
    Decision,
    Fetch,
    Operand,
    Prefer,
    Problem,
    decide,
)
from symroof.graph.sharding.layout import Layout, on_mesh
from symroof.graph.sharding.plan import Plan, Sent, Step
from symroof.graph.sharding.prices import Prices, prices_of
from symroof.graph.sharding.reading import read_sharding
from symroof.graph.tensor import Leaf, Role, Tensor
from symroof.readonly import ReadOnly


def sharded(
    graph: Graph,
    mesh: Mesh,
    outputs: Mapping[str, Any],
    bandwidth: Mapping[str, Any] | None,
    sizes: Mapping[str, Any] | None,
    prefer: str | None,
    reuse: bool,
) -> Graph:
    """Return the graph of one chip; see `shard`."""
    prices = prices_of(mesh, bandwidth, sizes)
    wanted = dict(_wanted(graph, mesh, name, given) for name, given in outputs.items())
    how = _prefer(prefer)
    plain = Sharder(graph, prices, wanted, prefer=how, reuse=reuse)
    made = plain.run()
    if plain.spent and how is not Prefer.WORK:
        # The results are to lie as they do in the plain plan: only the way to them differs.
        aims = plain.outputs | wanted
        spread = Sharder(graph, prices, aims, prefer=how, reuse=reuse, spread=True)
        other = spread.run()
        before, after = plain.time, spread.time
        if prices.at_most(after, before) and not prices.at_most(before, after):
            return other
    return made


class Sharder(Mover):
    """Builds the graph of one chip.

    Parameters
    ----------
    graph : Graph
    prices : Prices
    wanted : mapping of Tensor to Layout
        What tensors are to be brought to.
    prefer : Prefer or None
    reuse : bool
    spread : bool
        Try to spread the work of every op over axes that are idle there, not only of an op whose
        result is wanted in a layout.

    Attributes
    ----------
    outputs : dict of Tensor to Layout
        How outputs, and results nothing reads, are left.
    """

    def __init__(
        self,
        graph: Graph,
        prices: Prices,
        wanted: Mapping[Tensor, Layout],
        *,
        prefer: Prefer | None,
        reuse: bool,
        spread: bool = False,
    ) -> None:
        super().__init__(graph, prices, reuse=reuse)
        self.wanted = wanted
        self.prefer = prefer
        self.spread = spread
        self.outputs: dict[Tensor, Layout] = {}

    def run(self) -> Graph:
        """Return the graph of one chip, with its plan."""
        self.block(self.graph, {})
        for tensor in self.graph.results:
            held = self.settled(Value.of(tensor))
            self.outputs[tensor] = held.layout
            self.made.output(held.local)
        self.made.about, self.made.traffic = self.graph.about, self.graph.traffic
        named = {t.block.path + t.name: layout for t, layout in self.outputs.items()}
        self.made.plan = Plan(self.mesh, ReadOnly(self.splits), tuple(self.steps), ReadOnly(named))
        return self.made

    def block(self, old: Block, entries: Mapping[Tensor, Held]) -> None:
        """Add the leaves and ops of a block."""
        self.scopes.append({tensor: [held] for tensor, held in entries.items()})
        for tensor in entries:
            self.bring(tensor)
        for leaf in old.leaves.values():
            if leaf not in entries:
                self.leaf(leaf)
        for op in old.op_list:
            if isinstance(op, Repeat):
                self.repeat(op)
            elif op.kind is FUSED:
                raise GraphError(f"shard: op {op.name!r} is fused; shard the graph, then fuse")
            else:
                self.op(op)
        read = {tensor for op in old.op_list for tensor in op.inputs}
        for op in old.op_list:
            for tensor in op.outputs:
                if tensor not in read:
                    self.outputs[tensor] = self.settled(Value.of(tensor)).layout

    def leaf(self, leaf: Leaf) -> None:
        """Add a tensor that no op makes, as one chip holds it."""
        dims = leaf.sharding or ((),) * leaf.spec.rank
        layout = on_mesh(dims, leaf.spec, self.mesh, f"sharding of {leaf.name}")
        spec = layout.local(leaf.spec, self.mesh)
        local = self.made.current.leaf(leaf.name, spec.shape, spec.dtype, leaf.role)
        self.put(Value.of(leaf), Held(layout, local))
        self.bring(leaf)

    def bring(self, tensor: Tensor) -> None:
        """Bring a tensor that is there to the layout it is wanted in, if it is."""
        if tensor in self.wanted:
            self.settled(Value.of(tensor), self.wanted[tensor])

    def repeat(self, old: Repeat) -> None:
        """Add a repeat; what it carries keeps the layout in which it goes in."""
        starts = [self.settled(Value.of(tensor)) for tensor in old.inputs[: old.carries]]
        carried = [leaf for leaf in old.body.leaves.values() if leaf.role is Role.ACTIVATION]

        def body(*entries: Tensor) -> tuple[Tensor, ...]:
            outer = self.path, self.times
            self.path, self.times = f"{self.path}{old.name}/", self.times * old.times
            held: dict[Tensor, Held] = {
                leaf: Held(start.layout, entry)
                for leaf, start, entry in zip(carried, starts, entries, strict=True)
            }
            self.block(old.body, held)
            results = tuple(
                self.settled(Value.of(tensor), start.layout).local
                for tensor, start in zip(old.body.carried, starts, strict=True)
            )
            self.scopes.pop()
            self.path, self.times = outer
            return results

        carry = tuple(start.local for start in starts)
        outputs = self.made.repeat(old.name, old.times, body, carry)
        for tensor, start, local in zip(old.outputs, starts, outputs, strict=True):
            self.put(Value.of(tensor), Held(start.layout, local))
            self.bring(tensor)

    def op(self, old: Op) -> None:
        """Add an op and the moves around it."""
        inputs = [Value.of(tensor) for tensor in old.inputs]
        outputs = [Value.of(tensor) for tensor in old.outputs]
        wanted = self.wanted.get(old.outputs[0])
        if old.kind.name == "experts" and holds_experts(self, inputs):
            run_experts(self, old, inputs, outputs[0], wanted)
            return
        target = _target(old)
        home = None if target is None else self.find(Value.of(target))[0].layout
        kept = home if home is not None and not home.unreduced else None
        problem = self.problem(old.kind, old.attrs, inputs, outputs, wanted, kept)
        decision = self.decide(problem)
        if old.kind.name == "linear" and len(inputs) == 3 and _sums(decision, problem):
            self.biased(old, inputs, outputs[0], wanted)
            return
        out = None if target is None else Value.of(target)
        self.add(old.kind, old.attrs, inputs, outputs, problem, decision, old.name, out)
        for tensor in old.outputs[1:]:
            self.bring(tensor)

    def biased(self, old: Op, inputs: list[Value], output: Value, wanted: Layout | None) -> None:
        """Add a linear layer with partial sums as a product, their sum, and the bias."""
        named = f"{old.name}.product"
        product = Value((old, "product"), output.spec, named, weight=False)
        # The bias needs the whole sum, in the layout that is wanted of it: the product goes there.
        first = self.problem(old.kind, old.attrs, inputs[:2], [product], wanted, None)
        attrs: AttrPairs = old.attrs
        self.add(old.kind, attrs, inputs[:2], [product], first, self.decide(first), named, None)
        add = registered("add")
        operands = [product, inputs[2]]
        second = self.problem(add, (), operands, [output], wanted, None)
        self.add(add, (), operands, [output], second, self.decide(second), old.name, None)

    def problem(
        self,
        kind: OpKind,
        attrs: AttrPairs,
        inputs: Sequence[Value],
        outputs: Sequence[Value],
        wanted: Layout | None,
        kept: Layout | None,
    ) -> Problem:
        """Return what there is to decide for an op."""
        specs = tuple(value.spec for value in inputs)
        results = tuple(value.spec for value in outputs)
        indices = kind.indices(specs, results, Attrs(attrs))
        if indices is None:
            indices = Indices.opaque([s.rank for s in specs], [s.rank for s in results])
        keys = [value.key for value in inputs]
        operands = tuple(
            Operand(
                value.spec,
                tuple(held.layout for held in self.find(value)),
                value.weight,
                keys.index(value.key),
            )
            for value in inputs
        )
        return Problem(kind.name, indices, operands, results, wanted, kept)

    def decide(self, problem: Problem) -> Decision:
        """Return the decision; equal problems are decided once."""
        return _decided(problem, self.prices, self.prefer, self.spread)

    def add(
        self,
        kind: OpKind,
        attrs: AttrPairs,
        inputs: Sequence[Value],
        outputs: Sequence[Value],
        problem: Problem,
        decision: Decision,
        name: str,
        out: Value | None,
    ) -> None:
        """Add an op as decided: operands are moved, the op runs, the result goes where wanted."""
        choice = decision.choice
        sent: list[Sent] = []
        found = [self.find(value) for value in inputs]
        locals_ = tuple(
            self.fetched(value, held, fetch, sent)
            for value, held, fetch in zip(inputs, found, choice.fetches, strict=True)
        )
        specs = tuple(value.spec for value in inputs)
        parts = tuple(local.spec for local in locals_)
        made = tuple(
            layout.local(value.spec, self.mesh)
            for value, layout in zip(outputs, choice.results, strict=True)
        )
        named = kind.local_attrs(attrs, specs, parts, made)
        if len(outputs) == 1:
            place = None if out is None else self.there(out, choice.results[0])
            results: tuple[Tensor, ...] = (apply(kind, locals_, named, name, place),)
        else:
            results = apply_all(kind, locals_, named, name)
        for value, layout, local, spec in zip(outputs, choice.results, results, made, strict=True):
            if local.spec is not spec:
                raise GraphError(
                    f"shard: op {name!r} makes {local.spec.text} on a chip, not {spec.text}"
                )
            self.put(value, Held(layout, local))
        names = [value.name for value in inputs]
        last = choice.results[0]
        if problem.wanted is not None:
            last = self.settled(outputs[0], problem.wanted, sent).layout
        self.steps.append(
            Step(
                op=self.path + name,
                reads=tuple(
                    held[fetch.source].layout.text(value.spec.shape, value.name)
                    for value, held, fetch in zip(inputs, found, choice.fetches, strict=True)
                ),
                makes=choice.results[0].text(problem.results[0].shape),
                becomes=last.text(problem.results[0].shape),
                cases=tuple(
                    case_of(axis, problem, choice, names, sent)
                    for axis in self.mesh.names
                    if axis in dict(choice.placing) or any(one.move.axis == axis for one in sent)
                ),
                sent=tuple(sent),
                ground=decision.ground.value,
                open=tuple(described(other, names, self.prices.unit) for other in decision.open),
            )
        )

    def fetched(self, value: Value, held: list[Held], fetch: Fetch, sent: list[Sent]) -> Tensor:
        """Return what a chip holds of a value in the layout an op needs."""
        there = self.there(value, fetch.target)
        if there is not None:
            return there
        return self.moved(value, held[fetch.source], fetch.route, sent).local


@lru_cache(maxsize=4096)
def _decided(problem: Problem, prices: Prices, prefer: Prefer | None, spread: bool) -> Decision:
    return decide(problem, prices, prefer, spread=spread)


def _sums(decision: Decision, problem: Problem) -> bool:
    return any(place in problem.indices.summed for _, place in decision.choice.placing)


def _target(op: Op) -> Tensor | None:
    """Return the tensor that an op writes over: an operand, or what the storage was made as."""
    made = op.outputs[0]
    if made.base is None or op.kind.view:
        return None
    for tensor in (*op.inputs, made.storage):
        alike = tensor.storage is made.storage and tensor.region == made.region
        if alike and tensor.spec is made.spec:
            return tensor
    return None


def _wanted(graph: Graph, mesh: Mesh, name: str, given: Any) -> tuple[Tensor, Layout]:
    tensor = graph.tensor(name)
    where = f"sharding of {name}"
    return tensor, on_mesh(read_sharding(given, tensor.shape, where), tensor.spec, mesh, where)


def _prefer(given: str | None) -> Prefer | None:
    if given is None:
        return None
    known = {member.value: member for member in Prefer}
    if given not in known:
        raise UnknownNameError("preference", str(given), known)
    return known[given]
