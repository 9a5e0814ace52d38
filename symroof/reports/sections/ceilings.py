"""The ceilings: what each leaves of its roof, what lifting it would gain, and which binds."""

from __future__ import annotations

from symroof.errors import UnboundError
from symroof.reports.document import (
    Block,
    Column,
    Derivation,
    Paragraph,
    Run,
    Runs,
    Section,
    Step,
    Table,
    Text,
)
from symroof.reports.sections.wording import listed, words
from symroof.reports.subject import Subject
from symroof.roofline.lifting import Lifting
from symroof.symbolic.forms import Name, Quotient

LONG = 600
ABOUT = (
    "A ceiling holds as long as something is not done; lifting it gains the time with it ÷ the time"
    " without it, all others left in place. It binds where the longest time is at the rate it"
    " leaves; of two that bind together neither gains anything alone."
)


def ceilings(subject: Subject) -> Section | None:
    """Return the section on ceilings; None where none is applied."""
    found = subject.general.liftings
    if not found:
        return None
    blocks: list[Block] = [
        Paragraph(words(ABOUT)),
        *(_gain(subject, place, lifting) for place, lifting in enumerate(found, 1)),
        _table(subject, found),
        Paragraph(ceiling_runs(subject, "ceilings")),
    ]
    return Section("ceilings", "Ceilings", tuple(blocks))


def ceiling_runs(subject: Subject, key: str) -> Runs:
    """Return which ceiling binds and what lifting it gains, as a sentence; nothing without any."""
    found = subject.general.liftings
    if not found:
        return ()
    try:
        binds = subject.bound.binding_ceiling()
    except UnboundError as error:
        return words(f"Which ceiling binds depends on {listed(error.names)}.")
    if binds is None:
        return words("No ceiling binds: lifting them gains nothing.")
    place = [lifting.ceiling.name for lifting in found].index(binds.ceiling.name)
    runs: list[Run] = [Text(f"The ceiling that binds is {binds.ceiling.name}")]
    gain = subject.claim(f"{key}.gain", found[place].gain, by=f"{_key(place + 1)}.gain")
    if gain is not None and gain.exact == "1":
        runs.append(Text(", with others: lifting it alone gains nothing"))
    elif gain is not None:
        runs.extend((Text(": lifting it makes it "), gain, Text(" times as fast")))
    return (*runs, Text("."))


def _key(place: int) -> str:
    return f"lifting.{place}"


def _gain(subject: Subject, place: int, lifting: Lifting) -> Derivation:
    """Return the gain as a closed form, where that is not too long to read, and its number."""
    key, name = _key(place), f"gain without {lifting.ceiling.name}"
    by = f"time.overlapped/{key}.time"
    value = subject.claim(f"{key}.gain", lifting.gain, by=by)
    if value is None:
        subject.define(f"{key}.gain", lifting.gain)
    times = subject.general.time.overlapped.expr, lifting.time.expr
    closed = Quotient(*map(subject.form, times))
    steps = [Step("definition", Quotient(Name("t_overlapped"), Name(f"t_without_{place}")))]
    if len(closed.unicode(subject.labels)) <= LONG:
        steps.append(Step("closed form", closed))
        if value is not None:
            steps.append(Step("with numbers", subject.with_numbers(closed)))
    return Derivation(name, Name(f"gain_{place}"), tuple(steps), "", value)


def _table(subject: Subject, found: tuple[Lifting, ...]) -> Table:
    rows = []
    for place, lifting in enumerate(found, 1):
        ceiling = lifting.ceiling
        rows.append(
            (
                words(ceiling.name),
                words(ceiling.on),
                words(ceiling.text),
                subject.cell(f"{_key(place)}.time", lifting.time),
                subject.cell(f"{_key(place)}.more", lifting.gain, by=f"{_key(place)}.gain"),
                words(ceiling.reason or "–"),
            )
        )
    columns = (
        Column("ceiling"),
        Column("under"),
        Column("leaves", right=True),
        Column("time without it", right=True),
        Column("gain", right=True),
        Column("reason", optional=True),
    )
    return Table(columns, tuple(rows), "Ceilings that are applied")
