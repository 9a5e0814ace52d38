"""The serving model on totals: invariants on random models and machines, memory, crossovers."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Rational

import symroof as sr
from symroof.errors import InputError, UnboundError, UnknownNameError
from symroof.serving import Hardware, ModelSize, ServingModel, Workload

SMALL = st.integers(1, 400)


def model(
    gpus: int | str = 8,
    *,
    params: int = 70,
    hidden: int = 64,
    layers: int = 80,
    memory: int = 80,
    bandwidth: int = 2000,
    compute: int = 312,
    link: int = 300,
    load: tuple[Any, Any] = (512, 1024),
    **size: Any,
) -> ServingModel:
    """A model of so many 10**9 parameters and 128·hidden wide, on GPUs of GB, GB/s, TFLOP/s."""
    hardware = Hardware(
        gpus,
        gpu_mem_per_gpu=f"{memory} GB",
        mem_bw_per_gpu=f"{bandwidth} GB/s",
        compute_per_gpu=f"{compute} TFLOP/s",
        net_bw_per_gpu=f"{link} GB/s",
        bidirectional=False,
    )
    sizes = {"params": params * 10**9, "hidden": 128 * hidden, "layers": layers}
    return ServingModel(hardware, ModelSize(**sizes, **{"group_size": 8, **size}), Workload(*load))


MODELS = st.builds(
    model,
    st.integers(1, 64),
    params=SMALL,
    hidden=SMALL,
    layers=SMALL,
    memory=SMALL,
    bandwidth=SMALL,
    compute=SMALL,
    link=SMALL,
)


# --- invariants ---------------------------------------------------------------------------------


@given(MODELS, st.integers(1, 10**7))
def test_throughput_is_at_most_compute_over_flops_of_a_token(m: ServingModel, batch: int) -> None:
    most = m.hardware.compute / (2 * m.size.params) * sr.Quantity("1 token/FLOP")
    found = m.throughput.at(B_dense=batch)
    assert found <= m.throughput_limit <= m.optimal_throughput
    assert m.optimal_throughput == most


@given(MODELS, st.integers(1, 10**6), st.integers(1, 10**6))
def test_time_never_falls_as_the_batch_grows_nor_does_throughput(
    m: ServingModel, batch: int, more: int
) -> None:
    before, after = batch, batch + more
    assert m.time.at(B_dense=before) <= m.time.at(B_dense=after)
    assert m.throughput.at(B_dense=before) <= m.throughput.at(B_dense=after)


@given(MODELS, st.integers(1, 100), st.integers(1, 10**6))
def test_more_gpus_never_take_more_memory_time_nor_less_on_the_network(
    m: ServingModel, more: int, batch: int
) -> None:
    given_batch = {"B_dense": batch}
    larger = {"N_gpus": int(m.hardware.n_gpus) + more, **given_batch}
    assert m.t_mem.at(larger) == m.t_mem
    assert m.t_net.at(larger) >= m.t_net.at(given_batch)
    assert m.t_compute.at(larger) < m.t_compute.at(given_batch)


@given(MODELS, st.integers(1, 10**6), st.sampled_from(["L", "D_model", "P_model"]), SMALL)
def test_time_never_falls_as_the_model_grows(
    m: ServingModel, batch: int, name: str, factor: int
) -> None:
    size = {"L": m.size.layers, "D_model": m.size.hidden, "P_model": m.size.params}[name]
    time = m.time.at(B_dense=batch)
    assert m.time.at({"B_dense": batch, name: size * factor}) >= time


@given(MODELS, st.integers(1, 10**6))
def test_overlapped_is_at_most_serial_and_at_most_a_third_of_it_is_gained(
    m: ServingModel, batch: int
) -> None:
    overlapped, serial = m.time.at(B_dense=batch), m.serial_time.at(B_dense=batch)
    assert overlapped <= serial <= 3 * overlapped


@given(MODELS, st.integers(1, 10**7))
def test_crossovers_agree_with_the_terms_of_a_batch(m: ServingModel, batch: int) -> None:
    terms = {name: term.at(B_dense=batch).value for name, term in m.terms.items()}
    for pair in m.pairs:
        at = int(m.hardware.n_gpus) if pair.batch_cancels else batch
        runs = pair.answer.intervals or ()
        said = any(first <= at and (last is None or at <= last) for first, last in runs)
        assert said == (terms[pair.term] >= terms[pair.over])
    most = max(terms.values())
    assert m.largest(batch) == tuple(name for name, time in terms.items() if time == most)


@given(st.integers(1, 10**6), st.booleans())
def test_one_gpu_has_no_network(batch: int, linked: bool) -> None:
    m = model(1)
    if not linked:
        alone = Hardware(
            1, gpu_mem_per_gpu="80 GB", mem_bw_per_gpu="2 TB/s", compute_per_gpu="312 TFLOP/s"
        )
        m = ServingModel(alone, m.size, m.workload)
    assert m.t_net.at(B_dense=batch).value == 0
    assert "network" not in m.largest(batch)
    assert m.throughput_limit == m.optimal_throughput


def test_one_gpu_without_link_has_one_crossover() -> None:
    m = ServingModel(Hardware.of("h100-sxm"), model().size)
    assert [(pair.term, pair.over) for pair in m.pairs] == [("compute", "memory")]
    assert "NetBW" not in m.scope.dimensions


# --- memory -------------------------------------------------------------------------------------


@given(MODELS)
def test_largest_batch_fits_and_one_more_does_not(m: ServingModel) -> None:
    room = m.hardware.gpu_mem.value
    weights, a_cache = m.weights.value, (m.kv_bytes_per_token * m.mean_context).value
    most = m.max_batch.value
    assert m.fits == (most >= 1) == (m.shortfall is None)
    assert weights + (most + 1) * a_cache > room
    if m.fits:
        assert weights + most * a_cache <= room
    else:
        assert most == 0
        assert m.shortfall == sr.Quantity(weights + a_cache - room, "byte")
    fewest, one = m.fewest_gpus, m.hardware.gpu_mem_per_gpu.value
    assert fewest * one >= weights + a_cache > (fewest - 1) * one


def test_model_that_does_not_fit_says_by_how_much() -> None:
    m = model(1, load=(1000, 48))
    assert not m.fits
    assert m.max_batch.value == 0
    assert m.shortfall == sr.Quantity(140 * 10**9 + 1024 * 327_680 - 80 * 10**9, "byte")
    assert m.fewest_gpus == 2
    assert "0 requests fit" in str(m)


def test_batch_of_the_memory_is_in_requests_and_in_tokens() -> None:
    m = model()
    ratio = m.max_tokens / m.max_sequences
    assert ratio.value == Rational(1536, 1024)
    assert m.max_batch.at(p=100, d=100).value > m.max_batch.value


def test_number_of_gpus_may_stay_open() -> None:
    m = model("N_gpus")
    assert m.max_batch.at(N_gpus=8).value == model(8).max_batch.value
    assert m.t_mem.value == model(8).t_mem.value
    assert m.largest(1) == ("memory",)  # for any number
    with pytest.raises(UnboundError, match="N_gpus"):
        m.largest(10**6)


# --- latency and throughput ---------------------------------------------------------------------


def test_first_token_takes_as_many_iterations_as_the_prompt_has_shares() -> None:
    m = model()
    # Of 512 tokens in an iteration 512/3 are of prompts: three iterations for a prompt of 512.
    assert m.ttft.at(B_dense=512) == 3 * m.time.at(B_dense=512)
    assert m.ttft.at(B_dense=3000) == m.tpot.at(B_dense=3000)


def test_latency_target_gives_the_largest_batch() -> None:
    m = model()
    found = m.within("120 ms")
    assert m.time.at(B_dense=found.last) <= sr.Quantity("120 ms")
    assert m.time.at(B_dense=found.last + 1) > sr.Quantity("120 ms")
    assert m.within("39 ms").kind is sr.Kind.NEVER


def test_closed_forms() -> None:
    m = model(load=("p", "d"))
    texts = {
        m.t_mem: "GPU_mem/MemBW s",
        m.t_compute: "2*B_dense*P_model/compute s",
        m.t_net: "4*B_dense*D_model*L*S_type*(N_gpus - 1)/NetBW s",
        m.optimal_throughput: "compute/(2*P_model) token/s",
        m.optimal_throughput_per_gpu: "compute_per_gpu/(2*P_model) token/s",
        m.max_sequences: "R_GQA*(GPU_mem - P_model*S_type)/(2*D_model*L*S_type*(d/2 + p))",
    }
    for quantity, text in texts.items():
        assert str(quantity) == text


# --- questions that have no answer --------------------------------------------------------------


def test_crossovers_that_cannot_be_asked() -> None:
    m = model()
    with pytest.raises(InputError, match="NetBW is a sum over GPUs; ask for NetBW_per_gpu"):
        m.crossover("NetBW")
    with pytest.raises(InputError, match="compute is compared with itself"):
        m.crossover(term="compute", over="compute")
    with pytest.raises(UnknownNameError, match="did you mean 'network'"):
        m.crossover(term="netwrk")
    with pytest.raises(UnknownNameError, match="unknown symbol 'B_dens'"):
        m.crossover("B_dens")
    for wrong in (0, None, [], b"B_dense"):
        with pytest.raises(InputError, match="unknown: expected the name of a symbol"):
            m.crossover(wrong)  # type: ignore[arg-type]
        with pytest.raises(UnknownNameError, match="time term"):
            m.pair(wrong, "compute")  # type: ignore[arg-type]


def test_link_below_which_the_network_is_slower_than_compute() -> None:
    found = model().crossover("NetBW_per_gpu", term="network", over="compute")
    assert found.relation == "<="
    assert found.threshold_bound == Rational(2 * 7 * 8192 * 2 * 80 * 312 * 10**12, 70 * 10**9)
