"""The roofs that were measured: runs of every point, the best of each roof, their chip."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from symroof.hardware import Chip
from symroof.probes.bench import LAUNCH

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class Row:
    """A kernel at one size on some threads, with its rate in each round.

    Attributes
    ----------
    roof : str
        The rate it may reach: ``peak.fp64``, ``bw.l2``, ``bw.dram.remote``, ``launch``; empty for a
        working set between two levels.
    kernel : str
        What ran.
    size : int
        Bytes of the working set, or the order of the matrices.
    threads : int
        How many ran it; 0 on a GPU.
    runs : tuple of float
        The best rate of each round, in FLOP/s, byte/s, or calls/s.
    """

    roof: str
    kernel: str
    size: int
    threads: int
    runs: tuple[float, ...]

    @property
    def best(self) -> float:
        """The best run."""
        return max(self.runs)

    @property
    def unit(self) -> str:
        """Of the runs."""
        if self.roof == LAUNCH:
            return "1/s"
        return "FLOP/s" if self.roof.startswith("peak.") else "byte/s"

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        of = "order" if self.unit == "FLOP/s" else "working_set"
        return {
            "roof": self.roof or None,
            "kernel": self.kernel,
            of: {"value": self.size, "unit": "" if of == "order" else "byte"},
            "threads": self.threads or None,
            "best": {"value": self.best, "unit": self.unit},
            "median": {"value": median(self.runs), "unit": self.unit},
            "runs": len(self.runs),
        }


@dataclass(frozen=True, slots=True)
class Roof:
    """The best rate of all rows that may reach a roof.

    Attributes
    ----------
    key : str
        ``peak.fp64``, ``bw.l2``, ``bw.dram.remote``, ``launch``.
    runs : tuple of float
        The best rate in each round, over all its rows.
    row : Row
        The one that reached the best.
    taken_from : str
        The level further out that ran faster, whose rate is taken for this one too; else empty.
    rate : float
        The roof: the best run, or that of the level further out.
    """

    key: str
    runs: tuple[float, ...]
    row: Row
    rate: float
    taken_from: str = ""

    @property
    def best(self) -> float:
        """The best run."""
        return max(self.runs)

    @property
    def median(self) -> float:
        """The median of the runs."""
        return median(self.runs)

    @property
    def spread(self) -> float:
        """How far the median of the runs lies below the best, as a fraction of it."""
        return 1 - self.median / self.best

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            **self.row.to_dict(),
            "roof": self.key,
            "best": {"value": self.best, "unit": self.row.unit},
            "median": {"value": self.median, "unit": self.row.unit},
            "spread": self.spread,
            "taken_from": self.taken_from or None,
        }


@dataclass(frozen=True, slots=True)
class Measurement:
    """What `measure` returns.

    Attributes
    ----------
    chip : Chip
        The roofs, as `analyze` takes them and `Chip.save` writes them.
    roofs : tuple of Roof
        Each with its runs.
    rows : tuple of Row
        Every kernel at every size.
    skipped : tuple of str
        What was not measured, with the reason.
    """

    chip: Chip
    roofs: tuple[Roof, ...] = field(repr=False)
    rows: tuple[Row, ...] = field(repr=False)
    skipped: tuple[str, ...] = field(repr=False)

    @property
    def spread(self) -> Mapping[str, float]:
        """How far the median run lies below the best, by roof."""
        return {roof.key: roof.spread for roof in self.roofs}

    @property
    def scaling(self) -> dict[str, dict[int, float]]:
        """The best rate by roof and number of threads, where there are several."""
        found: dict[str, dict[int, float]] = {}
        for row in self.rows:
            if row.roof and row.roof != LAUNCH and row.threads:
                by_threads = found.setdefault(row.roof, {})
                by_threads[row.threads] = max(row.best, by_threads.get(row.threads, 0.0))
        return {
            roof: dict(sorted(rates.items())) for roof, rates in found.items() if len(rates) > 1
        }

    def differences(self, other: Measurement) -> dict[str, tuple[float, float]]:
        """Return how far two measurements lie apart, and how far they may, by roof.

        The first is the difference of the best runs as a fraction of the larger; the second is the
        spread of the larger. They agree where the first is no more than the second: then the lower
        best is no lower than the median of the higher.
        """
        theirs = {roof.key: roof for roof in other.roofs}
        found = {}
        for roof in self.roofs:
            if roof.key in theirs:
                pair = roof, theirs[roof.key]
                low, high = sorted(each.best for each in pair)
                allowed = max(each.spread for each in pair if each.best == high)
                found[roof.key] = (1 - low / high, allowed)
        return found

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the chip as a TOML file, whole or not at all; `symroof.Chip.load` reads it."""
        self.chip.save(path)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain data; units stand in every value."""
        return {
            "schema_version": SCHEMA_VERSION,
            "chip": self.chip.to_fields(),
            "roofs": [roof.to_dict() for roof in self.roofs],
            "rows": [row.to_dict() for row in self.rows],
            "skipped": list(self.skipped),
        }
