"""Fractions of the roofs that measured rows reach, as ceilings of the chip."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symroof.errors import InputError
from symroof.hardware import Chip
from symroof.measurements.estimates import LEVEL, Estimate
from symroof.measurements.fitted import Fit, Options, fitted
from symroof.measurements.reading import Group, Measured
from symroof.measurements.rows import BadRow
from symroof.measurements.tilesets import NONE
from symroof.roofline.inside_kinds import Residency
from symroof.symbolic.numerals import number
from symroof.units import Quantity, human

SCHEMA_VERSION = 1
LEAST_ROWS = 16
"""Rows of a dtype that are worth a fit, both halves together."""
LEAST_SIZES = 4
"""Different sizes of them: with fewer nothing tells a fraction from a launch time."""
SOURCE = "calibrated on"
COLD = str(Residency.COLD)


class Calibration:
    """Fractions of the roofs that measured rows reach. Made by :func:`calibrate`.

    Attributes
    ----------
    measured : Measured
        The rows.
    base : Chip
        The chip as its datasheet has it.
    options : Options
        How it was made.
    fits : tuple of Fit
        One for each dtype.
    skipped : dict of str to int
        Rows of dtypes with too few of them.
    """

    def __init__(
        self,
        measured: Measured,
        chip: Chip,
        options: Options,
        tick: Callable[[str], None] = lambda phase: None,
    ) -> None:
        self.measured = measured
        self.base = chip
        self.options = options
        fits, skipped = [], {}
        for group in measured.groups:
            tick(f"fitting {group.name}")
            long = group.measured > options.above
            rows = int(long.sum())
            if rows < LEAST_ROWS or _sizes(group, long) < LEAST_SIZES:
                skipped[group.name] = rows
            else:
                fits.append(fitted(group, chip, options))
        if not fits:
            limit = human(Quantity(options.above, "s"))
            most = max(skipped.values())
            raise InputError(
                f"{most} row{'s' * (most != 1)} above {limit}; a fit needs {LEAST_ROWS} of one"
                f" dtype, and {LEAST_SIZES} sizes",
                where=measured.source,
            )
        self.fits = tuple(fits)
        self.skipped = skipped

    @property
    def bad(self) -> tuple[BadRow, ...]:
        """Rows that could not be used."""
        return self.measured.bad

    @property
    def chip(self) -> Chip:
        """The chip with the fitted ceilings and launch time; its own numbers are as they were."""
        fields = self.base.to_fields()
        there = dict(fields.get("ceiling", {}))  # type: ignore[call-overload]
        for each in self.fits:
            there |= self._ceilings(each)
        fields["ceiling"] = there
        if self._sets_launch:
            fields["launch"] = self._launch()
        notes = [note for each in self.fits if (note := _note(each))]
        fields["notes"] = [*self.base.notes, *(n for n in notes if n not in self.base.notes)]
        return Chip(**fields)  # type: ignore[arg-type]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the chip with its ceilings to a TOML file."""
        self.chip.save(path)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data, a unit with every amount."""
        prepared = self.options.preparation
        return {
            "schema_version": SCHEMA_VERSION,
            "source": self.measured.source,
            "op": self.measured.title,
            "chip": self.base.name,
            "residency": self.options.residency,
            "model": "max(t_compute/e_c, t_memory/e_m) + t_0 + t_preparation/e_p",
            "above": {"value": self.options.above, "unit": "s"},
            "seed": self.options.seed,
            "preparation": None if prepared is None else str(prepared),
            "interval": {
                "level": LEVEL,
                "method": "bootstrap",
                "resamples": self.options.resamples,
            },
            "where": self.measured.where,
            "columns": self.measured.columns,
            "fits": [each.to_dict() for each in self.fits],
            "rows_too_few": self.skipped,
            "rows_bad": len(self.bad),
            "rows_left_out": self.measured.left_out,
            "bad": [each.to_dict() for each in self.bad],
        }

    def __str__(self) -> str:
        return "\n".join(f"{self.base.name}, {each}" for each in self.fits)

    def _source(self, each: Fit) -> str:
        """Return what the chip says of a fit: the file, and the rows it is fitted on."""
        return f"{SOURCE} {Path(self.measured.source).name}, {number(each.fitted)} rows"

    @property
    def _sets_launch(self) -> bool:
        kept = self.base.launch
        seen = any(each.launch.value > 0 for each in self.fits)
        return seen and (kept is None or kept.source.startswith(SOURCE))

    @property
    def memory_roof(self) -> str:
        """What e_m is a fraction of: ``bw.hbm`` (cold), or ``bw``, every level of memory."""
        return f"bw.{self.base.main}" if self.options.residency == COLD else "bw"

    def _ceilings(self, each: Fit) -> dict[str, object]:
        waves = "" if each.tiles == NONE else f"; of the peak left by tiles {each.tiles}"
        roof = self.memory_roof
        level = roof.partition(".")[2] or f"memory {self.options.residency}"
        made: dict[str, object] = {}
        for name, on, estimate, note in (
            (f"calibrated {each.dtype}", f"peak.{each.key}", each.compute, waves),
            (f"calibrated {level} {each.dtype}", roof, each.memory, ""),
        ):
            if estimate is not None:
                made[name] = {
                    "on": on,
                    "factor": f"{estimate.value:.4g}",
                    "reason": "achievable fraction, measured",
                    "source": self._source(each),
                    "confidence": "medium",
                    "note": self._interval(estimate) + note,
                }
        return made

    def _interval(self, estimate: Estimate) -> str:
        """Return the interval of a value, and what it holds for."""
        interval = estimate.interval(self.options.resamples)
        return f"{interval}; residency {self.options.residency}"

    def _launch(self) -> dict[str, object]:
        seen = [each for each in self.fits if each.launch.value > 0]
        least = min(seen, key=lambda each: each.launch.value)
        note = f"of {least.dtype}: {self._interval(least.launch)}"
        others = [
            f"{each.dtype} {human(Quantity(each.launch.value, 's'))}"
            for each in seen
            if each is not least
        ]
        if others:
            note += f"; the least of all, beside {', '.join(others)}"
        return {
            "value": f"{1e6 * least.launch.value:.4g} us",
            "source": self._source(least),
            "confidence": "medium",
            "note": note,
        }


def _sizes(group: Group, places: NDArray[np.bool_]) -> int:
    """Return how many different sizes there are among rows."""
    if not group.dims or not places.any():
        return 0
    sizes = np.stack([values[places] for values in group.dims.values()])
    return int(np.unique(sizes, axis=1).shape[1])


def _note(each: Fit) -> str:
    if each.preparation is None:
        return ""
    return (
        f"Rows of {each.dtype} time more than the op: {each.prepared} bytes before it, at"
        f" {each.preparation.value:.3g} of the bandwidth; no ceiling has them."
    )
