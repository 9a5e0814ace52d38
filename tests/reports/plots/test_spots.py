"""Points of a roofline."""

from __future__ import annotations

import symroof as sr
from symroof.reports.plots.spots import Spot, merged, op_spots, whole_spot


def test_ops_at_one_place_are_one_point() -> None:
    ops = [Spot(10, 1, name, name, 0.2) for name in "abcd"] + [Spot(20, 1, "e", "e", 0.1)]
    first, second = merged([], ops)
    assert first.label == "a and 3 more"
    assert first.detail == "a; b; c; d"
    assert second.label == "e"
    two, _ = merged([], [Spot(10, 1, "a"), Spot(10.1, 1, "b"), Spot(50, 1, "c")])
    assert two.label == "a, b"


def test_a_single_op_is_the_whole() -> None:
    whole = Spot(10, 1, "graph", "", 1.0)
    assert [spot.label for spot in merged([whole], [Spot(10, 1, "op", colour=1)])] == ["graph"]
    assert [spot.label for spot in merged([whole], [Spot(99, 1, "op")])] == ["graph", "op"]


def test_only_the_largest_are_named() -> None:
    ops = [Spot(10.0 * 1.2**i, 1, f"op{i}", f"op{i}", 0.01 * i) for i in range(30)]
    found = merged([], ops)
    assert [spot.label for spot in found[:2]] == ["op29", "op28"]
    assert sum(bool(spot.label) for spot in found) == 12


def test_the_count_of_an_op_is_said() -> None:
    g = sr.load("llama-3-8b-decode")
    r = sr.analyze(g, "h100-sxm").at(g.about.defaults)
    assert op_spots(r)[0].label == "layer/gate ×64"


def test_without_work_there_is_no_point() -> None:
    g = sr.Graph("nothing")
    g.input("x", (8, 8), "bf16")
    assert whole_spot(sr.analyze(g, "h100-sxm")) is None
