"""Graphs: longest paths with times that are formulas, and loops that are no graphs."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

import symroof as sr
from symroof import ops
from symroof.graph.critical_path import critical_path, longest_path
from symroof.graph.order import topological_order

from .answers import formula

# --- B62: the longest path ----------------------------------------------------------------------

DIAMOND = {"s": [], "p": ["s"], "q": ["s"], "t": ["p", "q"]}


def microseconds(value: Any) -> sr.Quantity:
    return sr.Quantity(value, "us")


def test_b62_longest_path_of_the_diamond(answer: Any) -> None:
    times = {
        "s": microseconds(1),
        "p": microseconds("B"),
        "q": microseconds(5),
        "t": microseconds(1),
    }
    length = longest_path(DIAMOND, times)
    assert length.unit == "s"
    B = sr.symbols("B")
    text, unit = answer["expr"].rsplit(" ", 1)
    assert length == sr.Quantity(formula(text, "B"), unit)
    for batch, microsecond in zip((3, 5, 9), answer["values"], strict=True):
        assert length.at(B=batch).value_in("us") == microsecond
        at = critical_path(DIAMOND, times, {"B": batch})
        assert at.length.at(B=batch).value_in("us") == microsecond
        assert at.nodes == ("s", "p" if batch > 5 else "q", "t") or batch == 5
    assert length.expr.free_symbols == {B}


def test_b62_diamond_of_ops_with_the_times_of_a_roofline() -> None:
    """The same diamond as a graph: each op moves its bytes at 1 byte/us and computes nothing."""
    chip = sr.Chip("slow", peak={"fp32": "1 FLOP/s"}, memory={"ram": "1 MB/s"})
    g = sr.Graph("diamond")
    x = g.input("x", (1,), "fp32")

    def op(name: str, inputs: list[Any], amount: Any) -> Any:
        return ops.custom(name, inputs=inputs, output_shape=(1,), flops=0, bytes=amount)

    s = op("s", [x], 1)
    op("t", [op("p", [s], "B"), op("q", [s], 5)], 1)
    rows = {row.name: row.time for row in sr.analyze(g, chip).ops()}
    length = longest_path(g, {node: rows[node.name] for node in g.ops})
    assert [length.at(B=batch).value_in("us") for batch in (3, 5, 9)] == [7, 7, 11]
    assert sr.analyze(g, chip).time.per_op.at(B=3).value_in("us") == 1 + 3 + 5 + 1


@given(st.data(), st.integers(1, 9), st.integers(1, 9))
def test_b62_any_graph_agrees_with_networkx_at_numbers(
    data: st.DataObject, batch: int, length: int
) -> None:
    """Weights on nodes become weights on edges, which networkx can do."""
    count = data.draw(st.integers(1, 7))
    needs = {
        node: data.draw(st.lists(st.integers(0, node - 1), unique=True)) if node else []
        for node in range(count)
    }
    terms = st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(1, 5))
    drawn = {node: data.draw(terms) for node in needs}
    times = {node: f"{b}*B + {s}*S + {c}" for node, (b, s, c) in drawn.items()}
    numbers = {node: b * batch + s * length + c for node, (b, s, c) in drawn.items()}
    edges = nx.DiGraph()
    edges.add_weighted_edges_from(("start", node, numbers[node]) for node in needs)
    edges.add_weighted_edges_from(
        (before, node, numbers[node]) for node, needed in needs.items() for before in needed
    )
    right = nx.dag_longest_path_length(edges)
    point = {"B": batch, "S": length}
    symbolic = sr.Quantity(longest_path(needs, times), "")
    known = {name: point[name] for name in point if name in symbolic.scope.dimensions}
    assert symbolic.at(known).value == right
    found = critical_path(needs, times, point)
    assert sum(numbers[node] for node in found.nodes) == right
    assert all(before in needs[node] for before, node in pairwise(found.nodes))


def test_b62_times_need_one_unit() -> None:
    times = dict.fromkeys(DIAMOND, microseconds(1))
    for wrong in (sr.Quantity("5 byte"), 5):
        with pytest.raises(sr.errors.UnitError):
            longest_path(DIAMOND, times | {"q": wrong})


def test_b62_many_paths_do_not_explode() -> None:
    """Twenty diamonds in a row have a million paths and one answer at numbers."""
    needs: dict[str, list[str]] = {"s0": []}
    times: dict[str, Any] = {"s0": 1}
    for i in range(20):
        needs |= {f"p{i}": [f"s{i}"], f"q{i}": [f"s{i}"], f"s{i + 1}": [f"p{i}", f"q{i}"]}
        times |= {f"p{i}": "B", f"q{i}": 5, f"s{i + 1}": 1}
    found = critical_path(needs, times, {"B": 9})
    assert found.length == 21 + 20 * sr.symbols("B")
    assert longest_path(needs, times | {f"q{i}": "B/2" for i in range(20)}) == found.length


# --- B63: cycles --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("needs", "cycle"),
    [
        ({"a": ["b"], "b": ["a"]}, ["a", "b", "a"]),
        ({"a": ["a"]}, ["a", "a"]),
        ({"x": [], "a": ["x", "b"], "b": ["c"], "c": ["a"], "y": ["a"]}, ["a", "c", "b", "a"]),
    ],
)
def test_b63_cycle_is_named_in_full_with_the_way_out(needs: Any, cycle: list[str]) -> None:
    for ask in (
        lambda: topological_order(needs),
        lambda: critical_path(needs, dict.fromkeys(needs, 1), {}),
        lambda: longest_path(needs, dict.fromkeys(needs, 1)),
    ):
        with pytest.raises(sr.errors.GraphError) as error:
            ask()
        message = str(error.value)
        shown = message[message.index("[") + 1 : message.index("]")].split(", ")
        assert len(shown) == len(cycle)
        turn = cycle.index(shown[0])
        assert shown[:-1] == [*cycle[turn:-1], *cycle[:turn]]
        assert shown[0] == shown[-1]
        assert "repeat" in message
        assert "count" in message
        assert "\n" not in message


@pytest.mark.parametrize(
    ("calls", "cycle"),
    [
        ({"a": ["x", "b"], "b": ["x", "a"]}, "[a, b, a]"),
        ({"a": ["x", "a"]}, "[a, a]"),
        ({"d": ["a", "x"], "a": ["x", "b"], "b": ["c", "c"], "c": ["a", "x"]}, "[a, c, b, a]"),
    ],
)
def test_b63_cycle_in_a_file_is_named_too(tmp_path: Path, calls: Any, cycle: str) -> None:
    path = tmp_path / "loop.toml"
    path.write_text(
        'schema_version = 1\nname = "loop"\ndtype = "fp32"\n[tensors]\nx = { shape = [4] }\n'
        + "".join(
            f'[[ops]]\nop = "add"\nname = "{name}"\ninputs = {inputs}\n'
            for name, inputs in calls.items()
        ),
        encoding="utf-8",
    )
    with pytest.raises(sr.SymroofError) as error:
        sr.load(path)
    message = str(error.value)
    turns = [cycle[1:-1].split(", ")[:-1]]
    turns += [turns[0][i:] + turns[0][:i] for i in range(1, len(turns[0]))]
    assert any(f"[{', '.join([*turn, turn[0]])}]" in message for turn in turns)
    assert str(path) in message
    assert "repeat" in message


@given(st.integers(1, 40), st.integers(0, 5))
def test_b63_cycles_of_many_nodes_are_shown_whole(length: int, before: int) -> None:
    needs: dict[str, list[str]] = {f"x{i}": [f"x{i - 1}"] if i else [] for i in range(before)}
    names = [f"c{i}" for i in range(length)]
    needs |= {name: [names[i - 1]] for i, name in enumerate(names)}
    with pytest.raises(sr.errors.GraphError) as error:
        topological_order(needs)
    assert all(f"{name}," in str(error.value) or f"{name}]" in str(error.value) for name in names)


def test_b63_deep_chains_are_read_without_recursion() -> None:
    names = [f"c{i}" for i in range(20_000)]
    chain = {name: names[i + 1 : i + 2] for i, name in enumerate(names)}
    assert topological_order(chain) == names[::-1]
    with pytest.raises(sr.errors.GraphError, match="a cycle"):
        topological_order(chain | {names[-1]: names[:1]})


def test_b63_loop_is_a_repeat_with_a_count(h100: sr.Chip) -> None:
    """Decoding T tokens is one node that runs T times, not an edge back."""
    g = sr.Graph("decode")

    def step(x: Any) -> Any:
        return x @ g.weight("w", (4096, 4096), "bf16")

    y = g.repeat("token", "T", step, g.input("x", (1, 4096), "bf16"))
    assert y.producer.times == sr.symbols("T")
    assert nx.is_directed_acyclic_graph(g.digraph)
    assert sr.analyze(g, h100).t_compute == sr.analyze(g, h100).t_compute.at(T=1) * sr.symbols("T")


def test_b63_tensor_of_an_iteration_does_not_leak_out() -> None:
    g = sr.Graph("loop")
    kept: list[Any] = []

    def step(x: Any) -> Any:
        kept.append(x * 2)
        return x + 1

    y = g.repeat("step", "T", step, g.input("x", (4,), "fp32"))
    with pytest.raises(sr.errors.GraphError, match="step"):
        y + kept[0]
