"""From rows to roofs: the best of each round and of all, inner levels no slower than outer ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from symroof.probes.bench import Level
from symroof.probes.measurement import Roof, Row


def roofs_of(rows: Iterable[Row], levels: Sequence[Level]) -> tuple[Roof, ...]:
    """Return the roof of each key that rows name, those of memory raised to what lies outside.

    Parameters
    ----------
    rows : iterable of Row
        With equally many runs each.
    levels : sequence of Level
        From the innermost outwards.

    Examples
    --------
    >>> rows = [Row("bw.l2", "copy", 2**20, 2, (90.0, 80.0)),
    ...         Row("bw.l2", "read", 2**20, 2, (60.0, 85.0)),
    ...         Row("bw.dram", "copy", 2**28, 2, (20.0, 95.0))]
    >>> l2, dram = roofs_of(rows, [Level("l2", 2**21), Level("dram", 2**34)])
    >>> l2.runs, l2.best, l2.rate, l2.taken_from
    ((90.0, 85.0), 90.0, 95.0, 'dram')
    """
    by_key: dict[str, list[Row]] = {}
    for row in rows:
        if row.roof:
            by_key.setdefault(row.roof, []).append(row)
    roofs = {key: _roof(key, found) for key, found in by_key.items()}
    outer: Roof | None = None
    for level in reversed(levels):
        roof = roofs.get(f"bw.{level.name}")
        if roof is None:
            continue
        if outer is not None and outer.rate > roof.rate:
            roof = replace(roof, rate=outer.rate, taken_from=outer.key.removeprefix("bw."))
            roofs[roof.key] = roof
        outer = roof
    return tuple(roofs.values())


def _roof(key: str, rows: Sequence[Row]) -> Roof:
    runs = tuple(max(rates) for rates in zip(*(row.runs for row in rows), strict=True))
    return Roof(key, runs, max(rows, key=lambda row: row.best), max(runs))
