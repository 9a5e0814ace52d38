"""The machine: each number with its source, and how sure it is."""

from __future__ import annotations

import re

from symroof.reports.document import (
    Block,
    Column,
    Items,
    Link,
    Paragraph,
    Run,
    Runs,
    Section,
    Table,
    Text,
)
from symroof.reports.sections.wording import words
from symroof.reports.subject import Subject

_URL = re.compile(r"https?://[^\s<>\"]+[^\s<>\".,;)]")


def machine(subject: Subject) -> Section:
    """Return the section on the machine's numbers and where they are from."""
    chip = subject.general.chip
    facts = chip.describe()
    sources = list(dict.fromkeys(fact.source for fact in facts if fact.source))
    rows = tuple(
        (
            words(fact.quantity),
            words(fact.value),
            words(fact.confidence),
            words(f"[{sources.index(fact.source) + 1}]" if fact.source else "–"),
            words(fact.note or "–"),
        )
        for fact in facts
    )
    columns = (
        Column("number"),
        Column("value", right=True),
        Column("confidence"),
        Column("source"),
        Column("note", optional=True),
    )
    title = chip.title or chip.name
    blocks: list[Block] = [
        Paragraph(words(f"{title} ({chip.name}). Peaks are dense unless said otherwise."))
    ]
    given = subject.bound.overridden_rates
    if given:
        named = "; ".join(f"{key} = {value}" for key, value in given.items())
        blocks.append(Paragraph(words(f"Given instead of the machine's own: {named}.")))
    blocks.append(Table(columns, rows, "Numbers of the machine"))
    if sources:
        blocks.append(
            Items(
                tuple(
                    (Text(f"[{place}] "), *_linked(source))
                    for place, source in enumerate(sources, 1)
                )
            )
        )
    blocks.extend(Paragraph(words(note)) for note in chip.notes)
    return Section("machine", "Machine", tuple(blocks))


def _linked(source: str) -> Runs:
    """Return a source with its addresses as links."""
    runs: list[Run] = []
    end = 0
    for match in _URL.finditer(source):
        if match.start() > end:
            runs.append(Text(source[end : match.start()]))
        runs.append(Link(match[0], match[0]))
        end = match.end()
    if end < len(source):
        runs.append(Text(source[end:]))
    return tuple(runs)
