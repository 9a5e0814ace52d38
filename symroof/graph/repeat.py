"""Repeats: a body of ops with a symbolic count, as one node of the graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sympy import Expr

from symroof.errors import GraphError, InputError, ShapeError
from symroof.graph.block import Block, positive_count
from symroof.graph.op import ZERO, Attrs, Cost, Op, OpKind, Signature
from symroof.graph.tensor import Role, Tensor, TensorSpec

if TYPE_CHECKING:
    from symroof.graph.graph import Graph


class RepeatKind(OpKind):
    """The kind of all repeats; their cost is that of the body times the count."""

    name = "repeat"
    count = "the count times the FLOPs of the body"
    source = "definition"

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        """Return the carried specs: what goes in comes out."""
        return inputs

    def cost(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Cost:
        """Return nothing: the body carries the cost."""
        return Cost((), (ZERO,) * len(inputs), (ZERO,) * len(outputs))

    def __reduce__(self) -> str:
        return "REPEAT"


REPEAT = RepeatKind()


class Repeat(Op):
    """One node for `times` iterations of a body.

    Attributes
    ----------
    body : Block
        One iteration: its leaves that are carried in, its ops, and what is carried out.
    times : Expr
        How often it runs; a whole number of 1 or more, or a formula.
    carries : int
        How many of `inputs` are carried; the others are outer tensors that the body uses.

    Examples
    --------
    >>> from symroof.graph import Graph
    >>> g = Graph("net")
    >>> def layer(x):
    ...     return x @ g.weight("w", ("D", "D"), "bf16")
    >>> y = g.repeat("layer", "L", layer, g.input("x", ("B", "D"), "bf16"))
    >>> y.producer.times, y.producer.body.ops
    (L, (<op matmul_0: matmul>,))
    """

    __slots__ = ("body", "carries", "times", "within")

    def __init__(
        self, within: Block, body: Block, times: Expr, inputs: tuple[Tensor, ...], carries: int
    ) -> None:
        specs = tuple(tensor.spec for tensor in inputs)
        outputs = specs[:carries]
        cost = Cost((), (ZERO,) * len(specs), (ZERO,) * carries)
        signature = Signature(REPEAT, (("count", times),), specs, outputs, cost)
        super().__init__(signature, inputs, len(within.op_list), body.name)
        self.within = within
        self.body = body
        self.times = times
        self.carries = carries

    @property
    def block(self) -> Block:
        """The graph or repeat body it stands in."""
        return self.within


def repeat(
    graph: Graph,
    name: str,
    count: Any,
    body: Callable[..., Any],
    carry: Tensor | tuple[Tensor, ...],
) -> Any:
    """Add a repeat to the open block of `graph`; see `Graph.repeat`."""
    outer = graph.current
    place = f"repeat {name!r}"
    times = positive_count(count, place)
    carried = carry if isinstance(carry, tuple) else (carry,)
    for tensor in carried:
        if not isinstance(tensor, Tensor):
            raise InputError(f"it carries tensors, not {type(tensor).__name__}", where=place)
        if tensor.block is not outer:
            outer.admit(tensor, place)
    block = Block(name, outer)
    block.graph = graph
    entries = tuple(
        block.leaf(f"carry_{number}", tensor.shape, tensor.dtype, Role.ACTIVATION)
        for number, tensor in enumerate(carried)
    )
    graph.current, outer.active = block, False
    try:
        returned = body(*entries)
    finally:
        graph.current, outer.active, block.active = outer, True, False
    if returned is None and not entries:
        returned = ()
    close(block, place, entries, returned if isinstance(returned, tuple) else (returned,))
    outside = [t for t in block.captured if t not in set(carried)]
    made = place_repeat(outer, block, times, (*carried, *outside), len(carried))
    return made.outputs if isinstance(carry, tuple) else made.outputs[0]


def close(block: Block, place: str, entries: tuple[Tensor, ...], results: tuple[Any, ...]) -> None:
    """Check that a body carries out what it carries in, and make it its results."""
    if len(results) != len(entries) or not all(isinstance(t, Tensor) for t in results):
        kinds = ", ".join(type(t).__name__ for t in results)
        raise GraphError(
            f"{place}: the body carries in {len(entries)} tensors"
            f" and must return as many; got {kinds or 'nothing'}"
        )
    for number, (entry, result) in enumerate(zip(entries, results, strict=True)):
        if result.block is not block:
            block.admit(result, place)
        if result.spec is not entry.spec:
            raise ShapeError(
                place,
                f"carry {number} goes in and comes out with different shapes or dtypes",
                (entry.spec.text, result.spec.text),
            )
        block.results[result] = None
    block.carried = results


def place_repeat(
    outer: Block, body: Block, times: Expr, inputs: tuple[Tensor, ...], carries: int
) -> Repeat:
    """Add the node of a closed body to `outer`."""
    made = Repeat(outer, body, times, inputs, carries)
    made.outputs = tuple(Tensor(t.spec, outer, made) for t in inputs[:carries])
    outer.claim(made)
    outer.op_list.append(made)
    outer.repeats.append(made)
    return made
