from __future__ import annotations

import pytest

from symroof import ops
from symroof.errors import GraphError, InputError, UnboundError, UnitError
from symroof.graph import Graph
from symroof.graph.critical_path import critical_path, longest_path
from symroof.symbolic import bind, max_of, symbols
from symroof.units import Quantity, Scope

B, C = symbols("B C")
DIAMOND = {"s": [], "p": ["s"], "q": ["s"], "t": ["p", "q"]}
TIMES = {"s": 1, "p": B, "q": 5, "t": 1}


def test_a_diamond_with_a_symbol():
    length = longest_path(DIAMOND, TIMES)
    assert length == 2 + max_of(5, B)
    assert [bind(length, {"B": b}) for b in (3, 5, 9)] == [7, 7, 11]


@pytest.mark.parametrize(("b", "path", "length"), [(3, "sqt", 7), (9, "spt", B + 2)])
def test_the_path_at_numbers_in_closed_form(b, path, length):
    found = critical_path(DIAMOND, TIMES, {"B": b})
    assert found.nodes == tuple(path)
    assert found.length == length


def test_quantities_keep_unit_and_scope():
    times = {
        "s": Quantity("1 µs"),
        "p": Quantity("B", "µs"),
        "q": Quantity("5 µs"),
        "t": Quantity("1 µs"),
    }
    length = longest_path(DIAMOND, times)
    assert length.unit == Quantity("1 s").unit
    assert [length.at(B=b).to("µs") for b in (3, 5, 9)] == [7, 7, 11]
    assert critical_path(DIAMOND, times, {"B": 9}).length.at(B=9).to("µs") == 11
    with pytest.raises(UnitError):
        longest_path(DIAMOND, {**times, "t": Quantity("1 byte")})


def test_paths_that_never_win_are_dropped():
    needs = {"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"]}
    assert longest_path(needs, {"a": 1, "b": 2 * B, "c": B, "d": C}) == 1 + 2 * B + C


def test_a_chain_of_equal_diamonds_stays_small():
    needs, times = {"n0": []}, {"n0": 0}
    for i in range(40):
        needs |= {f"p{i}": [f"n{i}"], f"q{i}": [f"n{i}"], f"n{i + 1}": [f"p{i}", f"q{i}"]}
        times |= {f"p{i}": B, f"q{i}": C, f"n{i + 1}": 1}
    assert bind(longest_path(needs, times), {"B": 2, "C": 3}) == 40 * 4


def test_too_many_candidates_are_refused():
    names = symbols(" ".join(f"x{i}" for i in range(70)))
    needs = {"a": [], "z": [str(s) for s in names]} | {str(s): ["a"] for s in names}
    times = {"a": 1, "z": 1} | {str(s): s for s in names}
    with pytest.raises(InputError, match="critical_path"):
        longest_path(needs, times)
    assert critical_path(needs, times, dict.fromkeys(map(str, names), 1) | {"x7": 2}).nodes == (
        "a",
        "x7",
        "z",
    )


def test_a_graph_gives_its_own_dependencies():
    g = Graph("g")
    x = g.input("x", 4, "fp32")
    p, q = ops.exp(x), ops.log(x)
    z = p + q
    times = {p.producer: B, q.producer: 5, z.producer: 1}
    assert longest_path(g, times) == 1 + max_of(5, B)


def test_bad_input():
    with pytest.raises(GraphError, match="cycle"):
        longest_path({"a": ["b"], "b": ["a"]}, {"a": 1, "b": 1})
    with pytest.raises(UnboundError):
        critical_path(DIAMOND, TIMES, {})
    with pytest.raises(InputError, match="no time for q"):
        longest_path(DIAMOND, {"s": 1, "p": 1, "t": 1})
    assert longest_path({}, {}) == 0


def test_counts_of_at_least_one_drop_paths():
    times = {
        "s": Quantity("1 s"),
        "p": Quantity(B, "s", Scope(counts=frozenset({"B"}))),
        "q": Quantity("1 s"),
        "t": Quantity("1 s"),
    }
    assert longest_path(DIAMOND, times).expr == B + 2
    # Of a plain formula nothing is known but that it is above 0.
    assert longest_path(DIAMOND, {"s": 1, "p": B, "q": 1, "t": 1}) == max_of(1, B) + 2
