"""Rooflines on systems: a term for each axis, phases over levels, everything per chip."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from sympy import Integer, Rational

import symroof as sr
from symroof import ops, passes
from symroof.errors import GraphError, InputError, SymroofError, UnknownNameError
from symroof.network import Ring, Switch, Torus, flow
from symroof.roofline.documents import analysis_document, crossover_document
from symroof.solve import limit_all


def all_reduce(size: Any = 32 * 10**9, **keywords: Any) -> sr.Graph:
    g = sr.Graph("sum")
    ops.all_reduce(g.input("x", (size,), "int8"), **keywords)
    return g


def mlp(mesh: sr.Mesh, **options: Any) -> sr.Graph:
    """Two layers: batch and weights over X, hidden dim over Y."""
    g = sr.Graph("mlp")
    x = g.input("x", ("B", "D"), "bf16", sharding=("X", "Y"))
    h = x @ g.weight("up", ("D", "F"), "bf16", sharding=("X", "Y"))
    ops.matmul(h, g.weight("down", ("F", "D"), "bf16", sharding=("Y", "X")), name="y")
    return passes.shard(g, mesh, outputs={"y": ("X", "Y")}, **options)


def slow(**levels: Any) -> sr.System:
    """8 chips of a node, some nodes; with latencies."""
    node = {"topology": "switch", "size": 8, "per_chip": "450 GB/s", "latency": "1 us"}
    nodes = {"topology": "switch", "size": 2, "per_node": "400 GB/s", "latency": "5 us", **levels}
    return sr.System("h100-sxm", level={"node": node, "nodes": nodes})


# --- phases over levels -------------------------------------------------------------------------


def test_all_reduce_over_two_nodes_of_eight() -> None:
    """Reduce-scatter and all-gather inside of 7/8 of 32 GB, an all-reduce across of 4 GB."""
    r = sr.analyze(all_reduce(group=16, link="X"), "dgx-h100-2")
    assert r.t_network.value == Rational(46, 225)
    assert r.terms["link", "X_node"].value == 2 * Rational(14, 225)
    assert r.terms["link", "X_nodes"].value == Rational(2, 25)
    assert r.placed is not None
    assert r.placed.composition == "phases add"
    # What went inside once again would be a whole all-reduce too much.
    assert [(row.kind, row.time.value) for row in r.ops()] == [
        ("reduce_scatter", Rational(14, 225)),
        ("all_reduce", Rational(2, 25)),
        ("all_gather", Rational(14, 225)),
    ]


def test_pipelined_levels_take_the_slowest_which_is_named() -> None:
    g = all_reduce(group=16, link="X")
    r = sr.analyze(g, "dgx-h100-2", pipelined=True)
    assert r.t_network.value == Rational(28, 225)
    assert r.placed is not None
    assert r.placed.composition == "pipelined: the slowest level"
    assert r.terms == sr.analyze(g, "dgx-h100-2").terms
    assert r.time.overlapped.value == Rational(28, 225)
    assert r.time.serial.value == Rational(46, 225)
    assert r.time.overlapped.value <= r.time.per_op.value <= r.time.serial.value
    # Two axes on one level share its links: there they add.
    both = mlp(sr.Mesh(X=4, Y=2))
    same = sr.analyze(both, "8xh100-sxm", pipelined=True).at(B=4096, D=8192, F=8192)
    assert same.t_network == sr.analyze(both, "8xh100-sxm").at(B=4096, D=8192, F=8192).t_network


def test_hops_are_terms_of_their_own_where_they_are_asked_for() -> None:
    g = all_reduce(group=16, link="X")
    assert sr.analyze(g, slow()).t_network.value == Rational(46, 225)
    r = sr.analyze(g, slow(), latency=True)
    assert r.work["hop", "X_node"] == 2 * 7
    assert r.work["hop", "X_nodes"] == 2
    assert str(r.terms["hop", "X_node"].expr) == "14*latency.X_node"
    assert r.terms["hop", "X_nodes"].value == Rational(10, 10**6)
    assert r.t_network.value == Rational(46, 225) + Rational(24, 10**6)
    assert r.at({"latency.X_node": "2 us"}).t_network.value == r.t_network.value + Rational(
        14, 10**6
    )
    slowest = sr.analyze(g, slow(), latency=True, pipelined=True)
    assert slowest.t_network.value == Rational(28, 225) + Rational(14, 10**6)
    small = sr.analyze(all_reduce("V", group=8, link="X"), slow(), latency=True)
    # 14 hops of a microsecond and 7/4·V bytes at 450 GB/s.
    waiting, sent = small.terms["hop", "X"], small.terms["link", "X"]
    assert sr.region(sent, waiting, "V").threshold_bound == 8 * 450000


@pytest.mark.parametrize(
    ("op", "kinds"),
    [
        ("all_gather", ["all_gather", "all_gather"]),
        ("reduce_scatter", ["reduce_scatter", "reduce_scatter"]),
        ("all_to_all", ["all_to_all", "all_to_all"]),
        ("send", ["send"]),
    ],
)
def test_other_collectives_over_two_levels(op: str, kinds: list[str]) -> None:
    g = sr.Graph(op)
    y = getattr(ops, op)(g.input("x", ("16*V",), "int8"), group=16, link="X", name="y")
    r = sr.analyze(g, "dgx-h100-2").at(V=10**9)
    assert [row.kind for row in r.ops()] == kinds
    assert r.graph.tensor("y").spec == y.spec
    assert r.graph.op(r.graph.ops[-1].name).outputs[0].name == "y"
    volume = 16 * 10**9 * (16 if op == "all_gather" else 1)
    inside, across = Rational(7, 8) * volume, Rational(1, 2) * volume / 8
    if op == "all_to_all":  # no part gets smaller on the way
        across = Rational(1, 2) * volume
    if op == "send":
        inside, across = Rational(0), Rational(volume)
    assert r.t_network.value == inside / (450 * 10**9) + across / (50 * 10**9)


def test_three_levels_by_hand() -> None:
    """4 chips, 4 of those, 2 of those: an all-reduce of V."""
    levels = {
        name: {"topology": "switch", "size": size, "per_chip": rate}
        for name, size, rate in (("a", 4, "100 GB/s"), ("b", 4, "50 GB/s"), ("c", 2, "10 GB/s"))
    }
    r = sr.analyze(all_reduce(16 * 10**9, group=32, link="X"), sr.System("h100-sxm", level=levels))
    times = [2 * Rational(3, 4) * 16 / 100, 2 * Rational(3, 4) * 4 / 50, 2 * Rational(1, 2) / 10]
    assert [r.terms["link", f"X_{name}"].value for name in "abc"] == times


def test_a_repeat_sends_as_often_as_it_runs() -> None:
    g = sr.Graph("layers")
    x = g.input("x", ("B", "D"), "bf16")
    g.repeat("layer", "L", lambda h: ops.all_reduce(h, group=16, link="X", name="sum"), x)
    r = sr.analyze(g, "dgx-h100-2").at(B=1000, D=1000, L=10)
    assert r.t_network.value == 10 * Rational(2 * 10**6, 32 * 10**9) * Rational(46, 225)
    assert [row.name for row in r.ops()] == [
        f"layer/sum.{kind}" for kind in ("reduce_scatter", "all_reduce", "all_gather")
    ]
    peak, memory = {"bf16": "1 PFLOP/s"}, {"hbm": "3 TB/s"}
    alone = sr.analyze(g, sr.Chip("c", peak=peak, memory=memory, link={"X": "9 GB/s"}))
    assert r.footprint.total == alone.at(B=1000, D=1000, L=10).footprint.total


# --- one level ----------------------------------------------------------------------------------


@pytest.mark.parametrize("topology", [Switch(16), Ring(16), Torus((4, 4)), Torus((4, 4), False)])
@pytest.mark.parametrize("op", ["all_gather", "reduce_scatter", "all_reduce", "all_to_all"])
def test_collectives_take_the_topology_of_the_system(topology: Any, op: str) -> None:
    g = sr.Graph(op)
    y = getattr(ops, op)(g.input("x", ("16*V",), "int8"), group=16)
    system = sr.System("h100-sxm", 16, topology, per_chip="100 GB/s")
    volume = (y if op == "all_gather" else g.tensor("x")).spec.bytes
    wanted = flow(op, topology, volume).time("100 GB/s")
    assert sr.analyze(g, system).t_network.resolved() == wanted


def test_a_topology_that_is_stated_stays() -> None:
    g = all_reduce("16*V", group=16, topology="line")
    assert sr.analyze(g, sr.System("h100-sxm", 16, Ring(16))).graph.link_bytes == g.link_bytes
    two = all_reduce("16*V", group=16, topology="line", link="X")
    with pytest.raises(InputError, match=r"it states a topology, and spans X_node, X_nodes"):
        sr.analyze(two, "dgx-h100-2")


def test_algorithms_that_are_stated_stay() -> None:
    r = sr.analyze(all_reduce(group=8, algorithm="in-network"), "8xh100-sxm")
    assert r.t_network.value == Rational(32, 450)
    two = sr.analyze(all_reduce(group=16, link="X", algorithm="in-network"), "dgx-h100-2")
    assert two.terms["link", "X_nodes"].value == Rational(4, 50)  # up once: 4 GB
    with pytest.raises(InputError, match=r"op 'all_reduce_0': .* does not run in-network"):
        sr.analyze(all_reduce(group=8, algorithm="in-network"), sr.System("h100-sxm", 8, Ring(8)))


def test_eight_chips_are_as_one_chip_with_its_link() -> None:
    g = all_reduce("V", group="n")
    one, eight = sr.analyze(g, "h100-sxm"), sr.analyze(g, "8xh100-sxm")
    assert one.t_network == eight.t_network
    assert eight.chip.name == "8xh100-sxm"
    assert eight.system == sr.system("8xh100-sxm")
    assert one.system is None
    with pytest.raises(InputError, match="axis 'link' needs n <= 8; not so at n=9"):
        eight.at(n=9)
    assert eight.crossover("n", term="network").at(V=10**9).intervals == ((1, 8),)


def test_a_system_without_collectives_is_its_chip() -> None:
    g = sr.load("mlp")
    one, many = sr.analyze(g, "h100-sxm"), sr.analyze(g, "dgx-h100")
    assert many.terms == one.terms
    assert many.graph is g
    assert many.chip.links == ()


def test_levels_may_be_named_by_collectives() -> None:
    g = sr.Graph("both")
    x = g.input("x", ("V",), "int8")
    ops.all_reduce(ops.all_reduce(x, group=8, link="node"), group=2, link="nodes")
    r = sr.analyze(g, "dgx-h100-2").at(V=10**9)
    assert r.terms["link", "node"].value == Rational(7, 4) / 450
    assert r.terms["link", "nodes"].value == Rational(1, 50)
    other = sr.analyze(g, "dgx-h100-2", axes={"node": "node", "nodes": "nodes"}).at(V=10**9)
    assert other.t_network == r.t_network


def test_sends_and_stated_bytes_go_over_the_one_level() -> None:
    g = sr.Graph("pipe")
    x = g.input("x", ("V",), "int8")
    ops.custom("own", inputs=[ops.send(x)], output_shape=(1,), flops=0, link_bytes="3*V")
    r = sr.analyze(g, "8xh100-sxm").at(V=10**9)
    assert r.t_network.value == Rational(4, 450)
    ring = sr.analyze(g, sr.System("h100-sxm", 8, Ring(8))).at(V=10**9)
    assert ring.t_network.value == Rational(2 + 3, 450)  # a neighbour hangs on one port of two


def test_groups_of_two_sizes_over_one_link() -> None:
    g = sr.Graph("both")
    x = g.input("x", ("V",), "int8")
    ops.all_reduce(ops.all_reduce(x, group=8, link="X"), group=4, link="X")
    assert sr.analyze(g, "8xh100-sxm").work["link", "X"] == sr.symbols("V") * (
        Rational(7, 4) + Rational(3, 2)
    )
    ops.all_reduce(x, group=16, link="X")
    with pytest.raises(InputError, match="no room for 16 chips"):
        sr.analyze(g, "8xh100-sxm")
    h = sr.Graph("full mesh")
    x = h.input("x", ("V",), "int8")
    ops.all_reduce(ops.all_reduce(x, group=8, link="X"), group=4, link="X")
    with pytest.raises(InputError, match="groups of 8 and 4 chips over link 'X' lie on different"):
        sr.analyze(h, "8xmi300x")


# --- sharded graphs -----------------------------------------------------------------------------


def test_one_term_for_each_axis_of_a_mesh() -> None:
    """Gathers of 4·D·F/Y over X, of 4·B·D/X over Y."""
    r = sr.analyze(mlp(sr.Mesh(X=16, Y=16)), "tpu-v5e-pod")
    B, D, F = sr.symbols("B D F")
    assert r.work["link", "X"] == Rational(15, 16) * 4 * D * F / 16
    assert r.work["link", "Y"] == Rational(15, 16) * 4 * B * D / 16
    assert [r.rate(("link", axis)).value_in("GB/s") for axis in "XY"] == [100, 100]
    assert r.flops.expr == 4 * B * D * F / 256
    at = {"B": 2**20, "D": 8192, "F": 32768}
    times = [r.terms["link", axis].at(at).value for axis in "XY"]
    assert r.at(at).t_network.value == sum(times)
    # On lines without a way round a gather takes twice as long.
    line = sr.System("tpu-v5e", 256, Torus((16, 16), wrap=False))
    assert sr.analyze(mlp(sr.Mesh(X=16, Y=16)), line).at(at).t_network.value == 2 * sum(times)


def test_numbers_and_symbols_give_the_same() -> None:
    at = {"B": 2**20, "D": 8192, "F": 32768}
    numbers = sr.analyze(mlp(sr.Mesh(X=16, Y=16)), "tpu-v5e-pod").at(at)
    symbols = sr.analyze(mlp(sr.Mesh(X="X", Y="Y")), "tpu-v5e-pod").at(X=16, Y=16).at(at)
    assert numbers.time == symbols.time
    for machine in ("dgx-h100-2", "dgx-h100-superpod"):
        known = {"X": 4, "Y": 4}
        one = sr.analyze(mlp(sr.Mesh(**known)), machine).at(at)
        other = sr.analyze(mlp(sr.Mesh(X="X", Y="Y")), machine, sizes=known).at(known).at(at)
        assert {k: t.value for k, t in one.terms.items()} == {
            k: t.value for k, t in other.terms.items()
        }


def test_a_mesh_lies_the_other_way_round_when_told() -> None:
    local = mlp(sr.Mesh(X=2, Y=8))
    at = {"B": 2**17, "D": 8192, "F": 32768}
    told = sr.analyze(local, "dgx-h100-2", axes={"X": "nodes", "Y": "node"})
    assert [told.rate(("link", axis)).value_in("GB/s") for axis in "XY"] == [50, 450]
    itself = sr.analyze(local, "dgx-h100-2")
    assert set(itself.terms) >= {("link", "X"), ("link", "Y_node"), ("link", "Y_nodes")}
    assert told.at(at).t_network.value != itself.at(at).t_network.value


def test_communication_that_overlaps_nothing() -> None:
    r = sr.analyze(mlp(sr.Mesh(X=4, Y=2)), "8xh100-sxm").at(B=4096, D=8192, F=32768)
    compute, memory, network = (r.groups[name].value for name in ("compute", "memory", "network"))
    assert r.exposed.value == max(compute, memory) + network
    assert r.time.overlapped.value < r.exposed.value < r.time.serial.value


def test_crossovers_over_axes() -> None:
    """Compute-bound over X alone from B/chip = α on, with (X − 1)/X: data parallel forward."""
    r = sr.analyze(mlp(sr.Mesh(X="X", Y=1)), "dgx-h100-superpod", axes={"X": "nodes", "Y": "node"})
    x = sr.region(r.t_compute, r.t_network, "B")
    alpha = Rational(989 * 10**12, 50 * 10**9)
    assert x.at(D=8192, F=32768, X=16).threshold_bound == alpha * 15
    X = sr.symbols("X")
    assert limit_all(x.at(D=8192, F=32768).threshold / X, ["X"]).subs(_rates(r)) == alpha


# --- the least time -----------------------------------------------------------------------------


def test_best_split_of_two_axes_against_all_of_them() -> None:
    chip = sr.Chip(
        "c",
        peak={"bf16": "100 TFLOP/s"},
        memory={"hbm": "1 TB/s"},
        link={"X": "40 GB/s", "Y": "20 GB/s"},
    )
    r = sr.analyze(mlp(sr.Mesh(X="X", Y="N/X")), chip)
    for n in (64, 96):
        for name in ("network", "overlapped", "serial", "exposed", "per_op"):
            bound = r.at(N=n, B=3 * 8192, D=3 * 4096, F=3 * 16384)
            best = bound.minimise("X", name, divides=n)
            split = [x for x in range(1, n + 1) if n % x == 0]
            times = {x: _time(bound.at(X=x), name) for x in split}
            least = min(times.values())
            assert best.whole_value == least, (n, name)
            assert [x for x in split if times[x] == least] == [
                x for low, high in best.whole.intervals for x in range(low, high + 1) if n % x == 0
            ]


def _rates(r: sr.Roofline) -> dict[Any, Any]:
    return {rate: r.rates.scope.values[rate.name] for rate in r.rates.by_resource.values()}


def _time(r: sr.Roofline, name: str) -> Any:
    if name == "network":
        return r.t_network.value
    return (r.exposed if name == "exposed" else getattr(r.time, name)).value


def test_the_least_time_in_closed_form() -> None:
    chip = sr.Chip(
        "c",
        peak={"bf16": "1 PFLOP/s"},
        memory={"hbm": "1 TB/s"},
        link={"X": "1 GB/s", "Y": "1 GB/s"},
    )
    general = sr.analyze(mlp(sr.Mesh(X="X", Y="Y")), chip)
    for r in (general.at(Y="N/X"), sr.analyze(mlp(sr.Mesh(X="X", Y="N/X")), chip)):
        best = r.minimise("X", "network")
        B, F, N = sr.symbols("B F N")
        assert best.point is not None
        assert (best.point**2).subs(_rates(r)) == B * N / F
        assert best.at(B=48000, F=32768, N=64, D=4096).point_bound ** 2 == Rational(
            48000 * 64, 32768
        )
    with pytest.raises(UnknownNameError, match="did you mean 'network'"):
        general.minimise("X", "netwrk")
    with pytest.raises(UnknownNameError, match="symbol"):
        general.minimise("Q")


def test_a_rate_that_is_set_counts() -> None:
    r = sr.analyze(mlp(sr.Mesh(X="X", Y="N/X")), "tpu-v5e-pod").at({"link.X": "400 GB/s"})
    best = r.at(N=64, B=48000, F=32768, D=4096).minimise("X", "network", high=64)
    assert best.point_bound**2 == 4 * Rational(48000 * 64, 32768)


# --- the answer as an object --------------------------------------------------------------------


def test_it_pickles_copies_and_compares() -> None:
    g = all_reduce("V", group=16, link="X")
    r = sr.analyze(g, slow(), latency=True).at(V=10**9)
    assert pickle.loads(pickle.dumps(r)).t_network == r.t_network
    assert copy.deepcopy(r).terms == r.terms
    assert r == sr.analyze(g, slow(), latency=True).at(V=10**9)
    assert hash(r) == hash(sr.analyze(g, slow()))
    assert r != sr.analyze(g, slow()).at(V=10**9)
    assert r != sr.analyze(g, slow(), latency=True, pipelined=True).at(V=10**9)
    assert r.unbound.placed is r.placed
    assert "dgx-h100-2" in repr(sr.analyze(g, "dgx-h100-2"))


def test_its_document() -> None:
    r = sr.analyze(all_reduce("V", group="n", link="X"), slow(), sizes={"n": 16}, latency=True)
    found = analysis_document(r.at(V=32 * 10**9, n=16))
    assert found["chip"] == "h100-sxm"
    system = found["system"]
    assert (system["composition"], system["latency"]) == ("phases add", True)
    inside, across = system["axes"][0]["parts"]
    assert system["axes"][0]["size"] == "16"
    assert (inside["level"], inside["size"], inside["time"]["exact"]) == ("node", "8", "28/225")
    assert (across["level"], across["hops"]["exact"]) == ("nodes", "2")
    x = r.crossover("V", term="network")
    assert (
        crossover_document(r, x, x, "network", None)["question"]["system"]["name"] == "16xh100-sxm"
    )
    assert "system" not in analysis_document(sr.analyze(sr.load("mlp"), "h100-sxm"))


def test_formulas_may_be_bound_further() -> None:
    r = sr.analyze(sr.load("mn,nk->mk"), "h100-sxm")
    M, k = sr.symbols("M k")
    assert r.at(m="4*n").at(n=64).flops.expr == 2 * 256 * 64 * k
    assert r.at(m="M/n").at(M=512).at(n=64).flops.expr == 2 * 512 * k
    assert r.at(m="M/n").flops.expr == 2 * M * k
    assert r.at(m="n", n="m").at(m=2).bindings["m"] == 2
    assert r.at(m="n", n="2*m").flops == r.flops.at(m="n", n="2*m")  # at once: no chain
    with pytest.raises(UnknownNameError, match="unknown symbol 'M'"):
        r.at(M=3)


# --- bad input ----------------------------------------------------------------------------------


def _sharded() -> sr.Graph:
    g = sr.Graph("whole")
    g.input("x", ("B", "D"), "bf16", sharding=("X", None)) * 2
    return g


def _fused() -> sr.Graph:
    g = sr.Graph("fused")
    x = ops.exp(g.input("x", ("V",), "fp32"))
    ops.all_reduce(x, group=8)
    return passes.fuse(g, list(g.ops))


REFUSED: dict[str, tuple[Any, str]] = {
    "no links": (
        lambda: sr.analyze(all_reduce(group=2), sr.System("epyc-7452", 2)),
        "op 'all_reduce_0' sends over 'link', and 2xepyc-7452 has no links",
    ),
    "unknown axis of a collective": (
        lambda: sr.analyze(_other_link(), "8xh100-sxm"),
        r"unknown axis 'Z'; known: X, Y, link \(a collective names it as its link\)",
    ),
    "unknown axis": (
        lambda: sr.analyze(mlp(sr.Mesh(X=4, Y=2)), "8xh100-sxm", axes={"x": "link"}),
        "unknown axis 'x'",
    ),
    "unknown level": (
        lambda: sr.analyze(mlp(sr.Mesh(X=4, Y=2)), "8xh100-sxm", axes={"X": "node"}),
        "unknown level of 8xh100-sxm 'node'",
    ),
    "axes of nothing": (
        lambda: sr.analyze(sr.load("mlp"), "8xh100-sxm", axes={"X": "link"}),
        "unknown axis 'X'",
    ),
    "too large": (lambda: sr.analyze(mlp(sr.Mesh(X=4, Y=4)), "8xh100-sxm"), "no room for 4 chips"),
    "whole graph": (
        lambda: sr.analyze(_sharded(), "8xh100-sxm"),
        r"tensor 'x' of 'whole' is sharded, .* analyze passes.shard\(graph, mesh\)",
    ),
    "broadcast over levels": (
        lambda: sr.analyze(_broadcast(), "dgx-h100-2"),
        "op 'broadcast_0': broadcast is not composed over levels",
    ),
    "bytes that are stated": (
        lambda: sr.analyze(_stated(), "dgx-h100-2"),
        "op 'own': it states its link bytes, and X spans X_node, X_nodes",
    ),
    "fused": (
        lambda: sr.analyze(_fused(), sr.System("h100-sxm", 8, Ring(8))),
        "a fused op sends over link, a ring of 8; fuse after, not before",
    ),
    "no latency": (
        lambda: sr.analyze(all_reduce(group=8), "8xh100-sxm", latency=True),
        "latency: level 'link' of 8xh100-sxm says none; give it one, as in latency = '1 us'",
    ),
    "latency of a chip": (
        lambda: sr.analyze(all_reduce(group=8), "h100-sxm", latency=True),
        "latency: h100-sxm is one chip",
    ),
    "pipelined chip": (
        lambda: sr.analyze(all_reduce(group=8), "h100-sxm", pipelined=True),
        "pipelined: h100-sxm is one chip",
    ),
    "machine": (lambda: sr.analyze(all_reduce(group=8), "dgx-h10"), "did you mean 'dgx-h100'"),
    "open": (
        lambda: sr.analyze(all_reduce(group="n", link="X"), "dgx-h100-2"),
        "whether n chips fit node, with room for 8, is open",
    ),
}


def _other_link() -> sr.Graph:
    local = mlp(sr.Mesh(X=4, Y=2))
    ops.all_reduce(local.input("z", 8, "int8"), group=2, link="Z")
    return local


def _broadcast() -> sr.Graph:
    g = sr.Graph("g")
    ops.broadcast(g.input("x", 8, "int8"), group=16, link="X")
    return g


def _stated() -> sr.Graph:
    g = all_reduce(group=16, link="X")
    x = g.input("y", 8, "int8")
    ops.custom("own", inputs=[x], output_shape=(1,), flops=0, link_bytes=8, link="X")
    return g


@pytest.mark.parametrize("what", REFUSED)
def test_bad_input_is_one_clear_line(what: str) -> None:
    made, message = REFUSED[what]
    with pytest.raises((InputError, UnknownNameError, GraphError), match=message) as error:
        made()
    assert isinstance(error.value, SymroofError)
    assert "\n" not in str(error.value)


def test_groups_of_one_chip_need_no_links() -> None:
    chip = sr.Chip("bare", peak={"bf16": "1 TFLOP/s"}, memory={"hbm": "1 TB/s"})
    unlinked = sr.System(chip, 2)
    assert sr.analyze(all_reduce(group=1), unlinked).t_network.expr == 0
    r = sr.analyze(mlp(sr.Mesh(X=1, Y=1)), unlinked).at(B=2, D=4, F=8)
    assert r.t_network.expr == 0
    assert r.t_compute.value == Rational(2 * (2 * 2 * 4 * 8), 10**12)
    with pytest.raises(InputError, match="bare has no links"):
        sr.analyze(mlp(sr.Mesh(X=1, Y=2)), unlinked)


def test_one_chip_sends_nothing() -> None:
    g = all_reduce("V", group="n")
    for r in (
        sr.analyze(g, "8xh100-sxm").at(n=1),
        sr.analyze(all_reduce("V", group=1), "1xh100-sxm"),
    ):
        assert r.t_network.expr == 0
        assert r.link_intensity is None
        assert r.critical_link_intensity is None
        assert r.verdict(V=5) is sr.Bound.NO_WORK
        assert r.at(V=5).utilisation()["network"].value == Integer(0)


def test_numbers_that_do_not_divide_are_refused() -> None:
    r = sr.analyze(mlp(sr.Mesh(X=4, Y=2)), "8xh100-sxm")
    assert r.at(B=1024).bindings["B"] == 1024
    with pytest.raises(SymroofError, match="dim B of x, 1026, does not divide over X = 4"):
        r.at(B=1026)
    two = sr.analyze(all_reduce(group="n", link="X"), "dgx-h100-2", sizes={"n": 16})
    with pytest.raises(InputError, match="n = 12, does not lie evenly on nodes"):
        two.at(n=12)


def test_counts_that_are_formulas_stay_one_or_more() -> None:
    r = sr.analyze(
        mlp(sr.Mesh(X="X", Y="Y")),
        sr.Chip(
            "c",
            peak={"bf16": "1 TFLOP/s"},
            memory={"hbm": "1 TB/s"},
            link={"X": "1 GB/s", "Y": "1 GB/s"},
        ),
    ).at(B=9216, D=9216, F=96, Y="12/X")
    assert r.minimise("X", "network").whole.last == 12
    assert r.crossover("X", term="network").last == 12
