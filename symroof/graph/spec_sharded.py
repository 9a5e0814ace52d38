"""Meshes and shardings in a spec file, and what a graph of one chip has to divide."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sympy import Expr

from symroof.errors import InputError
from symroof.graph.block import positive_count
from symroof.graph.mesh import Mesh
from symroof.graph.sharding.plan import Plan
from symroof.graph.sharding.reading import Axes, Sharding, check_axes, read_sharding
from symroof.graph.spec_fields import ShardedFields, SplitFields, place
from symroof.graph.spec_values import write_value
from symroof.readonly import ReadOnly
from symroof.tables import read_table


def read_plan(table: Mapping[str, Any]) -> Plan:
    """Return what `write_plan` wrote: a plan without its steps.

    Raises
    ------
    InputError
        If a table cannot be read, with its place.
    ShapeError
        If numbers in it do not divide.
    """
    fields = read_table(table, ShardedFields)
    with place("mesh"):
        mesh = Mesh(**fields.mesh)
    splits: dict[tuple[Expr, Axes], str] = {}
    for number, entry in enumerate(fields.splits):
        with place(f"splits[{number}]"):
            split = read_table(entry, SplitFields)
            dim = positive_count(split.dim, "dim")
            (over,) = read_sharding((split.over,), (dim,), "over")
            if not over:
                raise InputError("expected an axis or a list of axes", where="over")
            check_axes((over,), mesh.names, "over")
            splits.setdefault((dim, over), split.tensor)
    plan = Plan(mesh, ReadOnly(splits))
    plan.check({})
    return plan


def write_plan(plan: Plan) -> dict[str, Any]:
    """Return the table of the mesh of a plan and of the dims it takes to divide.

    Examples
    --------
    >>> from symroof.graph import Graph
    >>> from symroof.graph.passes import shard
    >>> g = Graph("g")
    >>> y = -g.input("x", ("B", 8), "bf16", sharding=("X", None))
    >>> table = write_plan(shard(g, Mesh(X=4)).plan)
    >>> table
    {'mesh': {'X': 4}, 'splits': [{'tensor': 'x', 'dim': 'B', 'over': 'X'}]}
    >>> read_plan(table).splits
    {(B, ('X',)): 'x'}
    """
    splits = [
        {"tensor": tensor, "dim": write_value(dim), "over": _entry(over)}
        for (dim, over), tensor in plan.splits.items()
    ]
    return {"mesh": write_mesh(plan.mesh)} | ({"splits": splits} if splits else {})


def write_mesh(mesh: Mesh) -> dict[str, Any]:
    """Return the sizes of the axes, by name."""
    return {name: write_value(size) for name, size in mesh.axes.items()}


def write_sharding(dims: Sharding) -> list[str | list[str]]:
    """Return the sharding of a tensor that `read_sharding` reads.

    Examples
    --------
    >>> write_sharding((("X",), (), ("Y", "Z")))
    ['X', '', ['Y', 'Z']]
    """
    return [_entry(axes) for axes in dims]


def _entry(axes: Axes) -> str | list[str]:
    """Return the axes of a dim as a file has them: one as a text, none as an empty one."""
    return list(axes) if len(axes) > 1 else "".join(axes)
