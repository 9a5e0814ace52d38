"""The work: FLOPs and bytes in closed form, in all and op by op."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from sympy import Add, Expr

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
from symroof.reports.sections.wording import words
from symroof.reports.subject import OpFormulas, Subject
from symroof.symbolic import bind, total
from symroof.symbolic.forms import Form, Name, Sum
from symroof.symbolic.numerals import number
from symroof.units import Quantity, ratio

MOST_ROWS = 120
RUN = "FLOPs_run"
LONG = 100
MOST_PARTS = 12
KEPT = 0.9
WORST = 0.25


def work(subject: Subject) -> Section:
    """Return the section on FLOPs and bytes."""
    roofline = subject.general
    rows = subject.ops
    blocks: list[Block] = []
    amounts = [("FLOPs", "flops", roofline.flops), ("bytes", "bytes", roofline.bytes)]
    if roofline.link_bytes.expr != 0:
        amounts.append(("link bytes", "link_bytes", roofline.link_bytes))
    for name, field, amount in amounts:
        blocks.extend(_amount(subject, name, field, amount, rows))
        near = _near(subject, name, field, amount)
        if near is not None:
            blocks.append(near)
    blocks.extend(_run(subject))
    if len(rows) > 1:
        table = _table if len(rows) <= MOST_ROWS else _by_kind
        blocks.append(table(subject, rows))
    return Section("work", "Work", tuple(blocks))


def work_symbol(subject: Subject) -> str:
    """Return what the FLOPs that take time are called: with tiles more than those of the work."""
    return "FLOPs" if subject.general.inside.quantise is None else RUN


def op_keys(subject: Subject) -> list[str]:
    """Return what the claims of each row of the table begin with; none where there is no table."""
    rows = subject.ops
    if len(rows) < 2:
        return []
    if len(rows) <= MOST_ROWS:
        return [f"ops.{place}" for place in range(1, len(rows) + 1)]
    return [f"ops.{kind}" for kind in dict.fromkeys(row.kind for row in rows)]


def _run(subject: Subject) -> list[Block]:
    """Return the FLOPs of whole tiles and waves, and what part of them is work."""
    roofline = subject.general
    if roofline.inside.quantise is None or roofline.flops.expr == 0:
        return []
    padded = total((amount, 1) for (kind, _), amount in roofline.work.items() if kind == "flop")
    amount = Quantity.of(padded, "FLOP")
    blocks: list[Block] = [
        subject.derivation("work.run", "FLOPs run, edges of tiles and waves included", RUN, amount)
    ]
    part = Quantity.of(roofline.flops.expr / padded, "")
    share = subject.claim("work.efficiency", part, by="work.flops/work.run", shown="%")
    if share is not None:
        said = (share, Text(" of what the engines run is work; the rest is edges and idle units."))
        blocks.append(Paragraph(said))
    return blocks


def _amount(
    subject: Subject, name: str, field: str, amount: Quantity, rows: Sequence[OpFormulas]
) -> list[Block]:
    """Return the derivation of a total; a long one in parts, one per kind of op."""
    key = f"work.{field}"
    kinds = dict.fromkeys(row.kind for row in rows if getattr(row, field).expr != 0)
    single = len(subject.form(amount.expr).unicode(subject.labels)) <= LONG
    if single or not 1 < len(kinds) <= MOST_PARTS:
        definition = Name(f"sum over ops of {name}")
        return [subject.derivation(key, name, name, amount, definition if len(rows) > 1 else None)]
    parts: list[Block] = []
    names: list[Form] = []
    for kind in kinds:
        expr = total((getattr(row, field).expr, 1) for row in rows if row.kind == kind)
        left = f"{name}_{kind}"
        names.append(Name(left))
        parts.append(
            subject.derivation(
                f"{key}.{kind}", f"{name} of {kind}", left, Quantity.of(expr, amount.unit)
            )
        )
    value = subject.claim(key, amount, by=" + ".join(f"{key}.{kind}" for kind in kinds))
    if value is None:
        subject.define(key, amount)
    steps = (Step("by kind of op", Sum(tuple(names))),)
    return [Derivation(name, Name(name), steps, amount.unit, value), *parts]


def _near(subject: Subject, name: str, field: str, amount: Quantity) -> Block | None:
    """Return the terms that dominate a sum here, with the error of leaving out the others."""
    expr = amount.expr.expand() if amount.expr.is_Mul else amount.expr
    if not isinstance(expr, Add) or len(expr.args) > 40:
        return None
    sized: list[tuple[Expr, Expr]] = []
    for term in expr.args:
        value = bind(term, subject.numbers)
        if value.free_symbols or not value.is_Rational:
            return None
        sized.append((value, term))
    sized.sort(key=lambda pair: (-abs(pair[0]), str(pair[1])))
    whole = sum(value for value, _ in sized)
    kept: list[Expr] = []
    reached = whole * 0
    for value, term in sized:
        if kept and reached >= whole * 9 / 10:
            break
        kept.append(term)
        reached += value
    if len(kept) == len(sized) or whole <= 0 or abs(reached / whole - 1) > WORST:
        return None
    short = total((term, 1) for term in kept)
    by = f"1 - ({subject.text(short)})/work.{field}"
    error = subject.claim(
        f"near.{field}", Quantity.of(1 - short / amount.expr, ""), by=by, shown="%"
    )
    if error is None:
        return None
    left_out = len(sized) - len(kept)
    terms = "term" if left_out == 1 else "terms"
    runs: list[Run] = [
        Text(f"Approximately, here, {name} ≈ "),
        subject.math(short),
        Text(f": {left_out} small {terms} left out, an error of "),
    ]
    runs.extend((error, Text(" at these numbers.")))
    return Paragraph(tuple(runs))


def _table(subject: Subject, rows: Sequence[OpFormulas]) -> Table:
    """Return a row per distinct op."""
    whole = subject.general.time.per_op
    sent = any(row.link_bytes.expr != 0 for row in rows)
    bounds = {row.name: row.bound for row in subject.bound.ops()}
    lines = []
    for place, row in enumerate(rows, 1):
        key = f"ops.{place}"
        name = row.name if row.ops == 1 else f"{row.name} and {row.ops - 1} more"
        bound = bounds[row.name]
        lines.append(
            (
                (Text(name),),
                subject.cell(f"{key}.count", row.count),
                subject.cell(f"{key}.flops", row.flops),
                subject.cell(f"{key}.bytes", row.bytes),
                *((subject.cell(f"{key}.sent", row.link_bytes),) if sent else ()),
                _intensity_cell(subject, key, row.flops, row.bytes),
                *_time_cells(subject, key, row.time, whole),
                (Text("depends" if bound is None else str(bound)),),
            )
        )
    caption = "Op by op; ops with equal costs share a row; the share is of the per-op bound"
    return without_dashes(Table(_columns("op", sent), tuple(lines), caption))


def without_dashes(table: Table) -> Table:
    """Return a table without the columns that say nothing."""
    kept = [
        place
        for place in range(len(table.columns))
        if any(row[place] != words("–") for row in table.rows)
    ]
    return Table(
        tuple(table.columns[place] for place in kept),
        tuple(tuple(row[place] for place in kept) for row in table.rows),
        table.caption,
    )


def _by_kind(subject: Subject, rows: Sequence[OpFormulas]) -> Table:
    """Return a row per kind of op, where there are too many ops to list."""
    whole = subject.general.time.per_op
    sent = any(row.link_bytes.expr != 0 for row in rows)
    groups: dict[str, list[OpFormulas]] = {}
    for row in rows:
        groups.setdefault(row.kind, []).append(row)
    lines = []
    for kind, found in groups.items():
        key = f"ops.{kind}"
        flops, moved, links, time = (
            _summed(found, lambda row, field=field: getattr(row, field))  # type: ignore[misc]
            for field in ("flops", "bytes", "link_bytes", "time")
        )
        lines.append(
            (
                (Text(kind),),
                subject.cell(f"{key}.count", _summed(found, lambda row: row.count)),
                subject.cell(f"{key}.flops", flops),
                subject.cell(f"{key}.bytes", moved),
                *((subject.cell(f"{key}.sent", links),) if sent else ()),
                _intensity_cell(subject, key, flops, moved),
                *_time_cells(subject, key, time, whole),
                (Text("–"),),
            )
        )
    caption = f"By kind of op: {number(len(rows))} distinct ops are too many to list"
    return without_dashes(Table(_columns("kind", sent), tuple(lines), caption))


def _columns(first: str, sent: bool) -> tuple[Column, ...]:
    return (
        Column(first),
        Column("times", right=True, optional=True),
        Column("FLOPs", right=True),
        Column("bytes", right=True),
        *((Column("sent", right=True),) if sent else ()),
        Column("intensity", right=True, optional=True),
        Column("time", right=True),
        Column("share", right=True),
        Column("bound"),
    )


def _intensity_cell(subject: Subject, key: str, flops: Quantity, moved: Quantity) -> Runs:
    intensity = ratio(flops, moved)
    if intensity is None:
        return words("–")
    sides = [subject.number(side.expr) for side in (flops, moved)]
    if any(side.free_symbols for side in sides):
        return (subject.math(intensity.expr),)
    if 0 in sides:
        return subject.cell(f"{key}.intensity", intensity)
    exact = Quantity.of(sides[0] / sides[1], intensity.unit)
    return subject.cell(f"{key}.intensity", exact, by=f"{key}.flops/{key}.bytes")


def _time_cells(subject: Subject, key: str, time: Quantity, whole: Quantity) -> tuple[Runs, Runs]:
    """Return the cells of the time and its share; dashes where symbols would make them long."""
    claim = subject.claim(f"{key}.time", time)
    if claim is None:
        return (words("–"), words("–"))
    every = subject.number(whole.expr)
    share = Quantity.of(subject.number(time.expr) / every, "") if every != 0 else None
    if share is None:
        return ((claim,), words("–"))
    return (claim,), subject.cell(f"{key}.share", share, by=f"{key}.time/time.per_op", shown="%")


def _summed(rows: Iterable[OpFormulas], of: Callable[[OpFormulas], Quantity]) -> Quantity:
    quantities = [of(row) for row in rows]
    expr = total((quantity.expr, 1) for quantity in quantities)
    return Quantity.of(expr, quantities[0].unit, quantities[0].scope)
