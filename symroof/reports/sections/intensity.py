"""Arithmetic intensity, its limits, and the critical intensity it is compared with."""

from __future__ import annotations

from sympy import oo

from symroof.errors import SymroofError
from symroof.reports.document import Block, Column, Math, Runs, Section, Table
from symroof.reports.plots.intensity import intensity as intensity_plot
from symroof.reports.plots.roofline import roofline as roofline_plot
from symroof.reports.sections.times import figure
from symroof.reports.sections.wording import words
from symroof.reports.sections.work import MOST_ROWS
from symroof.reports.subject import Asked, Subject
from symroof.symbolic.forms import Form, Name, Quotient
from symroof.units import Quantity

MOST_LIMITS = 12


def intensity(subject: Subject) -> Section | None:
    """Return the section on arithmetic intensity; None where nothing is computed or moved."""
    roofline = subject.general
    if roofline.intensity is None:
        return None
    definition = Quotient(Name("FLOPs"), Name("bytes"))
    main = subject.derivation(
        "intensity.main",
        "arithmetic intensity",
        "intensity",
        roofline.intensity,
        definition,
        digits=6,
    )
    blocks: list[Block] = [main]
    if roofline.flops.expr != 0:
        blocks.append(_critical(subject))
        blocks.extend(_link(subject))
        limits = _limits(subject)
        if limits is not None:
            blocks.append(limits)
        # Fusing a graph of many different ops takes longer than all the rest.
        fused = None if len(subject.ops) <= MOST_ROWS else False
        blocks.extend(figure(lambda: roofline_plot(subject.bound, fused=fused), "The roofline"))
    asked = subject.asked
    if asked is not None and _is_ridge(asked):
        caption = f"Arithmetic intensity against {asked.name}"
        blocks.extend(figure(lambda: intensity_plot(asked.bound, asked.name), caption))
    return Section("intensity", "Arithmetic intensity", tuple(blocks))


def _critical(subject: Subject) -> Block:
    """Return the derivation of the critical intensity: peak ÷ bandwidth."""
    roofline = subject.general
    dtypes = [name for kind, name in roofline.work if kind == "flop"]
    mean = Quotient(Name("FLOPs"), Name("t_compute"))
    peak = subject.form(roofline.peak.expr) if len(dtypes) == 1 else mean
    ridge = next(
        (key for key in subject.labels if key.startswith("ridge.") and key.count(".") == 1),
        "critical intensity",
    )
    return subject.derivation(
        "intensity.critical",
        "critical intensity (ridge point)",
        ridge,
        roofline.critical_intensity,
        Quotient(peak, subject.form(roofline.bandwidth.expr)),
        digits=6,
    )


def _is_ridge(asked: Asked) -> bool:
    """Return whether the crossover is where the intensity passes the ridge point."""
    terms = asked.bound.unbound.groups
    return asked.term == "compute" and asked.answer.problem.integer and terms["network"].expr == 0


def _link(subject: Subject) -> list[Block]:
    roofline = subject.general
    link, critical = roofline.link_intensity, roofline.critical_link_intensity
    if link is None or critical is None:
        return []
    rates = [rate for (kind, _), rate in roofline.rates.by_resource.items() if kind == "link"]
    speed: Form = Quotient(Name("link bytes"), Name("t_network"))
    speed = subject.form(rates[0]) if len(rates) == 1 else speed
    keys = [key for key in subject.labels if key.startswith("ridge.") and key.count(".") == 2]
    left = keys[0] if len(keys) == 1 else "critical link intensity"
    definition = Quotient(Name("FLOPs"), Name("link bytes"))
    return [
        subject.derivation(
            "intensity.link", "link intensity", "link intensity", link, definition, digits=6
        ),
        subject.derivation(
            "intensity.critical_link",
            "critical link intensity",
            left,
            critical,
            Quotient(subject.form(roofline.peak.expr), speed),
            digits=6,
        ),
    ]


def _limits(subject: Subject) -> Table | None:
    """Return what the intensity tends to as each dim grows."""
    roofline = subject.general
    if roofline.intensity is None:
        return None
    rows = []
    names = sorted(
        (
            name
            for name in (s.name for s in roofline.intensity.expr.free_symbols)
            if "." not in name
        ),
        key=lambda name: subject.order.index(name) if name in subject.order else len(subject.order),
    )
    for name in names[:MOST_LIMITS]:
        try:
            limit = roofline.limit(name)
        except SymroofError:  # not every formula has one that is known
            continue
        infinite = limit.expr is oo
        closed: Runs = words("∞") if infinite else (subject.math(limit.expr),)
        known = (
            None
            if infinite
            else subject.claim(f"limit.{name}", Quantity.of(limit.expr, limit.unit), digits=5)
        )
        number: Runs = (
            words("grows without bound") if infinite else words("–") if known is None else (known,)
        )
        rows.append(((Math(Name(name)),), closed, number))
    if not rows:
        return None
    columns = (
        Column("as this grows"),
        Column("the intensity tends to"),
        Column("here", right=True),
    )
    return Table(columns, tuple(rows), "Limits of the intensity")
