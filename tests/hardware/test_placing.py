"""Axes on levels, against the chips numbered one by one."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import Any

import pytest
from sympy import Integer

import symroof as sr
from symroof.errors import InputError, SymroofError, UnknownNameError
from symroof.hardware.placing import place, placed_on
from symroof.network import FullyConnected, Line, Ring, Switch, Torus

SIZES = (8, 4)
"""Chips of a node, and nodes."""


def two_levels(inner: int = 8, outer: int = 4) -> sr.System:
    node = {"topology": "switch", "size": inner, "per_chip": "400 GB/s"}
    nodes = {"topology": "switch", "size": outer, "per_chip": "50 GB/s"}
    return sr.System("h100-sxm", level={"node": node, "nodes": nodes})


def sizes(**axes: int) -> dict[str, Integer]:
    return {name: Integer(size) for name, size in axes.items()}


def parts(placed: Any) -> dict[str, int]:
    return {part.level: part.topology.size for part in placed.parts}


def groups_of(mesh: tuple[int, ...], axis: int) -> list[list[int]]:
    """The chips of each group along an axis; the first axis counts fastest."""
    strides = [prod(mesh[:at]) for at in range(len(mesh))]
    found: dict[tuple[int, ...], list[int]] = {}
    for place_ in product(*map(range, mesh)):
        rest = (*place_[:axis], *place_[axis + 1 :])
        chip = sum(at * stride for at, stride in zip(place_, strides, strict=True))
        found.setdefault(rest, []).append(chip)
    return list(found.values())


MESHES = [
    mesh
    for count in (1, 2, 3)
    for mesh in product((1, 2, 4, 8, 16, 32), repeat=count)
    if prod(mesh) <= 32
]


@pytest.mark.parametrize("mesh", MESHES)
def test_every_mesh_lies_as_numbered_chips_do(mesh: tuple[int, ...]) -> None:
    """In each group as many chips share a node, and as many nodes are met, as the parts say."""
    names = "XYZ"[: len(mesh)]
    found = place(two_levels(), sizes(**dict(zip(names, mesh, strict=True))))
    for axis, name in enumerate(names):
        inside = parts(found[name]).get("node", 1)
        across = parts(found[name]).get("nodes", 1)
        assert inside * across == mesh[axis]
        for group in groups_of(mesh, axis):
            nodes = [chip // 8 for chip in group]
            assert len(set(nodes)) == across
            assert all(nodes.count(node) == inside for node in nodes)


def test_bandwidths_are_those_of_the_levels() -> None:
    found = place(two_levels(), sizes(X=4, Y=8))
    assert [part.bandwidth.text for part in found["X"].parts] == ["400 GB/s"]
    assert [part.bandwidth.text for part in found["Y"].parts] == ["400 GB/s", "50 GB/s"]
    assert [part.link for part in found["Y"].parts] == ["Y_node", "Y_nodes"]
    assert str(found["Y"]) == "Y: switch of 2 on node, then switch of 4 on nodes"


def test_axes_that_are_told_leave_the_others_what_is_left() -> None:
    found = place(two_levels(), sizes(X=4, Y=8), {"X": "nodes"})
    assert (parts(found["X"]), parts(found["Y"])) == ({"nodes": 4}, {"node": 8})
    spread = place(two_levels(), sizes(X=16, Y=2), {"X": ["node", "nodes"], "Y": "nodes"})
    assert (parts(spread["X"]), parts(spread["Y"])) == ({"node": 8, "nodes": 2}, {"nodes": 2})


def test_a_torus_gives_each_axis_its_own() -> None:
    """Each axis has its share of the ports: two of six for one."""
    system = sr.System("tpu-v5p", 16 * 20 * 28, Torus((16, 20, 28)))
    found = place(system, sizes(X=16, Y=20, Z=28))
    assert [at.parts[0].topology for at in found.values()] == [Ring(16), Ring(20), Ring(28)]
    assert {at.parts[0].bandwidth.text for at in found.values()} == {"200 GB/s"}
    joint = place(system, sizes(X=320, Y=28))
    assert joint["X"].parts[0].topology == Torus((16, 20))
    assert [at.parts[0].bandwidth.text for at in joint.values()] == ["400 GB/s", "200 GB/s"]
    assert place(system, sizes(X=8960))["X"].parts[0].topology == Torus((16, 20, 28))
    other = place(system, sizes(X=28, Y=320), {"X": "link.2"})
    assert other["Y"].parts[0].topology == Torus((16, 20))
    assert place(system, sizes(X=1, Y=16))["X"].parts[0].topology == Switch(1)


def test_lines_and_rings_hold_one_axis() -> None:
    ring = sr.System("h100-sxm", 8, Ring(8))
    assert place(ring, sizes(X=8))["X"].parts[0].topology == Ring(8)
    assert place(ring, sizes(X=4))["X"].parts[0].topology == Line(4)  # no way round
    with pytest.raises(InputError, match="a ring of 8 holds one axis"):
        place(ring, sizes(X=4, Y=2))
    line = sr.System("tpu-v5e", 4, Line(4))
    assert place(line, sizes(X=2))["X"].parts[0].topology == Line(2)


def test_a_full_mesh_has_the_links_of_the_group() -> None:
    found = place(sr.system("mi300x-platform"), sizes(X=4, Y=2))
    assert [at.parts[0].topology for at in found.values()] == [FullyConnected(4), FullyConnected(2)]
    assert [at.parts[0].bandwidth.text for at in found.values()] == ["192 GB/s", "64 GB/s"]


def test_symbols_are_held_to_what_there_is() -> None:
    n, m = sr.symbols("n m")
    one = place(sr.system("dgx-h100"), {"X": n, "Y": m})
    assert (one["X"].conditions, one["Y"].conditions) == (((n, 8),), ((m, 8 / n),))
    torus = place(sr.system("tpu-v5e-pod"), {"X": n, "Y": m})
    assert torus["X"].conditions == ((n, 16), (16, n))
    assert torus["X"].parts[0].topology == Ring(n)
    told = place(two_levels(), {"X": n}, {"X": ["node", "nodes"]})
    assert parts(told["X"]) == {"node": 8, "nodes": n / 8}
    assert (1, n / 8) in told["X"].conditions
    sized = place(two_levels(), {"X": n}, sizes={"n": 16})
    assert parts(sized["X"]) == {"node": 8, "nodes": n / 8}
    assert parts(place(two_levels(), {"X": n}, sizes={"n": 4})["X"]) == {"node": n}
    mesh = place(sr.system("mi300x-platform"), {"X": n}, sizes={"n": 4})["X"]
    assert mesh.conditions == ((n, 8), (2, n))
    assert (
        place(sr.System("h100-sxm", "N", Ring("N")), {"X": sr.symbols("N")})["X"].conditions == ()
    )


def test_a_level_may_be_named_itself() -> None:
    assert parts(placed_on(two_levels(), "nodes", None)) == {"nodes": 4}
    assert parts(placed_on(two_levels(), "nodes", Integer(2))) == {"nodes": 2}


REFUSED: dict[str, tuple[Any, str]] = {
    "too many": (lambda: place(two_levels(), sizes(X=64)), "no room for 64 chips: .* has 8 x 4$"),
    "too many left": (
        lambda: place(sr.system("dgx-h100"), sizes(X=4, Y=4)),
        "axis Y: no room for 4 chips: dgx-h100 has 8, with 2 left",
    ),
    "too many left of two levels": (
        lambda: place(two_levels(), sizes(X=4, Y=16)),
        "axis Y: no room for 16 chips: .* has 8 x 4, with 8 left$",
    ),
    "a level twice": (
        lambda: place(two_levels(), sizes(X=8), {"X": ["node", "node"]}),
        r"axes\['X'\]: 'node' is named twice",
    ),
    "a level and an axis of it": (
        lambda: place(sr.system("tpu-v5e-pod"), sizes(X=256), {"X": ["pod", "pod.0"]}),
        r"axes\['X'\]: 'pod' is named twice",
    ),
    "no sizes": (
        lambda: place(two_levels(), sizes(X=8), sizes=3),  # type: ignore[arg-type]
        r"sizes: expected numbers by symbol, as in \{'n': 16\}, not 3",
    ),
    "by size": (
        lambda: place(sr.system("dgx-h100"), {"X": sr.symbols("n")}, sizes={"n": 9}),
        "no room for n = 9 chips",
    ),
    "no multiple": (lambda: place(two_levels(), sizes(X=12)), "no multiple of the room for 8 on"),
    "no whole room": (lambda: place(two_levels(), sizes(X=3, Y=8)), "no multiple of the room"),
    "open": (
        lambda: place(two_levels(), {"X": sr.symbols("n")}),
        r"whether n chips fit node, with room for 8, is open; .* axes=\{'X': 'node'\}",
    ),
    "told too many": (
        lambda: place(two_levels(), sizes(X=16), {"X": "node"}),
        "no room for 16 chips on node, which has 8 left",
    ),
    "axes of a torus": (
        lambda: place(sr.system("tpu-v5e-pod"), sizes(X=8)),
        "8 chips are no axes of the torus 16x16: 16 x 16 are left",
    ),
    "taken": (
        lambda: place(sr.system("tpu-v5e-pod"), sizes(X=16, Y=16), {"X": "pod.0", "Y": "pod.0"}),
        "taken there by another axis",
    ),
    "no axis there": (
        lambda: place(sr.system("tpu-v5e-pod"), sizes(X=16), {"X": "pod.2"}),
        "pod.2 is no axis of the torus 16x16: 0 to 1 are",
    ),
    "no torus": (
        lambda: place(two_levels(), sizes(X=8), {"X": "node.0"}),
        "node is a switch, which has no axes",
    ),
    "unknown axis": (lambda: place(two_levels(), sizes(X=8), {"x1": "node"}), "unknown axis 'x1'"),
    "unknown level": (lambda: place(two_levels(), sizes(X=8), {"X": "nod"}), "mean 'node'"),
    "no mapping": (lambda: place(two_levels(), sizes(X=8), "node"), "a level by axis"),
    "no links": (lambda: place(sr.System("epyc-7452", 2), sizes(X=2)), "has no links"),
    "two of a name": (
        lambda: place(two_levels(), sizes(X=16, X_node=1)),
        "two links are called 'X_node'",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_bad_input_is_one_clear_line(what: str) -> None:
    made, message = REFUSED[what]
    with pytest.raises((InputError, UnknownNameError), match=message) as error:
        made()
    assert isinstance(error.value, SymroofError)
