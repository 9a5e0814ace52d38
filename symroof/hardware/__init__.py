"""Hardware: chips with their peaks, memories and links, systems of them, and the catalogue."""

from __future__ import annotations

from symroof.hardware.aggregate import Aggregate
from symroof.hardware.catalog import chip, chips
from symroof.hardware.facts import Fact
from symroof.hardware.levels import SystemLevel
from symroof.hardware.machine import Chip
from symroof.hardware.memory import Link, MemoryLevel
from symroof.hardware.peaks import Peak
from symroof.hardware.placing import Part, Place, place
from symroof.hardware.rates import Rate
from symroof.hardware.system import System
from symroof.hardware.system_catalog import machine, system, systems

__all__ = [
    "Aggregate",
    "Chip",
    "Fact",
    "Link",
    "MemoryLevel",
    "Part",
    "Peak",
    "Place",
    "Rate",
    "System",
    "SystemLevel",
    "chip",
    "chips",
    "machine",
    "place",
    "system",
    "systems",
]
