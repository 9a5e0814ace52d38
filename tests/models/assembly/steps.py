"""Steps of models of one or two layers."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer

from symroof.graph import Graph
from symroof.graph.passes import shard
from symroof.models.assembly import Group, build
from symroof.models.assembly.context import Precision
from symroof.models.assembly.network import Built, Plan
from symroof.models.config import Embedding, Head, Layer, ModelConfig, Stack
from symroof.models.parallel import Parallel
from symroof.units import dtype

HIDDEN, ROWS = 64, 1000


def config(*layers: Layer, hidden: Any = HIDDEN, **options: Any) -> ModelConfig:
    """A decoder of one of each of these layers."""
    size: Expr = Integer(0) + hidden
    rows = Integer(ROWS)
    stack = Stack(tuple((layer, Integer(1)) for layer in layers), **options)
    return ModelConfig("toy", "test", size, stack, Embedding(rows), Head(rows))


def built(
    model: ModelConfig,
    *groups: tuple[Any, Any, Any],
    dtypes: tuple[str, str, str] = ("bf16", "bf16", "bf16"),
    **options: Any,
) -> Built:
    """The step of groups of (sequences, new tokens, context)."""
    found = tuple(
        Group(*(Integer(0) + n for n in group), encodes=group[1] == group[2]) for group in groups
    )
    plan = Plan(found, Precision(*map(dtype, dtypes)), **options)
    return build(model, plan)


def on_a_chip(model: ModelConfig, *groups: tuple[Any, Any, Any], **cut: int) -> Graph:
    """The graph of one chip."""
    parallel = Parallel(**cut)
    made = built(model, *groups, parallel=parallel)
    return shard(made.graph, parallel.mesh, outputs=made.layouts)


def ops_of(graph: Graph, kind: str) -> list[str]:
    """Names of the ops of a kind in all blocks."""
    return [
        block.path + op.name for block in graph.blocks() for op in block.ops if op.kind.name == kind
    ]


def leaves_of(graph: Graph) -> dict[str, tuple[Any, ...]]:
    """Shapes of the tensors that no op makes, by name."""
    return {
        block.path + leaf.name: leaf.shape
        for block in graph.blocks()
        for leaf in block.leaves.values()
    }
