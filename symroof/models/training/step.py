"""A training step: the forward graph, and the backward that follows from it op by op."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from sympy import Expr

from symroof.errors import GraphError, InputError
from symroof.graph import Graph
from symroof.graph.block import positive_count
from symroof.graph.graph import UNFUSED
from symroof.graph.ops.arguments import choice
from symroof.lines import named
from symroof.models.training.walk import Step


class Recompute(Enum):
    """What of the forward runs again in the backward instead of being kept."""

    NONE = "none"
    SELECTIVE = "selective"
    FULL = "full"


def training_step(
    graph: Graph,
    *,
    recompute: str | Recompute = Recompute.NONE,
    gradients: Mapping[str, Any] | None = None,
) -> Graph:
    """Return the graph of a training step: forward, backward, and the sums of weight gradients.

    Every op ``f`` of the forward gets an op ``f.backward``. Products take twice their FLOPs there,
    3 times with the forward; elementwise ops and norms as many as in the forward for each gradient.
    A backward op reads the operands it needs and the gradients of the results, and writes the
    gradients of the operands, each once. A gradient passes through views and sums as it is; where
    several meet, an op ``x.gradient`` adds them. Collectives run the other way with as many bytes:
    an all-gather becomes a reduce-scatter, an all-reduce stays one.

    A repeat ``layer`` gets a repeat ``layer.backward``. What its backward needs of the forward and
    does not compute again are inputs ``q.saved`` there, so that the footprint has it, once for each
    iteration. The weights of the bodies become one weight ``layer.w`` for all iterations, of which
    each has its part.

    Not in the graph: the loss (gradients of outputs, and of what nothing reads, such as the scores
    of a router, are inputs), the optimizer, and the memory that gradients and moments keep from
    step to step; see `symroof.models.training.memory`.

    Parameters
    ----------
    graph : Graph
        The forward; not fused. It may be that of one chip.
    recompute : {"none", "selective", "full"}
        "selective" runs the products of attention again, 4 times in all (Korthikanti et al. 2022).
        "full" keeps what goes into each iteration of a repeat and runs the forward of its body
        again, collectives included: 4 times for layers, 3 times for what stands outside, such as
        the head (Narayanan et al. 2021). Without a repeat all runs again.
    gradients : mapping of str to int, symbol or text, optional
        Axes over which copies of the weights are trained on other data, with their sizes: the
        gradient of each weight is all-reduced over that link, unless it is whole there already:
        scattered, or of experts that the tokens of all chips travel to.

    Returns
    -------
    Graph
        Unfused; names of the forward are kept.

    Raises
    ------
    GraphError
        If the graph is fused.
    CostError
        If nobody knows what an op costs.
    UnknownNameError
        If there is no such recomputation.

    Examples
    --------
    >>> g = Graph("net")
    >>> x = g.input("x", ("B", 64), "bf16")
    >>> y = g.repeat("layer", "L", lambda x: x @ g.weight("w", (64, 64), "bf16"), x)
    >>> step = training_step(g, gradients={"dp": "N"})
    >>> print(g.flops, "|", step.flops, "|", training_step(g, recompute="full").flops)
    8192*B*L FLOP | 24576*B*L FLOP | 32768*B*L FLOP
    >>> [op.name for op in step.op("layer.backward").body.ops if not op.kind.view]
    ['matmul_0.backward', 'w.gradient.dp']
    """
    where = "training_step"
    if not isinstance(graph, Graph):
        raise InputError(f"expected a Graph, not {type(graph).__name__}", where=where)
    if graph.traffic != UNFUSED:
        raise GraphError(
            f"{where}: the traffic of graph {graph.name!r} is {graph.traffic!r};"
            " give the unfused graph, and fuse what comes out"
        )
    if not graph.active:
        raise GraphError(f"{where}: graph {graph.name!r} has a repeat that is being added")
    sizes: dict[str, Expr] = {}
    for axis, size in (gradients or {}).items():
        sizes[named(axis, f"{where} gradients")] = positive_count(size, f"gradients over {axis!r}")
    asked = choice(Recompute, recompute, f"{where} recompute")
    full = asked is Recompute.FULL
    return Step(graph, full=full, selective=asked is Recompute.SELECTIVE, axes=sizes).made
