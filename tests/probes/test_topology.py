"""What Linux says in ``/sys`` and ``/proc``, from a tree of one's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from symroof.probes.topology import Cache, read_topology


def put(root: Path, path: str, text: str) -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text + "\n")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Two sockets of two cores with two CPUs each; L1 and L2 of a core, L3 of a socket."""
    for cpu in range(8):
        core, socket = cpu // 2, cpu // 4
        pair = f"{2 * core},{2 * core + 1}"
        folder = f"sys/devices/system/cpu/cpu{cpu}"
        put(tmp_path, f"{folder}/topology/thread_siblings_list", pair)
        caches = (
            ("1", "Data", "32K", pair),
            ("1", "Instruction", "64K", pair),
            ("2", "Unified", "1024K", pair),
            ("3", "Unified", "32M", f"{4 * socket}-{4 * socket + 3}"),
        )
        for index, (level, kind, size, shared) in enumerate(caches):
            at = f"{folder}/cache/index{index}"
            put(tmp_path, f"{at}/level", level)
            put(tmp_path, f"{at}/type", kind)
            put(tmp_path, f"{at}/size", size)
            put(tmp_path, f"{at}/shared_cpu_list", shared)
    put(tmp_path, "sys/devices/system/node/node0/cpulist", "0-3")
    put(tmp_path, "sys/devices/system/node/node1/cpulist", "4-7")
    put(tmp_path, "sys/devices/system/node/node2/cpulist", "")
    put(tmp_path, "proc/meminfo", "MemTotal:  1000 kB\nMemFree: 1 kB\nMemAvailable:  600 kB")
    put(tmp_path, "proc/cpuinfo", "processor : 0\nmodel name : Some  CPU 9000\n")
    return tmp_path


def test_all_cpus(root: Path) -> None:
    found = read_topology(root, range(8))
    assert found.caches == (
        Cache("l1", 4 * 32 * 1024, 4, True),
        Cache("l2", 4 * 2**20, 4, True),
        Cache("l3", 2 * 32 * 2**20, 2, False),
    )
    assert (found.cores, found.threads, len(found.cpus)) == (4, 8, 8)
    assert found.nodes == ((0, 1, 2, 3), (4, 5, 6, 7))
    assert (found.memory, found.available) == (1_024_000, 614_400)
    assert found.processor == "Some CPU 9000"


def test_some_cpus_of_one_socket(root: Path) -> None:
    found = read_topology(root, [0, 1, 2])
    assert [cache.capacity for cache in found.caches] == [65536, 2 * 2**20, 32 * 2**20]
    assert (found.cores, found.nodes) == (2, ((0, 1, 2),))


def test_a_container_with_a_quota(root: Path) -> None:
    put(root, "sys/fs/cgroup/cpu.max", "250000 100000")
    put(root, "sys/fs/cgroup/memory.max", "500000")
    found = read_topology(root, range(8))
    assert (found.threads, found.memory, found.available) == (2, 500_000, 500_000)
    put(root, "sys/fs/cgroup/cpu.max", "max 100000")
    put(root, "sys/fs/cgroup/memory.max", "max")
    found = read_topology(root, range(8))
    assert (found.threads, found.memory) == (8, 1_024_000)


def test_a_system_that_says_nothing(tmp_path: Path) -> None:
    found = read_topology(tmp_path, [0, 1])
    assert (found.caches, found.nodes, found.memory, found.cores) == ((), (), 0, 2)
