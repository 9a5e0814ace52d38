"""The published numbers of NanoFlow: accelerators, terms of ops, ratios, and what does not follow.

Terms of ops come from a graph of the ops of a layer; of the serving model only totals are asked.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from sympy import Rational

import symroof as sr
from symroof import ops
from symroof.errors import InputError
from symroof.serving import Hardware, ModelSize
from symroof.serving.full import full_terms
from symroof.serving.terms import Terms

from .small import SEVENTY_BILLION

PAPER = json.loads(
    (Path(__file__).parents[1] / "data" / "nanoflow.json").read_text(encoding="utf-8")
)
GPUS = {row["model"]: row for row in PAPER["table1_accelerators"]}
TABLE_2 = PAPER["table2_llama2_70b_8xA100_B2048"]
RATIOS = PAPER["figure2_Tnet_over_Tcomp"]
MISMATCHES = PAPER["memory_ratio_mismatch"]
TRUNCATED = {"A100-40G": 201, "MI250": 108, "MI300": 247}
B, BD, BP = 2048, Rational(4096, 3), Rational(2048, 3)
P, NEW = 512, 1024
MEAN_CONTEXT = P + NEW // 2
N, D, KV, F, L, HEAD = 8, 8192, 1024, 28672, 80, 128
LAYER_OPS = ("KQV", "O", "UG", "D", "DecAttn", "PfAttn")


def gpu(model: str, count: int = N, mem_size: int | None = None) -> Hardware:
    """An accelerator as the paper prints it: its link counts both directions."""
    row = GPUS[model]
    return Hardware(
        count,
        gpu_mem_per_gpu=f"{mem_size or row['MemSize_GB']} GB",
        mem_bw_per_gpu=f"{row['MemBW_GBps']} GB/s",
        compute_per_gpu=f"{row['FP16_GFLOPs']} GFLOP/s",
        net_bw_per_gpu=f"{row['NetBW_GBps_bidir']} GB/s",
        bidirectional=True,
    )


def size(model: str = "LLaMA-2-70B") -> ModelSize:
    given = PAPER["inputs"][model]
    return ModelSize(params=int(given["P"]), hidden=given["D"], layers=given["L"], dtype="fp16")


def llama(hardware: Hardware | None = None, model: str = "LLaMA-2-70B") -> Terms:
    return full_terms(hardware or gpu("A100-80G"), size(model))


def time_of(term: str, hardware: Hardware | None = None) -> sr.Quantity:
    """A term of eight A100s, or of other GPUs."""
    return llama(hardware).quantities[term]


def digits_of(printed: float) -> Fraction:
    """Half a unit of the last digit of a number as it is printed."""
    text = str(printed)
    return Fraction(1, 2 * 10 ** (len(text.partition(".")[2]) if "." in text else 0))


def rounds_to(exact: Any, printed: float) -> bool:
    return abs(Fraction(str(exact)) - Fraction(str(printed))) <= digits_of(printed)


# --- table 1 ------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", GPUS)
def test_table_1_ratios(model: str) -> None:
    row, hardware = GPUS[model], gpu(model)
    if model not in MISMATCHES:
        assert rounds_to((hardware.gpu_mem / hardware.mem_bw).value, row["MemSize_over_MemBW"])
    if model not in TRUNCATED:
        ratio = (hardware.compute / hardware.mem_bw).value_in("FLOP/byte")
        assert rounds_to(ratio, row["Compute_over_MemBW"])
    assert hardware.net_bw is not None
    both_ways = 2 * (hardware.net_bw / hardware.mem_bw).value
    assert rounds_to(both_ways, row["NetBW_over_MemBW"])


@pytest.mark.parametrize("model", TRUNCATED)
def test_compute_over_bandwidth_is_printed_truncated_and_rounds_up(model: str) -> None:
    hardware = gpu(model)
    ratio = (hardware.compute / hardware.mem_bw).value
    assert rounds_to(ratio, TRUNCATED[model])
    assert int(ratio) == GPUS[model]["Compute_over_MemBW"] == TRUNCATED[model] - 1


@pytest.mark.parametrize(
    ("model", "right"),
    [("H200", Rational(141, 4800)), ("B100", Rational(24, 1000)), ("B200", Rational(24, 1000))],
)
def test_memory_ratio_is_printed_for_an_earlier_memory_size(model: str, right: Rational) -> None:
    printed = GPUS[model]["MemSize_over_MemBW"]
    hardware = gpu(model)
    found = (hardware.gpu_mem / hardware.mem_bw).value
    assert found == right
    assert not rounds_to(found, printed)
    earlier = gpu(model, mem_size=MISMATCHES[model]["MemSize"])
    assert rounds_to((earlier.gpu_mem / earlier.mem_bw).value, printed)


@pytest.mark.parametrize(
    ("model", "name", "printed", "datasheet"),
    [("MI250", "mem_bw_per_gpu", 3352, 3277), ("Gaudi2", "compute_per_gpu", 10**6, 432_000)],
)
def test_printed_rate_is_not_that_of_the_data_sheet_and_is_no_chip_fact(
    model: str, name: str, printed: int, datasheet: int
) -> None:
    given = getattr(gpu(model), name)
    assert given.value == printed * 10**9
    assert given.value != datasheet * 10**9
    names = [chip for chip in sr.chips() if model.lower() in chip.replace("-", "")]
    for chip in map(sr.chip, names):
        rate = chip.bandwidth() if name == "mem_bw_per_gpu" else chip.peak("bf16")
        assert rate.value != printed * 10**9


# --- table 2: a layer of LLaMA-2-70B on eight A100s, 2048 tokens --------------------------------


def of_all_layers(name: str) -> tuple[sr.Quantity, sr.Quantity]:
    """FLOPs and bytes of an op over all tokens; of the attention of a phase over its requests."""
    g = layers_of(name)
    requests = {"DecAttn": BD, "PfAttn": BP / P}.get(name)
    if requests is None:
        return g.flops, g.bytes
    return g.flops.at(R=requests), g.bytes.at(R=requests)


def layers_of(name: str) -> sr.Graph:
    g = sr.Graph(name)

    def body(x: sr.Tensor) -> sr.Tensor:
        matrix = {"KQV": (D, D + 2 * KV), "O": (D, D), "UG": (D, 2 * F), "D": (F, D)}
        if name in matrix:
            x @ g.weight("w", matrix[name], "fp16")
        else:  # one query of each request, or whole prompts, each query with all keys
            queries, context = (1, MEAN_CONTEXT) if name == "DecAttn" else (P, P)
            q = g.input("q", ("R", D // HEAD, queries, HEAD), "fp16")
            kv = ("R", KV // HEAD, context, HEAD)
            ops.attention(q, *(g.input(n, kv, "fp16") for n in "kv"))
        return x

    g.repeat("layers", L, body, g.input("x", (B, F if name == "D" else D), "fp16"))
    return g


@pytest.mark.parametrize("name", LAYER_OPS)
def test_table_2_terms_of_ops_from_a_graph(name: str) -> None:
    """Times are printed of amounts that were rounded before."""
    row, hardware = TABLE_2[name], gpu("A100-80G")
    flops, moved = of_all_layers(name)
    near = {"DecAttn": 0.002, "PfAttn": 0.05}.get(name, 0.0)
    for amount, unit, rate, printed, time in (
        (flops, "GFLOP", hardware.compute, row["GFLOP"], row["est_Tcomp_ms"]),
        (moved, "GB", hardware.mem_bw, row["mem_GB"], row["est_Tmem_ms"]),
    ):
        found, seconds = amount.value_in(unit), amount / rate
        off = sr.Quantity(str(digits_of(printed)), unit) / rate
        assert rounds_to(found, printed) or float(found) == pytest.approx(printed, rel=near)
        assert seconds.to("ms") == pytest.approx(
            time, abs=float(digits_of(time)) + off.to("ms"), rel=near
        )


def gathers() -> sr.Graph:
    """Four all-gathers a layer, as one of the GPUs sees them."""
    g = sr.Graph("gathers")

    def body(x: sr.Tensor) -> sr.Tensor:
        for _ in range(4):
            ops.all_gather(x, axis=1, group=N)
        return x

    g.repeat("layers", L, body, g.input("x", (B, D // N), "fp16"))
    return g


def test_table_2_network_from_a_graph_of_collectives() -> None:
    row, hardware = TABLE_2["Net"], gpu("A100-80G")
    assert hardware.net_bw is not None
    sent = gathers().link_bytes * N
    time = sent / hardware.net_bw
    assert rounds_to(sent.value_in("GB"), row["net_GB"])
    assert time == time_of("network").at(B_dense=B)
    # What arrives is written to memory.
    assert rounds_to(sent.value_in("GB"), row["mem_GB"])
    assert rounds_to((sent / hardware.mem_bw).value_in("ms"), row["est_Tmem_ms"])


def test_table_2_sums_of_all_reduces() -> None:
    """Two all-reduces a layer, in which each value is the sum of those of eight GPUs."""
    g = sr.Graph("sums")

    def body(x: sr.Tensor) -> sr.Tensor:
        for _ in range(2):
            whole = x
            for _ in range(N - 1):
                whole = ops.add(whole, x)
        return x

    g.repeat("layers", L, body, g.input("x", (B, D), "fp16"))
    row, compute = TABLE_2["Net"], gpu("A100-80G").compute
    assert rounds_to(g.flops.value_in("GFLOP"), row["GFLOP"])
    assert rounds_to((g.flops / compute).value_in("ms"), row["est_Tcomp_ms"])


def test_printed_time_of_the_network_is_of_rounded_bytes() -> None:
    """31.33 ms is 75.2 GB over 2.4 TB/s; the formula gives 75.16 GB and 31.317 ms."""
    exact, printed = time_of("network").at(B_dense=B), TABLE_2["Net"]
    assert exact.to("ms") == pytest.approx(PAPER["derived_checks"]["T_net_ms"], abs=5e-4)
    assert not rounds_to(exact.value_in("ms"), printed["est_Tnet_ms"])
    rounded = sr.Quantity(str(printed["net_GB"]), "GB") / sr.Quantity("2.4 TB/s")
    assert rounds_to(rounded.value_in("ms"), printed["est_Tnet_ms"])


def test_table_2_columns_add_up_to_the_printed_totals() -> None:
    rows = [TABLE_2[name] for name in (*LAYER_OPS, "Net")]
    total = TABLE_2["Total"]
    for column in ("est_Tcomp_ms", "est_Tmem_ms", "est_Tnet_ms"):
        assert sum(row[column] for row in rows) == pytest.approx(total[column], abs=0.02)


def test_column_of_memory_adds_up_to_45_ms_where_the_formula_gives_40() -> None:
    assert time_of("memory").value_in("ms") == 40
    assert TABLE_2["Total"]["est_Tmem_ms"] == pytest.approx(45.09)


def test_table_2_attention_is_printed_for_a_slightly_different_workload() -> None:
    (flops, decode), (_, prefill) = of_all_layers("DecAttn"), of_all_layers("PfAttn")
    assert rounds_to(flops.value_in("GFLOP"), 3665.0)
    assert rounds_to(decode.value_in("GB"), 461.7)
    assert rounds_to(prefill.value_in("GB"), 2.01)
    assert not rounds_to(flops.value_in("GFLOP"), TABLE_2["DecAttn"]["GFLOP"])
    assert not rounds_to(decode.value_in("GB"), TABLE_2["DecAttn"]["mem_GB"])
    assert not rounds_to(prefill.value_in("GB"), TABLE_2["PfAttn"]["mem_GB"])


# --- figure 2 and other ratios ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "model", "printed"),
    [
        (name, model, printed)
        for name, row in RATIOS["rows"].items()
        for model, printed in zip(RATIOS["columns"], row, strict=True)
    ],
)
def test_figure_2_network_over_compute(name: str, model: str, printed: float) -> None:
    times = llama(gpu(model), name).quantities
    ratio = times["network"] / times["compute"]
    assert "B_dense" not in {symbol.name for symbol in ratio.expr.free_symbols}
    assert rounds_to(ratio.value, printed)


def test_derived_checks() -> None:
    derived, times = PAPER["derived_checks"], llama().at(B)
    assert times["memory"].to("ms") == derived["T_mem_ms"]
    assert times["compute"].to("ms") == pytest.approx(derived["T_compute_ms"], abs=5e-4)
    assert times["network"].to("ms") == pytest.approx(derived["T_net_ms"], abs=5e-4)


def test_totals_of_eight_a100s() -> None:
    stated, hardware = PAPER["inputs"]["A100x8"], gpu("A100-80G")
    assert hardware.net_bw is not None
    assert int(hardware.compute.value) == stated["compute"]
    assert int(hardware.mem_bw.value) == stated["MemBW"]
    assert int(hardware.net_bw.value) == stated["NetBW_one_way"]
    assert int(hardware.gpu_mem.value) == stated["MemSize"]


@pytest.mark.parametrize("name", PAPER["optimal_tok_s_gpu"])
def test_optimum_of_1857_tokens_follows_from_260_teraflops_and_not_from_the_printed_280(
    name: str,
) -> None:
    def optimum(teraflops: int) -> Any:
        chip = sr.Chip(
            "a",
            peak={"bf16": f"{teraflops} TFLOP/s"},
            memory={"hbm": "2 TB/s"},
            capacity="80 GB",
            link="300 GB/s",
        )
        served = sr.serve(SEVENTY_BILLION, sr.System(chip, 8), context=1024, memory="full")
        return served.optimal_throughput_per_gpu.value

    assert rounds_to(optimum(260), PAPER["optimal_tok_s_gpu"][name])
    assert optimum(280) == 2000


def test_network_counts_hops_to_the_other_gpus_and_not_to_all_as_a_revision_prints() -> None:
    printed = RATIOS["rows"]["LLaMA-2-70B"][RATIOS["columns"].index("A100-80G")]
    right = (time_of("network") / time_of("compute")).value
    assert rounds_to(right, printed)
    assert not rounds_to(right * Rational(N, N - 1), printed)


def test_link_of_both_directions_is_halved_and_summed_over_the_gpus() -> None:
    hardware = gpu("A100-80G")
    assert hardware.net_bw is not None
    assert GPUS["A100-80G"]["NetBW_GBps_bidir"] == 600
    assert hardware.net_bw.to("GB/s") == 300 * 8
    assert hardware.assumptions == ("600 GB/s of both directions is 300 GB/s in one direction",)


def test_bandwidth_of_the_catalogue_gives_39_ms_where_the_rounded_one_gives_40() -> None:
    catalogue = Hardware.of("8xa100-sxm-80gb", "fp16")
    assert time_of("memory", catalogue).to("ms") == pytest.approx(39.23, abs=5e-3)
    assert time_of("memory").value_in("ms") == 40


def test_a_link_of_unsaid_direction_or_of_one_gpu_alone_is_not_taken() -> None:
    """Per GPU, T_net would be 250 ms: that number cannot be reached by leaving something out."""
    rates = {
        "gpu_mem_per_gpu": "80 GB",
        "mem_bw_per_gpu": "2 TB/s",
        "compute_per_gpu": "312 TFLOP/s",
    }
    with pytest.raises(InputError, match=r"say bidirectional=False .* or bidirectional=True"):
        Hardware(8, **rates, net_bw_per_gpu="300 GB/s")
    for wrong in ("net_bw", "NetBW", "link"):
        with pytest.raises(TypeError, match="unexpected keyword"):
            Hardware(8, **rates, **{wrong: "300 GB/s"})
    for link, both in (("300 GB/s", False), ("600 GB/s", True), ("600 GB/s bidirectional", None)):
        hardware = Hardware(8, **rates, net_bw_per_gpu=link, bidirectional=both)
        found = time_of("network", hardware).at(B_dense=B)
        assert found.to("ms") == pytest.approx(31.317, abs=5e-4)


# --- crossovers ---------------------------------------------------------------------------------


def test_network_bound_from_27_gpus_whatever_the_batch() -> None:
    terms = llama()
    assert terms.batch_cancels("network", "compute")
    answer = terms.crossover("N_gpus", "network", "compute")
    assert answer.threshold_value == pytest.approx(26.68, abs=5e-3)
    assert answer.first == 27
    assert answer.free == ()
    exact = 1 + Rational(70 * 10**9 * 300 * 10**9, 2 * 312 * 10**12 * 8192 * 2 * 80)
    assert answer.threshold_bound == exact
    assert str(answer).startswith("N_gpus ≥ ")


@pytest.mark.parametrize("batch", [1, 714, 10**6])
def test_bound_of_26_and_27_gpus(batch: int) -> None:
    def terms(count: int) -> tuple[sr.Quantity, sr.Quantity]:
        times = llama(gpu("A100-80G", count)).at(batch)
        return times["network"], times["compute"]

    fewer, more = terms(26), terms(27)
    assert fewer[0] < fewer[1]
    assert more[0] > more[1]


def test_pairs_by_hand() -> None:
    terms = llama()
    compute = terms.crossover("B_dense", "compute", "memory")
    network = terms.crossover("B_dense", "network", "memory")
    assert compute.threshold_bound == Rational(640 * 10**9 * 312, 2 * 70 * 10**9 * 2)
    assert compute.first == 714
    hops = 4 * 7 * 8192 * 2 * 80
    assert network.threshold_bound == Rational(640 * 10**9 * 2400, 16_000 * hops)
    assert network.first == 2616
    assert [answer.verify()[1] for answer in (compute, network)] == [0, 0]
