"""The memory that is taken, and whether it fits."""

from __future__ import annotations

from dataclasses import fields

from symroof.reports.document import Block, Column, Note, Section, Table, Text, Tone
from symroof.reports.subject import Subject

NAMES = {
    "weights": "weights",
    "caches": "caches",
    "inputs": "inputs",
    "activations_peak": "activations, the most alive at once",
    "total": "total",
}


def memory(subject: Subject) -> Section | None:
    """Return the section on the memory footprint; None where nothing is kept."""
    taken = subject.general.footprint
    if taken.total.expr == 0:
        return None
    rows = []
    parts: list[str] = []
    for field in fields(taken):
        amount = getattr(taken, field.name)
        if amount.expr == 0:
            continue
        by = " + ".join(parts) if field.name == "total" else ""
        claim = subject.claim(f"memory.{field.name}", amount, by=by)
        parts.append(f"memory.{field.name}")
        rows.append(
            (
                (Text(NAMES[field.name]),),
                (subject.math(amount.expr),),
                (Text("–"),) if claim is None else (claim,),
            )
        )
    columns = (Column("what"), Column("bytes"), Column("here", right=True))
    blocks: list[Block] = [Table(columns, tuple(rows), "Bytes of main memory")]
    fits, capacity = subject.bound.fits(), subject.bound.capacity
    if fits is not None and capacity is not None:
        total = subject.claim("fits.total", taken.total, by="memory.total")
        room = subject.claim("memory.capacity", capacity)
        if total is not None and room is not None:
            sign = " ≤ " if fits else " > "
            verdict = "It fits: " if fits else "It does not fit: "
            truth = subject.truth("fits", "memory.total", "<=" if fits else ">", "memory.capacity")
            runs = (Text(verdict), total, Text(sign), room, Text(" of capacity."), truth)
            blocks.append(Note(Tone.NOTE if fits else Tone.CAUTION, runs))
    return Section("memory", "Memory", tuple(blocks))
