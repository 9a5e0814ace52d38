"""Hops: the steps of collectives that wait for each other, which take a latency each."""

from __future__ import annotations

from sympy import Expr

from symroof.graph import Graph, rows
from symroof.graph.op import Op
from symroof.graph.passes.connect import flow_of
from symroof.symbolic import total


def hops_of(op: Op) -> dict[str, Expr]:
    """Return the hops of an op by the link they go over.

    Examples
    --------
    >>> from symroof import ops
    >>> g = Graph("g")
    >>> y = ops.all_reduce(g.input("x", 4, "int8"), group=8, topology="ring")
    >>> hops_of(y.producer)
    {'link': 8}
    """
    flow = flow_of(op)
    return {} if flow is None or flow.hops == 0 else {op.cost.link: flow.hops}


def hops(graph: Graph) -> dict[str, Expr]:
    """Return the hops of all ops by link, in the order of the links' names.

    Examples
    --------
    >>> hops(Graph("g"))
    {}
    """
    found: dict[str, list[tuple[Expr, Expr]]] = {}
    for row in rows(graph):
        for link, count in hops_of(row.op).items():
            found.setdefault(link, []).append((count, row.count))
    return {link: total(found[link]) for link in sorted(found)}
