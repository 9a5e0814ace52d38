"""Rows by index: bytes of the rows and no others."""

from __future__ import annotations

from typing import Any

import pytest

from symroof import ops
from symroof.errors import InputError, ShapeError, UnknownNameError
from symroof.graph import Graph
from symroof.symbolic import symbols

B, D, H, N, S, T, V = symbols("B D H N S T V")


def test_embedding_reads_rows_and_ids() -> None:
    """V = 128256, h = 4096, bf16, 8 distinct tokens with int32 ids."""
    g = Graph("g")
    table = g.weight("E", (128256, 4096), "bf16")
    y = ops.gather(table, g.input("ids", 8, "int32"))
    cost = y.producer.cost
    assert g.flops.value == 0
    assert sum(cost.reads) == 65568
    assert sum(cost.writes) == 65536
    assert g.bytes.value == 131104


def test_a_tied_table_is_one_storage_and_its_head_a_product() -> None:
    g = Graph("g")
    table = g.weight("E", (128256, 4096), "bf16")
    x = ops.gather(table, g.input("ids", 1, "int32"))
    ops.einsum("td,vd->tv", x, table)
    assert g.flops.value == 1050673152
    assert g.footprint().value == 2 * 525336576


def test_symbolic_gather() -> None:
    g = Graph("g")
    y = ops.gather(g.weight("E", ("V", "D"), "bf16"), g.input("ids", ("B", "S"), "int64"))
    assert y.shape == (B, S, D)
    assert (g.bytes.expr - (2 * B * S * D * 2 + 8 * B * S)).expand() == 0


def test_gather_along_another_axis() -> None:
    g = Graph("g")
    y = ops.gather(g.input("x", ("B", "N", "D"), "fp32"), g.input("i", "T", "int32"), axis=-2)
    assert y.shape == (B, T, D)
    assert (g.bytes.expr - (4 * B * T * D * 2 + 4 * T)).expand() == 0


def test_repeated_ids_may_read_fewer_rows() -> None:
    g = Graph("g")
    table, ids = g.weight("E", (10, 4), "fp32"), g.input("ids", "T", "int32")
    ops.gather(table, ids, distinct="min(T, 10)")
    assert g.bytes.at(T=1000).value == 10 * 16 + 4000 + 16000


def test_scatter_writes_rows_only() -> None:
    for mode, flops, rows in (("set", 0, 2), ("add", 3 * 4, 3)):
        g = Graph("g")
        x, ids = g.input("x", (1000, 4), "fp32"), g.input("i", 3, "int32")
        y = ops.scatter(x, ids, g.input("u", (3, 4), "fp32"), mode=mode)
        assert g.flops.value == flops
        assert g.bytes.value == rows * 3 * 4 * 4 + 3 * 4
        assert y.storage is x


def test_appending_a_token_to_two_caches() -> None:
    """One token of k and v into [8, 8192, 128] bf16: new slices read, slots written."""
    g = Graph("g")
    for n in "kv":
        cache, new = g.cache(n, (8, 8192, 128), "bf16"), g.input(f"new_{n}", (8, 1, 128), "bf16")
        assert ops.cache_append(cache, new).storage is cache
    assert g.bytes.value == 8192
    assert g.flops.value == 0


def test_attention_after_an_append_reads_the_cache_once() -> None:
    g = Graph("g")
    q = g.input("q", ("B", 32, 1, 128), "bf16")
    caches = []
    for n in "kv":
        cache = g.cache(n, ("B", 8, "S", 128), "bf16")
        caches.append(ops.cache_append(cache, g.input(f"new_{n}", ("B", 8, 1, 128), "bf16")))
    ops.attention(q, *caches)
    token, query = 8 * 128 * 2, 32 * 128 * 2
    expected = 2 * (2 * token * B) + 2 * query * B + 2 * token * B * S
    assert (g.bytes.expr - expected).expand() == 0


@pytest.mark.parametrize(
    ("cache", "new", "message"),
    [
        ((8, 100, 128), (8, 1, 64), "axis 2"),
        (("B", 100, 128), ("C", 1, 128), "axis 0"),
        ((8, 100, 128), (100, 128), "differ in dims"),
        ((8, 100, 128), (8, 101, 128), "101 new entries do not fit"),
        ((8, "S", 128), (8, "2*S + T - 1", 128), "new entries do not fit in S"),
    ],
)
def test_cache_and_new_must_fit(cache: Any, new: Any, message: str) -> None:
    g = Graph("g")
    tensors = g.cache("k", cache, "bf16"), g.input("n", new, "bf16")
    with pytest.raises(ShapeError, match=message) as caught:
        ops.cache_append(*tensors)
    assert len(caught.value.shapes) == 2


def test_other_faults() -> None:
    g = Graph("g")
    x, ids = g.input("x", ("N", "D"), "fp32"), g.input("i", "T", "int32")
    with pytest.raises(ShapeError, match="integer dtype"):
        ops.gather(x, g.input("f", "T", "fp32"))
    with pytest.raises(ShapeError, match="no axis"):
        ops.gather(x, ids, axis=2)
    with pytest.raises(InputError):
        ops.gather(x, ids, axis="0")
    with pytest.raises(InputError, match="1 or more"):
        ops.gather(x, ids, distinct=0)
    with pytest.raises(ShapeError, match=r"updates must be \[T, D\] fp32"):
        ops.scatter(x, ids, g.input("u", ("N", "D"), "fp32"))
    with pytest.raises(ShapeError, match="another dtype"):
        ops.scatter(x, ids, g.input("h", ("T", "D"), "bf16"))
    with pytest.raises(UnknownNameError, match="add"):
        ops.scatter(x, ids, g.input("w", ("T", "D"), "fp32"), mode="addd")
    with pytest.raises(ShapeError, match="dtypes differ"):
        ops.cache_append(x, g.input("n", (1, "D"), "bf16"))
