"""Measured rows beside the bound of a roofline: ratios, what bounds them, points above the roof."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from symroof.hardware import Chip
from symroof.measurements.drawing import picture
from symroof.measurements.forms import Forms, Times, beats, check, residencies
from symroof.measurements.points import Points, Row
from symroof.measurements.reading import Group, Measured
from symroof.measurements.reasons import Reason, Suspects
from symroof.measurements.rows import BadRow, Floats
from symroof.roofline.documents import inside_document
from symroof.symbolic.numerals import number

if TYPE_CHECKING:
    from symroof.plot import Picture

SCHEMA_VERSION = 1
CHECKED = 8
"""Rows of each dtype whose bound is computed exactly too."""


class Part:
    """The rows of one dtype beside their bounds.

    Attributes
    ----------
    group : Group
        The rows.
    forms : Forms
        The closed forms.
    times : Times
        Their work and time terms.
    """

    def __init__(
        self, measured: Measured, group: Group, chip: Chip, choices: Mapping[str, Any]
    ) -> None:
        self.group = group
        others = {name: choice for name, choice in choices.items() if name != "residency"}
        self._forms = residencies(group.graph, chip, **others)
        residency = str(choices.get("residency", "cold"))
        if residency not in self._forms:
            self._forms = {**self._forms, residency: Forms(group.graph, chip, **choices)}
        self.forms = forms = self._forms[residency]
        self.times: Times = forms(group.dims)
        self._suspects = Suspects(measured.op, group.graph, group.form, chip, self._forms, forms)
        rows = len(group.measured)
        places = np.unique(np.linspace(0, rows - 1, min(rows, CHECKED)).astype(int))
        self.checked = len(places)
        self.difference = check(forms, group.dims, self.times.bound, places)

    @cached_property
    def bound(self) -> Floats:
        """Seconds that no run beats."""
        return self.times.bound

    @cached_property
    def ratio(self) -> Floats:
        """Measured over bound."""
        found: Floats = self.group.measured / self.bound
        return found

    @cached_property
    def above(self) -> NDArray[np.bool_]:
        """Which rows are above the roof."""
        return beats(self.group.measured, self.bound)

    @cached_property
    def limits(self) -> tuple[str, ...]:
        """The name of the largest term of each row."""
        return self.times.limits

    @cached_property
    def above_by_residency(self) -> dict[str, int]:
        """How many rows are above the roof, by residency, where the chip says enough for it."""
        measured = self.group.measured
        return {
            name: int(beats(measured, forms(self.group.dims).bound).sum())
            for name, forms in self._forms.items()
        }

    @cached_property
    def reasons(self) -> dict[int, tuple[Reason, ...]]:
        """Why rows may lie above the roof, by their place."""
        places = np.flatnonzero(self.above)
        dims = {name: values[places] for name, values in self.group.dims.items()}
        found = self._suspects.reasons(dims, self.group.measured[places])
        return dict(zip(places.tolist(), found, strict=True))

    @property
    def points(self) -> Points:
        """The rows as points under a roof."""
        with np.errstate(divide="ignore", invalid="ignore"):
            intensity = self.times.flops / self.times.bytes
        performance = self.times.flops / self.group.measured
        group = self.group
        return Points(intensity, performance, self.above, group.name, group.numbers)

    def row(self, at: int) -> Row:
        """Return the row at a place."""
        times = self.times
        return Row(
            number=int(self.group.numbers[at]),
            dtype=self.group.name,
            dims={name: int(values[at]) for name, values in self.group.dims.items()},
            seconds=float(self.group.measured[at]),
            bound_seconds=float(self.bound[at]),
            term_seconds={name: float(term[at]) for name, term in times.terms.items()},
            flops=float(times.flops[at]),
            bytes=float(times.bytes[at]),
            limit=self.limits[at],
            reasons=self.reasons.get(at, ()),
        )


class Comparison:
    """Measured rows beside the bound of a roofline. Made by :func:`compare`.

    Attributes
    ----------
    measured : Measured
        The rows, those that could not be used among them.
    chip : Chip
        The machine.
    residency : str
        Where bytes are charged: cold, cached or partial.
    parts : tuple of Part
        The rows of each dtype.
    """

    def __init__(self, measured: Measured, chip: Chip, choices: Mapping[str, Any]) -> None:
        self.measured = measured
        self.chip = chip
        self.parts = tuple(Part(measured, group, chip, choices) for group in measured.groups)
        self.residency = str(self.parts[0].forms.roofline.inside.residency)

    @property
    def said(self) -> tuple[str, ...]:
        """How the inside of the chip is modelled, a line each."""
        return self.parts[0].forms.roofline.inside.said

    @property
    def rows(self) -> int:
        """How many rows are compared."""
        return self.measured.rows

    @property
    def bad(self) -> tuple[BadRow, ...]:
        """Rows that could not be used."""
        return self.measured.bad

    @property
    def above(self) -> int:
        """How many rows lie above the roof."""
        return sum(int(part.above.sum()) for part in self.parts)

    @cached_property
    def above_by_residency(self) -> dict[str, int]:
        """How many rows lie above the roof, by residency, where the chip says enough for it."""
        names = self.parts[0].above_by_residency
        return {name: sum(p.above_by_residency[name] for p in self.parts) for name in names}

    @cached_property
    def causes(self) -> dict[str, int]:
        """How many rows above the roof have each likeliest reason."""
        found = Counter(
            str(reasons[0].cause) for part in self.parts for reasons in part.reasons.values()
        )
        return dict(found.most_common())

    @cached_property
    def limits(self) -> dict[str, int]:
        """How many rows each term bounds."""
        return dict(Counter(limit for part in self.parts for limit in part.limits).most_common())

    @cached_property
    def ratio(self) -> Floats:
        """Measured over bound of all rows."""
        return np.concatenate([part.ratio for part in self.parts])

    @property
    def error(self) -> Floats:
        """How far the bound is from what was measured, relative to that: absolute values."""
        found: Floats = np.abs(1 / self.ratio - 1)
        return found

    @property
    def points(self) -> tuple[Points, ...]:
        """The rows of each dtype as points under a roof; `symroof.plot.roofline` takes them."""
        return tuple(part.points for part in self.parts)

    def plot(self) -> Picture:
        """Draw the rows under the roofs of the chip; those above their bound stand out.

        Of rows of several dtypes it has the roofs of the fastest, and thinner lines for the others.

        Raises
        ------
        InputError
            If no row has a place on log axes, because the op computes or moves nothing.
        """
        return picture(self)

    def __iter__(self) -> Iterator[Row]:
        return (part.row(at) for part in self.parts for at in range(len(part.ratio)))

    def above_rows(self, most: int | None = None) -> list[Row]:
        """Return the rows above the roof, those farthest above first."""
        return [self._row(at) for at in self._order()[: self.above][:most]]

    def farthest_below(self, most: int | None = None) -> list[Row]:
        """Return the rows under the roof, those farthest below it first."""
        return [self._row(at) for at in self._order()[self.above :][::-1][:most]]

    def to_dict(self, rows: int | None = None) -> dict[str, Any]:
        """Return it as plain data, a unit with every amount.

        Parameters
        ----------
        rows : int, optional
            How many rows to list, those above the roof first and then those farthest below; all
            by default. Counts and quantiles are of all rows in any case.
        """
        listed = self.above_rows(rows)
        below = None if rows is None else max(rows - len(listed), 0)
        listed += self.farthest_below(below)
        return {
            "schema_version": SCHEMA_VERSION,
            "source": self.measured.source,
            "op": self.measured.title,
            "chip": self.chip.name,
            "residency": self.residency,
            "inside": inside_document(self.parts[0].forms.roofline),
            "where": self.measured.where,
            "above": {"value": self.measured.above, "unit": "s"},
            "columns": self.measured.columns,
            "rows_total": self.rows,
            "rows_by_dtype": {p.group.name: len(p.group.measured) for p in self.parts},
            "rows_bad": len(self.bad),
            "rows_left_out": self.measured.left_out,
            "limits": self.limits,
            "ratio": {name: float(v) for name, v in zip(*self._quantiles(), strict=True)},
            "error": {
                "median": float(np.median(self.error)),
                "p90": float(np.quantile(self.error, 0.9)),
            },
            "above_roof": self.above,
            "above_roof_by_residency": self.above_by_residency,
            "above_roof_by_cause": self.causes,
            "checked": {
                "rows": sum(part.checked for part in self.parts),
                "largest_relative_difference": max(part.difference for part in self.parts),
            },
            "rows": [row.to_dict() for row in listed],
            "bad": [each.to_dict() for each in self.bad],
        }

    def __str__(self) -> str:
        text = (
            f"{number(self.rows)} row{'s' * (self.rows != 1)} of {self.measured.title} on"
            f" {self.chip.name}, {self.residency}: measured/bound {np.median(self.ratio):.3g}"
            f" in the median, {number(self.above)} above the roof"
        )
        bad = len(self.bad)
        return f"{text}; {bad:,} bad row{'s' * (bad != 1)} ({self.bad[0]})" if bad else text

    def _quantiles(self) -> tuple[tuple[str, ...], NDArray[np.float64]]:
        found = np.quantile(self.ratio, (0, 0.1, 0.5, 0.9, 1))
        return ("least", "p10", "median", "p90", "largest"), found

    def _order(self) -> list[int]:
        return [int(at) for at in np.argsort(self.ratio, kind="stable")]

    def _row(self, at: int) -> Row:
        for part in self.parts:
            if at < len(part.ratio):
                return part.row(at)
            at -= len(part.ratio)
        raise IndexError(at)
