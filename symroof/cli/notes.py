"""The lines around every answer: what was asked of which machine, and what is taken for granted."""

from __future__ import annotations

from symroof.cli.question import Question
from symroof.graph.traffic import TRAFFIC
from symroof.roofline.inside import Inside
from symroof.roofline.inside_kinds import ONCE, Residency
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


def assumptions(question: Question, *, ceilings: bool = True) -> str:
    """Return the conventions in force, as one paragraph; ceilings where no line shows them."""
    roofline = question.general
    inside, main = roofline.inside, roofline.chip.main
    traffic = TRAFFIC.get(roofline.traffic, roofline.traffic)
    parts = [
        *question.notes,
        "2 FLOP per multiply-add",
        "dense peaks",
        "nothing fused" if main in inside.levels and roofline.traffic == "unfused" else traffic,
    ]
    if inside.residency is Residency.COLD and not inside.levels:
        parts.append(f"every byte at {main} (residency cold)")
    if roofline.placed is not None:
        parts.append("everything per chip, links one direction")
        parts.extend(roofline.assumptions)
    elif roofline.groups["network"].expr != 0:
        parts.append("links per chip and one direction, phases on links add")
        parts.extend(roofline.assumptions)
    else:
        parts.extend(roofline.said)
    shown = [part for part in parts if ceilings or not part.startswith("ceiling ")]
    unless = "more is fused"
    unless += " or other tiles move less" if counts_tiles(inside) else ""
    unless += " or a ceiling is lifted" if inside.ceilings else ""
    return (
        f"Assumes: {'; '.join(shown)}. With this traffic memory-bound is certain, unless {unless};"
        " compute-bound is a best case. At equality the terms are balanced."
    )


def counts_tiles(inside: Inside) -> bool:
    """Return whether bytes are those of tiles or given, so that another schedule may move less."""
    return any(how != ONCE for how in inside.levels.values())
