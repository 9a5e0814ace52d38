"""What a device offers to a measurement: points to run, and the facts that go beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

MAIN = "dram"
LAUNCH = "launch"
REMOTE = f"bw.{MAIN}.remote"


@dataclass(frozen=True, slots=True)
class Level:
    """A level of memory: its name, and its bytes in all; 0 where they are not known."""

    name: str
    capacity: int


@dataclass(frozen=True, slots=True)
class Point:
    """Kernels at one size, on some threads, to be run once a round.

    Attributes
    ----------
    roof : str
        The rate they may reach: ``peak.fp64``, ``bw.l2``, ``launch``; empty where the working set
        lies between two levels.
    size : int
        Bytes of the working set of all threads, or the order of the matrices.
    threads : int
        How many threads, or 0 where the device does not count them.
    run : callable
        Takes seconds for each kernel; returns the best rate by the kernel's name.
    """

    roof: str
    size: int
    threads: int
    run: Callable[[float], Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a device before anything is measured.

    Attributes
    ----------
    kind : str
        ``cpu`` or ``gpu``.
    title : str
        What it is called.
    levels : tuple of Level
        From the innermost outwards, main memory last.
    compute_units : int
        Cores, or multiprocessors.
    threads : int
        Threads that a measurement runs at most; 0 where that has no meaning.
    versions : tuple of str
        Of the libraries that kernels run through.
    skipped : tuple of str
        What is not measured here, each with the reason.
    """

    kind: str
    title: str
    levels: tuple[Level, ...]
    compute_units: int
    threads: int
    versions: tuple[str, ...]
    skipped: tuple[str, ...] = ()


class Bench(Protocol):
    """A device to measure."""

    @property
    def most(self) -> int:
        """Bytes of the largest working set."""
        ...

    @property
    def facts(self) -> Facts:
        """What is known of it."""
        ...

    def points(self, *, quick: bool) -> Sequence[Point]:
        """Return what to run in each round; a few small ones where it must be quick."""
        ...


Ranges = dict[str, tuple[int, int]]
"""By level, the smallest and the largest working set that lies well inside of it."""

UNKNOWN_CACHE = 2**25
"""Bytes that caches are taken to hold where the system does not say."""


def ranges(levels: Sequence[Level], most: int) -> Ranges:
    """Return the working sets that lie well inside each level.

    From twice what the level inside holds up to half of the level; half-way between the two where
    that leaves nothing. For main memory from four times the last cache, up to `most` bytes.

    Examples
    --------
    >>> levels = [Level("l1", 2**16), Level("l2", 2**21), Level("dram", 2**34)]
    >>> ranges(levels, 2**30)["l2"] == (2**17, 2**20)
    True
    """
    found, inner = {}, 0
    for level in levels[:-1]:
        low, high = 2 * inner, level.capacity // 2
        middle = (inner + level.capacity) // 2
        found[level.name] = (low, high) if low <= high else (middle, middle)
        inner = level.capacity
    found[levels[-1].name] = (min(4 * (inner or UNKNOWN_CACHE), most), most)
    return found


def level_of(size: int, inside: Ranges) -> str:
    """Return the level that a working set lies well inside of; empty for one between two levels.

    Examples
    --------
    >>> inside = {"l2": (2**17, 2**20), "dram": (2**23, 2**30)}
    >>> [level_of(size, inside) for size in (2**18, 2**21, 2**23)]
    ['l2', '', 'dram']
    """
    return next((name for name, (low, high) in inside.items() if low <= size <= high), "")


def sizes_to_sweep(inside: Ranges, least: int) -> list[int]:
    """Return working sets: powers of two up to twice the least of main memory, and all levels met.

    Examples
    --------
    >>> sizes_to_sweep({"l2": (2**17, 2**20), "dram": (3 * 2**20, 2**30)}, 2**18)
    [262144, 524288, 1048576, 2097152, 4194304]
    """
    *_, (low, most) = inside.values()
    sizes, size = set(), least
    while size <= min(2 * low, most):
        sizes.add(size)
        size *= 2
    for low, high in inside.values():
        if not any(low <= size <= high for size in sizes) and high >= least:
            sizes.add(max(least, (low + high) // 2 if high < most else low))
    return sorted(sizes)
