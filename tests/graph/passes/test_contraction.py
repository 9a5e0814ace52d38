"""Every product ik,kj->ij of every pair of shardings over two axes, run on simulated chips."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import symroof as sr
from symroof import ops, passes
from symroof.graph.work import link_bytes
from symroof.symbolic import bind

from ..executor import Chips
from .oracle import Oracle

SIZES = 12, 24, 36
ENTRIES = ((), ("X",), ("Y",), ("X", "Y"), ("Y", "X"))
LAYOUTS = [
    (rows, columns) for rows in ENTRIES for columns in ENTRIES if not set(rows) & set(columns)
]
MESHES = [(2, 2), (2, 3)]


def product_of(sizes, a, b):
    g = sr.Graph("product")
    i, k, j = sizes
    left = g.input("A", (i, k), "fp64", sharding=a)
    right = g.weight("B", (k, j), "fp64", sharding=b)
    g.output(ops.einsum("ik,kj->ij", left, right, name="C"))
    return g


def run(local, whole, mesh, sizes=None):
    """Check the result and the bytes on simulated chips."""
    i, k, j = SIZES
    rng = np.random.default_rng(7)
    arrays = {
        "A": rng.integers(-9, 9, (i, k)).astype(float),
        "B": rng.integers(-9, 9, (k, j)).astype(float),
    }
    chips = Chips(mesh, sizes)
    found = chips.run(local, whole, arrays)
    layout = local.plan.outputs["C"]
    assert not layout.unreduced
    (output,) = local.results
    assert np.array_equal(chips.join(found[output], layout.dims, (i, j)), arrays["A"] @ arrays["B"])
    counted = link_bytes(local)
    for axis in mesh.names:
        expected = bind(counted.get(axis, 0) + 0 * mesh.size, sizes or {})
        assert {chips.sent[axis, chip] for chip in chips.chips} == {expected} or (
            # Chunks of an all-reduce are not equal where the buffer does not divide.
            sum(chips.sent[axis, chip] for chip in chips.chips) == len(chips.chips) * expected
        )
    return layout


def test_there_are_eleven_layouts():
    assert len(LAYOUTS) == 11


@pytest.mark.parametrize("mesh", MESHES)
@pytest.mark.parametrize("a", LAYOUTS, ids=str)
def test_all_products_of_a_layout(a, mesh):
    mesh = sr.Mesh(X=mesh[0], Y=mesh[1])
    for b, wanted in product(LAYOUTS, [None, *LAYOUTS]):
        g = product_of(SIZES, a, b)
        local = passes.shard(g, mesh, outputs={"C": wanted} if wanted else None)
        left = run(local, g, mesh)
        assert wanted is None or left.dims == wanted


@pytest.mark.parametrize("a", LAYOUTS, ids=str)
def test_the_same_plans_made_in_symbols(a):
    mesh = sr.Mesh(X="X", Y="Y")
    for b, wanted in product(LAYOUTS, [None, LAYOUTS[4]]):
        g = product_of(("I", "K", "J"), a, b)
        local = passes.shard(g, mesh, outputs={"C": wanted} if wanted else None)
        for x, y in MESHES:
            left = run(local, g, mesh, dict(zip("IKJ", SIZES, strict=True), X=x, Y=y))
            assert wanted is None or left.dims == wanted


@pytest.mark.parametrize(
    ("axes", "sizes"),
    [
        ({"X": 2, "Y": 2}, SIZES),
        ({"X": 2, "Y": 3}, SIZES),
        ({"X": 4, "Y": 8}, (32, 640, 64)),
        ({"X": 4, "Y": 8}, (640, 32, 64)),
        ({"X": 4, "Y": 8}, (64, 32, 640)),
    ],
)
def test_no_plan_sends_fewer_bytes(axes, sizes):
    oracle = Oracle(axes, sizes, item=8)
    for a, b, c in product(LAYOUTS[::2], LAYOUTS, LAYOUTS[1::2]):
        local = passes.shard(product_of(sizes, a, b), sr.Mesh(**axes), outputs={"C": c})
        assert local.link_bytes.value == oracle.least(a, b, c), (a, b, c)
