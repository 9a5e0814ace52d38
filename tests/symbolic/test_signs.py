"""Signs on the positive orthant with counts of at least 1."""

from __future__ import annotations

import pytest
from sympy import Max, Min, Rational, ceiling, floor, pi, sqrt

from symroof.symbolic.functions import log2
from symroof.symbolic.polynomial import Polynomial, fraction
from symroof.symbolic.signs import Sign, bound, sign, sign_of, strip_positive
from symroof.symbolic.symbols import symbol, symbols

M, N, K, n, B, E, w = symbols("M N K n B E w")
RIDGE = symbol("ridge.bf16")
COUNTS = frozenset({"M", "N", "K", "n", "B", "E"})
POS, NEG, ZERO = Sign.POSITIVE, Sign.NEGATIVE, Sign.ZERO
NONNEG, NONPOS, UNKNOWN = Sign.NONNEGATIVE, Sign.NONPOSITIVE, Sign.UNKNOWN


@pytest.mark.parametrize(
    ("expr", "wanted"),
    [
        (M - M, ZERO),
        (M * N + K, POS),
        (-M * N - RIDGE, NEG),
        (M - N, UNKNOWN),
        (N * K - RIDGE * (N + K), UNKNOWN),
        (n - 1, NONNEG),
        (1 - n, NONPOS),
        (2 * n - 1, POS),
        (n - 2, UNKNOWN),
        (w - 1, UNKNOWN),
        (M * N - 1, NONNEG),
        (M * N + M - N, POS),
        (M * N * K - M, NONNEG),
        (w * (n - 1), NONNEG),
        (w * (n - 1) + w, POS),
        ((M - 1) * (N - 1), NONNEG),
        ((n - 1) / n, NONNEG),
        (1 / (n - 1), UNKNOWN),
        (1 / (1 - 2 * n), NEG),
        (RIDGE**2 * (1 - n) - 1, NEG),
    ],
)
def test_polynomials(expr, wanted):
    assert sign_of(expr, COUNTS) is wanted


@pytest.mark.parametrize(
    ("expr", "wanted"),
    [
        (ceiling(M / 128), POS),
        (ceiling(M / 128) - 1, NONNEG),
        (ceiling(w / 128) * 2 - 1, POS),
        (ceiling((n - 1) / 8), NONNEG),
        (ceiling(M - N), UNKNOWN),
        (floor(M), POS),
        (floor(M / 2), NONNEG),
        (floor(w - 1), UNKNOWN),
        (log2(n), NONNEG),
        (log2(n + 1), POS),
        (log2(2 * n) - 1, NONNEG),
        (log2(w), UNKNOWN),
        (log2(w) ** 2, NONNEG),
        (log2(w) ** 2 + 1, POS),
        (-(log2(w) ** 2) - M, NEG),
        (Max(M, N) - 1, NONNEG),
        (Max(M, w - 5), POS),
        (Max(w - 5, 0), NONNEG),
        (Min(M, w), POS),
        (Min(M, N) - 1, NONNEG),
        (Min(M, w - 1), UNKNOWN),
        (Min(M - 1, N), NONNEG),
    ],
)
def test_opaque_atoms(expr, wanted):
    assert sign_of(expr, COUNTS) is wanted


@pytest.mark.parametrize(
    ("expr", "wanted"),
    [
        (sqrt(w), POS),
        (sqrt(M) - 1, NONNEG),
        (M - sqrt(M), NONNEG),
        (sqrt(w) - 1, UNKNOWN),
        (sqrt(n - 1), NONNEG),
        (sqrt(w - 1), UNKNOWN),
        (sqrt(2) * M - 1, POS),
        (sqrt(2) * M - 2 * M, NEG),
        (pi * w - 3 * w, POS),
        (E * (1 - Rational(7, 8) ** B), POS),
        (8 * (1 - Rational(7, 8) ** B) - 1, NONNEG),
        (Rational(7, 8) ** w - 1, NONPOS),
        (2**B - 2, NONNEG),
        (2**w - 1, NONNEG),
        (2**w - 2, UNKNOWN),
        (M**B - 1, NONNEG),
        (w**B, POS),
        (w**B - 1, UNKNOWN),
        ((1 - n / E) ** B, UNKNOWN),
        ((1 - n / E) ** (2 * B), NONNEG),
    ],
)
def test_powers(expr, wanted):
    assert sign_of(expr, COUNTS) is wanted


def test_without_counts_the_orthant_alone_decides():
    assert sign(fraction(2 * n - 1)[0]) is UNKNOWN
    assert sign(fraction(2 * n + 1)[0]) is POS


def test_a_degree_too_high_to_shift_is_left_unknown():
    assert sign(fraction(n**100 - 1)[0], COUNTS) is UNKNOWN
    assert sign(fraction(n**100 + 1)[0], COUNTS) is POS


def test_products_and_quotients_of_signs():
    assert POS * NEG is NEG
    assert NEG * NEG is POS
    assert NONNEG * NEG is NONPOS
    assert NONPOS * NONPOS is NONNEG
    assert UNKNOWN * ZERO is ZERO
    assert UNKNOWN * POS is UNKNOWN
    assert NONNEG / NEG is NONPOS
    assert POS / NONNEG is UNKNOWN
    assert POS / ZERO is UNKNOWN
    assert -UNKNOWN is UNKNOWN
    assert [s for s in Sign if s.is_nonnegative] == [POS, ZERO, NONNEG]
    assert [s for s in Sign if s.is_nonpositive] == [NEG, ZERO, NONPOS]


def test_strip_positive():
    p = fraction(6 * M**2 * N - 4 * M * RIDGE)[0]
    assert strip_positive(p, COUNTS) == fraction(3 * M * N - 2 * RIDGE)[0]
    p = fraction(4 * log2(w) * M - 2 * log2(w))[0]
    assert strip_positive(p, COUNTS) == fraction(2 * log2(w) * M - log2(w))[0]
    assert strip_positive(Polynomial.constant(0)).is_zero


def test_a_bound_is_none_where_the_atom_may_be_negative():
    assert bound(log2(w), COUNTS) is None
    assert bound(ceiling(M - N), COUNTS) is None
