"""The symbols: what they mean, and what they are here."""

from __future__ import annotations

from symroof.reports.document import Column, Math, Runs, Section, Table, Text
from symroof.reports.keys import inside_role, meaning
from symroof.reports.sections.wording import words
from symroof.reports.subject import Subject
from symroof.roofline.documents import unit_of
from symroof.symbolic import symbol
from symroof.symbolic.forms import Name
from symroof.units import Quantity, unit_text

MOST = 60
MOST_TENSORS = 4


def symbols(subject: Subject) -> Section | None:
    """Return the section on symbols; None where formulas have none."""
    rows = [_row(subject, name) for name in _names(subject)]
    if not rows:
        return None
    left_out = len(rows) - MOST
    caption = f"{left_out} more are left out" if left_out > 0 else ""
    columns = (
        Column("symbol"),
        Column("meaning"),
        Column("value", right=True),
        Column("unit", optional=True),
        Column("key", optional=True),
    )
    return Section("symbols", "Symbols", (Table(columns, tuple(rows[:MOST]), caption),))


def _names(subject: Subject) -> list[str]:
    dims = [name for name in subject.general.scope.dimensions if "." not in name]
    ordered = [name for name in subject.order if name in dims]
    ordered += [name for name in dims if name not in ordered]
    return ordered + sorted(subject.labels, key=lambda key: (key.startswith("ridge."), key))


def _row(subject: Subject, name: str) -> tuple[Runs, ...]:
    about = subject.general.graph.about
    dimension = subject.general.scope.dimensions.get(name, ())
    unit = unit_of(name) if "." in name else unit_text(dimension)
    value: Runs = words("free")
    if name in subject.values:
        value = subject.cell(
            f"value.{name.replace(':', '-')}", Quantity.of(symbol(name), unit), digits=6
        )
    default = " (by default)" if name in subject.defaults else ""
    own = "" if "." in name else about.meanings.get(name) or _role(subject, name)
    what = own or meaning(subject.general, name)
    return (
        (Math(Name(name)),),
        (Text(what + default),),
        value,
        words(unit or ("count" if name in subject.general.scope.counts else "number")),
        words(name) if "." in name else words("–"),
    )


def _role(subject: Subject, name: str) -> str:
    """Return what a symbol is by where it stands: the tensors that have it in their shape."""
    symbol_of = symbol(name)
    plan = subject.general.graph.plan
    if plan is not None:
        for axis, size in plan.mesh.axes.items():
            if symbol_of in size.free_symbols:
                return f"chips along axis {axis}"
    tensors = [
        tensor.name
        for block in subject.general.graph.blocks()
        for tensor in block.leaves.values()
        if any(symbol_of in dim.free_symbols for dim in tensor.shape)
    ]
    if not tensors:
        return (
            inside_role(subject.general, name) or "a count"
            if name in subject.general.scope.counts
            else "a number"
        )
    more = f" and {len(tensors) - MOST_TENSORS} more" if len(tensors) > MOST_TENSORS else ""
    return f"dim of {', '.join(tensors[:MOST_TENSORS])}{more}"
