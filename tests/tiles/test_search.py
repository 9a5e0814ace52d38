"""The best tile against all tiles: every m, n, k up to 512, and every tile that may stay."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import ceil

import numpy as np
import pytest

from symroof.errors import InputError
from symroof.graph.tile import ONE_KEPT, Keep
from symroof.tiles.search import MOST_TRIED, Sizes, best_tile

MOST = 512
CAPACITIES = (512, 20_000, 262_144)  # byte
SHAPES = (
    # batch, m, n, k, bytes of an element of each tensor
    (1, 512, 512, 100, 2, 2, 2),
    (1, 4096, 4096, 4096, 2, 2, 2),
    (8, 333, 127, 1000, 2, 2, 2),
    (1, 1, 4096, 4096, 2, 2, 2),
    (1, 64, 8192, 30, 2, 1, 4),
    (1, 1000, 17, 4, 4, 4, 4),
    (2, 100, 100, 5000, 1, 1, 2),
    (1, 511, 509, 7, 8, 8, 8),
    (1, 48, 96, 24, 2, 2, 4),
    (1, 2048, 40, 2047, 1, 2, 2),
)


def least_of_all(
    shape: tuple[int, ...], capacities: tuple[int, ...], most: int
) -> list[tuple[int, int] | None]:
    """The least bytes over all tiles that fit, and the least room of those, by trying every one."""
    batch, m, n, k, left, right, out = shape
    rows, columns = (np.arange(1, min(most, size) + 1) for size in (m, n))
    bm, bn = rows[:, None], columns[None, :]
    a, b, c = batch * m * k * left, batch * k * n * right, batch * m * n * out
    in_m, in_n = -(-m // bm), -(-n // bn)
    found: list[tuple[int, int] | None] = [None] * len(capacities)
    for bk in range(1, min(most, k) + 1):
        in_k = -(-k // bk)
        results = (2 * in_k - 1) * c
        moved = np.minimum(
            a * in_n + b * in_m + c, np.minimum(a + b * in_m, b + a * in_n) + results
        )
        room = bm * bk * left + bk * bn * right + bm * bn * out
        for place, capacity in enumerate(capacities):
            fits = room <= capacity
            if fits.any():
                least = moved[fits].min()
                best = int(least), int(room[fits & (moved == least)].min())
                found[place] = min(best, found[place] or best)
    return found


def sizes_of(shape: tuple[int, ...]) -> Sizes:
    return Sizes(*shape[:4], *map(Fraction, shape[4:]))


def once(shape: tuple[int, ...]) -> int:
    batch, m, n, k, left, right, out = shape
    return batch * (m * k * left + k * n * right + m * n * out)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_best_of_all_tiles_up_to_512_is_found(shape):
    for capacity, expected in zip(CAPACITIES, least_of_all(shape, CAPACITIES, MOST), strict=True):
        found = best_tile(sizes_of(shape), Fraction(capacity), largest=MOST)
        assert (found.extra + once(shape), found.footprint) == expected
        assert max(found.m, found.n, found.k) <= MOST


@pytest.mark.parametrize("keep", ONE_KEPT)
@pytest.mark.parametrize("step", [1, 4])
def test_each_kept_tile_is_the_best_of_its_kind(keep, step):
    m, n, k = 13, 10, 22
    sizes = Sizes(1, m, n, k, Fraction(2), Fraction(1, 2), Fraction(4))
    for capacity in (40, 100, 333, 900):
        best = None
        for x, y in product(range(1, 25), repeat=2):
            bm, bn, bk = {"output": (x, y, step), "left": (x, step, y), "right": (step, x, y)}[keep]
            room = bm * bk * 2 + Fraction(bk * bn, 2) + bm * bn * 4
            times = {"m": ceil(m / bm), "n": ceil(n / bn), "k": ceil(k / bk)}
            extra = 0
            extra += (times["n"] - 1) * m * k * 2 if keep != "left" else 0
            extra += Fraction((times["m"] - 1) * k * n, 2) if keep != "right" else 0
            extra += (times["k"] - 1) * 2 * m * n * 4 if keep != "output" else 0
            if room <= capacity and (best is None or (extra, room) < best):
                best = (extra, room)
        found = best_tile(sizes, Fraction(capacity), keep=keep, step=step)
        assert (found and (found.extra, found.footprint)) == best


def test_a_tile_is_kept_that_is_not_the_result():
    # A deep sum into one row: the row of the left operand stays, and everything moves once.
    found = best_tile(Sizes(1, 1, 4096, 64, *[Fraction(2)] * 3), Fraction(260))
    assert (found.m, found.n, found.k, found.keep, found.extra) == (1, 1, 64, Keep.LEFT, 0)


def test_a_capacity_below_the_smallest_tile_has_none():
    sizes = Sizes(1, 8, 8, 8, *[Fraction(2)] * 3)
    assert best_tile(sizes, Fraction(5)) is None
    assert best_tile(sizes, Fraction(6)).footprint == 6
    assert best_tile(sizes, Fraction(6), step=2) is None


def test_parts_of_a_byte_are_exact():
    # mxfp4: 17/32 byte an element; 1 x 1 x 1 takes 51/32 of one.
    sizes = Sizes(1, 9, 9, 9, *[Fraction(17, 32)] * 3)
    assert best_tile(sizes, Fraction(51, 32)).footprint == Fraction(51, 32)
    assert best_tile(sizes, Fraction(51, 32) - Fraction(1, 1000)) is None


def test_huge_sizes_are_answered_or_refused_in_one_line():
    million = Sizes(1, 10**6, 10**6, 10**6, *[Fraction(2)] * 3)
    found = best_tile(million, Fraction(10**6))
    # Real sides are sqrt(Z/2 + 1) - 1 = 706.1, and 706 x 706 goes through 1417 times either way.
    passes = 10**6 / 706.11
    assert 4 * 10**12 * (passes - 1) <= found.extra <= 4 * 10**12 * (1417 - 1)
    assert found.footprint <= 10**6
    side = MOST_TRIED**2
    with pytest.raises(InputError, match="too many numbers of tiles"):
        best_tile(Sizes(1, side, side, side, *[Fraction(1)] * 3), Fraction(10**30))
