"""Rooflines: time terms, intensity, verdicts and crossovers of a graph on a machine."""

from __future__ import annotations

from symroof.roofline.analyze import analyze
from symroof.roofline.bound import Bound
from symroof.roofline.crossing import region
from symroof.roofline.roofline import Roofline
from symroof.roofline.rows import OpRow
from symroof.roofline.thumb import RuleOfThumb
from symroof.roofline.time_bounds import TimeBounds

__all__ = [
    "Bound",
    "OpRow",
    "Roofline",
    "RuleOfThumb",
    "TimeBounds",
    "analyze",
    "region",
]
