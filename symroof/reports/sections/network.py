"""The network: levels of the system, where axes lie, collectives and the time of each link."""

from __future__ import annotations

from sympy import Expr

from symroof.graph.op import Attrs
from symroof.reports.document import Block, Column, Items, Math, Paragraph, Runs, Section, Table
from symroof.reports.plots.network import network as network_plot
from symroof.reports.sections.times import figure
from symroof.reports.sections.wording import words
from symroof.reports.subject import OpFormulas, Subject
from symroof.roofline import Roofline
from symroof.symbolic.forms import Name, Quotient
from symroof.units import Quantity

MOST_ROWS = 60
DASH = words("–")


def network(subject: Subject) -> Section | None:
    """Return the section on the network; None where nothing is sent on a chip alone."""
    roofline = subject.general
    sending = [row for row in subject.ops if row.link_bytes.expr != 0]
    if not sending and roofline.placed is None:
        return None
    blocks: list[Block] = [*_system(roofline), *_links(subject)]
    if sending:
        blocks.append(_collectives(subject, sending))
        blocks.extend(figure(lambda: network_plot(subject.bound), "Under the roof of the links"))
    else:
        blocks.append(Paragraph(words("Nothing is sent between chips.")))
    return Section("network", "Network", tuple(blocks))


def _system(roofline: Roofline) -> list[Block]:
    """Return the levels of the system, and where the axes of the mesh lie on them."""
    placed = roofline.placed
    if placed is None:
        return []
    system = placed.system
    rows = tuple(
        (
            words(level.name),
            words(level.topology.title),
            words(level.kind or "–"),
            words(level.per_chip.text),
            words("–" if level.latency is None else level.latency.text),
            words(level.per_chip.confidence),
        )
        for level in system.levels
    )
    columns = (
        Column("level"),
        Column("joins"),
        Column("kind", optional=True),
        Column("per chip, one direction", right=True),
        Column("latency of a hop", right=True, optional=True),
        Column("confidence", optional=True),
    )
    where = [f"Axis {place}." for place in placed.places.values()]
    said = [*where, f"Levels: {placed.composition}. Everything here is per chip."]
    blocks: list[Block] = [Paragraph(words(f"{system.title} ({system.name})."))]
    if rows:
        blocks.append(Table(columns, rows, "Levels of the system, the innermost first"))
    blocks.append(Items(tuple(words(text) for text in said)))
    return blocks


def _links(subject: Subject) -> list[Block]:
    """Return the time of each link, where there are several."""
    roofline = subject.general
    found = [(name, term) for (kind, name), term in roofline.terms.items() if kind == "link"]
    if len(found) < 2:
        return []
    blocks: list[Block] = []
    for name, term in found:
        rate = roofline.rates.by_resource["link", name]
        definition = Quotient(Name(f"sent_{name}"), subject.form(rate))
        blocks.append(
            subject.derivation(f"network.{name}", f"time on {name}", f"t_{name}", term, definition)
        )
    return blocks


def _collectives(subject: Subject, sending: list[OpFormulas]) -> Table:
    """Return a row for each collective: its group, what a chip sends, how long that takes."""
    rows = []
    for place, row in enumerate(sending[:MOST_ROWS], 1):
        attrs = Attrs(row.op.attrs)
        link = row.op.cost.link
        rate = subject.general.rates.by_resource.get(("link", link))
        group = attrs.get("group")
        time = None if rate is None else Quantity.of(row.link_bytes.expr / rate, "s")
        rows.append(
            (
                words(row.name if row.ops == 1 else f"{row.name} and {row.ops - 1} more"),
                words(row.kind.replace("_", "-")),
                words(link),
                (Math(subject.form(group)),) if isinstance(group, Expr) else DASH,
                words(str(attrs.get("topology") or "switch")),
                (subject.math(row.link_bytes.expr),),
                _number(subject, f"sent.{place}.bytes", row.link_bytes),
                DASH if time is None else _number(subject, f"sent.{place}.time", time),
            )
        )
    columns = (
        Column("op"),
        Column("collective"),
        Column("link"),
        Column("group", right=True),
        Column("network", optional=True),
        Column("sent per chip"),
        Column("here", right=True),
        Column("time", right=True),
    )
    caption = "Collectives: what each chip sends in one direction, all runs together"
    return Table(columns, tuple(rows), caption)


def _number(subject: Subject, key: str, amount: Quantity) -> Runs:
    found = subject.claim(key, amount)
    return DASH if found is None else (found,)
