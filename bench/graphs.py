"""Large graphs: totals, construction and growth, against plain integers and networkx."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import networkx as nx
from sympy import Integer

import symroof as sr
from bench.results import Outcome, Ratio, duration
from bench.timing import medians, seconds
from symroof import ops
from symroof.graph import Cost, Graph
from symroof.symbolic import symbols

LAYERS = 10_000
OPS_PER_LAYER = 12
GROWTH = (250_000, 500_000, 1_000_000)
REPETITIONS = 5
GROWTH_REPETITIONS = 2
TOTALS_REPETITIONS = 25
LINEAR = 1.25  # as much as time per op may grow
SIZES = {"B": 4, "S": 2048, "D": 4096, "H": 32, "d": 128, "F": 14336}


def layers(count: int) -> Graph:
    """Return `count` decoder layers, unrolled, every weight and op an object of its own."""
    g = sr.Graph("unrolled")
    x = g.input("x", ("B", "S", "D"), "bf16")
    for i in range(count):
        h = ops.rmsnorm(x)
        q = ops.einsum("bsD,DHd->bHsd", h, g.weight(f"wq{i}", ("D", "H", "d"), "bf16"))
        k = ops.einsum("bsD,DHd->bHsd", h, g.weight(f"wk{i}", ("D", "H", "d"), "bf16"))
        v = ops.einsum("bsD,DHd->bHsd", h, g.weight(f"wv{i}", ("D", "H", "d"), "bf16"))
        o = ops.attention(q, k, v, mask="causal")
        x = x + ops.einsum("bHsd,HdD->bsD", o, g.weight(f"wo{i}", ("H", "d", "D"), "bf16"))
        h = ops.rmsnorm(x)
        h = ops.silu(h @ g.weight(f"up{i}", ("D", "F"), "bf16"))
        x = x + h @ g.weight(f"down{i}", ("F", "D"), "bf16")
    return g


def bare(count: int) -> nx.DiGraph:
    """Return the same nodes and edges as bare integers, added in bulk."""
    graph = nx.DiGraph()
    graph.add_edges_from(bare_edges(count))
    return graph


def bare_edges(count: int) -> Iterator[tuple[int, int]]:
    """Yield the edges of `layers` between integers: tensor to op, op to tensor."""
    last = 0
    x = 0
    for _ in range(count):
        norm, h = last + 1, last + 2
        yield x, norm
        yield norm, h
        last += 2
        made = []
        for _ in range(3):  # queries, keys, values
            weight, op, out = last + 1, last + 2, last + 3
            yield h, op
            yield weight, op
            yield op, out
            made.append(out)
            last += 3
        attend, o = last + 1, last + 2
        for tensor in made:
            yield tensor, attend
        yield attend, o
        weight, op, out, add, y = range(last + 3, last + 8)
        yield o, op
        yield weight, op
        yield op, out
        yield x, add
        yield out, add
        yield add, y
        last += 7
        norm, h = last + 1, last + 2
        yield y, norm
        yield norm, h
        weight, op, out, act, a = range(last + 3, last + 8)
        yield h, op
        yield weight, op
        yield op, out
        yield out, act
        yield act, a
        weight, op, out, add, x_next = range(last + 8, last + 13)
        yield a, op
        yield weight, op
        yield op, out
        yield y, add
        yield out, add
        yield add, x_next
        last += 12
        x = x_next


def totals(graph: Graph) -> tuple[sr.Quantity, sr.Quantity, sr.Quantity]:
    """Return FLOPs, bytes and link bytes, worked out anew."""
    graph._totals.clear()
    return graph.flops, graph.bytes, graph.link_bytes


def integers(graph: Graph) -> list[tuple[int, ...]]:
    """Return FLOPs, bytes and link bytes of each op at some sizes, as plain integers."""
    sizes = {symbols(name): Integer(size) for name, size in SIZES.items()}

    def numbers(cost: Cost) -> tuple[int, ...]:
        amounts = ([n for _, n in cost.flops], [*cost.reads, *cost.writes], [cost.link_bytes])
        return tuple(sum(int(n.xreplace(sizes)) for n in part) for part in amounts)

    known = {id(op.cost): op.cost for op in graph.ops}
    counted = {key: numbers(cost) for key, cost in known.items()}
    return [counted[id(op.cost)] for op in graph.ops]


def run(
    count: int = LAYERS, growth: tuple[int, ...] = GROWTH, repetitions: int = REPETITIONS
) -> Outcome:
    """Time totals, construction and growth."""
    ratios: list[Ratio] = []
    spreads = []
    for part in (
        _totals(count),
        _building(count, repetitions),
        _growth(count, growth),
    ):
        ratios += part.ratios
        spreads.append(part.spread)
    return Outcome(tuple(ratios), (), max(spreads))


def _totals(count: int) -> Outcome:
    graph = layers(count)
    totals(graph)
    columns = list(zip(*integers(graph), strict=True))
    taken, spread = medians(
        {
            "own": lambda: seconds(lambda: totals(graph)),
            "integers": lambda: seconds(lambda: [sum(column) for column in columns]),
        },
        TOTALS_REPETITIONS,
    )
    ratio = _ratio(
        f"warm totals of {_ops(count)}", "sum of plain integers", taken, "own", "integers", 1.0
    )
    return Outcome((ratio,), (), spread)


def _building(count: int, repetitions: int) -> Outcome:
    def with_digraph() -> object:
        graph = layers(count)
        return graph, graph.digraph

    with_digraph()
    taken, spread = medians(
        {
            "build": lambda: seconds(lambda: layers(count), collecting=True),
            "bare": lambda: seconds(lambda: bare(count), collecting=True),
            "both": lambda: seconds(with_digraph, collecting=True),
        },
        repetitions,
    )
    peer = "the same bare networkx DiGraph"
    return Outcome(
        (
            _ratio(f"build {_ops(count)}", peer, taken, "build", "bare", 1.2),
            _ratio(f"build {_ops(count)} and g.digraph", peer, taken, "both", "bare", 2.2),
        ),
        (),
        spread,
    )


def _growth(count: int, growth: tuple[int, ...]) -> Outcome:
    sizes = [count, *(size // OPS_PER_LAYER for size in growth)]
    taken, spread = medians(
        {str(size): partial(seconds, partial(layers, size), collecting=True) for size in sizes},
        GROWTH_REPETITIONS,
    )
    per_op = {size: taken[str(size)] / (size * OPS_PER_LAYER) for size in sizes}
    return Outcome(
        tuple(
            Ratio(
                f"build, time per op of {_ops(size)}",
                f"of {_ops(count)}",
                per_op[size] / per_op[count],
                LINEAR,
                f"{per_op[size] * 1e6:.1f} µs to {per_op[count] * 1e6:.1f} µs",
            )
            for size in sizes[1:]
        ),
        (),
        spread,
    )


def _ratio(
    what: str, peer: str, taken: Mapping[str, float], own: str, other: str, target: float
) -> Ratio:
    note = f"{duration(taken[own])} to {duration(taken[other])}"
    return Ratio(what, peer, taken[own] / taken[other], target, note)


def _ops(layers_: int) -> str:
    return f"{layers_ * OPS_PER_LAYER:,} ops"
