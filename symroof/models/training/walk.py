"""The walk that makes a training step: the graph forward, then backward from its results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sympy import Expr, Integer

from symroof import ops
from symroof.errors import GraphError
from symroof.graph import Graph, Role, Tensor
from symroof.graph.block import Block
from symroof.graph.op import Attrs, Op, apply_all
from symroof.graph.ops.backward import BACKWARD_MAP
from symroof.graph.ops.collective_parts import LINK, CollectiveKind
from symroof.graph.passes.boundary import origin
from symroof.graph.registry import FUNCTIONS
from symroof.graph.repeat import Repeat
from symroof.graph.tensor import Leaf
from symroof.models.training.forward import (
    Forward,
    Scope,
    entries_of,
    is_attention,
    plain_name,
)
from symroof.models.training.gradients import ATTENTION, SAME, backward_of, sum_of

DUALS = {"all_gather": "reduce_scatter", "reduce_scatter": "all_gather"}
"""Collectives whose backward is another one; all others are their own."""


class Step(Forward):
    """Makes the graph of a training step.

    Parameters
    ----------
    graph : Graph
        The forward.
    full, selective : bool
        What runs again.
    axes : mapping of str to Expr
        Over which gradients of weights are summed.

    Attributes
    ----------
    made : Graph
        The step.
    """

    def __init__(
        self, graph: Graph, *, full: bool, selective: bool, axes: Mapping[str, Expr]
    ) -> None:
        super().__init__(graph, selective=selective)
        self.again = full
        self.axes = axes
        self.scattered: dict[Tensor, set[str]] = {}
        self.run()

    def run(self) -> None:
        """Add the forward, then the backward."""
        scope = self.scopes[0]
        self.leaves(scope)
        for op in self.graph.op_list:
            self.forward(op)
        for tensor in self.graph.results:
            self.made.output(scope.values[tensor])
        if self.selective:
            kept = scope.values.items()
            scope.values = {t: new for t, new in kept if not is_attention(origin(t))}
        elif self.again and not self.graph.repeats:
            scope.values = {t: new for t, new in scope.values.items() if t.producer is None}
            for op in self.graph.op_list:
                self.forward(op, ".again")
        self.backward(self.graph)
        for leaf in self.graph.leaves.values():
            found = self.taken(leaf)
            if found is not None:
                self.made.output(self.summed(leaf, found))

    def start(self, block: Block) -> None:
        """Give outputs and what nothing reads their gradients, which come from elsewhere."""
        read = {tensor for op in block.op_list for tensor in op.inputs} | set(block.carried)
        outputs = block.results if block is self.graph else {}
        for tensor in (tensor for op in block.op_list for tensor in op.outputs):
            ends = tensor in outputs or tensor not in read
            if ends and self.trained(tensor) and self.origins.role(tensor) is not Role.CACHE:
                name = self.free(f"{plain_name(tensor)}.gradient")
                self.give(tensor, self.made.input(name, tensor.shape, tensor.dtype))

    def backward(self, block: Block) -> None:
        """Add the backward of a block, from its last op to its first."""
        self.start(block)
        for op in reversed(block.op_list):
            given = [self.taken(tensor) for tensor in op.outputs]
            if all(gradient is None for gradient in given):
                continue
            if isinstance(op, Repeat):
                self.repeat(op, given)
            elif isinstance(op.kind, CollectiveKind):
                self.collective(op, op.kind, given[0])
            elif op.kind.view:
                self.view(op, given[0])
            elif op.kind.name == "concat":
                self.concat(op, given[0])
            else:
                self.op(op, given)

    def op(self, op: Op, given: Sequence[Tensor | None]) -> None:
        """Add the backward of an op that computes."""
        if self.selective and op.kind.name in ATTENTION:
            self.value(op.outputs[0])
        wanted = [tensor for tensor in dict.fromkeys(op.inputs) if self.trained(tensor)]
        if op.kind.name in SAME and given[0] is not None:
            spec = op.outputs[0].spec
            for tensor in op.inputs:
                if tensor in wanted and tensor.spec is spec:
                    self.give(tensor, given[0])
            wanted = [tensor for tensor in wanted if tensor.spec is not spec]
        if not wanted:
            return
        self.note_travelled(op)
        there = [
            (tensor, gradient)
            for tensor, gradient in zip(op.outputs, given, strict=True)
            if gradient is not None
        ]
        found = backward_of(op, wanted, [tensor for tensor, _ in there])
        operands = [self.value(tensor) for tensor in found.needs]
        operands += [gradient for _, gradient in there]
        name = self.free(f"{op.name}.backward")
        made = apply_all(found.kind, tuple(operands), found.attrs, name)
        for tensor, gradient in zip(wanted, made, strict=True):
            self.give(tensor, gradient)

    def note_travelled(self, op: Op) -> None:
        """Remember weights that stay on their chips while tokens travel to them, as of experts.

        Each of them sees the tokens of all chips of that axis, so its gradient is whole.
        """
        makers = (origin(tensor).producer for tensor in op.inputs)
        links = {
            dict(maker.attrs).get("link", LINK)
            for maker in makers
            if maker is not None and maker.kind.name == "all_to_all"
        }
        for tensor in op.inputs if links else ():
            if self.origins.role(tensor) is Role.WEIGHT:
                self.scattered.setdefault(self.origins.storage(tensor), set()).update(links)

    def view(self, op: Op, given: Tensor | None) -> None:
        """Look at the gradient of a view as its operand was, or keep it as part of that."""
        (x,) = op.inputs
        if given is None or not self.trained(x):
            return
        if op.kind.name == "reshape":
            self.give(x, ops.reshape(given, x.shape))
        elif op.kind.name == "transpose":
            axes = Attrs(op.attrs)["axes"]
            back = tuple(axes.index(axis) for axis in range(len(axes)))
            self.give(x, ops.transpose(given, back))
        else:
            self.give(x, given, part=True)

    def concat(self, op: Op, given: Tensor | None) -> None:
        """Give each operand its part of the gradient."""
        assert given is not None
        axis = Attrs(op.attrs)["axis"] % given.spec.rank
        start: Expr = Integer(0)
        for tensor in op.inputs:
            stop = start + tensor.shape[axis]
            if self.trained(tensor):
                key = (slice(None),) * axis + (slice(start, stop),)
                self.give(tensor, ops.slice(given, key))
            start = stop

    def collective(self, op: Op, kind: CollectiveKind, given: Tensor | None) -> None:
        """Send the gradient back the way the tensor came."""
        (x,) = op.inputs
        if given is None or not self.trained(x):
            return
        attrs = dict(op.attrs)
        if "volume" in attrs:
            raise GraphError(
                f"training_step: op {op.name!r} is a phase on a network; give the graph as it was"
                " before it was placed on one"
            )
        if "split_axis" in attrs:
            attrs |= {"split_axis": attrs["concat_axis"], "concat_axis": attrs["split_axis"]}
        dual = DUALS.get(kind.name, kind.name)
        if kind.name == "all_gather" and self.origins.role(x) is Role.WEIGHT:
            self.scattered.setdefault(self.origins.storage(x), set()).add(attrs.get("link", LINK))
        name = self.free(f"{op.name}.backward")
        self.give(x, FUNCTIONS[dual](given, name=name, **attrs))

    def repeat(self, op: Repeat, given: Sequence[Tensor | None]) -> None:
        """Add the repeat of the backward; gradients of outer tensors add up as it runs."""
        places = [k for k in range(op.carries) if self.trained(op.outputs[k])]
        entering = [
            gradient if (gradient := given[k]) is not None else ops.fill(self.value(op.outputs[k]))
            for k in places
        ]
        shared = []
        for tensor in op.body.captured:
            seen = self.value(tensor)
            if self.trained(tensor) and self.origins.role(tensor) is not Role.INPUT:
                shared.append(tensor)
                entering.append(ops.fill(seen))
        entries = entries_of(op)

        def body(*gradients: Tensor) -> tuple[Tensor, ...]:
            scope = Scope(op.body)
            self.scopes.append(scope)
            for k, gradient in zip(places, gradients, strict=False):
                self.give(op.body.carried[k], gradient)
            again, self.again = self.again, False
            if again:
                for inner in op.body.op_list:
                    self.forward(inner)
            self.backward(op.body)
            for leaf in op.body.leaves.values():
                if leaf.role is Role.WEIGHT and (found := self.taken(leaf)) is not None:
                    self.summed(leaf, found)
            results = []
            for k, entered in zip(places, gradients, strict=False):
                found = self.taken(entries[k])
                results.append(ops.fill(entered) if found is None else found)
            for tensor, sum_so_far in zip(shared, gradients[len(places) :], strict=True):
                for found in scope.outward.get(tensor, ()):
                    sum_so_far = ops.add(sum_so_far, found)
                results.append(sum_so_far)
            self.again = again
            self.scopes.pop()
            return tuple(results)

        made = self.made.repeat(self.free(f"{op.name}.backward"), op.times, body, tuple(entering))
        for k, gradient in zip(places, made, strict=False):
            self.give(op.inputs[k], gradient)
        for tensor, gradient in zip(shared, made[len(places) :], strict=True):
            self.give(tensor, gradient)

    def give(self, tensor: Tensor, gradient: Tensor, *, part: bool = False) -> None:
        """Remember a gradient of a tensor, or of a part of it."""
        scope = self.scopes[-1]
        if tensor.block is not scope.block:
            scope.outward.setdefault(tensor, []).append(gradient)
            return
        kept = scope.parts if part else scope.wholes
        kept.setdefault(tensor, []).append(gradient)

    def taken(self, tensor: Tensor) -> Tensor | None:
        """Return the gradient of a tensor of the open block, added up; None if it has none."""
        scope = self.scopes[-1]
        wholes, parts = scope.wholes.pop(tensor, []), scope.parts.pop(tensor, [])
        if not parts and len(wholes) < 2:
            return wholes[0] if wholes else None
        attrs = sum_of(tensor, len(wholes), parts, tensor.dtype.key)
        name = self.free(f"{plain_name(tensor)}.gradient")
        (made,) = apply_all(BACKWARD_MAP, (*wholes, *parts), attrs, name)
        return made

    def summed(self, leaf: Leaf, gradient: Tensor) -> Tensor:
        """Return the gradient of a weight, summed over the axes where copies of it are trained."""
        if leaf.role is not Role.WEIGHT:
            return gradient
        for axis, size in self.axes.items():
            if axis not in self.scattered.get(leaf, ()):
                name = self.free(f"{leaf.name}.gradient.{axis}")
                gradient = ops.all_reduce(gradient, group=size, link=axis, name=name)
        return gradient
