"""Convolutions: a loop over every output, channel and tap is the reference."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Integer

from symroof import ops
from symroof.errors import InputError, ShapeError, UnknownNameError
from symroof.graph import Graph, Mesh
from symroof.graph.passes import shard
from symroof.symbolic import bind, parse, symbols

B, C, L = symbols("B C L")


def positions(length: int, kernel: int, stride: int, before: int, after: int, dilation: int) -> int:
    """Starts of the window, one stride apart, from which all taps are inside."""
    padded = length + before + after
    reach = dilation * (kernel - 1)
    return len([s for s in range(0, padded, stride) if s + reach < padded])


def convolve(
    x: tuple[Any, ...], w: tuple[Any, ...], bias: bool = False, **options: Any
) -> tuple[Graph, Any]:
    g = Graph("g")
    operands = [g.input("x", x, "fp16"), g.weight("w", w, "fp16")]
    if bias:
        operands.append(g.weight("b", w[0], "fp16"))
    return g, ops.conv(*operands, **options)


def test_bias_and_length() -> None:
    """1000 to 1000 channels, kernel 3, padding 1, length 512."""
    for padding in (1, (1,), ((1, 1),), "same"):
        g, y = convolve((1, 1000, 512), (1000, 1000, 3), bias=True, padding=padding)
        assert y.shape == (1, 1000, 512)
        assert g.flops.value == 3072512000
    g, _ = convolve((1, 1000, 512), (1000, 1000, 3), padding=1)
    assert g.flops.value == 3072000000


@given(
    st.integers(1, 12),
    st.integers(1, 4),
    st.integers(1, 3),
    st.integers(0, 2),
    st.integers(0, 2),
    st.integers(1, 3),
)
def test_length_equals_sliding_the_window(
    length: int, kernel: int, stride: int, before: int, after: int, dilation: int
) -> None:
    expected = positions(length, kernel, stride, before, after, dilation)
    options = {"stride": stride, "padding": ((before, after),), "dilation": dilation}
    if expected == 0:
        with pytest.raises(ShapeError, match="does not fit"):
            convolve((2, 3, length), (5, 3, kernel), **options)
        return
    g, y = convolve((2, 3, length), (5, 3, kernel), **options)
    assert y.shape == (2, 5, expected)
    assert g.flops.value == 2 * (2 * 5 * expected) * 3 * kernel
    assert g.bytes.value == 2 * (2 * 3 * length + 5 * 3 * kernel + 2 * 5 * expected)
    symbolic, form = convolve((2, 3, "L"), (5, 3, kernel), **options)
    assert form.shape[2].xreplace({L: Integer(length)}) == expected
    assert symbolic.flops.at(L=length).value == g.flops.value


def test_two_dims_with_groups_equal_a_loop() -> None:
    n, cin, cout, groups, kernel, stride = 2, 4, 6, 2, (3, 2), (2, 1)
    g, y = convolve(
        (n, cin, 7, 5), (cout, cin // groups, *kernel), bias=True, stride=stride, groups=groups
    )
    rows = positions(7, 3, 2, 0, 0, 1)
    columns = positions(5, 2, 1, 0, 0, 1)
    flops = 0
    for _n, _co, _r, _c in itertools.product(range(n), range(cout), range(rows), range(columns)):
        for _ci, _kr, _kc in itertools.product(range(cin // groups), range(3), range(2)):
            flops += 2
        flops += 1
    assert y.shape == (n, cout, rows, columns)
    assert g.flops.value == flops


def test_depthwise_and_three_dims() -> None:
    g, y = convolve((1, "C", 4, 4, 4), ("C", 1, 3, 3, 3), groups="C", padding="same")
    assert y.shape == (1, C, 4, 4, 4)
    assert g.flops.expr == 2 * C * 64 * 27


@pytest.mark.parametrize(("length", "stride", "expected"), [(7, 2, 4), (8, 2, 4), (1, 3, 1)])
def test_same_is_a_ceiling(length: int, stride: int, expected: int) -> None:
    _, y = convolve((1, 1, length), (1, 1, 3), padding="same", stride=stride)
    assert y.shape[2] == expected


def test_valid_is_a_floor_and_the_default() -> None:
    for options in ({}, {"padding": "valid"}, {"padding": 0}):
        _, y = convolve((1, 1, 8), (1, 1, 3), stride=2, **options)
        assert y.shape[2] == 3


def test_pair_of_dims_is_not_before_and_after() -> None:
    _, y = convolve((1, 1, 8, 8), (1, 1, 3, 3), padding=(0, 1))
    assert y.shape[2:] == (6, 8)
    _, y = convolve((1, 1, 8, 8), (1, 1, 3, 3), padding=((0, 1), 1))
    assert y.shape[2:] == (7, 8)


def test_symbolic_everything() -> None:
    g, y = convolve(("B", "4*C", "L"), (8, "4*C", "k"), padding="(k - 1)/2")
    assert y.shape == (B, 8, L)
    assert g.flops.expr == 2 * 8 * B * L * 4 * C * symbols("k")


@pytest.mark.parametrize(
    ("x", "w", "options", "error", "message"),
    [
        ((1, 3, 8), (4, 2, 3), {}, ShapeError, "the input has 3"),
        ((1, 4, 8), (3, 2, 3), {"groups": 2}, ShapeError, "no multiple of 2 groups"),
        ((1, 3, 8), (4, 3, 3, 3), {}, ShapeError, "differ in dims"),
        ((3, 8), (4, 3), {}, ShapeError, "3 or 4 or 5"),
        ((1, 3, 2), (4, 3, 3), {}, ShapeError, "does not fit"),
        ((1, 3, 8), (4, 3, 3), {"stride": 0}, InputError, "1 or more"),
        ((1, 3, 8), (4, 3, 3), {"padding": -1}, InputError, "0 or more"),
        ((1, 3, 8), (4, 3, 3), {"padding": (1, 1)}, InputError, "2 values for 1"),
        ((1, 3, 8), (4, 3, 3), {"padding": ((1, 1, 1),)}, InputError, "pair"),
        ((1, 3, 8), (4, 3, 3), {"padding": "smae"}, UnknownNameError, "same"),
        ((1, 3, 8), (4, 3, 3), {"dilation": 1.5}, InputError, "1 or more"),
    ],
)
def test_faults(x: Any, w: Any, options: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        convolve(x, w, **options)


def test_bias_shape() -> None:
    g = Graph("g")
    x, w = g.input("x", (1, 3, 8), "fp16"), g.weight("w", (4, 3, 3), "fp16")
    with pytest.raises(ShapeError, match="bias") as caught:
        ops.conv(x, w, g.weight("b", 3, "fp16"))
    assert len(caught.value.shapes) == 3


def test_same_padding_at_stride_1_keeps_the_dim():
    g = Graph("g")
    x, w = g.input("x", ("N", "C", "H", "W"), "fp16"), g.weight("w", ("C", "C", 3, 3), "fp16")
    assert (ops.conv(x, w, padding="same") + x).shape == x.shape


@pytest.mark.parametrize(
    ("length", "options", "expected"),
    [
        ("2*H", {"padding": "same", "stride": 2}, "H"),
        ("2*H + 1", {"padding": "same", "stride": 2}, "H + 1"),
        ("H/2", {"padding": "same", "stride": 2}, "ceil(H/4)"),
        ("6*H", {"padding": 1, "stride": 2}, "3*H"),  # floor((6*H - 1)/2) + 1
        ("4*H*W + 4", {"padding": 1, "stride": 4}, "H*W + 1"),  # floor((4*H*W + 3)/4) + 1
        ("H", {"padding": 1, "stride": 2}, "floor(H/2 - 1/2) + 1"),
    ],
)
def test_what_divides_is_not_rounded(length, options, expected):
    g = Graph("g")
    x, w = g.input("x", (1, 1, length), "fp16"), g.weight("w", (1, 1, 3), "fp16")
    shape = ops.conv(x, w, **options).shape
    assert shape[2] == parse(expected)
    for size in (2, 3, 7):
        at = dict.fromkeys(("H", "W"), size)
        long = bind(x.shape[2], at)
        if long.is_Integer:
            h = Graph("h")
            y = ops.conv(
                h.input("x", (1, 1, long), "fp16"), h.weight("w", (1, 1, 3), "fp16"), **options
            )
            assert bind(shape[2], at) == y.shape[2]


@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize("channels", [8, "C"])
def test_channels_with_kernels_of_their_own_lie_on_different_chips(channels, biased):
    g = Graph("depthwise")
    x = g.input("x", ("B", channels, "L"), "bf16", sharding=(None, "X", None))
    w = g.weight("w", (channels, 1, 4), "bf16", sharding=("X", None, None))
    b = g.weight("b", (channels,), "bf16", sharding=("X",)) if biased else None
    ops.conv(x, w, b, padding=((3, 0),), groups=channels, name="y")
    local = shard(g, Mesh(X=4))
    assert local.link_bytes.value == 0
    held = local.tensor("x").shape[1]
    assert 4 * held == x.shape[1]
    assert local.tensor("y").shape == (B, held, L)
    assert (4 * local.flops.expr - g.flops.expr).expand() == 0


def test_channels_that_share_groups_are_gathered():
    g = Graph("grouped")
    x = g.input("x", ("B", 8, "L"), "bf16", sharding=(None, "X", None))
    w = g.weight("w", (8, 4, 3), "bf16")
    ops.conv(x, w, groups=2, name="y")
    local = shard(g, Mesh(X=4))
    assert local.link_bytes.expr == Integer(3) / 4 * B * 8 * L * 2
