"""Sets of whole numbers against plain enumeration."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest

from symroof.solve.integers import IntegerSet, common, interleaved, merged, outside

LAST = 600


def numbers(runs) -> set[int]:  # type: ignore[no-untyped-def]
    return {
        n for n in range(1, LAST) for low, high in runs if low <= n and (high is None or n <= high)
    }


def random_runs(source: random.Random) -> list[tuple[int, int | None]]:
    ends = sorted(source.sample(range(1, 60), 2 * source.randint(0, 3)))
    runs: list[tuple[int, int | None]] = list(zip(ends[::2], ends[1::2], strict=True))
    if source.random() < 0.3:
        runs.append((61 + source.randint(0, 9), None))
    return merged(runs)


def test_set_operations() -> None:
    source = random.Random(3)
    for _ in range(200):
        a, b = random_runs(source), random_runs(source)
        assert numbers(outside(a)) == set(range(1, LAST)) - numbers(a)
        assert numbers(common(a, b)) == numbers(a) & numbers(b)
        assert numbers(merged([*a, *b])) == numbers(a) | numbers(b)


def test_interleaved_residues() -> None:
    source = random.Random(5)
    for _ in range(200):
        period = source.randint(1, 6)
        residues = [random_runs(source) for _ in range(period)]
        members = {
            n
            for n in range(1, LAST)
            for low, high in residues[(n - 1) % period]
            if low <= (n - 1) // period + 1 and (high is None or (n - 1) // period + 1 <= high)
        }
        found = interleaved(residues)
        starts = sorted(n for n in members if n - 1 not in members)
        assert found.first == (starts[0] if starts else None)
        assert [low for low, _ in found.intervals] == starts[: len(found.intervals)]
        tail = [n in members for n in range(LAST - 2 * period, LAST)]
        if found.total != math.inf:
            assert found.total == len(starts)
            absent = [n for n in range(1, LAST) if n not in members]
            expected = (absent[-1] + 1 if absent else 1) if tail[-1] else None
            assert found.permanent == expected
        else:
            assert found.permanent is None
            assert found.period is not None
            assert len(found.intervals) == 64
            shape = [n in members for n in range(LAST - found.period * 12, LAST)]
            assert shape == shape[: found.period] * 12
            assert not any(
                shape == shape[:d] * (len(shape) // d)
                for d in range(1, found.period)
                if found.period % d == 0
            )


@pytest.mark.parametrize("count", [3, 64, 65, 200])
def test_listing_stops_at_64_and_says_how_many_there_are(count: int) -> None:
    runs = [(3 * i, 3 * i + 1) for i in range(1, count + 1)]
    found = replace(
        IntegerSet.of_runs(runs), belongs=lambda n: n % 3 < 2 and 3 <= n <= 3 * count + 1
    )
    assert found.total == count
    assert len(found.intervals) == min(count, 64)
    assert found.is_complete == (count <= 64)
    assert found.contains(3 * count + 1)
    assert not found.contains(3 * count + 2)
    assert not found.contains(0)
