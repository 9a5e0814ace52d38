"""What is counted and how, and what is not modelled."""

from __future__ import annotations

from symroof.reports.document import Items, Section
from symroof.reports.sections.wording import listed, words
from symroof.reports.subject import Subject

TRAFFIC = {
    "unfused": "each op reads its inputs from main memory once and writes its outputs to it once,"
    " nothing is fused",
}


def conventions(subject: Subject) -> Section:
    """Return the section on the conventions in force."""
    roofline = subject.general
    dtypes = [name for kind, name in roofline.work if kind == "flop"]
    traffic = TRAFFIC.get(roofline.traffic, roofline.traffic)
    items = [
        "FLOPs: a multiply-add is 2. Each op's count is that of its table; none is left out.",
        f"Traffic: {traffic}. It is the least that such a run moves, so memory-bound is certain,"
        " unless more is fused; compute-bound is a best case.",
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
            f"Links: per chip and one direction{halved}; phases on links add; no latency per hop."
        )
    items.append(
        "Not modelled: caches below main memory, launch and scheduling latencies, imperfect"
        " efficiency of kernels, clocks that fall under load."
    )
    return Section("conventions", "Conventions", (Items(tuple(words(item) for item in items)),))
