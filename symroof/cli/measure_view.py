"""A measurement and a validation, as text for people."""

from __future__ import annotations

from collections.abc import Iterable

from symroof.cli.text import Block, Grid, Lines, Sentence
from symroof.probes.bench import LAUNCH
from symroof.probes.measurement import Measurement, Roof, Row
from symroof.probes.measuring import in_bytes
from symroof.probes.validation import Check, Validation
from symroof.probes.written import ran
from symroof.units import Quantity, human

SPREAD = (
    "Best and median are of the rounds; the spread is how far the median lies below the best. The"
    " roof is the best."
)


def measure_view(found: Measurement) -> tuple[str, list[Block]]:
    """Return a title and blocks: roofs, bandwidth by working set, rates by threads, notes."""
    blocks: list[Block] = [
        _roofs(found.roofs),
        _by_working_set(found.rows),
        _by_threads(found),
        Lines([("not measured", reason) for reason in found.skipped]),
        *(Sentence(note, dim=True) for note in (SPREAD, *found.chip.notes[:3])),
    ]
    return f"{found.chip.name}   {found.chip.title}", [block for block in blocks if block.filled]


def validate_view(found: Validation) -> tuple[str, list[Block]]:
    """Return a title and blocks: a row for each kernel, reasons, how bytes are charged."""
    header = ["kernel", "sizes", "dtype", "bound", "set by", "measured", "reached", ""]
    rows = [_checked(row) for row in found.rows]
    failed = [row for row in found.rows if not row.holds]
    reasons = [(f"{row.case.kernel} {row.case.shape}", row.reason) for row in failed]
    charged = {
        "partial": "Bytes are charged by partial residency: what exceeds a level goes further out.",
        "cold": "Bytes are charged at main memory: the chip does not say enough of its caches.",
    }
    blocks: list[Block] = [
        Grid(header, rows, frozenset({3, 5, 6})),
        Lines(reasons, strong=True),
        Lines([("not run", reason) for reason in found.skipped]),
        Sentence(charged[found.residency], dim=True),
    ]
    holding = len(found.rows) - len(failed)
    title = (
        f"{found.chip.name}: bound ≤ measured for {holding} of {len(found.rows)} kernels"
        f" ({found.fraction:.1%})"
    )
    return title, [block for block in blocks if block.filled]


def _amount(value: float, unit: str, digits: int = 4) -> str:
    return human(Quantity(value, unit), digits)


def _rate(value: float, roof: str, unit: str) -> str:
    return _amount(1 / value, "s") if roof == LAUNCH else _amount(value, unit)


def _roofs(roofs: Iterable[Roof]) -> Grid:
    header = ["roof", "best", "median", "spread", "what ran"]
    rows = []
    for roof in roofs:
        unit = roof.row.unit
        figures = (_rate(rate, roof.key, unit) for rate in (roof.best, roof.median))
        taken = f"; taken from {roof.taken_from}: {_amount(roof.rate, unit)}"
        what = ran(roof.row) + (taken if roof.taken_from else "")
        rows.append([roof.key, *figures, f"{roof.spread:.1%}", what])
    return Grid(header, rows, frozenset({1, 2, 3}))


def _by_working_set(rows: Iterable[Row]) -> Grid:
    streams = [row for row in rows if row.unit == "byte/s" and not row.roof.endswith(".remote")]
    most = max((row.threads for row in streams), default=0)
    streams = [row for row in streams if row.threads == most]
    kernels = list(dict.fromkeys(row.kernel for row in streams))
    table: dict[int, dict[str, str]] = {}
    for row in sorted(streams, key=lambda row: row.size):
        cells = table.setdefault(row.size, {"level": row.roof.removeprefix("bw.") or "–"})
        cells[row.kernel] = _amount(row.best, row.unit, 3)
    return Grid(
        ["working set", "level", *kernels],
        [[in_bytes(size), *cells.values()] for size, cells in table.items()],
        frozenset({0, *range(2, 2 + len(kernels))}),
    )


def _by_threads(found: Measurement) -> Grid:
    scaling = found.scaling
    counts = sorted({threads for rates in scaling.values() for threads in rates})
    units = {row.roof: row.unit for row in found.rows}
    rows = [
        [
            str(threads),
            *(
                _amount(rates[threads], units[roof], 3) if threads in rates else "–"
                for roof, rates in scaling.items()
            ),
        ]
        for threads in counts
    ]
    return Grid(["threads", *scaling], rows, frozenset(range(len(scaling) + 1)))


def _checked(row: Check) -> list[str]:
    return [
        row.case.kernel,
        row.case.shape,
        row.case.dtype,
        _amount(row.least.seconds, "s", 3),
        row.least.rate,
        _amount(row.measured, "s", 3),
        f"{row.reached:.1%}",
        "" if row.holds else "above the roof",
    ]
