"""Bars of time by op."""

from __future__ import annotations

import math

import pytest

import symroof as sr
from symroof.errors import InputError, UnboundError
from symroof.reports.plots.breakdown import breakdown
from symroof.reports.plots.layout import layout
from symroof.reports.plots.plot import seen


def test_an_mlp_by_hand() -> None:
    bars = breakdown(sr.analyze(sr.load("mlp"), "h100-sxm").at(B=64, D=4096, F=14336))
    assert bars.segments == ("compute", "memory")
    assert bars.axis.unit == "µs"
    rows = dict(bars.rows)
    compute, memory = rows["gate ×2"]
    assert compute == pytest.approx(2 * 1e6 * 2 * 64 * 4096 * 14336 / 989e12)
    moved = 2 * (64 * 4096 + 4096 * 14336 + 64 * 14336)
    assert memory == pytest.approx(2 * 1e6 * moved / 3.35e12)
    assert bars.axis.low == 0
    assert bars.axis.high > compute + memory


def test_a_network_segment_where_something_is_sent() -> None:
    r = sr.analyze(sr.load("tensor-parallel-mlp"), "h100-sxm").at(B=64, D=4096, F=14336, n=8)
    bars = breakdown(r)
    assert bars.segments == ("compute", "memory", "network")
    # An all-reduce over 8 chips: 2*7/8 of the result over 450 GB/s.
    assert dict(bars.rows)["y"] == (0, 0, pytest.approx(1e6 * 2 * 7 / 8 * 64 * 4096 * 2 / 450e9))


def test_launches_are_a_segment() -> None:
    r = sr.analyze(sr.load("mlp"), "h100-sxm", launch="5 us").at(B=64, D=4096, F=14336)
    bars = breakdown(r)
    assert bars.segments == ("compute", "memory", "network", "launch")
    assert seen(bars) == [0, 1, 3]
    assert dict(bars.rows)["gate ×2"][3] == 10
    assert bars.description.startswith("Compute, memory, network and launch time")
    keys = [key.label.text for key in layout(bars).keys]
    assert keys == ["compute", "memory", "launch"]


def test_the_rest_goes_together_by_kind() -> None:
    g = sr.Graph("many")
    x = g.input("x", ("B", 64), "bf16")
    for i in range(1, 21):
        x = x @ g.weight(f"w{i}", (64 * i if i > 1 else 64, 64 * (i + 1)), "bf16")
    y = sr.ops.relu(x)
    assert y is not None
    bars = breakdown(sr.analyze(g, "h100-sxm").at(B=64))
    names = [name for name, _ in bars.rows]
    assert len(names) == 14
    assert sorted(names[12:]) == ["1 more relu", "8 more matmul"]
    total = sum(sum(times) for _, times in bars.rows)
    r = sr.analyze(g, "h100-sxm").at(B=64)
    assert total == pytest.approx(r.t_compute.to("us") + r.t_memory.to("us"))


def test_irrational_times_are_drawn() -> None:
    bars = breakdown(sr.analyze(sr.load("fft"), "h100-sxm").at(B=1024, n=1000))
    ((_, (compute, memory)),) = bars.rows
    unit = {"s": 1, "ms": 1e3, "µs": 1e6}[bars.axis.unit]
    assert compute == pytest.approx(unit * 5 * 1024 * 1000 * math.log2(1000) / 67e12)
    assert memory == pytest.approx(unit * 16 * 1024 * 1000 / 3.35e12)


def test_bad_questions() -> None:
    with pytest.raises(UnboundError, match=r"^breakdown needs numbers for B, D, F: "):
        breakdown(sr.analyze(sr.load("mlp"), "h100-sxm"))
    g = sr.Graph("nothing")
    g.input("x", (8, 8), "bf16")
    with pytest.raises(InputError, match="nothing does no work"):
        breakdown(sr.analyze(g, "h100-sxm"))
