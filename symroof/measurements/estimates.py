"""Fitted values with their intervals, and errors of predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symroof.measurements.rows import Floats
from symroof.units import Quantity, human

LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Estimate:
    """A fitted value and its 95 % interval, by bootstrap over the rows it is fitted on.

    Attributes
    ----------
    value, low, high : float
        In `unit`.
    unit : str
        Empty for a fraction of a roof.
    """

    value: float
    low: float
    high: float
    unit: str = ""

    def __str__(self) -> str:
        value, low, high = map(self._text, (self.value, self.low, self.high))
        return f"{value} ({low} to {high})"

    def _text(self, value: float) -> str:
        return human(Quantity(value, self.unit)) if self.unit else f"{value:.3f}"

    @classmethod
    def of(cls, value: float, again: Sequence[float], unit: str = "") -> Estimate:
        """Return a value with the interval that fits of resamples give.

        Examples
        --------
        >>> print(Estimate.of(0.5, [0.5] * 100))
        0.500 (0.500 to 0.500)
        """
        tail = (1 - LEVEL) / 2
        low, high = np.quantile([value, *again], (tail, 1 - tail))
        return cls(value, float(low), float(high), unit)

    def interval(self, resamples: int) -> str:
        """Return the interval as a note says it."""
        low, high = self._text(self.low), self._text(self.high)
        return f"{LEVEL:.0%} interval {low} to {high} (bootstrap, {resamples} resamples)"

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"value": self.value, "low": self.low, "high": self.high, "unit": self.unit}


@dataclass(frozen=True, slots=True)
class Errors:
    """Absolute relative errors of predictions: the median, and what 90 % of rows stay within."""

    median: float
    p90: float

    @classmethod
    def of(cls, predicted: Floats, measured: Floats) -> Errors:
        """Return those of predictions of measured times."""
        relative = np.abs(predicted / measured - 1)
        return cls(float(np.median(relative)), float(np.quantile(relative, 0.9)))

    def __str__(self) -> str:
        return f"median {100 * self.median:.1f} %, p90 {100 * self.p90:.1f} %"

    def to_dict(self) -> dict[str, float]:
        """Return them as plain data."""
        return {"median": self.median, "p90": self.p90}
