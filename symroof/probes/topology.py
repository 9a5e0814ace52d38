"""What the operating system says of the machine: CPUs, cores, caches, memory, NUMA nodes."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path("/")
CPUS = "sys/devices/system/cpu"
NODES = "sys/devices/system/node"
UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}


@dataclass(frozen=True, slots=True)
class Cache:
    """A level of cache, over all CPUs this process may use.

    Attributes
    ----------
    name : str
        ``l1``, ``l2``, ``l3``.
    capacity : int
        Bytes of all its instances together.
    instances : int
        How many there are.
    private : bool
        Whether each core has one of its own.
    """

    name: str
    capacity: int
    instances: int
    private: bool


@dataclass(frozen=True, slots=True)
class Topology:
    """What probes need to know of a machine before they run.

    Attributes
    ----------
    cpus : tuple of int
        The CPUs this process may use.
    cores : int
        How many cores they are on.
    threads : int
        How many of the CPUs can be busy at once: fewer where a container has a quota.
    caches : tuple of Cache
        From the innermost outwards; empty where the system does not say.
    nodes : tuple of tuple of int
        The CPUs of each NUMA node that has any.
    memory, available : int
        Bytes of main memory, and of those that are free; 0 where the system does not say.
    processor : str
        What it calls itself.
    """

    cpus: tuple[int, ...]
    cores: int
    threads: int
    caches: tuple[Cache, ...]
    nodes: tuple[tuple[int, ...], ...]
    memory: int
    available: int
    processor: str


def read_topology(root: Path = ROOT, cpus: Sequence[int] | None = None) -> Topology:
    """Return what the operating system says of this machine.

    Linux says all of it in ``/sys`` and ``/proc``; elsewhere the number of CPUs is what is known.

    Parameters
    ----------
    root : Path
        Where those folders are.
    cpus : sequence of int, optional
        The CPUs to look at; those this process may use by default.

    Examples
    --------
    >>> found = read_topology()
    >>> len(found.cpus) >= found.threads >= 1
    True
    """
    used = tuple(sorted(_allowed() if cpus is None else cpus))
    memory, available = _memory(root)
    return Topology(
        used,
        _cores(root, used),
        _threads(root, used),
        _caches(root, used),
        _nodes(root, used),
        memory,
        available,
        _processor(root),
    )


def _allowed() -> Sequence[int]:
    if hasattr(os, "sched_getaffinity"):
        return tuple(os.sched_getaffinity(0))
    return range(os.cpu_count() or 1)


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def numbers(text: str) -> tuple[int, ...]:
    """Return the CPUs of a list such as Linux writes.

    Examples
    --------
    >>> numbers("0-2,8")
    (0, 1, 2, 8)
    """
    found: list[int] = []
    for first, last in re.findall(r"(\d+)(?:-(\d+))?", text):
        found.extend(range(int(first), int(last or first) + 1))
    return tuple(found)


def _bytes(text: str) -> int:
    matched = re.fullmatch(r"(\d+)([KMG]?)", text)
    return int(matched[1]) * UNITS[matched[2]] if matched else 0


def _cores(root: Path, cpus: Sequence[int]) -> int:
    folders = (root / CPUS / f"cpu{cpu}" / "topology" for cpu in cpus)
    siblings = {_text(folder / "thread_siblings_list") for folder in folders}
    return len(cpus) if "" in siblings else len(siblings)


def _threads(root: Path, cpus: Sequence[int]) -> int:
    quota, _, period = _text(root / "sys/fs/cgroup/cpu.max").partition(" ")
    if not (quota.isdigit() and period.isdigit() and int(period)):
        return len(cpus)
    return max(1, min(len(cpus), int(quota) // int(period)))


def _instances(root: Path, cpus: Sequence[int]) -> Iterator[tuple[int, str, int]]:
    """Yield level, sharing CPUs and bytes of the caches for data, once for each CPU they serve."""
    for cpu in cpus:
        for folder in sorted((root / CPUS / f"cpu{cpu}" / "cache").glob("index*")):
            level, size = _text(folder / "level"), _bytes(_text(folder / "size"))
            if _text(folder / "type") != "Instruction" and level.isdigit() and size:
                yield int(level), _text(folder / "shared_cpu_list") or str(cpu), size


def _caches(root: Path, cpus: Sequence[int]) -> tuple[Cache, ...]:
    levels: dict[int, dict[str, int]] = {}
    for level, shared, size in _instances(root, cpus):
        levels.setdefault(level, {})[shared] = size
    cores = _cores(root, cpus)
    return tuple(
        Cache(f"l{level}", sum(found.values()), len(found), len(found) == cores)
        for level, found in sorted(levels.items())
    )


def _nodes(root: Path, cpus: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    folders = sorted((root / NODES).glob("node[0-9]*"), key=lambda path: int(path.name[4:]))
    nodes = (
        tuple(cpu for cpu in numbers(_text(folder / "cpulist")) if cpu in cpus)
        for folder in folders
    )
    return tuple(node for node in nodes if node)


def _memory(root: Path) -> tuple[int, int]:
    lines = dict(re.findall(r"(\w+):\s+(\d+) kB", _text(root / "proc/meminfo")))
    total = int(lines.get("MemTotal", 0)) * 1024
    free = int(lines.get("MemAvailable", 0)) * 1024
    limit = _text(root / "sys/fs/cgroup/memory.max")
    if limit.isdigit() and total:
        total, free = min(total, int(limit)), min(free, int(limit))
    return total, free


def _processor(root: Path) -> str:
    named = re.search(r"^model name\s*:\s*(.+)$", _text(root / "proc/cpuinfo"), re.MULTILINE)
    found = named[1] if named else platform.processor() or platform.machine()
    return " ".join("".join(c for c in found if c.isprintable()).split())[:200]
