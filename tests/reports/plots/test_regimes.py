"""The regime map against verdicts of the library at random points."""

from __future__ import annotations

import math
import random

import pytest

import symroof as sr
from symroof.errors import InputError, SymroofError, UnboundError
from symroof.reports.plots.plot import Axis, Chart, Line, Place, Point, Region
from symroof.reports.plots.regimes import regimes
from symroof.symbolic import bind, parse, to_float

TERMS = {0: "compute", 1: "memory", 2: "network", 4: "balanced"}


def known(spec: str, *free: str, **values: object) -> sr.Roofline:
    graph = sr.load(spec)
    defaults = {n: v for n, v in graph.about.defaults.items() if n not in free}
    return sr.analyze(graph, "h100-sxm").at({**defaults, **values})


def inside(corners: tuple[Place, ...], x: float, y: float) -> bool:
    """Whether a ray to the right crosses the outline an odd number of times."""
    points = [(math.log(a), math.log(b)) for a, b in corners]
    found, (u, v) = False, (math.log(x), math.log(y))
    for (ax, ay), (bx, by) in zip(points, points[1:] + points[:1], strict=True):
        if (ay > v) != (by > v) and u < ax + (v - ay) / (by - ay) * (bx - ax):
            found = not found
    return found


def drawn(chart: Chart, x: float, y: float) -> set[str]:
    regions = [mark for mark in chart.marks if isinstance(mark, Region)]
    return {TERMS[region.colour] for region in regions if inside(region.corners, x, y)}


def somewhere(axis: Axis, source: random.Random) -> float:
    value = axis.low * (axis.high / axis.low) ** source.uniform(0.001, 0.999)
    return value if axis.unit else float(max(1, round(value)))


@pytest.mark.parametrize(
    ("spec", "x", "y"),
    [
        ("matmul", "M", "N"),
        ("mlp", "B", "F"),
        ("mlp", "B", "bw"),
        ("mlp", "bw", "B"),
        ("attention-decode", "B", "H"),
        ("attention-decode", "H", "B"),
        ("attention-decode", "H", "Hkv"),
        ("transformer-layer", "S", "B"),
        ("tensor-parallel-mlp", "B", "n"),
        ("tensor-parallel-mlp", "link", "bw"),
        ("moe", "B", "D"),
        ("moe", "D", "B"),
    ],
)
def test_every_point_has_the_verdict_of_the_library(spec: str, x: str, y: str) -> None:
    r = known(spec, x, y)
    chart = regimes(r, x, y)
    source = random.Random(f"{spec} {x} {y}")
    for _ in range(40):
        across, upward = somewhere(chart.x, source), somewhere(chart.y, source)
        values = {
            name: f"{value!r} {axis.unit}" if axis.unit else int(value)
            for name, value, axis in ((x, across, chart.x), (y, upward, chart.y))
        }
        try:
            wanted = {str(r.verdict(**values))}
        except SymroofError:
            wanted = set()  # fewer heads than groups of them
        found = drawn(chart, across, upward)
        if found != wanted:
            # On the outermost whole number, or where the two are the same, an edge may pass.
            assert abs(_distance(chart, across, upward)) < 0.002
        else:
            assert found == wanted


def _distance(chart: Chart, x: float, y: float) -> float:
    """Return how far a point is from an outline, in shares of the axes."""
    wide = math.log(chart.x.high / chart.x.low)
    high = math.log(chart.y.high / chart.y.low)
    nearest = math.inf
    for mark in chart.marks:
        if not isinstance(mark, Region):
            continue
        points = [(math.log(a / x) / wide, math.log(b / y) / high) for a, b in mark.corners]
        for (ax, ay), (bx, by) in zip(points, points[1:] + points[:1], strict=True):
            square = (bx - ax) ** 2 + (by - ay) ** 2
            share = -(ax * (bx - ax) + ay * (by - ay)) / square if square else 0.0
            share = min(1.0, max(0.0, share))
            nearest = min(nearest, math.hypot(ax + share * (bx - ax), ay + share * (by - ay)))
    return nearest


def test_the_boundary_of_a_matmul_is_its_closed_form() -> None:
    chart = regimes(known("matmul", "M", "N"), "M", "N")
    (line,) = [mark for mark in chart.marks if isinstance(mark, Line)]
    ridge = 989e12 / 3.35e12
    for m, n in line.points:
        # 1/M + 1/N + 1/K = 1/I
        assert 1 / m + 1 / n + 1 / 4096 == pytest.approx(1 / ridge, rel=1e-9)
        assert to_float(bind(parse(line.formula), {line.variable: m})) == (
            pytest.approx(n, rel=1e-9)
        )


def test_a_boundary_of_the_link_by_hand() -> None:
    # t_memory = t_network: moved/bw = 2 (n - 1)/n B D 2/link.
    chart = regimes(known("tensor-parallel-mlp", "B", "n"), "B", "n")
    line = next(m for m in chart.marks if isinstance(m, Line) and m.label == "memory = network")
    for b, n in line.points[:: len(line.points) // 5]:
        moved = 2 * (b * (3 * 4096 + 8 * 14336 / n) + 3 * 4096 * 14336 / n)
        sent = 2 * (n - 1) / n * b * 4096 * 2
        assert moved / 3.35e12 == pytest.approx(sent / 450e9, rel=1e-9)


def test_three_regions_are_named_once_each() -> None:
    chart = regimes(known("tensor-parallel-mlp", "B", "n"), "B", "n")
    named = sorted(m.label for m in chart.marks if isinstance(m, Region) and m.label)
    assert named == ["compute-bound", "memory-bound", "network-bound"]


def test_a_tie_everywhere_is_balanced() -> None:
    chip = sr.Chip("even", peak={"fp16": "1 TFLOP/s"}, memory={"hbm": "1 TB/s"})
    g = sr.Graph("tie")
    x = g.input("x", ("B", "D"), "fp16")
    sr.ops.custom(
        "tie", inputs=[x], output_shape=("B", "D"), flops="4*B*D", bytes="4*B*D", link_bytes=0
    )
    chart = regimes(sr.analyze(g, chip), "B", "D")
    regions = [mark for mark in chart.marks if isinstance(mark, Region)]
    assert [region.label for region in regions] == ["balanced"]


def test_a_tie_over_a_part_is_balanced_there() -> None:
    chip = sr.Chip("even", peak={"fp16": "1 TFLOP/s"}, memory={"hbm": "1 TB/s"})
    g = sr.Graph("tie")
    x = g.input("x", ("B", "D"), "fp16")
    sr.ops.custom(
        "tie", inputs=[x], output_shape=("B", "D"), flops="D*max(B, 64)", bytes="D*B", link_bytes=0
    )
    chart = regimes(sr.analyze(g, chip), "B", "D", within={"B": (1, 4096), "D": (1, 64)})
    assert drawn(chart, 32, 8) == {"compute"}
    assert drawn(chart, 128, 8) == {"balanced"}
    edge = next(m for m in chart.marks if isinstance(m, Region) and m.label == "balanced")
    assert min(x for x, _ in edge.corners) == pytest.approx(64, rel=2e-3)


def test_the_values_of_now_are_a_point() -> None:
    (point,) = [mark for mark in regimes(known("mlp"), "B", "F").marks if isinstance(mark, Point)]
    assert (point.x, point.y) == (64, 14336)
    assert point.detail.endswith("memory-bound")


def test_axes_as_the_user_wants_them() -> None:
    chart = regimes(known("mlp"), "B", "F", within={"B": (1, 512), "F": (64, 65536)})
    assert (chart.x.low, chart.x.high, chart.y.low, chart.y.high) == (1, 512, 64, 65536)


def test_bad_questions() -> None:
    general = sr.analyze(sr.load("mlp"), "h100-sxm")
    with pytest.raises(UnboundError, match=r"^regimes needs numbers for D: r\.at\(D=\.\.\.\)$"):
        regimes(general, "B", "F")
    with pytest.raises(InputError, match="B is named twice"):
        regimes(general, "B", "B")


def test_launches_are_a_regime() -> None:
    r = sr.analyze(sr.load("mn,nk->mk"), "h100-sxm", launch="50 us").at(k=4096)
    chart = regimes(r, "m", "n")
    labels = [mark.label for mark in chart.marks if isinstance(mark, Region)]
    assert {"launch-bound", "compute-bound"} <= set(labels)
    assert "launch-bound on" in chart.description
