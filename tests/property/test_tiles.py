"""Tiles at random: no traffic below the bounds, and no tile better than the best."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Integer

from symroof import ops
from symroof.graph import Graph
from symroof.graph.contractions import Contraction, contraction
from symroof.graph.tile import (
    Keep,
    Tile,
    contraction_extra,
    contraction_footprint,
    padded_points,
)
from symroof.hardware import Chip
from symroof.symbolic import to_float
from symroof.tiles import tiling
from symroof.tiles.closed import Place, real_tiles, share
from symroof.tiles.search import Sizes, best_tile

DTYPES = st.sampled_from(["int4", "fp8", "mxfp4", "bf16", "fp32", "fp64"])
SIDES = st.integers(1, 5000)
BLOCKS = st.one_of(st.integers(1, 8), st.integers(1, 6000))
KEPT = st.sampled_from(list(Keep))


@st.composite
def contractions(draw: st.DrawFn) -> Contraction:
    batch, m, n, k = draw(st.integers(1, 9)), draw(SIDES), draw(SIDES), draw(SIDES)
    g = Graph("g")
    a = g.input("a", (batch, m, k), "bf16")
    ops.matmul(a, g.weight("b", (batch, k, n), draw(DTYPES)), out_dtype=draw(DTYPES))
    found = contraction(g.ops[0])
    assert found is not None
    return found


def total(found: Contraction, tile: Tile) -> Fraction:
    return exact(found.bytes_once + contraction_extra(found, tile))


def exact(value: object) -> Fraction:
    number = Integer(0) + value
    return Fraction(int(number.p), int(number.q))


def bound_squared(found: Contraction, room: Fraction) -> Fraction:
    """The Hong-Kung bound, squared to stay exact: 4 * points**2 * a*b*c / Z."""
    a, b, c = map(exact, found.element_bytes)
    return 4 * exact(found.points) ** 2 * a * b * c / room


@given(contractions(), BLOCKS, BLOCKS, BLOCKS, KEPT)
@settings(max_examples=300, deadline=None)
def test_no_tile_moves_less_than_the_bounds(found, m, n, k, keep):
    tile = Tile(m, n, k, keep)
    moved, room = total(found, tile), exact(contraction_footprint(found, tile))
    assert moved >= exact(found.bytes_once)
    assert moved**2 >= bound_squared(found, room)


@given(contractions(), BLOCKS, BLOCKS, BLOCKS)
@settings(max_examples=100, deadline=None)
def test_cut_tiles_move_no_more_than_whole_ones(found, m, n, k):
    for keep in Keep:
        tile = Tile(m, n, k, keep)
        cut = exact(contraction_extra(found, tile, share))
        assert 0 <= cut <= exact(contraction_extra(found, tile))
    least = [contraction_extra(found, Tile(m, n, k, keep)) for keep in ("output", "left", "right")]
    assert contraction_extra(found, Tile(m, n, k, "best")) == min(least)


@given(
    contractions(), st.integers(1, 10**7), st.lists(st.tuples(BLOCKS, BLOCKS, BLOCKS), max_size=20)
)
@settings(max_examples=150, deadline=None)
def test_the_best_tile_is_not_beaten_and_stands_above_the_bounds(found, room, blocks):
    sizes = Sizes(
        *map(int, (found.batch, found.m, found.n, found.k)), *map(exact, found.element_bytes)
    )
    best = best_tile(sizes, Fraction(room))
    fitting = [
        tile
        for block in blocks
        for tile in [Tile(*block, "best")]
        if exact(contraction_footprint(found, tile)) <= room
    ]
    if best is None:
        assert exact(contraction_footprint(found, Tile(1, 1, 1))) > room
        assert not fitting
        return
    tile = Tile(best.m, best.n, best.k, best.keep)
    assert best.footprint == exact(contraction_footprint(found, tile)) <= room
    assert best.extra == exact(contraction_extra(found, tile))
    moved = total(found, tile)
    assert all(total(found, other) >= moved for other in fitting)
    assert moved**2 >= bound_squared(found, Fraction(room))
    assert moved >= exact(found.bytes_once)


@given(contractions(), st.integers(1, 10**7), st.integers(1, 64))
@settings(max_examples=100, deadline=None)
def test_whole_sides_with_the_result_kept_move_no_less_than_real_ones(found, room, step):
    cases = real_tiles(found, Integer(room), Integer(step))
    assert len(cases) == 1
    (case,) = cases
    sizes = Sizes(
        *map(int, (found.batch, found.m, found.n, found.k)), *map(exact, found.element_bytes)
    )
    best = best_tile(sizes, Fraction(room), keep=Keep.OUTPUT, step=step)
    if case.place is Place.NONE or best is None:
        return
    assert to_float(case.extra) <= float(best.extra) * (1 + 1e-12) + 1e-6


@given(contractions(), BLOCKS, BLOCKS, BLOCKS, st.integers(1, 300))
@settings(max_examples=100, deadline=None)
def test_padded_work_is_whole_and_no_less(found, m, n, k, units):
    tile = Tile(m, n, k)
    plain, waved = padded_points(found, tile), padded_points(found, tile, units)
    assert found.points <= plain <= waved
    assert plain % (m * n * k) == 0
    assert waved % (m * n * k * units) == 0
    assert waved - plain < m * n * units * (found.k + k)


@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 200))
@settings(max_examples=60, deadline=None)
def test_the_first_tile_that_is_enough_is_the_first(m, n, k):
    chip = Chip("small", peak={"fp16": "5 TFLOP/s"}, memory={"hbm": "1 TB/s"})
    t = tiling("mk,kn->mn", chip=chip).at(m=m, n=n, k=k)
    enough = [b for b in range(1, max(m, n) + 1) if t.at(b=b).is_compute_bound]
    assert t.compute_bound(whole=True).first == min(enough, default=None)
