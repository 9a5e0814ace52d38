"""The harmonic reading: a sum of reciprocals against the reciprocal of a rate."""

from __future__ import annotations

import pytest
from sympy import ceiling

from symroof.symbolic.functions import log2
from symroof.symbolic.harmonic import harmonic
from symroof.symbolic.polynomial import fraction
from symroof.symbolic.symbols import symbol, symbols

M, N, K, B, D, F, balance = symbols("M N K B D F I")
RIDGE, PEAK, BW = symbol("ridge.fp16"), symbol("peak.fp16"), symbol("bw.hbm")
LABELS = {"ridge.fp16": "I", "peak.fp16": "π", "bw.hbm": "β"}


@pytest.mark.parametrize(
    ("expr", "unknown", "reading", "solvable"),
    [
        (
            M * N * K - RIDGE * (M * N + N * K + M * K),
            M,
            "1/M + 1/N + 1/K ≤ 1/I",
            "1/N + 1/K < 1/I",
        ),
        (
            M * N * K - RIDGE * (M * N + N * K + M * K),
            K,
            "1/K + 1/M + 1/N ≤ 1/I",
            "1/M + 1/N < 1/I",
        ),
        (
            2 * M * N * K * BW - 2 * PEAK * (M * N + N * K + M * K),
            M,
            "1/M + 1/N + 1/K ≤ β/π",
            "1/N + 1/K < β/π",
        ),
        (
            3 * B * D * F - RIDGE * (2 * B * D + B * F + 3 * D * F),
            B,
            "3/B + 1/D + 2/F ≤ 3/I",
            "1/D + 2/F < 3/I",
        ),
        (
            67 * M * N * K - 19780 * (M * N + N * K + M * K),
            M,
            "1/M + 1/N + 1/K ≤ 67/19780",
            "1/N + 1/K < 67/19780",
        ),
    ],
)
def test_readings(expr, unknown, reading, solvable):
    found = harmonic(fraction(expr)[0], unknown, order=[M, N, K])
    assert found.reading.unicode(LABELS) == reading
    assert found.solvable.unicode(LABELS) == solvable


def test_the_other_way_round():
    found = harmonic(fraction(balance * (M + N) - M * N)[0], M, [balance])
    assert found.reading.plain() == "1/M + 1/N >= 1/I"
    assert found.solvable is None


def test_a_rate_as_the_unknown_has_nothing_to_solve():
    expr = BW * M * N - PEAK * (M + N)
    found = harmonic(fraction(expr)[0], BW)
    assert found.reading.unicode(LABELS) == "1/M + 1/N ≤ β/π"
    assert found.solvable is None


@pytest.mark.parametrize(
    "expr",
    [
        M - balance,
        M * N - balance * M**2 - balance * N,
        M * N + M - balance * N - balance * K,
        M * N - balance * M - N,
        M * N * log2(balance) - M - N,
        128 * ceiling(M / 128) * N - balance * (M + N),
        M + N,
        M * N - balance * M - M * N * balance,
    ],
)
def test_no_reading(expr):
    assert harmonic(fraction(expr)[0], M, [balance]) is None
