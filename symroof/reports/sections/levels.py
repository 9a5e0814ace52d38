"""The levels of memory: bytes, rate and time of each, how they make one, intensity and ridge."""

from __future__ import annotations

from symroof.reports.document import (
    Block,
    Column,
    Derivation,
    Paragraph,
    Runs,
    Section,
    Table,
    Text,
)
from symroof.reports.sections.wording import words
from symroof.reports.sections.work import without_dashes
from symroof.reports.subject import DIGITS, Subject
from symroof.roofline.inside_kinds import Numa
from symroof.roofline.level_rows import LevelRow
from symroof.roofline.terms import MAIN, REMOTE
from symroof.symbolic.forms import Call, Form, Name, Quotient, Sum
from symroof.units import Quantity

ABOUT = (
    "The hierarchical roofline: each level has a slanted roof of its own, and the same FLOPs an"
    " intensity at each. A level binds where its intensity is below its ridge point, and of those"
    " the one that takes longest."
)


def level_lines(subject: Subject) -> list[Derivation]:
    """Return the time of each level, from bytes and bandwidth; nothing where there is one alone."""
    rows = subject.general.levels
    return [_line(subject, row) for row in rows] if len(rows) > 1 else []


def level_keys(subject: Subject) -> list[str]:
    """Return the keys of the times of the levels, where there are several."""
    rows = subject.general.levels
    return [f"level.{row.name}.time" for row in rows] if len(rows) > 1 else []


def level_names(subject: Subject) -> list[Form]:
    """Return the names of these times."""
    return [Name(f"t_{row.name}") for row in subject.general.levels]


def composed(subject: Subject) -> Form:
    """Return the memory time by those of its levels: the slowest; NUMA in series adds.

    The levels are those of `level_lines`.
    """
    names = {row.resource: Name(f"t_{row.name}") for row in subject.general.levels}
    if subject.general.inside.numa is Numa.SERIAL and MAIN in names and REMOTE in names:
        both = Sum((names.pop(MAIN), names.pop(REMOTE)))
        return Call("max", (*names.values(), both)) if names else both
    return Call("max", tuple(names.values()))


def levels(subject: Subject) -> Section | None:
    """Return the section on the levels of memory; None where all bytes are at one."""
    rows = subject.general.levels
    if len(rows) < 2:
        return None
    blocks: list[Block] = [Paragraph(words(ABOUT))]
    intensities = [_intensity(subject, row) for row in rows]
    blocks.extend(found for found in intensities if found is not None)
    blocks.append(_table(subject, rows))
    return Section("levels", "Levels of memory", tuple(blocks))


def _line(subject: Subject, row: LevelRow) -> Derivation:
    amount = Name(f"bytes_{row.name}")
    definition = Quotient(amount, subject.form(row.bandwidth.expr))
    name = f"time at {row.name}"
    return subject.derivation(f"level.{row.name}.time", name, f"t_{row.name}", row.time, definition)


def _intensity(subject: Subject, row: LevelRow) -> Derivation | None:
    """Return the intensity at a level; None where nothing is computed or moved there."""
    if row.intensity is None or subject.number(row.bytes.expr) == 0:
        return None
    definition = Quotient(Name("FLOPs"), Name(f"bytes_{row.name}"))
    return subject.derivation(
        f"level.{row.name}.intensity",
        f"intensity at {row.name}",
        f"intensity_{row.name}",
        row.intensity,
        definition,
        digits=6,
    )


def _table(subject: Subject, rows: tuple[LevelRow, ...]) -> Table:
    columns = (
        Column("level"),
        Column("holds", right=True, optional=True),
        Column("bandwidth", right=True),
        Column("bytes", right=True),
        Column("time", right=True),
        Column("intensity", right=True),
        Column("ridge point", right=True),
        Column("next to compute"),
    )
    cells = tuple(_cells(subject, row) for row in rows)
    return without_dashes(Table(columns, cells, "Levels of memory, the innermost first"))


def _cells(subject: Subject, row: LevelRow) -> tuple[Runs, ...]:
    key = f"level.{row.name}"
    moved = subject.number(row.bytes.expr) != 0
    intensity = _cell(subject, f"{key}.at", row.intensity, by=f"{key}.intensity", digits=6)
    if not moved:
        intensity = words("–" if row.intensity is None else "∞")
    return (
        (Text(row.name),),
        _cell(subject, f"{key}.capacity", row.capacity),
        _cell(subject, f"{key}.bandwidth", row.bandwidth),
        _cell(subject, f"{key}.bytes", row.bytes),
        _cell(subject, f"{key}.takes", row.time, by=f"{key}.time"),
        intensity,
        _cell(subject, f"{key}.ridge", row.ridge, digits=6),
        words(_verdict(subject, row)),
    )


def _cell(
    subject: Subject, key: str, amount: Quantity | None, *, by: str = "", digits: int = DIGITS
) -> Runs:
    """Return a number; a dash while names are free, for the formulas stand above."""
    claim = None if amount is None else subject.claim(key, amount, by=by, digits=digits)
    return words("–") if claim is None else (claim,)


def _verdict(subject: Subject, row: LevelRow) -> str:
    """Return how the time at a level compares with that of compute."""
    moved, compute = (subject.number(time.expr) for time in (row.time, subject.general.t_compute))
    if moved.free_symbols or compute.free_symbols:
        return "depends"
    if moved == 0:
        return "no bytes"
    if moved == compute:
        return "equal"
    return "longer" if (moved - compute).is_positive else "shorter"
