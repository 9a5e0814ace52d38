"""Crossovers: with their condition, never apart from always, through Max, with many symbols."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sympy import Rational

import symroof as sr
from symroof import ops
from symroof.graph import Role
from symroof.symbolic import symbol

from .answers import formula

RIDGE = Fraction(19780, 67)
DIMS = st.integers(1, 3000)


def matmul(m: Any = "M", n: Any = "N", k: Any = "K") -> sr.Graph:
    g = sr.Graph("matmul")
    g.input("A", (m, n), "bf16") @ g.weight("W", (n, k), "bf16")
    return g


def intensity(m: int, n: int, k: int) -> Fraction:
    """FLOPs per byte of a product in 16 bits, element by element."""
    return Fraction(2 * m * n * k, 2 * (m * n + n * k + m * k))


# --- B50: the condition belongs to the answer ---------------------------------------------------


def test_b50_never_where_the_intensity_saturates(answer: Any, h100: sr.Chip) -> None:
    r = sr.analyze(matmul(), h100)
    x = r.crossover("M")
    small = x.at(N=512, K=512)
    assert small.kind is sr.Kind.NEVER
    assert answer["N=K=512"].startswith(f"{small.kind.value} ")
    assert (small.threshold, small.first, small.permanent, small.intervals) == (
        None,
        None,
        None,
        (),
    )
    assert r.limit("M").at(N=512, K=512).value == 256
    ridge = {symbol("ridge.bf16"): Rational(19780, 67)}
    naive = x.threshold.xreplace({sr.symbols("N"): 512, sr.symbols("K"): 512, **ridge})
    assert naive == answer["naive_value_512"] < 0

    large = x.at(N=4096, K=4096)
    assert large.kind is sr.Kind.AT
    assert large.threshold_bound == answer["N=K=4096"]
    assert large.first == large.permanent == 345
    boundary = {"M": answer["N=K=4096"], "N": 4096, "K": 4096}
    assert r.verdict(**boundary) is sr.Bound.BALANCED
    assert r.largest_terms(**boundary) == ("compute", "memory")
    assert r.verdict(M=344, N=4096, K=4096) is sr.Bound.MEMORY
    assert r.verdict(M=345, N=4096, K=4096) is sr.Bound.COMPUTE
    assert answer["boundary"].startswith(f"M = {large.threshold_bound} exactly is BALANCED")
    assert answer["boundary"].endswith(f"smallest integer {large.first}")


@given(DIMS, DIMS)
def test_b50_condition_decides_between_a_threshold_and_never(n: int, k: int) -> None:
    """The condition of the closed form against the supremum of the intensity, N*K/(N + K)."""
    chip = sr.Chip("H100", peak={"bf16": "989 TFLOP/s"}, memory={"hbm": "3.35 TB/s"})
    x = sr.analyze(matmul(), chip).crossover("M")
    exists = Fraction(n * k, n + k) > RIDGE
    values = {"N": n, "K": k, "ridge.bf16": Rational(19780, 67)}
    assert x.condition.holds(values) is exists
    bound = x.at(N=n, K=k)
    assert (bound.kind is sr.Kind.AT) is exists
    assert (bound.kind is sr.Kind.NEVER) is not exists
    if exists:
        first = bound.first
        assert intensity(first, n, k) >= RIDGE
        assert first == 1 or intensity(first - 1, n, k) < RIDGE
        assert bound.threshold_bound > 0
    assert bound.verify(20)[1] == 0


def test_b50_condition_as_it_is_written(answer: Any) -> None:
    C, W = sr.Quantity("C", "FLOP/s"), sr.Quantity("W", "byte/s")
    chip = sr.Chip("any", peak={"bf16": C}, memory={"hbm": W})
    x = sr.analyze(matmul(), chip).crossover("M")
    above, below = (formula(side, "N K C W") for side in answer["condition"].split(" > "))
    left, right = (formula(side, "N K C W") for side in x.condition.text().split(" > "))
    scaled = ((above - below) / (left - right)).cancel()
    assert scaled.is_positive


def test_b50_identity_is_always_and_balanced(answer: Any, h100: sr.Chip) -> None:
    g = sr.Graph("identity")
    i = g.input("x", ("M",), "bf16")
    ops.custom("op", inputs=[i], output_shape=("M",), flops="19780*M", bytes="67*M")
    r = sr.analyze(g, h100)
    x = r.crossover("M")
    assert x.kind is sr.Kind.ALWAYS
    assert x.intervals == ((1, None),)
    assert r.verdict() is sr.Bound.BALANCED
    assert answer["identity"] == f"{x.kind.value} {r.verdict()}"
    almost = sr.Graph("almost")
    i = almost.input("x", ("M",), "bf16")
    ops.custom("op", inputs=[i], output_shape=("M",), flops="19780*M", bytes="67*M + 1")
    never = sr.analyze(almost, h100)
    assert never.crossover("M").kind is sr.Kind.NEVER
    assert never.verdict() is sr.Bound.MEMORY


def test_b50_three_empty_answers_of_a_solver_are_three_kinds() -> None:
    """sympy says [] for an identity, for no solution and for what it cannot solve."""
    assert sr.region("2*M", "M + M", "M").kind is sr.Kind.ALWAYS
    assert sr.region("M", "M + 1", "M").kind is sr.Kind.NEVER
    hard = sr.region("M**5 + N*M", "a*M**3 + b", "M")
    assert hard.kind is sr.Kind.UNSOLVED
    assert hard.note
    assert hard.at(N=1, a=1, b=1).kind is sr.Kind.AT


# --- B52: what cancels --------------------------------------------------------------------------


def decode(heads: Any, kv_heads: Any = 8) -> sr.Graph:
    g = sr.Graph("decode")
    k, v = (g.cache(name, ("B", kv_heads, "S", 128), "bf16") for name in "kv")
    ops.attention(g.input("q", ("B", heads, 1, 128), "bf16"), k, v)
    return g


def model(parameters: int) -> sr.Graph:
    """A decode step of 32 layers: all parameters read and multiplied, and the cache read."""
    g = sr.Graph("model")
    w = g.weight("parameters", (parameters,), "bf16")
    x = g.input("x", ("B",), "bf16")
    x = ops.custom(
        "products", inputs=[x, w], output_shape="B", flops=f"2*{parameters}*B", bytes=2 * parameters
    )

    def layer(x: Any) -> Any:
        k, v = (g.cache(name, ("B", 8, "S", 128), "bf16") for name in "kv")
        attend = decode(32)
        read = attend.footprint(Role.CACHE)
        return ops.custom(
            "attend", inputs=[x, k, v], output_shape="B", flops=attend.flops, bytes=read
        )

    g.repeat("layer", 32, layer, x)
    return g


def test_b52_batch_cancels_out_of_decode_attention(answer: Any, h100: sr.Chip) -> None:
    g = decode(32)
    kept = g.footprint(Role.CACHE)
    assert (g.flops / kept).value == answer["intensity"]
    r = sr.analyze(g, h100)
    of_cache = sr.region(r.t_compute, kept / h100.bandwidth(), "B")
    for context in (1, 256, 8192, 10**6):
        assert of_cache.at(S=context).kind.value == answer["critical_batch"]
        assert r.crossover("B").at(S=context).kind is sr.Kind.NEVER
    assert r.limit("S").value == answer["intensity"]
    assert r.verdict(S=8192) is sr.Bound.MEMORY

    grouped = decode("8*R")
    t_cache = grouped.footprint(Role.CACHE) / h100.bandwidth()
    ratio = sr.region(sr.analyze(grouped, h100).t_compute, t_cache, "R").at(B=64, S=8192)
    assert ratio.threshold_bound == answer["ratio_needed"]
    assert ratio.first == answer["min_int_ratio"]


def test_b52_critical_batch_of_a_whole_model_depends_on_the_context(
    answer: Any, h100: sr.Chip
) -> None:
    g = model(8_030_000_000)
    assert g.footprint(Role.CACHE).at(B=1, S=8192).value == answer["per_seq_kv_bytes"]
    r = sr.analyze(g, h100)
    limit = r.limit("B")
    assert limit.at(S=8192).value == answer["whole_model_asymptotic_I"]
    x = r.crossover("B")
    long = x.at(S=8192)
    assert long.kind is sr.Kind.NEVER
    assert answer["whole_model_verdict"].startswith(f"{long.kind.value} ")
    assert x.at(S=512).kind.value == answer["critical_batch_at_S=512"]
    assert x.at(S=256).threshold_bound == answer["critical_batch_at_S=256"]
    exists = sr.region(limit, r.critical_intensity, "S")
    assert exists.relation == "<="
    assert exists.threshold_bound == answer["S_below_which_a_critical_batch_exists"]
    ((_, last),) = exists.intervals
    assert x.at(S=last).kind is sr.Kind.AT
    assert x.at(S=last + 1).kind is sr.Kind.NEVER


def test_b52_embedding_is_no_product(answer: Any, h100: sr.Chip) -> None:
    """Without the embedding, which is gathered and not multiplied, the context must be shorter."""
    layer = 2 * 4096 * 4096 + 2 * 4096 * 1024 + 3 * 4096 * 14336
    norms = 65 * 4096
    g = model(32 * layer + 128256 * 4096 + norms)
    r = sr.analyze(g, h100)
    x = sr.region(r.limit("B"), r.critical_intensity, "S")
    assert f"{x.threshold_value:.4f} (rounded)" == answer["S_max_matmul_parameters_only"]


@given(st.integers(1, 400), st.integers(1, 4), st.integers(1, 10**6), st.integers(1, 10**6))
def test_b52_only_the_heads_in_a_group_decide(
    group: int, kv_heads: int, batch: int, context: int
) -> None:
    chip = sr.Chip("H100", peak={"bf16": "989 TFLOP/s"}, memory={"hbm": "3.35 TB/s"})
    g = decode(group * kv_heads, kv_heads)
    r = sr.analyze(g, chip)
    t_cache = g.footprint(Role.CACHE) / chip.bandwidth()
    for unknown, other in (("B", {"S": context}), ("S", {"B": batch})):
        x = sr.region(r.t_compute, t_cache, unknown).at(**other)
        assert x.kind is (sr.Kind.ALWAYS if group >= RIDGE else sr.Kind.NEVER)


# --- B53: Max, Min and plateaus -----------------------------------------------------------------


def test_b53_budgets_for_a_time_that_is_a_maximum(answer: Any) -> None:
    time = sr.Quantity("max(B/10, 2 + B/40)", "ms")
    for budget in ("5", "2.5"):
        x = sr.region(sr.Quantity(f"{budget} ms"), time, "B")
        assert x.relation == "<="
        assert x.threshold_bound == answer[f"T<={budget}"]
        assert x.intervals == ((1, answer[f"T<={budget}"]),)
    assert sr.region(sr.Quantity("2.0 ms"), time, "B").kind is sr.Kind.NEVER
    assert sr.region(time, sr.Quantity("2.0 ms"), "B").kind is sr.Kind.ALWAYS
    for batch in (1, 50, 51):
        assert (time.at(B=batch) <= sr.Quantity("5 ms")) is (batch <= 50)


def test_b53_plateau_is_a_whole_region(answer: Any, h100: sr.Chip) -> None:
    r = sr.analyze(matmul(), h100)
    attainable = r.attainable(sr.Quantity("I", "FLOP/byte"))
    x = sr.region(attainable, r.peak, "I")
    assert answer["plateau"] == f"all I {x.relation} {x.threshold_bound}"
    assert sr.region(r.peak, attainable, "I").kind is sr.Kind.ALWAYS
    for point in ("295 FLOP/byte", "19780/67 FLOP/byte", "10000 FLOP/byte"):
        reached = r.attainable(point).resolved() == r.peak.resolved()
        assert reached is (sr.Quantity(point) >= r.critical_intensity)


@given(st.data())
def test_b53_random_maxima_and_minima_against_every_integer(data: st.DataObject) -> None:
    number = st.fractions(min_value=Fraction(1, 4), max_value=9, max_denominator=4)

    def side() -> tuple[str, list[tuple[Fraction, Fraction]], Any]:
        lines = [
            (data.draw(number), data.draw(number)) for _ in range(data.draw(st.integers(1, 3)))
        ]
        choose = data.draw(st.sampled_from(["max", "min"]))
        text = f"{choose}({', '.join(f'({a})*B + ({b})' for a, b in lines)})"
        return text, lines, {"max": max, "min": min}[choose]

    (left, first, choose), (right, second, other) = side(), side()
    x = sr.region(left, right, "B")
    found = {
        batch
        for batch in range(1, 150)
        if any(low <= batch and (high is None or batch <= high) for low, high in x.intervals)
    }
    wanted = {
        batch
        for batch in range(1, 150)
        if choose(a * batch + b for a, b in first) >= other(a * batch + b for a, b in second)
    }
    assert found == wanted
    assert x.verify(20)[1] == 0


def test_b53_maxima_and_ceilings_of_a_graph(h100: sr.Chip) -> None:
    """The time of a product in whole tiles, against a budget, integer by integer."""
    g = sr.Graph("tiles")
    g.input("A", ("128*ceil(M/128)", 4096), "bf16") @ g.weight("W", (4096, 4096), "bf16")
    time = sr.analyze(g, h100).time.overlapped
    budget = sr.Quantity("30 us")
    x = sr.region(budget, time, "M")
    fits = [m for m in range(1, 3000) if time.at(M=m).value_in("us") <= 30]
    assert fits == list(range(1, fits[-1] + 1))
    assert x.intervals == ((1, fits[-1]),)
    assert fits[-1] % 128 == 0


# --- B54: more than one symbol ------------------------------------------------------------------


def symbolic_chip() -> sr.Chip:
    C, W = sr.Quantity("C", "FLOP/s"), sr.Quantity("W", "byte/s")
    return sr.Chip("any", peak={"bf16": C}, memory={"hbm": W})


def test_b54_all_symbols_free(answer: Any) -> None:
    match = re.fullmatch(r"if (.*) > (.*): M >= (.*); else never", answer["answer"])
    assert match is not None
    x = sr.analyze(matmul(), symbolic_chip()).crossover("M")
    assert x.kind is sr.Kind.AT
    assert x.relation == ">="
    left, right, threshold = (formula(text, "N K W C") for text in match.groups())
    assert (x.threshold - threshold).cancel() == 0
    mine = [formula(text, "N K W C") for text in x.condition.text().split(" > ")]
    assert ((mine[0] - mine[1]) - (left - right)).expand() == 0
    assert str(x).endswith("else never")


@given(st.integers(1, 60), st.integers(1, 60), st.integers(1, 20), st.integers(1, 20))
def test_b54_cases_are_those_of_substitution(n: int, k: int, peak: int, bandwidth: int) -> None:
    x = sr.analyze(matmul(), symbolic_chip()).crossover("M")
    bound = x.at(N=n, K=k, C=f"{peak} FLOP/s", W=f"{bandwidth} B/s")
    for m in range(1, 80):
        holds = Fraction(2 * m * n * k, peak) >= Fraction(2 * (m * n + n * k + m * k), bandwidth)
        inside = any(low <= m and (high is None or m <= high) for low, high in bound.intervals)
        assert inside is holds
    named = {"N": n, "K": k, "C": peak, "W": bandwidth}
    exists = n * k * bandwidth > peak * (n + k)
    assert x.condition.holds({name: Rational(value) for name, value in named.items()}) is exists
    assert sum(case.condition.holds(named) for case in x.cases) == 1


@pytest.mark.parametrize("unknown", ["M", "N", "K", "C", "W"])
def test_b54_any_symbol_can_be_the_unknown(unknown: str) -> None:
    x = sr.analyze(matmul(), symbolic_chip()).crossover(unknown)
    points, mismatches = x.verify(50)
    assert points > 50
    assert mismatches == 0
    assert x.relation == ("<=" if unknown == "C" else ">=")


@pytest.mark.parametrize(
    ("left", "right"),
    [("a*B + b", "c"), ("a*B**2 + b*B", "c"), ("max(a*B, b)", "c"), ("a/B", "b"), ("a*B", "B**2")],
)
def test_b54_answer_is_never_an_unsolved_relation(left: str, right: str) -> None:
    x = sr.region(left, right, "B")
    assert x.kind is not sr.Kind.UNSOLVED
    ends = [end for case in x.cases for end in (case.region.threshold,) if end is not None]
    assert ends
    assert all(sr.symbols("B") not in end.free_symbols for end in ends)
    assert x.verify(50)[1] == 0


@given(st.lists(st.integers(1, 9), min_size=5, max_size=5))
def test_b54_quadratics_against_every_integer(numbers: list[int]) -> None:
    a, b, c, d, e = numbers
    assume((a, b) != (c, d))
    x = sr.region("a*B**2 + b*B", "c*B + d*B**2 + e", "B").at(a=a, b=b, c=c, d=d, e=e)
    for batch in range(1, 60):
        inside = any(low <= batch and (high is None or batch <= high) for low, high in x.intervals)
        assert inside is (a * batch**2 + b * batch >= c * batch + d * batch**2 + e)
