"""FLOP counts: bias, ops without a cost, embeddings and heads, convolutions."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import symroof as sr
from symroof import ops, passes
from symroof.graph import Role

SIZES = st.integers(1, 9)


# --- B05: a bias ------------------------------------------------------------------------------


def layers(n: Any, d: Any, f: Any) -> dict[str, sr.Graph]:
    """One layer with a bias, written in every way there is."""
    made = {}
    for way in ("linear", "matmul", "einsum", "in place", "left of the sum", "convolution"):
        g = made[way] = sr.Graph(way)
        shape = (n, d, 1) if way == "convolution" else (n, d)
        x = g.input("x", shape, "bf16")
        b = g.weight("b", (f,), "bf16")
        if way == "convolution":
            ops.conv(x, g.weight("w", (f, d, 1), "bf16"), b)
            continue
        w = g.weight("w", (d, f), "bf16")
        if way == "linear":
            ops.linear(x, w, b)
        elif way == "matmul":
            x @ w + b
        elif way == "left of the sum":
            b + x @ w
        elif way == "in place":
            y = x @ w
            ops.add(y, b, out=y)
        else:
            ops.einsum("nd,df->nf", x, w) + b
    return made


def test_b05_bias_counts_the_same_however_written(answer: Any) -> None:
    for way, g in layers(4, 8, 16).items():
        assert g.flops.value == answer["with_bias"], way
    g = sr.Graph("no bias")
    x, w = g.input("x", (4, 8), "bf16"), g.weight("w", (8, 16), "bf16")
    ops.linear(x, w)
    x @ w
    assert g.flops.value == 2 * answer["without_bias"]


def test_b05_bias_is_one_addition_per_output_for_all_dims() -> None:
    for way, g in layers("N", "D", "F").items():
        assert g.flops == sr.Quantity("2*N*D*F + N*F", "FLOP"), way


@given(SIZES, SIZES, SIZES)
def test_b05_bias_is_never_free_nor_dearer_than_an_addition(n: int, d: int, f: int) -> None:
    multiply_adds = sum(1 for _ in product(range(n), range(d), range(f)))
    for way, g in layers(n, d, f).items():
        assert g.flops.value == 2 * multiply_adds + n * f, way


def test_b05_bias_of_leading_dims_and_of_a_fused_layer() -> None:
    g = sr.Graph("g")
    x, w, b = (
        g.input("x", (2, 3, 8), "bf16"),
        g.weight("w", (8, 16), "bf16"),
        g.weight("b", 16, "bf16"),
    )
    ops.linear(x, w, b)
    h = sr.Graph("h")
    y = h.input("x", (2, 3, 8), "bf16") @ h.weight("w", (8, 16), "bf16")
    y + h.weight("b", 16, "bf16")
    fused = passes.fuse(h, h.ops)
    assert g.flops.value == h.flops.value == fused.flops.value == 2 * 6 * 8 * 16 + 6 * 16
    assert fused.bytes.value == g.bytes.value


# --- B07: an op without a cost ----------------------------------------------------------------


def dense(policy: str = "error") -> sr.Graph:
    """A dense layer of 73 to 256, n = 2, whose product nobody has a formula for."""
    g = sr.Graph("model", uncosted=policy)
    x, w = g.input("x", (2, 73), "fp32"), g.weight("w", (73, 256), "fp32")
    y = ops.custom("dense", inputs=[x, w], output_shape=(2, 256))
    ops.add(y, g.weight("b", 256, "fp32"), name="bias")
    return g


def test_b07_total_with_an_uncosted_op_is_refused_by_name(answer: Any) -> None:
    with pytest.raises(sr.errors.CostError, match="'dense'") as error:
        dense().flops
    assert "\n" not in str(error.value)
    g = dense("symbol")
    assert {s.name for s in g.flops.expr.free_symbols} == {"flops_dense"}
    with pytest.raises(sr.errors.UnboundError, match="flops_dense"):
        g.flops.value
    assert g.flops.at(flops_dense=2 * 2 * 73 * 256).value == answer["correct_flops"]


QUESTIONS = {
    "flops": lambda g: g.flops,
    "flops by dtype": lambda g: g.flops_by_dtype,
    "intensity": lambda g: g.intensity,
    "terms": lambda g: sr.analyze(g, "h100-sxm").terms,
    "time": lambda g: sr.analyze(g, "h100-sxm").time,
    "verdict": lambda g: sr.analyze(g, "h100-sxm").verdict(),
    "ops": lambda g: sr.analyze(g, "h100-sxm").ops(),
    "crossover": lambda g: sr.analyze(g, "h100-sxm").crossover("peak"),
    "fused": lambda g: passes.fuse(g, g.ops, name="dense").flops,
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_b07_no_answer_rests_on_an_uncosted_op(question: str) -> None:
    with pytest.raises(sr.errors.CostError, match="dense"):
        QUESTIONS[question](dense())


def test_b07_named_symbol_can_be_bound_and_asked_for_in_every_answer() -> None:
    g = dense("symbol")
    r = sr.analyze(g, sr.Chip("chip", peak={"fp32": "10 GFLOP/s"}, memory={"ram": "1 GB/s"}))
    assert r.t_compute.at(flops_dense=488).to("ns") == 100
    assert r.verdict(flops_dense=10**6) is sr.Bound.COMPUTE
    # x, w, their product; the product again, b and the sum: 82504 byte at 10 FLOP/byte
    assert r.crossover("flops_dense").threshold_bound == 825040 - 512
    assert [row.share for row in r.ops()] == [None, None]
    assert sum(row.share for row in r.ops(flops_dense=488)) == pytest.approx(1)


def test_b07_place_of_an_uncosted_op_inside_repeats_is_shown() -> None:
    g = sr.Graph("g")

    def inner(x: Any) -> Any:
        return ops.custom("kernel", inputs=[x], output_shape=(4,))

    def outer(x: Any) -> Any:
        return g.repeat("inner", 3, inner, x)

    g.repeat("outer", "L", outer, g.input("x", (4,), "fp32"))
    with pytest.raises(sr.errors.CostError, match="outer/inner/kernel"):
        g.flops


@pytest.mark.parametrize("sentinel", [-1, "-1", "-B", float("inf"), float("nan"), "B - 2*B"])
def test_b07_sentinels_are_no_costs(sentinel: Any) -> None:
    g = sr.Graph("g")
    x = g.input("x", ("B",), "fp32")
    for what in ("flops", "bytes", "link_bytes"):
        with pytest.raises(sr.errors.SymroofError, match=r"cost|number|finite|nan"):
            ops.custom("op", inputs=[x], output_shape="B", **{what: sentinel})


def test_b07_zero_is_a_cost_when_it_is_said() -> None:
    g = sr.Graph("g")
    ops.custom("move", inputs=[g.input("x", ("B",), "fp32")], output_shape="B", flops=0)
    assert g.flops.value == 0
    assert str(g.bytes) == "8*B byte"


# --- B14: embedding and head ------------------------------------------------------------------

V, H = 128256, 4096


def language_model(tokens: Any, *, tied: bool) -> sr.Graph:
    g = sr.Graph("lm")
    table = g.weight("embedding", (V, H), "bf16")
    x = ops.gather(table, g.input("ids", (tokens,), "int32"), name="embed")
    head = ops.transpose(table) if tied else g.weight("head", (H, V), "bf16")
    ops.matmul(x, head, name="logits")
    return g


@pytest.mark.parametrize("tied", [True, False])
def test_b14_tying_changes_parameters_and_no_flops(answer: Any, tied: bool) -> None:
    g = language_model(1, tied=tied)
    rows = {row.name: row for row in sr.analyze(g, "h100-sxm").ops()}
    assert rows["embed"].flops.value == answer["embed_flops"]
    assert rows["logits"].flops.value == answer["head_flops_per_token"]
    assert g.flops.value == answer["head_flops_per_token"]
    parameters = answer["params_tied"] if tied else answer["params_untied"]
    assert g.footprint(Role.WEIGHT).value == parameters * 2


def test_b14_embedding_moves_the_rows_it_picks(answer: Any) -> None:
    g = sr.Graph("embed")
    x = ops.gather(g.weight("E", (V, H), "bf16"), g.input("ids", 8, "int32"))
    cost = x.producer.cost
    assert sum(cost.reads) == answer["embed_bytes_read_8tok"]
    assert sum(cost.writes) == answer["embed_bytes_written_8tok"]
    assert g.bytes.value == answer["embed_bytes_moved_8tok"]
    assert g.bytes.value < answer["wrong_whole_table"]


def test_b14_vocabulary_is_in_no_cost_of_an_embedding() -> None:
    g = sr.Graph("embed")
    ops.gather(g.weight("E", ("V", "D"), "bf16"), g.input("ids", ("B", "S"), "int32"))
    assert g.flops.value == 0
    assert {s.name for s in g.bytes.expr.free_symbols} == {"B", "S", "D"}
    # one row read and written and one id, for each token
    assert g.bytes.at(B=1, S=1, D=1).value == 2 + 2 + 4


def test_b14_head_of_a_tied_model_is_read_whole_once() -> None:
    for tied in (True, False):
        cost = language_model("T", tied=tied).op("logits").cost
        assert cost.reads[1] == V * H * 2


# --- B70: convolutions ------------------------------------------------------------------------


def test_b70_conv1d_with_and_without_bias(answer: Any) -> None:
    for padding in (1, (1,), ((1, 1),), "same"):
        g = sr.Graph("g")
        x, w = g.input("x", (1, 1000, 512), "fp32"), g.weight("w", (1000, 1000, 3), "fp32")
        y = ops.conv(x, w, g.weight("b", 1000, "fp32"), padding=padding)
        assert y.shape == (1, 1000, 512)
        assert g.flops.value == answer["flops"]
        h = sr.Graph("h")
        x, w = h.input("x", (1, 1000, 512), "fp32"), h.weight("w", (1000, 1000, 3), "fp32")
        ops.conv(x, w, padding=padding)
        assert h.flops.value == answer["without_bias"]


def output_places(length: int, kernel: int, stride: int, pad: tuple[int, int], dil: int) -> int:
    """How often a kernel fits, found by laying it down place by place."""
    padded = sum(pad) + length
    starts = range(0, padded, stride)
    return sum(1 for start in starts if start + dil * (kernel - 1) < padded)


@given(st.data())
def test_b70_any_convolution_counts_its_multiply_adds(data: st.DataObject) -> None:
    """FLOPs and bytes of every valid shape are positive and those of a loop; others are refused."""
    rank = data.draw(st.integers(1, 3))

    def per_dim(entries: Any) -> Any:
        return tuple(data.draw(entries) for _ in range(rank))

    lengths, kernels = per_dim(st.integers(1, 7)), per_dim(st.integers(1, 4))
    strides, dilations = per_dim(st.integers(1, 3)), per_dim(st.integers(1, 2))
    pads = per_dim(st.tuples(st.integers(0, 2), st.integers(0, 2)))
    batch, groups = data.draw(st.integers(1, 2)), data.draw(st.integers(1, 2))
    inside, outside = (groups * data.draw(st.integers(1, 3)) for _ in range(2))
    bias = data.draw(st.booleans())
    places = [
        output_places(*each)
        for each in zip(lengths, kernels, strides, pads, dilations, strict=True)
    ]
    g = sr.Graph("g")
    x = g.input("x", (batch, inside, *lengths), "fp32")
    w = g.weight("w", (outside, inside // groups, *kernels), "fp32")
    given_bias = g.weight("b", outside, "fp32") if bias else None
    options = {"stride": strides, "padding": pads, "dilation": dilations, "groups": groups}
    if 0 in places:
        with pytest.raises(sr.errors.SymroofError):
            ops.conv(x, w, given_bias, **options)
        return
    y = ops.conv(x, w, given_bias, **options)
    assert y.shape == (batch, outside, *places)
    made = batch * outside
    for each in places:
        made *= each
    taps = inside // groups
    for each in kernels:
        taps *= each
    assert g.flops.value == 2 * made * taps + (made if bias else 0) > 0
    assert all(amount >= 0 for amount in (*y.producer.cost.reads, *y.producer.cost.writes))
    assert g.bytes.value > 0


@given(st.integers(1, 12), st.integers(1, 6), st.integers(1, 3), st.integers(0, 3))
def test_b70_symbolic_length_gives_the_same_count(
    length: int, kernel: int, stride: int, pad: int
) -> None:
    places = output_places(length, kernel, stride, (pad, pad), 1)
    assume(places > 0)
    g = sr.Graph("g")
    x, w = g.input("x", (1, 2, "L"), "fp32"), g.weight("w", (5, 2, kernel), "fp32")
    ops.conv(x, w, stride=stride, padding=pad)
    assert g.flops.at(L=length).value == 2 * 5 * 2 * kernel * places


@pytest.mark.parametrize(
    ("shape", "kernel", "options"),
    [
        ((1, 4, 2), (4, 4, 3), {}),
        ((1, 4, 8), (4, 3, 3), {}),
        ((1, 4, 8), (4, 4, 3), {"padding": -1}),
        ((1, 4, 8), (4, 4, 3), {"stride": 0}),
        ((1, 4, 8), (4, 4, 3), {"dilation": 8}),
        ((1, 4, 8), (4, 2, 3), {"groups": 3}),
        ((1, 4, 8), (4, 4, 3), {"padding": (1, 1)}),
        ((1, 4, 8), (4, 4, 3), {"stride": (1, 1)}),
    ],
)
def test_b70_invalid_shapes_are_refused(shape: Any, kernel: Any, options: Any) -> None:
    g = sr.Graph("g")
    with pytest.raises(sr.errors.SymroofError, match="conv"):
        ops.conv(g.input("x", shape, "fp32"), g.weight("w", kernel, "fp32"), **options)
    assert g.ops == ()
