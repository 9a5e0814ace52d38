"""Topologies: sizes, ports, names that read back, and what is refused."""

from __future__ import annotations

import pytest

from symroof.errors import InputError, UnknownNameError
from symroof.network import FullyConnected, Line, Ring, Switch, Topology, Torus, Tree
from symroof.network.topology import topology
from symroof.symbolic import symbols

X, Y, n = symbols("X Y n")
ALL = [
    Switch(8),
    FullyConnected("n"),
    Ring("2*n"),
    Line(1),
    Tree(15),
    Tree(15, arity=4),
    Torus((4, 8)),
    Torus((4, 8), wrap=False),
    Torus((16, 8), wrap=(True, False)),
    Torus(("X", "Y")),
    Torus(("X", "Y", 2), wrap=(False, True, False)),
    Torus(("max_n",)),
    Torus((3,), wrap=False),
]


@pytest.mark.parametrize("made", ALL, ids=lambda made: made.title)
def test_names_read_back(made: Topology) -> None:
    assert topology(made.name, made.size) == made
    assert topology(made, made.size) is made
    assert hash(topology(made.name, made.size)) == hash(made)


def test_ports() -> None:
    assert Switch(8).ports == 1
    assert FullyConnected(8).ports == 7
    assert FullyConnected("n").ports == n - 1
    assert Ring(2).ports == Line(9).ports == 2
    assert Tree(9).ports == 3
    assert Torus((4, 4, 4)).ports == 6
    assert Torus((4, 1, 2)).ports == 4
    assert Torus((1, 1)).ports == 0


def test_sizes_and_axes() -> None:
    assert Torus(("X", "Y")).size == X * Y
    assert Torus((4, 1, 8), wrap=(True, True, False)).axes == (Ring(4), Line(8))
    assert Ring("n").axes == (Ring(n),)
    assert Switch(4).axes == Tree(4).axes == FullyConnected(4).axes == ()
    assert topology("torus 4 x 8") == topology("torus 4x8", 32) == Torus((4, 8))
    assert topology("ring 8") == Ring(8)
    assert topology(" mesh X,Y ", "X*Y") == Torus((X, Y), wrap=False)


@pytest.mark.parametrize("size", [0, -1, 1.5, True, None, "", "1/2", "n/0", [2], "bw.link", "nan"])
@pytest.mark.parametrize("kind", [Switch, FullyConnected, Ring, Line, Tree])
def test_bad_sizes(kind, size) -> None:
    with pytest.raises(InputError) as caught:
        kind(size)
    assert "\n" not in str(caught.value)
    assert "size" in str(caught.value)


@pytest.mark.parametrize(
    ("shape", "wrap"),
    [
        ((), True),
        ((4, 0), True),
        ("4x4", True),
        (4, True),
        ((4, 4), (True,)),
        ((4, 4), "yes"),
        ((4, 4), None),
        ((4, 4), (1, 0)),
        ((2,) * 9, True),
    ],
)
def test_bad_tori(shape, wrap) -> None:
    with pytest.raises(InputError, match="torus"):
        Torus(shape, wrap)


@pytest.mark.parametrize("arity", [0, -2, True, 2.0, "2"])
def test_bad_arity(arity) -> None:
    with pytest.raises(InputError, match="tree arity"):
        Tree(8, arity)


@pytest.mark.parametrize(
    ("name", "size", "message"),
    [
        ("torus", 16, "needs its shape, as in 'torus 4x4'"),
        ("mesh", 16, "needs its shape"),
        ("torus 4x4", 8, "a torus 4x4 has 16 chips, not 8"),
        ("torus 4x4", "n", "has 16 chips, not n"),
        ("ring 4 x line 8", 16, "ring 4 x line 8 has 32 chips, not 16"),
        ("ring 1", 2, "a ring of 1 has 1 chip, not 2"),
        ("torus 4x0", 16, "torus axis 1: expected a whole number of 1 or more, not 0"),
        ("torus 4xx4", 16, "torus axis 1"),
        ("ring 4 x 8", 32, "ring"),
        ("ring", None, "needs the number of its chips"),
        ("tree x", 4, "number of children"),
        ("tree -1", 4, "number of children"),
        ("tree 9999999999", 4, "number of children"),
        ("ring" * 100, 4, "too long"),
        (8, 8, "expected a name such as 'ring'"),
        (None, 8, "expected a name such as 'ring'"),
    ],
)
def test_bad_names(name, size, message) -> None:
    with pytest.raises(InputError, match=message) as caught:
        topology(name, size)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("rings", "ring"),
        ("toruss 4x4", "torus"),
        ("fully_connected", "fully-connected"),
        ("Switch", "switch"),
        ("lines", "line"),
        ("switch 8", "switch"),
    ],
)
def test_near_names(name, near) -> None:
    with pytest.raises(UnknownNameError) as caught:
        topology(name, 16)
    assert caught.value.suggestion == near


def test_a_topology_is_one_of_them() -> None:
    with pytest.raises(InputError, match="expected one of switch"):
        Topology(4)


def test_an_unknown_name_lists_what_there_is() -> None:
    with pytest.raises(UnknownNameError, match=r"known: .*torus"):
        topology("dragonfly", 8)
