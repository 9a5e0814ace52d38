"""The choices there are about the inside of a chip, by name."""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from sympy import Expr

from symroof.graph.tile import Tile

ONCE = "once"
LAUNCH = "launch.kernel"

Charge: TypeAlias = str | Tile | Expr
"""How bytes of a level are counted: ``once``, by a tile, or given as a formula."""


class Residency(Enum):
    """Where the bytes of an op are charged.

    Attributes
    ----------
    COLD
        All at the main memory: nothing is in a cache before the op runs.
    CACHED
        The whole working set at the smallest level that holds it.
    PARTIAL
        All at the innermost level, and further out what the levels inside do not hold together,
        as caches do that keep no copies of one another: no cache holds more.
    """

    COLD = "cold"
    CACHED = "cached"
    PARTIAL = "partial"

    def __str__(self) -> str:
        return self.value


class Numa(Enum):
    """How the times to local and to remote memory make one.

    Attributes
    ----------
    CONCURRENT
        Both are busy at once; the slower takes the time: max(f/local, (1 − f)/remote) a byte.
    SERIAL
        One after the other: f/local + (1 − f)/remote a byte.
    """

    CONCURRENT = "concurrent"
    SERIAL = "serial"

    def __str__(self) -> str:
        return self.value
