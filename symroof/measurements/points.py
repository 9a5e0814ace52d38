"""One measured row beside its bound, and many as points under a roof."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from symroof.measurements.reasons import Reason
from symroof.measurements.rows import Floats
from symroof.units import Quantity, human

Place: TypeAlias = tuple[Quantity, Quantity, str, bool]


@dataclass(frozen=True, slots=True)
class Row:
    """One measured row beside its bound.

    Attributes
    ----------
    number : int
        Of the row in the file; the first after the names is 1.
    dtype : str
        As answers call it.
    dims : dict of str to int
        Numbers of the op by name.
    seconds, bound_seconds : float
        What was measured, and what no run beats; `measured` and `bound` have their unit.
    term_seconds : dict of str to float
        By term: compute, memory.
    flops, bytes : float
        Work of the row.
    limit : str
        The largest term.
    reasons : tuple of Reason
        Why it may lie above the roof, the likeliest first; empty under it.
    """

    number: int
    dtype: str
    dims: dict[str, int]
    seconds: float
    bound_seconds: float
    term_seconds: dict[str, float]
    flops: float
    bytes: float
    limit: str
    reasons: tuple[Reason, ...]

    @property
    def measured(self) -> Quantity:
        """The time that was measured."""
        return Quantity(self.seconds, "s")

    @property
    def bound(self) -> Quantity:
        """The time that no run beats."""
        return Quantity(self.bound_seconds, "s")

    @property
    def terms(self) -> dict[str, Quantity]:
        """Time by term: compute, memory."""
        return {name: Quantity(term, "s") for name, term in self.term_seconds.items()}

    @property
    def ratio(self) -> float:
        """Measured over bound: below 1 the row is above the roof."""
        return self.seconds / self.bound_seconds

    @property
    def performance(self) -> Quantity:
        """FLOPs over the measured time."""
        return Quantity(self.flops / self.seconds, "FLOP/s")

    @property
    def is_above(self) -> bool:
        """Whether it lies above the roof: measured in less than its bound."""
        return bool(self.reasons)

    def __str__(self) -> str:
        dims = ", ".join(f"{name} = {value}" for name, value in self.dims.items())
        text = f"row {self.number} ({self.dtype}, {dims}): {human(self.measured)}"
        text += f", {self.limit} bound {human(self.bound)}"
        return f"{text}; {self.reasons[0]}" if self.reasons else text

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data, a unit with every amount."""
        intensity = self.flops / self.bytes if self.bytes else None
        return {
            "row": self.number,
            "dtype": self.dtype,
            "dims": self.dims,
            "measured": _plain(self.seconds, "s"),
            "bound": _plain(self.bound_seconds, "s"),
            "terms": {name: _plain(term, "s") for name, term in self.term_seconds.items()},
            "limit": self.limit,
            "ratio": self.ratio,
            "intensity": _plain(intensity, "FLOP/byte"),
            "performance": _plain(self.flops / self.seconds, "FLOP/s"),
            "above_roof": self.is_above,
            "reasons": [reason.to_dict() for reason in self.reasons],
        }


@dataclass(frozen=True, eq=False, slots=True)
class Points(Sequence[Place]):
    """Rows as points under a roof: (intensity, performance, label, whether it is above).

    ``sr.plot.roofline(r, points=...)`` takes them as they are.

    Attributes
    ----------
    intensity, performance : array
        FLOP/byte, and FLOP/s.
    above : array of bool
        Which lie above the roof.
    dtype : str
        Of all of them.
    numbers : array of int
        Of the rows in the file.
    """

    intensity: Floats
    performance: Floats
    above: NDArray[np.bool_]
    dtype: str
    numbers: NDArray[np.int64]
    intensity_unit: str = "FLOP/byte"
    performance_unit: str = "FLOP/s"

    def __len__(self) -> int:
        return len(self.above)

    @overload
    def __getitem__(self, at: int) -> Place: ...
    @overload
    def __getitem__(self, at: slice) -> Points: ...
    def __getitem__(self, at: int | slice) -> Place | Points:
        if isinstance(at, slice):
            return self.of(at)
        return (
            Quantity(float(self.intensity[at]), self.intensity_unit),
            Quantity(float(self.performance[at]), self.performance_unit),
            f"row {self.numbers[at]} ({self.dtype})",
            bool(self.above[at]),
        )

    def of(self, places: slice | NDArray[np.bool_]) -> Points:
        """Return some of them."""
        at, reached = self.intensity[places], self.performance[places]
        return Points(at, reached, self.above[places], self.dtype, self.numbers[places])

    @property
    def drawable(self) -> Points:
        """Those that have a place on log axes: neither FLOPs nor bytes are 0."""
        seen = np.isfinite(self.intensity) & (self.intensity > 0) & (self.performance > 0)
        return self.of(seen)

    def to_dict(self) -> dict[str, Any]:
        """Return them as plain data."""
        return {
            "dtype": self.dtype,
            "row": self.numbers.tolist(),
            "intensity": {"values": self.intensity.tolist(), "unit": self.intensity_unit},
            "performance": {"values": self.performance.tolist(), "unit": self.performance_unit},
            "above_roof": self.above.tolist(),
        }


def _plain(value: float | None, unit: str) -> dict[str, Any]:
    return {"value": value, "unit": unit}
