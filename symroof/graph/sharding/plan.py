"""Plans: how a graph runs on a mesh, op by op, and which dims have to divide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from sympy import Expr, Mul

from symroof.errors import ShapeError, UnknownNameError
from symroof.graph.mesh import Mesh
from symroof.graph.sharding.layout import Layout, remainder
from symroof.graph.sharding.moves import Means, Move
from symroof.graph.sharding.reading import Axes
from symroof.readonly import ReadOnly
from symroof.symbolic.evaluate import bind
from symroof.symbolic.exact import shown
from symroof.symbolic.printer import to_text


class Ground(Enum):
    """Why a choice was made."""

    ONLY = "the only way"
    LEAST = "least link time"
    AT_SIZES = "least link time at the sizes given"
    IDLE = "least link time, with axes that were idle"
    EQUAL = "others take as long; this sends least often"
    RULE = "the sizes leave it open; this sends least often"
    PREFERRED = "the sizes leave it open; decided by prefer"


VERBS = {
    Means.ALL_GATHER: "all-gather",
    Means.REDUCE_SCATTER: "reduce-scatter",
    Means.ALL_REDUCE: "all-reduce",
    Means.ALL_TO_ALL: "all-to-all",
    Means.TAKE_SHARD: "own shard taken",
}
PLAIN = ("", Ground.ONLY.value, Ground.LEAST.value)
MOST_SHOWN = 3


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
    splits : mapping of (Expr, tuple of str) to str
        The dims that are taken to divide, over which axes, and the first tensor that has them.
    steps : tuple of Step
        None where the graph was read from a file, which keeps the mesh and the splits alone.
    outputs : mapping of str to Layout
        The layouts that outputs, and results nothing reads, are left in.
    """

    mesh: Mesh
    splits: Mapping[tuple[Expr, Axes], str]
    steps: tuple[Step, ...] = ()
    outputs: Mapping[str, Layout] = field(default_factory=ReadOnly)

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
