"""Clocks: interleaved repetitions with medians, a time limit, and cold caches."""

from __future__ import annotations

import functools
import gc
import signal
import statistics
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from time import process_time
from types import FrameType, MappingProxyType
from typing import Any

from sympy.core.cache import clear_cache

OWN_PACKAGES = ("symroof.symbolic.", "symroof.solve.")
KEPT = ("symroof.symbolic.symbols",)  # one symbol per name is identity, not speed


class OverTimeError(BaseException):
    """The time limit is over; no `Exception`, so that nobody swallows it."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `OverTimeError` in the body after so many seconds (main thread only)."""

    def ring(number: int, frame: FrameType | None) -> None:
        raise OverTimeError

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def forget() -> None:
    """Empty sympy's cache, and symroof's own caches of formulas."""
    clear_cache()
    for cached in own_caches():
        cached.cache_clear()


@functools.cache
def own_caches() -> tuple[Any, ...]:
    """Return the caches of symroof that hold what was worked out on formulas."""
    kind = type(functools.cache(len))
    found = {
        id(value): value
        for name, module in sys.modules.items()
        if name.startswith(OWN_PACKAGES) and name not in KEPT
        for value in vars(module).values()
        if isinstance(value, kind) and value.__module__ not in KEPT
    }
    return tuple(found.values())


def seconds(action: Callable[[], object], *, cold: bool = False, collecting: bool = False) -> float:
    """Return how long one call takes, in CPU time: what other programs do does not count.

    Parameters
    ----------
    action : callable
        What to time; its result is thrown away after the clock has stopped.
    cold : bool
        Empty the caches of formulas before.
    collecting : bool
        Leave the garbage collector on, as it is for users, after a collection.
    """
    if cold:
        forget()
    if collecting:
        gc.collect()
    else:
        gc.disable()
    try:
        begin = process_time()
        result = action()
        taken = process_time() - begin
    finally:
        gc.enable()
    del result
    return taken


def medians(
    actions: Mapping[str, Callable[[], float]],
    repetitions: int,
    fewer: Mapping[str, int] = MappingProxyType({}),
) -> tuple[dict[str, float], float]:
    """Take turns through actions that return their own time; each round begins with another.

    Parameters
    ----------
    actions : mapping of str to callable
        Each returns the seconds it took.
    repetitions : int
        Rounds.
    fewer : mapping of str to int
        Actions that take part in the first rounds only, for they are slow.

    Returns
    -------
    tuple
        The median of each action, and the largest spread, (third quartile - first) / median.
    """
    taken: dict[str, list[float]] = {name: [] for name in actions}
    order = list(actions)
    for turn in range(repetitions):
        for name in order:
            if turn < fewer.get(name, repetitions):
                taken[name].append(actions[name]())
        order.append(order.pop(0))
    spread = max((relative_spread(times) for times in taken.values()), default=0.0)
    return {name: statistics.median(times) for name, times in taken.items() if times}, spread


def relative_spread(times: list[float]) -> float:
    """Return the distance of the quartiles over the median; 0 for fewer than two times."""
    if len(times) < 2:
        return 0.0
    low, middle, high = statistics.quantiles(times, n=4, method="inclusive")
    return (high - low) / middle
