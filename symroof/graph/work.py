"""What a graph costs: rows of ops with one interned cost, and totals over them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from sympy import Expr, Integer

from symroof.errors import CostError
from symroof.graph.op import Attrs, Cost, Op, Signature
from symroof.graph.origins import Origins
from symroof.graph.tensor import Role
from symroof.symbolic.build import add, divided, multiplied
from symroof.symbolic.polynomial import fraction
from symroof.symbolic.symbols import symbol
from symroof.symbolic.totals import total
from symroof.units.scope import Scope

if TYPE_CHECKING:
    from symroof.graph.block import Block
    from symroof.graph.graph import Graph

Costed: TypeAlias = tuple[Op, int, Cost]
Costs: TypeAlias = list[tuple[Expr, list[Costed]]]

ONE = Integer(1)
WORK = ("flops", "bytes", "link_bytes")


class Uncosted(Enum):
    """What totals do about an op without a cost."""

    ERROR = "error"
    SYMBOL = "symbol"


@dataclass(frozen=True, slots=True)
class OpWork:
    """What equal ops do, each of them, and how many there are.

    Attributes
    ----------
    op : Op
        The first of them.
    ops : int
        How many the block has.
    count : Expr
        How often they run: `ops` times the counts of the repeats around them.
    flops : mapping of str to Expr
        FLOPs of one of them, by compute dtype key.
    bytes : Expr
        Bytes one of them reads and writes.
    link_bytes : mapping of str to Expr
        Bytes one of them sends, by link.
    """

    op: Op
    ops: int
    count: Expr
    flops: Mapping[str, Expr]
    bytes: Expr
    link_bytes: Mapping[str, Expr]


def rows(graph: Graph) -> list[OpWork]:
    """Return the work of every distinct cost of `graph`, in the order of first appearance.

    Views and repeat nodes have none of their own; the ops of a repeat's body are listed with the
    repeat's count.

    Raises
    ------
    CostError
        If an op has no cost and the graph's policy is not to name it by a symbol.

    Examples
    --------
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> x = g.input("x", (4, 4), "fp32")
    >>> y = (x @ x) @ x
    >>> [(row.op.name, row.count, row.flops, row.bytes) for row in rows(g)]
    [('matmul_0', 1, {'fp32': 128}, 128), ('matmul_1', 1, {'fp32': 128}, 192)]
    """
    return [
        OpWork(
            op=op,
            ops=ops,
            count=times * ops,
            flops=dict(cost.flops),
            bytes=add((*cost.reads, *cost.writes)),
            link_bytes={} if cost.link_bytes == 0 else {cost.link: cost.link_bytes},
        )
        for times, costs in _costs(graph, WORK)
        for op, ops, cost in costs
    ]


def flops(graph: Graph) -> Expr:
    """Return the FLOPs of all ops, of every compute dtype."""
    return _sum(_costs(graph, ("flops",)), lambda cost: (amount for _, amount in cost.flops))


def flops_by_dtype(graph: Graph) -> dict[str, Expr]:
    """Return the FLOPs of all ops by compute dtype key, in the order of the keys."""
    found = _costs(graph, ("flops",))
    keys = {key for _, costs in found for _, _, cost in costs for key, _ in cost.flops}
    return {key: _sum(found, partial(_flops_at, key)) for key in sorted(keys)}


def bytes_moved(graph: Graph) -> Expr:
    """Return the bytes all ops read from main memory and write to it."""
    return _sum(_costs(graph, ("bytes",)), lambda cost: (*cost.reads, *cost.writes))


def link_bytes(graph: Graph) -> dict[str, Expr]:
    """Return the bytes all ops send by link, in the order of the links' names."""
    found = _costs(graph, ("link_bytes",))
    links = {cost.link for _, costs in found for _, _, cost in costs if cost.link_bytes != 0}
    return {link: _sum(found, partial(_sent_over, link)) for link in sorted(links)}


def bytes_by_role(graph: Graph) -> dict[Role, Expr]:
    """Return the bytes of main memory by what moves: weights, caches, inputs, activations.

    The role is that of the leaf whose memory is read or written; all that ops make is an
    activation, and so are bytes that are stated for an op as a whole.

    Examples
    --------
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> y = g.input("x", ("B", 8), "bf16") @ g.weight("w", (8, 8), "bf16")
    >>> for role, moved in bytes_by_role(g).items():
    ...     print(role.value, moved)
    input 16*B
    weight 128
    activation 16*B
    """
    origins = Origins(graph)
    found: dict[Role, list[Expr]] = {role: [] for role in Role}
    for times, block in _times(graph):
        parts: dict[Role, list[tuple[Expr, int]]] = {role: [] for role in Role}
        for op, ops, cost in _block_costs(graph, block, ("bytes",)):
            if "bytes" in op.cost.unknown:
                parts[Role.ACTIVATION] += [(amount, ops) for amount in cost.reads]
        alike: Counter[tuple[Signature, tuple[Role, ...]]] = Counter()
        for op in block.op_list:
            if not op.kind.view and "bytes" not in op.cost.unknown:
                ports = (*op.inputs, *op.outputs)
                alike[op.signature, tuple([origins.role(tensor) for tensor in ports])] += 1
        for (signature, roles), ops in alike.items():
            cost = signature.cost
            for role, amount in zip(roles, (*cost.reads, *cost.writes), strict=True):
                parts[role].append((amount, ops))
        for role, amounts in parts.items():
            found[role].append(multiplied(times, total(amounts)))
    return {role: moved for role, amounts in found.items() if (moved := add(amounts)) != 0}


def ratio(numerator: Expr, denominator: Expr) -> Expr:
    """Return the quotient with common factors of all terms divided out.

    Examples
    --------
    >>> from symroof.symbolic import symbols
    >>> M, N = symbols("M N")
    >>> ratio(2 * M * N, 2 * M + 4 * M * N)
    N/(2*N + 1)
    """
    top, bottom = fraction(divided(numerator, denominator))
    return divided(top.expr(), bottom.expr())


def footprint(graph: Graph, roles: frozenset[Role]) -> Expr:
    """Return the bytes of the leaf tensors of these roles, times the counts of their repeats."""
    parts = []
    for times, block in _times(graph):
        sizes = Counter(leaf.spec for leaf in block.leaves.values() if leaf.role in roles)
        parts.append(multiplied(times, total((spec.bytes, n) for spec, n in sizes.items())))
    return add(parts)


def scope(graph: Graph) -> Scope:
    """Return the names that may be bound in `graph`, and which of them are counts."""
    counted: set[Expr] = set()
    free: set[Expr] = set()
    for block in graph.blocks():
        specs = set(block.leaf_specs)
        for signature in block.signatures.values():
            if not signature.count:
                continue
            specs.update(signature.inputs, signature.outputs)
            counted.update(_symbols(signature.kind.counted(Attrs(signature.attrs))))
            free.update(*(amount.free_symbols for amount in _amounts(signature.cost)))
        for spec in specs:
            counted |= spec.elements.free_symbols
            free |= spec.bytes.free_symbols
        counted.update(_symbols(repeat.times for repeat in block.repeats))
    if graph.uncosted is Uncosted.SYMBOL:
        found = (cost for _, costs in _costs(graph, WORK) for _, _, cost in costs)
        free |= _symbols(amount for cost in found for amount in _amounts(cost))
    counts = frozenset(s.name for s in counted)
    return Scope(counts=counts).with_names(sorted({s.name for s in free} - counts))


def domain(graph: Graph) -> list[tuple[str, Expr, Expr]]:
    """Return what must hold between names: op, what is at most, what is at least.

    Examples
    --------
    >>> from symroof.graph import Graph
    >>> from symroof import ops
    >>> g = Graph("g")
    >>> w = [g.weight(n, ("E", 8, 8), "bf16") for n in ("up", "down")]
    >>> y = ops.experts(g.input("x", ("B", 8), "bf16"), *w, top_k="k")
    >>> domain(g)
    [('experts_0', k, E)]
    """
    found: dict[tuple[Expr, Expr], str] = {}
    for block in graph.blocks():
        for signature in block.signatures.values():
            if signature.count:
                pairs = signature.kind.domain(signature.inputs, Attrs(signature.attrs))
                for low, high in pairs:
                    if (high - low).free_symbols:
                        found.setdefault((low, high), block.path + signature.first.name)
    return [(op, low, high) for (low, high), op in found.items()]


def _amounts(cost: Cost) -> tuple[Expr, ...]:
    return (*(n for _, n in cost.flops), *cost.reads, *cost.writes, cost.link_bytes)


def _flops_at(key: str, cost: Cost) -> list[Expr]:
    return [amount for found, amount in cost.flops if found == key]


def _sent_over(link: str, cost: Cost) -> list[Expr]:
    return [cost.link_bytes] if cost.link == link else []


def _symbols(exprs: Iterable[Expr]) -> set[Expr]:
    return {s for expr in exprs for s in expr.free_symbols}


def _times(graph: Graph) -> Iterator[tuple[Expr, Block]]:
    waiting: list[tuple[Expr, Block]] = [(ONE, graph)]
    while waiting:
        times, block = waiting.pop()
        yield times, block
        waiting.extend((times * inner.times, inner.body) for inner in reversed(block.repeats))


def _costs(graph: Graph, needed: tuple[str, ...]) -> Costs:
    return [(times, list(_block_costs(graph, block, needed))) for times, block in _times(graph)]


def _block_costs(graph: Graph, block: Block, needed: tuple[str, ...]) -> Iterator[Costed]:
    for signature in block.signatures.values():
        cost = signature.cost
        if signature.kind.view or not signature.count:  # none: an op that was refused its name
            continue
        if not cost.unknown:
            yield signature.first, signature.count, cost
            continue
        ops = [op for op in block.op_list if op.signature is signature]
        missing = [what for what in needed if what in cost.unknown]
        if missing and graph.uncosted is not Uncosted.SYMBOL:
            raise CostError(
                f"op {block.path + ops[0].name!r} ({signature.kind.name}) has no cost:"
                f" {' and '.join(missing)} unknown; give it one, or make the graph"
                " with uncosted='symbol'"
            )
        for op in ops:
            yield op, 1, _named(op, block.path + op.name)


def _named(op: Op, name: str) -> Cost:
    cost = op.cost
    key = op.signature.inputs[0].dtype.key if op.inputs else "fp32"
    plain = re.sub(r"\W", "_", name)
    unknown = {what: symbol(f"{what}_{plain}") for what in cost.unknown}
    return Cost(
        flops=((key, unknown["flops"]),) if "flops" in unknown else cost.flops,
        reads=(unknown["bytes"],) if "bytes" in unknown else cost.reads,
        writes=() if "bytes" in unknown else cost.writes,
        link_bytes=unknown.get("link_bytes", cost.link_bytes),
        link=cost.link,
    )


def _sum(found: Costs, amounts: Callable[[Cost], Iterable[Expr]]) -> Expr:
    return add(
        [
            multiplied(times, total((n, ops) for _, ops, cost in costs for n in amounts(cost)))
            for times, costs in found
        ]
    )
