"""Roofs as a chip: each rate with its source, how sure it is, and how it came about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from symroof.hardware import Chip
from symroof.probes.bench import LAUNCH, MAIN, REMOTE, Facts, Level
from symroof.probes.measurement import Roof, Row

MEASURED = "measured"
SYSTEM = "operating system"
DIGITS = 5
CONFIDENCES = ((0.05, "high"), (0.2, "medium"), (1.0, "low"))
"""By the largest spread that has it."""
TRAFFIC = (
    "Bytes are compulsory traffic: what a kernel reads and writes by its definition. Lines that a"
    " cache reads before they are written are not counted."
)
TOGETHER = "Bandwidths and capacities of caches are those of all cores together."


def chip_of(
    facts: Facts, roofs: Sequence[Roof], rows: Iterable[Row], *, host: str, day: str
) -> Chip:
    """Return the chip that roofs make.

    Rates are rounded up and times down, by the fifth digit, so that no run beats its roof.

    Parameters
    ----------
    facts : Facts
        Of the device.
    roofs : sequence of Roof
        What was measured.
    rows : iterable of Row
        All runs: those on one thread make ceilings.
    host, day : str
        Where and when.
    """
    by_key = {roof.key: roof for roof in roofs}
    peaks = {
        key.removeprefix("peak."): _rate(roof)
        for key, roof in by_key.items()
        if key.startswith("peak.")
    }
    return Chip(
        host,
        title=f"{facts.title}, measured".removeprefix(", "),
        kind=facts.kind,
        peak=peaks,
        memory={
            level.name: _level(level, by_key)
            for level in facts.levels
            if f"bw.{level.name}" in by_key
        },
        launch=_launch(by_key[LAUNCH]) if LAUNCH in by_key else None,
        compute_units=facts.compute_units,
        ceiling=dict(_one_thread(roofs, rows)),
        notes=list(_notes(facts, host, day, max(len(roof.runs) for roof in roofs))),
    )


def rounded(value: float, unit: str, *, up: bool) -> str:
    """Return a number with its unit, to five digits, never on the wrong side.

    Examples
    --------
    >>> rounded(103_412_345_678.0, "FLOP/s", up=True), rounded(2.11119e-7, "s", up=False)
    ('103.42 GFLOP/s', '211.11 ns')
    """
    exact = Decimal(value)
    scale = min(12, max(-9, exact.adjusted() // 3 * 3))
    prefix = {12: "T", 9: "G", 6: "M", 3: "k", 0: "", -3: "m", -6: "u", -9: "n"}[scale]
    scaled = exact.scaleb(-scale)
    step = Decimal(1).scaleb(scaled.adjusted() - DIGITS + 1)
    kept = scaled.quantize(step, ROUND_CEILING if up else ROUND_FLOOR)
    return f"{kept:f} {prefix}{unit}"


def exact_bytes(size: int) -> str:
    """Return bytes as a text that reads back exactly.

    Examples
    --------
    >>> exact_bytes(2**15), exact_bytes(48 * 2**20), exact_bytes(1000)
    ('32 KiB', '48 MiB', '1000 B')
    """
    power = min(3, ((size & -size).bit_length() - 1) // 10)
    return f"{size >> 10 * power} {('', 'Ki', 'Mi', 'Gi')[power]}B"


def confidence(roof: Roof) -> str:
    """Return how sure a rate is: the nearer the median run to the best, the surer.

    Examples
    --------
    >>> row = Row("bw.l2", "copy", 2**20, 2, (9.0, 10.0, 10.0))
    >>> confidence(Roof("bw.l2", row.runs, row, 10.0))
    'high'
    """
    return next(name for most, name in CONFIDENCES if roof.spread <= most)


def _rate(roof: Roof) -> dict[str, object]:
    unit = "FLOP/s" if roof.key.startswith("peak.") else "B/s"
    return {
        "value": rounded(roof.rate, unit, up=True),
        "source": MEASURED,
        "confidence": confidence(roof),
        "note": _note(roof),
    }


def _note(roof: Roof) -> str:
    if roof.taken_from:
        return (
            f"taken from {roof.taken_from}, which ran faster; by itself "
            f"{rounded(roof.best, 'B/s', up=True)}"
        )
    return f"best of {len(roof.runs)}, the median {roof.spread:.1%} below; {ran(roof.row)}"


def ran(row: Row) -> str:
    """Return what ran.

    Examples
    --------
    >>> ran(Row("bw.l2", "copy", 2**20, 2, (1.0,))), ran(Row("peak.fp64", "matmul", 256, 1, (1.0,)))
    ('copy of 1024 KiB by 2 threads', 'matmul of order 256 by 1 thread')
    """
    if row.roof == LAUNCH:
        return row.kernel
    what = f"of order {row.size}" if row.unit == "FLOP/s" else f"of {row.size // 1024} KiB"
    threads = f" by {row.threads} thread{'s' if row.threads > 1 else ''}" if row.threads else ""
    return f"{row.kernel} {what}{threads}"


def _level(level: Level, roofs: dict[str, Roof]) -> dict[str, object]:
    table: dict[str, object] = {"bandwidth": _rate(roofs[f"bw.{level.name}"])}
    if level.capacity:
        said = {"source": SYSTEM, "confidence": "high"}
        table["capacity"] = {"value": exact_bytes(level.capacity), **said}
    if level.name == MAIN:
        table["main"] = True
        if REMOTE in roofs:
            table["remote"] = _rate(roofs[REMOTE])
    return table


def _launch(roof: Roof) -> dict[str, object]:
    return {
        "value": rounded(1 / roof.best, "s", up=False),
        "source": MEASURED,
        "confidence": confidence(roof),
        "note": f"the least time of a call: {roof.row.kernel}",
    }


def _one_thread(roofs: Sequence[Roof], rows: Iterable[Row]) -> Iterator[tuple[str, object]]:
    """Yield what one thread reaches, as ceilings under the roofs."""
    alone: dict[str, float] = {}
    for row in rows:
        if row.threads == 1:
            alone[row.roof] = max(row.best, alone.get(row.roof, 0.0))
    for roof in roofs:
        if roof.key in (LAUNCH, REMOTE) or not 0 < alone.get(roof.key, 0.0) < roof.rate:
            continue
        kind, _, name = roof.key.partition(".")
        yield (
            f"one thread, {name}",
            {
                "on": roof.key,
                "rate": rounded(alone[roof.key], "FLOP/s" if kind == "peak" else "B/s", up=True),
                "reason": "one thread runs where the roof is that of all",
                "source": MEASURED,
                "confidence": confidence(roof),
            },
        )


def _notes(facts: Facts, host: str, day: str, rounds: int) -> Iterator[str]:
    threads = f", {facts.threads} threads" if facts.threads else ""
    yield f"Measured on {host} on {day}{threads}, {rounds} rounds."
    yield f"{', '.join(facts.versions)}."
    yield TRAFFIC
    if len(facts.levels) > 1 and facts.kind == "cpu":
        yield TOGETHER
    if facts.skipped:
        yield f"Not measured: {'; '.join(facts.skipped)}."
