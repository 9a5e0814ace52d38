from __future__ import annotations

import pytest

from symroof.errors import GraphError
from symroof.graph import Graph
from symroof.graph.order import dependencies, topological_order


def test_a_cycle_is_shown_whole_with_a_hint():
    with pytest.raises(GraphError, match=r"\[a, b, a\].*repeat"):
        topological_order({"a": ["b"], "b": ["a"]})
    with pytest.raises(GraphError, match=r"\[a, a\]"):
        topological_order({"a": ["a"]})


def test_a_cycle_is_shown_in_the_direction_of_the_data():
    needs = {"start": [], "p": ["start", "r"], "q": ["p"], "r": ["q"], "end": ["r"]}
    with pytest.raises(GraphError, match=r"\[p, q, r, p\]"):
        topological_order(needs)


def test_a_long_chain_needs_no_recursion():
    needs = {i: [i + 1] for i in range(50_000)}
    assert topological_order(needs) == list(range(49_999, -1, -1))


def test_what_is_no_key_is_there_already():
    assert topological_order({"y": ["x", "w"]}) == ["y"]


def test_dependencies_of_a_graph():
    g = Graph("g")
    x = g.input("x", 4, "fp32")
    y = x + x
    z = y * y
    assert dependencies(g) == {y.producer: (), z.producer: (y.producer,)}
