"""Layouts, moves between them and what they cost; shardings as users give them."""

from __future__ import annotations

import pickle

import pytest
from sympy import Integer, Rational

import symroof as sr
from symroof import ops
from symroof.errors import InputError, ShapeError, UnitError, UnknownNameError
from symroof.graph import Graph, TensorSpec
from symroof.graph.passes import fuse_elementwise
from symroof.graph.sharding.layout import Layout, divides, on_mesh
from symroof.graph.sharding.moves import Means, Move
from symroof.graph.sharding.prices import prices_of
from symroof.graph.sharding.routes import route
from symroof.symbolic import bind, symbols

B, D, X, Y, Z = symbols("B D X Y Z")
MESH = sr.Mesh(X="X", Y="Y", Z="Z")
FREE = prices_of(MESH, None, None)


def layout(text: str) -> Layout:
    """Read ``"X,. | Y"``: axes by dim (``XY``: X major), then what is unreduced."""
    dims, _, partial = text.partition("|")
    places = tuple(tuple(part.strip().strip(".")) for part in dims.split(","))
    return Layout(places, tuple(partial.strip()))


# --- as given -------------------------------------------------------------------------------------


def test_tensors_keep_their_whole_shape():
    g = Graph("g")
    a = g.input("A", (B, D), "bf16", sharding=("X", None))
    w = g.weight("W", (D, B), "bf16", sharding=[("X", "Y"), ""])
    c = g.cache("C", D, "bf16", sharding="Y")
    assert a.shape == (B, D)
    assert (a.sharding, w.sharding, c.sharding) == ((("X",), ()), (("X", "Y"), ()), (("Y",),))
    assert g.input("x", (B, D), "bf16").sharding is None
    assert g.input("s", (), "fp32", sharding=()).sharding == ()


def test_a_sharding_survives_pickle_and_passes():
    g = Graph("g")
    g.mesh = sr.Mesh(X=4)
    x = g.input("x", (B, D), "bf16", sharding=("X", None))
    ops.relu(x + 1)
    for other in (pickle.loads(pickle.dumps(g)), fuse_elementwise(g)):
        assert other.leaves["x"].sharding == (("X",), ())
        assert other.mesh == sr.Mesh(X=4)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("X",), "sharding of A: a sharding has one entry for each of the 2 dims [B, D], not 1"),
        ("X", "not 1"),
        (("X", None, None), "not 3"),
        (("X", "X"), "axis 'X' shards two dims, B and D; it can shard one of a tensor"),
        ((("X", "Y"), "Y"), "axis 'Y' shards two dims, B and D"),
        ((("X", "X"), None), "axis 'X' stands twice on one dim"),
        ((1, None), "expected None, an axis or a tuple of axes for a dim, not 1"),
        (({"X"}, None), "expected None, an axis or a tuple of axes for a dim"),
        (5, "None, an axis or a tuple of axes for each dim, such as ('X', None); not 5"),
        ({"B": "X"}, "for each dim, such as"),
    ],
)
def test_what_is_no_sharding_is_one_clear_error(given, message):
    with pytest.raises(InputError) as caught:
        Graph("g").input("A", (B, D), "bf16", sharding=given)
    assert message in str(caught.value)
    assert str(caught.value).startswith("sharding of A: ")
    assert "\n" not in str(caught.value)


def test_an_axis_has_to_be_one_of_the_mesh():
    x = TensorSpec.of((B, D), "bf16")
    with pytest.raises(UnknownNameError) as caught:
        on_mesh((("dat",), ()), x, sr.Mesh(data=4), "sharding of x")
    assert str(caught.value) == "unknown axis 'dat'; did you mean 'data'? (sharding of x)"


def test_a_dim_has_to_divide():
    x = TensorSpec.of((B, 4098), "bf16")
    with pytest.raises(ShapeError) as caught:
        on_mesh(((), ("X", "Y")), x, sr.Mesh(X=4, Y=2), "sharding of x")
    assert str(caught.value) == (
        "sharding of x: dim 1 of 4098 does not divide over X = 4 * Y = 2: 4098 = 8*512 + 2"
        " (got [B, 4098] bf16)"
    )
    assert on_mesh(((), ("X",)), x, sr.Mesh(X="n"), "x") == Layout(((), ("X",)))
    assert not divides(Integer(2), ("X",), sr.Mesh(X=4))


# --- layouts --------------------------------------------------------------------------------------


def test_local_shapes():
    x = TensorSpec.of((B, 4 * D, 64), "bf16")
    mesh = sr.Mesh(X=4, Y=Y)
    assert layout("X,.,Y").local(x, mesh).shape == (B / 4, 4 * D, 64 / Y)
    assert layout(".,X,.").local(x, mesh).shape == (B, D, 64)
    assert layout(".,XY,.").local(x, mesh).shape == (B, D / Y, 64)
    assert layout(".,.,.").local(x, mesh) is x


def test_axes_of_one_chip_are_left_out():
    x = TensorSpec.of((B, D), "bf16")
    assert on_mesh((("X", "Y"), ()), x, sr.Mesh(X=1, Y=2), "x") == layout("Y,.")


def test_text():
    assert layout("X,YZ").text((B, 4 * D)) == "[B_X, (4*D)_(Y, Z)]"
    assert layout(".,. | XY").text((128, "D")) == "[128, D] partial over X, Y"


@pytest.mark.parametrize(
    ("move", "before", "after", "share"),
    [
        # Of V bytes a chip holds V/n before, and sends n - 1 such shards.
        (Move(Means.ALL_GATHER, "X", 0), "X,.", ".,.", (X - 1) / X),
        (Move(Means.ALL_GATHER, "Y", 0), "XY,.", "X,.", (Y - 1) / (X * Y)),
        (Move(Means.REDUCE_SCATTER, "X", 1), ".,. | X", ".,X", (X - 1) / X),
        (Move(Means.ALL_REDUCE, "X"), "Y,. | XZ", "Y,. | Z", 2 * (X - 1) / (X * Y)),
        (Move(Means.ALL_TO_ALL, "X", 0, 1), "X,Y", ".,YX", (X - 1) / (X * X * Y)),
        (Move(Means.TAKE_SHARD, "X", 1), ".,Y", ".,YX", 0),
    ],
)
def test_moves(move, before, after, share):
    start = layout(before)
    assert move.after(start) == layout(after)
    gap = move.share(start, MESH) - share
    assert bind(gap, {"X": 3, "Y": 5, "Z": 7}) == 0


# --- routes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "end", "moves"),
    [
        ("X,.", "X,.", []),
        (".,.", "X,Y", ["take_shard X", "take_shard Y"]),
        ("X,.", ".,.", ["all_gather X"]),
        ("XY,.", ".,.", ["all_gather Y", "all_gather X"]),
        ("XY,.", "X,.", ["all_gather Y"]),
        ("X,.", "XY,.", ["take_shard Y"]),
        ("X,.", ".,X", ["all_to_all X"]),
        ("XY,.", "X,Y", ["all_to_all Y"]),
        # What is cut first is cheaper to move.
        ("X,.", ".,Y", ["take_shard Y", "all_gather X"]),
        (".,. | X", ".,.", ["all_reduce X"]),
        (".,. | X", "X,.", ["reduce_scatter X"]),
        (".,. | X", "Y,. | X", ["take_shard Y"]),
        ("Y,. | X", ".,X", ["reduce_scatter X", "all_gather Y"]),
        # A sum over two axes sends as much as over one of X*Y chips.
        (".,. | XY", ".,.", ["reduce_scatter X", "all_reduce Y", "all_gather X"]),
        (".,. | XY", "XY,.", ["reduce_scatter X", "reduce_scatter Y"]),
    ],
)
def test_routes(start, end, moves):
    found = route((B, D), layout(start), layout(end), FREE)
    assert [f"{move.means.value} {move.axis}" for move in found.moves] == moves


def test_an_axis_may_rest_on_another_dim():
    # From Y to (X, Y) on one dim: gathering Y would send (Y - 1)/Y of the tensor.
    found = route((B, D), layout("Y,."), layout("XY,."), FREE)
    assert [move.means for move in found.moves].count(Means.ALL_TO_ALL) == 2
    assert Means.ALL_GATHER not in {move.means for move in found.moves}
    # Without another dim that divides there is no way around it.
    narrow = route((Integer(64), Integer(3)), layout("Y,."), layout("XY,."), _numbers(X=2, Y=4))
    assert narrow.moves[0] == Move(Means.ALL_GATHER, "Y", 0)


def test_a_sum_is_not_undone():
    assert route((B, D), layout(".,."), layout(".,. | X"), FREE) is None


def test_the_total_of_a_gather_is_that_of_one_large_group():
    for start in ("XY,.", "X,Y"):
        price = route((B, D), layout(start), layout(".,."), FREE).price
        assert bind(price - (1 - 1 / (X * Y)), {"X": 3, "Y": 5}) == 0
    price = route((B, D), layout(".,. | XYZ"), layout(".,."), FREE).price
    assert bind(price - 2 * (1 - 1 / (X * Y * Z)), {"X": 3, "Y": 5, "Z": 7}) == 0


def test_sums_go_over_the_fast_axis_first():
    fast = {"X": "450 GB/s", "Y": "50 GB/s", "Z": 1}
    for bandwidth, first in ((fast, "X"), ({**fast, "X": "5 GB/s"}, "Y")):
        prices = prices_of(sr.Mesh(X=8, Y=8, Z=1), bandwidth, None)
        found = route((B, D), layout(".,. | XY"), layout(".,."), prices)
        assert found.moves[0] == Move(Means.REDUCE_SCATTER, first, found.moves[0].dim)


# --- prices ---------------------------------------------------------------------------------------


def test_prices():
    prices = prices_of(sr.Mesh(X=2, Y=2), {"X": "1 GB/s", "Y": sr.Quantity("1 MB/s")}, None)
    assert prices.weights == (Rational(1, 10**9), Rational(1, 10**6))
    W = symbols("W")
    prices = prices_of(sr.Mesh(X=2, Y=2), {"X": W, "Y": 2 * W}, None)
    assert prices.at_most(prices.weight("Y"), prices.weight("X"))
    # A bandwidth is no count: it may be less than one.
    assert not prices.at_most(Integer(1), 1 * W)
    assert prices.at_most(Integer(1), B)


def test_sizes_decide_what_symbols_leave_open():
    assert not FREE.at_most(B, D)
    assert prices_of(MESH, None, {"B": 3, "D": 4}).at_most(B, D)
    assert not prices_of(MESH, None, {"B": 5, "D": 4}).at_most(B, D)


@pytest.mark.parametrize(
    ("bandwidth", "sizes", "error", "message"),
    [
        ({"X": 1}, None, InputError, "bandwidth: axis 'Y' has none; give one for every axis"),
        ({"X": 1, "Y": 1, "W": 1}, None, UnknownNameError, "unknown axis 'W'"),
        ({"X": 1, "Y": 0}, None, InputError, "bandwidth of Y: expected a positive number"),
        ({"X": 1, "Y": "3 GB"}, None, UnitError, "byte/s"),
        (None, {"B": -1}, InputError, "size of B: expected a positive number"),
    ],
)
def test_what_is_no_price_is_one_clear_error(bandwidth, sizes, error, message):
    with pytest.raises(error) as caught:
        prices_of(sr.Mesh(X=2, Y=2), bandwidth, sizes)
    assert message in str(caught.value)


def _numbers(**sizes):
    return prices_of(sr.Mesh(**sizes), None, None)
