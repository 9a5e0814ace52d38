"""Intensity against a symbol: numbers of a matrix product by hand."""

from __future__ import annotations

import pytest

import symroof as sr
from symroof.errors import InputError, UnboundError
from symroof.reports.plots.intensity import intensity
from symroof.reports.plots.plot import Chart, Line, Point, Region, Role, Rule
from symroof.symbolic import bind, parse, to_float

RIDGE = 989e12 / 3.35e12


def matmul(**values: object) -> sr.Roofline:
    return sr.analyze(sr.load("mn,nk->mk"), "h100-sxm").at(**{"n": 4096, "k": 4096, **values})


def line(chart: Chart, label: str) -> Line:
    return next(m for m in chart.marks if isinstance(m, Line) and m.label.startswith(label))


def test_the_curve_is_the_intensity() -> None:
    chart = intensity(matmul(), "m")
    for m, found in line(chart, "arithmetic intensity").points:
        flops, moved = 2 * m * 4096 * 4096, 2 * (m * 4096 + 4096 * 4096 + m * 4096)
        assert found == pytest.approx(flops / moved, rel=1e-12)
    assert (chart.x.unit, chart.y.unit) == ("", "FLOP/byte")


def test_ridge_limit_crossover_and_rule_of_thumb() -> None:
    chart = intensity(matmul(), "m")
    ridge = line(chart, "ridge 295.2")
    assert ridge.role is Role.ROOF
    assert [y for _, y in ridge.points] == [pytest.approx(RIDGE)] * len(ridge.points)
    assert line(chart, "limit 2048").points[0][1] == 2048
    (rule,) = [mark for mark in chart.marks if isinstance(mark, Rule)]
    # 1/m = 1/I - 1/n - 1/k
    assert rule.at == pytest.approx(1 / (1 / RIDGE - 2 / 4096), rel=1e-12)
    assert rule.label == "m = 345"
    thumb = line(chart, "rule of thumb 296")
    assert thumb.points[0][0] == thumb.points[1][0] == pytest.approx(RIDGE)


def test_formulas_give_the_points() -> None:
    for chart in (intensity(matmul(), "m"), intensity(matmul(m=64), "bw")):
        for mark in chart.marks:
            if isinstance(mark, Line) and mark.formula:
                for x, y in mark.points:
                    at = bind(parse(mark.formula), {mark.variable: x})
                    assert to_float(at) == pytest.approx(y, rel=1e-9)


def test_the_value_of_now_is_marked() -> None:
    (point,) = [m for m in intensity(matmul(m=64), "m").marks if isinstance(m, Point)]
    assert (point.x, point.label) == (64, "m = 64")
    assert point.y == pytest.approx(64 * 4096 / (2 * 64 + 4096))


def test_never_compute_bound_is_drawn_up_to_its_limit() -> None:
    r = sr.analyze(sr.load("mn,nk->mk"), "h100-sxm").at(n=512, k=512)
    chart = intensity(r, "m")
    assert not [mark for mark in chart.marks if isinstance(mark, Rule)]
    assert line(chart, "limit 256").points[0][1] == 256
    assert line(chart, "rule of thumb").label.endswith("does not apply")
    assert "does not cross" in chart.description
    # 90 % of the limit is at m = 9*256 = 2304.
    assert chart.x.high >= 2304


def test_against_a_rate_the_ridge_moves() -> None:
    chart = intensity(matmul(m=64), "bw")
    assert chart.x.unit == "TB/s"
    assert "bandwidth" in chart.x.label
    assert line(chart, "ridge").points[0][1] == pytest.approx(989 / chart.x.low)
    (rule,) = [mark for mark in chart.marks if isinstance(mark, Rule)]
    assert rule.at == pytest.approx(989 / (64 * 4096 / (2 * 64 + 4096)))


def test_regions_meet_at_the_ridge() -> None:
    regions = [mark for mark in intensity(matmul(), "m").marks if isinstance(mark, Region)]
    assert [region.label for region in regions] == ["memory-bound", "compute-bound"]


def test_a_symbol_that_cancels_needs_no_number() -> None:
    # The batch of a batched product is on every side.
    r = sr.analyze(sr.load("bmn,bnk->bmk"), "h100-sxm").at(n=4096, k=4096)
    chart = intensity(r, "m")
    assert [mark.label for mark in chart.marks if isinstance(mark, Rule)] == ["m = 345"]


def test_what_cannot_be_drawn_is_one_line() -> None:
    r = sr.analyze(sr.load("mn,nk->mk"), "h100-sxm")
    with pytest.raises(UnboundError, match=r"^intensity needs numbers for k, n: r\.at\(k="):
        intensity(r, "m")
    g = sr.Graph("copy")
    sr.ops.transpose(g.input("x", ("B", "D"), "bf16"), axes=(1, 0))
    with pytest.raises(InputError, match="copy has no arithmetic intensity"):
        intensity(sr.analyze(g, "h100-sxm").at(D=4), "B")
