"""The lines around every answer: what was asked of which machine, and what is taken for granted."""

from __future__ import annotations

from symroof.cli.question import Question
from symroof.graph.traffic import TRAFFIC
from symroof.roofline.inside import Residency
from symroof.units import human


def headline(question: Question) -> str:
    """Return the algorithm, its dtypes, and the machine with the rates that count."""
    roofline = question.general
    about = question.graph.about
    dtypes = [name for kind, name in roofline.work if kind == "flop"]
    peaks = ", ".join(
        f"{human(rate.resolved(), 4)} {name}"
        for name, rate in ((name, roofline.rate(("flop", name))) for name in dtypes)
    )
    machine = roofline.chip.title or roofline.chip.name
    rates = (
        f"dense {peaks}, {human(roofline.bandwidth.resolved(), 4)}"
        if peaks
        else (human(roofline.bandwidth.resolved(), 4))
    )
    per_chip = ", per chip" if roofline.system is not None else ""
    under = ", under its ceilings" if roofline.inside.ceilings else ""
    return f"{about.title or question.graph.name}   on {machine}: {rates}{per_chip}{under}"


def assumptions(question: Question) -> str:
    """Return the conventions in force, as one paragraph."""
    roofline = question.general
    parts = [
        *question.notes,
        "2 FLOP per multiply-add",
        "dense peaks",
        TRAFFIC.get(roofline.traffic, roofline.traffic),
    ]
    if roofline.inside.residency is Residency.COLD and not roofline.inside.levels:
        parts.append(f"every byte at {roofline.chip.main} (residency cold)")
    if roofline.placed is not None:
        parts.append("everything per chip, links one direction")
        parts.extend(roofline.assumptions)
    elif roofline.groups["network"].expr != 0:
        parts.append("links per chip and one direction, phases on links add")
        parts.extend(roofline.assumptions)
    else:
        parts.extend(roofline.inside.said)
    return (
        f"Assumes: {'; '.join(parts)}. With this traffic memory-bound is certain, unless more is"
        " fused; compute-bound is a best case. At equality the terms are balanced."
    )
