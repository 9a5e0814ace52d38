"""Which roofs a machine has over an algorithm."""

from __future__ import annotations

import symroof as sr
from symroof.reports.plots.roofs import flats, slopes, unders


def test_few_other_peaks_are_shown_and_many_are_not() -> None:
    h100 = flats(sr.analyze(sr.load("mlp"), "h100-sxm"))
    assert [(flat.label, flat.used) for flat in h100] == [
        ("bf16 989 TFLOP/s", True),
        ("fp8, int8 1.98 PFLOP/s", False),
        ("tf32 494 TFLOP/s", False),
        ("fp32, fp64 67 TFLOP/s", False),
    ]
    peaks = {
        f"{name}": f"{i + 1} TFLOP/s"
        for i, name in enumerate(("bf16", "fp16", "fp32", "fp64", "tf32", "fp8", "int8"))
    }
    many = sr.Chip("many", peak=peaks, memory={"hbm": "1 TB/s"})
    assert [flat.label for flat in flats(sr.analyze(sr.load("mlp"), many))] == ["bf16 1 TFLOP/s"]


def test_an_override_moves_a_roof() -> None:
    r = sr.analyze(sr.load("mlp"), "h100-sxm").at(bw="2 TB/s", peak="1 PFLOP/s")
    assert slopes(r)[0].label == "hbm 2 TB/s"
    assert flats(r)[0].peak == 10**15


def test_levels_without_a_number_have_no_line() -> None:
    chip = sr.Chip(
        "own",
        peak={"bf16": "1 TFLOP/s", "fp8": sr.Quantity("P", "FLOP/s")},
        memory={
            "hbm": {"bandwidth": "1 TB/s", "main": True},
            "l2": {"bandwidth": sr.Quantity("W", "byte/s")},
            "l1": {"capacity": "1 MB"},
        },
    )
    r = sr.analyze(sr.load("mlp"), chip)
    assert [slope.label for slope in slopes(r)] == ["hbm 1 TB/s"]
    assert [flat.label for flat in flats(r)] == ["bf16 1 TFLOP/s"]


def test_levels_of_one_unit_and_those_outside_are_left_out() -> None:
    chip = sr.Chip(
        "deep",
        peak={"fp16": "64 TFLOP/s"},
        memory={
            "hbm": {"bandwidth": "1 TB/s", "capacity": "80 GB", "main": True},
            "l2": ("4 TB/s", "40 MB"),
            "l1": {"bandwidth": "9 TB/s", "capacity": "4 MB", "private": True},
            "host": "50 GB/s",
        },
    )
    r = sr.analyze(sr.load("mn,nk->mk"), chip)
    assert [(slope.level, slope.used) for slope in slopes(r)] == [("hbm", True), ("l2", False)]
    tiled = sr.analyze(sr.load("mn,nk->mk"), chip, levels={"l1": "once"})
    found = [(slope.level, slope.used) for slope in slopes(tiled)]
    assert found == [("hbm", True), ("l1", True), ("l2", False)]


def test_a_cap_does_not_multiply() -> None:
    ceiling = {
        "half": {"on": "bw", "factor": "1/2"},
        "stream": {"on": "bw.hbm", "rate": "800 GB/s"},
        "third": {"on": "bw", "factor": "1/3"},
    }
    chip = sr.Chip("c", peak={"fp16": "1 TFLOP/s"}, memory={"hbm": "1 TB/s"}, ceiling=ceiling)
    r = sr.analyze(sr.load("mn,nk->mk"), chip, ceilings=list(ceiling))
    # 1/2, then 1/2 of 1/3; the rate of its own.
    assert [(one.label, one.compute) for one in unders(r)] == [
        ("stream 800 GB/s", False),
        ("half 500 GB/s", False),
        ("third 167 GB/s", False),
    ]


def test_several_dtypes_have_a_roof_each() -> None:
    g = sr.Graph("mixed")
    x = g.input("x", (64, 64), "bf16") @ g.weight("w", (64, 64), "bf16")
    y = g.input("y", (64, 64), "fp32") @ g.weight("v", (64, 64), "fp32")
    assert x is not y
    r = sr.analyze(g, "h100-sxm")
    assert [flat.label for flat in flats(r) if flat.used] == ["bf16 989 TFLOP/s", "fp32 67 TFLOP/s"]
    rules = [m.label for m in sr.plot.roofline(r).plot.marks if hasattr(m, "at")]  # type: ignore[union-attr]
    assert rules == ["ridge bf16 295 FLOP/byte", "ridge fp32 20 FLOP/byte"]
