"""Random graphs with random shardings: the chips together compute what one chip would."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from sympy import Integer

from symroof import Mesh, ops, passes
from symroof.errors import ShapeError
from symroof.graph import Graph, Tensor
from symroof.graph.work import link_bytes
from symroof.symbolic import bind, symbols

from ..graph.executor import Chips

SIZE = Integer(12)
AXES = ("X", "Y")
STEPS = (
    "add",
    "mul",
    "relu",
    "neg",
    "matmul",
    "einsum",
    "transpose",
    "split",
    "merge",
    "slice",
    "concat",
    "softmax",
    "rmsnorm",
    "sum",
    "mean",
    "linear",
    "repeat",
    "double",
)
NUMBERS = st.integers(0, 99)


@st.composite
def shardings(draw: Any, rank: int) -> tuple[tuple[str, ...], ...]:
    """Each axis on one of the dims or on none, in either order."""
    dims: list[tuple[str, ...]] = [()] * rank
    for axis in draw(st.permutations(AXES)):
        place = draw(st.integers(-1, rank - 1))
        if place >= 0:
            dims[place] += (axis,)
    return tuple(dims)


@st.composite
def sharded_graphs(draw: Any, size: Any = SIZE) -> tuple[Graph, dict[str, Any]]:
    """A graph of square matrices, and the layouts its results are wanted in."""
    g = Graph("random")

    def leaf(name: str, shape: tuple[Any, ...]) -> Tensor:
        make = draw(st.sampled_from([g.input, g.weight]))
        return make(name, shape, "fp64", sharding=draw(shardings(len(shape))))

    pool = [leaf("a", (size, size)), leaf("b", (size, size))]
    for number, (step, first, second) in enumerate(
        draw(st.lists(st.tuples(st.sampled_from(STEPS), NUMBERS, NUMBERS), min_size=1, max_size=7))
    ):
        x, y = pool[first % len(pool)], pool[second % len(pool)]
        pool.append(_step(g, step, number, x, y, leaf, size))
    g.output(pool[-1])
    wanted = {pool[-1].name: draw(shardings(2))} if draw(st.booleans()) else {}
    return g, wanted


def _step(g: Graph, step: str, number: int, x: Tensor, y: Tensor, leaf: Any, size: Any) -> Tensor:
    name = f"s{number}"
    match step:
        case "add" | "mul" | "matmul":
            return getattr(ops, step)(x, y, name=name)
        case "relu" | "neg" | "softmax" | "rmsnorm":
            return getattr(ops, step)(x, name=name)
        case "einsum":
            return ops.einsum("ik,jk,kl->li", x, y, x, name=name)
        case "transpose":
            return ops.transpose(x, name=name)
        case "split":
            parts = ops.reshape(x, (4, size / 4, size), name=f"{name}.parts")
            return ops.reshape(ops.transpose(parts, (1, 0, 2)), (size, size), name=name)
        case "merge":
            row = ops.neg(ops.reshape(x, (size * size,)), name=f"{name}.row")
            return ops.reshape(row, (size, size), name=name)
        case "slice":
            return ops.concat([x[: size / 2], y[size / 2 :]], name=name)
        case "concat":
            return ops.concat([x, y], axis=1, name=f"{name}.both")[:, size / 2 : size / 2 + size]
        case "sum" | "mean":
            row = getattr(ops, step)(x, axes=number % 2, keepdims=True, name=f"{name}.row")
            return ops.add(y, row, name=name)
        case "linear":
            return ops.linear(x, y, leaf(f"bias{number}", (size,)), name=name)
        case "double":
            return ops.sub(x @ y, y @ x, name=name)
        case _:
            body = lambda h: ops.relu(h @ leaf(f"w{number}", (size, size)), name="r")  # noqa: E731
            return g.repeat(name, 2, body, x)


def arrays_of(graph: Graph, sizes: dict[str, int]) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    arrays = {}
    for block in graph.blocks():
        for name, leaf in block.leaves.items():
            shape = tuple(int(bind(size, sizes)) for size in leaf.shape)
            front = () if block.parent is None else (2,)
            arrays[block.path + name] = rng.standard_normal((*front, *shape)) / 3
    return arrays


def check(graph: Graph, wanted: dict[str, Any], mesh: Mesh, sizes: dict[str, int], **how) -> None:
    arrays = arrays_of(graph, sizes)
    alone = Chips(Mesh(X=1, Y=1), sizes)
    expected = alone.run(graph, graph, arrays)
    local = passes.shard(graph, mesh, outputs=wanted, **how)
    try:
        local.plan.check(sizes)
    except ShapeError:
        assume(False)  # symbols hid that a dim does not divide: numbers take another way
    chips = Chips(mesh, sizes)
    found = chips.run(local, graph, arrays)
    (whole,), (part,) = graph.results, local.results
    layout = local.plan.outputs[whole.name]
    if wanted:
        assert layout.dims == tuple(wanted[whole.name])
    assert not layout.unreduced
    made = chips.join(found[part], layout.dims, expected[whole][0, 0].shape)
    assert np.allclose(made, expected[whole][0, 0])
    counted = link_bytes(local)
    for axis in mesh.names:
        sent = sum(chips.sent[axis, chip] for chip in chips.chips)
        assert sent == len(chips.chips) * bind(counted.get(axis, 0) + 0 * mesh.size, sizes)


@given(sharded_graphs(), st.sampled_from([(2, 2), (2, 3), (3, 4)]), st.booleans())
def test_chips_compute_together_what_one_computes_alone(made, shape, reuse):
    graph, wanted = made
    check(graph, wanted, Mesh(X=shape[0], Y=shape[1]), {}, reuse=reuse)


@given(sharded_graphs(symbols("n")), st.sampled_from(["weights", "activations", None]))
def test_the_same_in_symbols(made, prefer):
    graph, wanted = made
    check(graph, wanted, Mesh(X="p", Y="q"), {"n": 12, "p": 2, "q": 3}, prefer=prefer)
