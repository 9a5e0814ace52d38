"""The names of symbols in graphs, wherever they stand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sympy import Expr

from symroof.graph.block import Block
from symroof.graph.mesh import Mesh
from symroof.graph.op import Attrs, Signature
from symroof.graph.sharding.plan import Plan
from symroof.graph.tensor import TensorSpec
from symroof.units.dtype import DType


def names_in(block: Block) -> set[str]:
    """Return the names in a graph: in shapes, dtypes, costs, counts, attributes, mesh and plan.

    Examples
    --------
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> y = g.input("x", ("B", "2*D"), "fp32")["i"]
    >>> sorted(names_in(g))
    ['B', 'D', 'i']
    """
    mesh, plan = block.graph.mesh, block.graph.plan
    found: set[str] = set() if mesh is None else mesh_names(mesh)
    if plan is not None:
        found |= plan_names(plan)
    for inner in block.blocks():
        for spec in {leaf.spec for leaf in inner.leaves.values()}:
            found |= spec_names(spec)
        for signature in inner.signatures.values():
            found |= signature_names(signature)
        for repeat in inner.repeats:
            found |= _names(repeat.times)
    return found


def mesh_names(mesh: Mesh) -> set[str]:
    """Return the names in the sizes of a mesh."""
    return _names(*mesh.axes.values())


def plan_names(plan: Plan) -> set[str]:
    """Return the names in the mesh of a plan, and in the dims that have to divide."""
    return mesh_names(plan.mesh) | _names(*(dim for dim, _ in plan.splits))


def signature_names(signature: Signature) -> set[str]:
    """Return the names in the results, the cost and the attributes of an op."""
    cost = signature.cost
    found = _names(cost.flops, cost.reads, cost.writes, cost.link_bytes, signature.attrs)
    for spec in signature.outputs:
        found |= spec_names(spec)
    return found | _names(*signature.kind.counted(Attrs(signature.attrs)))


def spec_names(spec: TensorSpec) -> set[str]:
    """Return the names in a shape and a dtype."""
    return _names(spec.shape, spec.dtype)


def _names(*values: Any) -> set[str]:
    return {atom.name for expr in _exprs(values) for atom in expr.free_symbols}


def _exprs(value: Any) -> Iterator[Expr]:
    if isinstance(value, Expr):
        yield value
    elif isinstance(value, DType):
        yield value.bits
    elif isinstance(value, tuple):
        for entry in value:
            yield from _exprs(entry)
