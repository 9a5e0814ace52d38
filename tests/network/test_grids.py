"""The time of an all-gather on any network is the least there is, by every cut of small ones."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from sympy import Rational

from symroof.errors import InputError
from symroof.network import FullyConnected, Line, Ring, Switch, Topology, Torus, Tree, flow
from symroof.network.grids import axis_loads
from symroof.network.orders import mixed_orders
from symroof.network.steps import neighbour

SMALL = [
    *(kind(n) for kind in (Ring, Line) for n in range(2, 10)),
    *(
        Torus(shape, wrap)
        for shape in ((2, 2), (2, 3), (2, 5), (3, 3), (2, 2, 2), (2, 2, 3))
        for wrap in product((True, False), repeat=len(shape))
    ),
]


def ports_of(topology: Topology, chip: int) -> list[int]:
    """The chips at the ends of the links of a chip."""
    axes = topology.shape if isinstance(topology, Torus) else (topology.size,)
    found = (neighbour(topology, chip, (axis, way)) for axis in range(len(axes)) for way in (1, -1))
    return [chip for chip in found if chip is not None]


def cut_bound(topology: Topology) -> Fraction:
    """The shards that must come into a set of chips, over its links: the most of any set."""
    n = int(topology.size)
    links = [ports_of(topology, chip) for chip in range(n)]
    bound = Fraction(0)
    for chosen in range(1, 2**n - 1):
        inside = [chip for chip in range(n) if chosen >> chip & 1]
        into = sum(not chosen >> other & 1 for chip in inside for other in links[chip])
        bound = max(bound, Fraction(n - len(inside), n * into))
    return bound


@pytest.mark.parametrize("topology", SMALL, ids=lambda t: t.title)
def test_no_cut_asks_for_less(topology: Topology) -> None:
    bound = cut_bound(topology) * int(topology.ports)
    for collective in ("all_gather", "reduce_scatter", "gather"):
        assert flow(collective, topology, 1).egress == Rational(bound.numerator, bound.denominator)


@pytest.mark.parametrize("kind", [Switch, FullyConnected])
def test_a_chip_alone_is_the_worst_cut(kind) -> None:
    """Each chip lacks (n − 1)/n of the tensor, and all of it must come over its ports."""
    for n in range(2, 18):
        assert flow("all_gather", kind(n), 1).egress == Rational(n - 1, n)
    for n in range(2, 18):
        assert flow("all_gather", Tree(n), 1).egress == 3 * Rational(n - 1, n)  # a leaf has 1 of 3


def test_an_all_gather_over_all_axes() -> None:
    """V(N − 1)/N over all 2k ports, and an all-reduce twice that."""
    for shape in ((4, 4), (4, 8), (2, 16, 4), (4, 4, 4)):
        torus = Torus(shape)
        n = torus.size
        assert flow("all_gather", torus, n).egress == n - 1
        assert flow("all_reduce", torus, n).egress == 2 * (n - 1)


def test_a_mesh_by_hand() -> None:
    """A corner of 4 x 4 chips takes 15/16 of the tensor over 2 of 4 ports."""
    mesh = Torus((4, 4), wrap=False)
    assert flow("all_gather", mesh, 16).egress == 4 * Rational(15, 2)
    # Both phases load a port 4/3 of what its axis carries, each axis half: 15/16 * 1/2 * 4/3.
    assert flow("all_reduce", mesh, 1).egress == 4 * Rational(5, 8)


def test_all_to_all_by_the_middle_cut() -> None:
    """Half of the chips send half of their buffers across the longest axis."""
    for shape, wrap, links in (((4, 8), True, 8), ((4, 8), False, 4), ((8, 8), True, 16)):
        torus = Torus(shape, wrap)
        n = int(torus.size)
        across = Fraction(n, 2) / 2 / links
        found = flow("all_to_all", torus, 1).egress
        assert found == int(torus.ports) * Rational(across.numerator, across.denominator)


@pytest.mark.parametrize("sizes", [(2, 3), (4, 4), (2, 2, 2), (3, 4, 5), (2, 3, 4, 2)])
def test_mixed_orders_load_as_asked(sizes: tuple[int, ...]) -> None:
    for kinds in product((Ring, Line), repeat=len(sizes)):
        axes = tuple(kind(size) for kind, size in zip(kinds, sizes, strict=True))
        loads = tuple(Fraction(int(x.p), int(x.q)) for x in axis_loads(axes))
        orders = mixed_orders(sizes, loads)
        assert sum(orders.values()) == 1
        assert min(orders.values()) > 0
        total = 1
        for size in sizes:
            total *= size
        found = [Fraction(0)] * len(sizes)
        for order, part in orders.items():
            held = 1
            for axis in order:
                found[axis] += part * Fraction(held * (sizes[axis] - 1), total)
                held *= sizes[axis]
        assert tuple(found) == loads


def test_axes_of_both_kinds_need_numbers() -> None:
    torus = Torus(("X", 4), (True, False))
    with pytest.raises(InputError, match="numbers, not X"):
        flow("all_gather", torus, "V")
    assert flow("all_reduce", torus, "V").egress.free_symbols  # even over all axes at any size
