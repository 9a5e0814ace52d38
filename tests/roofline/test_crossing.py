"""Crossovers of rooflines against published numbers and brute force."""

from __future__ import annotations

import pytest
from sympy import Rational

import symroof as sr
from symroof import ops
from symroof.errors import InputError, UnitError, UnknownNameError


def matmul(dtype: str = "fp16") -> sr.Graph:
    g = sr.Graph("matmul")
    ops.matmul(g.input("A", ("M", "N"), dtype), g.weight("W", ("N", "K"), dtype), name="C")
    return g


@pytest.mark.parametrize(("side", "first"), [(512, None), (1024, 956), (4096, 399), (8192, 363)])
def test_matmul_at_ridge_1000_over_3(side: int, first: int | None) -> None:
    chip = sr.Chip(name="rounded", peak={"fp16": "1000 TFLOP/s"}, memory={"hbm": "3 TB/s"})
    x = sr.analyze(matmul(), chip).crossover("M").at(N=side, K=side)
    assert x.first == first
    assert (x.kind is sr.Kind.NEVER) == (first is None)


def test_the_closed_form_is_in_the_ridge() -> None:
    x = sr.analyze(matmul(), "h100-sxm").crossover("M")
    sentence = x.sentence({"ridge.fp16": "I"})
    assert sentence.statement == "M ≥ I·N·K / (N·K − I·(N + K))"
    assert sentence.given == "N·K > I·(N + K)"
    assert sentence.otherwise == "never"
    assert x.at(N=4096, K=4096).threshold_bound == Rational(10127360, 29359)
    assert x.verify()[1] == 0


def test_a_dim_called_like_the_ridge_does_not_cancel_against_it() -> None:
    g = sr.Graph("g")
    ops.matmul(g.input("A", ("M", "I"), "fp16"), g.weight("W", ("I", "K"), "fp16"))
    x = sr.analyze(g, "h100-sxm").crossover("M").at(I=4096, K=4096)
    assert x.first == 345


@pytest.mark.parametrize("unknown", ["peak", "bw", "ridge"])
def test_rates_as_unknowns_have_their_numbers(unknown: str) -> None:
    r = sr.analyze(matmul(), "h100-sxm").at(M=345, N=4096, K=4096)
    intensity = Rational(345 * 4096 * 4096, 2 * 345 * 4096 + 4096 * 4096)
    expected = {
        "peak": intensity * 3_350 * 10**9,
        "bw": Rational(989 * 10**12) / intensity,
        "ridge": intensity,
    }
    x = r.crossover(unknown)
    assert x.threshold_bound == expected[unknown]
    assert x.relation == (">=" if unknown == "bw" else "<=")
    assert x.first is None


def test_the_other_terms_can_be_asked_for() -> None:
    r = sr.analyze(matmul(), "h100-sxm").at(N=4096, K=4096)
    memory = r.crossover("M", term="memory")
    assert memory.relation == "<="
    assert memory.intervals == ((1, 344),)
    assert r.crossover("M", term="network").kind is sr.Kind.NEVER


def test_a_third_term_takes_part() -> None:
    g = sr.Graph("tp")
    y = g.input("x", ("B", 8192), "bf16") @ g.weight("w", (8192, 1024), "bf16")
    ops.all_reduce(y, group="n")
    r = sr.analyze(g, "h100-sxm")
    x = r.crossover("B").at(n=8)
    brute = [b for b in range(1, 2000) if r.verdict(B=b, n=8) in (sr.Bound.COMPUTE,)]
    assert x.first == (min(brute) if brute else None)
    needed = r.at(B=2048, n=8).crossover("link")
    assert needed.relation == ">="


def test_region_compares_any_two_sides() -> None:
    t = sr.Quantity("max(B/10, 2 + B/40)", "ms")
    assert sr.region("5 ms", t, "B").intervals == ((1, 50),)
    assert sr.region("2.5 ms", t, "B").intervals == ((1, 20),)
    assert sr.region("2 ms", t, "B").kind is sr.Kind.NEVER
    with pytest.raises(UnitError, match="cannot compare byte with s"):
        sr.region("5 GB", t, "B")


def test_decode_attention_is_never_compute_bound() -> None:
    g = sr.Graph("decode")
    ops.attention(
        g.input("q", ("B", 32, 1, 128), "bf16"),
        g.cache("k", ("B", 8, "S", 128), "bf16"),
        g.cache("v", ("B", 8, "S", 128), "bf16"),
    )
    r = sr.analyze(g, "h100-sxm")
    assert r.limit("S").value == 4
    assert r.crossover("B").kind is sr.Kind.NEVER
    thumb = r.rule_of_thumb(r.crossover("B"))
    assert (thumb.integer, thumb.applies) == (296, False)


def test_rates_bound_on_an_answer_move_the_ridge() -> None:
    r = sr.analyze(matmul(), "h100-sxm")
    x = r.crossover("M")
    # 1000/3 FLOP/byte: first 956 at 1024, as in the table above.
    for asked in (
        x.at(bw="3 TB/s", peak="1000 TFLOP/s", N=1024, K=1024),
        x.at(bw="3 TB/s").at(peak="1000 TFLOP/s").at(N=1024, K=1024),
        x.at(N=1024, K=1024).at(bw="3 TB/s", peak="1000 TFLOP/s"),
        x.at(ridge="1000/3 FLOP/byte", N=1024, K=1024),
    ):
        assert asked.first == 956
    assert x.at(bw="3 TB/s", N=1024, K=1024).first == 926
    assert r.at(bw="3 TB/s", N=1024, K=1024).crossover("M").first == 926


def test_what_a_ridge_given_has_replaced_cannot_be_bound() -> None:
    x = sr.analyze(matmul(), "h100-sxm").crossover("M")
    given = x.at(ridge="100 FLOP/byte")
    # 1/M = 1/100 - 2/4096, so M = 105.1
    assert given.at(N=4096, K=4096).first == 106
    for rate, value in (("bw", "1 TB/s"), ("peak", "100 TFLOP/s")):
        with pytest.raises(UnknownNameError):
            given.at(**{rate: value})
        with pytest.raises(InputError, match="give one of them, not both"):
            x.at(ridge="100 FLOP/byte", **{rate: value})
    with pytest.raises(InputError, match=r"ridge sets bw.hbm, which is given too"):
        sr.analyze(matmul(), "h100-sxm").at(ridge="100 FLOP/byte", bw="1 TB/s")


def test_a_rate_of_ones_own_symbol_can_be_bound_later() -> None:
    r = sr.analyze(matmul(), "h100-sxm").at(M=64, N=4096, K=4096)
    own = r.at(bw=sr.Quantity(sr.symbols("BW"), "byte/s"))
    assert own.at(BW="2 TB/s").t_memory == r.at(bw="2 TB/s").t_memory
    assert own.at(BW="2 TB/s").verdict() is sr.Bound.MEMORY
    assert own.at(BW="20 TB/s").verdict() is sr.Bound.COMPUTE
    assert own.crossover("BW").threshold_bound == r.crossover("bw").threshold_bound


def test_a_rate_in_terms_of_itself_is_that_of_before() -> None:
    r = sr.analyze(matmul(), "h100-sxm").at(N=4096, K=4096)
    twice = r.at(bw=r.bandwidth * 2)
    assert twice.bandwidth.value == 6700 * 10**9
    # ridge 147.6: 1/M = 1/147.6 - 2/4096, so M = 159.08
    assert twice.crossover("M").first == 160
    assert r.crossover("M").at(bw=r.bandwidth * 2).first == 160


def test_a_bandwidth_of_ones_own_beside_a_known_link() -> None:
    bw = sr.Quantity(sr.symbols("BW"), "byte/s")
    chip = sr.Chip(name="mine", peak={"bf16": "100 TFLOP/s"}, memory={"hbm": bw}, link="50 GB/s")
    g = sr.Graph("tp")
    y = g.input("x", ("B", 512), "bf16") @ g.weight("w", (512, 64), "bf16")
    ops.all_reduce(y, group=8)
    r = sr.analyze(g, chip).at(BW="1 TB/s")
    for term in ("compute", "memory", "network"):
        x = r.crossover("B", term=term)
        for batch in (1, 2, 5, 10, 100, 1000, 10**6):
            inside = any(a <= batch and (b is None or batch <= b) for a, b in x.intervals)
            assert inside == (term in r.largest_terms(B=batch))


def mixture(top_k: object = "k") -> sr.Roofline:
    g = sr.Graph("mixture")
    up, down = (
        g.weight("up", ("E", 4096, 14336), "bf16"),
        g.weight("down", ("E", 14336, 4096), "bf16"),
    )
    ops.experts(g.input("x", ("B", 4096), "bf16"), up, down, top_k=top_k)
    return sr.analyze(g, "h100-sxm")


def test_no_more_experts_for_a_token_than_there_are() -> None:
    r = mixture()
    with pytest.raises(InputError, match=r"needs k <= E; not so at B=64, E=8, k=9"):
        r.at(B=64, E=8, k=9)
    few = r.at(B=64, E=8).crossover("k")
    assert few.kind is sr.Kind.NEVER or few.intervals in ((), ((8, 8),))
    many = r.at(B=4096, E=8).crossover("k")
    assert many.last == 8
    inside = [k for k in range(1, 9) if r.verdict(B=4096, E=8, k=k) is sr.Bound.COMPUTE]
    assert many.intervals == ((inside[0], inside[-1]),)
    assert many.verify(20)[1] == 0


def test_no_more_key_value_heads_than_query_heads() -> None:
    g = sr.Graph("decode")
    q, k, v = (
        g.input(n, ("B", h, t, 128), "bf16")
        for n, h, t in (("q", "H", 1), ("k", "G", "S"), ("v", "G", "S"))
    )
    ops.attention(q, k, v)
    r = sr.analyze(g, "h100-sxm")
    with pytest.raises(InputError, match="needs G <= H"):
        r.at(H=8, G=32)
    x = r.at(H=1024, S=8192, B=1).crossover("G")
    assert (x.first, x.last) == (1, 3)  # 1024/3 is above the ridge of 295, 1024/4 is not
    assert r.at(H=8, S=8192, B=1).crossover("G").kind is not sr.Kind.ALWAYS


def test_symbol_inside_what_another_is_bound_to() -> None:
    r = sr.analyze(sr.load("mn,nk->mk"), "h100-sxm")
    # m >= 345 at n = k = 4096: with m = 8*P from P = 44 on (8*43 = 344).
    bound = r.at(m="8*P")
    assert bound.crossover("P").at(n=4096, k=4096).first == 44
    assert bound.at(n=4096, k=4096).crossover("P").first == 44
    assert r.at(m="N/X", n=4096, k=4096).at(X=4).crossover("N").first == 4 * 344 + 4
