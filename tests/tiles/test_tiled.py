"""Answers about tiles against counting: what moves, what fits, what is compute-bound."""

from __future__ import annotations

import json
from fractions import Fraction
from math import ceil, floor, sqrt

import pytest
from sympy import Rational

from symroof import ops
from symroof.errors import InputError, UnboundError, UnitError, UnknownNameError
from symroof.graph import Graph
from symroof.graph.passes import fuse, fuse_elementwise
from symroof.hardware import Chip
from symroof.solve import Kind
from symroof.tiles import Tile, tiling
from symroof.units import DType, Quantity

# A ridge of 20 FLOP/byte to main memory, and of 4 to l2.
CHIP = Chip(
    "small",
    peak={"fp16": "1000 GFLOP/s", "fp32": "500 GFLOP/s"},
    memory={
        "hbm": ("50 GB/s", "1 GB"),
        "l2": ("250 GB/s", "1 MB"),
        "l1": {"bandwidth": "900 GB/s", "capacity": "64 kB", "private": True},
    },
    compute_units=8,
)
SIZES = {"m": 300, "n": 200, "k": 100}


def moved(b: Fraction, m: int, n: int, k: int, *, cut: bool) -> Fraction:
    """Bytes of a product of fp16 in b by b: partial tiles cut evenly, or as they are."""
    times = (max(Fraction(1), x / b) if cut else ceil(x / b) for x in (n, m))
    return 2 * (m * k * next(times) + k * n * next(times) + m * n)


def is_bound(b: int, m: int, n: int, k: int, *, cut: bool) -> bool:
    return Fraction(2 * m * n * k, 1000) >= moved(Fraction(b), m, n, k, cut=cut) / 50


# --- traffic and room ---------------------------------------------------------------------------


def test_traffic_footprint_and_intensity_by_hand():
    # In 100 x 50: 4 passes of the left operand, 3 of the right.
    t = tiling("mk,kn->mn", (100, 50, 10)).at(SIZES)
    left, right, out = 2 * 300 * 100, 2 * 100 * 200, 2 * 300 * 200
    assert t.traffic.value == 4 * left + 3 * right + out
    assert t.once.value == left + right + out
    assert t.footprint.value == 2 * (100 * 10 + 10 * 50 + 100 * 50)
    assert t.intensity.value == Rational(2 * 300 * 200 * 100, 4 * left + 3 * right + out)
    assert (t.traffic.unit, t.footprint.unit, t.intensity.unit) == ("byte", "byte", "FLOP/byte")


def test_symbols_are_bound_later_and_by_formulas():
    t = tiling("mk,kn->mn", "b,b")
    for b in (7, 64, 1000):
        numbers = tiling("mk,kn->mn", (b, b)).at(SIZES)
        for made in (t.at(SIZES).at(b=b), t.at(b=b).at(SIZES), t.at(b="2*c").at(SIZES, c=b / 2)):
            assert made.traffic == numbers.traffic
            assert made.footprint == numbers.footprint
    assert t.at() is t


def test_the_bound_is_that_of_the_capacity_or_else_of_the_tile():
    t = tiling("mk,kn->mn", (100, 50)).at(SIZES)
    assert t.hong_kung.to("byte") == pytest.approx(
        2 * 300 * 200 * 100 * 2**1.5 / sqrt(t.footprint.to("byte"))
    )
    held = tiling("mk,kn->mn", (100, 50), capacity="1 MB").at(SIZES)
    bound = 2 * 300 * 200 * 100 * 2**1.5 / sqrt(10**6)
    assert held.hong_kung.to("byte") == pytest.approx(bound)
    assert held.lower_bound == held.once
    later = tiling("mk,kn->mn", (100, 50)).at(SIZES, Z="1 MB")
    assert later.hong_kung.value == held.hong_kung.value


def test_what_each_kept_tile_moves():
    for keep in ("output", "left", "right", "best"):
        t = tiling("mk,kn->mn", "30,20,10", keep=keep).at(SIZES)
        times = {
            "output": 10 * 60000 + 10 * 40000 + 120000,
            "left": 60000 + 10 * 40000 + 19 * 120000,
            "right": 10 * 60000 + 40000 + 19 * 120000,
        }
        assert t.traffic.value == times.get(keep, min(times.values()))


# --- quantisation -------------------------------------------------------------------------------


def test_quantisation_of_the_worked_example():
    # 1,920 square in tiles of 128 on 108 units: 225 tiles, 3 waves of 324 places.
    found = tiling("mk,kn->mn", "128x128x32", units=108).at(m=1920, n=1920, k=1000).quantisation
    assert (found.tiles.value, found.waves.value) == (225, 3)
    assert found.tile_efficiency.value == Rational(1000, 1024)
    assert found.wave_efficiency.value == Rational(225, 324)
    assert found.efficiency.value == Rational(1000 * 225, 1024 * 324)
    assert found.padded_flops.value == 324 * 2 * 128 * 128 * 1024


@pytest.mark.parametrize(("side", "expected"), [(1792, (98, 1)), (1793, (120, 2))])
def test_one_row_more_is_a_second_wave(side, expected):
    # Horace He, "What shapes do matrix multiplications like?": A100, tiles of 256 x 128.
    t = tiling("mk,kn->mn", "256x128x32", chip="a100-sxm-80gb").at(m=side, n=side, k=side)
    assert (t.quantisation.tiles.value, t.quantisation.waves.value) == expected


def test_units_are_those_of_the_chip_or_none():
    assert tiling("mk,kn->mn", chip=CHIP).units == 8
    assert tiling("mk,kn->mn", chip=CHIP, units=3).units == 3
    found = tiling("mk,kn->mn", "64x64x64").at(SIZES).quantisation
    assert (found.waves, found.wave_efficiency) == (None, None)
    assert found.efficiency == found.tile_efficiency
    assert tiling("mk,kn->mn", "64,64", units="P").at(P=4, **SIZES).quantisation.waves.value == 5


# --- the best tile ------------------------------------------------------------------------------


def test_the_best_tile_fits_and_moves_what_it_says():
    best = tiling("mk,kn->mn", chip=CHIP).at(SIZES).best("20 kB")
    again = tiling("mk,kn->mn", best.tile, capacity="20 kB").at(SIZES)
    assert (again.traffic, again.footprint) == (best.traffic, best.footprint)
    assert best.footprint.to("kB") <= 20
    assert best.traffic.value >= best.lower_bound.to("byte")
    flops, bytes_per_flop = 2 * 300 * 200 * 100, Fraction(1, 20)
    assert best.compute_bound == (flops * bytes_per_flop >= Fraction(int(best.traffic.value)))


def test_the_best_tile_for_a_level_of_the_chip():
    t = tiling("mk,kn->mn", chip=CHIP).at(m=3000, n=3000, k=3000)
    assert t.best("l2").footprint.value <= 10**6
    # l1 belongs to one unit: 64 kB of all eight are 8 kB of each.
    assert 7500 <= t.best("l1").footprint.value <= 8000
    assert t.best("l1") == t.best("8 kB")


def test_the_best_tile_is_held_to_a_largest_side_and_a_step():
    t = tiling("mk,kn->mn", capacity="1 MB").at(m=3000, n=3000, k=3000)
    best = t.best(largest=128, step=16, keep="output")
    assert (best.tile.m, best.tile.n, best.tile.k) == (125, 125, 16)  # 24 passes, as 128 takes


def test_the_closed_form_is_the_square_of_the_docs():
    t = tiling("mk,kn->mn", "b,b,32", capacity=Quantity(2 * (128**2 + 64 * 128), "byte"))
    (case,) = t.at(m=4096, n=4096, k=4096).closed
    assert (case.m, case.n) == (128, 128)
    places = [case.place.value for case in tiling("mk,kn->mn").closed]
    assert places == ["whole", "rows", "columns", "inside", "none"]


def test_the_largest_tile_that_fits():
    for size in (5000, 33333, 262144):
        x = tiling("mk,kn->mn", "b,b,4", capacity=Quantity(size, "byte")).fitting()
        largest = max(b for b in range(1, 500) if 2 * (b * b + 8 * b) <= size)
        assert x.last == largest
    by_symbol = tiling("mk,kn->mn", "b,b,4").fitting()
    assert by_symbol.at(Z="5000 byte").last == 46
    two = tiling("mk,kn->mn", "b,c", capacity="5 kB").at(c=10)
    assert two.fitting("b").last == floor((2500 - 10) / 11)


# --- which tile is enough -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "sizes", [(300, 200, 100), (40, 2000, 500), (1000, 1000, 21), (30, 30, 30)]
)
def test_the_tile_that_is_compute_bound_against_counting(sizes):
    m, n, k = sizes
    t = tiling("mk,kn->mn", chip=CHIP).at(m=m, n=n, k=k)
    for cut in (True, False):
        x = t.compute_bound(whole=not cut)
        for b in (*range(1, 120), 299, 300, 1000, 3000):
            assert x.integers.contains(b) == is_bound(b, m, n, k, cut=cut), (cut, b)
    assert t.compute_bound().verify()[1] == 0


def test_the_closed_form_and_its_condition():
    x = tiling("mk,kn->mn", chip=CHIP).compute_bound()
    assert x.condition.text() == "k*m*n >= ridge.fp16*(k*m + k*n + m*n)"
    # Far from the edges 2*K*I/(K - I): from b/2 FLOP a byte of the operands, less the result.
    assert x.at(m=10**6, n=10**6, k=100).threshold_value == 2 * 100 * 20 / (100 - 20)
    assert x.at(m=10**6, n=10**6, k=20).kind is Kind.NEVER


def test_a_faster_level_takes_a_smaller_tile():
    at_l2 = tiling("mk,kn->mn", chip=CHIP, level="l2").at(m=10**4, n=10**4, k=10**4)
    assert at_l2.compute_bound().first == 9  # 2*10**4*4/(10**4 - 4) = 8.003
    slower = tiling("mk,kn->mn", chip=CHIP).at(m=10**4, n=10**4, k=10**4, bw="250 GB/s")
    assert slower.compute_bound().first == 9


def test_sizes_and_rates_may_be_asked_for_too():
    t = tiling("mk,kn->mn", (100, 100, 1), chip=CHIP).at(m=1000, n=1000)
    x = t.compute_bound("k")
    # 2*10**6*k FLOP at 20 a byte against 2*(2*10**4*k + 10**6) byte: k >= 33.3.
    assert x.first == next(k for k in range(1, 100) if is_bound(100, 1000, 1000, k, cut=True))
    assert t.at(k=1000).compute_bound("bw").kind is Kind.AT


def test_the_cache_is_that_of_the_tile():
    needed = tiling("mk,kn->mn", chip=CHIP).at(m=3000, n=3000, k=100).cache()
    first = next(b for b in range(1, 3000) if is_bound(b, 3000, 3000, 100, cut=False))
    assert needed.first == first
    assert needed.whole.value == 2 * (first**2 + 2 * first)
    assert needed.capacity.to("byte") == 2 * (50**2 + 2 * 50)  # 2*100*20/(100 - 20) = 50
    # 2*M*N*K*s**1.5/sqrt(Z) byte at 20 FLOP a byte: Z = 20**2 * 2**3.
    assert needed.least.value == 3200
    assert needed.least.value <= needed.capacity.value <= needed.whole.value


def test_no_cache_is_enough_where_the_product_is_memory_bound():
    needed = tiling("mk,kn->mn", chip=CHIP).at(m=16, n=3000, k=3000).cache()
    assert needed.tile.kind is Kind.NEVER
    assert (needed.capacity, needed.whole, needed.first) == (None, None, None)


# --- which contraction --------------------------------------------------------------------------


def mlp() -> Graph:
    g = Graph("net")
    x = g.input("x", ("B", "D"), "fp16")
    h = ops.relu(ops.matmul(x, g.weight("u", ("D", "F"), "fp16"), name="up"))
    ops.matmul(h, g.weight("d", ("F", "D"), "fp16"), name="down")
    return g


def test_a_graph_an_op_and_a_name_of_one():
    g = mlp()
    by_op = tiling(g.op("down"), (8, 8))
    assert by_op.sizes["k"] == tiling(g, (8, 8), op="down").sizes["k"]
    assert str(by_op.sizes["k"]) == "F"
    inside = Graph("deep")
    x = inside.input("x", ("B", "D"), "fp16")
    inside.repeat("layer", "L", lambda x: x @ inside.weight("w", ("D", "D"), "fp16"), x)
    assert str(tiling(inside).sizes["m"]) == "B"


def test_a_dim_called_b_leaves_the_name_to_it():
    t = tiling("bmk,bkn->bmn", chip=CHIP)
    assert (str(t.tile), t.tile.names) == ("t × t × 1", frozenset({"t"}))
    assert t.at(b=3, m=300, n=300, k=300).compute_bound().first == 43


def test_a_tile_of_its_own_symbols_is_asked_for_in_squares():
    data = tiling("mk,kn->mn", "x,y,4", chip=CHIP).at(x=32, **SIZES).to_dict()
    assert data["compute_bound"]["unknown"] == "b"
    assert data["tile"]["m"]["expr"] == "x"


# --- as text and data ---------------------------------------------------------------------------


def every_value(data: object, path: str = "") -> list[str]:
    """Places of numbers that have no unit beside them."""
    if isinstance(data, dict):
        lacks = [path] if "value" in data and "unit" not in data else []
        return lacks + [x for key, part in data.items() for x in every_value(part, f"{path}/{key}")]
    if isinstance(data, list):
        return [x for part in data for x in every_value(part, path)]
    return []


@pytest.mark.parametrize("bound", [{}, SIZES, {**SIZES, "b": 16}])
@pytest.mark.parametrize("chip", [None, CHIP])
def test_data_is_json_with_units(bound, chip):
    data = tiling("mk,kn->mn", chip=chip, capacity="10 kB").at(bound).to_dict()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert every_value(data) == []
    assert data["traffic"]["unit"] == data["footprint"]["unit"] == "byte"
    assert (data["best"] is None) == (bound == {})
    assert (data["compute_bound"] is None) == (chip is None)
    assert "leading term" in data["hong_kung"]["condition"]


def test_the_text_says_what_there_is_to_say():
    text = str(tiling("mk,kn->mn", "50x50x4", chip=CHIP, capacity="10 kB").at(SIZES))
    assert "which takes 5.8 kB" in text
    assert "24 tiles in 3 waves of 8, 100 % useful" in text
    assert " under capacity, 10 kB" in text
    # 2*k*I/(k - I) = 50 far from the edges, and as wide as the result 200*I/(200 - 3*I) = 28.6.
    assert "= 50, in tiles " in text
    free = str(tiling("mk,kn->mn"))
    assert "m = n = √((Z + 2)/2) − 1 in real numbers" in free
    assert "under capacity, Z byte, given Z ≥ 6 and " in free
    assert "compute-bound" not in free


# --- what cannot be answered --------------------------------------------------------------------


def test_widths_and_sizes_that_are_too_much_leave_the_rest_said():
    g = Graph("g")
    narrow = DType.block("w", 32, 8)
    ops.matmul(g.input("a", ("m", "k"), "bf16"), g.weight("b", ("k", "n"), narrow))
    t = tiling(g, capacity="1 MB").at(SIZES)
    data = t.to_dict()
    assert (data["best"], data["closed"]) == (None, [])
    assert t.at(w=8, b=50).traffic.value == 4 * 60000 + 6 * 20000 * Rational(33, 32) + 120000
    huge = tiling("mk,kn->mn", capacity="1 EB").at(m=10**13, n=10**13, k=10**13)
    assert huge.to_dict()["best"] is None
    assert "traffic" in str(huge)


@pytest.mark.parametrize(
    ("ask", "kind", "words"),
    [
        (lambda: tiling("softmax"), InputError, r"'y' \(softmax\) is no contraction"),
        (lambda: tiling("attention"), InputError, "no contraction"),
        (lambda: tiling(mlp()), InputError, r"2 contractions, up \(matmul\), down \(matmul\)"),
        (lambda: tiling(mlp(), op="relu_1"), InputError, "relu is not among"),
        (lambda: tiling(mlp(), op="upp"), UnknownNameError, "did you mean 'up'"),
        (lambda: tiling(Graph("empty")), InputError, "it has no ops"),
        (lambda: tiling(7), InputError, "not of int"),
        (lambda: tiling("mk,kn->mn", (0, 4)), InputError, "tile m: .* not 0"),
        (lambda: tiling("mk,kn->mn", keep="lft"), UnknownNameError, "did you mean 'left'"),
        (
            lambda: tiling("mk,kn->mn", (64, 64), capacity="1 kB"),
            InputError,
            "smaller than the tile",
        ),
        (lambda: tiling("mk,kn->mn", capacity="65536"), UnitError, "expected byte|bare|unit"),
        (lambda: tiling("mk,kn->mn", capacity="3 TB/s"), UnitError, "capacity: expected byte"),
        (lambda: tiling("mk,kn->mn", capacity="-1 kB"), InputError, "not positive"),
        (lambda: tiling("mk,kn->mn", capacity="l2"), InputError, "no chip is given"),
        (lambda: tiling("mk,kn->mn", capacity="l3", chip=CHIP), UnknownNameError, "'l3'"),
        (lambda: tiling("mk,kn->mn", level="l2"), InputError, "level of a chip"),
        (lambda: tiling("mk,kn->mn", level="l3", chip=CHIP), UnknownNameError, "'l3'"),
        (lambda: tiling("mk,kn->mn", chip="h1000-sxm"), UnknownNameError, "h100-sxm"),
        (lambda: tiling("mk,kn->mn", chip=4), InputError, "chip: expected a chip"),
        (lambda: tiling("mk,kn->mn", units=0), InputError, "units: "),
        (lambda: tiling("mk,kn->mn").compute_bound(), InputError, "takes a chip"),
        (lambda: tiling("mk,kn->mn", (4, 4), chip=CHIP).compute_bound(), InputError, "no symbol"),
        (lambda: tiling("mk,kn->mn", "x,y", chip=CHIP).cache(), InputError, "several symbols"),
        (lambda: tiling("mk,kn->mn").best("1 MB"), UnboundError, "the best tile"),
        (lambda: tiling("mk,kn->mn").at(SIZES).best(), UnboundError, "Z"),
        (
            lambda: tiling("mk,kn->mn").at(SIZES).best("5 byte"),
            InputError,
            "smaller than the small",
        ),
        (lambda: tiling("mk,kn->mn", capacity="5 byte"), InputError, "smaller than the smallest"),
        (lambda: tiling("mk,kn->mn").at(SIZES).best("1 MB", keep="x"), UnknownNameError, "to keep"),
        (lambda: tiling("mk,kn->mn").at(SIZES).best("1 MB", step=0), InputError, "step: "),
        (lambda: tiling("mk,kn->mn").at(SIZES).best("1 MB", largest=0), InputError, "largest: "),
        (lambda: tiling("mk,kn->mn").at(m="1/2"), InputError, "at least 1"),
        (lambda: tiling("mk,kn->mn").at(m="5/2", n=2, k=2).best("1 MB"), InputError, "m: expected"),
        (lambda: tiling("mk,kn->mn").at(q=3), UnknownNameError, "'q'"),
        (
            lambda: tiling("mk,kn->mn", capacity="1 kB").at(b=64),
            InputError,
            "smaller than the tile",
        ),
    ],
)
def test_what_cannot_be_answered_is_one_line(ask, kind, words):
    with pytest.raises(kind, match=words) as caught:
        ask()
    assert "\n" not in str(caught.value)


def test_a_level_of_one_unit_needs_their_number():
    private = {"bandwidth": "900 GB/s", "capacity": "64 kB", "private": True}
    chip = Chip("x", peak={"fp16": "1 TFLOP/s"}, memory={"hbm": ("1 GB/s", "9 GB"), "l1": private})
    with pytest.raises(InputError, match="does not say how many"):
        tiling("mk,kn->mn", chip=chip, capacity="l1")


def test_a_level_without_a_capacity_or_a_bandwidth():
    chip = Chip(
        "x",
        peak={"fp16": "1 TFLOP/s"},
        memory={"hbm": "1 GB/s", "l2": {"capacity": "1 MB"}},
        main="hbm",
    )
    with pytest.raises(InputError, match="capacity of hbm"):
        tiling("mk,kn->mn", chip=chip, capacity="hbm")
    with pytest.raises(InputError, match="bandwidth of l2"):
        tiling("mk,kn->mn", chip=chip, level="l2")


def test_a_tile_of_three_symbols_is_still_told():
    made = tiling("mk,kn->mn", "b,c,d", chip=CHIP)
    assert "in tiles b × b × 1 that stream from hbm" in str(made.at(SIZES))
    assert "in tiles b × b × 2 that stream from hbm" in str(made.at(SIZES, b=2, c=2, d=2))
    assert made.at(SIZES).to_dict()["tile"]["k"]["expr"] == "d"


def test_the_text_counts_one_tile_and_leaves_out_what_is_always_so():
    one = str(tiling("mk,kn->mn", "8x8", units=1).at(m=8, n=8, k=8))
    assert "quantisation: 1 tile in 1 wave of 1" in one
    huge = str(tiling("mk,kn->mn", capacity="228 KiB").at(m=10**30, n=10**30, k=10**30))
    # sqrt(233472/2 + 1) - 1
    assert "best tile: m = n = 340.668 in real numbers under capacity, 233 kB\n" in huge + "\n"


def test_an_op_that_was_fused_with_a_product_is_tiled_as_it():
    g = Graph("g")
    x = g.input("x", ("m", "k"), "fp16")
    ops.relu(x @ g.weight("w", ("k", "n"), "fp16"))
    fused = tiling(fuse_elementwise(g), "4x4", chip=CHIP).at(SIZES)
    plain = tiling(g, "4x4", chip=CHIP, op="matmul_0").at(SIZES)
    assert fused.traffic == plain.traffic
    assert fused.flops.value - plain.flops.value == 300 * 200  # the op that rides along
    h = Graph("h")
    h.input("y", (4, 4), "fp16") @ h.weight("u", (4, 4), "fp16") @ h.weight("v", (4, 4), "fp16")
    both = fuse(h, h.ops)
    with pytest.raises(InputError, match="was fused of 2 contractions"):
        tiling(both)


def test_a_tile_given_as_one_keeps_what_it_says():
    assert tiling("mk,kn->mn", Tile(4, 4, keep="left"), keep="right").tile.keep == "left"
