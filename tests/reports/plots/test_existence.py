"""Plots over symbols that something must hold for stay where the algorithm exists."""

from __future__ import annotations

import pytest

import symroof as sr
from symroof.errors import InputError
from symroof.reports.plots.intensity import intensity
from symroof.reports.plots.plot import Chart, Line, Region, Rule
from symroof.reports.plots.regimes import regimes
from symroof.reports.plots.times import times

NOTE = "Nothing is drawn where Hkv <= H does not hold."


def attention(**values: int) -> sr.Roofline:
    r = sr.analyze(sr.load("attention"), "h100-sxm")
    return r.at({**r.graph.about.defaults, **values})


def corners(chart: Chart) -> list[tuple[float, float]]:
    return [place for m in chart.marks if isinstance(m, Region) for place in m.corners]


def test_a_map_is_white_beyond_and_says_why() -> None:
    ones = attention(B=1, H=1, Hkv=1, Tq=1, Tk=1, d=1)
    chart = regimes(ones, "Hkv", "bw")
    assert chart.description.endswith(NOTE)
    # Hkv can only be 1: what is drawn ends half way to the next column.
    assert 1 < max(x for x, _ in corners(chart)) < 1.1
    chart = regimes(ones, "bw", "Hkv")
    assert chart.description.endswith(NOTE)
    chart = regimes(attention(), "Hkv", "bw", within={"Hkv": (1, 64)})
    assert chart.description.endswith(NOTE)
    assert max(x for x, _ in corners(chart)) == pytest.approx(32, rel=0.01)
    chart = regimes(attention(), "Hkv", "bw")
    assert (chart.x.high, NOTE in chart.description) == (32, False)


@pytest.mark.parametrize("plot", [times, intensity])
def test_a_line_ends_where_the_algorithm_does(plot: object) -> None:
    assert callable(plot)
    chart = plot(attention(), "Hkv", within=(1, 1000))
    assert chart.description.endswith(NOTE)
    lines = [m for m in chart.marks if isinstance(m, Line) and m.formula]
    assert lines
    assert all(28 < mark.points[-1][0] <= 32 for mark in lines)
    assert all(x <= 32 for x, _ in corners(chart))
    # The end of what exists is no crossover.
    assert not [m for m in chart.marks if isinstance(m, Rule)]
    assert NOTE not in plot(attention(), "Hkv").description
    with pytest.raises(InputError, match=r"Hkv <= H leaves Hkv no room on this axis"):
        plot(attention(H=1, Hkv=1), "Hkv")


def test_ends_that_no_axis_holds_are_refused() -> None:
    with pytest.raises(InputError, match="too large or small for an axis"):
        times(attention(), "B", within=(1, 10**400))
