"""What holds of the inside of a chip, whatever the numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import symroof as sr
from symroof import ops
from symroof.graph.spec import algorithms
from symroof.roofline.inside import PLAIN
from symroof.roofline.rows import total_work
from symroof.symbolic import bind

RATES = st.integers(1, 10**6)
SIZES = st.lists(st.integers(1, 2000), min_size=1, max_size=4)


@pytest.mark.parametrize("name", algorithms())
@pytest.mark.parametrize("traffic", ["unfused", "fused"])
def test_work_op_by_op_is_the_work_of_the_graph(name: str, traffic: str) -> None:
    g = sr.load(name)
    g = sr.passes.fuse_elementwise(g) if traffic == "fused" else g
    whole = sr.analyze(g, sr.chip("h100-sxm")).graph
    found = total_work(whole, PLAIN)
    moved = found.get(("byte", "main"), 0)
    free = sorted(symbol.name for symbol in whole.bytes.expr.free_symbols)
    numbers = {symbol: 2 + i for i, symbol in enumerate(free)}
    assert bind(moved, numbers) == bind(whole.bytes.expr, numbers)


def chain(sizes: list[int], flops: list[int]) -> sr.Graph:
    g = sr.Graph("chain")
    x = g.input("x", (1,), "fp32")
    for i, (size, count) in enumerate(zip(sizes, flops, strict=True)):
        x = ops.custom(
            f"op_{i}", inputs=[x], output_shape=(1,), flops=count, bytes=size, link_bytes=0
        )  # fmt: skip
    return g


@given(SIZES, st.data(), RATES, RATES, RATES, st.integers(1, 3000), st.integers(1, 4))
def test_bounds_keep_their_order(
    sizes: list[int], data: Any, peak: int, fast: int, slow: int, room: int, factor: int
) -> None:
    flops = data.draw(st.lists(st.integers(0, 2000), min_size=len(sizes), max_size=len(sizes)))
    fast, slow = max(fast, slow), min(fast, slow)
    chip = sr.Chip(
        "c",
        peak={"fp32": f"{peak} FLOP/s"},
        memory={"l2": (f"{fast} B/s", f"{room} B"), "dram": (f"{slow} B/s", "1 GB")},
        ceiling={"part": {"on": "peak", "factor": Fraction(1, factor)}},
        launch="1/1000 s",
    )
    g = chain(sizes, flops)
    found = {}
    for residency in ("cold", "cached", "partial"):
        for ceilings in ((), ("part",)):
            r = sr.analyze(g, chip, residency=residency, ceilings=ceilings, launch=True)
            times = [t.resolved().value for t in (r.time.overlapped, r.time.per_op, r.time.serial)]
            assert times == sorted(times)
            assert times[0] <= r.exposed.resolved().value <= times[2]
            found[residency, ceilings] = times
            assert all(each.gain.resolved().value >= 1 for each in r.liftings)
    for ceilings in ((), ("part",)):
        cold, cached, partial = (found[r, ceilings] for r in ("cold", "cached", "partial"))
        # Op by op: a cache that is no slower than memory makes no op slower.
        assert partial[1] <= cached[1] <= cold[1]
    for residency in ("cold", "cached", "partial"):
        lowered, roof = found[residency, ("part",)], found[residency, ()]
        assert all(low >= high for low, high in zip(lowered, roof, strict=True))


@given(st.integers(1, 2000), RATES, RATES, st.fractions(0, 1))
def test_remote_memory_one_after_the_other_is_never_faster(
    size: int, near: int, far: int, local: Fraction
) -> None:
    ddr = {"bandwidth": f"{near} B/s", "remote": f"{far} B/s"}
    chip = sr.Chip("c", peak={"fp32": "1 FLOP/s"}, memory={"ddr": ddr})
    g = chain([size], [0])
    both = {
        numa: sr.analyze(g, chip, numa=numa, local=local).t_memory.resolved().value
        for numa in ("concurrent", "serial")
    }
    assert both["serial"] == size * (local / near + (1 - local) / far)
    assert both["concurrent"] == size * max(local / near, (1 - local) / far)
