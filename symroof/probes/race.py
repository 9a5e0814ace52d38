"""Kernels run over and over by several threads at once, and the fastest stretch of their run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import cycle, islice
from threading import Barrier, BrokenBarrierError
from time import perf_counter

from symroof.extras import need

Call = Callable[[], object]
Clock = Callable[[], float]
Making = Callable[[int], "Sequence[Kernel]"]
Spans = list[tuple[float, float]]

LEAST_BATCH = 0.2e-3
"""Seconds that calls timed together take at least: far above what the clock costs."""
LEAST_STRETCH = 0.5e-3
"""Seconds of the stretch that a rate is read from, at least."""
FEWEST = 3
"""Batches of a run, however long one takes."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """Calls that do the same amount of work each, run in turn.

    Attributes
    ----------
    name : str
        What it does.
    calls : sequence of callable
        One after the other, then from the first again: each works on its own part of the data.
    amount : int
        FLOPs or bytes of a call; 1 where calls are counted.
    """

    name: str
    calls: Sequence[Call]
    amount: int


@dataclass(frozen=True, slots=True)
class Timed:
    """The batches of calls that one thread made.

    Attributes
    ----------
    spans : list of (float, float)
        When each batch began and ended.
    calls : int
        Calls of a batch.
    amount : int
        Work of a call.
    """

    spans: Spans
    calls: int
    amount: int

    @property
    def best(self) -> float:
        """Seconds of a call in the fastest batch."""
        return min(end - begin for begin, end in self.spans) / self.calls


@dataclass(frozen=True, slots=True)
class Worker:
    """A thread that takes part.

    Attributes
    ----------
    cpu : int or None
        Where it runs; None where the system may choose.
    home : int or None
        The CPU at which its data are made, and so the memory they lie in; `cpu` by default.
    """

    cpu: int | None = None
    home: int | None = None


def race(
    make: Making,
    workers: Sequence[Worker],
    seconds: float,
    *,
    clock: Clock = perf_counter,
    limit: Callable[[], AbstractContextManager[object]] = nullcontext,
) -> dict[str, float]:
    """Return the best rate that all workers together reach with each kernel.

    All workers run a kernel over and over for `seconds` without waiting for each other. The rate
    is that of the fastest stretch of time: what they got done in it, over its length. A stretch is
    long against a call, and short against what the system takes a CPU away for, so that a busy
    machine still shows its roof.

    Parameters
    ----------
    make : callable
        Takes the number of a worker and returns its kernels, with data of its own. It is called by
        the worker, so that the data lie near its CPU.
    workers : sequence of Worker
        The threads.
    seconds : float
        How long each kernel runs.
    clock : callable
        Seconds since some moment.
    limit : callable
        Returns a context that each worker runs in: one that keeps BLAS to one thread.

    Returns
    -------
    dict of str to float
        Amounts per second by the name of the kernel.
    """
    meeting = Barrier(len(workers))

    def run(number: int) -> list[tuple[str, Timed]]:
        worker = workers[number]
        try:
            with limit():
                pin(worker.cpu if worker.home is None else worker.home)
                kernels = make(number)
                pin(worker.cpu)
                return list(_in_turn(kernels, meeting, seconds, clock))
        except BaseException:
            meeting.abort()
            raise

    with ThreadPoolExecutor(len(workers)) as pool:
        futures = [pool.submit(run, number) for number in range(len(workers))]
    failures = [future.exception() for future in futures]
    for failure in sorted(filter(None, failures), key=lambda e: isinstance(e, BrokenBarrierError)):
        raise failure
    results = [dict(future.result()) for future in futures]
    return {name: fastest([result[name] for result in results]) for name in results[0]}


def pin(cpu: int | None) -> None:
    """Keep the calling thread on a CPU, where the system can."""
    if cpu is not None and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {cpu})


def _in_turn(
    kernels: Sequence[Kernel], meeting: Barrier, seconds: float, clock: Clock
) -> Iterator[tuple[str, Timed]]:
    for kernel in kernels:
        count = batch_size(kernel, clock)
        meeting.wait()
        yield kernel.name, timed(kernel, count, seconds, clock)


def batch_size(kernel: Kernel, clock: Clock = perf_counter) -> int:
    """Return how many calls take long enough to be timed together."""
    count = 1
    while True:
        begin = clock()
        for call in islice(cycle(kernel.calls), count):
            call()
        if clock() - begin >= LEAST_BATCH:
            return count
        count *= 2


def timed(kernel: Kernel, count: int, seconds: float, clock: Clock = perf_counter) -> Timed:
    """Return the batches of `count` calls that fit `seconds`, at least a few.

    Examples
    --------
    >>> ticks = iter(range(100))
    >>> timed(Kernel("idle", [list], 8), 2, 1.0, lambda: float(next(ticks))).spans
    [(1.0, 2.0), (3.0, 4.0), (5.0, 6.0)]
    """
    calls, spans = cycle(kernel.calls), []
    stop = clock() + seconds
    while True:
        batch = tuple(islice(calls, count))
        begin = clock()
        for call in batch:
            call()
        end = clock()
        spans.append((begin, end))
        if end >= stop and len(spans) >= FEWEST:
            return Timed(spans, count, kernel.amount)


def fastest(runs: Sequence[Timed], least: float = LEAST_STRETCH) -> float:
    """Return the highest rate of several threads together over any stretch of time.

    The stretch is at least `least` seconds and two batches long. Within a batch work is taken to
    go on evenly.

    Examples
    --------
    Two threads of 8 bytes a batch; one is held up for a second.

    >>> steady = Timed([(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)], 1, 8)
    >>> held_up = Timed([(0, 2), (2, 3), (3, 4), (4, 5)], 1, 8)
    >>> fastest([steady, held_up])
    16.0
    """
    numpy = need("numpy", "measure")
    shortest = min(end - begin for run in runs for begin, end in run.spans)
    first = max(run.spans[0][0] for run in runs)
    last = min(run.spans[-1][1] for run in runs)
    length = min(max(least, 2 * shortest), last - first)
    if length <= 0:  # they never ran at the same time
        return max(run.amount / run.best for run in runs)
    begins = numpy.array([first, *(span[0] for run in runs for span in run.spans)])
    begins = begins[(begins == first) | ((begins > first) & (begins + length <= last))]
    done = 0.0
    for run in runs:
        times = numpy.array(run.spans).ravel()
        steps = numpy.repeat(numpy.arange(len(run.spans) + 1), 2)[1:-1]
        amounts = steps * float(run.calls * run.amount)
        done += numpy.interp(begins + length, times, amounts) - numpy.interp(begins, times, amounts)
    return float(numpy.max(done) / length)
