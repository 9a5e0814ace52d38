"""Rooflines against numbers worked by hand from FLOPs, bytes and the rates of the chip."""

from __future__ import annotations

from fractions import Fraction

import pytest
from sympy import Rational

import symroof as sr
from symroof import ops
from symroof.errors import InputError, UnboundError, UnitError, UnknownNameError

PEAK, BW, LINK = 989 * 10**12, 3_350 * 10**9, 450 * 10**9


def matmul(dtype: str = "fp16") -> sr.Graph:
    g = sr.Graph("matmul")
    ops.matmul(g.input("A", ("M", "N"), dtype), g.weight("W", ("N", "K"), dtype), name="C")
    return g


def test_terms_of_a_matmul() -> None:
    r = sr.analyze(matmul(), "h100-sxm").at(M=64, N=4096, K=4096)
    flops = 2 * 64 * 4096 * 4096
    moved = 2 * (64 * 4096 + 4096 * 4096 + 64 * 4096)
    assert r.t_compute.value == Rational(flops, PEAK)
    assert r.t_memory.value == Rational(moved, BW)
    assert r.t_network.value == 0
    assert r.t_compute.unit == "s"
    assert set(r.terms) == {("flop", "fp16"), ("byte", "main")}
    assert r.critical_intensity.value == Rational(19780, 67)
    assert r.intensity is not None
    assert r.intensity.value == Rational(flops, moved)
    assert r.verdict() is sr.Bound.MEMORY


def test_verdict_flips_at_the_crossover_and_names_ties() -> None:
    r = sr.analyze(matmul(), "h100-sxm")
    assert r.verdict(M=344, N=4096, K=4096) is sr.Bound.MEMORY
    assert r.verdict(M=345, N=4096, K=4096) is sr.Bound.COMPUTE
    tie = r.at(M="10127360/29359", N=4096, K=4096)
    assert tie.verdict() is sr.Bound.BALANCED
    assert tie.largest_terms() == ("compute", "memory")


def test_verdict_with_free_symbols_is_proven_or_refused() -> None:
    g = sr.Graph("axpy")
    ops.axpy(g.input("x", ("n",), "fp64"), g.input("y", ("n",), "fp64"))
    # 2n FLOP against 24n bytes: memory-bound for every n on any chip with a ridge above 1/12.
    assert sr.analyze(g, "h100-sxm").verdict() is sr.Bound.MEMORY
    with pytest.raises(UnboundError, match="crossover"):
        sr.analyze(matmul(), "h100-sxm").verdict()


def test_no_work_is_a_verdict() -> None:
    g = sr.Graph("view")
    ops.reshape(g.input("x", (8, 8), "fp32"), (64,))
    r = sr.analyze(g, "h100-sxm")
    assert r.verdict() is sr.Bound.NO_WORK
    assert r.intensity is None
    assert r.time.overlapped.value == 0
    assert [used.value for used in r.utilisation().values()] == [0, 0, 0]


def two_ops() -> sr.Graph:
    """A matmul bound by compute at these sizes, then an addition bound by memory."""
    g = sr.Graph("two")
    y = g.input("x", (4096, 4096), "bf16") @ g.weight("w", (4096, 4096), "bf16")
    ops.relu(y)
    return g


def test_bounds_on_time_are_ordered_and_exact() -> None:
    r = sr.analyze(two_ops(), "h100-sxm")
    tensor = 2 * 4096 * 4096
    compute = Fraction(2 * 4096**3, PEAK)
    compute_all = Fraction(2 * 4096**3 + 4096**2, PEAK)
    memory = Fraction(3 * tensor, BW)
    relu = Fraction(2 * tensor, BW)
    assert compute > memory
    assert r.time.overlapped.value == max(compute_all, memory + relu)
    assert r.time.per_op.value == compute + relu
    assert r.time.serial.value == compute_all + memory + relu
    assert r.time.overlapped <= r.time.per_op
    assert r.time.per_op <= r.time.serial


def test_ops_have_bound_and_share() -> None:
    r = sr.analyze(two_ops(), "h100-sxm")
    rows = r.ops()
    assert [row.bound for row in rows] == [sr.Bound.COMPUTE, sr.Bound.MEMORY]
    assert sum(row.share or 0 for row in rows) == pytest.approx(1)
    assert r.dominant().kind == "matmul"  # type: ignore[union-attr]
    used = r.utilisation()
    assert used["compute"].value == 1
    assert 0 < used["memory"].value < 1


def test_several_dtypes_divide_by_their_own_peaks() -> None:
    g = sr.Graph("mixed")
    ops.matmul(g.input("a", (64, 64), "fp8"), g.weight("b", (64, 64), "fp8"))
    ops.matmul(g.input("c", (64, 64), "bf16"), g.weight("d", (64, 64), "bf16"))
    r = sr.analyze(g, "h100-sxm")
    flops = 2 * 64**3
    time = Fraction(flops, 1979 * 10**12) + Fraction(flops, PEAK)
    assert r.t_compute.value == time
    assert r.critical_intensity.value == Fraction(2 * flops) / time / BW


def test_a_collective_is_a_network_term() -> None:
    g = sr.Graph("tp")
    y = g.input("x", ("B", 8192), "bf16") @ g.weight("w", (8192, 1024), "bf16")
    ops.all_reduce(y, group="n")
    r = sr.analyze(g, "h100-sxm")
    at = r.at(B=16, n=8)
    sent = 2 * Fraction(7, 8) * 16 * 1024 * 2
    assert at.link_bytes.value == sent
    assert at.t_network.value == sent / LINK
    assert at.critical_link_intensity.value == Fraction(PEAK, LINK)  # type: ignore[union-attr]
    assert at.link_intensity.value == 2 * 16 * 8192 * 1024 / sent  # type: ignore[union-attr]
    alone = r.at(B=16, n=1)
    assert alone.t_network.value == 0
    assert alone.verdict() is sr.Bound.MEMORY


def test_attainable_is_the_lower_roof() -> None:
    r = sr.analyze(matmul(), "h100-sxm")
    assert r.attainable("100 FLOP/byte").value == 100 * BW
    assert r.attainable("1000 FLOP/byte").value == PEAK
    assert r.attainable(sr.Quantity("19780/67 FLOP/byte")).value == PEAK
    with pytest.raises(UnitError, match="FLOP/byte"):
        r.attainable("3 TB/s")


def test_rates_can_be_overridden() -> None:
    r = sr.analyze(matmul(), "h100-sxm")
    slower = r.at(bw="3 TB/s", peak="1000 TFLOP/s")
    assert slower.critical_intensity.value == Rational(1000, 3)
    assert slower.crossover("M").at(N=1024, K=1024).first == 956
    assert r.critical_intensity.value == Rational(19780, 67)
    with pytest.raises(UnitError, match="needs a unit"):
        r.at(bw=3)


def test_a_chip_of_symbols_keeps_them() -> None:
    bw = sr.Quantity(sr.symbols("BW"), "byte/s")
    chip = sr.Chip(name="mine", peak={"fp16": "100 TFLOP/s"}, memory={"hbm": bw})
    r = sr.analyze(matmul(), chip)
    x = r.crossover("BW").at(M=64, N=64, K=64)
    # 2*64**3 FLOP at 100 TFLOP/s against 3*2*64**2 bytes: BW of 6*64**2 * 1e14 / (2*64**3)
    assert x.threshold_bound == Rational(6 * 64**2 * 10**14, 2 * 64**3)
    assert x.relation == ">="
    assert r.at(M=64, N=64, K=64, BW="1 TB/s").verdict() is sr.Bound.MEMORY


def test_limits_of_the_intensity() -> None:
    r = sr.analyze(matmul(), "h100-sxm")
    assert str(r.limit("M")) == "K*N/(K + N) FLOP/byte"
    assert r.at(N=4096, K=4096).limit("M").value == 2048
    with pytest.raises(UnknownNameError):
        r.limit("Q")


def test_an_unknown_term_or_name_is_refused() -> None:
    r = sr.analyze(matmul(), "h100-sxm")
    with pytest.raises(UnknownNameError, match="did you mean 'memory'"):
        r.crossover("M", term="memroy")
    with pytest.raises(UnknownNameError, match="symbol 'm2'"):
        r.crossover("m2")
    with pytest.raises(UnknownNameError, match="fp4"):
        sr.analyze(matmul("fp4"), "a100-sxm-80gb").t_compute


def test_a_ridge_keeps_the_peak_and_sets_the_bandwidth() -> None:
    r = sr.analyze(matmul(), "h100-sxm").at(ridge="1000/3 FLOP/byte")
    assert r.critical_intensity.value == Rational(1000, 3)
    assert r.peak.value == PEAK
    assert r.crossover("M").at(N=1024, K=1024).first == 956


def test_upper_case_names_of_rates_are_understood() -> None:
    r = sr.analyze(matmul(), "h100-sxm").at(BW="3 TB/s")
    assert r.bandwidth.value == 3 * 10**12


def test_a_roofline_does_not_change() -> None:
    r = sr.analyze(matmul(), "h100-sxm").at(M=64)
    with pytest.raises(AttributeError, match="does not change"):
        r.chip = None  # type: ignore[assignment]
    with pytest.raises(TypeError):
        r.bindings["M"] = 65  # type: ignore[index]
    with pytest.raises(TypeError):
        r.terms["a"] = r.t_compute  # type: ignore[index]
    again = sr.analyze(r.graph, "h100-sxm")
    assert again.at(M=64) == r
    assert again != r
    assert hash(again.at(M=64)) == hash(r)


def test_a_cost_that_is_negative_at_the_numbers_is_refused_by_name() -> None:
    g = sr.Graph("g")
    x = g.input("x", ("B",), "fp16")
    ops.custom("scan", inputs=[x], output_shape=("B",), flops="B*B - 10*B")
    r = sr.analyze(g, "h100-sxm")
    assert r.at(B=20).t_compute.value == Rational(200, PEAK)
    with pytest.raises(InputError, match="op 'scan' is negative at B=5"):
        r.at(B=5).t_compute
