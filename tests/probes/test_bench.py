"""Working sets and the levels they lie in."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from symroof.probes.bench import Level, level_of, ranges, sizes_to_sweep

GIB = 2**30


def hierarchy(*capacities: int) -> list[Level]:
    caches = [Level(f"l{i}", capacity) for i, capacity in enumerate(capacities, 1)]
    return [*caches, Level("dram", 64 * GIB)]


def test_two_cores_with_32_mib_of_l3() -> None:
    inside = ranges(hierarchy(2**16, 2**21, 2**25), GIB)
    assert inside == {
        "l1": (0, 2**15),
        "l2": (2**17, 2**20),
        "l3": (2**22, 2**24),
        "dram": (2**27, GIB),
    }
    sizes = sizes_to_sweep(inside, 2**14)
    assert (sizes[0], sizes[-1], len(sizes)) == (2**14, 2**28, 15)
    assert [level_of(size, inside) for size in (2**16, 2**21, 2**25, 2**26)] == [""] * 4


def test_a_cache_hardly_larger_than_the_one_inside() -> None:
    inside = ranges(hierarchy(28 * 2**20, 38 * 2**20), 4 * GIB)
    assert inside["l2"] == (33 * 2**20, 33 * 2**20)
    assert 33 * 2**20 in sizes_to_sweep(inside, 2**20)


def test_main_memory_with_little_room() -> None:
    inside = ranges(hierarchy(2**16, 2**30), 2**28)
    assert inside["dram"] == (2**28, 2**28)
    assert 2**28 in sizes_to_sweep(inside, 2**14)


def test_no_caches_known() -> None:
    inside = ranges(hierarchy(), GIB)
    assert inside == {"dram": (2**27, GIB)}


@given(
    st.lists(st.integers(1, 40), min_size=0, max_size=3),
    st.integers(14, 18),
    st.integers(27, 36),
)
def test_every_level_is_met(factors: list[int], least: int, most: int) -> None:
    capacities, held = [], 2**16
    for factor in factors:
        held = held * (10 + factor) // 10
        capacities.append(held)
    inside = ranges(hierarchy(*capacities), 2**most)
    sizes = sizes_to_sweep(inside, 2**least)
    met = {level_of(size, inside) for size in sizes}
    assert {name for name, (_, high) in inside.items() if high >= 2**least} <= met
    assert sizes == sorted(set(sizes))
    assert all(2**least <= size <= 2**most for size in sizes)
