"""The forward of a training step: run once, and again where its backward needs it."""

from __future__ import annotations

from sympy import Expr

from symroof import ops
from symroof.graph import Graph, Role, Tensor
from symroof.graph.block import MOST_LETTERS, Block
from symroof.graph.op import Op, apply, apply_all
from symroof.graph.origins import Origins
from symroof.graph.passes.boundary import origin
from symroof.graph.repeat import Repeat
from symroof.graph.tensor import Leaf
from symroof.models.training.gradients import ATTENTION, has_gradient


class Scope:
    """A block of the forward on the way back: what is there of it, and gradients so far.

    Attributes
    ----------
    block : Block
        Of the graph that was given.
    values : dict of Tensor to Tensor
        Tensors of the block that are there, or have been computed again.
    wholes, parts : dict of Tensor to list of Tensor
        Gradients of tensors of the block, and of parts of them.
    outward : dict of Tensor to list of Tensor
        Gradients of tensors of blocks around it, of one iteration.
    """

    def __init__(self, block: Block) -> None:
        self.block = block
        self.values: dict[Tensor, Tensor] = {}
        self.wholes: dict[Tensor, list[Tensor]] = {}
        self.parts: dict[Tensor, list[Tensor]] = {}
        self.outward: dict[Tensor, list[Tensor]] = {}


class Forward:
    """Adds ops of a graph to another one, and finds their results there later.

    Parameters
    ----------
    graph : Graph
        Is left as it is.
    selective : bool
        Whether results of attention are computed again where they are needed.

    Attributes
    ----------
    made : Graph
        What is added to.
    scopes : list of Scope
        The open block of `graph` and those around it.
    """

    def __init__(self, graph: Graph, *, selective: bool) -> None:
        self.graph = graph
        self.selective = selective
        self.origins = Origins(graph)
        self.stacks: dict[Tensor, Tensor] = {}
        self.scopes: list[Scope] = [Scope(graph)]
        self.made = Graph(graph.name, flop_weights=graph.flop_weights, uncosted=graph.uncosted)
        self.made.about, self.made.mesh, self.made.plan = graph.about, graph.mesh, graph.plan

    def leaves(self, scope: Scope) -> None:
        """Add the leaves of a block; weights of bodies once for all iterations."""
        for leaf in scope.block.leaves.values():
            if leaf in scope.values:
                continue
            if scope.block is not self.graph and leaf.role in (Role.WEIGHT, Role.CACHE):
                scope.values[leaf] = self.layer_of(leaf)
            else:
                scope.values[leaf] = self.made.current.leaf(
                    leaf.name, leaf.shape, leaf.dtype, leaf.role, leaf.sharding
                )

    def layer_of(self, leaf: Leaf) -> Tensor:
        """Return one iteration's part of what all iterations have of a weight."""
        counts = _counts(leaf.block)
        if leaf not in self.stacks:
            name = f"{leaf.block.path}{leaf.name}".replace("/", ".")
            sharding = None if leaf.sharding is None else ((),) * len(counts) + leaf.sharding
            self.stacks[leaf] = self.made.leaf(
                free_name(self.made, name), (*counts, *leaf.shape), leaf.dtype, leaf.role, sharding
            )
        part: Tensor = ops.slice(self.stacks[leaf], (0,) * len(counts), name=leaf.name)
        return part

    def forward(self, op: Op, suffix: str = "") -> None:
        """Add an op of the forward."""
        scope = self.scopes[-1]
        inputs = tuple(self.value(tensor) for tensor in op.inputs)
        name = self.free(op.name + suffix)
        if isinstance(op, Repeat):
            outputs = self.forward_repeat(op, inputs[: op.carries], name)
        elif len(op.outputs) == 1:
            target = _target(op)
            out = None if target is None else self.value(target)
            outputs = (apply(op.kind, inputs, op.attrs, name, out),)
        else:
            outputs = apply_all(op.kind, inputs, op.attrs, name)
        scope.values.update(zip(op.outputs, outputs, strict=True))

    def forward_repeat(
        self, op: Repeat, carry: tuple[Tensor, ...], name: str
    ) -> tuple[Tensor, ...]:
        """Add a repeat of the forward."""

        def body(*entries: Tensor) -> tuple[Tensor, ...]:
            scope = Scope(op.body)
            scope.values.update(zip(entries_of(op), entries, strict=True))
            self.scopes.append(scope)
            self.leaves(scope)
            for inner in op.body.op_list:
                self.forward(inner)
            results = tuple(self.value(tensor) for tensor in op.body.carried)
            self.scopes.pop()
            return results

        made: tuple[Tensor, ...] = self.made.repeat(name, op.times, body, carry)
        return made

    def value(self, tensor: Tensor) -> Tensor:
        """Return a tensor of the forward where it is needed: kept, seen, or computed again."""
        scope = next(s for s in reversed(self.scopes) if s.block is tensor.block)
        found = scope.values.get(tensor)
        if found is not None:
            return found
        producer = tensor.producer
        if producer is not None and (
            producer.kind.view or (self.selective and is_attention(tensor))
        ):
            self.forward(producer, "" if scope.block is not self.graph else ".again")
        elif isinstance(tensor, Leaf) and tensor.role in (Role.WEIGHT, Role.CACHE):
            scope.values[tensor] = self.layer_of(tensor)
        else:
            name = self.free(f"{plain_name(tensor)}.saved")
            scope.values[tensor] = self.made.input(name, tensor.shape, tensor.dtype)
        return scope.values[tensor]

    def trained(self, tensor: Tensor) -> bool:
        """Return whether a tensor has a gradient: floats, and of caches only what was written."""
        if not has_gradient(tensor):
            return False
        return self.origins.role(tensor) is not Role.CACHE or origin(tensor).producer is not None

    def free(self, name: str) -> str:
        """Return a name that the open block does not have."""
        return free_name(self.made.current, name)


def free_name(block: Block, name: str) -> str:
    """Return a name that a block does not have: the one given, or with a number."""
    name = name[: MOST_LETTERS - 8]
    found, number = name, 2
    while block.has(found):
        found, number = f"{name}.{number}", number + 1
    return found


def plain_name(tensor: Tensor) -> str:
    """Return the name of a tensor as a leaf may have it."""
    return tensor.name.replace(":", ".")


def _counts(block: Block) -> tuple[Expr, ...]:
    counts: list[Expr] = []
    while block.parent is not None:
        counts += [repeat.times for repeat in block.parent.repeats if repeat.body is block]
        block = block.parent
    return tuple(reversed(counts))


def entries_of(repeat: Repeat) -> list[Tensor]:
    """Return what a repeat carries into its body."""
    return [leaf for leaf in repeat.body.leaves.values() if leaf.role is Role.ACTIVATION]


def is_attention(tensor: Tensor) -> bool:
    """Return whether a part of attention made a tensor."""
    return tensor.producer is not None and tensor.producer.kind.name in ATTENTION


def _target(op: Op) -> Tensor | None:
    """Return the tensor that an op writes over."""
    made = op.outputs[0]
    if made.base is None or op.kind.view:
        return None
    for tensor in (*op.inputs, made.storage):
        alike = tensor.storage is made.storage and tensor.region == made.region
        if alike and tensor.spec is made.spec:
            return tensor
    return None
