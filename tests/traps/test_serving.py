"""Serving: what of the memory a step reads, and whose throughput a number is."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import symroof as sr
from symroof import ops
from symroof.errors import UnitError
from symroof.graph import Role
from symroof.serving import Hardware, ModelSize
from symroof.serving.full import full_terms

from ..serving.small import LLAMA_8B, SEVENTY_BILLION

PARAMETERS, LAYERS, KV_HEADS, HEAD_DIM, CONTEXT = 803 * 10**7, 32, 8, 128, 8192


def decode() -> sr.Graph:
    """A step that reads all weights, and keys and values of B sequences."""
    g = sr.Graph("decode")
    shape = (LAYERS, "B", KV_HEADS, CONTEXT, HEAD_DIM)
    leaves = [g.weight("w", (PARAMETERS,), "bf16"), *(g.cache(n, shape, "bf16") for n in "kv")]
    moved = g.footprint(Role.WEIGHT) + g.footprint(Role.CACHE)
    ops.custom("step", inputs=leaves, output_shape=("B",), flops=0, bytes=moved)
    return g


def full_time(gpu_mem: str = "80 GB") -> sr.Quantity:
    """Time of an iteration of an 8B model on an H100 that reads all of the memory."""
    hardware = Hardware(
        1, gpu_mem_per_gpu=gpu_mem, mem_bw_per_gpu="3.35 TB/s", compute_per_gpu="989 TFLOP/s"
    )
    size = ModelSize(params=PARAMETERS, hidden=4096, layers=LAYERS)
    return full_terms(hardware, size).quantities["memory"]


def most_that_fit(memory: str, kept: sr.Quantity) -> int:
    return sr.region(sr.Quantity(memory), kept, "B").last or 0


# --- B71: all of memory, or what a step touches -------------------------------------------------


def test_b71_full_memory_touched_bytes_and_the_batch_where_they_meet(
    answer: Any, h100: sr.Chip
) -> None:
    g = decode()
    touched = sr.analyze(g, h100).t_memory
    assert touched.at(B=1).value == answer["touched_s"]
    assert full_time().value == answer["full_s"]
    most = most_that_fit("80 GB", g.footprint(Role.WEIGHT) + g.footprint(Role.CACHE))
    assert most == answer["B_max"]
    assert touched.at(B=most).value <= answer["full_s"] < touched.at(B=most + 1).value


def test_b71_full_memory_says_where_it_is_right() -> None:
    served = sr.serve(LLAMA_8B, "h100-sxm", context=CONTEXT, memory="full")
    (said,) = (line for line in served.assumptions if line.startswith("Memory mode full"))
    assert "only at the largest batch that fits" in said


@given(st.integers(17, 10**6), st.integers(1, 10**6))
def test_b71_full_memory_is_never_less_than_what_a_batch_that_fits_touches(
    gigabytes: int, context: int
) -> None:
    weights = sr.Quantity(2 * PARAMETERS, "byte")
    a_cache = sr.Quantity(2 * LAYERS * KV_HEADS * HEAD_DIM * 2 * context, "byte")
    most = most_that_fit(f"{gigabytes} GB", weights + a_cache * sr.Quantity("B", ""))
    bandwidth = sr.Quantity("3.35 TB/s")
    touched = (weights + a_cache * most) / bandwidth
    full = full_time(f"{gigabytes} GB")
    assert touched <= full
    assert full < touched + a_cache / bandwidth


# --- B72: tokens per second of one GPU or of all, of prompts or decoded -------------------------


def test_b72_names_say_whose_throughput_it_is(answer: Any) -> None:
    chip = sr.Chip(
        "a",
        peak={"bf16": "260 TFLOP/s"},
        memory={"hbm": "2 TB/s"},
        capacity="80 GB",
        link="300 GB/s",
    )
    served = sr.serve(SEVENTY_BILLION, sr.System(chip, 8), prefill=512, decode=512, memory="full")
    assert served.optimal_throughput_per_gpu.value == answer["per_gpu"]
    assert served.optimal_throughput.value == answer["total"]
    # A batch that is compute-bound reaches it; B_dense counts tokens of both phases.
    assert served.throughput.at(B_dense=2048).value == answer["total"]
    assert served.decode_throughput.at(B_dense=2048).value == answer["decode_tokens_per_s_total"]


@given(
    st.sampled_from([1, 2, 3, 64]),
    st.integers(1, 5000),
    st.integers(1, 5000),
    st.integers(1, 10**5),
)
def test_b72_requests_times_their_tokens_are_the_throughput(
    gpus: int, prefill: int, new: int, batch: int
) -> None:
    served = sr.serve(LLAMA_8B, "h100-sxm", tp=gpus, prefill=prefill, decode=new, memory="full")
    total = served.throughput.at(B_dense=batch)
    assert served.throughput_per_gpu.at(B_dense=batch) * gpus == total
    assert served.per_request_throughput is not None
    requests = served.per_request_throughput.at(B_dense=batch)
    assert requests * sr.Quantity(prefill + new, "token") == total
    assert requests * sr.Quantity(new, "token") == served.decode_throughput.at(B_dense=batch)


def test_b72_requests_and_tokens_do_not_add() -> None:
    served = sr.serve(LLAMA_8B, "h100-sxm", prefill=8, decode=8, memory="full")
    assert served.per_request_throughput is not None
    with pytest.raises(UnitError, match="token"):
        served.throughput + served.per_request_throughput
