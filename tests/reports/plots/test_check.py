"""Points of lines are on the formula that stands beside them."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

import symroof as sr
from symroof.reports.plots.check import check_lines
from symroof.reports.plots.plot import Chart, Line


def line(points: object, formula: object = "2*x") -> dict[str, object]:
    return {"label": "l", "formula": formula, "variable": "x", "points": points}


@pytest.mark.parametrize(
    "points",
    [
        None,
        5,
        "ab",
        [None],
        [[1]],
        [[1, 2, 3]],
        [[True, 2]],
        [[1, None]],
        [["1", 2]],
        [[10**400, 1]],
        [[1, 10**400]],
        [[float("nan"), 1]],
        [[float("inf"), float("inf")]],
        {"a": 1},
    ],
)
def test_malformed_points_are_a_fault(points: object) -> None:
    (fault,) = check_lines(line(points), {})
    assert fault.id == "line l"


@pytest.mark.parametrize("formula", [5, ["x"], "(" * 20_000, "x**x**x", "y", "1/(x - 1)"])
def test_a_formula_that_gives_no_number_is_a_fault(formula: object) -> None:
    assert len(check_lines(line([[1, 2]], formula), {})) == 1


def test_a_point_off_its_line_is_a_fault_and_one_on_it_is_none() -> None:
    assert check_lines(line([[1, 2], [2, 4.0]]), {}) == []
    assert check_lines(line([[1, 2], [2, 4.001]]), {})[0].found == "4.0 comes out at x = 2"
    assert check_lines(line([[1, 2]], ""), {}) == []


STEPS = (
    "ceil(log2(n))*n", "floor(n/3)*n + n", "ceil(sqrt(n))*n", "n*ceil(n*log2(n)/7)",
    "n*floor(log2(n**2 + 1))", "max(n, ceil(n/100)*90)", "n*2**ceil(log2(n))/n",
)  # fmt: skip


@pytest.mark.parametrize("flops", STEPS)
def test_lines_with_steps_are_recomputed_exactly(flops: str) -> None:
    graph = sr.Graph("g")
    x = graph.input("x", ("n",), "bf16")
    sr.ops.custom("scan", inputs=[x], output_shape=("n",), flops=flops, bytes="n*8 + ceil(n/7)")
    r = sr.analyze(graph, "h100-sxm")
    for within in (None, (1, 2**161), ("1/3", "1000003/7"), (2**40, 2**41)):
        for plot in (sr.plot.times, sr.plot.intensity):
            chart = plot(r, "n", within=within).plot
            assert isinstance(chart, Chart)
            written = [asdict(m) for m in chart.marks if isinstance(m, Line) and m.formula]
            assert written
            for mark in written:
                plain = json.loads(json.dumps(mark, default=str))
                assert check_lines(plain, {}) == [], within
