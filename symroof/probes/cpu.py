"""The CPUs of this machine as a bench: streams and products by numpy, on one to all threads."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from itertools import cycle, pairwise
from math import inf

from symroof.errors import InputError
from symroof.extras import need
from symroof.probes.bench import (
    LAUNCH,
    MAIN,
    REMOTE,
    Facts,
    Level,
    Point,
    level_of,
    ranges,
    sizes_to_sweep,
)
from symroof.probes.libraries import torch_if_there
from symroof.probes.products import least_calls, numpy_product, torch_product
from symroof.probes.race import Kernel, Worker, race
from symroof.probes.streams import Streams
from symroof.probes.topology import Cache, Topology, read_topology

ORDERS = (128, 192, 256, 384, 512)
"""Of matrices that a thread multiplies by itself: they and their product fit its caches."""
ORDERS_TOGETHER = (512, 1024, 2048)
"""Of matrices that BLAS multiplies with all threads."""
ORDERS_BY_TORCH = (64, 128, 256, 512, 1024, 2048)
TOO_LONG = 0.25
"""Seconds of a call: where torch has no fast way for a dtype, larger products are left out."""
SHARE = 4
"""Main memory is measured with at most this part of what is free: 1/4."""
LEAST = 2**14
LEAST_EACH = 2**13
QUICK_MOST = 2**26


class Cpu:
    """The CPUs that this process may use.

    Parameters
    ----------
    threads : int, optional
        How many threads to use at most; all CPUs by default.
    most : int, optional
        Bytes of the largest working set; a quarter of the free memory by default.
    topology : Topology, optional
        What the operating system says; read here by default.

    Raises
    ------
    InputError
        If numpy or threadpoolctl is not installed, or there are not so many CPUs.
    """

    def __init__(
        self,
        threads: int | None = None,
        *,
        most: int | None = None,
        topology: Topology | None = None,
    ) -> None:
        need("numpy", "measure")
        found = topology or read_topology()
        if threads is not None and not 1 <= threads <= len(found.cpus):
            there = len(found.cpus)
            message = f"expected a number from 1 to {there}, the CPUs there are, not {threads}"
            raise InputError(message, where="threads")
        self.threads = threads or found.threads
        if self.threads < len(found.cpus) and topology is None:
            found = read_topology(cpus=found.cpus[: self.threads])
        self.topology = found
        self._blas = need("threadpoolctl", "measure").ThreadpoolController().select(user_api="blas")
        self._torch = torch_if_there()
        self._levels, self._skipped = _levels(self.topology)
        self.most = most or (self.topology.available or 2**30) // SHARE

    @property
    def facts(self) -> Facts:
        """What the operating system and the libraries say."""
        skipped = list(self._skipped)
        if len(self.topology.nodes) < 2:
            skipped.append("remote memory: there is one NUMA node")
        if self._torch is None:
            skipped.append("fp16 and bf16: torch is not installed")
        if not self._has_blas and self.threads > 1:
            skipped.append("FLOP/s by threads: the threads of this BLAS cannot be set")
        return Facts(
            "cpu",
            self.topology.processor,
            self._levels,
            self.topology.cores,
            self.threads,
            tuple(self._versions()),
            tuple(skipped),
        )

    def points(self, *, quick: bool) -> Sequence[Point]:
        """Return launches, streams by working set, products by dtype, fewer threads, far memory."""
        return [
            Point(LAUNCH, 1, 1, lambda seconds: self._race(lambda _: least_calls(), 1, seconds)),
            *self._streams(quick),
            *self._products(quick),
            *self._fewer_threads(quick),
            *self._far(),
        ]

    # --- points ---------------------------------------------------------------------------------

    def _streams(self, quick: bool) -> Iterator[Point]:
        inside = ranges(self._levels, min(self.most, QUICK_MOST) if quick else self.most)
        least = LEAST
        while least < LEAST_EACH * self.threads:
            least *= 2
        sizes = sizes_to_sweep(inside, least)
        if quick:
            largest = {level_of(size, inside): size for size in sizes}
            sizes = [size for level, size in largest.items() if level]
        for size in sizes:
            yield self._stream(level_of(size, inside), size, self.threads)

    def _stream(self, level: str, size: int, threads: int) -> Point:
        def make(_: int) -> list[Kernel]:
            return Streams(size // threads).kernels()

        roof = f"bw.{level}" if level else ""
        return Point(roof, size, threads, lambda seconds: self._race(make, threads, seconds))

    def _products(self, quick: bool) -> Iterator[Point]:
        for dtype in ("fp64", "fp32"):
            for order in (256,) if quick else ORDERS:
                if self._has_blas:
                    yield self._product(dtype, order, self.threads)
            for order in (512,) if quick else ORDERS_TOGETHER:
                yield self._product_together(dtype, order)
        if self._torch is not None:
            for dtype in ("fp16", "bf16"):
                yield from self._products_of_torch(dtype, (256,) if quick else ORDERS_BY_TORCH)

    def _product(self, dtype: str, order: int, threads: int) -> Point:
        def run(seconds: float) -> Mapping[str, float]:
            return self._race(lambda _: numpy_product(order, dtype, "matmul"), threads, seconds)

        return Point(f"peak.{dtype}", order, threads, run)

    def _product_together(self, dtype: str, order: int) -> Point:
        """Return a product that BLAS spreads over all threads by itself."""
        name = "matmul, shared"

        def run(seconds: float) -> Mapping[str, float]:
            with self._limit(self.threads):
                return race(lambda _: numpy_product(order, dtype, name), [Worker()], seconds)

        return Point(f"peak.{dtype}", order, self.threads, run)

    def _products_of_torch(self, dtype: str, orders: Sequence[int]) -> Iterator[Point]:
        torch, rates, left_out = self._torch, {0: inf}, set[int]()

        def run(order: int, smaller: int, seconds: float) -> Mapping[str, float]:
            if smaller in left_out or 2 * order**3 / rates[smaller] > TOO_LONG:
                left_out.add(order)
            if order in left_out:
                return {}
            found = race(lambda _: torch_product(torch, order, dtype, "cpu"), [Worker()], seconds)
            rates.setdefault(order, *found.values())
            return found

        for smaller, order in pairwise((0, *orders)):
            yield Point(f"peak.{dtype}", order, self.threads, partial(run, order, smaller))

    def _fewer_threads(self, quick: bool) -> Iterator[Point]:
        inside = ranges(self._levels, min(self.most, QUICK_MOST) if quick else self.most)
        private = {cache.name for cache in self.topology.caches if cache.private}
        for threads in fewer(self.threads):
            for level, (low, high) in inside.items():
                size = low if level == MAIN else high
                if level in private:
                    size = size * threads // self.threads
                if size // threads >= LEAST_EACH:
                    yield self._stream(level, size, threads)
            for dtype in ("fp64", "fp32") if self._has_blas else ():
                yield self._product(dtype, 256, threads)

    def _far(self) -> Iterator[Point]:
        """Return streams whose data lie at the next node."""
        nodes = self.topology.nodes
        if len(nodes) < 2:
            return
        size, _ = ranges(self._levels, self.most)[MAIN]
        workers = far_workers(nodes)

        def run(seconds: float) -> Mapping[str, float]:
            with self._limit(1):
                return race(
                    lambda _: Streams(size // len(workers)).kernels(),
                    workers,
                    seconds,
                    limit=lambda: self._limit(1),
                )

        yield Point(REMOTE, size, len(workers), run)

    # --- threads --------------------------------------------------------------------------------

    @property
    def _has_blas(self) -> bool:
        return bool(self._blas.lib_controllers)

    def _limit(self, threads: int) -> AbstractContextManager[object]:
        if not self._has_blas:
            return nullcontext()
        found: AbstractContextManager[object] = self._blas.limit(limits=threads)
        return found

    def _race(
        self, make: Callable[[int], Sequence[Kernel]], threads: int, seconds: float
    ) -> Mapping[str, float]:
        workers = [Worker(cpu) for cpu in self.topology.cpus[:threads]]
        with self._limit(1):
            return race(make, workers, seconds, limit=lambda: self._limit(1))

    def _versions(self) -> Iterator[str]:
        yield f"Python {platform.python_version()}"
        yield f"numpy {need('numpy', 'measure').__version__}"
        for library in self._blas.info():
            details = library.get("architecture")
            kind = f" ({details})" if details else ""
            yield f"{library['internal_api']} {library['version']}{kind}"
        if self._torch is not None:
            yield f"torch {self._torch.__version__}"


def fewer(threads: int) -> list[int]:
    """Return the numbers of threads below all: powers of two.

    Examples
    --------
    >>> fewer(6), fewer(1)
    ([1, 2, 4], [])
    """
    return [2**power for power in range(threads.bit_length()) if 2**power < threads]


def far_workers(nodes: Sequence[Sequence[int]]) -> list[Worker]:
    """Return a worker for each CPU, its data made by one of the next node.

    Examples
    --------
    >>> [(worker.cpu, worker.home) for worker in far_workers([[0, 1], [2, 3]])]
    [(0, 2), (1, 3), (2, 0), (3, 1)]
    """
    return [
        Worker(cpu, home)
        for place, node in enumerate(nodes)
        for cpu, home in zip(node, cycle(nodes[(place + 1) % len(nodes)]), strict=False)
    ]


def _levels(topology: Topology) -> tuple[tuple[Level, ...], list[str]]:
    """Return the caches that hold more than the one inside, and main memory; what is left out."""
    levels: list[Level] = []
    skipped = []
    inner: Cache | None = None
    for cache in topology.caches:
        if inner is not None and cache.capacity <= inner.capacity:
            skipped.append(f"{cache.name}: it holds no more than {inner.name}")
            continue
        levels.append(Level(cache.name, cache.capacity))
        inner = cache
    if not levels:
        skipped.append("caches: the operating system does not say what they hold")
    return (*levels, Level(MAIN, topology.memory)), skipped
