"""Ceilings in a report: what each leaves, what lifting it gains, which binds."""

from __future__ import annotations

import symroof as sr
from symroof.reports.document import Claim, claims_of
from symroof.roofline import Roofline
from tests.reports.inside import ALL, BIG, CPU, HAND, product


def claims(r: Roofline) -> dict[str, Claim]:
    return {claim.id: claim for claim in claims_of(sr.report(r).document)}


def text(r: Roofline) -> str:
    return " ".join(str(sr.report(r)).split())


def test_gains_by_hand() -> None:
    # 128 GFLOP at 4096/32 = 128 GFLOP/s take 1 s, 96 MB at 120 GB/s 0.8 ms.
    r = product(CPU, ceilings=ALL).at(BIG)
    found = claims(r)
    assert found["time.compute"].exact == "1"
    assert found["time.memory"].shown == "800 µs"
    assert [found[f"lifting.{place}.gain"].exact for place in (1, 2, 3)] == ["16", "2", "1"]
    assert found["answer.gain"].shown == "16"
    said = text(r)
    assert "The ceiling that binds is no simd: lifting it makes it 16 times as fast." in said
    assert "dense 4.096 TFLOP/s fp16, 200 GB/s, under ceilings 128 GFLOP/s fp16, 120 GB/s" in said
    assert "each line is waited for" in said
    assert "imperfect efficiency of kernels" not in said


def test_lifting_gains_no_more_than_the_next_term_allows() -> None:
    # 2 MFLOP and 2.004 MB: 15.6 µs at 128 GFLOP/s, 16.7 µs at 120 GB/s, 10 µs at 200 GB/s.
    r = product(CPU, ceilings=ALL).at(m=1, n=1000, k=1000)
    found = claims(r)
    assert found["time.memory"].exact == "167/10000000"
    assert found["time.compute"].exact == "1/64000"
    assert found["lifting.1.gain"].exact == "1"
    # Without the ceiling of memory compute is next: 16.7/15.625.
    assert found["lifting.3.gain"].exact == "668/625"
    assert "The ceiling that binds is no prefetch" in text(r)


def test_none_binds_where_memory_holds_it_alone() -> None:
    r = product(CPU, ceilings=["no fma"]).at(m=1, n=1000, k=1000)
    assert "No ceiling binds: lifting them gains nothing." in text(r)


def test_two_that_bind_together_gain_nothing_alone() -> None:
    slow = sr.Chip(
        "slow",
        peak={"fp16": "1 TFLOP/s"},
        memory={"ddr": "100 GB/s"},
        ceiling={
            "half": {"on": "peak", "factor": "1/2"},
            "stream": {"on": "bw.ddr", "rate": "50 GB/s"},
        },
    )
    # 3·n² of 2 bytes at 50 GB/s against 2·n³ at 500 GFLOP/s: the same at n = 30.
    r = product(slow, ceilings=["half", "stream"]).at(m=30, n=30, k=30)
    said = text(r)
    assert "balanced" in said
    assert "with others: lifting it alone gains nothing." in said


def test_symbols_leave_it_open() -> None:
    said = text(product(CPU, ceilings=["no simd", "no prefetch"]))
    assert "Which ceiling binds depends on k, m and n." in said
    assert "t_overlapped/t_without_1" in said
    assert "ceiling no simd, a fraction of its roof" in said


def test_without_ceilings_there_is_no_section() -> None:
    assert "ceilings" not in [s.id for s in sr.report(product(CPU).at(BIG)).document.sections]


def test_a_launch_is_a_term_of_its_own() -> None:
    r = product(HAND, launch=True).at(m=1000, n=1000, k=1000)  # 31 µs of compute
    found = claims(r)
    assert found["time.launch"].exact == "1/1000"
    assert found["verdict.use.launch"].shown == "100 %"
    said = text(r)
    assert "launch-bound, because t_launch = 1 ms > t_compute = 31.25 µs" in said
    assert "t_launch = kernels·t_0" in said
    assert "Launch: 1 ms a kernel, an op with work is one." in said
    assert "Not modelled: caches below main memory, scheduling latencies" in said
