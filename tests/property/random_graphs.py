"""Random graphs: views, ops in place, repeats in repeats, names that hide others."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from symroof import ops
from symroof.graph import Graph, Tensor

KINDS = (
    "add",
    "matmul",
    "relu",
    "in_place",
    "cast",
    "transpose",
    "reshape",
    "half",
    "concat",
    "weight",
    "cached",
    "all_reduce",
    "constant",
)
NAMES = (None, None, None, "h", "x", "y", "add_1")
NUMBERS = st.integers(0, 99)


def graphs(size: Any = "n", *, over: bool = True) -> st.SearchStrategy[Graph]:
    """Graphs of square matrices with `size` rows; with `over` some ops write over other tensors."""
    return instructions(over=over).map(lambda steps: build(steps, size))


def instructions(*, over: bool = True) -> st.SearchStrategy[list[Any]]:
    """What `build` makes a graph of."""
    kinds = (*KINDS, "over") if over else KINDS
    simple = st.tuples(st.sampled_from(kinds), NUMBERS, NUMBERS, st.sampled_from(NAMES))
    steps = st.recursive(
        simple,
        lambda inner: st.tuples(
            st.just("repeat"),
            st.integers(1, 4),
            st.lists(NUMBERS, max_size=3),
            st.lists(inner, min_size=1, max_size=6),
            st.lists(NUMBERS, min_size=3, max_size=3),
        ),
        max_leaves=12,
    )
    return st.lists(steps, min_size=1, max_size=12)


def build(steps: list[Any], size: Any) -> Graph:
    """Return the graph of instructions; every number picks one of what there is."""
    g = Graph("random")
    start = [g.input("x", (size, size), "fp32"), g.cache("c", (2, size, size), "fp32")[0]]
    pool = _run(g, steps, start, size)
    if steps[0][0] in ("add", "matmul"):
        g.output(*[tensor for tensor in pool[-2:] if tensor.block is g])
    return g


def _run(g: Graph, steps: list[Any], pool: list[Tensor], size: Any) -> list[Tensor]:
    pool = list(pool)
    for step in steps:
        if step[0] == "repeat":
            pool.extend(_repeat(g, step, pool, size))
        else:
            pool.append(_simple(g, step, pool, size))
    return pool


def _simple(g: Graph, step: Any, pool: list[Tensor], size: Any) -> Tensor:
    what, first, second, name = step
    a, b = pool[first % len(pool)], pool[second % len(pool)]
    block = g.current
    taken = {op.name for op in block.ops} | set(block.leaves)
    name = None if name in taken or name == f"{what}_{len(block.ops)}" else name
    match what:
        case "add" | "matmul":
            return getattr(ops, what)(a, b, name=name)
        case "relu":
            return ops.relu(a, name=name)
        case "constant":
            return ops.sub(second, a, name=name)
        case "in_place":
            return ops.neg(a, out=a, name=name)
        case "over":
            return ops.neg(a, out=b if b.spec is a.spec else a, name=name)
        case "cast":
            return ops.cast(a, ("fp32", "fp64")[second % 2], name=name)
        case "transpose":
            return ops.transpose(a, materialise=second % 2 == 0, name=name)
        case "reshape":
            return ops.reshape(ops.reshape(a, -1, name=name), (size, size))
        case "half":
            return ops.concat([a[:1], a[1:]], name=name) if size != 1 else a
        case "concat":
            other = b if b.dtype == a.dtype else a
            return ops.concat([a, other], name=name)[size:]
        case "weight":
            return g.weight(f"w{len(block.leaves)}", (size, size), "fp32")
        case "cached":
            return g.cache(f"c{len(block.leaves)}", (2, size, size), "fp64")[second % 2]
        case _:
            return ops.all_reduce(a, group="p", name=name)


def _repeat(g: Graph, step: Any, pool: list[Tensor], size: Any) -> tuple[Tensor, ...]:
    _, count, carries, steps, picked = step
    carry = tuple(pool[number % len(pool)] for number in carries)

    def body(*entries: Tensor) -> tuple[Tensor, ...]:
        inner = _run(g, steps, [*entries, *pool], size)
        return tuple(
            _fitting(entry, inner, number) for entry, number in zip(entries, picked, strict=False)
        )

    times = "L" if count == 1 and isinstance(size, str) else count
    return g.repeat(f"r{len(g.current.ops)}", times, body, carry)


def _fitting(entry: Tensor, pool: list[Tensor], number: int) -> Tensor:
    found = [tensor for tensor in pool if tensor.spec is entry.spec]
    return found[-1 - number % len(found)]
