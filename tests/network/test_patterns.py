"""Every closed form equals a simulation of its explicit steps, exactly.

The simulation checks each step: a message goes over a link there is, its sender holds what it
sends, no contribution is added twice, nothing is sent for nothing, and at the end every chip has
what the collective promises.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from symroof.errors import InputError, UnknownNameError
from symroof.network import (
    Algorithm,
    Collective,
    FullyConnected,
    Line,
    Ring,
    Switch,
    Topology,
    Torus,
    Tree,
    algorithms,
    flow,
)
from symroof.network.patterns import schedule
from symroof.network.steps import simulate
from symroof.network.tree_patterns import double_tree
from symroof.symbolic import bind, value

SIZES = range(1, 18)
PLAIN = (Switch, FullyConnected, Ring, Line)
SHAPES = [
    (2, 2),
    (2, 3),
    (4, 4),
    (3, 5),
    (2, 8),
    (1, 4),
    (1, 1),
    (2, 2, 2),
    (2, 3, 2),
    (3, 1, 3),
    (2, 2, 4),
]
EVEN = {Collective.ALL_GATHER, Collective.REDUCE_SCATTER, Collective.ALL_REDUCE} | {
    Collective.ALL_TO_ALL
}


def number(expr: Any) -> Fraction:
    found = value(expr)
    return Fraction(int(found.p), int(found.q))


def check(collective: Collective, topology: Topology, **options: Any) -> None:
    moved = simulate(schedule(collective, topology, **options))
    formula = flow(collective, topology, 1, options.get("algorithm"), apart=options.get("apart"))
    n = len(moved.sent)
    sent, received = (sum(each) / n for each in (moved.sent, moved.received))
    if collective is Collective.SEND:  # of the two chips
        sent, received = moved.sent[0], moved.received[0]
        received = sum(moved.received) - sum(moved.sent[1:]) if n > 1 else received
    found = (moved.busiest * int(topology.ports), sent, received, moved.steps)
    wanted = (formula.egress, formula.sent, formula.received, formula.hops)
    assert found == tuple(map(number, wanted)), (topology.title, formula.algorithm)


@pytest.mark.parametrize("kind", [*PLAIN, Tree])
@pytest.mark.parametrize("collective", Collective)
def test_forms_equal_their_steps(collective: Collective, kind: Any) -> None:
    for n in SIZES:
        for algorithm in algorithms(collective, kind(n)):
            check(collective, kind(n), algorithm=algorithm)


@pytest.mark.parametrize("collective", Collective)
@pytest.mark.parametrize("shape", SHAPES)
def test_forms_of_grids_equal_their_steps(collective: Collective, shape: tuple[int, ...]) -> None:
    for wrap in product((True, False), repeat=len(shape)):
        check(collective, Torus(shape, wrap))


@pytest.mark.parametrize("arity", [1, 3, 4])
def test_trees_of_other_arity(arity: int) -> None:
    for n in range(1, 15):
        for collective in Collective:
            check(collective, Tree(n, arity))


@pytest.mark.parametrize("kind", PLAIN)
@pytest.mark.parametrize("collective", Collective)
def test_symbols_and_numbers_agree(collective: Collective, kind: Any) -> None:
    for algorithm in algorithms(collective, kind("n")):
        symbolic = flow(collective, kind("n"), "V", algorithm)
        for n in SIZES:
            exact = flow(collective, kind(n), 840, algorithm)
            for part in ("egress", "sent", "received", "hops"):
                bound = bind(getattr(symbolic, part), {"n": n, "V": 840})
                assert value(bound) == getattr(exact, part), (algorithm, n, part)


@pytest.mark.parametrize("wrap", [True, False])
@pytest.mark.parametrize("collective", Collective)
def test_symbolic_grids(collective: Collective, wrap: bool) -> None:
    symbolic = flow(collective, Torus(("X", "Y"), wrap), "V")
    for x, y in ((2, 2), (2, 5), (4, 3), (8, 8)):
        exact = flow(collective, Torus((x, y), wrap), 840)
        for part in ("egress", "sent", "received", "hops"):
            bound = bind(getattr(symbolic, part), {"X": x, "Y": y, "V": 840})
            assert value(bound) == getattr(exact, part)


@pytest.mark.parametrize("topology", [Switch(7), Ring(6), Ring(7), Torus((4, 3)), Torus((2, 2, 2))])
def test_all_chips_alike_move_the_same(topology: Topology) -> None:
    for collective in EVEN:
        for algorithm in algorithms(collective, topology):
            if isinstance(topology, Switch) and algorithm is Algorithm.TREE:
                continue
            moved = simulate(schedule(collective, topology, algorithm))
            assert len(set(moved.sent)) == len(set(moved.received)) == 1


@pytest.mark.parametrize(
    ("topology", "apart", "ways", "hops"),
    [
        (Torus((4, 4), wrap=False), (3, 3), 2, 6),
        (Torus((4, 4), wrap=False), (0, 2), 1, 2),
        (Torus((5, 5)), (2, 1), 2, 3),
        (Torus((3, 4, 5)), (1, 2, 2), 3, 5),
        (Ring(6), (2,), 1, 2),
        (Ring(6), (3,), 2, 3),
        (Line(6), (5,), 1, 5),
        (Torus((4, 1, 4), wrap=False), (3, 0, 3), 2, 6),
        (Torus((4, 4)), (0, 0), 1, 0),
    ],
)
def test_sends_over_several_ways(topology: Topology, apart: Any, ways: int, hops: int) -> None:
    check(Collective.SEND, topology, apart=apart)
    moved = simulate(schedule("send", topology, apart=apart))
    assert moved.busiest == (Fraction(1, ways) if hops else 0)
    assert moved.steps == hops


@pytest.mark.parametrize("n", [*range(1, 40), 64, 100, 128])
def test_double_trees(n: int) -> None:
    """Each spans all chips, no deeper than a binary tree is; a chip is inside one of them only."""
    depth = (n - 1).bit_length()
    insides = []
    for parents in double_tree(n):
        assert len(parents) == n - 1
        for chip in parents:
            way = [chip]
            while way[-1] in parents:
                way.append(parents[way[-1]])
                assert len(way) <= depth + 1
        children = [list(parents.values()).count(chip) for chip in range(n)]
        assert max(children, default=0) <= 2
        insides.append({chip for chip in range(n) if children[chip] and chip in parents})
    assert not insides[0] & insides[1]


def test_what_has_no_steps() -> None:
    with pytest.raises(InputError, match="number of chips"):
        schedule("all_gather", Ring("n"))
    with pytest.raises(InputError, match="does not run"):
        schedule("all_gather", Ring(4), "direct")
    with pytest.raises(UnknownNameError, match="all_reduce"):
        schedule("all_reduse", Ring(4))
