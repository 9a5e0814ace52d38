"""The roofline: roofs, ridge, points and arrows, by hand from data sheets."""

from __future__ import annotations

import pytest

import symroof as sr
from symroof.errors import InputError, SymroofError, UnboundError, UnitError
from symroof.reports.plots.plot import Arrow, Chart, Line, Point, Region, Role, Rule
from symroof.reports.plots.roofline import roofline
from symroof.symbolic import bind, parse, to_float
from tests.reports.inside import ALL, BIG, CPU, product


def known(spec: str, chip: str = "h100-sxm", **values: object) -> sr.Roofline:
    graph = sr.load(spec)
    return sr.analyze(graph, chip).at({**graph.about.defaults, **values})


def lines(chart: Chart) -> dict[str, Line]:
    return {mark.label: mark for mark in chart.marks if isinstance(mark, Line)}


def points(chart: Chart) -> dict[str, Point]:
    return {mark.label: mark for mark in chart.marks if isinstance(mark, Point)}


def test_roofs_of_an_h100() -> None:
    chart = roofline(known("matmul"))
    assert (chart.x.unit, chart.y.unit) == ("FLOP/byte", "TFLOP/s")
    found = lines(chart)
    assert found["fp16 989 TFLOP/s"].role is Role.ROOF
    assert {y for _, y in found["fp16 989 TFLOP/s"].points} == {989}
    assert found["fp16 989 TFLOP/s"].points[0][0] == pytest.approx(989 / 3.35)
    slope = found["hbm 3.35 TB/s"]
    assert slope.role is Role.ROOF
    for intensity, performance in slope.points:
        assert performance == pytest.approx(3.35 * intensity)
    assert found["fp8, int8 1.98 PFLOP/s"].role is Role.CEILING
    assert found["l2 10.1 TB/s"].role is Role.CEILING
    (rule,) = [mark for mark in chart.marks if isinstance(mark, Rule)]
    assert rule.at == pytest.approx(989 / 3.35)
    assert rule.label == "ridge 295 FLOP/byte"


def test_three_regions_are_named() -> None:
    chart = roofline(known("matmul"))
    regions = [mark.label for mark in chart.marks if isinstance(mark, Region)]
    assert regions == ["memory-bound", "compute-bound", "unattainable"]


def test_formulas_give_the_points_of_all_roofs() -> None:
    for spec, chip in (("mlp", "h100-sxm"), ("fft", "xeon-gold-6248"), ("matmul", "mi300x")):
        for mark in roofline(known(spec, chip)).marks:
            if isinstance(mark, Line) and mark.formula:
                for x, y in mark.points:
                    assert to_float(bind(parse(mark.formula), {mark.variable: x})) == (
                        pytest.approx(y, rel=1e-9)
                    )


def test_one_op_is_one_point_under_the_roof() -> None:
    (point,) = points(roofline(known("matmul", M=64))).values()
    intensity = 64 * 4096 / (2 * 64 + 4096)
    assert point.label == "matmul"
    assert point.x == pytest.approx(intensity)
    assert point.y == pytest.approx(3.35 * intensity)
    assert point.colour == 1


def test_ops_are_sized_by_their_share_and_coloured_by_their_bound() -> None:
    found = points(roofline(known("transformer-layer")))
    assert max(found.values(), key=lambda point: point.size).label == "transformer-layer"
    assert found["gate ×2, down"].colour == 0
    assert found["h_attn ×2"].colour == 1
    assert found["gate ×2, down"].size > found["h_attn ×2"].size
    assert "of the time" in found["h_attn ×2"].detail


def test_ops_with_the_network_as_their_bound_lie_under_the_roof() -> None:
    chart = roofline(known("tensor-parallel-mlp"))
    assert "y" not in points(chart)  # it computes nothing
    assert "1 op computes nothing" in chart.description


def test_the_batch_grows_along_the_roof() -> None:
    chart = roofline(known("mlp"), fused=False)
    (arrow,) = [mark for mark in chart.marks if isinstance(mark, Arrow)]
    assert arrow.label == "B 64 → 256"
    b, tokens, weights = 256, 3 * 4096 + 8 * 14336, 3 * 4096 * 14336
    flops = 6 * b * 4096 * 14336 + 2 * b * 14336
    assert arrow.end[0] == pytest.approx(flops / (2 * (b * tokens + weights)), rel=1e-6)
    assert arrow.end[1] == pytest.approx(3.35 * arrow.end[0])


def test_an_arrow_over_the_ridge_turns_there() -> None:
    chart = roofline(known("mlp"), fused=False, grow={"B": 2048})
    (arrow,) = [mark for mark in chart.marks if isinstance(mark, Arrow)]
    assert arrow.start == (pytest.approx(989 / 3.35), 989)
    assert arrow.end[1] == pytest.approx(989)


def test_fusing_is_an_arrow_and_the_batch_goes_on_from_there() -> None:
    r = known("transformer-layer")
    chart = roofline(r)
    first, second = [mark for mark in chart.marks if isinstance(mark, Arrow)]
    assert first.label == "elementwise ops fused"
    assert first.end == second.start
    fused = sr.analyze(sr.passes.fuse_elementwise(r.graph), "h100-sxm").at(r.bindings)
    assert fused.intensity is not None
    assert first.end[0] == pytest.approx(fused.intensity.to("FLOP/byte"))


def test_arrows_can_be_chosen_and_left_out() -> None:
    r = known("mlp")
    graph = sr.passes.fuse(r.graph, ["gate", "up", "act", "hidden"], name="glu")
    labels = [
        mark.label for mark in roofline(r, fused=graph, grow="").marks if isinstance(mark, Arrow)
    ]
    assert labels == ["fused: glu"]
    none = roofline(r, fused=False, grow="").marks
    assert not any(isinstance(mark, Arrow) for mark in none)


def test_what_was_measured() -> None:
    r = known("matmul", M=64)
    chart = roofline(r, measured=[("run", "20 us"), ("other", "100 FLOP/byte", "0.2 PFLOP/s")])
    found = points(chart)
    assert found["run"].measured
    assert found["run"].x == pytest.approx(64 * 4096 / (2 * 64 + 4096))
    assert found["run"].y == pytest.approx(2 * 64 * 4096 * 4096 / 20e-6 / 1e12)
    assert (found["other"].x, found["other"].y) == (100, 200)


@pytest.mark.parametrize(
    ("measured", "error", "words"),
    [
        ([("run",)], InputError, "expected"),
        (["run 20 us"], InputError, "expected"),
        ([("run", "20 FLOP")], UnitError, "expected s"),
        ([("run", "0 s")], InputError, "not positive"),
        ([("run", "20 TB/s", "3 TFLOP/s")], UnitError, "FLOP/byte"),
        ([("run", "soon")], SymroofError, "soon"),
    ],
)
def test_what_was_not_measured(measured: list[object], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        roofline(known("matmul"), measured=measured)  # type: ignore[arg-type]


def test_bad_questions() -> None:
    general = sr.analyze(sr.load("mlp"), "h100-sxm")
    with pytest.raises(UnboundError, match=r"^roofline needs numbers for B, D, F: "):
        roofline(general)
    with pytest.raises(SymroofError, match="unknown symbol 'Q'"):
        roofline(known("mlp"), grow="Q")
    chip = sr.Chip("own", peak={"bf16": sr.Quantity("P", "FLOP/s")}, memory={"hbm": "1 TB/s"})
    with pytest.raises(UnboundError, match=r"^roofline needs numbers for P"):
        roofline(sr.analyze(sr.load("mlp"), chip).at(B=64, D=64, F=64))


def test_an_algorithm_that_computes_nothing_has_roofs_and_no_points() -> None:
    g = sr.Graph("copy")
    sr.ops.transpose(g.input("x", (64, 64), "bf16"), axes=(1, 0))
    chart = roofline(sr.analyze(g, "h100-sxm"))
    assert not points(chart)
    assert "bf16 989 TFLOP/s" in lines(chart)


def test_many_ops_are_told_apart_or_put_together() -> None:
    g = sr.Graph("many")
    x = g.input("x", ("B", 64), "bf16")
    for i in range(1, 41):
        x = x @ g.weight(f"w{i}", (64 * i, 64 * (i + 1)), "bf16")
    found = [
        mark
        for mark in roofline(sr.analyze(g, "h100-sxm").at(B=64)).marks
        if isinstance(mark, Point)
    ]
    assert sum(bool(point.label) for point in found) <= 13
    assert all(point.detail for point in found)


def test_each_level_has_a_slope_and_the_algorithm_a_point_there() -> None:
    chart = roofline(product(residency="partial").at(BIG), fused=False, grow="")
    found = lines(chart)
    for label, slope in (("l2 4 TB/s", 4), ("hbm 1 TB/s", 1)):
        assert found[label].role is Role.ROOF
        for intensity, performance in found[label].points[:2]:
            assert performance == pytest.approx(slope * intensity)
    rules = {mark.label: mark.at for mark in chart.marks if isinstance(mark, Rule)}
    assert rules == {"ridge hbm 64 FLOP/byte": 64, "ridge l2 16 FLOP/byte": 16}
    seen = points(chart)
    assert seen["einsum at l2"].x == pytest.approx(128e9 / 96e6)
    assert seen["einsum at hbm"].x == pytest.approx(128e9 / 56e6)
    assert {round(point.y, 6) for point in seen.values()} == {64}
    assert "1333 FLOP/byte at l2 and 2286 FLOP/byte at hbm" in chart.description


def test_a_point_touches_the_roof_of_the_level_that_binds() -> None:
    # 1.004 MB of which all is in l2: 0.251 µs; 1 MFLOP.
    chart = roofline(product(residency="cached").at(m=1, n=500, k=1000), fused=False, grow="")
    (point,) = points(chart).values()
    assert point.y == pytest.approx(4 * point.x)
    assert [line for line in lines(chart) if "TB/s" in line] == ["l2 4 TB/s"]
    regions = {mark.label: mark.corners for mark in chart.marks if isinstance(mark, Region)}
    assert regions["compute-bound"][0][0] == 16  # where l2 bends, not hbm


def test_ceilings_are_thin_lines_that_multiply() -> None:
    chart = roofline(product(CPU, ceilings=ALL).at(BIG), fused=False, grow="")
    found = lines(chart)
    under = [line.label for line in found.values() if line.role is Role.UNDER]
    assert under == ["no fma 2.05 TFLOP/s", "no simd 128 GFLOP/s", "no prefetch 120 GB/s"]
    unit = {"GFLOP/s": 1e9, "TFLOP/s": 1e12}[chart.y.unit]
    assert {y * unit for _, y in found["no simd 128 GFLOP/s"].points} == {128e9}
    for intensity, performance in found["no prefetch 120 GB/s"].points:
        assert performance * unit == pytest.approx(120e9 * intensity)
    assert found["fp16 4.1 TFLOP/s"].role is Role.ROOF
    (rule,) = [mark for mark in chart.marks if isinstance(mark, Rule)]
    assert rule.at == pytest.approx(128 / 120)
    (point,) = points(chart).values()
    assert point.y * unit == pytest.approx(128e9)
    assert "Ceilings: no fma 2.05 TFLOP/s, no simd 128 GFLOP/s" in chart.description


def test_an_override_lifts_a_ceiling() -> None:
    r = product(CPU, ceilings=["no simd"]).at({**BIG, "ceiling.no_simd": "1/2"})
    found = lines(roofline(r, fused=False, grow=""))
    assert "no simd 2.05 TFLOP/s" in found


def test_both_sockets_have_a_slope() -> None:
    r = product(CPU, numa="concurrent").at(m=16, n=4000, k=4000, f="3/4")
    moved = 2 * (2 * 16 * 4000 + 4000**2)
    seen = points(roofline(r, fused=False, grow=""))
    assert seen["einsum at ddr"].x == pytest.approx(2 * 16 * 4000**2 / (moved * 3 / 4))
    assert seen["einsum at remote"].x == pytest.approx(2 * 16 * 4000**2 / (moved / 4))
    assert len(seen) == 2


def test_what_fuses_keeps_its_residency() -> None:
    graph = sr.load("mlp")
    r = sr.analyze(graph, "h100-sxm", launch="1 ms").at(graph.about.defaults)
    chart = roofline(r)
    (arrow,) = [mark for mark in chart.marks if isinstance(mark, Arrow) if "fused" in mark.label]
    fused = sr.passes.fuse_elementwise(graph)
    flops = fused.flops.at(graph.about.defaults).to("FLOP")
    ops = len([op for op in fused.ops if not op.kind.view])
    unit = {"GFLOP/s": 1e9, "TFLOP/s": 1e12}[chart.y.unit]
    assert arrow.end[1] * unit == pytest.approx(flops / (ops * 1e-3))  # bound by its launches


def test_points_of_others_are_crosses_and_those_above_stand_out() -> None:
    r = product().at(BIG)
    chart = roofline(
        r, points=[("10 FLOP/byte", "9 TFLOP/s", "a"), ("10 FLOP/byte", "11 TFLOP/s", "b")]
    )
    found = points(chart)
    assert found["a"].measured
    assert (found["a"].x, found["a"].y, found["b"].y) == (10, 9, 11)
    assert found["a"].colour != found["b"].colour
    assert found["b"].detail.endswith("above the roof")
    assert "1 measured point of 2 lies above the roof." in chart.description
    many = roofline(r, points=[("10 FLOP/byte", "9 TFLOP/s", f"run {i}") for i in range(40)])
    crosses = [mark for mark in many.marks if isinstance(mark, Point) and mark.measured]
    assert len(crosses) == 40
    assert not any(cross.label for cross in crosses)
    assert "run 7" in crosses[7].detail


@pytest.mark.parametrize(
    ("bad", "error", "words"),
    [
        (("10 FLOP/byte", "9 TFLOP/s"), InputError, "expected"),
        (("10 FLOP/byte", "9 TB/s", "a"), UnitError, "expected FLOP/s"),
        (("0 FLOP/byte", "9 TFLOP/s", "a"), InputError, "not positive"),
    ],
)
def test_points_that_cannot_be_read(bad: object, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        roofline(product().at(BIG), points=[bad])  # type: ignore[list-item]


def test_regions_are_named_only_where_intensity_decides() -> None:
    g = sr.load("mn,nk->mk")
    at = {"m": 64, "n": 512, "k": 512}
    for choice, named in (
        ({}, True),
        ({"launch": "5 us"}, False),
        ({"quantise": "64x64x8"}, False),
    ):
        chart = sr.plot.roofline(sr.analyze(g, "h100-sxm", **choice).at(at)).plot
        labels = {mark.label for mark in chart.marks if isinstance(mark, Region)}
        assert "unattainable" in labels
        assert ("memory-bound" in labels) is named
