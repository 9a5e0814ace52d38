"""The padded compute time of the best tile, against a count of tiles."""

from __future__ import annotations

from math import ceil

import numpy as np
import pytest

import symroof as sr
from symroof.errors import InputError
from symroof.graph import load
from symroof.graph.tile import Tile
from symroof.measurements.tilesets import SETS, candidates, padded_compute

SHAPES = [(1, 128, 64), (129, 256, 32), (1000, 1000, 1000), (1281, 2048, 512), (4096, 64, 7)]


@pytest.mark.parametrize("name", SETS)
def test_padded_compute(mine: sr.Chip, name: str) -> None:
    dims = {key: each.astype(float) for key, each in zip("mnk", np.transpose(SHAPES), strict=True)}
    found = padded_compute(load("mk,kn->mn", dtype="bf16"), mine, SETS[name], dims)
    for time, (m, n, k) in zip(found, SHAPES, strict=True):
        counted = []
        for tile in SETS[name]:
            rows, columns = int(tile.m), int(tile.n)
            waves = ceil(ceil(m / rows) * ceil(n / columns) / 100)
            counted.append(2 * rows * columns * k * waves * 100 / 100e12)
        assert time == pytest.approx(min(counted))


def test_candidates() -> None:
    product, rest = load("mk,kn->mn"), load("axpy")
    assert list(candidates("auto", product)) == ["none", *SETS]
    assert list(candidates("auto", rest)) == list(candidates(None, product)) == ["none"]
    (tiles,) = candidates(["128x256", Tile(64, 64)], product).values()
    assert [(int(t.m), int(t.n)) for t in tiles] == [(128, 256), (64, 64)]
    for bad in ("128x128", [], ["128x0"], ["bxb"]):
        with pytest.raises(InputError):
            candidates(bad, product)
