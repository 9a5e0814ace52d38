"""Graphs of ops on tensors, and what they cost."""

from __future__ import annotations

from symroof.graph.about import About
from symroof.graph.block import Block
from symroof.graph.graph import Graph
from symroof.graph.liveness import Footprint, footprint
from symroof.graph.mesh import Mesh
from symroof.graph.op import Attrs, Cost, Op, OpKind, apply, apply_all
from symroof.graph.registry import discover, functions, kinds, register
from symroof.graph.repeat import Repeat
from symroof.graph.spec import algorithms, load
from symroof.graph.tensor import Role, Tensor, TensorSpec
from symroof.graph.work import OpWork, Uncosted, rows

discover()

__all__ = [
    "About",
    "Attrs",
    "Block",
    "Cost",
    "Footprint",
    "Graph",
    "Mesh",
    "Op",
    "OpKind",
    "OpWork",
    "Repeat",
    "Role",
    "Tensor",
    "TensorSpec",
    "Uncosted",
    "algorithms",
    "apply",
    "apply_all",
    "footprint",
    "functions",
    "kinds",
    "load",
    "register",
    "rows",
]
