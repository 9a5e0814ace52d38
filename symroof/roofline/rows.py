"""One row per distinct op: its work, its time terms, its bound and its share of the time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from sympy import Expr

from symroof.errors import UnboundError
from symroof.graph import Graph, OpWork, rows
from symroof.roofline.bound import Bound
from symroof.roofline.compare import as_bound, largest
from symroof.roofline.hops import hops_of
from symroof.roofline.inside import PLAIN, Inside
from symroof.roofline.inside_kinds import Numa
from symroof.roofline.terms import (
    GROUPS,
    MAIN,
    NOTHING,
    REMOTE,
    ZERO,
    Rates,
    Resource,
    grouped,
    slowest,
    time_terms,
    work_by_resource,
)
from symroof.symbolic import total
from symroof.units import Quantity, ratio


@dataclass(frozen=True, slots=True)
class OpTerms:
    """Equal ops of a graph, and the time terms of one of them.

    Attributes
    ----------
    work : OpWork
        The op, how many there are, how often they run, and the work of one.
    groups : mapping of str to Expr
        Time of one op by term (compute, memory, network), in seconds.
    moved : Expr
        Bytes of one op: those of main memory where these are counted in a way of their own.
    """

    work: OpWork
    groups: Mapping[str, Expr]
    moved: Expr

    @property
    def longest(self) -> Expr:
        """The largest term of one op: its time when its resources overlap."""
        return slowest(self.groups.values())


@dataclass(frozen=True, slots=True)
class OpRow:
    """What equal ops of a graph do together, and how long it takes.

    Attributes
    ----------
    name : str
        Of the first of them, with the repeats it stands in: ``layer/attention_3``.
    kind : str
        Kind of op.
    ops : int
        How many there are.
    count : Quantity
        How often they run, repeats included.
    flops, bytes, link_bytes : Quantity
        Their work, all runs together.
    intensity : Quantity or None
        FLOPs per byte; infinite without bytes, None without both.
    terms : mapping of str to Quantity
        Their time terms by name, all runs together.
    time : Quantity
        Their time when the resources of one op overlap.
    bound : Bound or None
        Their largest term; None when that depends on free symbols.
    share : float or None
        Of the per-op time of the graph; None when that depends on free symbols.
    """

    name: str
    kind: str
    ops: int
    count: Quantity
    flops: Quantity
    bytes: Quantity
    link_bytes: Quantity
    intensity: Quantity | None
    terms: Mapping[str, Quantity] = field(hash=False)
    time: Quantity
    bound: Bound | None
    share: float | None


def op_terms(
    graph: Graph, rates: Rates, *, inside: Inside = PLAIN, latency: bool = False
) -> list[OpTerms]:
    """Return the time terms of every distinct op of `graph`, in order of appearance.

    With `latency` hops take time.
    """
    serial = inside.numa is Numa.SERIAL
    found = []
    for work in rows(graph):
        amounts = work_of(work, inside, latency=latency)
        groups = grouped(time_terms(amounts, rates), serial=serial)
        moved = work.bytes
        if inside.counts_main:
            moved = total((amounts.get(resource, ZERO), 1) for resource in (MAIN, REMOTE))
        found.append(OpTerms(work, groups, moved))
    return found


def work_of(work: OpWork, inside: Inside, *, latency: bool = False) -> dict[Resource, Expr]:
    """Return the work of one op by resource, as the inside of the chip is modelled."""
    waits = hops_of(work.op) if latency else NOTHING
    return work_by_resource(
        inside.flops(work), inside.charged(work), work.link_bytes, waits, inside.launches(work)
    )


def total_work(graph: Graph, inside: Inside, *, latency: bool = False) -> dict[Resource, Expr]:
    """Return the work of all ops by resource: FLOPs first, then bytes, links and launches."""
    amounts: dict[Resource, list[tuple[Expr, Expr]]] = {}
    for work in rows(graph):
        for resource, amount in work_of(work, inside, latency=latency).items():
            amounts.setdefault(resource, []).append((amount, work.count))
    order = list(GROUPS)
    found = sorted(amounts, key=lambda resource: order.index(resource[0]))
    return {resource: total(amounts[resource]) for resource in found}


def op_row(op: OpTerms, whole: Quantity, quantity: Callable[[Expr, str], Quantity]) -> OpRow:
    """Return the row of equal ops.

    Parameters
    ----------
    op : OpTerms
        The ops.
    whole : Quantity
        The per-op time of the graph, known rates put in.
    quantity : callable
        Makes a quantity of an expression and a unit, with what is bound put in.
    """
    work, count = op.work, op.work.count
    flops = quantity(count * total((n, 1) for n in work.flops.values()), "FLOP")
    moved = quantity(count * op.moved, "byte")
    sent = quantity(count * total((n, 1) for n in work.link_bytes.values()), "byte")
    terms = {name: quantity(count * time, "s") for name, time in op.groups.items()}
    time = quantity(count * op.longest, "s")
    try:
        bound = as_bound(largest(terms))
    except UnboundError:
        bound = None
    share = None
    if whole.expr.is_number:
        share = 0.0 if whole.expr == 0 else (time.resolved() / whole).to("")
    return OpRow(
        name=work.op.block.path + work.op.name,
        kind=work.op.kind.name,
        ops=work.ops,
        count=quantity(count, ""),
        flops=flops,
        bytes=moved,
        link_bytes=sent,
        intensity=ratio(flops, moved),
        terms=MappingProxyType(terms),
        time=time,
        bound=bound,
        share=share,
    )
