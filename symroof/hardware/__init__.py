"""Hardware: chips with their peaks, memories and links, and the catalogue of them."""

from __future__ import annotations

from symroof.hardware.catalog import chip, chips
from symroof.hardware.facts import Fact
from symroof.hardware.machine import Chip
from symroof.hardware.memory import Link, MemoryLevel
from symroof.hardware.peaks import Peak
from symroof.hardware.rates import Rate

__all__ = ["Chip", "Fact", "Link", "MemoryLevel", "Peak", "Rate", "chip", "chips"]
