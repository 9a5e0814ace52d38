"""Systems: levels, whose bandwidth a figure is, files, and what is refused."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest
from sympy import Integer

import symroof as sr
from symroof.errors import InputError, SymroofError, UnitError, UnknownNameError
from symroof.hardware import System, machine
from symroof.hardware.system_catalog import counted
from symroof.network import FullyConnected, Line, Ring, Switch, Torus, Tree

NODE = {"topology": "switch", "size": 8}


def own_chip(link: Any = "450 GB/s") -> sr.Chip:
    return sr.Chip("mine", peak={"bf16": "1 PFLOP/s"}, memory={"hbm": "3 TB/s"}, link=link)


def gigabytes(system: System, level: str = "link") -> Any:
    return system.level(level).per_chip.value.value_in("GB/s")


# --- whose bandwidth ----------------------------------------------------------------------------


def test_one_level_has_the_link_of_the_chip() -> None:
    system = sr.System("h100-sxm", count=8)
    (level,) = system.levels
    assert (level.name, level.topology, system.count) == ("link", Switch(8), 8)
    assert level.per_chip.text == "450 GB/s"
    assert level.per_chip.source == sr.chip("h100-sxm").links[0].bandwidth.source
    assert level.assumption.endswith("half of 900 GB/s bidirectional")


@pytest.mark.parametrize(
    ("topology", "ports"),
    [
        (Switch(8), 1),
        (FullyConnected(8), 7),
        (Ring(8), 2),
        (Line(8), 2),
        (Torus((2, 4)), 4),
        (Tree(8), 3),
    ],
)
def test_per_link_times_ports(topology: Any, ports: int) -> None:
    system = sr.System(own_chip(), count=8, topology=topology, per_link="10 GB/s")
    assert gigabytes(system) == 10 * ports
    assert gigabytes(sr.System(own_chip(), 8, topology, per_chip="10 GB/s")) == 10


def test_egress_of_a_node_is_shared_by_its_chips() -> None:
    nodes = {"topology": "switch", "size": 4, "per_node": "400 GB/s"}
    system = sr.System(own_chip(), level={"node": NODE, "nodes": nodes})
    assert (system.count, gigabytes(system, "nodes")) == (32, 50)
    assert "400 GB/s shared by 8" in system.assumptions[-1]
    # Of a host of four chips inside a torus of 64.
    torus = {"topology": "torus 8x8"}
    pods = {"topology": "switch", "size": 2, "per_node": "25 GB/s", "chips_per_node": 4}
    assert sr.System(own_chip(), level={"pod": torus, "pods": pods}).level(
        "pods"
    ).per_chip.value == sr.Quantity("25/4", "GB/s")


@pytest.mark.parametrize("basis", ["per_chip", "per_link"])
@pytest.mark.parametrize(
    "given",
    [
        "100 GB/s",
        "100 GB/s per direction",
        "200 GB/s bidirectional",
        {"value": "200 GB/s bidirectional", "source": "x"},
        "800 Gbit/s",
        sr.Quantity("100 GB/s"),
    ],
)
def test_both_directions_are_halved_where_a_figure_says_so(basis: str, given: Any) -> None:
    assert gigabytes(sr.System(own_chip(), 4, **{basis: given})) == 100
    table = {"topology": "switch", "size": 4, basis: "200 GB/s", "bidirectional": True}
    found = sr.System(own_chip(), level={"node": table}).level("node")
    assert found.per_chip.text == "100 GB/s"
    assert found.halved_from == "200 GB/s"
    assert "half of 200 GB/s bidirectional" in found.assumption


def test_links_of_a_torus_that_are_not_used_send_nothing() -> None:
    """A v5e chip has four links of 50 GB/s; a ring uses two of them."""
    assert gigabytes(sr.System("tpu-v5e", 16, Torus((4, 4)))) == 200
    ring = sr.System("tpu-v5e", 16, Ring(16))
    assert gigabytes(ring) == 100
    assert "2 of 4 links" in ring.assumptions[0]
    with pytest.raises(InputError, match="a torus 2x2x2 needs 6 links of a chip, and there are 4"):
        sr.System("tpu-v5e", 8, Torus((2, 2, 2)))


def test_a_group_of_a_full_mesh_has_the_links_between_its_chips() -> None:
    assert gigabytes(sr.system("8xmi300x")) == 448
    assert gigabytes(sr.system("4xmi300x")) == 3 * 64
    assert gigabytes(sr.system("2xmi300x")) == 64


def test_symbols() -> None:
    X, Y, W = sr.symbols("X Y W")
    rate = sr.Quantity(W, "byte/s")
    system = sr.System(own_chip(), count=X * Y, topology=Torus((X, Y)), per_link=rate)
    assert system.count == X * Y
    assert system.level("link").per_chip.value == 4 * rate
    cluster = sr.System(
        "h100-sxm",
        level={"node": NODE, "nodes": {"topology": "switch", "size": "M", "per_node": "400 GB/s"}},
    )
    assert cluster.count == 8 * sr.symbols("M")
    assert str(cluster.aggregate.egress("nodes").at(M=4)) == "1600000000000 byte/s"


def test_totals_are_apart_from_what_a_chip_has() -> None:
    system = sr.system("dgx-h100-2")
    whole = system.aggregate
    assert whole.peak("bf16").resolved() == 16 * sr.Quantity("989 TFLOP/s")
    assert whole.bandwidth().resolved() == 16 * sr.Quantity("3.35 TB/s")
    assert whole.capacity() == sr.Quantity("1280 GB")
    assert whole.egress("nodes") == sr.Quantity("800 GB/s")
    rows = {fact.quantity: fact.value for fact in system.describe()}
    assert rows["nodes: switch of 2, per chip, one direction"] == "50 GB/s"
    assert rows["aggregate egress into nodes"] == "800 GB/s"
    assert all("aggregate" in what or "chip" in what for what in rows)


# --- names --------------------------------------------------------------------------------------


def test_numbers_of_chips() -> None:
    assert sr.system("8xh100-sxm") == sr.system(" 8 x H100 SXM ")
    assert sr.system("8×h100-sxm").count == 8
    assert sr.system("8xh100-sxm").title == "8 NVIDIA H100 SXM5 80 GB"
    assert sr.system("8xmi300x").levels[0].topology == FullyConnected(8)
    assert sr.system("1xmi300x").levels[0].topology == Switch(1)
    assert sr.system("1xtpu-v5e").levels[0].topology == Switch(1)
    assert counted("h100-sxm") is None


@pytest.mark.parametrize(
    ("name", "shape", "wrap"),
    [
        ("4x4xtpu-v5e", (4, 4), (False, False)),
        ("16x4xtpu-v5e", (16, 4), (True, False)),
        ("16x16xtpu-v6e", (16, 16), (True, True)),
        ("32xtpu-v5e", (4, 8), (False, False)),
        ("256xtpu-v5e", (16, 16), (True, True)),
        ("4x4x8xtpu-v4", (4, 4, 8), (True,) * 3),
        ("2x2x2xtpu-v5p", (2, 2, 2), (False,) * 3),
        ("64xtpu-v5p", (4, 4, 4), (True,) * 3),
        ("32xtpu-v5p", (2, 4, 4), (False,) * 3),
    ],
)
def test_slices_of_a_torus(name: str, shape: tuple[int, ...], wrap: tuple[bool, ...]) -> None:
    """As the pods are built: an axis wraps at 16 chips in 2D, a slice of 4 x 4 x 4 cubes in 3D."""
    topology = sr.system(name).levels[0].topology
    assert (topology.shape, topology.wrap) == (shape, wrap)


def test_a_machine_is_a_chip_or_a_system() -> None:
    assert machine("h100-sxm") == sr.chip("h100-sxm")
    assert machine("HGX H100") == sr.system("dgx-h100")
    assert machine("2xh100-sxm") == sr.system("2xh100-sxm")


# --- files --------------------------------------------------------------------------------------


SAVED = {
    "catalogue": lambda: sr.system("dgx-h100-2"),
    "torus": lambda: sr.System("tpu-v5e", 64, Torus((16, 4), wrap=(True, False)), latency="1 us"),
    "tree": lambda: sr.System(own_chip(), 15, Tree(15, arity=4), per_link="9 GB/s"),
    "symbols": lambda: sr.System(own_chip(), "n", Ring("n"), per_chip=sr.Quantity("W", "byte/s")),
    "own chip": lambda: sr.System(own_chip("900 GB/s bidirectional"), 4, notes=["mine"]),
    "levels": lambda: sr.System(
        own_chip(),
        name="pods",
        title="Two pods",
        aliases=["x"],
        level={
            "pod": {"topology": "mesh 4x4", "per_link": "90 GB/s bidirectional"},
            "pods": {
                "topology": "switch",
                "size": "M",
                "per_node": {"value": "25 GB/s", "source": "someone", "confidence": "low"},
                "chips_per_node": 4,
                "kind": "data centre network",
                "latency": "10 us",
            },
        },
    ),
    "no links": lambda: sr.System("epyc-7452", count=2),
}


@pytest.mark.parametrize("what", SAVED)
def test_what_is_saved_loads_back_equal(what: str, tmp_path: Path) -> None:
    made = SAVED[what]()
    made.save(tmp_path / "one.toml")
    again = System.load(tmp_path / "one.toml")
    assert again == made
    assert hash(again) == hash(made)
    again.save(tmp_path / "two.toml")
    assert (tmp_path / "one.toml").read_bytes() == (tmp_path / "two.toml").read_bytes()
    assert machine(tmp_path / "one.toml") == made
    assert pickle.loads(pickle.dumps(made)) == made
    assert made != sr.system("dgx-a100")


def test_the_chip_of_a_file_may_be_a_file_beside_it(tmp_path: Path) -> None:
    own_chip().save(tmp_path / "mine.toml")
    (tmp_path / "four.toml").write_text('schema_version = 1\nchip = "mine.toml"\ncount = 4\n')
    assert System.load(tmp_path / "four.toml").chip == own_chip()
    assert machine(str(tmp_path / "mine.toml")) == own_chip()


def test_it_does_not_change() -> None:
    with pytest.raises(AttributeError):
        sr.system("dgx-h100").count = Integer(9)  # type: ignore[misc]


# --- bad input ----------------------------------------------------------------------------------

REFUSED: dict[str, tuple[Any, str]] = {
    "another size": (lambda: sr.System("h100-sxm", 8, Ring(4)), "a ring of 4 has 4 chips, not 8"),
    "another shape": (
        lambda: sr.System("tpu-v5e", 8, "torus 4x4"),
        "a torus 4x4 has 16 chips, not 8",
    ),
    "levels of another count": (
        lambda: sr.System("h100-sxm", 16, level={"node": NODE}),
        r"16 chips, but the levels have 8 \(node\)",
    ),
    "both directions": (
        lambda: sr.System("h100-sxm", 8, per_chip="900 GB/s"),
        "900 GB/s is both directions of NVLink 4 added; write '900 GB/s bidirectional', or '450",
    ),
    "a bare number": (lambda: sr.System("h100-sxm", 8, per_chip=450), "bare number"),
    "bits or bytes": (lambda: sr.System("h100-sxm", 8, per_chip="400 Gb/s"), "Gbit or GB"),
    "FLOPs": (lambda: sr.System("h100-sxm", 8, per_chip="1 TFLOP/s"), "expected byte/s"),
    "zero": (lambda: sr.System("h100-sxm", 8, per_chip="0 GB/s"), "not positive"),
    "latency": (lambda: sr.System("h100-sxm", 8, latency="1 GB"), "expected s, as in '1 us'"),
    "nobody's bandwidth": (
        lambda: sr.System("h100-sxm", level={"node": {**NODE, "bandwidth": "1 GB/s"}}),
        "say whose bandwidth it is: per_chip, per_link, per_node",
    ),
    "two of them": (
        lambda: sr.System("h100-sxm", 8, per_chip="1 GB/s", per_link="1 GB/s"),
        "per_chip and per_link say the same",
    ),
    "a slip": (
        lambda: sr.System("h100-sxm", level={"node": {**NODE, "per_chp": "1 GB/s"}}),
        "unknown field 'per_chp'; did you mean 'per_chip'",
    ),
    "a topology": (lambda: sr.System("h100-sxm", 8, "rings"), "did you mean 'ring'"),
    "no second link": (
        lambda: sr.System("h100-sxm", level={"node": NODE, "nodes": {**NODE}}),
        "give per_chip, per_link or per_node",
    ),
    "no link": (
        lambda: sr.System("epyc-7452", 2, "switch"),
        "the chip has no link; give per_chip, per_link or per_node",
    ),
    "no count": (lambda: sr.System("h100-sxm"), "say how many chips"),
    "count": (lambda: sr.System("h100-sxm", 0), "whole number of 1 or more"),
    "half": (lambda: sr.System("h100-sxm", "7/2"), "whole number of 1 or more"),
    "no shape": (lambda: sr.System("tpu-v5e", 16), "say its shape, as in topology='torus 4x4'"),
    "twice": (
        lambda: sr.System("h100-sxm", 8, "ring", level={"node": NODE}),
        "the levels say it, so leave topology out",
    ),
    "no table": (lambda: sr.System("h100-sxm", level={"node": 8}), "expected a table"),
    "level name": (lambda: sr.System("h100-sxm", level={"a b": NODE}), "'a b' is not a name"),
    "shared by": (
        lambda: sr.System("h100-sxm", level={"n": {**NODE, "chips_per_node": 4}}),
        "goes with per_node",
    ),
    "no chip": (lambda: sr.System("h100-sxn", 8), "did you mean 'h100-sxm'"),
    "too many peers": (lambda: sr.system("9xmi300x"), "at most 8 in a full mesh"),
    "no torus": (lambda: sr.system("4x4xh100-sxm"), "is on no torus"),
    "too many axes": (lambda: sr.system("2x2x2xtpu-v5e"), "at most 2 axes, not 3"),
    "none": (lambda: sr.system("0xh100-sxm"), "expected 1 to"),
    "which chip": (lambda: sr.system("8xa100"), "fits several chips"),
    "which system": (lambda: sr.system("dgx-h10"), "did you mean 'dgx-h100'"),
    "which machine": (lambda: machine("dgx-h10"), "did you mean 'dgx-h100'"),
    "no name": (lambda: sr.system(8), "named by a text"),
    "no level": (lambda: sr.system("dgx-h100").level("nod"), "did you mean 'node'|known: node"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_bad_input_is_one_clear_line(what: str) -> None:
    made, message = REFUSED[what]
    with pytest.raises((InputError, UnitError, UnknownNameError), match=message) as error:
        made()
    assert isinstance(error.value, SymroofError)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('schema_version = 1\nchip = "h100-sxm"\ncont = 8\n', "did you mean 'count'"),
        ('chip = "h100-sxm"\ncount = 8\n', "schema_version is missing"),
        ("schema_version = 1\nchip = 3\ncount = 8\n", "a name, a file or a table"),
        ('schema_version = 1\nchip = "h100-sxm"\ncount = 8\n[level.node]\n', "topology"),
        ("schema_version = 1\ncount = \n", "not TOML"),
    ],
)
def test_a_bad_file_is_one_line_with_its_name(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(SymroofError, match=message) as error:
        System.load(path)
    assert str(error.value).startswith(str(path))
