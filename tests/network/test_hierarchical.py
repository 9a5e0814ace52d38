"""Compositions over levels: the two-node all-reduce, a simulation of chips, what is refused."""

from __future__ import annotations

from fractions import Fraction

import pytest
from sympy import Integer

import symroof as sr
from symroof.errors import InputError, UnitError, UnknownNameError
from symroof.network import (
    Collective,
    Composition,
    Level,
    Line,
    Phase,
    Ring,
    Switch,
    flow,
    hierarchical,
)

NODE = Level("node", Switch(8), "450 GB/s")
NODES = Level("nodes", Switch(2), "50 GB/s")
M = Integer(32 * 10**9)
AR = Collective.ALL_REDUCE


def phase(kind: str, level: Level, volume: object) -> Phase:
    return Phase(level, flow(kind, level.topology, volume))


def composed(*phases: Phase, what: Collective = AR) -> Composition:
    return Composition(what, (NODE, NODES), M, phases)


def test_two_nodes_of_eight_chips() -> None:
    made = hierarchical("all_reduce", (NODE, NODES), "32 GB")
    assert [str(time) for time in made.times] == ["14/225 s", "2/25 s", "14/225 s"]
    assert made.time() == sr.Quantity("46/225 s")
    assert made.time(pipelined=True) == sr.Quantity("28/225 s")


def test_whole_all_reduces_are_not_stacked() -> None:
    """They would take 74/225 s, and leave most of the tensor unsummed."""
    stacked = [
        phase("all_reduce", NODE, M),
        phase("all_reduce", NODES, M / 8),
        phase("all_reduce", NODE, M),
    ]
    assert sum((p.time for p in stacked[1:]), stacked[0].time) == sr.Quantity("74/225 s")
    with pytest.raises(InputError, match="a chip holds 32000000000 bytes, and the phase takes 4"):
        composed(*stacked)


def test_an_all_reduce_in_place_of_the_last_gather() -> None:
    """It would take 11/50 s."""
    wrong = [
        phase("all_reduce", NODE, M),
        phase("all_reduce", NODES, M / 8),
        phase("all_reduce", NODE, M / 8),
    ]
    assert sum((p.time for p in wrong[1:]), wrong[0].time) == sr.Quantity("11/50 s")
    with pytest.raises(InputError, match="phase takes 4000000000"):
        composed(*wrong)
    scattered = phase("reduce_scatter", NODE, M)
    with pytest.raises(InputError, match="added up over node already"):
        composed(scattered, *wrong[1:])


@pytest.mark.parametrize(
    ("phases", "message"),
    [
        ([("reduce_scatter", NODE, 1), ("all_reduce", NODES, 8)], "ends with 4000000000 of 32"),
        ([("reduce_scatter", NODE, 1), ("all_gather", NODE, 1)], "nothing is added up over nodes"),
        ([("all_gather", NODE, 1)], "nothing is split over node"),
        ([("reduce_scatter", NODE, 2)], "holds 32000000000 bytes"),
        ([("reduce_scatter", NODE, 1), ("all_gather", NODE, 8)], "would hold 32000000000 bytes"),
        ([("reduce_scatter", NODE, 1), ("reduce_scatter", NODE, 8)], "over node already"),
        ([("all_to_all", NODE, 1)], "no part of all_reduce"),
        ([("broadcast", NODE, 1)], "no part of"),
    ],
)
def test_bytes_that_are_missing(phases, message) -> None:
    with pytest.raises(InputError, match=message):
        composed(*(phase(kind, level, M / part) for kind, level, part in phases))


def test_a_slow_but_right_composition_passes() -> None:
    made = composed(phase("all_reduce", NODE, M), phase("all_reduce", NODES, M))
    assert made.time() > hierarchical("all_reduce", (NODE, NODES), M).time()


def test_a_phase_that_brings_too_little() -> None:
    good = flow("all_gather", NODE.topology, M)
    less = type(good)(
        good.collective,
        good.topology,
        good.algorithm,
        good.volume,
        good.egress,
        good.sent,
        good.received - 1,
        good.hops,
        good.source,
    )
    with pytest.raises(
        InputError, match="must receive 28000000000 bytes, and receives 27999999999"
    ):
        composed(
            phase("reduce_scatter", NODE, M),
            phase("all_reduce", NODES, M / 8),
            Phase(NODE, less),
        )


def chips_after(kinds: list[str], inner: int, outer: int) -> list[dict[int, frozenset]]:
    """Run phases on chips that hold pieces with the chips that were added up in each."""
    pieces = inner * outer
    everyone = range(inner * outer)
    held = [{piece: frozenset({chip}) for piece in range(pieces)} for chip in everyone]
    for kind in kinds:
        what, level = kind.split()
        groups = (
            [[node * inner + at for at in range(inner)] for node in range(outer)]
            if level == "inside"
            else [[node * inner + at for node in range(outer)] for at in range(inner)]
        )
        for group in groups:
            joined: dict[int, frozenset] = {}
            for chip in group:
                for piece, parts in held[chip].items():
                    old = joined.get(piece, frozenset())
                    assert what == "gather" or not old & parts
                    joined[piece] = old | parts
            ordered = sorted(joined)
            share = len(ordered) // len(group)
            for rank, chip in enumerate(group):
                mine = ordered[rank * share : (rank + 1) * share] if what == "scatter" else ordered
                held[chip] = {piece: joined[piece] for piece in mine}
    return held


@pytest.mark.parametrize(("inner", "outer"), [(1, 1), (8, 2), (2, 3), (4, 1), (1, 5)])
def test_the_phases_add_up_everything(inner: int, outer: int) -> None:
    order = ["scatter inside", "scatter across", "gather across", "gather inside"]
    everyone = frozenset(range(inner * outer))
    held = chips_after(order, inner, outer)
    assert all(len(chip) == inner * outer for chip in held)
    assert all(parts == everyone for chip in held for parts in chip.values())
    levels = (Level("in", Ring(inner), "1 GB/s"), Level("out", Ring(outer), "1 GB/s"))
    made = hierarchical("all_reduce", levels, inner * outer)
    inside, across = (len(chips_after(order[:k], inner, outer)[0]) for k in (1, 2))
    assert [p.flow.volume for p in made.phases] == [inner * outer, inside, inner * outer]
    received = [
        *(inner * outer - inside for _ in range(2)),
        2 * (inside - across),
    ]
    assert sum(p.flow.received for p in made.phases) == sum(received)


def test_three_levels() -> None:
    pods = Level("pods", Line("P"), "10 GB/s", latency="10 us")
    made = hierarchical("all_reduce", (NODE, NODES, pods), "V")
    names = [(p.flow.collective.value, p.level.name, str(p.flow.volume)) for p in made.phases]
    assert names == [
        ("reduce_scatter", "node", "V"),
        ("reduce_scatter", "nodes", "V/8"),
        ("all_reduce", "pods", "V/16"),
        ("all_gather", "nodes", "V/8"),
        ("all_gather", "node", "V"),
    ]
    assert made.time().at(V=16 * 10**9, P=2).value > 0
    assert "P" in made.time().scope.counts


def test_the_slow_level_carries_the_smallest_parts() -> None:
    gathered = hierarchical("all_gather", (NODE, NODES), M)
    assert [p.level.name for p in gathered.phases] == ["nodes", "node"]
    assert [p.flow.volume for p in gathered.phases] == [M / 8, M]
    scattered = hierarchical("reduce_scatter", (NODE, NODES), M)
    assert [p.flow.volume for p in scattered.phases] == [M, M / 8]
    halves = [gathered.time(), scattered.time()]
    assert sum(halves[1:], halves[0]) == hierarchical("all_reduce", (NODE, NODES), M).time()


def test_other_collectives() -> None:
    exchanged = hierarchical("all_to_all", (NODE, NODES), M)
    assert [p.flow.sent / M for p in exchanged.phases] == [Fraction(7, 8), Fraction(1, 2)]
    sent = hierarchical("send", (NODE, NODES), M)
    assert [p.level.name for p in sent.phases] == ["nodes"]
    one = hierarchical("all_reduce", (NODE,), M)
    assert one.time() == flow("all_reduce", Switch(8), M).time("450 GB/s")


def test_algorithms_by_level() -> None:
    made = hierarchical("all_reduce", (NODE, NODES), M, {"nodes": "in-network"})
    assert made.phases[1].flow.algorithm.value == "in-network"
    assert made.phases[1].time == sr.Quantity("2/25 s")  # of two chips, the same
    inside = hierarchical("all_reduce", (NODE, NODES), M, {"node": "in-network"})
    assert inside.time() == made.time()  # the busier direction carries as much


def test_bad_input() -> None:
    with pytest.raises(InputError, match="broadcast is not composed"):
        composed(phase("broadcast", NODE, M), what=Collective.BROADCAST)
    with pytest.raises(InputError, match="two levels are called 'node'"):
        Composition(AR, (NODE, NODE), M, ())
    with pytest.raises(InputError, match="one level or more"):
        hierarchical("all_reduce", (), M)
    with pytest.raises(InputError, match="two levels are called 'node'"):
        hierarchical("all_reduce", (NODE, NODE), M)
    with pytest.raises(UnknownNameError, match="did you mean 'nodes'"):
        hierarchical("all_reduce", (NODES,), M, {"node5": "ring"})
    with pytest.raises(InputError, match="broadcast is not composed"):
        hierarchical("broadcast", (NODE, NODES), M)
    with pytest.raises(UnknownNameError, match="all_reduce"):
        hierarchical("allreduce", (NODE, NODES), M)
    with pytest.raises(UnitError, match="bandwidth"):
        Level("node", Switch(8), 450)
    with pytest.raises(UnitError, match="latency"):
        Level("node", Switch(8), "450 GB/s", "3 byte")
    with pytest.raises(InputError, match="expected a topology"):
        Level("node", "switch", "450 GB/s")
    with pytest.raises(InputError, match="empty"):
        Level("", Switch(8), "450 GB/s")
    with pytest.raises(InputError, match="another topology"):
        composed(Phase(NODE, flow("all_reduce", Ring(8), M)))
    with pytest.raises(UnknownNameError, match="level"):
        composed(phase("all_reduce", Level("pod", Switch(8), "1 GB/s"), M))
