"""Systems, as text for people and as plain data."""

from __future__ import annotations

from typing import Any

from symroof.cli.catalogue_view import facts_blocks
from symroof.cli.text import Block, Grid, Sentence
from symroof.hardware import System, system, systems
from symroof.roofline.documents import SCHEMA_VERSION
from symroof.symbolic import to_text
from symroof.symbolic.exact import shown

SYSTEMS_NOTE = (
    "Bandwidth: what one chip can send into a level in one direction, over all its ports together."
    " Levels from the innermost to the outermost."
)


def systems_view() -> tuple[str, list[Block]]:
    """Return a table of all systems, a row for each level."""
    rows = []
    for name in systems():
        found = system(name)
        first = [found.name, shown(found.count), found.chip.name]
        for level in found.levels:
            rows.append([*first, level.name, level.topology.title, level.per_chip.text])
            first = ["", "", ""]
    return (
        f"{len(systems())} systems; symroof systems NAME shows every number with its source",
        [
            Grid(
                ["system", "chips", "chip", "level", "joins", "per chip"],
                rows,
                frozenset({1, 5}),
            ),
            Sentence(SYSTEMS_NOTE, dim=True),
            Sentence("8xh100-sxm is 8 of a chip, 4x4xtpu-v5e a torus of them.", dim=True),
        ],
    )


def system_view(name: str) -> tuple[str, list[Block]]:
    """Return every number of a system with its confidence, and the sources below."""
    found = system(name)
    blocks = facts_blocks(found.describe(), found.notes)
    blocks.append(Sentence(f"Of each chip: symroof chips {found.chip.name}", dim=True))
    return f"{found.name}   {found.title}", blocks


def systems_document() -> dict[str, Any]:
    """Return all systems as plain data."""
    found = [_facts(system(name)) for name in systems()]
    return {"schema_version": SCHEMA_VERSION, "systems": found}


def system_document(name: str) -> dict[str, Any]:
    """Return a system as plain data."""
    return {"schema_version": SCHEMA_VERSION, "system": _facts(system(name))}


def _facts(found: System) -> dict[str, Any]:
    return {
        "name": found.name,
        "title": found.title,
        "vendor": found.vendor,
        "aliases": list(found.aliases),
        "chip": found.chip.name,
        "chips": to_text(found.count),
        "levels": [
            {
                "name": level.name,
                "topology": level.topology.name,
                "size": to_text(level.size),
                "per_chip": level.per_chip.value.to_dict(),
                "latency": None if level.latency is None else level.latency.value.to_dict(),
            }
            for level in found.levels
        ],
        "facts": [fact._asdict() for fact in found.describe()],
        "notes": list(found.notes),
    }
