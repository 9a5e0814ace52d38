"""Bytes: shared weights, fusion, writing in place, views and slices of one storage."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Rational

import symroof as sr
from symroof import ops, passes
from symroof.graph import Role

# --- B15: one weight, several uses --------------------------------------------------------------


def shared(calls: int) -> sr.Graph:
    """The same 100x100 layer, called again and again on its own result."""
    g = sr.Graph("shared")
    w = g.weight("w", (100, 100), "bf16")
    x = g.input("x", (1, 100), "bf16")
    for _ in range(calls):
        x = ops.linear(x, w)
    return g


def weight_reads(g: sr.Graph) -> Any:
    """Bytes read of weights, over all ops."""
    return sum(
        amount
        for op in g.ops
        for tensor, amount in zip(op.inputs, op.cost.reads, strict=True)
        if tensor.storage.role is Role.WEIGHT
    )


def test_b15_three_calls_of_one_layer(answer: Any) -> None:
    g = shared(3)
    assert g.flops.value == answer["flops"]
    assert g.footprint(Role.WEIGHT).value == answer["weight_footprint_bytes"]
    assert weight_reads(g) == answer["weight_traffic_bytes_no_reuse"]


@given(st.integers(1, 30))
def test_b15_calls_multiply_work_and_not_the_footprint(calls: int) -> None:
    g, one = shared(calls), shared(1)
    assert g.flops == one.flops * calls
    assert g.bytes == one.bytes * calls
    assert g.footprint(Role.WEIGHT) == one.footprint(Role.WEIGHT)


def test_b15_repeat_tells_a_shared_weight_from_one_of_each_layer() -> None:
    g = sr.Graph("shared")
    w = g.weight("w", (100, 100), "bf16")
    g.repeat("layer", "L", lambda x: x @ w, g.input("x", (1, 100), "bf16"))
    h = sr.Graph("own")
    h.repeat(
        "layer",
        "L",
        lambda x: x @ h.weight("w", (100, 100), "bf16"),
        h.input("x", (1, 100), "bf16"),
    )
    assert g.flops == h.flops == shared(1).flops * sr.symbols("L")
    assert g.bytes == h.bytes
    assert g.footprint(Role.WEIGHT).value == 20000
    assert h.footprint(Role.WEIGHT).at(L=3).value == 60000


def test_b15_weight_on_two_ports_of_one_op_is_read_once() -> None:
    g = sr.Graph("square")
    w = g.weight("w", (100, 100), "bf16")
    w @ w
    assert g.bytes.value == 20000 + 20000
    assert g.footprint(Role.WEIGHT).value == 20000


def test_b15_view_of_a_weight_is_the_same_weight() -> None:
    g = sr.Graph("tied")
    w = g.weight("w", (100, 100), "bf16")
    x = g.input("x", (1, 100), "bf16")
    (x @ w) @ ops.transpose(w)
    assert g.footprint(Role.WEIGHT).value == 20000
    assert weight_reads(g) == 40000


# --- B18: FLOPs and bytes of one program --------------------------------------------------------


def additions(times: int, size: Any) -> sr.Graph:
    """x = ((x + y) + z) + w, again and again."""
    g = sr.Graph("additions")
    x, y, z, w = (g.input(name, size, "fp32") for name in "xyzw")
    for _ in range(times):
        x = ((x + y) + z) + w
    return g


def test_b18_intensity_unfused_and_fused(answer: Any) -> None:
    unfused = additions(1000, 10**6)
    fused = passes.fuse(unfused, unfused.ops, name="loop")
    assert unfused.flops.value == fused.flops.value == answer["flops"]
    assert unfused.intensity.value == answer["I_unfused"]
    assert fused.intensity.value == answer["I_fused"]
    assert unfused.traffic == "unfused"
    assert fused.traffic == "fused: loop"


def test_b18_fusion_of_the_body_of_a_repeat() -> None:
    """Fused within an iteration only, x, y, z and w move in each: neither of the two extremes."""
    g = sr.Graph("loop")
    y, z, w = (g.input(name, "n", "fp32") for name in "yzw")
    g.repeat("step", 1000, lambda x: ((x + y) + z) + w, g.input("x", "n", "fp32"))
    body = g.op("step").body
    fused = passes.fuse(g, body.ops)
    assert g.flops == fused.flops == sr.Quantity("3000*n", "FLOP")
    assert g.intensity.value == Rational(1, 12)
    assert fused.intensity.value == Rational(3, 5 * 4)


@given(st.data())
def test_b18_fusion_of_any_program_keeps_flops_and_moves_its_boundary(data: st.DataObject) -> None:
    """Whatever additions there are: the same FLOPs, and each outer tensor moves once."""
    g = sr.Graph("program")
    tensors = [g.input(f"x{i}", "n", "fp32") for i in range(data.draw(st.integers(1, 4)))]
    inputs = len(tensors)
    used: set[Any] = set()
    for _ in range(data.draw(st.integers(1, 8))):
        one, other = (data.draw(st.sampled_from(tensors)) for _ in range(2))
        used |= {one, other}
        tensors.append(one + other)
    results = [t for t in tensors[inputs:] if t not in used]
    fused = passes.fuse(g, g.ops)
    assert fused.flops == g.flops
    read = sum(1 for t in tensors[:inputs] if t in used)
    assert fused.bytes == sr.Quantity(f"4*n*{read + len(results)}", "byte")
    assert fused.bytes <= g.bytes
    assert g.traffic != fused.traffic


# --- B26: writing in place, views, scatter ------------------------------------------------------


def test_b26_append_in_place_and_reshape(answer: Any) -> None:
    g = sr.Graph("append")
    for name in "kv":
        cache = g.cache(name, (8, 8192, 128), "bf16")
        ops.cache_append(cache, g.input(f"new_{name}", (8, 1, 128), "bf16"))
    assert g.bytes.value == answer["a_bytes"]
    assert g.footprint(Role.CACHE).value == answer["a_wrong_whole_cache"]

    g = sr.Graph("in place")
    x, y = g.input("x", 10**6, "fp32"), g.input("y", 10**6, "fp32")
    ops.add(x, y, out=x)
    assert g.bytes.value == answer["b_bytes"]
    assert g.bytes.value != answer["b_wrong"]

    g = sr.Graph("view")
    ops.reshape(g.input("x", 10**6, "fp32"), (1000, 1000))
    assert g.bytes.value == answer["c_bytes"]


def test_b26_where_the_result_lives_does_not_change_what_moves() -> None:
    moved = set()
    for target in ("new", "x", "y", "other"):
        g = sr.Graph(target)
        tensors = {name: g.input(name, ("B", "D"), "fp32") for name in ("x", "y", "other")}
        ops.add(tensors["x"], tensors["y"], out=tensors.get(target))
        moved.add(g.bytes.expr)
    B, D = sr.symbols("B D")
    assert moved == {12 * B * D}


def test_b26_size_of_the_cache_is_in_no_append() -> None:
    g = sr.Graph("append")
    cache = g.cache("k", ("B", "H", "S", "d"), "bf16")
    ops.cache_append(cache, g.input("new", ("B", "H", "T", "d"), "bf16"))
    assert g.bytes == sr.Quantity("2*2*B*H*T*d", "byte")
    assert g.flops.value == 0


@given(st.integers(1, 64), st.integers(1, 8), st.integers(1, 16))
def test_b26_scatter_moves_rows_and_never_the_table(rows: int, updates: int, width: int) -> None:
    moved = {}
    for mode in ("set", "add"):
        g = sr.Graph(mode)
        table = g.input("table", (rows, width), "fp32")
        ids, new = g.input("ids", updates, "int32"), g.input("new", (updates, width), "fp32")
        y = ops.scatter(table, ids, new, mode=mode)
        assert y.storage is table
        moved[mode] = g.bytes.value
    row = 4 * width
    assert moved["set"] == updates * (4 + 2 * row)
    assert moved["add"] == updates * (4 + 3 * row)


VIEWS = {
    "reshape": lambda x: ops.reshape(x, ("D", "B")),
    "transpose": lambda x: ops.transpose(x),
    "slice": lambda x: x[0],
    "slice of a slice": lambda x: x[:, 1:3][0],
    "chain": lambda x: ops.reshape(ops.transpose(ops.reshape(x, ("B*D",)), (0,)), ("B", "D")),
}


@pytest.mark.parametrize("view", VIEWS)
def test_b26_views_move_nothing(view: str) -> None:
    g = sr.Graph(view)
    x = g.input("x", ("B", "D"), "fp32")
    y = VIEWS[view](x)
    assert g.bytes.value == 0
    assert g.flops.value == 0
    assert y.storage is x


def test_b26_what_is_copied_moves_twice() -> None:
    g = sr.Graph("copies")
    x = g.input("x", (1000, 1000), "fp32")
    ops.transpose(x, materialise=True)
    assert g.bytes.value == 8 * 10**6
    ops.copy(x)
    assert g.bytes.value == 16 * 10**6


def test_b26_in_place_chain_in_one_kernel_moves_its_storage_once() -> None:
    """x += y, three times in one fused region: x is read and written once, y read once."""
    g = sr.Graph("chain")
    x, y = g.input("x", "n", "fp32"), g.input("y", "n", "fp32")
    z = x
    for _ in range(3):
        z = ops.add(z, y, out=x)
    fused = passes.fuse(g, g.ops)
    assert g.bytes == sr.Quantity("36*n", "byte")
    assert fused.bytes == sr.Quantity("12*n", "byte")


def test_b26_fused_decode_reads_the_old_cache_and_writes_the_slot() -> None:
    """New keys reach attention on chip: from memory come the S - 1 old ones, back goes the slot."""
    g = sr.Graph("decode")
    k, v = (
        ops.cache_append(
            g.cache(name, ("B", 8, "S", 128), "bf16"),
            g.input(f"new_{name}", ("B", 8, 1, 128), "bf16"),
        )
        for name in "kv"
    )
    ops.attention(g.input("q", ("B", 32, 1, 128), "bf16"), k, v)
    row, query = 8 * 128 * 2, 32 * 128 * 2
    both = 2 * row
    apart = f"B*({2 * query} + {both}*S + {2 * both})"
    fused = f"B*({2 * query} + {both}*(S - 1) + {2 * both})"
    assert g.bytes == sr.Quantity(apart, "byte")
    assert passes.fuse(g, g.ops).bytes == sr.Quantity(fused, "byte")


# --- B27: parts of one storage ------------------------------------------------------------------


def per_layer(layers: int) -> sr.Graph:
    """Each layer reads its own slice of a stacked cache; nothing but the slices moves."""
    g = sr.Graph("stacked")
    stacked = g.cache("K", (layers, 8, 8192, 128), "bf16")
    for layer in range(layers):
        ops.sum(stacked[layer], name=f"layer{layer}")
    return g


def cache_reads(g: sr.Graph) -> Any:
    """Bytes read of caches."""
    return sum(
        amount
        for op in g.ops
        if not op.kind.view
        for tensor, amount in zip(op.inputs, op.cost.reads, strict=True)
        if tensor.storage.role is Role.CACHE
    )


def test_b27_slices_add_and_a_tensor_fanned_out_counts_once_when_fused(answer: Any) -> None:
    g = per_layer(62)
    assert cache_reads(g) == answer["sliced_total"]
    fused = passes.fuse(g, [op for op in g.ops if not op.kind.view])
    assert cache_reads(fused) == answer["sliced_total"]
    assert cache_reads(fused) != answer["wrong_max"]

    g = sr.Graph("fan out")
    k = g.cache("K", (8, 8192, 128), "bf16")
    for consumer in range(3):
        ops.sum(k, name=f"consumer{consumer}")
    assert cache_reads(g) == answer["fan_out_unfused"]
    assert cache_reads(passes.fuse(g, g.ops)) == answer["fan_out_fused"]


def test_b27_slices_in_a_repeat_add_up_too() -> None:
    g = sr.Graph("repeat")
    stacked = g.cache("K", ("L", 8, "S", 128), "bf16")

    def layer(x: Any) -> Any:
        return ops.add(x, ops.sum(stacked[0]))

    g.repeat("layer", "L", layer, g.input("x", (), "bf16"))
    (row,) = [row for row in sr.analyze(g, "h100-sxm").ops() if row.kind == "sum"]
    read = row.bytes - sr.Quantity("2*L", "byte")
    assert read == g.footprint(Role.CACHE)


def test_b27_wrong_reading_flips_the_bound(h100: sr.Chip) -> None:
    """At 62 slices a kernel of that many FLOPs is memory-bound; at the largest slice it is not."""
    g = sr.Graph("kernel")
    stacked = g.cache("K", (62, 8, 8192, 128), "bf16")
    flops = 100 * 16777216 * 62
    total = sum((stacked[layer] for layer in range(1, 62)), start=stacked[0])
    ops.custom("work", inputs=[total], output_shape=(1,), flops=flops, bytes=2)
    fused = passes.fuse(g, [op for op in g.ops if not op.kind.view])
    assert sr.analyze(fused, h100).verdict() is sr.Bound.MEMORY
    assert flops / 16777216 > 19780 / 67


@given(st.data())
def test_b27_union_of_any_boxes_of_one_storage(data: st.DataObject) -> None:
    """Parts that are apart add, equal ones count once; else between the truth and the storage."""
    size = data.draw(st.integers(1, 10))
    spans = []
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, size - 1))
        spans.append((start, data.draw(st.integers(start + 1, size))))
    g = sr.Graph("boxes")
    x = g.cache("x", (size, "n"), "fp32")
    kernels = [ops.sum(x[start:stop], name=f"k{i}") for i, (start, stop) in enumerate(spans)]
    fused = passes.fuse(g, [kernel.producer for kernel in kernels])
    read = (fused.bytes - sr.Quantity(4 * len(spans), "byte")).at(n=1).value / 4
    touched = len({place for start, stop in spans for place in range(start, stop)})
    added = sum(stop - start for start, stop in spans)
    assert touched <= read <= min(added, size)
    apart = all(a == b or a[1] <= b[0] or b[1] <= a[0] for a in spans for b in spans)
    nested = all(
        (a[0] <= b[0] and b[1] <= a[1]) or (b[0] <= a[0] and a[1] <= b[1])
        for a in spans
        for b in spans
    )
    if apart or nested:
        assert read == touched
    assert cache_reads(g) == sum(4 * (stop - start) for start, stop in spans) * sr.symbols("n")


def test_b27_two_axes_and_a_transposed_view_are_the_same_places() -> None:
    g = sr.Graph("views")
    x = g.cache("x", (8, 16), "fp32")
    quarters = [x[:4, :8], x[4:, :8], x[:4, 8:], x[4:, 8:]]
    kernels = [ops.sum(part, name=f"k{i}") for i, part in enumerate(quarters)]
    again = ops.sum(ops.transpose(quarters[0]), name="again")
    fused = passes.fuse(g, [t.producer for t in (*kernels, again)])
    assert cache_reads(fused) == 8 * 16 * 4
