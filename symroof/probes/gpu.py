"""A GPU as a bench, through torch: streams by working set, products by dtype, launches."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from symroof.errors import InputError
from symroof.probes.bench import (
    LAUNCH,
    MAIN,
    Facts,
    Level,
    Point,
    level_of,
    ranges,
    sizes_to_sweep,
)
from symroof.probes.libraries import torch_if_there
from symroof.probes.products import CALLS, TORCH, torch_product
from symroof.probes.race import FEWEST, Call, Kernel, Spans, Timed, fastest

ORDERS = (2048, 4096, 8192)
QUICK_ORDERS = (512,)
LEAST = 2**21
SHARE = 4
QUICK_MOST = 2**28
WORD = 4
PASSES = 2**28
"""Bytes that one read goes over, again and again where the working set is smaller."""
LEAST_BATCH = 1e-3
"""Seconds of calls that are timed together: far above what an event costs."""
MILLI = 1e-3


class Gpu:
    """The first GPU that torch sees.

    Parameters
    ----------
    most : int, optional
        Bytes of the largest working set; a quarter of the free memory by default.

    Raises
    ------
    InputError
        If torch is not installed, or sees none.
    """

    def __init__(self, most: int | None = None) -> None:
        self._torch = torch_if_there()
        if self._torch is None:
            raise InputError("torch is not installed; pip install torch", where="device gpu")
        if not self._torch.cuda.is_available():
            raise InputError("torch sees no GPU", where="device gpu")
        self._about = self._torch.cuda.get_device_properties(0)
        self.most = most or int(self._torch.cuda.mem_get_info()[0]) // SHARE

    @property
    def facts(self) -> Facts:
        """What torch says of the GPU."""
        torch = self._torch
        versions = [f"Python {platform.python_version()}", f"torch {torch.__version__}"]
        version = torch.version.cuda or getattr(torch.version, "hip", None)
        versions += [f"CUDA or HIP {version}"] if version else []
        skipped = ["shared memory and L1: torch has no kernel that stays inside them"]
        if len(self._levels) == 1:
            skipped.append("L2: torch does not say what it holds")
        units = self._about.multi_processor_count
        return Facts("gpu", self._about.name, self._levels, units, 0, tuple(versions), (*skipped,))

    def points(self, *, quick: bool) -> Sequence[Point]:
        """Return launches, streams by working set and products by dtype."""
        return [Point(LAUNCH, 1, 0, self._launches), *self._streams(quick), *self._products(quick)]

    @property
    def _levels(self) -> tuple[Level, ...]:
        cache = int(getattr(self._about, "L2_cache_size", 0))
        main = Level(MAIN, int(self._about.total_memory))
        return (Level("l2", cache), main) if cache else (main,)

    def _streams(self, quick: bool) -> Iterator[Point]:
        inside = ranges(self._levels, min(self.most, QUICK_MOST) if quick else self.most)
        for size in sizes_to_sweep(inside, LEAST):
            level = level_of(size, inside)
            if level or not quick:
                yield Point(f"bw.{level}" if level else "", size, 0, self._stream(size))

    def _stream(self, size: int) -> Callable[[float], Mapping[str, float]]:
        def run(seconds: float) -> Mapping[str, float]:
            return self._rates(torch_streams(self._torch, size, "cuda"), seconds)

        return run

    def _products(self, quick: bool) -> Iterator[Point]:
        for dtype in TORCH:
            for order in QUICK_ORDERS if quick else ORDERS:
                yield Point(f"peak.{dtype}", order, 0, self._product(dtype, order))

    def _product(self, dtype: str, order: int) -> Callable[[float], Mapping[str, float]]:
        def run(seconds: float) -> Mapping[str, float]:
            return self._rates(torch_product(self._torch, order, dtype, "cuda"), seconds)

        return run

    def _launches(self, seconds: float) -> Mapping[str, float]:
        one = self._torch.ones(1, device="cuda")
        return self._rates([Kernel("update", [lambda: one.mul_(1.0)] * CALLS, 1)], seconds)

    def _rates(self, kernels: Sequence[Kernel], seconds: float) -> dict[str, float]:
        return {k.name: fastest([timed_by_events(self._torch, k, seconds)]) for k in kernels}


def timed_by_events(torch: Any, kernel: Kernel, seconds: float) -> Timed:
    """Return the batches of calls that fit `seconds`, timed by the GPU itself."""

    def batch(count: int) -> float:
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(count):
            for call in kernel.calls:
                call()
        end.record()
        end.synchronize()
        return float(begin.elapsed_time(end)) * MILLI

    count = 1
    while batch(count) < LEAST_BATCH:
        count *= 2
    spans: Spans = []
    now = 0.0
    while now < seconds or len(spans) < FEWEST:
        took = batch(count)
        spans.append((now, now + took))
        now += took
    return Timed(spans, count * len(kernel.calls), kernel.amount)


def torch_streams(torch: Any, size: int, device: str) -> list[Kernel]:
    """Return kernels that move bytes: read, copy, add and update a working set of `size` bytes.

    A read is a sum over rows that all lie in the same place, so that a small working set is read
    again and again in one kernel.
    """
    words = torch.ones(size // WORD, dtype=torch.float32, device=device)
    half, third = len(words) // 2, len(words) // 3
    x, y = words[:half], words[half : 2 * half]
    a, b, c = (words[i * third : (i + 1) * third] for i in range(3))
    repeats = max(1, PASSES // size)
    rows = words.expand(repeats, len(words))
    sums = torch.empty(repeats, device=device)
    calls: dict[str, tuple[Call, int]] = {
        "read": (lambda: torch.sum(rows, dim=1, out=sums), words.nbytes * repeats),
        "copy": (lambda: y.copy_(x), 2 * x.nbytes),
        "add": (lambda: torch.add(a, b, out=c), 3 * a.nbytes),
        "update": (lambda: words.mul_(1.0), 2 * words.nbytes),
    }
    return [Kernel(name, [call], amount) for name, (call, amount) in calls.items()]
