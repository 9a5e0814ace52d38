"""A device that is made up: its rates are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from symroof.probes.bench import LAUNCH, Facts, Level, Point

GIGA = 1e9
RATES = {
    ("peak.fp64", 256): {"matmul": 100 * GIGA, "matmul, shared": 90 * GIGA},
    ("peak.fp32", 256): {"matmul": 200 * GIGA},
    ("bw.l1", 2**15): {"copy": 300 * GIGA, "read": 250 * GIGA},
    ("", 2**16): {"copy": 280 * GIGA, "read": 500 * GIGA},
    ("bw.l2", 2**20): {"copy": 150 * GIGA, "read": 310 * GIGA},
    ("bw.dram", 2**28): {"copy": 20 * GIGA, "read": 50 * GIGA},
    ("bw.dram.remote", 2**28): {"copy": 10 * GIGA},
    (LAUNCH, 1): {"add": 4e6},
}


class MadeUp:
    """A bench that slows down a little each round."""

    def __init__(self) -> None:
        self.rounds = 0

    @property
    def facts(self) -> Facts:
        levels = (Level("l1", 2**16), Level("l2", 2**21), Level("dram", 2**34))
        return Facts("cpu", "Made Up 1", levels, 2, 2, ("numpy 0", "BLAS 0"), ("fp16: no torch",))

    def points(self, *, quick: bool) -> Sequence[Point]:
        alone = Point("peak.fp64", 256, 1, lambda _: {"matmul": 60 * GIGA})
        return [self._point(*key) for key in RATES] + [alone]

    def _point(self, roof: str, size: int) -> Point:
        slower = 1.0

        def run(seconds: float) -> Mapping[str, float]:
            nonlocal slower
            found = {kernel: rate * slower for kernel, rate in RATES[roof, size].items()}
            slower *= 0.9
            return found

        return Point(roof, size, 1 if roof == LAUNCH else 2, run)


@pytest.fixture
def bench() -> MadeUp:
    """Return the device."""
    return MadeUp()
