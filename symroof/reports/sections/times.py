"""The time terms, level by level: definition, closed form, numbers, value; and the bounds."""

from __future__ import annotations

from collections.abc import Callable

from symroof.errors import SymroofError
from symroof.reports.document import (
    Block,
    Column,
    Derivation,
    Figure,
    Math,
    Runs,
    Section,
    Step,
    Table,
    Text,
)
from symroof.reports.plots.breakdown import breakdown
from symroof.reports.plots.plot import Plot
from symroof.reports.sections.levels import composed, level_keys, level_lines, level_names
from symroof.reports.sections.wording import listed, words
from symroof.reports.sections.work import op_keys, work_symbol
from symroof.reports.subject import Subject
from symroof.roofline.terms import GROUPS
from symroof.symbolic.forms import Call, Form, Name, Product, Quotient, Sum
from symroof.units import Quantity

SYMBOLS = {
    "flop": "FLOPs",
    "byte": "bytes",
    "link": "link bytes",
    "hop": "hops",
    "launch": "kernels",
}
NOTHING = {
    "network": "nothing is sent",
    "compute": "nothing is computed",
    "memory": "nothing is moved",
    "launch": "nothing is launched",
}


def times(subject: Subject) -> Section:
    """Return the section on the time terms."""
    roofline = subject.general
    blocks: list[Block] = []
    for group, term in roofline.groups.items():
        name = f"{group} time"
        if term.expr == 0:
            blocks.append(
                Derivation(
                    name, Name(f"t_{group}"), (Step(NOTHING[group], subject.form(term.expr)),), "s"
                )
            )
            continue
        if group == "memory":
            blocks.extend(level_lines(subject))
        blocks.append(
            subject.derivation(
                f"time.{group}", name, f"t_{group}", term, _definition(subject, group)
            )
        )
    blocks.append(_bounds(subject))
    if len(roofline.graph.ops) > 1:
        blocks.extend(figure(lambda: breakdown(subject.bound), "Where the time goes"))
    return Section("time", "Time terms", tuple(blocks))


def figure(make: Callable[[], Plot], caption: str) -> list[Block]:
    """Return a figure; nothing where the plot needs numbers that are not there."""
    try:
        return [Figure(make(), caption)]
    except SymroofError:
        return []


def _definition(subject: Subject, group: str) -> Form:
    """Return the sum of work ÷ rate, over the resources of a group; of memory the slowest level."""
    roofline = subject.general
    if group == "memory" and len(roofline.levels) > 1:
        return composed(subject)
    found = [resource for resource in roofline.work if GROUPS[resource[0]] == group]
    placed = roofline.placed
    pipelined = placed is not None and placed.pipelined and group == "network"
    levels = placed.levels if placed is not None and pipelined else {}
    quotients: dict[str, list[Form]] = {}
    for resource in found:
        kind, name = resource
        symbol = SYMBOLS[kind] if kind != "flop" else work_symbol(subject)
        amount = Name(symbol if len(found) == 1 else f"{symbol}_{name}")
        rate = roofline.rates.by_resource[resource]
        term: Form = Quotient(amount, subject.form(rate))
        if kind in ("hop", "launch"):
            term = Product((amount, subject.form(1 / rate)))
        quotients.setdefault(levels.get(name, ""), []).append(term)
    sums = [terms[0] if len(terms) == 1 else Sum(tuple(terms)) for terms in quotients.values()]
    return sums[0] if len(sums) == 1 else Call("max", tuple(sums))


def _is_pipelined(subject: Subject) -> bool:
    placed = subject.general.placed
    return placed is not None and placed.pipelined


def _bounds(subject: Subject) -> Table:
    time = subject.general.time
    groups = [name for name, term in subject.general.groups.items() if term.expr != 0]
    terms: tuple[Form, ...] = tuple(Name(f"t_{name}") for name in groups)
    largest: Form = Call("max", terms) if len(terms) > 1 else (*terms, Name("0"))[0]
    parts = [part for name in groups for part in _parts(subject, name)]
    summed: Form = Sum(tuple(parts)) if len(parts) > 1 else largest
    rows = (
        (
            (Text("overlapped: everything overlaps"),),
            (Math(largest),),
            _value(subject, "overlapped", time.overlapped),
        ),
        (
            (Text("per op: ops follow each other, the terms of one op overlap"),),
            (Text("sum over ops of "), Math(Call("max", terms) if len(terms) > 1 else largest)),
            _value(subject, "per_op", time.per_op),
        ),
        (
            (Text("serial: nothing overlaps"),),
            (Text("all terms, levels one after the other"),)
            if _is_pipelined(subject)
            else (Math(summed),),
            _value(subject, "serial", time.serial),
        ),
    )
    columns = (Column("bound on the time"), Column("definition"), Column("value", right=True))
    return Table(columns, rows, "Three bounds, in rising order")


def _parts(subject: Subject, group: str) -> list[Form]:
    """Return what a term adds to the sum of all: each level of memory on its own."""
    if group == "memory" and level_keys(subject):
        return level_names(subject)
    return [Name(f"t_{group}")]


def _value(subject: Subject, bound: str, time: Quantity) -> Runs:
    """Return a bound, from the terms where it is one of these sums."""
    terms = [f"time.{name}" for name, term in subject.general.groups.items() if term.expr != 0]
    levels = level_keys(subject)
    parts = [key for key in terms if key != "time.memory" or not levels]
    by = {"overlapped": "", "serial": ""}
    if len(terms) > 1:
        by = {"overlapped": f"max({', '.join(terms)})", "serial": " + ".join([*parts, *levels])}
    if _is_pipelined(subject):
        by["serial"] = ""
    by["per_op"] = " + ".join(f"{key}.time" for key in op_keys(subject))
    stated = by[bound]
    claim = subject.claim(f"time.{bound}", time, by=stated)
    if claim is not None:
        return (claim,)
    numbers = subject.numbers
    free = sorted({symbol.name for symbol in time.expr.free_symbols} - numbers.keys())
    return words(f"needs {listed(free)}")
