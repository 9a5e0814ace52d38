from __future__ import annotations

import pytest

from symroof import ops
from symroof.errors import InputError, ShapeError
from symroof.graph import Graph
from symroof.symbolic import symbols

B, S, T, H, d, L, i = symbols("B S T H d L i")


def tensor(g, *shape, dtype="bf16"):
    return g.input(f"t{len(g.leaves)}", shape, dtype)


def test_concat_reads_and_writes_all():
    g = Graph("g")
    y = ops.concat([tensor(g, B, S), tensor(g, B, T), tensor(g, B, 3)], axis=-1)
    assert y.shape == (B, S + T + 3)
    assert (g.bytes.expr - 4 * B * (S + T + 3)).expand() == 0


def test_concat_of_one_tensor_with_itself_reads_it_once():
    g = Graph("g")
    x = tensor(g, 8)
    assert ops.concat([x, x]).shape == (16,)
    assert g.bytes.value == 16 + 32


def test_concat_refuses_what_does_not_fit():
    g = Graph("g")
    x = tensor(g, B, S)
    with pytest.raises(ShapeError, match="axis 0"):
        ops.concat([x, tensor(g, B, T)])
    with pytest.raises(ShapeError, match="dtypes"):
        ops.concat([x, tensor(g, B, S, dtype="fp32")])
    with pytest.raises(ShapeError, match="no axis 2"):
        ops.concat([x, x], axis=2)
    with pytest.raises(InputError, match="list"):
        ops.concat(x)


@pytest.mark.parametrize(
    ("key", "shape"),
    [
        (0, (8, S, 128)),
        (-1, (8, S, 128)),
        (i, (8, S, 128)),
        ("i", (8, S, 128)),
        (slice(None), (L, 8, S, 128)),
        (slice(2, 4), (2, 8, S, 128)),
        ((slice(None), 3), (L, S, 128)),
        ((..., slice(64, None)), (L, 8, S, 64)),
        ((0, ..., slice(None, -28)), (8, S, 100)),
        ((slice(None), slice(None), slice("S/2", None)), (L, 8, S / 2, 128)),
        ((0, 1, 2, 3), ()),
        (slice(i, i + 4), (4, 8, S, 128)),
        (..., (L, 8, S, 128)),
    ],
)
def test_slices(key, shape):
    g = Graph("g")
    kv = tensor(g, L, 8, S, 128)
    part = kv[key]
    assert part.shape == shape
    assert part.storage is kv
    assert g.bytes.expr == 0
    assert sum(ops.copy(part).producer.cost.reads) == part.spec.bytes


@pytest.mark.parametrize(
    "key",
    [8, -9, slice(2, 9), slice(5, 5), slice(6, 2), slice(0, 4, 2), (0, 0, 0), slice("T", "T")],
)
def test_slices_outside_the_tensor(key):
    x = tensor(Graph("g"), 8, 8)
    with pytest.raises(ShapeError, match=r"\[8, 8\]"):
        x[key]


@pytest.mark.parametrize("key", [1.5, True, None, [1], slice(0.5, 3), (..., ...)])
def test_slices_that_are_none(key):
    x = tensor(Graph("g"), 8, 8)
    with pytest.raises(InputError):
        x[key]


@pytest.mark.parametrize(
    ("shape", "result"),
    [
        (("B", "H*d"), (B, H * d)),
        ((B * H, d), (B * H, d)),
        ("B*H*d", (B * H * d,)),
        ((-1, d), (B * H, d)),
        (("2*B", H, "d/2"), (2 * B, H, d / 2)),
        ((B, 1, H, 1, d), (B, 1, H, 1, d)),
        ([B, -1], (B, H * d)),
        (-1, (B * H * d,)),
    ],
)
def test_reshapes(shape, result):
    g = Graph("g")
    x = tensor(g, B, H, d)
    y = ops.reshape(x, shape)
    assert y.shape == result
    assert (y.storage, y.region) == (x, None)


def test_a_reshape_of_a_sum_of_dims():
    g = Graph("g")
    x = tensor(g, B, S + T)
    assert ops.reshape(x, B * S + B * T).shape == (B * S + B * T,)


@pytest.mark.parametrize("shape", [(B, H), (B, H, d, 2), (-1, -1), (7,), (0, -1), ("B", "D")])
def test_reshapes_of_another_size(shape):
    x = tensor(Graph("g"), B, H, d)
    with pytest.raises(ShapeError):
        ops.reshape(x, shape)


def test_reshape_needs_dims():
    x = tensor(Graph("g"), B, H, d)
    for bad in (None, 1.5j, ([B], H), {}.items):
        with pytest.raises(InputError):
            ops.reshape(x, bad)
    for function in (ops.reshape, ops.transpose, ops.slice):
        with pytest.raises(InputError, match="views a tensor"):
            function(3, 1)


def test_transposes():
    g = Graph("g")
    x = tensor(g, B, S, H, d)
    assert ops.transpose(x).shape == (d, H, S, B)
    assert ops.transpose(x, (0, 2, 1, 3)).shape == (B, H, S, d)
    assert ops.transpose(x, (0, -2, 1, -1)).shape == (B, H, S, d)
    assert g.bytes.expr == 0
    own = ops.transpose(x, materialise=True)
    assert own.storage is own
    assert g.bytes.expr == 4 * B * S * H * d
    for bad in ((0, 1, 2), (0, 0, 1, 2), (0, 1, 2, 4)):
        with pytest.raises(ShapeError):
            ops.transpose(x, bad)


def test_a_graph_of_views_only_does_nothing():
    g = Graph("g")
    x = g.input("x", 10**6, "fp32")
    ops.reshape(x, (1000, 1000))
    assert (g.flops.value, g.bytes.value, g.intensity) == (0, 0, None)


def test_slices_are_told_in_dims_of_at_least_one():
    g = Graph("g")
    x = tensor(g, S + T)
    # 1 - S - T is below 0: it counts from the end.
    assert x[1 - S - T :].shape == (S + T - 1,)
    with pytest.raises(ShapeError, match="do not lie"):
        x[0 : 2 * S + 2 * T - 1]
