"""Large numbers never wrap around, and large graphs stay small formulas."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Integer, Max

import symroof as sr
from symroof import ops

ROOT = Path(sr.__file__).parents[1]

# --- B57: integers that wrap around -------------------------------------------------------------


def training() -> sr.Graph:
    g = sr.Graph("training")
    x = g.input("x", ("D",), "bf16")
    ops.custom("step", inputs=[x], output_shape="D", flops="6*P*D")
    return g


def test_b57_counts_beyond_64_bits(answer: Any) -> None:
    total = training().flops
    assert total.at(P=405 * 10**9, D=15 * 10**12).value == answer["exact"]
    f = sr.compile(total, ["P", "D"])
    P, D = np.array([405 * 10**9]), np.array([15 * 10**12])
    assert P.dtype == D.dtype == np.int64
    assert (6 * P * D).tolist() == [answer["wrapped"]]  # what numpy does by itself
    assert f(P, D).tolist() == [float(answer["exact"])]

    g = sr.Graph("matmul")
    g.input("A", ("M", "N"), "bf16") @ g.weight("W", ("N", "K"), "bf16")
    n = np.array([2**21])
    assert (2 * n * n * n).tolist() == [answer["second_wrapped"]]
    assert g.flops.at(M=2**21, N=2**21, K=2**21).value == answer["second_exact"]
    assert sr.compile(g.flops, ["M", "N", "K"])(n, n, n).tolist() == [float(answer["second_exact"])]


QUIET = """
import numpy as np, symroof as sr
np.seterr(all="raise")
f = sr.compile(sr.Quantity("6*P*D", "FLOP"), ["P", "D"])
print(*(f(np.array([P], dtype=kind), np.array([D], dtype=kind))[0]
        for P, D, kind in [(405 * 10**9, 15 * 10**12, "int64"), (2**31 - 1, 2**31 - 1, "int32"),
                           (255, 255, "uint8"), (2**64 - 1, 2**64 - 1, "uint64"),
                           (60000, 60000, "float16")]))
"""


def test_b57_narrow_arrays_without_a_warning(answer: Any) -> None:
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", QUIET],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    exact = [
        int(answer["exact"]),
        6 * (2**31 - 1) ** 2,
        6 * 255**2,
        6 * (2**64 - 1) ** 2,
        6 * 60000**2,
    ]
    for found, right in zip(map(float, ran.stdout.split()), exact, strict=True):
        assert found == pytest.approx(right, rel=1e-3 if right == exact[-1] else 1e-15)


@given(
    st.sampled_from(["int8", "uint8", "int16", "int32", "uint32", "int64", "uint64"]),
    st.lists(st.integers(1, 2**64 - 1), min_size=4, max_size=4),
)
def test_b57_compiled_is_the_exact_value_in_every_integer_type(kind: str, drawn: list[int]) -> None:
    most = np.iinfo(kind).max
    M, N, K, p = (1 + number % int(most) for number in drawn)
    time = sr.Quantity("max(2*M*N*K/p, ceil(M/128)*N + K)", "s")
    f = sr.compile(time, ["M", "N", "K", "p"])
    exact = max(Fraction(2 * M * N * K, p), Fraction(ceil(Fraction(M, 128)) * N + K))
    found = f(*(np.array([number], dtype=kind) for number in (M, N, K, p)))
    assert found.dtype == np.float64
    assert found[0] == pytest.approx(float(exact), rel=1e-9)
    # without a number in front that would make it a float by chance
    product = sr.compile(sr.Quantity("M*N*K", ""), ["M", "N", "K"])
    arrays = (np.array([number], dtype=kind) for number in (M, N, K))
    assert product(*arrays)[0] == pytest.approx(float(M * N * K), rel=1e-15)
    assert time.at(M=M, N=N, K=K, p=p).value == exact


@given(st.integers(1, 10**30), st.integers(1, 10**30))
def test_b57_exact_values_have_no_largest_number(p: int, d: int) -> None:
    bound = training().flops.at(P=p, D=d)
    assert bound.value == 6 * p * d
    assert bound.to("FLOP") == pytest.approx(6.0 * p * d)


# --- B59: many layers, one formula --------------------------------------------------------------

CHIP = {"peak": {"bf16": "989 TFLOP/s"}, "memory": {"hbm": "3.35 TB/s"}, "link": "450 GB/s"}
TILE = 128


def layer(x: Any, kind: int = 0) -> Any:
    """Whole tiles computed, real elements moved, a reduced result sent: three terms."""
    width = 8192 + 1024 * kind
    return ops.custom(
        inputs=[x],
        output_shape=x.shape,
        flops=f"{24 * width}*{width}*{TILE}*ceil(B/{TILE})",
        bytes=f"{24 * width}*{width} + {40 * width}*B",
        link_bytes=f"{7 * width}*B/2",
    )


def seconds(batch: int, kind: int = 0) -> Fraction:
    """Time of one layer at a batch, its largest term, in Python's own numbers."""
    width = 8192 + 1024 * kind
    return max(
        Fraction(24 * width * width * TILE * ceil(Fraction(batch, TILE)), 989 * 10**12),
        Fraction(24 * width * width + 40 * width * batch, 3350 * 10**9),
        Fraction(7 * width * batch, 2 * 450 * 10**9),
    )


def unrolled(layers: int, kinds: int = 1) -> sr.Roofline:
    g = sr.Graph("model")
    x = g.input("x", ("B", 8192), "bf16")
    for number in range(layers):
        x = layer(x, number % kinds)
    return sr.analyze(g, sr.Chip("chip", **CHIP))


def repeated(layers: Any) -> sr.Roofline:
    g = sr.Graph("model")
    g.repeat("layer", layers, layer, g.input("x", ("B", 8192), "bf16"))
    return sr.analyze(g, sr.Chip("chip", **CHIP))


def test_b59_eighty_equal_layers_are_eighty_times_one() -> None:
    for r in (unrolled(80), repeated(80), repeated("L").at(L=80)):
        time = r.time.per_op
        number, one = time.expr.as_coeff_Mul()
        assert number == 80
        assert isinstance(one, Max)
        assert len(one.args) == 3
        for batch in (1, 64, 128, 129, 1000):
            assert time.at(B=batch).value == 80 * seconds(batch)


def test_b59_size_of_every_formula_is_that_of_one_layer() -> None:
    """Nothing grows with the depth but a number: the time is linear in the ops."""

    def sizes(r: sr.Roofline) -> list[int]:
        times = (r.time.overlapped, r.time.per_op, r.time.serial, *r.groups.values())
        return [q.expr.count_ops() for q in (r.flops, r.bytes, r.link_bytes, *times)]

    assert sizes(unrolled(80)) == sizes(unrolled(8)) == sizes(unrolled(2000))
    assert len(unrolled(80).ops()) == 1
    assert len(unrolled(80, kinds=3).ops()) == 3


@given(st.integers(1, 40), st.integers(1, 4), st.integers(1, 10**6))
def test_b59_mixed_layers_equal_their_numeric_sum(layers: int, kinds: int, batch: int) -> None:
    r = unrolled(layers, kinds)
    right = sum(seconds(batch, number % kinds) for number in range(layers))
    assert r.time.per_op.at(B=batch).value == right
    assert len(r.time.per_op.expr.atoms(Max)) == min(layers, kinds)


def test_b59_critical_batch_of_the_whole_model() -> None:
    """Three terms and a ceiling: every batch up to 3000, tried one by one."""

    def holds(batch: int) -> bool:
        compute = Fraction(24 * 8192 * 8192 * TILE * ceil(Fraction(batch, TILE)), 989 * 10**12)
        return compute == seconds(batch)

    bound = [batch for batch in range(1, 3001) if holds(batch)]
    assert 0 < len(bound) < 3000
    for r in (unrolled(80), repeated(80)):
        x = r.crossover("B")
        found = [
            batch for low, high in x.intervals for batch in range(low, min(high or 3000, 3000) + 1)
        ]
        assert found == bound
        assert x.first == bound[0]
        assert x.verify(50)[1] == 0


def test_b59_nested_repeats_collapse_too() -> None:
    g = sr.Graph("model")

    def block(x: Any) -> Any:
        return g.repeat("inner", 4, layer, x)

    g.repeat("outer", 20, block, g.input("x", ("B", 8192), "bf16"))
    time = sr.analyze(g, sr.Chip("chip", **CHIP)).time.per_op
    assert time == unrolled(80).time.per_op
    assert time.expr.as_coeff_Mul()[0] == Integer(80)


def transformer(layers: int, *, unroll: bool) -> sr.Roofline:
    """A tensor-parallel decoder layer of real ops on whole tiles of tokens, many times."""
    g = sr.Graph("model")
    tokens = f"{TILE}*ceil(B/{TILE})"
    made = 0

    def block(x: Any) -> Any:
        nonlocal made
        made += 1
        prefix = f"layer{made}_" if unroll else ""

        def weight(name: str, *shape: int) -> Any:
            return g.weight(prefix + name, shape, "bf16")

        h = ops.rmsnorm(x) @ weight("qkv", 8192, 1280)
        cache = g.cache(prefix + "kv", ("B", 2, "S", 128), "bf16")
        o = ops.custom(
            inputs=[h, cache], output_shape=(tokens, 1024), flops="4*B*8*S*128", bytes="4*B*S*128"
        )
        x = x + ops.all_reduce(o @ weight("o", 1024, 8192), group=8)
        h = ops.rmsnorm(x)
        h = ops.silu(h @ weight("gate", 8192, 3584)) * (h @ weight("up", 8192, 3584))
        return x + ops.all_reduce(h @ weight("down", 3584, 8192), group=8)

    x = g.input("x", (tokens, 8192), "bf16")
    if unroll:
        for _ in range(layers):
            x = block(x)
    else:
        g.repeat("layer", layers, block, x)
    return sr.analyze(g, sr.Chip("chip", **CHIP))


def test_b59_eighty_layers_of_real_ops() -> None:
    deep, single = transformer(80, unroll=True), transformer(1, unroll=True)
    loop = transformer(80, unroll=False)
    assert deep.time.per_op == loop.time.per_op == single.time.per_op * 80
    assert deep.time.per_op.expr.count_ops() < single.time.per_op.expr.count_ops() + 20
    assert len(deep.ops()) == len(single.ops()) == len(loop.ops())
    for batch in (1, 64, 128, 129, 1000):
        at = {"B": batch, "S": 1024}
        numeric = sum((row.time.value for row in single.ops(**at)), start=Integer(0))
        assert deep.time.per_op.at(at).value == 80 * numeric
        assert deep.at(at).time.per_op.value == 80 * numeric


def test_b59_largest_batch_within_a_budget_of_eighty_maxima() -> None:
    time = transformer(80, unroll=True).time.per_op
    budget = sr.Quantity("50 ms")
    x = sr.region(budget, time, "B").at(S=1024)
    (((_, last),), (points, mismatches)) = x.intervals, x.verify(20)
    assert points
    assert mismatches == 0
    for batch in (*range(1, 1200, 37), *range(last - 2, last + 3)):
        assert (time.at(B=batch, S=1024) <= budget) is (batch <= last)
