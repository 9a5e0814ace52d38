"""Any graph, saved and loaded, is the same graph; any text is a graph or one clear line."""

from __future__ import annotations

import contextlib

from hypothesis import given
from hypothesis import strategies as st

from symroof.errors import SymroofError
from symroof.files import toml_text
from symroof.graph import Graph
from symroof.graph.passes import fuse, fuse_elementwise
from symroof.graph.spec_read import read_graph
from symroof.graph.spec_write import graph_tables

from ..graph.graph_facts import facts
from .random_graphs import graphs


def saved(graph: Graph) -> str:
    return toml_text(graph_tables(graph))


@given(graphs())
def test_what_is_saved_loads_back_equal(graph):
    text = saved(graph)
    loaded = read_graph(text)
    assert facts(loaded) == facts(graph)
    assert saved(loaded) == text


@given(
    graphs(over=False), st.integers(0, 99), st.integers(1, 5), st.integers(0, 9), st.booleans()
)
def test_what_is_fused_loads_back_equal(graph, first, number, block, elementwise):
    blocks = list(graph.blocks())
    ops = blocks[block % len(blocks)].ops
    start = first % max(len(ops), 1)
    fused = graph
    with contextlib.suppress(SymroofError):  # no region, or one that cannot be fused
        fused = fuse(graph, ops[start : start + number])
    if elementwise:
        fused = fuse_elementwise(fused)
    text = saved(fused)
    loaded = read_graph(text)
    assert facts(loaded) == facts(fused)
    assert saved(loaded) == text
