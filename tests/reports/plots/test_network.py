"""The roof of the links."""

from __future__ import annotations

import pytest

import symroof as sr
from symroof.errors import InputError, UnboundError
from symroof.reports.plots.network import network
from symroof.reports.plots.plot import Line, Point, Region, Rule


def mlp(**values: int) -> sr.Roofline:
    return sr.analyze(sr.load("tensor-parallel-mlp"), "h100-sxm").at(values)


def test_the_roof_and_the_algorithm_under_it() -> None:
    chart = network(mlp(B=4096, D=4096, F=14336, n=64))
    slanted, flat = (mark for mark in chart.marks if isinstance(mark, Line))
    # 989 TFLOP/s over 450 GB/s
    (rule,) = (mark for mark in chart.marks if isinstance(mark, Rule))
    assert rule.at == pytest.approx(989e12 / 450e9)
    assert slanted.points[-1] == flat.points[0]
    (point,) = (mark for mark in chart.marks if isinstance(mark, Point))
    # FLOPs 2*B*F*(3*D + 1)/n over 4*B*D*(n - 1)/n bytes
    assert point.x == pytest.approx(14336 * (3 * 4096 + 1) / (2 * 4096 * 63))
    names = [mark.label for mark in chart.marks if isinstance(mark, Region)]
    assert names == ["network-bound", "compute-bound", "unattainable"]
    # network-bound: on the slanted roof
    assert point.y * 1e12 == pytest.approx(point.x * 450e9)


def test_what_cannot_be_drawn() -> None:
    with pytest.raises(UnboundError, match="network needs numbers for D, F, n"):
        network(mlp(B=64))
    with pytest.raises(InputError, match="sends nothing"):
        network(sr.analyze(sr.load("mlp"), "h100-sxm").at(B=8, D=8, F=8))
    with pytest.raises(InputError, match="sends nothing"):
        network(mlp(B=64, D=4096, F=14336, n=1))
