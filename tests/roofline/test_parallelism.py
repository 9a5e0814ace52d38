"""Published limits of parallelism (jax-ml/scaling-book, Apache-2.0), asked of sharded graphs.

The source takes rings to be large and drops (n − 1)/n. Each test asserts what our collectives
give, and that its limit is what the source says.
"""

from __future__ import annotations

from typing import Any

import pytest
from sympy import Rational, sqrt

import symroof as sr
from symroof import ops, passes
from symroof.graph import Role
from symroof.solve import limit_all

ALPHA = 2550
"""FLOPs per byte of an axis: C/W of TPU v5p in the source, 4.59e14 over 1.8e11."""


def chip(x_axes: int = 1, y_axes: int = 1, alpha: Any = ALPHA) -> sr.Chip:
    """A chip whose axes X and Y have so many axes of the torus each; its memory never waits."""
    peak = sr.Quantity(alpha, "TFLOP/s")
    return sr.Chip(
        "v5p",
        peak={"bf16": peak},
        memory={"hbm": "1000000 PB/s"},
        link={"X": f"{x_axes} TB/s", "Y": f"{y_axes} TB/s"},
    )


def layers(mesh: sr.Mesh) -> sr.Graph:
    """Forward of two layers, batch and weights over X, hidden dim over Y, on one chip."""
    g = sr.Graph("mlp")
    x = g.input("x", ("B", "D"), "bf16", sharding=("X", "Y"))
    h = x @ g.weight("up", ("D", "F"), "bf16", sharding=("X", "Y"))
    ops.matmul(h, g.weight("down", ("F", "D"), "bf16", sharding=("Y", "X")), name="y")
    return passes.shard(g, mesh, outputs={"y": ("X", "Y")})


def mixed() -> sr.Roofline:
    """Fully sharded data parallel over X with two axes, tensor parallel over Y = N/X with one."""
    return sr.analyze(layers(sr.Mesh(X="X", Y="N/X")), chip(x_axes=2))


def with_rates(formula: Any, r: sr.Roofline) -> Any:
    """A formula with the rates of the chip put in."""
    known = r.rates.scope.values
    return formula.subs({s: known[s.name] for s in formula.free_symbols if s.name in known})


# --- memory and FLOPs of shards -----------------------------------------------------------------


def sharded(shape: tuple[Any, ...], sharding: tuple[Any, ...], **mesh: int) -> sr.Graph:
    g = sr.Graph("shard")
    g.input("A", shape, "int8", sharding=sharding)
    return passes.shard(g, sr.Mesh(**mesh))


def test_shard_01_bytes_of_a_shard() -> None:
    """int8[128, 2048] over X and Y of a mesh with Z left over, on each chip and on all."""
    local = sharded((128, 2048), (("X", "Y"), None), X=2, Y=8, Z=2)
    one = local.footprint(Role.INPUT)
    assert one.value == 16384
    assert 2 * 8 * 2 * one.value == 524288


def test_shard_06_copies_of_a_shard() -> None:
    mesh = {"X": 4, "Y": 8, "Z": 2}
    local = sharded(("I", "J", "K"), ("X", None, None), **mesh)
    whole = sr.symbols("I") * sr.symbols("J") * sr.symbols("K")
    assert 4 * 8 * 2 * local.footprint(Role.INPUT).expr / whole == 16


def test_tf_06_flops_of_a_chip() -> None:
    """A[B_X, D_Y] x W[D_Y, F]: a partial sum on each chip; along Z all do the same."""
    g = sr.Graph("product")
    a = g.input("A", ("B", "D"), "bf16", sharding=("X", "Y"))
    ops.matmul(a, g.weight("W", ("D", "F"), "bf16", sharding=("Y", None)), name="C")
    local = passes.shard(g, sr.Mesh(X=4, Y=8, Z=4), outputs={"C": ("X", None)})
    assert local.flops.at(B=1024, D=4096, F=16384).value == 4294967296
    assert 4 * 8 * local.flops.expr == g.flops.expr


# --- the best split of two axes -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("tokens", "chips", "hidden", "right"),
    [
        (48000, 64, 32768, 5 * sqrt(30) / 2),
        (4_190_000, 8960, 28672, 25 * sqrt(4190)),
    ],
    ids=["tr-08", "at-07"],
)
def test_best_size_of_the_axis_of_data(tokens: int, chips: int, hidden: int, right: Any) -> None:
    """√(B·N·M_X/(F·M_Y)) exactly: (n − 1)/n only takes constants away from the sum."""
    best = mixed().minimise("X", "network")
    bound = best.at(B=tokens, N=chips, F=hidden, D=4096)
    assert bound.point_bound == right
    B, N, F = sr.symbols("B N F")
    assert best.point is not None
    assert with_rates(best.point**2, mixed()) == 2 * B * N / F
    # Of the whole numbers, and of those that divide the chips, by trying all.
    times = {x: _network(tokens, chips, hidden, x) for x in _divisors(chips)}
    split = mixed().minimise("X", "network", divides=chips).at(B=tokens, N=chips, F=hidden, D=4096)
    assert times[split.first] == min(times.values())


def _divisors(n: int) -> list[int]:
    return [x for x in range(1, n + 1) if n % x == 0]


def _network(tokens: int, chips: int, hidden: int, x: int) -> Rational:
    """4·D·F/Y of weights over two axes, 4·B·D/X of activations over one, for D = 4096."""
    y = chips // x
    gathered = Rational(4 * 4096 * hidden, y) * Rational(x - 1, x) / (2 * 10**12)
    return gathered + Rational(4 * tokens * 4096, x) * Rational(y - 1, y) / 10**12


# --- from which batch on is the best split compute-bound ----------------------------------------


@pytest.mark.parametrize(
    ("hidden", "chips", "right"),
    [
        (32768, 1, Rational(1625625, 4096)),
        (32768, 4096, Rational(1625625)),
        (30000, 1, Rational(867, 2)),
        (13824, 1, Rational(180625, 192)),
        (28672, 1, Rational(1625625, 3584)),
    ],
    ids=["tr-09", "tr-10", "tr-11b", "tr-16d", "at-06"],
)
def test_batch_of_the_best_split(hidden: int, chips: int, right: Any) -> None:
    """Tokens for each chip, at the best X: 4·α²/(M_X·M_Y·F), and what (n − 1)/n makes of it.

    At the best split t_network is 8·D/W·√(B·F/(N·M_X·M_Y)) less the two constants
    4·D·F/(N·W·M_X) and 4·B·D/(N·W·M_Y). With b tokens a chip on many chips the first vanishes; the
    second does not: tensor parallelism is over few chips, √(F/(M_X·b)).
    """
    b, F, D, N = sr.symbols("b F D N")
    r = mixed()
    best = r.minimise("X", "network")
    assert best.value is not None
    least, compute = (
        with_rates(time, r).subs({sr.symbols("B"): b * N})
        for time in (best.value, r.t_compute.expr)
    )
    many = limit_all((least / D).expand(), ["N"])
    exact = 4 * ALPHA**2 * F / (2 * (F + ALPHA) ** 2)
    for size in (hidden, 10 * hidden):
        at = {F: size, b: exact.subs(F, size)}
        assert (many.subs(at) - (compute / D).subs(at)).expand() == 0
    # A larger F makes both axes long, and the source's form exact.
    assert limit_all(exact * F, ["F"]) == 4 * Rational(ALPHA) ** 2 / 2
    assert chips * limit_all(exact * F, ["F"]) / hidden == right
    assert chips * exact.subs(F, hidden) < right


# --- data parallelism between pods --------------------------------------------------------------


def test_tr_12_batch_of_a_pod_that_hides_the_sum_of_gradients() -> None:
    """Four chips share the 25 GB/s of their host; the size of a pod cancels.

    The source rounds 8192/4 x 25 GB/s to 5e13, which makes 75,202.56 of 73,440.
    """
    pod = {"topology": "torus 16x16x32"}
    pods = {"topology": "switch", "size": "M", "per_node": "25 GB/s", "chips_per_node": 4}
    system = sr.System(
        sr.Chip("v5p", peak={"bf16": "459 TFLOP/s"}, memory={"hbm": "1 EB/s"}, link="600 GB/s"),
        level={"pod": pod, "pods": pods},
    )
    g = sr.Graph("backward of one layer, on one chip of a pod of 8192")
    x = g.input("x", ("B", "D"), "bf16")
    w = g.weight("w", ("D", "F/8192"), "bf16")
    dy = g.input("dy", ("B", "F/8192"), "bf16")
    dy @ ops.transpose(w)
    dw = ops.transpose(x) @ dy
    ops.all_reduce(dw, group="M", link="pods")
    r = sr.analyze(g, system)
    found = sr.region(r.t_compute, r.t_network, "B")
    M = sr.symbols("M")
    chips, rate, host = 4, Rational(459) * 10**12, Rational(25) * 10**9
    exact = found.at(D=8192, F=8192 * 32768)
    assert exact.at(M=2).threshold_bound == chips * rate / host * Rational(1, 2)
    assert limit_all(with_rates(exact.threshold, r), ["M"]) == chips * rate / host == 73440
    assert (with_rates(exact.threshold, r) - 73440 * (M - 1) / M).expand() == 0
    assert 8192 * rate / (5 * Rational(10) ** 13) == Rational(1880064, 25)


# --- how far tensor parallelism goes in decoding ------------------------------------------------


@pytest.mark.parametrize(
    ("hidden", "batch", "right", "ring"),
    [(16384, 32, 64, 65), (28672, 64, 56, 57)],
    ids=["inf-08", "ai-09"],
)
def test_chips_of_tensor_parallel_decoding(hidden: int, batch: int, right: int, ring: int) -> None:
    """Y = F/(B·β) until the activations take longer than the weights from memory; β = 8.

    With (Y − 1)/Y it is one chip more, 1 + F/(B·β). Only what the source counts moves: the shard of
    one weight, and one gather of B·D activations of two bytes for each pass over it.
    """
    machine = sr.Chip(
        "decode",
        peak={"bf16": "1000000 PFLOP/s"},
        memory={"hbm": "720 GB/s"},
        link={"Y": "90 GB/s"},
    )
    g = sr.Graph("decode")
    ops.all_gather(g.input("x", ("B", "D/Y"), "bf16"), group="Y", axis=1, link="Y")
    w = g.weight("w", ("D", "F/Y"), "bf16")
    read = g.footprint(Role.WEIGHT)
    ops.custom("read", inputs=[w], output_shape=(1,), flops=0, bytes=read, compute="bf16")
    r = sr.analyze(g, machine)
    found = sr.region(r.t_memory, r.t_network, "Y").at(B=batch, D=8192, F=hidden)
    assert found.relation == "<="
    assert found.threshold_bound == ring == 1 + Rational(hidden, batch * 8)
    large = sr.Quantity(limit_all(r.t_network.expr, ["Y"]), "s", r.t_network.scope)
    without = sr.region(r.t_memory, large, "Y").at(B=batch, D=8192, F=hidden)
    assert without.threshold_bound == right
