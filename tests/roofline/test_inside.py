"""Levels of memory, residency, ceilings, NUMA, launches and tiles, by hand."""

from __future__ import annotations

import json
import pickle
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Rational

import symroof as sr
from symroof import ops
from symroof.errors import InputError, SymroofError, UnboundError, UnknownNameError

# 1000 FLOP/s, a cache of 100 bytes at 100 B/s, a memory of 10 kB at 10 B/s.
SMALL: dict[str, Any] = {
    "peak": {"fp32": "1 kFLOP/s", "fp64": "500 FLOP/s"},
    "memory": {"l2": ("100 B/s", "100 B"), "dram": ("10 B/s", "10 kB")},
    "ceiling": {
        "no simd": {"on": "peak", "factor": "1/8", "reason": "write it with vectors"},
        "no fma": {"on": "peak.fp32", "factor": "1/2"},
        "one thread": {"on": "peak.fp32", "rate": "100 FLOP/s"},
        "strided": {"on": "bw.dram", "factor": "1/4"},
    },
    "launch": "2 s",
    "compute_units": 3,
}


def chip(**changes: Any) -> sr.Chip:
    return sr.Chip("small", **{**SMALL, **changes})


def copies(n: object = "n", times: object = 1) -> sr.Graph:
    """`times` ops, each of n/2 numbers of 4 bytes read and as many written: 4n bytes, 0 FLOPs."""
    g = sr.Graph("copies")
    x = g.input("x", (sr.symbols("n") / 2 if n == "n" else n,), "fp32")
    g.repeat("again", times, ops.copy, x)
    return g


def scan(flops: str = "n", moved: str = "n") -> sr.Graph:
    """One op with FLOPs and bytes of its own."""
    g = sr.Graph("scan")
    x = g.input("x", ("n",), "fp32")
    ops.custom("scan", inputs=[x], output_shape=("n",), flops=flops, bytes=moved, link_bytes=0)
    return g


def seconds(quantity: sr.Quantity) -> Rational:
    return quantity.resolved().value


# --- residency ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "cold", "cached", "partial"),
    [
        (1, "1/10", "1/100", "1/100"),
        (100, "10", "1", "1"),  # just fits
        (101, "101/10", "101/10", "101/100"),  # one byte more
        (110, "11", "11", "11/10"),
        (112, "56/5", "56/5", "6/5"),  # (112 - 100)/10 > 112/100
        (1000, "100", "100", "90"),
    ],
)
def test_where_a_working_set_is_charged(n: int, cold: str, cached: str, partial: str) -> None:
    for residency, right in (("cold", cold), ("cached", cached), ("partial", partial)):
        r = sr.analyze(scan(), chip(), residency=residency).at(n=n)
        assert seconds(r.t_memory) == Rational(right), residency


def test_cold_is_the_default_and_has_main_memory_alone() -> None:
    g, here = scan(), chip()
    r = sr.analyze(g, here)
    assert r == sr.analyze(g, here, residency="cold")
    assert list(r.terms) == [("flop", "fp32"), ("byte", "main")]
    assert r.inside.said == ()


def test_each_op_is_charged_by_itself() -> None:
    """Two ops of 80 bytes fit one by one, though not both together."""
    r = sr.analyze(copies(10, times=2), chip(), residency="cached")
    assert r.bytes.value == 160
    assert seconds(r.t_memory) == Rational(160, 100)
    assert seconds(r.time.per_op) == Rational(160, 100)


def test_crossover_has_both_ends_with_a_cache() -> None:
    """40 FLOPs a byte at n = 100: n/25 s of compute; the cache is faster, memory slower."""
    r = sr.analyze(scan(flops="40*n"), chip(), residency="cached")
    assert r.crossover("n").intervals == ((1, 100),)  # n/25 >= n/100 while it fits, < n/10 after
    part = sr.analyze(scan(flops="40*n"), chip(), residency="partial").crossover("n")
    assert part.intervals == ((1, 166),)  # n/25 >= (n - 100)/10 up to 1000/6


def test_what_cache_would_make_it_compute_bound() -> None:
    r = sr.analyze(scan(flops="40*n"), chip(), residency="partial").at(n=1000)
    answer = r.crossover("cap.l2")  # 40 s of compute; (1000 - Z)/10 = 40 at Z = 600
    assert answer.threshold_bound == 600
    assert r.at({"cap.l2": "600 B"}).verdict() is sr.Bound.BALANCED
    assert r.at(cap="601 B").verdict() is sr.Bound.COMPUTE


def test_a_level_beyond_main_memory_counts_where_it_is_asked_for() -> None:
    memory = {**SMALL["memory"], "host": "1 B/s"}
    here = chip(memory=memory, main="dram")
    r = sr.analyze(scan(), here, residency="partial").at(n=10_100)
    assert [row.name for row in r.levels] == ["l2", "dram"]
    far = sr.analyze(scan(), here, levels={"host": "n - 9000"}).at(n=10_100)
    assert [seconds(row.time) for row in far.levels] == [1010, 1100]


def test_a_private_level_holds_nothing_of_the_chip() -> None:
    memory = {**SMALL["memory"], "l1": {"bandwidth": "1 kB/s", "capacity": "30 B", "private": True}}
    r = sr.analyze(scan(), chip(memory=memory, main="dram"), residency="partial")
    assert [row.name for row in r.levels] == ["l2", "dram"]
    assert (
        sr.Chip("again", **{**SMALL, "memory": memory, "main": "dram"}).memory_level("l1").private
    )


# --- levels -------------------------------------------------------------------------------------


def test_bytes_of_a_level_once_by_a_tile_and_given() -> None:
    g = sr.load("mn,nk->mk")
    here = chip(peak={"fp16": "1 kFLOP/s"}, ceiling={})
    at = {"m": 6, "n": 5, "k": 4}
    once = sr.analyze(g, here, levels={"l2": "once"}).at(at)
    assert {row.name: row.bytes.value for row in once.levels} == {"l2": 148, "dram": 148}
    # A (6 x 5) is read ceil(4/2) times, B (5 x 4) ceil(6/4) times, C (6 x 4) is written once.
    tiled = sr.analyze(g, here, levels={"dram": sr.Tile(4, 2)}).at(at)
    assert [row.bytes.value for row in tiled.levels] == [2 * (30 * 2 + 20 * 2 + 24)]
    said = sr.analyze(g, here, levels={"l2": "7*m"}).at(at)
    assert said.levels[0].bytes.value == 42
    assert seconds(said.t_memory) == Rational(148, 10)


def test_a_level_has_its_intensity_and_its_ridge() -> None:
    r = sr.analyze(scan(flops="4*n"), chip(), levels={"l2": "2*n"}).at(n=10)
    (l2, dram) = r.levels
    assert (l2.intensity.value, l2.ridge.value, l2.capacity.value) == (2, 10, 100)
    assert (dram.intensity.value, dram.ridge.value) == (4, 100)


KERNELS = {
    problem["id"]: problem
    for problem in json.loads(
        (Path(__file__).parents[1] / "data" / "kernel_problems.json").read_text("utf-8")
    )
}


def test_worked_problems_kc_l1_l2_l3() -> None:
    """The 2D five-point stencil of RRZE-HPC/kerncraft on a Sandy Bridge: 4 FLOPs an iteration."""
    inputs = {name: KERNELS[f"kc-{name.upper()}"]["inputs"] for name in ("l1", "l2", "l3")}
    sizes = {"l1": "32 KiB", "l2": "256 KiB", "l3": "20 MiB"}
    memory = {name: (f"{given['W']['value']} B/s", sizes[name]) for name, given in inputs.items()}
    moved = {name: f"n/{given['I']['value']}" for name, given in inputs.items()}
    sandy = sr.Chip("sandy bridge", peak={"fp64": "21.6 GFLOP/s"}, memory=memory)
    g = sr.Graph("stencil")
    x = g.input("x", ("n",), "fp64")
    ops.custom("five_points", inputs=[x], output_shape=("n",), flops="4*n", bytes=moved.pop("l3"),
               link_bytes=0)  # fmt: skip
    r = sr.analyze(g, sandy, levels=moved)
    for row in r.levels:
        bound = (row.intensity * row.bandwidth).resolved()
        assert bound.value_in("FLOP/s") == Rational(
            KERNELS[f"kc-{row.name.upper()}"]["right"]["exact"]
        )
    assert r.at(n=1).performance.resolved().value_in("FLOP/s") == 4724000000


def test_worked_problem_kc_min() -> None:
    """Attainable performance is the least over the levels: of the three bounds as printed."""
    memory = {"l1": "9.89 GB/s", "l3": "5.33 GB/s", "l2": "4.72 GB/s"}
    levels = {name: {"bandwidth": rate} for name, rate in memory.items()}
    machine = sr.Chip("m", peak={"fp32": "21.6 GFLOP/s"}, memory=levels, main="l2")
    r = sr.analyze(scan(), machine, levels={"l1": "n", "l3": "n"}).at(n=1)
    right = Rational(KERNELS["kc-min"]["right"]["exact"])
    assert r.performance.resolved().value_in("FLOP/s") == right


# --- ceilings -----------------------------------------------------------------------------------


def test_factors_multiply_and_a_rate_is_a_cap() -> None:
    for names, right in (
        (["no simd"], 125),
        (["no simd", "no fma"], Rational(125, 2)),
        (["one thread"], 100),
        (["one thread", "no fma"], 100),
        (["one thread", "no simd", "no fma"], Rational(125, 2)),
    ):
        r = sr.analyze(scan(), chip(), ceilings=names)
        assert r.rate(("flop", "fp32")).resolved().value == right, names


def test_the_ceiling_that_binds_and_what_lifting_it_gains() -> None:
    # 40 n FLOPs at 125/s: 0.32 n; n bytes at 10/4 a second: 0.4 n. Roof: 0.04 n and 0.1 n.
    r = sr.analyze(scan(flops="40*n"), chip(), ceilings=["no simd", "strided"])
    gains = {each.ceiling.name: each.gain.resolved().value for each in r.liftings}
    assert gains == {"no simd": 1, "strided": Rational(4, 10) / Rational(32, 100)}
    found = r.binding_ceiling()
    assert found is not None
    assert found.ceiling.name == "strided"
    assert r.verdict() is sr.Bound.MEMORY
    assert r.lifted("strided").verdict() is sr.Bound.COMPUTE
    assert r.lifted("strided").binding_ceiling().ceiling.name == "no simd"
    assert "ceiling no simd: 1/8 on peak (write it with vectors)" in r.assumptions


def test_no_ceiling_binds_below_what_bounds() -> None:
    r = sr.analyze(scan(flops="n"), chip(), ceilings=["no simd"])
    assert r.binding_ceiling() is None
    assert r.liftings[0].gain.resolved().value == 1
    with pytest.raises(UnboundError, match="the ceiling that binds"):
        sr.analyze(scan(flops="n**2"), chip(), ceilings=["no simd"]).binding_ceiling()


def test_a_ceiling_is_a_symbol_that_may_be_asked_for() -> None:
    r = sr.analyze(scan(flops="40*n"), chip(), ceilings=["no simd"])
    # 40 n/(1000 c) >= n/10 for c <= 2/5
    assert r.crossover("ceiling.no_simd").at(n=1).threshold_bound == Rational(2, 5)
    assert seconds(r.at({"ceiling.no_simd": "1/2"}).at(n=1).t_compute) == Rational(8, 100)


# --- NUMA ---------------------------------------------------------------------------------------


def two_sockets() -> sr.Chip:
    ddr = {"bandwidth": "100 B/s", "remote": "50 B/s"}
    return sr.Chip("two sockets", peak={"fp32": "1 kFLOP/s"}, memory={"ddr": ddr})


@pytest.mark.parametrize(
    ("f", "concurrent", "serial"),
    [("1", "1", "1"), ("2/3", "2/3", "4/3"), ("1/2", "1", "3/2"), ("1/5", "8/5", "9/5")],
)
def test_two_readings_of_a_local_fraction(f: str, concurrent: str, serial: str) -> None:
    """100 bytes: local 100 B/s, remote 50 B/s."""
    for numa, right in (("concurrent", concurrent), ("serial", serial)):
        r = sr.analyze(scan(), two_sockets(), numa=numa).at(n=100, f=f)
        assert seconds(r.t_memory) == Rational(right)
        fixed = sr.analyze(scan(), two_sockets(), numa=numa, local=f).at(n=100)
        assert seconds(fixed.t_memory) == Rational(right)


def test_the_best_local_fraction() -> None:
    """Both sockets done at once: f/100 = (1 − f)/50; one after the other: all local."""
    best = sr.analyze(scan(), two_sockets(), numa="concurrent").minimise("f", "memory")
    assert best.at(n=100).value_bound == Rational(2, 3)
    best = sr.analyze(scan(), two_sockets(), numa="serial").minimise("f", "memory")
    assert best.at(n=100).value_bound == 1


def test_the_local_fraction_that_keeps_it_compute_bound() -> None:
    """16 FLOPs a byte are 0.016 s; (1 − f)/50 <= 0.016 from f = 1/5, f/100 <= 0.016 always."""
    r = sr.analyze(scan(flops="16*n"), two_sockets(), numa="concurrent").at(n=100)
    answer = r.crossover("f")
    assert (answer.threshold_bound, answer.threshold_upper_bound) == (Rational(1, 5), 1)
    serial = sr.analyze(scan(flops="16*n"), two_sockets(), numa="serial").at(n=100)
    # f/100 + (1 − f)/50 <= 16/1000 from f = 2/5
    assert serial.crossover("f").threshold_bound == Rational(2, 5)


def test_a_fraction_is_at_most_one() -> None:
    r = sr.analyze(scan(), two_sockets(), numa="serial")
    for wrong in ("3/2", 2):
        with pytest.raises(SymroofError, match="local fraction"):
            r.at(f=wrong)
    with pytest.raises(InputError, match="fraction from 0 to 1"):
        sr.analyze(scan(), two_sockets(), numa="serial", local="3/2")


# --- launches and tiles -------------------------------------------------------------------------


def test_launches_are_a_term_of_their_own() -> None:
    r = sr.analyze(copies(10, times="L"), chip(), launch=True).at(L=3)
    assert seconds(r.groups["launch"]) == 6
    assert seconds(r.t_memory) == 24
    assert seconds(r.time.serial) == 30
    assert seconds(r.exposed) == 30
    assert seconds(r.time.overlapped) == 24
    long = sr.analyze(copies(10, times="L"), chip(), launch="9 s").at(L=3)
    assert long.verdict() is sr.Bound.LAUNCH
    assert seconds(long.time.per_op) == 27
    assert long.crossover("launch", term="launch").threshold_bound == 8


def test_without_launches_there_is_no_such_term() -> None:
    r = sr.analyze(scan(), chip())
    assert list(r.groups) == ["compute", "memory", "network"]
    with pytest.raises(UnknownNameError, match="launch"):
        r.crossover("n", term="launch")


def test_tiles_and_waves_are_work_of_the_engines() -> None:
    g = sr.load("mn,nk->mk")
    here = chip(peak={"fp16": "1 kFLOP/s"}, ceiling={})
    r = sr.analyze(g, here, quantise=sr.Tile(4, 4, 2)).at(m=9, n=5, k=6)
    # 3 x 2 tiles on 3 units are two waves of three; 4 x 4 outputs of 6 products (5 in tiles of 2).
    assert r.amount(("flop", "fp16")).value == 2 * 3 * 2 * 4 * 4 * 6
    assert r.flops.value == 2 * 9 * 5 * 6
    more = sr.analyze(g, here, quantise=sr.Tile(4, 4, 2)).at(m=13, n=5, k=6)
    assert more.amount(("flop", "fp16")).value == 3 * 3 * 2 * 4 * 4 * 6  # 8 tiles, three waves


# --- how it holds together ----------------------------------------------------------------------


def test_choices_survive_binding_and_pickling() -> None:
    r = sr.analyze(
        scan(), chip(), residency="partial", ceilings=["strided"], launch=True
    ).at(n=112)  # fmt: skip
    again = pickle.loads(pickle.dumps(r))
    assert again.inside == r.inside
    assert again.terms == r.terms
    assert r != sr.analyze(scan(), chip(), residency="partial").at(n=112)


def test_a_system_has_the_inside_of_its_chip() -> None:
    g = sr.Graph("sum")
    x = g.input("x", (1000,), "fp32")
    ops.all_reduce(-x, group=4)
    system = sr.System(chip(link="5 B/s"), count=4, topology=sr.Ring(4))
    r = sr.analyze(g, system, residency="partial", launch=True)
    assert [row.name for row in r.levels] == ["l2", "dram"]
    assert seconds(r.groups["launch"]) == 4


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"residency": "warm"}, "unknown residency 'warm'; known: cold, cached, partial"),
        ({"residency": "cahced"}, "did you mean 'cached'"),
        ({"ceilings": ["no sind"]}, "unknown ceiling of small 'no sind'; did you mean 'no simd'"),
        ({"ceilings": "no simd"}, "expected a list of names"),
        ({"levels": {"l3": "once"}}, "unknown memory of small 'l3'"),
        ({"levels": {"l2": "once"}, "residency": "cached"}, "counted already, by residency cached"),
        ({"numa": "serial"}, "does not say the remote bandwidth of dram"),
        ({"numa": "both"}, "unknown numa 'both'; known: concurrent, serial"),
        ({"local": "1/2"}, "it goes with numa"),
        ({"launch": "2 B"}, "launch: expected s"),
        ({"launch": 3}, "launch: 3 is a bare number"),
        ({"launch": "0 s"}, "not positive"),
        ({"quantise": 128}, "expected a Tile"),
    ],
)
def test_a_wrong_choice_is_one_line(choice: dict[str, Any], message: str) -> None:
    with pytest.raises(SymroofError) as caught:
        sr.analyze(scan(), chip(), **choice)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("memory", "message"),
    [
        ({"l2": {"capacity": "1 B"}, "dram": ("1 B/s", "2 B")}, "the bandwidth of l2"),
        ({"l2": "5 B/s", "dram": ("1 B/s", "2 B")}, "the capacity of l2"),
        ({"dram": ("1 B/s", "2 B")}, "no level of memory but dram"),
    ],
)
def test_a_level_without_its_numbers_is_refused(memory: dict[str, Any], message: str) -> None:
    here = chip(memory=memory, main="dram", ceiling={})
    with pytest.raises(InputError, match=message):
        sr.analyze(scan(), here, residency="cached")


def test_given_bytes_are_those_of_one_op() -> None:
    g = sr.Graph("two")
    x = g.input("x", ("n",), "fp32")
    ops.exp(ops.exp(x))
    with pytest.raises(InputError, match="those of one op, and 'two' has 2"):
        sr.analyze(g, chip(), levels={"l2": "n"})


def test_numbers_are_exact() -> None:
    r = sr.analyze(scan(), chip(), residency="partial").at(n=10**30)
    assert seconds(r.t_memory) == Fraction(10**30 - 100, 10)


def test_a_level_with_nothing_left_to_move_has_no_end_of_intensity() -> None:
    r = sr.analyze(scan(flops="4*n"), chip(), residency="partial").at(n=10)
    assert str(r.levels[1].intensity) == "∞ FLOP/byte"
    assert (
        sr.analyze(scan(flops="0"), chip(), residency="partial").at(n=10).levels[1].intensity
        is None
    )


# --- what a review found ------------------------------------------------------------------------


def test_a_rate_is_a_cap_whatever_becomes_of_its_roof() -> None:
    ceilings = {"stream": {"on": "bw.dram", "rate": "5 B/s"}}
    r = sr.analyze(scan(), chip(ceiling=ceilings), ceilings=["stream"]).at(n=10)
    assert seconds(r.t_memory) == 2
    assert seconds(r.at(bw="40 B/s").t_memory) == 2  # no faster than the cap
    assert seconds(r.at(bw="1 B/s").t_memory) == 10
    assert seconds(r.at({"ceiling.bw.stream": "8 B/s"}).t_memory) == Rational(10, 8)
    # 1 FLOP a byte: 1/1000 s of compute against 1/5 s at the cap, at any bandwidth.
    free = sr.analyze(scan(), chip(ceiling=ceilings), ceilings=["stream"])
    assert free.crossover("bw").kind is sr.Kind.NEVER


def test_a_cap_on_local_memory_does_not_slow_remote_memory_below_it() -> None:
    ddr = {"bandwidth": "100 B/s", "remote": "40 B/s"}
    here = sr.Chip(
        "two", peak={"fp32": "1 kFLOP/s"}, memory={"ddr": ddr},
        ceiling={"cap": {"on": "bw.ddr", "rate": "50 B/s"}},
    )  # fmt: skip
    r = sr.analyze(scan(), here, numa="serial", local="1/2", ceilings=["cap"]).at(n=200)
    assert seconds(r.t_memory) == Rational(100, 50) + Rational(100, 40)


def test_two_caps_of_one_height_bind_together() -> None:
    cap = {"on": "bw.dram", "rate": "5 B/s"}
    r = sr.analyze(scan(), chip(ceiling={"a": cap, "b": cap}), ceilings=["a", "b"]).at(n=1)
    assert [each.gain.resolved().value for each in r.liftings] == [1, 1]
    found = r.binding_ceiling()
    assert found is not None
    assert found.ceiling.name in ("a", "b")


def test_caches_hold_together_what_they_hold() -> None:
    memory = {"l2": ("200 B/s", "30 B"), "l3": ("100 B/s", "70 B"), "dram": ("10 B/s", "10 kB")}
    here = chip(memory=memory, ceiling={})
    r = sr.analyze(scan(), here, residency="partial").at(n=150)
    # 150 at l2, 150 - 30 at l3, 150 - 30 - 70 at dram
    assert [seconds(row.bytes) for row in r.levels] == [150, 120, 50]


def test_bytes_and_intensity_are_those_that_time_is_counted_from() -> None:
    g = sr.load("mn,nk->mk")
    here = chip(peak={"fp16": "1 kFLOP/s"}, ceiling={})
    r = sr.analyze(g, here, levels={"dram": sr.Tile(4, 2)}).at(m=6, n=5, k=4)
    assert r.bytes.value == 248
    assert r.intensity.value == Rational(2 * 6 * 5 * 4, 248)
    assert seconds(r.t_memory) == Rational(248, 10)


def test_a_local_fraction_is_a_number_or_a_symbol() -> None:
    with pytest.raises(InputError, match="a number or one symbol, not 1 - x"):
        sr.analyze(scan(), two_sockets(), numa="serial", local="1 - x")


def test_names_of_given_bytes_are_those_of_the_graph() -> None:
    with pytest.raises(UnknownNameError, match="unknown symbol 'nn'; did you mean 'n'"):
        sr.analyze(scan(), chip(), levels={"l2": "2*nn"})


def test_remote_memory_is_a_part_of_the_main_level() -> None:
    memory = {
        **SMALL["memory"],
        "l2": {"bandwidth": "100 B/s", "capacity": "9 B", "remote": "1 B/s"},
    }
    with pytest.raises(InputError, match="remote memory is a part of the main level, dram"):
        chip(memory=memory, main="dram")
    with pytest.raises(InputError, match="is the main level"):
        sr.Chip("c", peak={"fp32": "1 FLOP/s"},
                memory={"dram": ("2 B/s", "1 B"), "host": ("1 B/s", "9 B")})  # fmt: skip


def test_a_tile_fits_the_level_inside() -> None:
    g = sr.load("mn,nk->mk")
    here = chip(peak={"fp16": "1 kFLOP/s"}, ceiling={})
    # 2 bytes each of 4 x 4, 4 x 4 and 4 x 4: 96 of 100; of 5 x 4, 4 x 5, 5 x 5: 130
    sr.analyze(g, here, levels={"dram": sr.Tile(4, 4, 4)})
    with pytest.raises(
        InputError, match="a tile of 5 × 5 × 4 takes 130 byte of l2, which holds 100 byte"
    ):
        sr.analyze(g, here, levels={"dram": sr.Tile(5, 5, 4)})


# --- attacked -----------------------------------------------------------------------------------


def test_a_rate_and_a_capacity_may_be_formulas_of_their_own() -> None:
    here = sr.Chip(
        "formulas",
        peak={"fp32": sr.Quantity("P", "FLOP/s")},
        memory={
            "hbm": {"bandwidth": sr.Quantity("W", "byte/s"), "capacity": sr.Quantity("D", "byte")},
            "l2": {"bandwidth": sr.Quantity("V", "byte/s"), "capacity": sr.Quantity("C", "byte")},
        },
        main="hbm",
        launch=sr.Quantity("t", "s"),
    )
    assert [level.name for level in here.hierarchy] == ["l2", "hbm"]
    r = sr.analyze(scan(), here, residency="partial", launch=True)
    at = {"P": "100 FLOP/s", "W": "10 B/s", "V": "100 B/s", "C": 100, "t": "7 s", "n": 150}
    assert seconds(r.at(at).t_memory) == 5  # 50 bytes more than C
    assert seconds(r.at(at).groups["launch"]) == 7
    assert r.at(at).verdict() is sr.Bound.LAUNCH
    del at["t"]
    assert r.at(at).crossover("t", term="launch").threshold_bound == 5


def test_a_dim_called_f_leaves_the_name_to_it() -> None:
    g = sr.Graph("f")
    x = g.input("x", ("f",), "fp32")
    ops.custom("scan", inputs=[x], output_shape=("f",), flops="f", bytes="f", link_bytes=0)
    r = sr.analyze(g, two_sockets(), numa="serial")
    assert str(r.inside.local) == "f_"
    # 150 bytes, half of them at 100 B/s and half at 50
    assert seconds(r.at(f=150, f_="1/2").t_memory) == Rational(75, 100) + Rational(75, 50)


def test_a_ceiling_is_not_lifted_above_its_roof_by_a_binding() -> None:
    r = sr.analyze(scan(flops="40*n"), chip(), ceilings=["no simd"])
    with pytest.raises(InputError, match=r"ceiling 'no simd' needs ceiling.no_simd <= 1; not so"):
        r.at({"ceiling.no_simd": 2})
    with pytest.raises(InputError, match=r"needs u <= 1; not so at ceiling.no_simd=u, u=3|<= 1"):
        r.at({"ceiling.no_simd": "u"}).at(u=3)
    low = sr.analyze(scan(flops="n"), chip(), ceilings=["no simd"]).crossover("ceiling.no_simd")
    assert low.at(n=1).threshold_bound == Rational(1, 100)  # n/(1000 c) >= n/10


def test_a_rate_is_least_from_zero_on_and_not_from_one() -> None:
    r = sr.analyze(scan(), chip(), launch=True).at(n=1)  # 0.1 s of memory
    best = r.minimise("launch")
    assert best.point_upper_bound == Rational(1, 10)
    assert best.value_bound == Rational(1, 10)


def test_keys_of_ceilings_are_read_as_names_are() -> None:
    for name, key in (("\u00b2x", "ceiling.2x"), ("\ufb01 1/2", "ceiling.fi_1_2")):
        here = chip(ceiling={name: {"on": "peak", "factor": "1/2"}})
        assert here.ceilings[0].key == key
        r = sr.analyze(scan(flops="40*n"), here, ceilings=[name])
        assert r.crossover(key).at(n=1).threshold_bound == Rational(2, 5)


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"ceilings": None}, r"^ceilings: expected a list of names, as in \['no simd'\]$"),
        ({"ceilings": 5}, r"^ceilings: expected a list"),
        ({"levels": "l2"}, r"^levels: expected how by level"),
        ({"levels": ["l2"]}, r"^levels: expected how by level"),
        ({"levels": {3: "once"}}, r"unknown memory of small '3'"),
        ({"levels": {"l2": "Once"}}, r"^levels: l2: did you mean 'once', not 'Once'\?$"),
        ({"levels": {"l2": "onec"}}, r"did you mean 'once'"),
        ({"levels": {"l2": "-3*n"}}, r"^levels: l2: expected an amount above 0, not -3\*n$"),
        ({"levels": {"l2": 0}}, r"expected an amount above 0, not 0"),
        ({"levels": {"l2": "3*bw.l2"}}, r"'bw.l2' is a rate of a machine"),
        ({"levels": {"l2": sr.Quantity("3 s")}}, r"^levels: l2: expected byte, as in '2\*m\*n'"),
        ({"numa": "serial", "local": "bw.l2"}, r"'bw.l2' is a rate of a machine"),
        ({"launch": 5}, r"^launch: 5 is a bare number; write its unit too, as in '1 us'$"),
        ({"launch": []}, r"^launch: expected a text such as '1 us', got list$"),
    ],
)
def test_choices_of_a_wrong_kind_are_one_line(choices: dict[str, Any], words: str) -> None:
    memory = {**SMALL["memory"], "dram": {"bandwidth": "10 B/s", "remote": "5 B/s", "main": True}}
    with pytest.raises(SymroofError, match=words) as caught:
        sr.analyze(scan(), chip(memory=memory), **choices)
    assert "\n" not in str(caught.value)


def test_bytes_of_a_level_may_have_their_unit() -> None:
    r = sr.analyze(scan(), chip(), levels={"l2": sr.Quantity("3*n", "kB")}).at(n=2)
    assert r.levels[0].bytes.value == 6000


@settings(max_examples=25, deadline=None)
@given(
    n=st.integers(1, 400),
    sizes=st.lists(st.tuples(st.integers(0, 9), st.integers(1, 60)), min_size=1, max_size=3),
    held=st.lists(st.integers(1, 300), min_size=1, max_size=3, unique=True),
)
def test_residency_against_counting(n: int, sizes: list[tuple[int, int]], held: list[int]) -> None:
    """Bytes of each op by hand; a bound falls from cold over cached to partial."""
    held = sorted(held)
    rates = [50 - 10 * i for i in range(len(held) + 1)]
    names = [*(f"c{i}" for i in range(len(held))), "dram"]
    memory = {
        name: (f"{rate} B/s", f"{room} B")
        for name, rate, room in zip(names, rates, [*held, 10**6], strict=True)
    }
    here = sr.Chip("c", peak={"fp32": "1 FLOP/s"}, memory=memory)
    g = sr.Graph("g")
    x = g.input("x", ("n",), "fp32")
    for place, (a, b) in enumerate(sizes):
        x = ops.custom(
            f"s{place}", inputs=[x], output_shape=("n",), flops=0, bytes=f"{a}*n+{b}", link_bytes=0
        )
    bytes_of = [a * n + b for a, b in sizes]
    moved = {
        "cold": {"dram": sum(bytes_of)},
        "cached": {
            name: sum(
                b for b in bytes_of
                if next((at for at, room in enumerate(held) if b <= room), len(held)) == place
            )
            for place, name in enumerate(names)
        },
        "partial": {
            name: sum(max(0, b - sum(held[:place])) for b in bytes_of)
            for place, name in enumerate(names)
        },
    }  # fmt: skip
    times = []
    for residency, amounts in moved.items():
        r = sr.analyze(g, here, residency=residency).at(n=n)
        right = max(
            Rational(amounts.get(name, 0), rate) for name, rate in zip(names, rates, strict=True)
        )
        assert seconds(r.t_memory) == right, residency
        times.append(seconds(r.time.per_op))
    assert times == sorted(times, reverse=True)


def test_a_tile_may_be_text() -> None:
    g, here = sr.load("mn,nk->mk"), chip(peak={"fp16": "1 kFLOP/s"}, ceiling={})
    text = sr.analyze(g, here, levels={"dram": "4x2"}, quantise="4x4x2")
    tile = sr.analyze(g, here, levels={"dram": sr.Tile(4, 2)}, quantise=sr.Tile(4, 4, 2))
    assert text.inside == tile.inside


def test_rows_of_ops_have_the_bytes_that_count() -> None:
    g, here = sr.load("mn,nk->mk"), chip(peak={"fp16": "1 kFLOP/s"}, ceiling={})
    r = sr.analyze(g, here, levels={"dram": sr.Tile(4, 2)}).at(m=6, n=5, k=4)
    assert [row.bytes.value for row in r.ops()] == [248]


def test_an_op_without_work_is_no_kernel() -> None:
    g = sr.Graph("idle")
    x = g.input("x", ("n",), "fp32")
    y = ops.custom("idle", inputs=[x], output_shape=("n",), flops=0, bytes=0, link_bytes=0)
    ops.exp(y)
    assert seconds(sr.analyze(g, chip(), launch="2 s").groups["launch"]) == 2


def test_nothing_binds_where_no_ceiling_is_applied() -> None:
    assert sr.analyze(scan(flops="n**2"), chip()).binding_ceiling() is None


def test_what_is_said_is_what_is_in_force() -> None:
    r = sr.analyze(scan(), chip(), ceilings=["no simd"], launch=True)
    assert "launch: 2 s a kernel, an op with work is one" in r.assumptions
    other = r.at({"launch.kernel": "3 s", "ceiling.no_simd": "1/4"})
    assert "launch: 3 s a kernel, an op with work is one" in other.assumptions
    assert "ceiling no simd: 0.25 on peak (write it with vectors)" in other.assumptions
