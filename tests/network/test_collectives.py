"""Flows: forms worked by hand, times, latency, and what is refused."""

from __future__ import annotations

import pytest
from sympy import Rational

import symroof as sr
from symroof.errors import InputError, UnitError, UnknownNameError
from symroof.network import (
    Algorithm,
    Collective,
    FullyConnected,
    Line,
    Ring,
    Switch,
    Torus,
    Tree,
    algorithms,
    flow,
)

V, n = sr.symbols("V n")
W, HOP = "90 GB/s", "1 us"


def test_published_forms() -> None:
    assert flow("all_gather", Switch("n"), V).egress == V * (n - 1) / n
    assert flow("all_reduce", Switch("n"), V).egress == 2 * V * (n - 1) / n
    assert flow("all_gather", Ring("n"), V).egress == V * (n - 1) / n
    assert flow("all_gather", Line("n"), V).egress == 2 * V * (n - 1) / n
    assert flow("broadcast", Switch(8), V).egress == V


def test_a_line_gathers_over_one_port() -> None:
    """The chip at an end takes n − 1 of n shards over the one port it uses."""
    for size in range(2, 9):
        assert flow("all_gather", Line(size), size).egress / 2 == size - 1


def test_all_to_all_on_an_even_ring_sends_an_eighth_of_n() -> None:
    """Pairs d apart cross d links; their mean distance is n/4, over two ports."""
    for size in range(2, 33, 2):
        assert flow("all_to_all", Ring(size), 1).egress / 2 == Rational(size, 8)


def test_all_to_all_on_an_odd_ring() -> None:
    for size in range(1, 33, 2):
        mean = Rational(2 * sum(range(1, (size - 1) // 2 + 1)), size)
        assert flow("all_to_all", Ring(size), 1).egress == mean


def test_all_to_all_on_a_line_by_its_middle_link() -> None:
    for size in range(1, 33):
        left = size // 2
        assert flow("all_to_all", Line(size), size).egress / 2 == left * (size - left)


def test_in_network_reduction() -> None:
    made = flow("all_reduce", Switch("n"), V, "in-network")
    assert [made.egress.subs(n, size) for size in (1, 2, 8)] == [0, V, V]
    ring = flow("all_reduce", Switch(8), V)
    assert ring.egress / made.egress.subs(n, 8) == Rational(7, 4)


def test_an_all_reduce_on_a_line_sums_up_to_the_middle() -> None:
    made = flow("all_reduce", Line(8), V)
    assert (made.algorithm, made.egress, made.hops) == (Algorithm.TREE, 2 * V, 8)


def test_the_default_has_the_fewest_bytes() -> None:
    for kind in (Switch, FullyConnected, Ring, Line):
        for collective in Collective:
            for size in range(1, 18):
                best = flow(collective, kind(size), 1).egress
                for algorithm in algorithms(collective, kind(size)):
                    if algorithm is not Algorithm.IN_NETWORK:
                        assert best <= flow(collective, kind(size), 1, algorithm).egress


def test_one_chip_sends_nothing() -> None:
    one = [kind(1) for kind in (Switch, FullyConnected, Ring, Line, Tree)]
    for topology in [*one, Torus((1, 1)), Torus((1,), wrap=False)]:
        for collective in Collective:
            for algorithm in algorithms(collective, topology):
                made = flow(collective, topology, "V", algorithm)
                assert made.egress == made.sent == made.received == made.hops == 0


def test_a_torus_of_one_axis_is_a_ring_or_a_line() -> None:
    for collective in Collective:
        for wrap, plain in ((True, Ring(6)), (False, Line(6))):
            for algorithm in (None, *algorithms(collective, plain)):
                torus = flow(collective, Torus((6, 1), wrap), V, algorithm)
                assert torus.egress == flow(collective, plain, V, algorithm).egress
    assert flow("all_gather", Torus((6, 1)), V, "all-axes").egress == Rational(5, 6) * V


def test_times() -> None:
    made = flow("all_gather", Ring(4), "4 MB")
    assert made.time(W) == sr.Quantity("1/30000 s")
    assert made.time(W, HOP) == sr.Quantity("1/30000 s") + sr.Quantity("2 us")
    assert made.time(W, HOP, pipelined=True) == made.time(W)
    assert made.time(W, "1 s", pipelined=True) == sr.Quantity("2 s")
    symbolic = flow("all_gather", Ring("n"), "2*B").time(sr.Quantity("link.link", "byte/s"))
    assert symbolic.scope.counts == {"n"}
    assert symbolic.at(n=4, B=2, link="3 byte/s").value == 1


def test_volumes() -> None:
    for volume in ("32 GB", sr.Quantity("32 GB"), 32 * 10**9, "32*10**9", sr.Quantity(32 * 10**9)):
        assert flow("send", Switch(2), volume).egress == 32 * 10**9


def test_latency_crossover() -> None:
    """One hop over one port of 45 GB/s and 1 µs: 45,000 bytes."""
    assert flow("send", Switch(2), V).latency_crossover("45 GB/s", HOP).value == 45_000
    made = flow("all_gather", Switch("n"), V).latency_crossover("45 GB/s", HOP)
    assert made.at(n=8).value == 360_000
    there = flow("all_gather", Ring(8), made.at(n=8), "ring")
    assert there.time(W) == there.hops * sr.Quantity(HOP)


def test_the_crossover_does_not_depend_on_how_the_volume_is_written() -> None:
    for volume in (1, "V", "2*(a + b)", "7 GB"):
        made = flow("all_reduce", Ring(6), volume)
        assert made.latency_crossover(W, HOP).value == 324_000  # 6 hops for 5/3 of V


@pytest.mark.parametrize(
    ("bandwidth", "latency"),
    [("90 GB", None), (90, None), (None, None), (W, "1 byte"), (W, 3), ("0 GB/s", None)],
)
def test_bad_rates(bandwidth, latency) -> None:
    with pytest.raises((UnitError, InputError)) as caught:
        flow("all_gather", Ring(4), V).time(bandwidth, latency)
    assert "\n" not in str(caught.value)


def test_nothing_has_no_crossover() -> None:
    with pytest.raises(InputError, match="nothing is sent"):
        flow("all_gather", Ring(1), V).latency_crossover(W, HOP)


def test_near_names() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'all_gather'"):
        flow("allgather", Ring(4), V)
    with pytest.raises(UnknownNameError, match="did you mean 'recursive-doubling'"):
        flow("all_gather", Switch(4), V, "recursive doubling")
    with pytest.raises(InputError, match="expected one of"):
        flow("all_gather", Switch(4), V, 3)


@pytest.mark.parametrize(
    ("topology", "algorithm", "runs"),
    [
        (Ring(8), "recursive-doubling", "bidirectional-ring, ring"),
        (Line(8), "ring", "line"),
        (FullyConnected(8), "bidirectional-ring", "direct, ring"),
        (Torus((4, 2)), "ring", "all-axes"),
        (Tree(8), "ring", "tree"),
        (Switch(8), "all-axes", "ring, bidirectional-ring"),
        (Switch(8), "tree", "recursive-doubling, direct, in-network"),
    ],
)
def test_algorithms_a_topology_does_not_run(topology, algorithm, runs) -> None:
    with pytest.raises(InputError, match=f"does not run {algorithm}; it runs .*{runs}"):
        flow("all_gather", topology, V, algorithm)


@pytest.mark.parametrize(
    ("collective", "topology", "apart", "message"),
    [
        ("send", Torus((4, 4)), (3, 3), "at most 2 apart, not 3"),
        ("send", Line(4), 4, "at most 3 apart, not 4"),
        ("send", Torus((4, 4)), (1,), "each of 2 axes, not 1"),
        ("send", Torus((4, 4)), (1, -1), "0 or more, not -1"),
        ("send", Torus((4, 4)), (1, 1.5), "0 or more, not 1.5"),
        ("send", Torus((4, 4)), (1, True), "0 or more, not True"),
        ("send", Torus((4, 1)), (1, 1), "each of 1 axes, not 2"),
        ("send", Switch(4), 1, "has no axes"),
        ("all_gather", Ring(4), 1, "only a send"),
    ],
)
def test_bad_distances(collective, topology, apart, message) -> None:
    with pytest.raises(InputError, match=message):
        flow(collective, topology, V, apart=apart)


def test_other_faults() -> None:
    with pytest.raises(InputError, match="expected a topology"):
        flow("all_gather", "ring", V)
    with pytest.raises(UnitError, match="expected bytes"):
        flow("all_gather", Ring(4), "3 s")
    with pytest.raises(InputError, match="number of bytes"):
        flow("all_gather", Ring(4), -1)
    with pytest.raises(InputError, match="goes over all-axes"):
        flow("send", Ring(4), V, "direct", apart=1)
    with pytest.raises(InputError, match="tree size"):
        flow("all_gather", Tree("n"), V)
    with pytest.raises(InputError, match="tree size"):
        flow("all_gather", Tree(10**7), V)
