"""Fusion: a region of ops becomes one op, of which only the boundary moves."""

from __future__ import annotations

from collections.abc import Iterable

from symroof.errors import GraphError, InputError
from symroof.graph.block import Block
from symroof.graph.graph import UNFUSED, Graph
from symroof.graph.op import Op
from symroof.graph.passes.boundary import Region, origin
from symroof.graph.passes.rebuild import rebuilt
from symroof.graph.repeat import Repeat

ELEMENTWISE = "fused"


def fuse(graph: Graph, ops: Iterable[Op | str], name: str | None = None) -> Graph:
    """Return a new graph in which `ops` are one op that keeps its intermediate results on chip.

    FLOPs are those of the region. Bytes are those of its boundary: each region of an outer storage
    is read once, and only results that something outside reads, that are outputs, or that nothing
    reads at all are written. Views on the way move nothing and need not be listed.

    Parameters
    ----------
    graph : Graph
        Is left as it is.
    ops : iterable of Op or str
        The region: ops of one block (the graph, or the body of one repeat), or their names.
    name : str, optional
        Name of the fused op; that of its first op by default.

    Returns
    -------
    Graph
        With the same tensors and ops outside the region, under the same names; its `traffic` names
        the region.

    Raises
    ------
    GraphError
        If a path leaves the region and comes back (the path is shown), if the ops are of different
        blocks, or if one of them is a repeat.

    Examples
    --------
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> x = g.input("x", ("B", "D"), "fp32")
    >>> h = x + g.input("y", ("B", "D"), "fp32")
    >>> z = h * x
    >>> f = fuse(g, g.ops, name="both")
    >>> print(g.bytes, "|", f.bytes, "|", f.flops, "|", f.traffic)
    24*B*D byte | 12*B*D byte | 2*B*D FLOP | fused: both
    """
    members = list(dict.fromkeys(_found(graph, op) for op in ops))
    if all(op.kind.view for op in members):
        raise InputError(
            "no op to fuse; a region has at least one op that is no view", where="fuse"
        )
    for op in members:
        if isinstance(op, Repeat):
            raise GraphError(f"fuse: repeat {op.name!r} cannot be fused; fuse ops of its body")
        if op.block is not members[0].block:
            raise GraphError(
                f"fuse: ops {members[0].name!r} and {op.name!r} are of different blocks"
            )
    region = Region(tuple(sorted((op for op in members if not op.kind.view), key=_index)), name)
    _check_convex(region)
    label = name or "+".join(op.name for op in region.ops[:4]) + "+..." * (len(region.ops) > 4)
    made = rebuilt(graph, {region.block: [region]})
    made.traffic = f"fused: {label}" if graph.traffic == UNFUSED else f"{graph.traffic}, {label}"
    return made


def fuse_elementwise(graph: Graph) -> Graph:
    """Return a new graph in which elementwise ops and normalisations ride along with a producer.

    Each such op joins the op that makes the latest of its operands, unless that is a repeat or
    sends over a link. Bodies of repeats are treated alike. The `traffic` of the result is "fused".

    Examples
    --------
    >>> from symroof.graph import Graph
    >>> from symroof import ops
    >>> g = Graph("g")
    >>> x, w = g.input("x", ("B", "D"), "bf16"), g.weight("w", ("D", "D"), "bf16")
    >>> y = ops.relu(x @ w) + x
    >>> f = fuse_elementwise(g)
    >>> print(f.bytes, "|", f.traffic, "|", f.ops)
    (4*B*D + 2*D**2) byte | fused | (<op matmul_0: fused>,)
    """
    regions = {block: _riding(block) for block in graph.blocks()}
    made = rebuilt(graph, regions)
    made.traffic = ELEMENTWISE if graph.traffic == UNFUSED else f"{graph.traffic}, elementwise"
    return made


def _found(graph: Graph, op: Op | str) -> Op:
    if isinstance(op, str):
        return graph.op(op)
    if not isinstance(op, Op):
        raise InputError(f"a region is made of ops, not of {type(op).__name__}", where="fuse")
    if op.block.graph is not graph:
        raise GraphError(f"fuse: op {op.name!r} is not of graph {graph.name!r}")
    return op


def _index(op: Op) -> int:
    return op.index


def _check_convex(region: Region) -> None:
    inside = set(region.ops)
    came_from: dict[Op, Op] = {}
    for op in region.block.op_list[region.ops[0].index : region.ops[-1].index + 1]:
        for tensor in op.inputs:
            # A view carries nothing out of the region: what matters is who made its storage.
            producer = origin(tensor).producer if op in inside else tensor.producer
            if op in inside and producer in came_from:
                raise GraphError(_reentry(op, producer, came_from))
            if op not in inside and (producer in inside or producer in came_from):
                came_from[op] = producer
                break


def _reentry(op: Op, outside: Op, came_from: dict[Op, Op]) -> str:
    path = [op, outside]
    while path[-1] in came_from:
        path.append(came_from[path[-1]])
    shown = " -> ".join(step.name for step in reversed(path))
    return f"fuse: the path {shown} leaves the region and comes back; fuse all of it, or less"


def _riding(block: Block) -> list[Region]:
    # Groups are numbered as they begin, and an op only joins the latest group it depends on: edges
    # between groups then always lead to later ones, so that no two regions wait for each other.
    group_of: dict[Op, int] = {}
    groups: list[list[Op]] = []
    for op in block.op_list:
        if op.kind.view:
            continue
        latest = -1
        if op.kind.rides_along:
            for tensor in op.inputs:
                producer = origin(tensor).producer
                if producer is not None and producer.block is block:
                    latest = max(latest, group_of[producer])
        if latest < 0 or not _carries(groups[latest]):
            latest = len(groups)
            groups.append([])
        groups[latest].append(op)
        group_of[op] = latest
    return [Region(tuple(group), None) for group in groups if len(group) > 1]


def _carries(group: list[Op]) -> bool:
    return not isinstance(group[0], Repeat) and all(op.cost.link_bytes == 0 for op in group[:1])
