"""Moving what one chip holds from layout to layout: the collectives, as ops."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sympy import Add, Expr, Integer, expand

from symroof.errors import GraphError
from symroof.graph.graph import Graph
from symroof.graph.ops.collectives import all_gather, all_reduce, all_to_all, reduce_scatter
from symroof.graph.ops.sharding import take_shard
from symroof.graph.passes.holdings import Held, Holdings, Value
from symroof.graph.sharding.layout import Layout
from symroof.graph.sharding.moves import Means, Move
from symroof.graph.sharding.plan import Sent, Step
from symroof.graph.sharding.prices import Prices
from symroof.graph.sharding.routes import Route, nearest
from symroof.graph.tensor import Tensor

MOST_LETTERS = 120
_COLLECTIVES: Mapping[Means, Callable[..., Tensor]] = {
    Means.ALL_GATHER: all_gather,
    Means.REDUCE_SCATTER: reduce_scatter,
    Means.ALL_REDUCE: all_reduce,
    Means.ALL_TO_ALL: all_to_all,
    Means.TAKE_SHARD: take_shard,
}


class Mover(Holdings):
    """Adds moves to the graph of one chip.

    Attributes
    ----------
    made : Graph
        What has been built.
    steps : list of Step
        What was decided.
    path : str
        Names of the repeats around what is built.
    times : Expr
        How often what is built runs.
    spent : list of Expr
        The link time of every move so far.
    """

    def __init__(self, graph: Graph, prices: Prices, *, reuse: bool) -> None:
        super().__init__(prices.mesh)
        self.graph = graph
        self.prices = prices
        self.reuse = reuse
        self.made = Graph(graph.name, flop_weights=graph.flop_weights, uncosted=graph.uncosted)
        self.steps: list[Step] = []
        self.path = ""
        self.times: Expr = Integer(1)
        self.spent: list[Expr] = []

    @property
    def time(self) -> Expr:
        """The link time of all moves."""
        return expand(Add(*self.spent))

    def settled(
        self, value: Value, layout: Layout | None = None, sent: list[Sent] | None = None
    ) -> Held:
        """Return a value in a layout, or with its sums made; it is left in that alone."""
        held = self.find(value)
        if layout is None:
            done = next((one for one in held if not one.layout.unreduced), None)
            layout = Layout(held[0].layout.dims) if done is None else done.layout
        start = self.start(value, layout)
        moves: list[Sent] = []
        last = self.moved(value, *start, moves)
        self.scopes[-1][value.key] = [last]
        if sent is not None:
            sent += moves
        elif moves:
            self.steps.append(self.tail(value, start[0].layout, layout, moves))
        return last

    def start(self, value: Value, layout: Layout) -> tuple[Held, Route]:
        """Return from where a value comes to a layout with the least link time, and how.

        Raises
        ------
        GraphError
            If it does not get there.
        """
        held = self.find(value)
        found = nearest(value.spec.shape, [one.layout for one in held], layout, self.prices)
        if found is None:
            raise GraphError(
                f"shard: {value.name!r} cannot be brought to {layout.text(value.spec.shape)}"
            )
        return held[found[0]], found[1]

    def tail(self, value: Value, start: Layout, end: Layout, sent: list[Sent]) -> Step:
        """Return the step of moves that belong to no op."""
        before, after = (one.text(value.spec.shape) for one in (start, end))
        said = tuple(f"{one.move.axis}: {one}" for one in sent)
        return Step(f"{self.path}{value.name}", (value.name,), before, after, said, tuple(sent), "")

    def moved(self, value: Value, held: Held, way: Route, sent: list[Sent]) -> Held:
        """Add the moves of a route, and return where they lead."""
        layout, local = held.layout, held.local
        for move in way.moves:
            local = self.move(local, move, value.name)
            self.record(value.name, move, local, sent)
            layout = move.after(layout)
            self.note(value, layout)
        last = Held(layout, local)
        if way.moves and (self.reuse or not value.weight):
            self.put(value, last)
        return last

    def record(self, name: str, move: Move, made: Tensor, sent: list[Sent]) -> None:
        """Remember what was sent to make a tensor."""
        assert made.producer is not None
        amount = made.producer.cost.link_bytes
        sent.append(Sent(name, move, amount))
        if amount != 0:
            self.spent.append(self.times * amount * self.prices.weight(move.axis))

    def move(self, local: Tensor, move: Move, name: str) -> Tensor:
        """Add the op of one move."""
        keywords: dict[str, Any] = {"group": self.mesh.axes[move.axis], "link": move.axis}
        if move.means is Means.ALL_TO_ALL:
            keywords |= {"split_axis": move.to, "concat_axis": move.dim}
        elif move.dim is not None:
            keywords["axis"] = move.dim
        base = name.replace(":", ".")[:MOST_LETTERS]
        given = self.free(f"{base}.{move.means.value}_{move.axis}")
        return _COLLECTIVES[move.means](local, name=given, **keywords)

    def free(self, name: str) -> str:
        """Return a name that neither this block nor the ops still to come have."""
        block, old = self.made.current, self.graph
        while block.has(name) or any(inner.has(name) for inner in old.blocks()):
            name += "_"
        return name
