"""Plans: what was decided for every op of a sharded graph, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sympy import Expr, Mul

from symroof.errors import ShapeError, UnknownNameError
from symroof.graph.indices import Indices
from symroof.graph.mesh import Mesh
from symroof.graph.sharding.choose import Choice, Ground, Problem, Without
from symroof.graph.sharding.layout import Layout, remainder
from symroof.graph.sharding.moves import Means, Move
from symroof.graph.sharding.reading import Axes
from symroof.symbolic.evaluate import bind
from symroof.symbolic.exact import shown
from symroof.symbolic.printer import to_text

VERBS = {
    Means.ALL_GATHER: "all-gather",
    Means.REDUCE_SCATTER: "reduce-scatter",
    Means.ALL_REDUCE: "all-reduce",
    Means.ALL_TO_ALL: "all-to-all",
    Means.TAKE_SHARD: "own shard taken",
}
PLAIN = ("", Ground.ONLY.value, Ground.LEAST.value)
MOST_TEXT, MOST_SHOWN = 160, 3


@dataclass(frozen=True, slots=True)
class Sent:
    """A move of the plan.

    Attributes
    ----------
    tensor : str
        What is moved.
    move : Move
        By which collective, over which axis.
    bytes : Expr
        What each chip sends.
    """

    tensor: str
    move: Move
    bytes: Expr

    def __str__(self) -> str:
        said = f"{VERBS[self.move.means]} of {self.tensor}"
        if self.move.means is Means.TAKE_SHARD:
            return f"each chip takes its shard of {self.tensor}, free"
        return f"{said}, {to_text(self.bytes)} byte"


@dataclass(frozen=True, slots=True)
class Step:
    """What was decided for one op.

    Attributes
    ----------
    op : str
        Its name, with the names of the repeats around it.
    reads : tuple of str
        The operands in the layouts they came in.
    makes : str
        The result in the layout in which the op makes it.
    becomes : str
        That in which it is left.
    cases : tuple of str
        For each axis that matters, which case it is and what is done.
    sent : tuple of Sent
        The moves, in order.
    ground : str
        Why this way.
    open : tuple of str
        What else may take less time, where the sizes leave it open.
    """

    op: str
    reads: tuple[str, ...]
    makes: str
    becomes: str
    cases: tuple[str, ...]
    sent: tuple[Sent, ...]
    ground: str
    open: tuple[str, ...] = ()

    def __str__(self) -> str:
        left = "" if self.becomes == self.makes else f" -> {self.becomes}"
        lines = [f"{self.op}: {', '.join(self.reads)} -> {self.makes}{left}"]
        lines += [f"    {case}" for case in self.cases]
        lines += [f"    or: {other}" for other in self.open[:MOST_SHOWN]]
        if len(self.open) > MOST_SHOWN:
            lines.append(f"    or: {len(self.open) - MOST_SHOWN} ways more")
        if self.ground not in PLAIN or (self.sent and self.ground == Ground.LEAST.value):
            lines.append(f"    chosen: {self.ground}")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Plan:
    """How a graph runs on a mesh, op by op.

    Attributes
    ----------
    mesh : Mesh
    steps : tuple of Step
    outputs : mapping of str to Layout
        The layouts that outputs, and results nothing reads, are left in.
    splits : mapping of (Expr, tuple of str) to str
        The dims that are cut, over which axes, and the first tensor in which they are.
    """

    mesh: Mesh
    steps: tuple[Step, ...]
    outputs: Mapping[str, Layout]
    splits: Mapping[tuple[Expr, Axes], str]

    def check(self, sizes: Mapping[str, object]) -> None:
        """Refuse numbers for symbols with which a dim does not split into equal parts.

        Raises
        ------
        ShapeError
            Which dim of which tensor, over what, and how much is left.

        Examples
        --------
        >>> from symroof.graph import Graph
        >>> from symroof.graph.passes import shard
        >>> g = Graph("g")
        >>> y = -g.input("x", ("B",), "bf16", sharding=("X",))
        >>> shard(g, Mesh(X=4)).plan.check({"B": 1026})
        Traceback (most recent call last):
        symroof.errors.ShapeError: shard: dim B of x, 1026, does not divide over X = 4: \
1026 = 4*256 + 2
        """
        for (size, axes), tensor in self.splits.items():
            bound = bind(size, sizes)
            mesh = {axis: bind(self.mesh.axes[axis], sizes) for axis in axes}
            count = Mul(*mesh.values())
            if bound.is_number and count.is_number and not (bound / count).is_Integer:
                over = " * ".join(f"{axis} = {shown(n)}" for axis, n in mesh.items())
                message = f"dim {shown(size)} of {tensor}, {shown(bound)}, does not divide over"
                raise ShapeError("shard", f"{message} {over}{remainder(bound, count)}")

    def step(self, op: str) -> Step:
        """Return the step of an op, by its name.

        Raises
        ------
        UnknownNameError
            If there is none; with the nearest.
        """
        for step in self.steps:
            if step.op == op:
                return step
        raise UnknownNameError("op", op, (step.op for step in self.steps))

    def __str__(self) -> str:
        return "\n".join((f"on {self.mesh}", *map(str, self.steps)))


def case_of(
    axis: str, problem: Problem, choice: Choice, names: Sequence[str], sent: Sequence[Sent]
) -> str:
    """Return which case an axis is in an op, and what is done about it, as one line."""
    place = dict(choice.placing).get(axis, Without.COPIES)
    done = [str(one) for one in sent if one.move.axis == axis]
    pending = axis in choice.results[0].unreduced and not any(
        one.move.axis == axis and one.move.means in (Means.ALL_REDUCE, Means.REDUCE_SCATTER)
        for one in sent[len(sent) - len(choice.finish.moves) :]
    )
    if pending:
        done.append("each chip is left with a partial sum")
    said = _stands(axis, problem, choice, names)
    if place is Without.COPIES:
        done.append("every chip along it does the same")
    elif not done:
        done.append("nothing is sent")
    return f"{axis}: {said}; {'; '.join(done)}"


def described(choice: Choice, names: Sequence[str], unit: str) -> str:
    """Return a choice that was not made, by what it moves and how long that takes."""
    parts = []
    for fetch, name in zip(choice.fetches, names, strict=True):
        parts += [f"{_verb(move)} of {name}" for move in fetch.route.moves]
    parts += [f"{_verb(move)} of the result" for move in choice.finish.moves]
    told = list(dict.fromkeys(parts))
    return f"{', '.join(told) or 'nothing'}: {shown(choice.time, MOST_TEXT)} {unit}"


def _verb(move: Move) -> str:
    if move.means is Means.TAKE_SHARD:
        return f"own shard over {move.axis}"
    return f"{VERBS[move.means]} over {move.axis}"


def _stands(axis: str, problem: Problem, choice: Choice, names: Sequence[str]) -> str:
    indices, place = problem.indices, dict(choice.placing).get(axis, Without.COPIES)
    found: list[tuple[str, str | None, str]] = []
    partial: list[str] = []
    for row, operand, fetch, name in zip(
        indices.inputs, problem.operands, choice.fetches, names, strict=True
    ):
        layout = operand.layouts[fetch.source]
        where = layout.place(axis)
        if where is not None:
            dim = shown(operand.spec.shape[where[0]])
            found.append((f"{dim} of {name}", row[where[0]], dim))
        if axis in layout.unreduced and name not in partial:
            partial.append(name)
    if place is Without.PARTIAL:
        return f"{' and '.join(partial)}: partial sums pass through"
    told = [f"{name} is a partial sum" for name in partial]
    kinds = list(dict.fromkeys(index for _, index, _ in found))
    if len(kinds) == 1:
        told.append(_alike(kinds[0], [who for who, _, _ in found], problem))
    elif kinds:
        all_of = " and ".join(f"{_kind(index, indices)} {who}" for who, index, _ in found)
        clash = all(_kind(index, indices) == "kept" for index in kinds)
        told.append(f"{all_of} lie on one axis" + (", which cannot stay so" if clash else ""))
    if not told:
        wanted = problem.wanted or problem.kept
        at = None if wanted is None else wanted.place(axis)
        dim = "" if at is None else f" on {shown(problem.results[0].shape[at[0]])}"
        told.append(f"the result is wanted{dim}")
    return ", ".join(dict.fromkeys(told))


def _alike(index: str | None, who: list[str], problem: Problem) -> str:
    indices = problem.indices
    having = sum(index in row for row in indices.inputs)
    kind = _kind(index, indices)
    listed = " and ".join(dict.fromkeys(who))
    if kind == "whole":
        return f"{listed} has to be whole"
    if kind == "summed":
        alike = len(who) == having
        return f"summed {listed}" + (", sharded alike" if alike and having > 1 else " only") * (
            having > 1
        )
    return f"kept {listed}"


def _kind(index: str | None, indices: Indices) -> str:
    if index is None or index in indices.whole:
        return "whole"
    return "summed" if index in indices.summed else "kept"


def layout_text(name: str, layout: Layout, shape: Sequence[Expr]) -> str:
    """Return a tensor with its layout, such as ``x[B_X, D]``."""
    return f"{name}{layout.text(shape)}"
