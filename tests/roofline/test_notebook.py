"""Rooflines in notebooks."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

import symroof as sr
from symroof import ops


def rows(roofline):
    """The texts of the cells by the first one of their row."""
    page = roofline._repr_html_()
    assert page is not None
    whole = ElementTree.fromstring(f"<div>{page}</div>")
    cells = [["".join(cell.itertext()) for cell in row] for row in whole.iter("tr")]
    return {first: rest for first, *rest in cells}


def matmul():
    g = sr.Graph("matmul")
    ops.matmul(g.input("A", ("M", "N"), "fp16"), g.weight("W", ("N", "K"), "fp16"))
    return sr.analyze(g, "h100-sxm")


def test_closed_forms():
    found = rows(matmul())
    assert list(found) == [
        "", "FLOPs", "bytes", "compute time", "memory time", "intensity", "ridge point", "verdict",
        "β", "π",
    ]  # fmt: skip
    assert found["compute time"] == ["2MNKπ\u00a0s", ""]
    assert found["ridge point"] == ["πβ\u00a0FLOP/byte", "295.22 FLOP/byte"]
    assert found["verdict"] == ["depends on K, M, N", ""]
    assert found["π"] == ["fp16 peak, dense", "989 TFLOP/s"]


def test_numbers():
    r = matmul().at(M=64, N=4096, K=4096)
    found = rows(r)
    # 2*64*4096**2 FLOP; 2*(2*64*4096 + 4096**2) bytes over 3.35 TB/s
    assert found["FLOPs"][1] == "2.1475 GFLOP"
    assert found["memory time"][1] == "10.329 µs"
    assert found["verdict"][0] == "memory-bound"
    assert "M = 64, N = 4096, K = 4096" in r._repr_html_()
    assert rows(r.at(bw="300 TB/s"))["β"][1] == "300 TB/s"


def test_ties_and_no_work():
    g = sr.Graph("dot")
    ops.dot(g.input("x", ("n",), "fp16"), g.input("y", ("n",), "fp16"))
    r = sr.analyze(g, sr.Chip("tie", peak={"fp16": "3 FLOP/s"}, memory={"hbm": "10 B/s"})).at(n=2)
    assert rows(r)["verdict"][0] == "balanced: compute and memory take equally long"
    assert rows(sr.analyze(sr.Graph("empty"), "h100-sxm"))["verdict"][0] == "no work"


def test_network():
    g = sr.Graph("tp")
    ops.all_reduce(g.input("x", ("B", "D"), "bf16"), group="n")
    found = rows(sr.analyze(g, "h100-sxm"))
    assert found["λ"] == ["link bandwidth, one direction", "450 GB/s"]
    assert "bytes sent" in found
    assert "network time" in found


def test_a_dim_called_as_a_rate_looks_different():
    g = sr.Graph("greek")
    ops.matmul(g.input("A", ("beta", "N"), "fp16"), g.weight("W", ("N", "N"), "fp16"))
    found = rows(sr.analyze(g, "h100-sxm"))
    assert found["memory time"][0] == "2N(2·beta+N)β\u00a0s"


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "\u05d0\u05d1", "x" * 200, "a&b"])
def test_hostile_names_are_inert(name):
    g = sr.Graph("g")
    ops.matmul(g.input("x", ("B", "D"), "bf16"), g.weight("w", ("D", "D"), "bf16"))
    chip = sr.Chip(name, peak={"bf16": "1 TFLOP/s"}, memory={"hbm": "1 TB/s"})
    r = sr.analyze(g, chip)
    assert "<script" not in r._repr_html_()
    assert rows(r)["verdict"][0].startswith("depends")
    assert len(r._repr_html_()) < 10_000


def test_large_and_uncosted_graphs_fall_back_to_text():
    g = sr.Graph("big")
    x = g.input("x", ("B", "D0"), "bf16")
    for i in range(400):
        x = x @ g.weight(f"w{i}", (f"D{i}", f"D{i + 1}"), "bf16")
    assert sr.analyze(g, "h100-sxm")._repr_html_() is None
    g = sr.Graph("odd")
    ops.custom("scan", inputs=[g.input("x", ("B",), "bf16")], output_shape=("B",))
    assert sr.analyze(g, "h100-sxm")._repr_html_() is None


def test_levels_ceilings_and_launches_have_a_row() -> None:
    mine = sr.Chip(
        "mine",
        peak={"fp16": "64 TFLOP/s"},
        memory={"hbm": ("1 TB/s", "80 GB"), "l2": ("4 TB/s", "40 MB")},
        ceiling={"no simd": {"on": "peak", "factor": "1/8"}},
    )
    graph = sr.load("mn,nk->mk")
    plain = str(sr.analyze(graph, mine)._repr_html_())
    assert "residency cold" in plain
    assert "launch" not in plain
    r = sr.analyze(graph, mine, residency="partial", ceilings=["no simd"], launch="5 us")
    html = str(r.at(m=4000, n=4000, k=4000)._repr_html_())
    for row in ("memory time, l2", "memory time, hbm", "launch time", "gain without no simd"):
        assert row in html
    assert "residency partial" in html
