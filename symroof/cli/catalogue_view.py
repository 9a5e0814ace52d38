"""Chips, ops and named algorithms, as text for people and as plain data."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from symroof.cli.text import Block, Grid, Lines, Sentence
from symroof.errors import UnknownNameError
from symroof.graph import functions, kinds
from symroof.graph.registry import op as find_op
from symroof.graph.spec import algorithms, load
from symroof.hardware import Chip, Fact, chip, chips
from symroof.roofline.documents import SCHEMA_VERSION
from symroof.units import human

CHIPS_NOTE = (
    "Dense peaks at the dtype shown. Ridge: peak ÷ memory bandwidth, in FLOP/byte."
    " Link: per chip, one direction."
)


def chips_view() -> tuple[str, list[Block]]:
    """Return a table of all chips with the rates people ask for first."""
    rows = [_summary(chip(name)) for name in chips()]
    header = ["chip", "dtype", "peak", "memory", "capacity", "ridge", "link"]
    return (
        f"{len(rows)} chips; symroof chips NAME shows every number with its source",
        [
            Grid(header, rows, frozenset({2, 3, 4, 5, 6}), optional=(6, 4, 1)),
            Sentence(CHIPS_NOTE, dim=True),
        ],
    )


def chips_document() -> dict[str, Any]:
    """Return all chips as plain data."""
    return {"schema_version": SCHEMA_VERSION, "chips": [_facts(chip(name)) for name in chips()]}


def chip_view(name: str) -> tuple[str, list[Block]]:
    """Return every number of a chip with its confidence, and the sources below."""
    found = chip(name)
    title = f"{found.name}   {found.title or ''}".rstrip()
    return title, facts_blocks(found.describe(), found.notes)


def facts_blocks(facts: Sequence[Fact], notes: Iterable[str]) -> list[Block]:
    """Return facts as a table, their sources below it, and notes."""
    sources = list(dict.fromkeys(fact.source for fact in facts if fact.source))
    rows = [
        [
            fact.quantity,
            fact.value,
            fact.confidence,
            f"[{sources.index(fact.source) + 1}]" if fact.source else "",
            fact.note,
        ]
        for fact in facts
    ]
    blocks: list[Block] = [Grid(["number", "value", "confidence", "source", "note"], rows)]
    blocks.append(Lines([(f"[{i}]", source) for i, source in enumerate(sources, 1)]))
    blocks.extend(Sentence(note) for note in notes)
    return blocks


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
    """Return how an op is counted and the text of its function, or what a named algorithm is."""
    if name in algorithms() and name not in kinds():
        return algorithm_view(name)
    if name not in kinds():
        raise UnknownNameError("op or algorithm", name, [*kinds(), *algorithms()])
    kind, function = find_op(name), functions()[name]
    rows = [("FLOPs", kind.count), ("source", kind.source)]
    rows += [("FLOP weight", f"{key} = {value}") for key, value in kind.weights.items()]
    blocks: list[Block] = [Lines(rows), Sentence(inspect.getdoc(function) or "", is_doc=True)]
    return f"ops.{name}{_signature(function)}", blocks


def algorithm_view(name: str) -> tuple[str, list[Block]]:
    """Return what a named algorithm is: its ops, its symbols and their defaults."""
    graph = load(name)
    about = graph.about
    symbols = [
        (key if key not in about.defaults else f"{key} = {about.defaults[key]}", text)
        for key, text in about.meanings.items()
    ]
    ops = [
        [block.path + op.name, op.kind.name, ", ".join(tensor.name for tensor in op.inputs)]
        for block in graph.blocks()
        for op in block.ops
    ]
    grid = Grid(["op", "kind", "of"], ops)
    return f"{name}   {about.title}", [Sentence(about.description), Lines(symbols), grid]


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
    known = found.memory_level().capacity is not None
    return [
        found.name,
        dtype,
        human(found.peak(dtype).resolved(), 4),
        human(found.bandwidth().resolved(), 4),
        human(found.capacity().resolved(), 4) if known else "–",
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
