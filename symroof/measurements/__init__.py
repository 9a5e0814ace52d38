"""Measurements of others: rows of a CSV against the roof of a chip, and what fits them."""

from __future__ import annotations

from symroof.measurements.calibrating import calibrate
from symroof.measurements.comparing import compare

__all__ = ["calibrate", "compare"]
