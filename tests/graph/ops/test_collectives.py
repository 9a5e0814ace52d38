"""Collectives: a ring simulated step by step, conservation, published numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from sympy import Rational

from symroof import ops
from symroof.errors import InputError, ShapeError, UnknownNameError
from symroof.graph import Graph, load
from symroof.network import Line, Ring, Switch, Torus, algorithms, flow
from symroof.network.topology import topology
from symroof.symbolic import bind, symbols

B, F, T, n = symbols("B F T n")
NAMES = ["all_gather", "reduce_scatter", "all_reduce", "all_to_all", "broadcast", "send"]


def ring_all_gather(chips: int) -> tuple[list[int], bool]:
    """Shards each chip sends when all pass on what they got last, and whether all hold all."""
    held = [{chip} for chip in range(chips)]
    last = list(range(chips))
    sent = [0] * chips
    while any(len(shards) < chips for shards in held):
        passed = [last[(chip - 1) % chips] for chip in range(chips)]
        for chip in range(chips):
            sent[chip] += 1
            held[chip].add(passed[chip])
        last = passed
    return sent, all(len(shards) == chips for shards in held)


def pipelined_broadcast(chips: int, pieces: int) -> list[int]:
    """Pieces each chip of a chain sends until the last one has them all."""
    arrived = [pieces] + [0] * (chips - 1)
    sent = [0] * chips
    while arrived[-1] < pieces:
        before = list(arrived)
        for chip in range(chips - 1):
            if sent[chip] < before[chip]:
                sent[chip] += 1
                arrived[chip + 1] += 1
    return sent


def one(name: str, shape: tuple[Any, ...], dtype: str = "bf16", **options: Any) -> Graph:
    g = Graph("g")
    getattr(ops, name)(g.input("x", shape, dtype), **options)
    return g


@pytest.mark.parametrize("chips", range(1, 9))
def test_ring_forms_equal_a_simulation(chips: int) -> None:
    full = 2 * 840
    sent, complete = ring_all_gather(chips)
    assert complete
    gather = max(sent) * Fraction(full, chips)
    assert one("all_gather", (840 // chips,), group=chips).link_bytes.value == gather
    assert one("reduce_scatter", (840,), group=chips).link_bytes.value == gather
    assert one("all_reduce", (840,), group=chips).link_bytes.value == 2 * gather


@pytest.mark.parametrize("chips", range(1, 9))
def test_all_to_all_keeps_its_own_part(chips: int) -> None:
    part = Fraction(2 * 840, chips)
    sent = sum(part for other in range(chips) if other != 0)
    assert one("all_to_all", (840,), group=chips).link_bytes.value == sent


@pytest.mark.parametrize("chips", range(1, 9))
def test_broadcast_equals_a_pipelined_chain(chips: int) -> None:
    busiest = max(pipelined_broadcast(chips, 40))
    assert one("broadcast", (40,), "int8", group=chips).link_bytes.value == busiest


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("group", [1, "n"])
def test_one_chip_sends_nothing(name: str, group: Any) -> None:
    g = one(name, ("B", 64), group=group)
    values = {"B": 5} if group == 1 else {"B": 5, "n": 1}
    assert g.link_bytes.at(**values).value == 0


@pytest.mark.parametrize("name", NAMES)
def test_no_flops_and_no_main_memory(name: str) -> None:
    g = one(name, ("B", 64), group="n")
    assert g.flops.expr == 0
    assert g.bytes.expr == 0
    assert g.intensity is None
    assert "n" in g.scope.counts


def test_symbolic_forms() -> None:
    full = 2 * B * F
    assert one("all_gather", ("B", "F/n"), group="n", axis=-1).link_bytes.expr == full * (n - 1) / n
    assert one("reduce_scatter", ("B", "F"), group=n).link_bytes.expr == full * (n - 1) / n
    assert one("all_reduce", ("B", "F"), group=n).link_bytes.expr == 2 * full * (n - 1) / n


def test_shapes() -> None:
    g = Graph("g")
    x = g.input("x", ("T", 64), "bf16")
    assert ops.all_gather(x, group=4).shape == (4 * T, 64)
    assert ops.reduce_scatter(x, group=4, axis=1).shape == (T, 16)
    assert ops.all_to_all(x, group=4).shape == (T, 64)
    assert ops.all_to_all(x, group=4, split_axis=1, concat_axis=0).shape == (4 * T, 16)
    assert ops.all_to_all(x, group="n", split_axis=0, concat_axis=0).shape == (T, 64)
    assert ops.broadcast(x, group=4).shape == ops.send(x).shape == (T, 64)


def test_a_gather_undoes_a_scatter() -> None:
    g = Graph("g")
    x = g.input("x", ("B", "F"), "bf16")
    parts = ops.reduce_scatter(x, group="n", axis=1)
    whole = ops.all_gather(parts, group="n", axis=1)
    assert whole.spec is x.spec
    h = one("all_reduce", ("B", "F"), group="n")
    assert (g.link_bytes.expr - h.link_bytes.expr).expand() == 0


def test_send() -> None:
    assert one("send", ("B", 64)).link_bytes.expr == 128 * B
    assert one("send", ("B", 64), group=4).link_bytes.expr == 128 * B


def test_published_ring_time() -> None:
    """1e9 bytes over 8 chips at 450e9 B/s in each direction: 7/1800 s."""
    g = one("all_reduce", (500_000_000,), group=8)
    assert g.link_bytes.value / 450_000_000_000 == Rational(7, 1800)


def test_published_all_gathers_of_a_model() -> None:
    """Four per layer of [B, D] bf16, 8 chips: the published total is that of all chips."""
    g = Graph("g")
    x = g.input("x", ("B/N", "D"), "bf16")

    def layer(x: Any) -> Any:
        for _ in range(4):
            y = ops.all_gather(x, group="N")
        return ops.send(ops.slice(y, (slice(0, "B/N"),)), group=1)

    g.repeat("layer", "L", layer, x)
    sent = g.link_bytes.at(N=8, B=2048, D=8192, L=80).value
    assert 8 * sent == 75161927680
    assert sent / 300_000_000_000 == Rational(917504, 29296875)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "place", ["switch", "fully-connected", "ring", "line", "tree", "tree 3", "torus 2x4", "mesh 8"]
)
def test_link_bytes_are_those_of_the_network(name: str, place: str) -> None:
    shape = (840 // 8,) if name == "all_gather" else (840,)
    for algorithm in (None, *algorithms(name, topology(place, 8))):
        chosen = None if algorithm is None else algorithm.value
        g = one(name, shape, group=8, topology=place, algorithm=chosen)
        made = flow(name, topology(place, 8), 2 * 840, algorithm)
        assert g.link_bytes.value == made.egress


@pytest.mark.parametrize("name", NAMES)
def test_a_switch_is_the_default(name: str) -> None:
    plain = one(name, ("B", "F/n"), group="n", **_axis(name))
    given = one(name, ("B", "F/n"), group="n", topology="switch", **_axis(name))
    assert plain.link_bytes == given.link_bytes
    assert dict(plain.ops[0].attrs).keys().isdisjoint({"topology", "algorithm"})
    assert plain.link_bytes.expr == flow(name, Switch("n"), _volume(name, plain)).egress


def _axis(name: str) -> dict[str, int]:
    return {"axis": 1} if name == "all_gather" else {}


def _volume(name: str, g: Graph) -> Any:
    op = g.ops[0]
    return (op.outputs if name == "all_gather" else op.inputs)[0].spec.bytes


def test_symbolic_groups_on_a_ring() -> None:
    g = one("all_to_all", (840,), group="n", topology="ring")
    for chips in range(1, 18):
        # Every two chips exchange a part, over as many links as lie between them.
        crossed = sum(min(far, chips - far) for far in range(chips))
        assert g.link_bytes.at(n=chips).value == Rational(2 * 840 * crossed, chips)


def test_topologies_as_objects() -> None:
    for place in (Ring(8), Torus((2, 4), (True, False)), Line(8)):
        g = one("all_reduce", (840,), group=8, topology=place)
        assert dict(g.ops[0].attrs)["topology"] == place.name
        assert g.link_bytes.value == flow("all_reduce", place, 1680).egress
    h = one("all_reduce", (840,), group="X*Y", topology=Torus(("X", "Y")))
    assert h.scope.counts == {"X", "Y"}
    assert h.link_bytes.at(X=4, Y=2).value == 2 * 1680 * Rational(7, 8)


@pytest.mark.parametrize(
    "options",
    [
        {"topology": "ring"},
        {"topology": "torus 2x4", "algorithm": "all-axes"},
        {"topology": "ring 2 x line 4"},
        {"algorithm": "in-network"},
        {"topology": "tree 4", "link": "ib"},
    ],
)
def test_specs_keep_topologies(options: dict[str, str], tmp_path: Any) -> None:
    g = one("all_reduce", ("B", 64), group=8, **options)
    g.save(tmp_path / "g.toml")
    again = load(tmp_path / "g.toml")
    assert again.ops[0].attrs == g.ops[0].attrs
    assert again.link_bytes == g.link_bytes
    assert hash(again.ops[0].attrs) == hash(g.ops[0].attrs)
    text = (tmp_path / "g.toml").read_text(encoding="utf-8")
    for key, value in options.items():
        assert f'{key} = "{value}"' in text


def test_specs_keep_symbolic_tori(tmp_path: Any) -> None:
    g = one("all_reduce", ("B", 64), group="X*Y", topology="mesh X,Y")
    g.save(tmp_path / "g.toml")
    again = load(tmp_path / "g.toml")
    values = {"B": 3, "X": 4, "Y": 4}
    assert bind(again.link_bytes.expr, values) == 4 * Rational(5, 8) * 3 * 128


@pytest.mark.parametrize("name", NAMES)
def test_bad_networks(name: str) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'ring'"):
        one(name, (64,), group=8, topology="rings")
    with pytest.raises(UnknownNameError, match="did you mean 'direct'"):
        one(name, (64,), group=8, algorithm="dirct")
    with pytest.raises(InputError, match="torus 4x4 has 16 chips, not 8"):
        one(name, (64,), group=8, topology="torus 4x4")
    with pytest.raises(InputError, match=f"{name} algorithm: a line does not run ring"):
        one(name, (64,), group=8, topology="line", algorithm="ring")
    with pytest.raises(InputError, match="expected a name"):
        one(name, (64,), group=8, topology=8)
    with pytest.raises(InputError, match="expected one of"):
        one(name, (64,), group=8, algorithm=3)


@pytest.mark.parametrize("name", NAMES[:-1])
def test_trees_need_numbers(name: str) -> None:
    with pytest.raises(InputError, match="tree size"):
        one(name, ("n",), group="n", topology="tree")


def test_a_send_over_a_network_needs_its_group() -> None:
    with pytest.raises(InputError, match="needs the group"):
        one("send", (64,), topology="ring")
    with pytest.raises(InputError, match="needs the group"):
        one("send", (64,), algorithm="direct")
    assert one("send", (64,), group=8, topology="ring").link_bytes.value == 2 * 128


def test_links_are_named() -> None:
    g = one("all_reduce", ("B",), group=2, link="ib")
    assert g.ops[0].cost.link == "ib"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("group", [0, -2, 1.5, "3/2", True, [2]])
def test_bad_groups(name: str, group: Any) -> None:
    with pytest.raises(InputError, match=rf"{name} group"):
        one(name, (64,), group=group)


def test_other_faults() -> None:
    with pytest.raises(ShapeError, match="64 does not split into 3"):
        one("reduce_scatter", (64,), group=3)
    with pytest.raises(ShapeError, match="no axis"):
        one("all_gather", (64,), group=2, axis=1)
    with pytest.raises(InputError, match="go together"):
        one("all_to_all", (64,), group=2, split_axis=0)
    with pytest.raises(InputError, match="link"):
        one("send", (64,), link=3)
    with pytest.raises(InputError):
        one("all_gather", (64,), group=2, axis="0")
