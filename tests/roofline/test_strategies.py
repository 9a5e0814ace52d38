"""Which way to shard a product, and the attainable performance of levels: published problems.

Of the jax-ml/scaling-book (Apache-2.0) the ways to multiply with a sharded summed dim: its rings
are large and drop (n − 1)/n, which turns one conclusion. Of RRZE-HPC/kerncraft a stencil.
"""

from __future__ import annotations

from typing import Any

import pytest
from sympy import Rational

import symroof as sr
from symroof import passes
from symroof.units import min_of

ALPHA = 2550
CHIP = sr.Chip(
    "v5p",
    peak={"bf16": f"{ALPHA} TFLOP/s"},
    memory={"hbm": "1000000 PB/s"},
    link={"X": "1 TB/s"},
)


def product(x: tuple[Any, ...], w: tuple[Any, ...], **options: Any) -> sr.Roofline:
    """A[B, D] times W[D, F] on a mesh of X chips, the result on all of them."""
    g = sr.Graph("product")
    a = g.input("A", ("B", "D"), "bf16", sharding=x)
    sr.ops.matmul(a, g.weight("W", ("D", "F"), "bf16", sharding=w), name="y")
    local = passes.shard(g, sr.Mesh(X="X"), outputs={"y": (None, None)}, **options)
    return sr.analyze(local, CHIP)


def summed() -> sr.Roofline:
    """Partial sums of D/X each, then an all-reduce."""
    return product((None, "X"), ("X", None), sizes={"B": 64, "D": 8192, "F": 64, "X": 8})


def test_shard_09a_the_conclusion_turns() -> None:
    """Large rings say X < D/(2α) = 1.606: two chips wait. Exactly it is X ≤ 1 + D/(2α) = 2.606."""
    r = summed()
    found = sr.region(r.t_compute, r.t_network, "X").at(B=1, D=8192, F=1)
    assert found.threshold_bound == 1 + Rational(2048, 1275)
    assert found.last == 2
    assert r.verdict(X=2, D=8192, B=4096, F=4096) is sr.Bound.COMPUTE
    assert r.verdict(X=4, D=8192, B=4096, F=4096) is sr.Bound.NETWORK


def test_shard_09b_sums_against_gathering() -> None:
    """The all-reduce is faster than the whole product from D = 2α(X − 1)/X on, 2α for large X."""
    whole = product((None, None), (None, None))
    found = sr.region(whole.t_compute, summed().t_network, "D").at(B=1, F=1)
    assert found.at(X=2).threshold_bound == ALPHA
    assert found.at(X=10**9).threshold_bound == 2 * ALPHA * (1 - Rational(1, 10**9))


def test_shard_09c_gathering_the_weights() -> None:
    """Bound by the links below a batch (the source says F) of α(X − 1)/X, α for large X."""
    r = product((None, None), ("X", None), prefer="weights")
    assert r.link_bytes.at(D=8, F=4, X=4).value == 2 * 8 * 4 * Rational(3, 4)
    found = sr.region(r.t_compute, r.t_network, "B").at(D=8, F=4)
    assert found.at(X=2).threshold_bound == Rational(ALPHA, 2)
    assert found.at(X=10**9).threshold_bound == ALPHA * (1 - Rational(1, 10**9))


def test_shard_10_gathering_against_scattering() -> None:
    """A[N, M] B[M, K] with M sharded: gathering A sends M/K of what scattering the product does."""
    n, m, k = (sr.symbols(name) for name in ("N", "M", "K"))
    gather, scatter = sr.Graph("gather"), sr.Graph("scatter")
    sr.ops.all_gather(gather.input("A", (n, m / 8), "bf16"), group=8, axis=1)
    sr.ops.reduce_scatter(scatter.input("C", (n, k), "bf16"), group=8, axis=0)
    ratio = gather.link_bytes / scatter.link_bytes
    assert ratio.expr == m / k
    assert ratio.at(M=4096, K=1024).value == 4


@pytest.mark.parametrize(
    ("intensity", "bandwidth", "attainable"),
    [
        ("0.029411764705882353", "84.07 GB/s", Rational("247264705882352941671/25000000000")),
        ("0.025", "47.24 GB/s", 4_724_000_000),
        ("0.041", "32.9 GB/s", 5_395_600_000),
    ],
)
def test_kerncraft_levels(intensity: str, bandwidth: str, attainable: Any) -> None:
    """A 2d 5-point stencil on Sandy Bridge: 4 FLOP in an iteration, iterations per byte a level."""
    level = sr.Chip("snb", peak={"fp64": "100 GFLOP/s"}, memory={"level": bandwidth})
    r = sr.analyze(sr.load("stencil", dtype="fp64"), level)
    assert r.attainable(sr.Quantity(4 * Rational(intensity), "FLOP/byte")).value == attainable


def test_kerncraft_least() -> None:
    bounds = [sr.Quantity(f"{n} GFLOP/s") for n in ("9.89", "4.72", "5.33")]
    assert min_of(*bounds).to("GFLOP/s") == 4.72
