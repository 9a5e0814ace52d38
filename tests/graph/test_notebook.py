"""Graphs in notebooks."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from symroof import ops
from symroof.graph import Graph, load
from symroof.graph.notebook import graph_html


def tables(graph):
    """The rows of the tables, each a list of the texts of its cells."""
    page = graph._repr_html_()
    assert page is not None
    whole = ElementTree.fromstring(f"<div>{page.replace('<br>', '<br/>')}</div>")
    return [
        [["".join(cell.itertext()) for cell in row] for row in table.iter("tr")]
        for table in whole.iter("table")
    ]


def matmul():
    g = Graph("matmul")
    return g, ops.matmul(g.input("A", ("M", "N"), "fp16"), g.weight("W", ("N", "K"), "fp16"))


def test_a_matrix_product():
    rows, totals = tables(matmul()[0])
    assert rows[0] == ["op", "kind", "shapes", "times", "FLOPs", "bytes"]
    assert rows[1][:5] == [
        "matmul_0",
        "matmul",
        "[M, N] fp16, [N, K] fp16 → [M, K] fp16",
        "1",
        "2KMN",
    ]
    assert rows[1][5] == "2(KM+KN+MN)"
    assert [row[0] for row in totals] == ["all FLOPs", "all bytes", "intensity"]
    assert totals[0][1] == "2KMN\u00a0FLOP"


def test_equal_ops_share_a_row_and_repeats_are_counted():
    g = Graph("net")
    x = g.input("x", ("B", "D"), "bf16")

    def layer(x):
        for i in range(3):
            x = x @ g.weight(f"w{i}", ("D", "D"), "bf16")
        return x

    g.repeat("layer", "L", layer, x)
    rows = tables(g)[0]
    assert rows[1][0] == "layer/matmul_0 +2"
    assert rows[1][3:5] == ["3L", "6BD2L"]
    assert len(rows) == 2


def test_what_is_sent_is_said():
    g = Graph("tp")
    ops.all_reduce(g.input("x", ("B", "D"), "bf16"), group="n")
    rows, totals = tables(g)
    assert rows[1][5].startswith("0sent ")
    assert totals[2][0] == "all bytes sent"


def test_an_op_without_a_cost():
    g = Graph("odd")
    ops.custom("scan", inputs=[g.input("x", ("B", "D"), "bf16")], output_shape=("B", "D"))
    page = g._repr_html_()
    assert page is not None
    assert "has no cost" in page
    assert tables(g) == [
        [["op", "kind", "shapes"], ["scan", "custom", "[B, D] bf16 → [B, D] bf16"]]
    ]


def test_an_empty_graph():
    rows, totals = tables(Graph("empty"))
    assert len(rows) == 1
    assert totals == [["all FLOPs", "0\u00a0FLOP"], ["all bytes", "0\u00a0byte"]]


@pytest.mark.parametrize(
    "name", ["<script>alert(1)</script>", "\u05d0\u05d1", "😀", "x" * 200, "a&b", "\\input{x}"]
)
def test_hostile_names_are_inert(name):
    g = Graph(name)
    ops.relu(g.input("x", ("B", "D"), "bf16"))
    page = g._repr_html_()
    assert page is not None
    assert "<script" not in page
    assert len(tables(g)) == 2
    g.name = "\u202eevil\x00"  # no graph can be called so
    page = g._repr_html_()
    assert page is not None
    assert "[U+202E]evil[U+0000]" in page


def test_odd_objects_fall_back_to_text():
    assert graph_html(None) is None


def big(shapes):
    g = Graph("big")
    x = g.input("x", ("B", "D0"), "bf16")
    for i in range(10_000):
        x = x @ g.weight(f"w{i}", (f"D{i % shapes}", f"D{(i + 1) % shapes}"), "bf16")
    return g


@pytest.mark.parametrize("shapes", [1, 1000])
def test_a_large_graph_is_bounded(shapes):
    page = big(shapes)._repr_html_()
    assert page is not None
    assert "10,000 ops" in page
    assert page.count("<tr>") <= 50
    assert len(page) < 60_000


def test_library_graphs():
    for name in ("mlp", "transformer-layer", "attention"):
        assert len(tables(load(name))) == 2
