"""Serving against numbers that were published or worked out by hand."""

from __future__ import annotations

import math

import pytest

import symroof as sr
from symroof.errors import InputError
from symroof.solve import Kind

# Weights but for the embedding table, and what one more token keeps: Llama 3 8B in bf16.
WEIGHTS = 2 * (8_030_261_248 - 128_256 * 4096)
KV = 2 * 32 * 8 * 128 * 2
BANDWIDTH, PEAK = 3.35e12, 989e12


@pytest.fixture(scope="module")
def small() -> sr.Serving:
    return sr.serve("llama-3-8b", "h100-sxm", context=1024)


@pytest.mark.parametrize(("batch", "ms"), [(1, 4.52), (8, 4.80), (64, 7.05), (256, 14.75)])
def test_decoding_times_of_llama_3_8b(small: sr.Serving, batch: int, ms: float) -> None:
    assert small.time(batch).overlapped.to("ms") == pytest.approx(ms, rel=0.01)
    by_hand = (WEIGHTS + batch * 1024 * KV) / BANDWIDTH * 1e3
    assert small.t_mem.at(B=batch).to("ms") == pytest.approx(by_hand, rel=1e-12)
    assert small.bound(batch) is sr.Bound.MEMORY


def test_llama_3_8b_is_never_compute_bound_at_1024(small: sr.Serving) -> None:
    assert small.crossover().kind is Kind.NEVER


def test_context_limit_counts_matmul_parameters(small: sr.Serving) -> None:
    matmul = WEIGHTS / 2 - 65 * 4096  # norms multiply no matrix
    ridge = PEAK / BANDWIDTH
    by_hand = 2 * matmul / (ridge * KV - 4 * 32 * 4096)
    assert small.context_limit.value == pytest.approx(by_hand, rel=1e-12)
    assert small.context_limit.last == 393


def test_context_limit_if_all_parameters_counted() -> None:
    ridge = PEAK / BANDWIDTH
    assert round(2 * 8_030_261_248 / (ridge * KV - 4 * 32 * 4096)) == 421


def test_fused_activations_move_the_limit_and_the_time() -> None:
    # What each op reads and writes counts too: an iteration of 256 takes 15.4 ms and no batch is
    # compute-bound beyond about 323 tokens, by a count of fused ops that differs a little.
    r = sr.analyze(sr.model("llama-3-8b").graph("decode"), "h100-sxm")
    assert r.traffic == "fused"
    assert r.at(B=256, S=1024).t_memory.to("ms") == pytest.approx(15.4, rel=0.01)
    limit = next(s for s in range(250, 400) if r.crossover("B").at(S=s).kind is Kind.NEVER)
    assert limit == pytest.approx(323, rel=0.03)


def test_llama_2_70b_on_one_a100() -> None:
    s = sr.serve("llama-2-70b", "a100-sxm-80gb", context=1024)
    assert s.crossover().threshold_value == pytest.approx(236.9, abs=0.05)
    assert s.crossover().first == 237
    assert s.fits is False
    assert s.fewest_chips == 2


def test_elasticities(small: sr.Serving) -> None:
    found = {one.name: one.value for one in small.elasticities(64)}
    kv = 64 * 1024 * KV
    assert found["parameters"] == pytest.approx(WEIGHTS / (WEIGHTS + kv), rel=1e-9)
    assert found["parameters"] == pytest.approx(0.636, abs=5e-4)
    assert found["batch"] == pytest.approx(0.364, abs=5e-4)
    assert found["context"] == pytest.approx(0.364, abs=5e-4)


def test_caches_exceed_weights(small: sr.Serving) -> None:
    answer = small.kv_exceeds_weights(64)
    assert answer.threshold_value == pytest.approx(WEIGHTS / (64 * KV), rel=1e-12)
    assert math.floor(answer.threshold_value) == 1789


def test_network_bound_from_27_of_70e9_parameters() -> None:
    # 312 TFLOP/s and 300 GB/s each: 1 + 70e9*300e9/(2*312e12*8192*2*80) = 26.68.
    s = sr.serve("llama-2-70b", "8xa100-sxm-80gb", prefill=512, decode=1024, memory="full")
    found = s.network_bound_from
    assert found is not None
    params = 68_976_648_192
    by_hand = 1 + params * 300e9 / (2 * 312e12 * 8192 * 2 * 80)
    assert found.threshold_value == pytest.approx(by_hand, rel=1e-12)
    assert found.first == 27
    assert s.t_net.at(B_dense=2048).to("ms") == pytest.approx(31.317, abs=5e-3)


def test_sums_over_gpus_cannot_be_given_as_one_gpus_rate() -> None:
    # 300 GB/s as the links of all 8 would make the network 8 times as slow: 250 ms.
    s = sr.serve("llama-2-70b", "8xa100-sxm-80gb", prefill=512, decode=1024, memory="full")
    with pytest.raises(InputError, match="NetBW_per_gpu"):
        s.t_net.at(B_dense=2048, NetBW="300 GB/s")
    one = s.t_net.at(B_dense=2048, NetBW_per_gpu="300 GB/s")
    assert one.to("ms") == pytest.approx(31.317, abs=5e-3)


def test_states_that_do_not_grow_leave_no_context_limit_to_the_largest_batch() -> None:
    s = sr.serve("mamba2-2.7b", "h100-sxm", prefill=512, decode=128, memory="full")
    assert s.context_limit.value in (0, math.inf)
