"""Peaks: keys, defaults and selection."""

from __future__ import annotations

import pytest

from symroof.errors import InputError, UnknownNameError
from symroof.hardware import Chip, chip
from symroof.hardware.peaks import read_defaults, read_peaks, split_key
from symroof.units.dtype import DType, dtype

TWO = {"fp16:fp32:tensor": "165.2 TFLOP/s", "fp16:fp16:tensor": "330.3 TFLOP/s"}


@pytest.mark.parametrize(
    ("key", "parts"),
    [
        ("bf16", ("bf16", None, None)),
        ("BF16:FP32:Tensor", ("bf16", "fp32", "tensor")),
        ("fp8_e5m2:fp32:matrix", ("fp8", "fp32", "matrix")),
        ("float16", ("fp16", None, None)),
        ("int8:int32:tensor", ("int8", "int32", "tensor")),
    ],
)
def test_keys_are_normalised(key, parts):
    assert split_key(key, "peak") == parts


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("bf15", "did you mean 'bf16'"),
        ("bf16:fp32", "is not the key of a peak; write bf16, or bf16:fp32:tensor in full"),
        ("bf16:fp32:tensr", "unknown engine 'tensr'; did you mean 'tensor'"),
        ("bf16:fp33:tensor", "unknown dtype 'fp33'; did you mean"),
        ("", "unknown dtype"),
        ("mxfp8", "mxfp8 has no peak of its own; its elements compute as fp8"),
    ],
)
def test_wrong_keys_are_named_with_their_place(key, message):
    with pytest.raises(InputError, match=rf"^peak.{key}: .*{message}"):
        read_peaks({key: "1 TFLOP/s"}, "peak")


def test_the_same_peak_twice_is_refused():
    with pytest.raises(InputError, match=r"the peak fp8 is given twice"):
        read_peaks({"fp8_e4m3": "1 TFLOP/s", "fp8_e5m2": "1 TFLOP/s"}, "peak")


def test_defaults():
    peaks = read_peaks({**TWO, "fp32:fp32:vector": "82.6 TFLOP/s"}, "peak")
    stated = read_defaults({"fp16": "fp16:fp32:tensor"}, peaks, "default_peak")
    assert dict(stated) == {"fp16": "fp16:fp32:tensor", "fp32": "fp32:fp32:vector"}
    with pytest.raises(InputError, match=r"default_peak.fp16: fp16 has several peaks"):
        read_defaults({}, peaks, "default_peak")
    with pytest.raises(
        InputError, match=r"is not a peak for fp16; there: fp16:fp32:tensor, fp16:fp16"
    ):
        read_defaults({"fp16": "fp16:fp32:vector"}, peaks, "default_peak")
    with pytest.raises(InputError, match=r"is not a peak for fp16"):
        read_defaults({"fp16": "fp32:fp32:vector"}, peaks, "default_peak")


def test_a_short_key_is_the_default_beside_a_full_one():
    mine = Chip("mine", peak={"fp16": "10 TFLOP/s", **TWO}, memory={"hbm": "1 TB/s"})
    assert mine.peak("fp16").to("TFLOP/s") == 10
    assert mine.peak("fp16:fp16:tensor").expr.name == "peak.fp16:fp16:tensor"


def test_geforce_accumulates_in_fp32_unless_asked():
    card = chip("rtx-4090")
    assert card.peak("fp16").to("TFLOP/s") == 165.2
    assert card.peak("fp16").expr.name == "peak.fp16"
    fast = card.peak("fp16", accumulate="fp16")
    assert (fast.to("TFLOP/s"), fast.expr.name) == (330.3, "peak.fp16:fp16:tensor")
    assert card.peak("fp16:fp16:tensor") == fast
    # Asking for the default in full is asking for the default.
    assert card.peak("fp16", accumulate="fp32", engine="tensor").expr.name == "peak.fp16"


def test_engines_can_be_chosen():
    gpu = chip("h100-sxm")
    assert gpu.peak("fp64").to("TFLOP/s") == 67
    assert gpu.peak("fp64", engine="vector").to("TFLOP/s") == 34
    assert gpu.peak("fp32").to("TFLOP/s") == 67
    assert gpu.peak("tf32").to("TFLOP/s") == 494.5


def test_dtypes_may_be_objects():
    gpu = chip("h100-sxm")
    assert gpu.peak(dtype("fp8_e5m2")) == gpu.peak("fp8")
    with pytest.raises(InputError, match=r"compute as int4"):
        gpu.peak(DType.block(4, 128, 16))


def test_a_missing_peak_lists_those_there_are():
    with pytest.raises(UnknownNameError) as caught:
        chip("tpu-v5e").peak("fp16")
    message = str(caught.value)
    assert "unknown peak of tpu-v5e 'fp16'" in message
    assert "it has bf16:fp32:matrix, int8:int32:matrix" in message
    with pytest.raises(UnknownNameError, match=r"'fp16 accumulate=bf16'.*it has"):
        chip("rtx-4090").peak("fp16", accumulate="bf16")
    with pytest.raises(UnknownNameError, match=r"engine=matrix"):
        chip("rtx-4090").peak("fp16", engine="matrix")


def test_several_that_fit_are_named():
    mine = Chip(
        "mine",
        peak={
            "fp16": "1 TFLOP/s",
            "fp16:fp32:tensor": "2 TFLOP/s",
            "fp16:fp32:vector": "3 TFLOP/s",
        },
        memory={"hbm": "1 TB/s"},
    )
    with pytest.raises(InputError, match=r"several peaks of mine fit fp16: fp16:fp32:tensor, fp16"):
        mine.peak("fp16", accumulate="fp32")


def test_sparse_peaks_are_apart():
    gpu = chip("h100-sxm")
    assert gpu.find_peak("bf16", sparse=True).rate.text == "1979 TFLOP/s"
    assert gpu.find_peak("bf16").rate.text == "989 TFLOP/s"
    with pytest.raises(UnknownNameError, match=r"peak of h100-sxm with sparsity"):
        gpu.find_peak("fp64", sparse=True)
