"""GPUs of the serving model: each number of one, sums over all, links of one direction."""

from __future__ import annotations

from typing import Any

import pytest

import symroof as sr
from symroof.errors import InputError, UnitError, UnknownNameError
from symroof.serving import Hardware

RATES: dict[str, Any] = {
    "gpu_mem_per_gpu": "80 GB",
    "mem_bw_per_gpu": "2 TB/s",
    "compute_per_gpu": "312 TFLOP/s",
}
LINK: dict[str, Any] = {"net_bw_per_gpu": "300 GB/s", "bidirectional": False}


def test_sums_move_with_the_number_of_gpus() -> None:
    eight = Hardware(8, **RATES, **LINK)
    assert eight.net_bw is not None
    sums = (eight.gpu_mem, eight.mem_bw, eight.compute, eight.net_bw)
    assert [q.value for q in sums] == [640 * 10**9, 16 * 10**12, 2496 * 10**12, 24 * 10**11]
    assert [q.at(N_gpus=16).value for q in sums] == [2 * q.value for q in sums]


def test_another_rate_of_one_gpu_moves_the_sum() -> None:
    eight = Hardware(8, **RATES, **LINK)
    assert eight.mem_bw.at(MemBW_per_gpu="3 TB/s").to("TB/s") == 24


def test_number_of_gpus_may_be_a_symbol() -> None:
    some = Hardware("n", **RATES, **LINK)
    assert some.compute.at(n=3).to("TFLOP/s") == 936
    plain = Hardware("N_gpus", **RATES, **LINK)
    assert plain.compute.at(N_gpus=3).to("TFLOP/s") == 936


def test_rates_may_be_symbols() -> None:
    some = Hardware(4, **{**RATES, "mem_bw_per_gpu": sr.Quantity("W", "byte/s")}, **LINK)
    assert some.mem_bw.at(W="1 TB/s").to("TB/s") == 4


@pytest.mark.parametrize(
    ("n_gpus", "given", "match"),
    [
        (0, LINK, "n_gpus: expected a whole number of at least 1, not 0"),
        (2.5, LINK, "n_gpus: expected a whole number"),
        (-1, LINK, "n_gpus"),
        ("8 GB", LINK, "n_gpus"),
        (2, {}, "2 GPUs need a link"),
        (2, {"net_bw_per_gpu": "300 GB/s"}, "say bidirectional=False if 300 GB/s"),
        (1, {"bidirectional": True}, "none is given"),
        (2, {**LINK, "bidirectional": "yes"}, "expected True or False, not 'yes'"),
        (2, {**LINK, "net_bw_per_gpu": "0 GB/s"}, "net_bw_per_gpu"),
        (
            2,
            {"net_bw_per_gpu": "600 GB/s bidirectional", "bidirectional": False},
            "600 GB/s is said to be bidirectional",
        ),
        (1, {"mem_bw_per_gpu": "-1 TB/s"}, "mem_bw_per_gpu"),
    ],
)
def test_bad_input_is_one_line_that_names_the_field(
    n_gpus: Any, given: dict[str, Any], match: str
) -> None:
    with pytest.raises(InputError, match=match):
        Hardware(n_gpus, **{**RATES, **given})


@pytest.mark.parametrize("name", RATES)
def test_rate_without_unit_or_with_another_is_refused(name: str) -> None:
    for wrong in (3, "3 s"):
        with pytest.raises(UnitError, match=name):
            Hardware(1, **{**RATES, name: wrong})


def test_of_a_system_of_the_catalogue() -> None:
    found = Hardware.of("8xh100-sxm", "fp8")
    system = sr.system("8xh100-sxm")
    assert found.net_bw == system.aggregate.egress(system.levels[0].name)
    assert found.compute == system.aggregate.peak("fp8")
    assert found.gpu_mem == system.aggregate.capacity()


def test_of_one_chip_has_no_link() -> None:
    found = Hardware.of(sr.chip("h100-sxm"))
    assert (found.n_gpus, found.net_bw, found.has_link) == (1, None, False)


def test_of_nodes_takes_the_slowest_network_and_says_so() -> None:
    found = Hardware.of("dgx-h100-2")
    assert found.net_bw_per_gpu == sr.Quantity("50 GB/s")
    assert "NetBW is that of nodes, the slowest of 2 networks" in found.assumptions
    inner = Hardware.of("dgx-h100-2", level="node")
    assert inner.net_bw_per_gpu == sr.Quantity("450 GB/s")
    with pytest.raises(UnknownNameError, match="did you mean 'nodes'"):
        Hardware.of("dgx-h100-2", level="nods")


def test_of_a_chip_without_memory_is_refused() -> None:
    chip = sr.Chip("bare", peak={"bf16": "1 TFLOP/s"}, memory={"hbm": "1 TB/s"})
    with pytest.raises(InputError, match="bare does not say how much memory"):
        Hardware.of(chip)


def test_text_says_each() -> None:
    assert str(Hardware(8, **RATES, **LINK)) == (
        "8 GPUs, each with 80 GB GPU_mem, 2 TB/s MemBW, 312 TFLOP/s compute, 300 GB/s NetBW"
    )
