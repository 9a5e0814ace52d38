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
from symroof.serving import Hardware, ModelSize, ServingModel, Workload
from symroof.serving.room import sequences_that_fit

PARAMETERS, LAYERS, KV_HEADS, HEAD_DIM, CONTEXT = 803 * 10**7, 32, 8, 128, 8192


def decode() -> sr.Graph:
    """A step that reads all weights, and keys and values of B sequences."""
    g = sr.Graph("decode")
    shape = (LAYERS, "B", KV_HEADS, CONTEXT, HEAD_DIM)
    leaves = [g.weight("w", (PARAMETERS,), "bf16"), *(g.cache(n, shape, "bf16") for n in "kv")]
    moved = g.footprint(Role.WEIGHT) + g.footprint(Role.CACHE)
    ops.custom("step", inputs=leaves, output_shape=("B",), flops=0, bytes=moved)
    return g


def full(gpu_mem: str = "80 GB", gpus: int = 1, **rates: str) -> ServingModel:
    """An 8B model on GPUs, each iteration of which reads all of their memory."""
    given = {"mem_bw_per_gpu": "3.35 TB/s", "compute_per_gpu": "989 TFLOP/s", **rates}
    link = {} if gpus == 1 else {"net_bw_per_gpu": "450 GB/s", "bidirectional": False}
    size = ModelSize(params=PARAMETERS, hidden=4096, layers=LAYERS, heads=32, kv_heads=KV_HEADS)
    return ServingModel(Hardware(gpus, gpu_mem_per_gpu=gpu_mem, **given, **link), size)


# --- B71: all of memory, or what a step touches -------------------------------------------------


def test_b71_full_memory_touched_bytes_and_the_batch_where_they_meet(
    answer: Any, h100: sr.Chip
) -> None:
    g = decode()
    touched = sr.analyze(g, h100).t_memory
    assert touched.at(B=1).value == answer["touched_s"]
    assert full().t_mem.value == answer["full_s"]
    a_cache = full().kv_bytes_per_token * CONTEXT
    assert a_cache == g.footprint(Role.CACHE).at(B=1)
    assert full().weights == g.footprint(Role.WEIGHT)
    most = sequences_that_fit("80 GB", full().weights, a_cache).value
    assert most == answer["B_max"]
    assert touched.at(B=most).value <= answer["full_s"] < touched.at(B=most + 1).value


def test_b71_full_memory_says_where_it_is_right() -> None:
    (said,) = (line for line in full().assumptions if line.startswith("memory: full"))
    assert "only at the largest batch that fits" in said


@given(st.integers(17, 10**6), st.integers(1, 10**6))
def test_b71_full_memory_is_never_less_than_what_a_batch_that_fits_touches(
    gigabytes: int, context: int
) -> None:
    model = full(f"{gigabytes} GB")
    a_cache = model.kv_bytes_per_token * context
    most = sequences_that_fit(model.hardware.gpu_mem, model.weights, a_cache)
    touched = (model.weights + a_cache * most) / model.hardware.mem_bw
    assert touched <= model.t_mem
    assert model.t_mem < touched + a_cache / model.hardware.mem_bw


# --- B72: tokens per second of one GPU or of all, of prompts or decoded -------------------------


def test_b72_names_say_whose_throughput_it_is(answer: Any) -> None:
    hardware = Hardware(
        8,
        gpu_mem_per_gpu="80 GB",
        mem_bw_per_gpu="2 TB/s",
        compute_per_gpu="260 TFLOP/s",
        net_bw_per_gpu="300 GB/s",
        bidirectional=False,
    )
    size = ModelSize(params=70 * 10**9, hidden=8192, layers=80, group_size=8)
    model = ServingModel(hardware, size, Workload(512, 512))
    assert model.optimal_throughput_per_gpu.value == answer["per_gpu"]
    assert model.optimal_throughput.value == answer["total"]
    decoded = model.workload.decode_share * model.optimal_throughput
    assert decoded.value == answer["decode_tokens_per_s_total"]
    # A batch that is compute-bound reaches it; B_dense counts tokens of both phases.
    assert model.throughput.at(B_dense=2048).value == answer["total"]
    assert model.decode_throughput.at(B_dense=2048).value == answer["decode_tokens_per_s_total"]


@given(st.integers(1, 64), st.integers(0, 5000), st.integers(1, 5000), st.integers(1, 10**5))
def test_b72_requests_times_their_tokens_are_the_throughput(
    gpus: int, prefill: int, new: int, batch: int
) -> None:
    model = ServingModel(full(gpus=gpus).hardware, full().size, Workload(prefill, new))
    total = model.throughput.at(B_dense=batch)
    assert model.throughput_per_gpu.at(B_dense=batch) * gpus == total
    requests = model.per_request_throughput.at(B_dense=batch)
    assert requests * sr.Quantity(prefill + new, "token") == total
    assert requests * sr.Quantity(new, "token") == model.decode_throughput.at(B_dense=batch)


def test_b72_requests_and_tokens_do_not_add() -> None:
    with pytest.raises(UnitError, match="token"):
        full().throughput + full().per_request_throughput
