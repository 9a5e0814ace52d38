"""Best tiles with real sides against fine grids, and the bound against schedules."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from sympy import Integer, Rational

from symroof import ops
from symroof.errors import InputError
from symroof.graph import Graph
from symroof.graph.contractions import Contraction
from symroof.symbolic import bind, symbol, to_float
from symroof.tiles.closed import Place, hong_kung, real_tiles, share
from symroof.tiles.subject import read_subject
from symroof.units import DType

DTYPES = (("fp16", "fp16", "fp16"), ("bf16", "fp8", "fp32"), ("fp32", "mxfp8", "bf16"))
SHAPES = ((4096, 4096, 64), (20, 4000, 64), (4000, 20, 64), (30, 40, 7), (1, 500, 9), (500, 1, 3))
CAPACITIES = (5, 10, 40, 100, 1000, 5000, 10**5, 10**8)


def contraction_of(dtypes: tuple[str, str, str], sizes: tuple[object, ...]) -> Contraction:
    m, n, k = sizes
    g = Graph("g")
    a, b = g.input("a", (m, k), dtypes[0]), g.weight("b", (k, n), dtypes[1])
    ops.matmul(a, b, out_dtype=dtypes[2])
    return read_subject(g).contraction


def bytes_of(found: Contraction) -> tuple[float, float, float]:
    return tuple(map(float, found.element_bytes))


@pytest.mark.parametrize("dtypes", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("step", [1, 8])
def test_no_real_tile_on_a_fine_grid_moves_less(dtypes, shape, step):
    m, n, k = shape
    found = contraction_of(dtypes, shape)
    a, b, c = bytes_of(found)
    for capacity in CAPACITIES:
        (case,) = real_tiles(found, Integer(capacity), Integer(step))
        x = np.geomspace(1, m, 4001)
        y = np.minimum((capacity - step * a * x) / (c * x + step * b), n)
        x, y = x[y >= 1], y[y >= 1]
        if case.place is Place.NONE:
            assert capacity < step * (a + b) + c
            assert len(x) == 0
            continue
        assert capacity >= step * (a + b) + c
        moved = m * n * (k * (a / y + b / x) + c)
        ours = to_float(case.extra + found.bytes_once)
        assert moved.min() * 0.999 <= ours <= moved.min() * (1 + 1e-12)
        sides = to_float(case.m), to_float(case.n)
        assert step * (a * sides[0] + b * sides[1]) + c * sides[0] * sides[1] <= capacity * (
            1 + 1e-12
        )
        assert 1 - 1e-12 <= sides[0] <= m
        assert 1 - 1e-12 <= sides[1] <= n


@pytest.mark.parametrize("dtypes", DTYPES)
def test_exactly_one_case_holds_and_it_is_that_of_the_numbers(dtypes):
    found = contraction_of(dtypes, ("m", "n", "k"))
    cases = real_tiles(found, symbol("Z"), Integer(1), frozenset("mnk"))
    seen = set()
    for shape in SHAPES:
        for capacity in (*CAPACITIES, 65, 66, 2 * 30 * 40 + 2 * 70, 7560):
            values = {**dict(zip("mnk", map(Integer, shape), strict=True)), "Z": Integer(capacity)}
            (one,) = [case for case in cases if case.condition.holds(values)]
            numbers = contraction_of(dtypes, shape)
            (other,) = real_tiles(numbers, Integer(capacity), Integer(1))
            assert one.place is other.place
            seen.add(one.place)
            for side, expected in ((one.m, other.m), (one.n, other.n), (one.extra, other.extra)):
                if expected is not None:
                    assert to_float(bind(side, values)) == pytest.approx(to_float(expected))
    thin = {Place.THIN} if dtypes[0] != dtypes[1] else set()
    assert seen == set(Place) - {Place.THIN} | thin


def test_a_square_of_equal_elements_is_the_root_by_hand():
    found = contraction_of(("fp16", "fp16", "fp16"), (4096, 4096, 4096))
    (case,) = real_tiles(found, Integer(2 * (100**2 + 2 * 100)), Integer(1))
    assert (case.place, case.m, case.n) == (Place.INSIDE, 100, 100)
    # With a step of 32: 2*(b**2 + 64*b) byte at b = 128.
    (case,) = real_tiles(found, Integer(2 * (128**2 + 64 * 128)), Integer(32))
    assert (case.m, case.n) == (128, 128)
    assert case.extra == 2 * 2 * 4096**2 * (4096 // 128 - 1)


def test_a_tile_that_is_one_wide_by_hand():
    # Elements of 1, 4 and 4 bytes: m + 4*n + 4*m*n is 14 byte at m = 2, n = 1; a square of 4 byte
    # a side, m = 4, takes 24.
    found = contraction_of(("fp8", "fp32", "fp32"), (100, 60, 7))
    (case,) = real_tiles(found, Integer(14), Integer(1))
    assert (case.place, case.m, case.n) == (Place.THIN, 2, 1)
    # The left operand is read 60 times, the right one 50 times.
    assert case.extra == 59 * 100 * 7 + 49 * 4 * 60 * 7
    found = contraction_of(("fp32", "fp8", "fp32"), (60, 100, 7))
    (case,) = real_tiles(found, Integer(14), Integer(1))
    assert (case.place, case.m, case.n) == (Place.THIN, 1, 2)
    assert case.extra == 59 * 100 * 7 + 49 * 4 * 60 * 7


def test_a_width_that_is_a_symbol_has_no_closed_form():
    narrow = DType.block(symbol("w"), 32, 8)
    g = Graph("g")
    ops.matmul(g.input("a", ("m", "k"), "bf16"), g.weight("b", ("k", "n"), narrow))
    with pytest.raises(InputError, match="known width"):
        real_tiles(read_subject(g).contraction, symbol("Z"), Integer(1))


def test_hong_kung_in_words_and_in_bytes():
    # 2*M*N*K/sqrt(S) words; 2 bytes each and Z = 2*S.
    found = contraction_of(("fp16", "fp16", "fp16"), (1000, 2000, 500))
    words = 2 * 1000 * 2000 * 500 / sqrt(2500)
    assert to_float(hong_kung(found, Integer(5000))) == pytest.approx(2 * words)
    assert to_float(hong_kung(found, Integer(5000))) == pytest.approx(
        2 * 1000 * 2000 * 500 * 2**1.5 / sqrt(5000)
    )


def test_the_best_real_tile_nears_the_bound_as_the_sum_grows():
    for dtypes in DTYPES:
        found = contraction_of(dtypes, (10**6, 10**6, 10**6))
        (case,) = real_tiles(found, Integer(10**8), Integer(1))
        moved = to_float(case.extra + found.bytes_once)
        bound = to_float(hong_kung(found, Integer(10**8)))
        assert 1 <= moved / bound < 1.01


def test_shares_are_at_least_one_and_cut_evenly():
    m, b = symbol("M"), symbol("b")
    for size, step, expected in ((10, 4, Rational(5, 2)), (4, 10, 1), (8, 4, 2)):
        assert bind(share(m, b), {"M": size, "b": step}) == expected
        assert share(Integer(size), Integer(step)) == expected
    assert share(m, Integer(1)) == m
