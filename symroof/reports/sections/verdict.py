"""The verdict: which time term is the largest, by which comparison."""

from __future__ import annotations

from symroof.errors import UnboundError
from symroof.reports.document import (
    Block,
    Column,
    Math,
    Note,
    Paragraph,
    Run,
    Runs,
    Section,
    Table,
    Text,
    Tone,
)
from symroof.reports.sections.wording import listed
from symroof.reports.subject import Subject
from symroof.symbolic import to_text
from symroof.symbolic.forms import Name
from symroof.symbolic.numerals import number
from symroof.units import ratio


def verdict(subject: Subject) -> Section | None:
    """Return the section on the verdict; None while symbols decide."""
    try:
        subject.bound.largest_terms()
    except UnboundError as error:
        names = listed(error.names)
        text = f"The largest time term depends on {names}; the verdict needs numbers."
        return Section("verdict", "Verdict", (Paragraph((Text(text),)),))
    blocks: list[Block] = [Paragraph(verdict_runs(subject, "verdict"))]
    used = _utilisation(subject)
    if used is not None:
        blocks.append(used)
    if subject.bound.verdict().value == "compute":
        traffic = subject.bound.traffic
        text = (
            f"Compute-bound is a best case: a run with {traffic} traffic moves no less than this."
        )
        blocks.append(Note(Tone.NOTE, (Text(text),)))
    return Section("verdict", "Verdict", tuple(blocks))


def verdict_runs(subject: Subject, key: str) -> Runs:
    """Return the verdict as a sentence, with the times that are compared."""
    bound = subject.bound
    largest = bound.largest_terms()
    if not largest:
        return (Text("No work: nothing is computed, moved or sent."),)
    at = ", ".join(f"{name} = {_value(value)}" for name, value in bound.bindings.items())
    where = f"At {at}: " if at else ""
    what = f"{largest[0]}-bound" if len(largest) == 1 else "balanced"
    runs: list[Run] = [Text(f"{where}{what if where else what.capitalize()}")]
    terms = {name: term for name, term in subject.general.groups.items() if term.expr != 0}
    names = [*largest, *(name for name in terms if name not in largest)]
    found = {name: subject.claim(f"{key}.{name}", terms[name], by=f"time.{name}") for name in names}
    shown = [name for name in names if found[name] is not None]
    if len(shown) == len(names):
        runs.append(Text(", because " if len(names) > 1 else ": "))
        for place, name in enumerate(names):
            claim = found[name]
            assert claim is not None
            if place:
                sign = " = " if name in largest else " > " if place == len(largest) else ", "
                runs.append(Text(sign))
            runs.extend((Math(Name(f"t_{name}")), Text(" = "), claim))
        runs.append(Text("."))
        runs.extend(_comparisons(subject, key, largest, names))
    else:
        free = sorted({s.name for term in terms.values() for s in term.expr.free_symbols})
        left = [name for name in free if name not in subject.numbers]
        runs.append(Text(f" for all values of {listed(left)}."))
    return tuple(runs)


def _comparisons(
    subject: Subject, key: str, largest: tuple[str, ...], names: list[str]
) -> list[Run]:
    """Return the comparisons as claims that show nothing: they are there to be checked."""
    return [
        subject.truth(
            f"{key}.{left}-{right}",
            f"time.{left}",
            "=" if right in largest else ">",
            f"time.{right}",
        )
        for left, right in ((largest[0], name) for name in names[1:])
    ]


def _utilisation(subject: Subject) -> Table | None:
    general = subject.general
    whole = general.time.overlapped
    rows = []
    for name, time in general.groups.items():
        share = ratio(time, whole)
        if time.expr == 0 or share is None:
            continue
        if subject.claim(f"time.{name}", time) is None or subject.number(whole.expr) == 0:
            return None  # what cancels out of the share is still free in the time
        claim = subject.claim(
            f"verdict.use.{name}", share, by=f"time.{name}/time.overlapped", shown="%"
        )
        if claim is None:
            return None
        rows.append(((Text(name),), (claim,)))
    columns = (Column("resource"), Column("in use, when everything overlaps", right=True))
    return (
        Table(columns, tuple(rows), "How busy each resource is at the overlapped bound")
        if rows
        else None
    )


def _value(value: object) -> str:
    try:
        return number(value) if isinstance(value, int) else str(value)
    except ValueError:
        return to_text(value)
