"""Networks: bytes over which bandwidth, one chip alone, collectives made of others."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Rational

import symroof as sr
from symroof import ops
from symroof.errors import InputError
from symroof.network import Level, Phase, Ring, Switch, Torus, flow, hierarchical
from symroof.network.hierarchical import Composition
from symroof.network.names import Collective


def system(count: Any = 8, link: str = "300 GB/s", **options: Any) -> sr.System:
    """Chips of 312 TFLOP/s, which never wait for their memory."""
    peak, memory = {"bf16": "312 TFLOP/s"}, {"hbm": "1 EB/s"}
    return sr.System(sr.Chip("chip", peak=peak, memory=memory), count, per_chip=link, **options)


def serving() -> sr.Graph:
    """80 layers on a chip, each gathering four times [B, D] that all chips have a part of."""
    g = sr.Graph("serving")
    x = g.input("x", ("B", "D/n"), "bf16")

    def layer(x: sr.Tensor) -> sr.Tensor:
        for _ in range(4):
            x = ops.take_shard(ops.all_gather(x, group="n", axis=1), group="n", axis=1)
        return x

    x = g.repeat("layer", 80, layer, x)
    ops.custom("products", inputs=[x], output_shape=("B",), flops="2*B*P/n", compute="bf16")
    return g


# --- B43: N - 1, or (N - 1)/N ------------------------------------------------------------------


def test_b43_all_gather_over_the_bandwidth_of_a_chip_or_of_all(answer: Any) -> None:
    eight = system()
    r = sr.analyze(serving(), eight).at(n=8, B=2048, D=8192, P=70 * 10**9)
    assert r.t_network.value == answer["ring_reference_s"]
    bytes_of_all = eight.count * r.link_bytes
    assert bytes_of_all.value == answer["bytes"]
    egress = eight.aggregate.egress("link")
    assert egress == sr.Quantity("2.4 TB/s")
    assert (bytes_of_all / egress).value == answer["aggregate_s"]
    per_chip = eight.level("link").per_chip.value
    assert (bytes_of_all / per_chip).value == answer["per_gpu_misuse_s"]
    assert r.t_compute.value == answer["t_comp_agg_s"]
    flops_of_all = eight.count * r.flops
    assert (flops_of_all / eight.aggregate.peak("bf16")).resolved() == r.t_compute.resolved()
    assert (flops_of_all / eight.chip.peak("bf16")).value == answer["t_comp_one_gpu_s"]


@pytest.mark.parametrize("topology", [Switch, Ring, lambda n: Torus((2, n // 2))])
@pytest.mark.parametrize("op", ["all_gather", "reduce_scatter", "all_reduce", "all_to_all"])
@pytest.mark.parametrize("n", [4, 8, 16])
def test_b43_all_bytes_over_all_bandwidth_is_a_chip_s_over_its_own(
    op: str, topology: Any, n: int
) -> None:
    g = sr.Graph(op)
    getattr(ops, op)(g.input("x", (10**6 * n,), "int8"), group=n)
    many = system(n, topology=topology(n))
    r = sr.analyze(g, many)
    all_bytes = many.count * r.link_bytes
    assert (all_bytes / many.aggregate.egress("link")).value == r.t_network.value


def test_b43_names_say_whose_bandwidth_it_is() -> None:
    node = {"topology": "switch", "size": 8, "bandwidth": "2.4 TB/s"}
    with pytest.raises(InputError, match="say whose bandwidth it is: per_chip, per_link, per_node"):
        sr.System(system().chip, level={"node": node})
    shared = sr.System(
        system().chip,
        level={
            "one": {"topology": "switch", "size": 8, "per_chip": "300 GB/s"},
            "two": {"topology": "switch", "size": 2, "per_node": "2.4 TB/s"},
        },
    )
    assert shared.level("two").per_chip.value == sr.Quantity("300 GB/s")
    assert shared.aggregate.egress("two") == 2 * sr.Quantity("2.4 TB/s")


# --- B45: one chip ------------------------------------------------------------------------------


def tensor_parallel(**keywords: Any) -> sr.Graph:
    g = sr.Graph("layer")
    x, w = g.input("x", ("B", "D/n"), "bf16"), g.weight("w", ("D/n", "F"), "bf16")
    ops.all_reduce(x @ w, group="n", **keywords)
    return g


def test_b45_one_chip_has_no_network_time(answer: Any) -> None:
    for machine in (system(), system(1)):
        r = sr.analyze(tensor_parallel(), machine).at(n=1, B=64, D=4096, F=4096)
        assert r.t_network.value == answer["T_net"]
        assert r.verdict() is sr.Bound.COMPUTE
        percent = r.utilisation()["network"].resolved().to("") * 100
        assert answer["percent"] == f"{percent:.0f} %, no exception"
        assert sum(row.share or 0 for row in r.ops()) == 1
        assert r.link_intensity is None


def test_b45_any_bandwidth_is_enough_for_one_chip(answer: Any) -> None:
    assert answer["needed_NetBW"].startswith("any (condition always true)")
    r = sr.analyze(tensor_parallel(), system()).at(n=1)
    assert sr.region(r.t_compute, r.t_network, "link.link").kind is sr.Kind.ALWAYS
    at = {"B": 64, "D": 4096, "F": 4096}
    assert r.at(at).crossover("link").kind is sr.Kind.ALWAYS
    assert r.at(at).crossover("link", term="network").kind is sr.Kind.NEVER
    many = sr.analyze(tensor_parallel(), system()).at(n=8, **at)
    needed = many.crossover("link")
    # 2·7/8 of 2·B·F bytes while 2·B·D·F/8 FLOPs are done at 312 TFLOP/s.
    sent, done = Rational(7, 4) * 2 * 64 * 4096, Rational(2 * 64 * 4096 * 4096, 8 * 312 * 10**12)
    assert needed.threshold_bound == sent / done


@given(
    st.sampled_from(["all_gather", "reduce_scatter", "all_reduce", "all_to_all", "broadcast"]),
    st.sampled_from(["switch", "ring", "line", "fully-connected"]),
    st.integers(1, 64),
)
@settings(max_examples=60, deadline=None)
def test_b45_a_group_of_one_takes_no_time_on_any_topology(op: str, name: str, size: int) -> None:
    g = sr.Graph(op)
    x = g.input("x", (size, "n*V"), "int8")
    axis = {"axis": 1} if op in ("all_gather", "reduce_scatter") else {}
    getattr(ops, op)(x, group="n", topology=name, **axis)
    r = sr.analyze(g, system("N", topology=sr.Ring("N"))).at(n=1, V=10**6)
    assert r.t_network.expr == 0
    assert r.verdict() is sr.Bound.NO_WORK


# --- B46: whole all-reduces inside an all-reduce --------------------------------------------------

NODE, NODES = Level("node", Switch(8), "450 GB/s"), Level("nodes", Switch(2), "50 GB/s")
VOLUME = 32 * 10**9


def test_b46_all_reduce_over_nodes_is_a_reduce_scatter_and_an_all_gather_inside(
    answer: Any,
) -> None:
    g = sr.Graph("sum")
    ops.all_reduce(g.input("x", (VOLUME,), "int8"), group=16, link="X")
    r = sr.analyze(g, "dgx-h100-2")
    assert r.t_network.value == answer["total_s"]
    inside, across, back = (row.time.value for row in r.ops())
    assert inside == answer["reduce_scatter_s"]
    assert across == answer["inter_s"]
    assert back == answer["all_gather_s"] == answer["phase3_lower_bound_s"]
    # The two ways it has been wrong: whole all-reduces inside, and a last one of an eighth.
    whole = flow("all_reduce", Switch(8), VOLUME).time("450 GB/s").value
    eighth = flow("all_reduce", Switch(8), VOLUME // 8).time("450 GB/s").value
    assert whole + across + whole == answer["before_fix_total_s"] == parts(answer["before_fix_is"])
    assert eighth == answer["phase3_in_fix_s"]
    assert whole + across + eighth == answer["after_fix_total_s"] == parts(answer["after_fix_is"])


def parts(text: str) -> Rational:
    """The sum of the fractions in a text."""
    return sum((Rational(found) for found in re.findall(r"\d+/\d+", text)), Rational(0))


@pytest.mark.parametrize(
    "phases",
    [
        [("all_reduce", NODE, 1), ("all_reduce", NODES, 8), ("all_reduce", NODE, 1)],
        [("all_reduce", NODE, 1), ("all_reduce", NODES, 8), ("all_reduce", NODE, 8)],
        [("reduce_scatter", NODE, 1), ("all_reduce", NODES, 8), ("all_gather", NODE, 8)],
        [("reduce_scatter", NODE, 1), ("all_reduce", NODES, 8)],
        [("reduce_scatter", NODE, 1), ("all_gather", NODE, 1)],
    ],
)
def test_b46_bytes_that_are_missing_are_found(phases: Any) -> None:
    made = tuple(
        Phase(level, flow(kind, level.topology, VOLUME // part)) for kind, level, part in phases
    )
    with pytest.raises(InputError):
        Composition(Collective.ALL_REDUCE, (NODE, NODES), sr.Quantity(VOLUME, "byte").expr, made)


@given(st.integers(1, 9), st.integers(1, 9), st.sampled_from(["all_reduce", "all_gather"]))
@settings(max_examples=60, deadline=None)
def test_b46_any_two_levels_move_at_least_what_must_arrive(inner: int, outer: int, op: str) -> None:
    """A chip ends with (n − 1)/n of what it had not: no composition brings it less."""
    levels = (Level("a", Switch(inner), "1 GB/s"), Level("b", Switch(outer), "1 GB/s"))
    made = hierarchical(op, levels, "V")
    received = sum(phase.flow.received for phase in made.phases)
    V, n = sr.symbols("V"), inner * outer
    times = 2 if op == "all_reduce" else 1
    assert (received - times * V * Rational(n - 1, n)).expand() == 0
