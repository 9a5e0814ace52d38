"""Elasticities against differences, and gains against the changed machine or precision."""

from __future__ import annotations

from math import log
from typing import Any

import pytest

import symroof as sr

from .small import LLAMA_8B, LLAMA_70B, MIXTRAL, dense

H100 = "h100-sxm"


def found(serving: sr.Serving, batch: int, name: str) -> Any:
    (one,) = (e for e in serving.elasticities(batch) if e.name == name)
    return one


@pytest.mark.parametrize("model", [LLAMA_8B, MIXTRAL, dense(window=300)], ids=["8b", "moe", "win"])
@pytest.mark.parametrize("context", [200, 2000])
def test_batch_and_context_against_differences(model: Any, context: int) -> None:
    batch = 24

    def time(b: int, s: int) -> float:
        return sr.serve(model, H100, context=s).time(b).overlapped.to("s")

    here = sr.serve(model, H100, context=context)
    by_batch = log(time(batch + 1, context) / time(batch - 1, context)) / log(25 / 23)
    assert found(here, batch, "batch").value == pytest.approx(by_batch, abs=2e-3)
    low, high = context - 1, context + 1
    by_context = log(time(batch, high) / time(batch, low)) / log(high / low)
    assert found(here, batch, "context").value == pytest.approx(by_context, abs=2e-3)


def test_past_a_window_the_context_moves_nothing() -> None:
    inside, past = (sr.serve(dense(window=300), H100, context=s) for s in (200, 2000))
    assert found(inside, 24, "context").value > 0
    assert found(past, 24, "context").value == 0
    assert found(past, 24, "context").expr is None  # it depends on which side of the window


def test_experts_have_no_closed_form_in_the_batch() -> None:
    assert found(sr.serve(MIXTRAL, H100, context=64), 4, "batch").expr is None


@pytest.mark.parametrize("cut", [{"ep": 4}, {"tp": 2, "ep": 2}])
def test_experts_of_a_workload_and_over_several_links(cut: dict[str, int]) -> None:
    serving = sr.serve(MIXTRAL, "4xh100-sxm", prefill=12, decode=30, **cut)
    times = [serving.time(batch).overlapped.to("s") for batch in (41, 43)]
    by_batch = log(times[1] / times[0]) / log(43 / 41)
    assert found(serving, 42, "batch").value == pytest.approx(by_batch, abs=2e-3)


def test_where_compute_bounds_only_compute_moves_the_time() -> None:
    serving = sr.serve(LLAMA_70B, "8xa100-sxm-80gb", context=1024)
    assert serving.bound(512) is sr.Bound.COMPUTE
    by_name = {e.name: e.value for e in serving.elasticities(512)}
    assert by_name["peak compute"] == -1
    assert by_name["memory bandwidth"] == by_name["bits per weight"] == 0
    assert by_name["batch"] == 1
    # products with weights: 1 - 4·80·64·128·1024 / (FLOPs of a token)
    attended = 4 * 80 * 64 * 128 * 1024
    products = 2 * (68976648192 - 32000 * 8192 - 161 * 8192)
    assert by_name["parameters"] == pytest.approx(products / (products + attended))


def test_in_mode_full_only_the_bandwidth_moves_a_small_batch() -> None:
    serving = sr.serve(LLAMA_8B, H100, context=1024, memory="full")
    moved = {e.name: e.value for e in serving.elasticities(8) if e.value}
    assert moved == {"memory bandwidth": -1}


def test_half_the_bits_gain_what_the_precision_does() -> None:
    serving = sr.serve(LLAMA_8B, H100, context=1024)
    gains = {h.input: h.gain for h in serving.helps(64)}
    before = serving.at(64).throughput.value
    # 8-bit weights and caches; the peak stays that of the activations.
    weights = sr.serve(LLAMA_8B, H100, context=1024, weights="int8").at(64).throughput.value
    cached = sr.serve(LLAMA_8B, H100, context=1024, kv="int8").at(64).throughput.value
    assert gains["bits per weight"] == pytest.approx(float(weights / before), rel=1e-3)
    assert gains["bits per cached element"] == pytest.approx(float(cached / before), rel=1e-3)


def test_twice_the_batch_is_offered_where_it_fits() -> None:
    serving = sr.serve(LLAMA_8B, H100, context=1024)
    assert "batch" in {h.input for h in serving.helps(238)}
    assert "batch" not in {h.input for h in serving.helps(239)}  # 476 fit
    gain = float(serving.at(128).throughput.value / serving.at(64).throughput.value)
    assert {h.input: h.gain for h in serving.helps(64)}["batch"] == pytest.approx(gain)


def test_the_best_comes_first() -> None:
    gains = [h.gain for h in sr.serve(LLAMA_8B, H100, context=1024).helps(64)]
    assert gains == sorted(gains, reverse=True)
    assert min(gains) > 1
