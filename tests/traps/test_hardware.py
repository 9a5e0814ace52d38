"""Hardware: peaks by accumulate dtype, times slipped by a thousand, links counted both ways."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import symroof as sr
from symroof import ops
from symroof.graph import Role
from symroof.units import human

# --- B39: scores of one decode token ------------------------------------------------------------

KEYS, HEADS, DIM = 2048, 8, 128


def scores() -> sr.Graph:
    g = sr.Graph("scores")
    q, k = g.input("q", (1, HEADS, 1, DIM), "fp16"), g.cache("K", (1, HEADS, KEYS, DIM), "fp16")
    ops.einsum("bhqd,bhkd->bhqk", q, k)
    return g


def card(default: str) -> sr.Chip:
    """A card whose peak depends on what it accumulates in: a quarter of it in fp32."""
    return sr.Chip(
        "card",
        peak={"fp16:fp16:tensor": "838 TFLOP/s", "fp16:fp32:tensor": "209.5 TFLOP/s"},
        default_peak={"fp16": default},
        memory={"gddr": "1.8 TB/s"},
    )


def test_b39_scores_of_one_token(answer: Any) -> None:
    g = scores()
    keys = g.footprint(Role.CACHE)
    assert g.flops.value == answer["flops"]
    assert keys.value == answer["bytes"]
    assert (g.flops / keys).value == answer["intensity"]
    fast = sr.analyze(g, card("fp16:fp16:tensor"))
    slow = sr.analyze(g, card("fp16:fp32:tensor"))
    assert (keys / fast.bandwidth).value == answer["t_mem_s"]
    assert fast.t_compute.value == answer["t_comp_s"]
    assert slow.t_compute.value == answer["t_comp_peak4_s"]
    assert (sr.Quantity("65536 FLOP") / fast.peak).value == answer["their_65k_flop_s"]
    assert g.flops.value == 64 * 65536


def test_b39_time_is_in_seconds_and_shown_with_its_prefix() -> None:
    r = sr.analyze(scores(), card("fp16:fp32:tensor"))
    assert r.t_memory.unit == r.t_compute.unit == "s"
    for unit, factor in (("ms", 10**3), ("us", 10**6), ("ns", 10**9)):
        assert r.t_memory.value_in(unit) == r.t_memory.value * factor
    assert human(r.t_compute, 2) == "20 ns"


def test_b39_accumulate_dtype_picks_the_peak() -> None:
    chip = card("fp16:fp32:tensor")
    assert chip.peak("fp16").to("TFLOP/s") == 209.5
    assert chip.peak("fp16", accumulate="fp16").to("TFLOP/s") == 838
    assert chip.peak("fp16:fp32:tensor").to("TFLOP/s") == 209.5
    with pytest.raises(sr.errors.UnknownNameError, match="fp16:fp16:tensor"):
        chip.peak("fp16", accumulate="fp64")


def test_b39_two_peaks_and_no_default_are_refused() -> None:
    with pytest.raises(sr.errors.InputError, match="default"):
        sr.Chip(
            "card",
            peak={"fp16:fp16:tensor": "838 TFLOP/s", "fp16:fp32:tensor": "209.5 TFLOP/s"},
            memory={"gddr": "1.8 TB/s"},
        )


def test_b39_chips_that_accumulate_slower_say_so_in_the_catalogue() -> None:
    """Where a chip has both, the key in full keeps them apart; fp32 is never the faster one."""
    found = 0
    for name in sr.chips():
        by_accumulate: dict[str, list[Any]] = {}
        for peak in sr.chip(name).peaks:
            by_accumulate.setdefault(peak.dtype, []).append(peak)
        for peaks in by_accumulate.values():
            narrow = [p for p in peaks if p.accumulate == "fp16" and p.engine == "tensor"]
            wide = [p for p in peaks if p.accumulate == "fp32" and p.engine == "tensor"]
            for one, other in zip(narrow, wide, strict=False):
                found += 1
                assert other.rate.value <= one.rate.value
                assert one.key != other.key
    assert found


# --- B44: both directions of a link -------------------------------------------------------------

COLLECTIVES = {
    "all_reduce": ops.all_reduce,
    "all_gather": ops.all_gather,
    "reduce_scatter": ops.reduce_scatter,
    "all_to_all": ops.all_to_all,
    "broadcast": ops.broadcast,
    "send": lambda x, group: ops.send(x, group=group),
}
SAME_LINK = {
    "per direction": "450 GB/s",
    "per direction in words": "450 GB/s per direction",
    "bidirectional": "900 GB/s bidirectional",
    "a table": {"bandwidth": "900 GB/s", "bidirectional": True},
}


def linked(link: Any) -> sr.Chip:
    return sr.Chip("chip", peak={"bf16": "1 PFLOP/s"}, memory={"hbm": "3 TB/s"}, link=link)


def collective(name: str, size: Any, group: Any, dtype: str = "int8") -> sr.Graph:
    g = sr.Graph(name)
    COLLECTIVES[name](g.input("x", (size,), dtype), group=group)
    return g


def test_b44_ring_all_reduce_takes_one_direction(answer: Any) -> None:
    g = collective("all_reduce", 10**9, 8)
    for link in SAME_LINK.values():
        t = sr.analyze(g, linked(link)).t_network
        assert t.unit == "s"
        assert t.value == answer["t_s"]
    assert sr.analyze(g, linked("900 GB/s")).t_network.value == answer["wrong_s"]


@pytest.mark.parametrize("link", SAME_LINK)
@pytest.mark.parametrize("name", COLLECTIVES)
def test_b44_every_collective_on_every_way_to_write_one_link(name: str, link: str) -> None:
    g = collective(name, "8*V", "n")
    one = sr.analyze(g, linked("450 GB/s")).t_network
    assert sr.analyze(g, linked(SAME_LINK[link])).t_network == one
    assert one.at(V=10**6, n=8).value > 0


def test_b44_halved_links_are_printed_as_an_assumption() -> None:
    for link in ("bidirectional", "a table"):
        (said,) = linked(SAME_LINK[link]).assumptions
        assert "450 GB/s" in said
        assert "900 GB/s bidirectional" in said
    assert linked("450 GB/s").assumptions == ()


def test_b44_links_of_the_catalogue_are_per_direction() -> None:
    """NVLink 4 has 18 links of 25 GB/s in each direction."""
    assert sr.chip("h100-sxm").link().to("GB/s") == 18 * 25
    for name in sr.chips():
        chip = sr.chip(name)
        for link in chip.links:
            if link.halved_from:
                both = sr.Quantity(link.halved_from.removesuffix(" bidirectional"))
                assert link.bandwidth.value * 2 == both


def sent_around_a_ring(name: str, size: int, group: int) -> int:
    """Bytes one chip passes on, step by step, of a buffer cut into one part per chip."""
    part = size // group
    steps = {"all_gather": group - 1, "reduce_scatter": group - 1, "all_reduce": 2 * (group - 1)}
    return sum(part for _ in range(steps[name]))


@given(
    st.sampled_from(["all_gather", "reduce_scatter", "all_reduce"]),
    st.integers(1, 64),
    st.integers(1, 50),
)
def test_b44_bytes_of_a_ring_step_by_step(name: str, group: int, part: int) -> None:
    size = part * group
    shard = part if name == "all_gather" else size
    g = collective(name, shard, group)
    assert g.link_bytes.value == sent_around_a_ring(name, size, group)
    assert g.bytes.value == g.flops.value == 0
    symbolic = collective(name, "V", "n").link_bytes
    assert symbolic.at(V=shard, n=group) == g.link_bytes


@pytest.mark.parametrize("name", COLLECTIVES)
def test_b44_a_group_of_one_sends_nothing(name: str) -> None:
    assert collective(name, 1000, 1).link_bytes.value == 0
    assert collective(name, "n*V", "n").link_bytes.at(n=1, V=7).value == 0


def test_b44_collectives_need_a_link() -> None:
    chip = sr.Chip("alone", peak={"bf16": "1 PFLOP/s"}, memory={"hbm": "3 TB/s"})
    with pytest.raises(sr.errors.UnknownNameError, match=r"alone.*link|link.*alone"):
        sr.analyze(collective("all_reduce", 1000, 8), chip).t_network


def test_b44_tensor_parallel_layer_is_network_bound_where_the_wrong_link_says_compute() -> None:
    """Twice the bandwidth hides the crossover: the same graph, the other verdict."""
    g = sr.Graph("layer")
    x = g.input("x", (4096, 8192), "bf16")
    y = (x @ g.weight("w1", (8192, "F"), "bf16")) @ g.weight("w2", ("F", 8192), "bf16")
    ops.all_reduce(y, group=8)
    verdicts = {
        link: sr.analyze(g, linked(link)).verdict(F=1500)
        for link in ("900 GB/s bidirectional", "900 GB/s")
    }
    # 201 us of products against 2*7/8*64 MiB over the link: 261 us one way, 130 us both ways
    assert verdicts == {
        "900 GB/s bidirectional": sr.Bound.NETWORK,
        "900 GB/s": sr.Bound.COMPUTE,
    }
