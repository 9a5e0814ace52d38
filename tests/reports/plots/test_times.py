"""Time terms against a symbol."""

from __future__ import annotations

import pytest

import symroof as sr
from symroof.errors import InputError, UnboundError, UnknownNameError
from symroof.reports.plots.plot import Chart, Line, Point, Region, Rule
from symroof.reports.plots.times import times
from symroof.symbolic import bind, parse, to_float
from tests.reports.inside import BIG, CPU, product


def line(chart: Chart, label: str) -> Line:
    return next(mark for mark in chart.marks if isinstance(mark, Line) and mark.label == label)


def matmul(**values: object) -> sr.Roofline:
    return sr.analyze(sr.load("mn,nk->mk"), "h100-sxm").at(**{"n": 4096, "k": 4096, **values})


def test_the_terms_of_a_matmul_by_hand() -> None:
    chart = times(matmul(), "m")
    assert chart.y.unit == "µs"
    for m, found in line(chart, "t_compute").points:
        assert found == pytest.approx(1e6 * 2 * m * 4096 * 4096 / 989e12, rel=1e-12)
    for m, found in line(chart, "t_memory").points:
        moved = 2 * (2 * m * 4096 + 4096 * 4096)
        assert found == pytest.approx(1e6 * moved / 3.35e12, rel=1e-12)
    for m, found in line(chart, "per-op bound").points:
        both = (2 * m * 4096 * 4096 / 989e6, 2 * (2 * m * 4096 + 4096 * 4096) / 3.35e6)
        assert found == pytest.approx(max(both), rel=1e-12)


def test_crossover_and_bands() -> None:
    chart = times(matmul(m=64), "m")
    (rule,) = [mark for mark in chart.marks if isinstance(mark, Rule)]
    assert rule.label == "m = 345"
    assert 344 < rule.at < 345
    bands = {mark.label: mark.corners for mark in chart.marks if isinstance(mark, Region)}
    assert bands["memory-bound"][1][0] == bands["compute-bound"][0][0] == rule.at
    (point,) = [mark for mark in chart.marks if isinstance(mark, Point)]
    assert point.x == 64


def test_a_rate_along_the_axis() -> None:
    chart = times(matmul(m=64), "bw")
    assert (chart.x.unit, chart.y.unit) == ("TB/s", "µs")
    for bandwidth, found in line(chart, "t_memory").points:
        moved = 2 * (2 * 64 * 4096 + 4096 * 4096)
        assert found == pytest.approx(1e6 * moved / (bandwidth * 1e12), rel=1e-9)
    (rule,) = [mark for mark in chart.marks if isinstance(mark, Rule)]
    assert rule.at == pytest.approx(989 / (64 * 4096 / (2 * 64 + 4096)))
    assert rule.label == "15.9 TB/s"


def test_a_link_and_three_terms() -> None:
    r = sr.analyze(sr.load("tensor-parallel-mlp"), "h100-sxm")
    chart = times(r.at(B=64, D=4096, F=14336), "n")
    labels = [mark.label for mark in chart.marks if isinstance(mark, Line)]
    assert labels == ["per-op bound", "t_compute", "t_memory", "t_network"]
    # A ring all-reduce sends 2 (n - 1)/n of the result, 2 bytes each: nothing for one chip.
    for n, found in line(chart, "t_network").points:
        sent = 2 * (n - 1) / n * 64 * 4096 * 2
        assert found == pytest.approx(1e6 * sent / 450e9, rel=1e-9)
    assert all(n > 1 for n, _ in line(chart, "t_network").points)


def test_formulas_give_the_points() -> None:
    r = sr.analyze(sr.load("moe"), "h100-sxm").at(D=4096, F=14336, E=8, k=2)
    for mark in times(r, "B").marks:
        if isinstance(mark, Line):
            for x, y in mark.points[::8]:
                assert to_float(bind(parse(mark.formula), {mark.variable: x})) == (
                    pytest.approx(y, rel=1e-9)
                )


def test_launches_are_a_floor() -> None:
    r = sr.analyze(sr.load("mn,nk->mk"), "h100-sxm", launch="50 us").at(n=4096, k=4096)
    chart = times(r, "m")
    assert all(y == pytest.approx(50) for _, y in line(chart, "t_launch").points)
    bands = {mark.label for mark in chart.marks if isinstance(mark, Region)}
    assert {"launch-bound", "compute-bound"} <= bands


def test_a_fraction_goes_up_to_one() -> None:
    chart = times(product(CPU, numa="concurrent").at(m=16, n=4000, k=4000), "f")
    assert chart.x.high == 1
    assert chart.x.label == "f, fraction of the bytes that is in local ddr"
    moved = 2 * (2 * 16 * 4000 + 4000**2)
    unit = {"µs": 1e6, "ms": 1e3}[chart.y.unit]
    for f, found in line(chart, "t_memory").points:
        both = f * moved / 200e9, (1 - f) * moved / 80e9
        assert found == pytest.approx(unit * max(both))


def test_numbers_of_the_inside_along_the_axis() -> None:
    ceiling = times(product(CPU, ceilings=["no fma"]).at(BIG), "ceiling.no_fma")
    assert (ceiling.x.unit, ceiling.x.high) == ("", 1)
    capacity = times(product(residency="partial").at(BIG), "cap.l2")
    assert (capacity.x.label, capacity.x.unit) == ("l2 capacity", "MB")
    (_, last), (_, first) = (line(capacity, "t_memory").points[place] for place in (-1, 0))
    assert last == pytest.approx(24)  # all in l2: 96 MB at 4 TB/s
    assert first > 90
    launch = times(product(launch=True).at(BIG), "launch.kernel")
    assert launch.x.unit in ("µs", "ms")


def test_bad_questions() -> None:
    with pytest.raises(UnboundError, match=r"^times needs numbers for k, n: "):
        times(sr.analyze(sr.load("mn,nk->mk"), "h100-sxm"), "m")
    with pytest.raises(UnknownNameError, match="unknown symbol 'q'"):
        times(matmul(), "q")
    g = sr.Graph("nothing")
    g.input("x", ("B", 8), "bf16")
    with pytest.raises(InputError, match="nothing does no work"):
        times(sr.analyze(g, "h100-sxm"), "B")
