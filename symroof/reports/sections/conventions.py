"""What is counted and how, where bytes are charged, and what is not modelled."""

from __future__ import annotations

from symroof.reports.document import Block, Column, Items, Section, Table
from symroof.reports.sections.wording import listed, words
from symroof.reports.subject import Subject
from symroof.roofline import Roofline
from symroof.roofline.inside import Inside
from symroof.roofline.inside_kinds import Residency

MOST_KINDS = 40
CACHES = "caches below main memory"
LATENCIES = "launch and scheduling latencies"
TRAFFIC = {
    "unfused": "each op reads its inputs from main memory once and writes its outputs to it once,"
    " nothing is fused",
    "weights+kv": "weights are read once by each product that takes them, and each byte of a cache"
    " moves once; inputs and activations stay on chip, rows picked from a table count nothing."
    " Elementwise ops and norms ride along and count no FLOPs",
}
LEAST = {
    "unfused": "a run without fusion moves no less: memory-bound is certain for it, compute-bound"
    " is its best case; fusing ops moves less",
    "weights+kv": "no run of these ops that reads every weight and cache from main memory moves"
    " less: memory-bound is certain for it, compute-bound its best case",
}
LEAST_FUSED = (
    "a run fused so moves no less: memory-bound is certain for it, compute-bound its best case"
)


def conventions(subject: Subject) -> Section:
    """Return the section on the conventions in force."""
    roofline = subject.general
    dtypes = [name for kind, name in roofline.work if kind == "flop"]
    traffic = TRAFFIC.get(roofline.traffic, roofline.traffic)
    least = LEAST.get(roofline.traffic, LEAST_FUSED)
    items = [
        "FLOPs: a multiply-add is 2. Each op is counted as the table says; what its kind leaves"
        " out is left out here.",
        f"Traffic: {traffic}. It is a lower bound: {least}.",
        *_inside(roofline),
        "Peaks are dense"
        + (f"; FLOPs run at the {listed(dtypes)} peak" if dtypes else "")
        + (", one after the other." if len(dtypes) > 1 else "."),
        "Time terms: work ÷ rate. They overlap in the lower bound, and ops follow each other in the"
        " per-op bound; at equality the terms are balanced.",
        "Dims, counts and group sizes are whole numbers from 1. Numbers are exact until they are"
        " shown.",
    ]
    if roofline.groups["network"].expr != 0:
        halved = "".join(f" ({text})" for text in roofline.chip.assumptions)
        items.append(
            f"Links: per chip and one direction{halved}; {_composition(roofline)}."
            " Collectives move link bytes only, neither FLOPs nor bytes of main memory."
        )
    items.append(f"Not modelled: {', '.join(_left_out(roofline.inside))}.")
    blocks: list[Block] = [Items(tuple(words(item) for item in items)), *_kinds(subject)]
    return Section("conventions", "Conventions", tuple(blocks))


def _inside(roofline: Roofline) -> list[str]:
    """Return where bytes are charged, and what else is taken of the inside of the chip."""
    inside = roofline.inside
    cold = f"residency cold: all bytes at {roofline.chip.main}, caches hold nothing before an op"
    default = inside.residency is Residency.COLD and not inside.levels
    said = [cold, *roofline.said] if default else roofline.said
    return [f"{text[:1].upper()}{text[1:]}." for text in said]


def _left_out(inside: Inside) -> list[str]:
    """Return what is not modelled."""
    return [
        *([] if inside.residency is not Residency.COLD or inside.levels else [CACHES]),
        "scheduling latencies" if inside.launch is not None else LATENCIES,
        *([] if inside.ceilings else ["imperfect efficiency of kernels"]),
        "clocks that fall under load",
    ]


def _composition(roofline: Roofline) -> str:
    """Return how times on links make one, and whether hops count."""
    placed = roofline.placed
    adds = "phases on links add" if placed is None else placed.composition
    waits = placed is not None and placed.latency
    return f"{adds}; {'each hop has its latency' if waits else 'no latency per hop'}"


def _kinds(subject: Subject) -> list[Block]:
    """Return how each kind of op that occurs is counted, and where the count is from."""
    kinds = {row.kind: row.op.kind for row in subject.ops}
    rows = tuple(
        (words(name), words(kind.count), words(kind.source))
        for name, kind in sorted(kinds.items())[:MOST_KINDS]
    )
    columns = (Column("kind of op"), Column("FLOPs"), Column("source", optional=True))
    return [Table(columns, rows, "How ops are counted")] if rows else []
