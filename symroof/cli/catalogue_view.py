"""Chips, ops and named algorithms, as text for people and as plain data."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from symroof.cli.text import Block, Grid, Lines, Sentence
from symroof.graph import functions, kinds
from symroof.graph.registry import op as find_op
from symroof.graph.spec import algorithms, load
from symroof.hardware import Chip, chip, chips
from symroof.roofline.documents import SCHEMA_VERSION
from symroof.units import human


def chips_view() -> tuple[str, list[Block]]:
    """Return a table of all chips with the rates people ask for first."""
    rows = [_summary(chip(name)) for name in chips()]
    header = ["chip", "peak, dense", "memory", "capacity", "ridge (FLOP/byte)", "link, one way"]
    return (
        f"{len(rows)} chips; symroof chips NAME shows every number with its source",
        [Grid(header, rows, frozenset({1, 2, 3, 4, 5}))],
    )


def chips_document() -> dict[str, Any]:
    """Return all chips as plain data."""
    return {"schema_version": SCHEMA_VERSION, "chips": [_facts(chip(name)) for name in chips()]}


def chip_view(name: str) -> tuple[str, list[Block]]:
    """Return every number of a chip, with source and confidence."""
    found = chip(name)
    rows = [
        [
            fact.quantity,
            fact.value,
            fact.confidence,
            "; ".join(t for t in (fact.source, fact.note) if t),
        ]
        for fact in found.describe()
    ]
    blocks: list[Block] = [Grid(["number", "value", "confidence", "source and note"], rows)]
    blocks.extend(Sentence(note) for note in found.notes)
    title = f"{found.name}   {found.title or ''}".rstrip()
    return title, blocks


def chip_document(name: str) -> dict[str, Any]:
    """Return a chip as plain data."""
    return {"schema_version": SCHEMA_VERSION, "chip": _facts(chip(name))}


def ops_view() -> tuple[str, list[Block]]:
    """Return a table of ops with their counts, and the named algorithms."""
    grid = Grid(["op", "FLOPs"], [[name, kind.count] for name, kind in kinds().items()])
    named = Grid(
        ["algorithm", "what it is"], [[name, load(name).about.title] for name in algorithms()]
    )
    return "ops, and the algorithms known by name; symroof explain OP says more", [grid, named]


def ops_document() -> dict[str, Any]:
    """Return ops and named algorithms as plain data."""
    return {
        "schema_version": SCHEMA_VERSION,
        "ops": [_op(name) for name in kinds()],
        "algorithms": [{"name": name, "title": load(name).about.title} for name in algorithms()],
    }


def op_view(name: str) -> tuple[str, list[Block]]:
    """Return how an op is counted, and the text of its function."""
    kind, function = find_op(name), functions()[name]
    rows = [("FLOPs", kind.count), ("source", kind.source)]
    rows += [("FLOP weight", f"{key} = {value}") for key, value in kind.weights.items()]
    blocks: list[Block] = [Lines(rows), Sentence(inspect.getdoc(function) or "", as_is=True)]
    return f"ops.{name}{_signature(function)}", blocks


def op_document(name: str) -> dict[str, Any]:
    """Return how an op is counted, as plain data."""
    find_op(name)
    return {"schema_version": SCHEMA_VERSION, "op": _op(name)}


def _signature(function: Callable[..., Any]) -> str:
    return str(inspect.signature(function)).replace("'", "")


def _op(name: str) -> dict[str, Any]:
    kind, function = find_op(name), functions()[name]
    return {
        "name": name,
        "count": kind.count,
        "source": kind.source,
        "flop_weights": {key: str(value) for key, value in kind.weights.items()},
        "signature": _signature(function),
        "doc": inspect.getdoc(function) or "",
    }


def _summary(found: Chip) -> list[str]:
    dtype = found.default_dtype
    link = human(found.link().resolved(), 4) if any(x.name == "link" for x in found.links) else "–"
    return [
        found.name,
        f"{human(found.peak(dtype).resolved(), 4)} {dtype}",
        human(found.bandwidth().resolved(), 4),
        human(found.capacity().resolved(), 4),
        human(found.ridge(dtype).resolved(), 5).split(" ")[0],
        link,
    ]


def _facts(found: Chip) -> dict[str, Any]:
    return {
        "name": found.name,
        "title": found.title,
        "vendor": found.vendor,
        "aliases": list(found.aliases),
        "facts": [fact._asdict() for fact in found.describe()],
        "notes": list(found.notes),
    }
