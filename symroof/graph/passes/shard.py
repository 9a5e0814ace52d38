"""Sharding: from the graph of whole tensors to that of one chip, with the collectives it needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symroof.errors import GraphError, InputError
from symroof.graph.graph import Graph
from symroof.graph.mesh import Mesh
from symroof.graph.passes.weights_and_caches import WEIGHTS_AND_CACHES


def shard(
    graph: Graph,
    mesh: Mesh | None = None,
    *,
    outputs: Mapping[str, Any] | None = None,
    bandwidth: Mapping[str, Any] | None = None,
    sizes: Mapping[str, Any] | None = None,
    prefer: str | None = None,
    reuse: bool = True,
) -> Graph:
    """Return the graph of one chip of `mesh`: local shapes, and the collectives it needs as ops.

    The shardings of inputs, weights and caches are given; those of all else follow. Every op is
    run the way that takes the least link time, bytes over the bandwidth of their axis:

    - A dim that all operands have alike stays as it is sharded; nothing is sent.
    - A dim that is summed over and sharded alike leaves a partial sum on each chip. It stays one
      through what is linear; then an all-reduce makes the sum, or a reduce-scatter where the axis
      is wanted on a dim.
    - A summed dim sharded in one operand only: that operand is gathered, or each chip takes its
      shard of the other one, which is free, and has a partial sum.
    - Two kept dims on one axis cannot stay so: one of them is gathered or goes to another dim.
    - What an op cannot do in shards (a norm along the sharded dim, an op without rules) is
      gathered first.

    Then the whole graph is planned again with every op free to spread its work over axes that are
    idle there, and with the results left as they are; that is kept where it is proved to send less.

    A collective runs over one axis: its `link` is the name of the axis and its `group` the size,
    so that every axis has its own time. A dim over several axes is gathered from the minor one to
    the major one, which sends as many bytes in total as one collective over all of them.

    Parameters
    ----------
    graph : Graph
        Is left as it is; it must not be fused yet.
    mesh : Mesh, optional
        The chips; that of the graph by default.
    outputs : mapping of str to sharding, optional
        Layouts that results, or any other tensors by name (``layer/h``), are to be brought to.
    bandwidth : mapping of str to Quantity, number or text, optional
        What a chip sends along each axis; the same for all when left out.
    sizes : mapping of str to number, optional
        Numbers for symbols, to choose by where the symbols leave it open. They stay symbols.
    prefer : {"weights", "activations", "work"}, optional
        What moves where it is still open. By default the way that sends least often, then the one
        that repeats less work, then the one that moves weights. "work" splits the work of every op
        as far as its operands are sharded, though another way may send less, and plans no second
        time: the usual forms of parallel layers, whatever the numbers are.
    reuse : bool
        Keep gathered weights for later ops; without it they are gathered again for each.

    Returns
    -------
    Graph
        With the names of tensors and ops kept; its `plan` tells the case of each op in words.

    Raises
    ------
    ShapeError
        If a dim does not divide over its axes.
    UnknownNameError
        If the mesh has no such axis, or the graph no such tensor.
    GraphError
        If an op is fused, if only weights and caches are counted, or if the graph is that of one
        chip already.

    Examples
    --------
    >>> from symroof.graph import Graph
    >>> g = Graph("mlp")
    >>> x = g.input("x", ("B", "D"), "bf16", sharding=("X", "Y"))
    >>> h = x @ g.weight("up", ("D", "F"), "bf16", sharding=("X", "Y"))
    >>> y = h @ g.weight("down", ("F", "D"), "bf16", sharding=("Y", "X"))
    >>> local = shard(g, Mesh(X="X", Y="Y"), outputs={"matmul_1": ("X", "Y")})
    >>> [op.name for op in local.ops]  # doctest: +NORMALIZE_WHITESPACE
    ['x.all_gather_Y', 'up.all_gather_X', 'matmul_0', 'down.all_gather_X', 'matmul_1',
     'matmul_1.reduce_scatter_Y']
    """
    from symroof.graph.passes.sharder import sharded  # only to shard a graph: slow to load

    if not isinstance(graph, Graph):
        raise InputError(f"expected a Graph, not {type(graph).__name__}", where="shard")
    mesh = graph.mesh if mesh is None else mesh
    if mesh is None:
        raise InputError("give a mesh, such as Mesh(X=4); the graph has none", where="shard")
    if not isinstance(mesh, Mesh):
        raise InputError(f"expected a Mesh, not {type(mesh).__name__}", where="shard")
    if graph.plan is not None:
        raise GraphError(f"graph {graph.name!r} is that of one chip of {graph.plan.mesh} already")
    if graph.traffic == WEIGHTS_AND_CACHES:
        raise GraphError(
            f"graph {graph.name!r} counts {WEIGHTS_AND_CACHES} alone; shard it first, then count"
        )
    if not graph.active:
        raise GraphError(f"graph {graph.name!r} cannot be sharded while a repeat is being added")
    return sharded(graph, mesh, outputs or {}, bandwidth, sizes, prefer, reuse)
