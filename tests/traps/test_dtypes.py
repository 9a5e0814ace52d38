"""Number formats: what 4-bit weights weigh, and at which peak they are multiplied."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Rational

import symroof as sr
from symroof import ops
from symroof.graph import Role

# --- B29: scales and zero points ----------------------------------------------------------------

FORMATS = (
    {"bits": 4, "group": 128, "scale_bits": 16},
    {"bits": 4, "group": 128, "scale_bits": 16, "zero_bits": 16},
    {"bits": 4, "group": 128, "scale_bits": 16, "zero_bits": 4},
    {"bits": 4, "group": 32, "scale_bits": 16},
    {"bits": 2, "group": 64, "scale_bits": 16, "zero_bits": 16},
)


def test_b29_bits_and_bytes_with_scales_and_zero_points(answer: Any) -> None:
    for fields, bits, size in zip(FORMATS, answer["bits"], answer["bytes"], strict=True):
        stored = sr.DType.block(**fields)
        assert stored.bits == bits
        g = sr.Graph("weights")
        g.weight("W", (4096, 4096), stored)
        assert g.footprint(Role.WEIGHT).value == size
    g = sr.Graph("naive")
    g.weight("W", (4096, 4096), "int4")
    assert g.footprint(Role.WEIGHT).value == answer["naive_4bit"]


@given(
    st.integers(1, 8),
    st.integers(1, 256),
    st.integers(0, 32),
    st.integers(0, 16),
    st.integers(1, 99),
)
def test_b29_whole_groups_are_counted_bit_by_bit(
    bits: int, group: int, scale: int, zero: int, groups: int
) -> None:
    stored = sr.DType.block(bits, group, scale, zero)
    one_group = sum(bits for _ in range(group)) + scale + zero
    g = sr.Graph("weights")
    g.weight("W", (groups, group), stored)
    assert g.footprint(Role.WEIGHT).value * 8 == groups * one_group
    assert sr.dtype(stored.name).bits == stored.bits


@pytest.mark.parametrize(
    ("name", "group", "group_bytes"),
    [
        ("q4_0", 32, 18),  # ggml: a half and 16 bytes of nibbles
        ("q8_0", 32, 34),  # ggml: a half and 32 bytes
        ("mxfp4", 32, 17),  # OCP Microscaling v1.0: an E8M0 scale for 32
        ("mxfp8", 32, 33),
        ("nvfp4", 16, 9),  # an E4M3 scale for 16
    ],
)
def test_b29_named_formats_weigh_their_published_groups(
    name: str, group: int, group_bytes: int
) -> None:
    g = sr.Graph("weights")
    g.weight("W", ("n", group), name)
    assert g.footprint(Role.WEIGHT) == sr.Quantity(f"{group_bytes}*n", "byte")


def test_b29_scales_are_read_with_the_weights_and_move_the_answer(h100: sr.Chip) -> None:
    """Counting 4 bits flat would name a batch that is too small."""
    thresholds = []
    for stored in ("int4", sr.DType.block(4, 128, 16), sr.DType.block(4, 32, 16)):
        g = sr.Graph("linear")
        x, w = g.input("x", ("B", 4096), "bf16"), g.weight("W", (4096, 4096), stored)
        op = (x @ w).producer
        assert op.cost.reads[1] == g.footprint(Role.WEIGHT).value
        thresholds.append(sr.analyze(g, h100).crossover("B").threshold_bound)
    assert thresholds == sorted(set(thresholds))


def test_b29_width_and_group_can_be_unknowns() -> None:
    g = sr.Graph("weights")
    g.weight("W", (4096, 4096), sr.DType.block("b", "g", 16))
    kept = g.footprint(Role.WEIGHT)
    assert kept.at(b=4, g=128).value == 8650752
    x = sr.region("8912896", kept.at(b=4).expr, "g")
    assert (x.relation, x.threshold) == (">=", 64)


# --- B30: weights in one format, arithmetic in another ------------------------------------------

SIZE = 4096


def linear(stored: Any) -> sr.Graph:
    g = sr.Graph("linear")
    x = g.input("x", ("B", SIZE), "bf16")
    ops.linear(x, g.weight("W", (SIZE, SIZE), stored))
    return g


def weights_only(g: sr.Graph, chip: sr.Chip) -> Any:
    """The batch at which the FLOPs take as long as the weights alone."""
    t_weights = g.footprint(Role.WEIGHT) / chip.bandwidth()
    return sr.region(sr.analyze(g, chip).t_compute, t_weights, "B")


def test_b30_critical_batch_of_4_bit_weights(answer: Any, h100: sr.Chip) -> None:
    g = linear("int4")
    assert g.footprint(Role.WEIGHT).value == SIZE * SIZE // 2
    assert weights_only(g, h100).threshold_bound == answer["weights_only"]
    x = sr.analyze(g, h100).crossover("B")
    assert x.threshold_bound == answer["with_activations"]
    assert x.first == answer["min_int_batch"]
    assert x.verify()[1] == 0
    wide = sr.analyze(linear("bf16"), h100).crossover("B")
    assert wide.threshold_bound == answer["if_bf16_weights"]


@pytest.mark.parametrize("stored", ["int8", "int4", "int2", "q4_0", "mxfp4", "nvfp4", "q8_0"])
def test_b30_weight_only_formats_use_the_16_bit_peak(stored: str) -> None:
    """The chip is far faster in narrow formats; that peak does not hold for bf16 activations."""
    chip = sr.Chip(
        "fast",
        peak={
            "bf16": "989 TFLOP/s",
            "int8": "9 PFLOP/s",
            "int4": "99 PFLOP/s",
            "fp4": "99 PFLOP/s",
        },
        memory={"hbm": "3.35 TB/s"},
    )
    g = linear(stored)
    r = sr.analyze(g, chip)
    assert set(g.flops_by_dtype) == {"bf16"}
    assert r.t_compute.at(B=1).value == Rational(2 * SIZE * SIZE, 989 * 10**12)
    assert r.intensity.at(B=1).value > sr.analyze(linear("bf16"), chip).intensity.at(B=1).value


def test_b30_both_operands_narrow_use_the_narrow_peak() -> None:
    g = sr.Graph("int8")
    x, w = g.input("x", ("B", SIZE), "int8"), g.weight("W", (SIZE, SIZE), "int8")
    ops.matmul(x, w, out_dtype="int8")
    assert set(g.flops_by_dtype) == {"int8"}


def test_b30_bits_per_weight_as_the_unknown(h100: sr.Chip) -> None:
    """How narrow must weights be for a batch of 87 to be compute-bound? 4 bits are, 5 are not."""
    bits = sr.DType.block("b", 1, 0)
    x = sr.analyze(linear(bits), h100).crossover("b").at(B=87)
    assert x.relation == "<="
    assert 4 < x.threshold_bound < 5
    assert sr.analyze(linear(bits), h100).crossover("b").at(B=86).threshold_bound < 4
