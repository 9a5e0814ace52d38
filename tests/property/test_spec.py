"""Any graph, saved and loaded, is the same graph; any text is a graph or one clear line."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symroof.errors import SymroofError
from symroof.files import toml_text
from symroof.graph import Graph
from symroof.graph.passes import fuse, fuse_elementwise
from symroof.graph.spec_read import read_graph
from symroof.graph.spec_write import graph_tables

from ..graph.graph_facts import facts
from ..graph.graphs import ALL
from .random_graphs import graphs


def saved(graph: Graph) -> str:
    return toml_text(graph_tables(graph))


@given(graphs())
def test_what_is_saved_loads_back_equal(graph):
    text = saved(graph)
    loaded = read_graph(text)
    assert facts(loaded) == facts(graph)
    assert saved(loaded) == text


@given(graphs(over=False), st.integers(0, 99), st.integers(1, 5), st.integers(0, 9), st.booleans())
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


VALUES = st.sampled_from(
    [
        *(
            "",
            "x",
            "y",
            "n",
            "../x",
            "../../x",
            "x:0",
            "carry_0",
            "2*n",
            "n/0",
            "-n",
            "1:n",
            "...",
            "==",
        ),
        *(0, 1, -1, 3, 2**62, 1.5, float("1e300"), True, False),
        *([], ["x"], [["n", 2]], [0, 1], [[0, 1], [1, 2]], {}, {"x": 1}, [{"name": "x"}]),
        *("bf16", "int32", "matmul", "repeat", "fused", "weight", "causal", "same", "elementwise"),
    ]
)


@given(st.sampled_from(sorted(ALL)), st.lists(st.tuples(st.integers(0, 999), VALUES), max_size=3))
def test_a_changed_file_is_a_graph_or_one_line(name, changes):
    tables = TABLES[name]
    for number, value in changes:
        places = list(_places(tables))
        tables = _changed(tables, places[number % len(places)], value)
    try:
        graph = read_graph(toml_text(tables))
    except SymroofError as error:
        assert len(str(error).splitlines()) == 1  # noqa: PT017
    else:
        assert facts(read_graph(saved(graph))) == facts(graph)


@given(st.text(max_size=200) | st.binary(max_size=200).map(lambda b: b.decode("latin-1")))
def test_any_text_is_one_line(text):
    with pytest.raises(SymroofError) as caught:
        read_graph(text)
    assert len(str(caught.value).splitlines()) == 1


def _places(value, path=()):
    """Every place in nested tables and lists, and one that is not there yet."""
    if path:
        yield path
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from _places(entry, (*path, key))
        yield (*path, "new")
        yield (*path, "axis")
    elif isinstance(value, list):
        for number, entry in enumerate(value):
            yield from _places(entry, (*path, number))


def _changed(value, path, new):
    if not path:
        return new
    head, *rest = path
    copy = dict(value) if isinstance(value, dict) else list(value)
    old = copy.get(head) if isinstance(copy, dict) else copy[head]
    copy[head] = _changed(old, rest, new)
    return copy


TABLES = {name: graph_tables(make()) for name, make in ALL.items()}
