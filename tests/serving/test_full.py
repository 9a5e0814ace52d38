"""Terms from totals: invariants on random models and machines, crossovers, questions refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Rational

import symroof as sr
from symroof.errors import InputError, UnboundError, UnknownNameError
from symroof.serving import Hardware, ModelSize, mix
from symroof.serving.full import full_terms
from symroof.serving.pairs import PAIRS
from symroof.serving.terms import Terms

from .small import LLAMA_8B, MAMBA

SMALL = st.integers(1, 400)
H100 = "h100-sxm"


def totals(
    gpus: int | str = 8,
    *,
    params: int = 70,
    hidden: int = 64,
    layers: int = 80,
    memory: int = 80,
    bandwidth: int = 2000,
    compute: int = 312,
    link: int = 300,
) -> Terms:
    """Of a model of so many 10**9 parameters and 128·hidden wide, on GPUs of GB, GB/s, TFLOP/s."""
    hardware = Hardware(
        gpus,
        gpu_mem_per_gpu=f"{memory} GB",
        mem_bw_per_gpu=f"{bandwidth} GB/s",
        compute_per_gpu=f"{compute} TFLOP/s",
        net_bw_per_gpu=f"{link} GB/s",
        bidirectional=False,
    )
    size = ModelSize(params=params * 10**9, hidden=128 * hidden, layers=layers)
    return full_terms(hardware, size)


TOTALS = st.builds(
    totals,
    st.integers(1, 64),
    params=SMALL,
    hidden=SMALL,
    layers=SMALL,
    memory=SMALL,
    bandwidth=SMALL,
    compute=SMALL,
    link=SMALL,
)


def gpus_of(terms: Terms) -> int:
    return int(terms.scope.values["N_gpus"])


# --- invariants ---------------------------------------------------------------------------------


@given(TOTALS, st.integers(1, 100), st.integers(1, 10**6))
def test_more_gpus_never_take_more_memory_time_nor_less_on_the_network(
    terms: Terms, more: int, batch: int
) -> None:
    here = terms.at(batch)
    there = {n: t.at(N_gpus=gpus_of(terms) + more) for n, t in here.items()}
    assert there["memory"] == here["memory"]
    assert there["network"] >= here["network"]
    assert there["compute"] < here["compute"]


@given(TOTALS, st.integers(1, 10**6), st.sampled_from(["L", "D_model", "P_model"]), SMALL)
def test_time_never_falls_as_the_model_grows(
    terms: Terms, batch: int, name: str, factor: int
) -> None:
    time = terms.put(terms.overlapped, batch)
    assert time.at({name: terms.scope.values[name] * factor}) >= time


@given(TOTALS, st.integers(1, 10**7))
def test_crossovers_agree_with_the_terms_of_a_batch(terms: Terms, batch: int) -> None:
    values = {name: term.value for name, term in terms.at(batch).items()}
    for term, over in PAIRS:
        cancels = (term, over) == ("network", "compute")
        assert terms.batch_cancels(term, over) is cancels
        answer = terms.crossover("N_gpus" if cancels else "B_dense", term, over)
        assert answer.integers is not None
        at = gpus_of(terms) if cancels else batch
        assert answer.integers.contains(at) is bool(values[term] >= values[over])
    most = max(values.values())
    assert terms.largest(batch) == tuple(name for name, time in values.items() if time == most)


@given(st.integers(1, 10**6), st.booleans())
def test_one_gpu_has_no_network(batch: int, linked: bool) -> None:
    terms = totals(1)
    if not linked:
        alone = Hardware(
            1, gpu_mem_per_gpu="80 GB", mem_bw_per_gpu="2 TB/s", compute_per_gpu="312 TFLOP/s"
        )
        terms = full_terms(alone, ModelSize(params=70 * 10**9, hidden=8192, layers=80))
        assert "NetBW" not in terms.scope.dimensions
    assert terms.at(batch)["network"].value == 0
    assert "network" not in terms.largest(batch)


def test_number_of_gpus_may_stay_open() -> None:
    terms = totals("N_gpus")
    assert terms.quantities["memory"].value == totals(8).quantities["memory"].value
    assert terms.largest(1) == ("memory",)  # for any number
    with pytest.raises(UnboundError, match="N_gpus"):
        terms.largest(10**6)


def test_closed_forms() -> None:
    assert {name: str(term) for name, term in totals().quantities.items()} == {
        "compute": "2*B_dense*P_model/compute s",
        "memory": "GPU_mem/MemBW s",
        "network": "4*B_dense*D_model*L*S_type*(N_gpus - 1)/NetBW s",
    }


# --- questions ----------------------------------------------------------------------------------


def test_crossovers_that_cannot_be_asked() -> None:
    terms = totals()
    with pytest.raises(InputError, match="NetBW is a sum over chips; ask for N_gpus or NetBW_per"):
        terms.crossover("NetBW", "compute", None)
    with pytest.raises(InputError, match="compute is compared with itself"):
        terms.crossover("B_dense", "compute", "compute")
    with pytest.raises(UnknownNameError, match="did you mean 'network'"):
        terms.crossover("B_dense", "netwrk", None)
    with pytest.raises(UnknownNameError, match="unknown symbol 'B_dens'"):
        terms.crossover("B_dens", "compute", None)
    for wrong in (0, None, [], b"B_dense"):
        with pytest.raises(InputError, match="names are text, not"):
            terms.crossover(wrong, "compute", None)  # type: ignore[arg-type]
        with pytest.raises(UnknownNameError, match="time term"):
            terms.crossover("B_dense", wrong, "compute")  # type: ignore[arg-type]


def test_link_below_which_the_network_is_slower_than_compute() -> None:
    found = totals().crossover("NetBW_per_gpu", "network", "compute")
    assert found.relation == "<="
    assert found.threshold_bound == Rational(2 * 7 * 8192 * 2 * 80 * 312 * 10**12, 70 * 10**9)


@pytest.mark.parametrize(
    ("name", "here"),
    [("bw", "MemBW_per_gpu"), ("peak", "compute_per_gpu"), ("link", "NetBW_per_gpu")],
)
def test_rates_of_a_chip_have_their_usual_names_too(name: str, here: str) -> None:
    served = sr.serve(LLAMA_8B, f"2x{H100}", context=512, memory="full")
    assert served.crossover(name) == served.crossover(here)
    assert served.crossover(name).name == here


@pytest.mark.parametrize("name", ["p", "d", "S"])
def test_lengths_are_no_part_of_the_terms(name: str) -> None:
    with pytest.raises(UnknownNameError, match=f"unknown symbol '{name}'"):
        sr.serve(LLAMA_8B, H100, context=512, memory="full").crossover(name)


# --- the context limit --------------------------------------------------------------------------


def test_beyond_the_context_limit_the_largest_batch_is_not_compute_bound() -> None:
    served = sr.serve(LLAMA_8B, H100, context=512, memory="full")
    last = served.context_limit.last
    # 80 GB/3.35 TB/s is 23.88 ms, in which 2·8030261248 FLOPs are computed 1470.6 times; as many
    # caches of 131072 bytes a token fit beside the weights with contexts up to 331.7.
    turning = Rational(80, 3350) * 989 * 10**12 / (2 * 8030261248)
    assert last == (80 * 10**9 - 2 * 8030261248) // (turning * 131072) == 331
    for context, compute in ((last - 2, True), (last + 2, False)):
        there = sr.serve(LLAMA_8B, H100, context=context, memory="full")
        assert (there.bound(there.max_tokens) is sr.Bound.COMPUTE) is compute


def test_context_limit_of_hardly_any_new_tokens_is_of_one_sequence() -> None:
    served = sr.serve(LLAMA_8B, H100, prefill="1e30", decode=1, memory="full")
    # One sequence in 80 GB beside the weights, 131072 bytes a token.
    assert served.context_limit.last == (80 * 10**9 - 2 * 8030261248) // 131072


def test_states_have_a_limit_of_all_or_none() -> None:
    assert sr.serve(MAMBA, H100, context=64, memory="full").context_limit.last in (None, 0)


# --- what is said -------------------------------------------------------------------------------


def test_what_is_said_is_of_this_mode() -> None:
    said: Any = sr.serve(LLAMA_8B, "8xh100-sxm", context=512, memory="full").assumptions
    text = " ".join(said)
    assert "B_dense sequences decode" in text
    assert "lower bound" not in text
    assert "the time on memory is an upper bound" in text
    assert "attention is not counted" in text
    assert "four all-gathers" in text
    assert "tp" not in text


def test_networks_and_traces_are_said() -> None:
    nodes = sr.serve(LLAMA_8B, "dgx-h100-2", tp=16, context=512, memory="full")
    assert "NetBW is that of nodes, the slowest of 2 networks." in nodes.assumptions
    for memory in ("touched", "full"):
        mixed = sr.serve(LLAMA_8B, H100, workload=mix("sharegpt"), memory=memory)
        assert "Lengths of prompts and answers are independent." in mixed.assumptions
