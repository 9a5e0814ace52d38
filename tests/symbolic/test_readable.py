"""The readable form is a promise: these are the texts a reader meets."""

from __future__ import annotations

import pytest
from sympy import Integer, Max, Min, Mul, Rational, ceiling, floor, oo, sqrt

from symroof.symbolic.functions import log2
from symroof.symbolic.polynomial import Polynomial, fraction
from symroof.symbolic.readable import comparison, ratio, readable
from symroof.symbolic.symbols import symbol, symbols

M, N, K, D, F, B, S, H, L, E = symbols("M N K D F B S H L E")
m, n, k, C, W, s, w, balance = symbols("m n k C W s w I")
RIDGE, PEAK, BW = symbol("ridge.fp16"), symbol("peak.fp16"), symbol("bw.hbm")
LABELS = {"ridge.fp16": "I", "peak.fp16": "π", "bw.hbm": "β"}


@pytest.mark.parametrize(
    ("expr", "plain"),
    [
        (-k * n * balance / (k * balance + n * balance - k * n), "I*k*n/(k*n - I*(k + n))"),
        (
            3 * D * F * balance / (3 * D * F - balance * (2 * D + F)),
            "3*D*F*I/(3*D*F - I*(2*D + F))",
        ),
        (
            -3 * D * F * balance / (2 * D * balance + F * balance - 3 * D * F),
            "3*D*F*I/(3*D*F - I*(2*D + F))",
        ),
        (K * M * N / (K * M + K * N + M * N), "K*M*N/(K*M + K*N + M*N)"),
        (2 * k * m * n, "2*k*m*n"),
        (2 * k * m + 2 * k * n + 2 * m * n, "2*(k*m + k*n + m*n)"),
        (
            -C * K * N * s / (C * K * s + C * N * s - 2 * K * N * W),
            "C*K*N*s/(2*K*N*W - C*K*s - C*N*s)",
        ),
    ],
)
def test_closed_forms_of_the_design(expr, plain):
    assert readable(expr, lead=[balance]).plain() == plain


def test_names_follow_the_order_of_the_caller():
    threshold = n * k * balance / (n * k - balance * (n + k))
    assert readable(threshold, [balance], [n, k]).plain() == "I*n*k/(n*k - I*(n + k))"
    assert readable(threshold, [balance], ["n", "k"]).unicode() == "I·n·k / (n·k − I·(n + k))"
    assert readable(n * k * balance, [balance], [n, k, balance]).plain() == "n*k*I"


def test_a_rate_is_a_lead_unasked():
    threshold = readable(n * k * RIDGE / (n * k - RIDGE * (n + k)), order=[n, k])
    assert threshold.plain() == "ridge.fp16*n*k/(n*k - ridge.fp16*(n + k))"
    assert threshold.unicode(LABELS) == "I·n·k / (n·k − I·(n + k))"


def test_a_dim_called_like_the_label_does_not_cancel_against_the_rate():
    assert readable(RIDGE * N / balance).plain() == "ridge.fp16*N/I"


@pytest.mark.parametrize(
    ("expr", "plain"),
    [
        (PEAK * (M * N + N * K + M * K) / (M * N * K), "peak.fp16*(M*N + M*K + N*K)/(M*N*K)"),
        (M * N * K * BW / (M * N + N * K + M * K), "bw.hbm*M*N*K/(M*N + M*K + N*K)"),
        (
            PEAK * N * K / (BW * N * K - PEAK * (N + K)),
            "peak.fp16*N*K/(bw.hbm*N*K - peak.fp16*(N + K))",
        ),
        (
            2 * M * N * K / PEAK + 2 * (M * N + N * K + M * K) / BW,
            "2*M*N*K/peak.fp16 + 2*(M*N + M*K + N*K)/bw.hbm",
        ),
        (PEAK / BW, "peak.fp16/bw.hbm"),
    ],
)
def test_rates_that_are_not_merged_to_a_ridge(expr, plain):
    assert readable(expr, order=[M, N, K]).plain() == plain


@pytest.mark.parametrize(
    ("expr", "plain"),
    [
        # decode attention, grouped heads: FLOPs over bytes; window products stay factored
        (4 * B * H * S * D / (2 * B * S * D), "2*H"),
        (B * S * (2 * D * H + 4 * H * S), "2*B*H*S*(D + 2*S)"),
        ((M + N) * (K + 1), "(K + 1)*(M + N)"),
        (2 * (M + N) * (K + 1) * B, "2*B*(K + 1)*(M + N)"),
        ((M + N) ** 2 * K, "K*(M + N)**2"),
        (L * (2 * B * S * (3 * D * F + D**2) + B * S * D), "B*D*L*S*(2*D + 6*F + 1)"),
        (B * (M + N) * (K + 1) + D * (M + N), "(B*(K + 1) + D)*(M + N)"),
        ((M + N) * (K + 1) - F, "(K + 1)*(M + N) - F"),
        (M * K + M + N * K + N, "(K + 1)*(M + N)"),
        (balance * (M + N) * (K + 1) / ((M + N) * K), "I*(K + 1)/K"),
        ((M**2 - N**2) / (M + N), "M - N"),
        ((M - N) ** 2 / (K - 1) ** 3, "(M - N)**2/(K - 1)**3"),
        (n * k * balance * (n - 1) / (k - n * k), "-I*n"),
    ],
)
def test_factors_stay_and_common_ones_go(expr, plain):
    assert readable(expr, lead=[balance]).plain() == plain


@pytest.mark.parametrize(
    ("expr", "plain"),
    [
        (1 / M + 1 / N, "1/M + 1/N"),
        (1 / (1 / M + 1 / N), "M*N/(M + N)"),
        (M - 1 / N, "(M*N - 1)/N"),
        (M / 2 + N / 3, "(3*M + 2*N)/6"),
        (M / (K + 1) + N / (K + 1) + 1, "1 + (M + N)/(K + 1)"),
    ],
)
def test_sums_of_quotients(expr, plain):
    assert readable(expr).plain() == plain


@pytest.mark.parametrize(
    ("expr", "plain", "shown"),
    [
        (Integer(0), "0", "0"),
        (Integer(-7), "-7", "−7"),
        (Rational(10127360, 29359), "10127360/29359", "10127360/29359"),
        (Rational(-1, 3), "-1/3", "−1/3"),
        (3 * w / 8, "3*w/8", "3·w/8"),
        (-M, "-M", "−M"),
        (M - 1, "M - 1", "M − 1"),
        (1 - M, "1 - M", "1 − M"),
        (-M - N, "-(M + N)", "−(M + N)"),
        (M**2 + 1, "M**2 + 1", "M² + 1"),
        (M**12, "M**12", "M¹²"),
        (1 / M**2, "1/M**2", "1/M²"),
        (M / (2 * N), "M/(2*N)", "M/(2·N)"),
        (sqrt(M), "sqrt(M)", "√M"),
        (sqrt(M * N + 1), "sqrt(M*N + 1)", "√(M·N + 1)"),
        (M ** Rational(3, 2), "M*sqrt(M)", "M·√M"),
        (M ** Rational(1, 3), "M**(1/3)", "M^(1/3)"),
        ((1 + sqrt(5)) / 2, "(sqrt(5) + 1)/2", "(√5 + 1)/2"),
        (128 * ceiling(M / 128) * K, "128*K*ceil(M/128)", "128·K·⌈M/128⌉"),
        (floor(M / 2) + 1, "floor(M/2) + 1", "⌊M/2⌋ + 1"),
        (Max(M, N) * Min(K, N + 1), "max(M, N)*min(K, N + 1)", "max(M, N)·min(K, N + 1)"),
        (5 * n * log2(n), "5*n*log2(n)", "5·n·log₂(n)"),
        (E * (1 - (1 - k / E) ** B), "E*(1 - (1 - k/E)**B)", "E·(1 − (1 − k/E)^B)"),
        (8 - 8 * Rational(7, 8) ** B, "8*(1 - (7/8)**B)", "8·(1 − (7/8)^B)"),
        (M**N, "M**N", "M^N"),
        ((M + N) ** K, "(M + N)**K", "(M + N)^K"),
        (oo, "∞", "∞"),
        (-oo, "-∞", "−∞"),
    ],
)
def test_notation(expr, plain, shown):
    form = readable(expr)
    assert (form.plain(), form.unicode()) == (plain, shown)


def test_mixed_coefficients_of_the_lead_keep_their_common_factor():
    expr = K * (2 * n - 1) - balance * (n + K)
    assert readable(expr, lead=[balance]).plain() == "K*(2*n - 1) - I*(K + n)"


def test_two_leads_collect_one_inside_the_other():
    expr = M * N * BW - PEAK * (M + N) * 2 - PEAK * BW * M
    form = readable(expr, lead=[PEAK, BW])
    assert form.plain() == "bw.hbm*M*N - peak.fp16*(2*(M + N) + bw.hbm*M)"


def test_a_quadratic_root_names_its_coefficients():
    a, b = symbols("a b")
    x = (balance * N + sqrt(balance**2 * N**2 + 4 * N * K * balance)) / (2 * N)
    form = readable(x, lead=[balance])
    assert form.unicode() == ("(−b + √(b² − 4·a·c)) / (2·a), where a = N, b = −I·N, c = −I·K")
    at = {N: 2, K: 3, balance: 5}
    # by hand: (10 + sqrt(100 + 120)) / 4
    assert form.plain() == "(I*N + sqrt((I*N)**2 + 4*N*I*K))/(2*N)"
    assert x.xreplace({s: Integer(v) for s, v in at.items()}) == (10 + sqrt(220)) / 4
    renamed = readable((a + sqrt(a**2 + 4 * b)) / 2)
    assert renamed.unicode() == "(−q + √(q² − 4·p·r)) / (2·p), where p = 1, q = −a, r = −b"


def test_a_polynomial_and_a_ratio_of_polynomials():
    over, under = fraction(-k * n * balance / (k * balance + n * balance - k * n))
    assert ratio(over, under, [balance]).plain() == "I*k*n/(k*n - I*(k + n))"
    assert readable(2 * under, [balance]).plain() == "2*(I*(k + n) - k*n)"
    assert readable(Polynomial.constant(0)).plain() == "0"
    assert ratio(Polynomial.constant(-3), Polynomial.constant(4)).plain() == "-3/4"
    assert ratio(Polynomial.constant(0), over).plain() == "0"


@pytest.mark.parametrize(
    ("expr", "relation", "plain"),
    [
        (n * k - balance * (n + k), ">", "n*k > I*(n + k)"),
        (balance * (n + k) - n * k, "<", "I*(n + k) < n*k"),
        (6 * n**2 * k - 6 * n * balance * (n + k), ">=", "n*k >= I*(n + k)"),
        (3 * D * F - balance * (2 * D + F), ">", "3*D*F > I*(2*D + F)"),
        (n - balance, "=", "n = I"),
        (n - balance, "!=", "n != I"),
        (n - 1, ">", "n > 1"),
        ((M + N) * (K - balance), ">", "K > I"),
        (-(M + N) * (K - balance), ">", "I > K"),
        (-M - N, ">", "0 > M + N"),
        (M + N, ">", "M + N > 0"),
        (M / (N + K) - 1, ">", "M > K + N"),
        ((M - N) / (K - n), ">", "n*N + K*M > n*M + K*N"),
        (BW * n * k - PEAK * (n + k), ">", "bw.hbm*n*k > peak.fp16*(n + k)"),
        (M - M, ">=", "0 >= 0"),
        (log2(w) * M - log2(w) * N, ">", "M*log2(w) > N*log2(w)"),
    ],
)
def test_comparisons_have_plus_terms_only(expr, relation, plain):
    assert comparison(expr, relation, [balance], [n, k]).plain() == plain


def test_a_comparison_drops_what_counts_make_positive():
    expr = (2 * N - 1) * (K - balance) * log2(M + 1)
    counts = frozenset({"N", "M"})
    assert comparison(expr, ">", [balance], counts=counts).plain() == "K > I"
    assert comparison(expr, ">", [balance], counts=counts).unicode() == "K > I"
    assert comparison(N - balance, ">=").unicode() == "N ≥ I"


def test_long_sums_are_collected_by_powers_of_the_lead():
    dims = symbols("d1 d2 d3 d4 d5")
    expr = (
        sum((balance**2 * d for d in dims), start=-balance * Mul(*dims))
        + balance * dims[0]
        + 7 * dims[1]
    )
    assert readable(expr, lead=[balance]).plain() == (
        "7*d2 + I**2*(d1 + d2 + d3 + d4 + d5) - I*d1*(d2*d3*d4*d5 - 1)"
    )
