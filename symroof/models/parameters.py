"""Parameters and kept bytes of a model: the elements of the leaves of its graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from sympy import Expr, Integer, expand

from symroof.graph import Tensor
from symroof.graph.block import Block
from symroof.graph.tensor import Leaf
from symroof.models.assembly.network import Built

Count: TypeAlias = int | Expr

ORDER = (
    "embedding",
    "attention",
    "cross attention",
    "state space",
    "feed-forward",
    "experts",
    "shared experts",
    "router",
    "norms",
    "head",
)

LOOK_UP = {"gather"}


def params_by_part(built: Built) -> dict[str, Expr]:
    """Return the elements of all weights by the part of the model they are of."""
    found: dict[str, Expr] = {}
    for leaf, times in leaves(built):
        part = built.parts.get(leaf)
        if part is not None:
            found[part] = found.get(part, Integer(0)) + times * leaf.spec.elements
    known = [part for part in ORDER if part in found]
    return {part: expand(found[part]) for part in (*known, *(found.keys() - set(known)))}


def active_params(built: Built, shares: Mapping[str, Expr]) -> Expr:
    """Return the elements of the weights that one token meets.

    Parameters
    ----------
    built : Built
    shares : mapping of str to Expr
        For the repeat of each mixture the experts a token goes to, of one.
    """
    total: Expr = Integer(0)
    for leaf, times in leaves(built):
        part = built.parts.get(leaf)
        if part is not None:
            share = shares[leaf.block.name] if part == "experts" else Integer(1)
            total += times * leaf.spec.elements * share
    return expand(total)


def looked_up_params(built: Built) -> Expr:
    """Return the elements of tables that rows are only looked up in: no product reads them."""
    readers: dict[Tensor, set[str]] = {}
    for block in built.graph.blocks():
        for op in block.op_list:
            for tensor in op.inputs:
                readers.setdefault(tensor, set()).add(op.kind.name)
    found = [
        times * leaf.spec.elements
        for leaf, times in leaves(built)
        if leaf in built.parts and readers.get(leaf) == LOOK_UP
    ]
    return expand(sum(found, Integer(0)))


def cache_bytes(built: Built, kind: str) -> Expr:
    """Return the bytes of the caches of one kind."""
    return expand(
        sum(
            (
                times * leaf.spec.bytes
                for leaf, times in leaves(built)
                if built.kinds.get(leaf) == kind
            ),
            Integer(0),
        )
    )


def leaves(built: Built) -> Iterator[tuple[Leaf, Expr]]:
    """Yield the leaves of all blocks, with how often there are such."""
    waiting: list[tuple[Block, Expr]] = [(built.graph, Integer(1))]
    while waiting:
        block, times = waiting.pop()
        yield from ((leaf, times) for leaf in block.leaves.values())
        waiting += [(repeat.body, times * repeat.times) for repeat in block.repeats]


def plain(count: Expr) -> Count:
    """Return a number as an int, and a formula as it is."""
    return int(count) if count.is_Integer else count
