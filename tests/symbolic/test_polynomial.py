"""Polynomials and the reading of expressions as fractions of them."""

from __future__ import annotations

import pytest
from sympy import Float, Integer, Max, Mul, Pow, Rational, ceiling, oo, pi, sqrt

from symroof.errors import InputError
from symroof.symbolic.polynomial import Polynomial, fraction
from symroof.symbolic.symbols import symbol, symbols

M, N, K, B, E = symbols("M N K B E")
PEAK, BW, RIDGE = symbol("peak.bf16"), symbol("bw.hbm"), symbol("ridge.bf16")


def named(p: Polynomial) -> dict[str, int]:
    """The terms as text, independent of the order of generators: {"M**2*N": 3}."""
    return {
        "*".join(
            f"{gen}**{power}" if power > 1 else str(gen)
            for gen, power in zip(p.gens, powers, strict=True)
            if power
        )
        or "1": coefficient
        for powers, coefficient in p.terms.items()
    }


def test_matmul_compute_minus_memory():
    num, den = fraction(2 * M * N * K / PEAK - 2 * (M * N + N * K + M * K) / BW)
    assert named(num) == {
        "K*M*N*bw.hbm": 2,
        "K*M*peak.bf16": -2,
        "K*N*peak.bf16": -2,
        "M*N*peak.bf16": -2,
    }
    assert named(den) == {"bw.hbm*peak.bf16": 1}


def test_both_parts_have_the_same_sorted_generators():
    num, den = fraction(N / M - 1 / K + ceiling(M / 128))
    assert num.gens == den.gens == (K, M, N, ceiling(M / 128))


@pytest.mark.parametrize(
    ("expr", "above", "below"),
    [
        (1 / (1 / M + 1 / N), {"M*N": 1}, {"M": 1, "N": 1}),
        (M / 2 - 1 / (3 * N), {"M*N": 3, "1": -2}, {"N": 6}),
        ((M * N) ** 2 / M**3, {"N**2": 1}, {"M": 1}),
        ((M + N) ** 2, {"M**2": 1, "M*N": 2, "N**2": 1}, {"1": 1}),
        (
            1 / (M + N) + 1 / (M + N) ** 2,
            {"M": 1, "N": 1, "1": 1},
            {"M**2": 1, "M*N": 2, "N**2": 1},
        ),
        (1 / (M + N) + 2 / (M + N), {"1": 3}, {"M": 1, "N": 1}),
        (1 / (2 * M + 2 * N) + 1 / (M + N), {"1": 3}, {"M": 2, "N": 2}),
        (1 / (N - M) + 1 / (M - N), {}, {"1": 1}),
        (M - M, {}, {"1": 1}),
        (Integer(0), {}, {"1": 1}),
        (Rational(10127360, 29359), {"1": 10127360}, {"1": 29359}),
        (1 / (1 + 1 / (1 + 1 / M)), {"M": 1, "1": 1}, {"M": 2, "1": 1}),
        ((6 * M + 4 * N) / (2 * M * N), {"M": 3, "N": 2}, {"M*N": 1}),
        (-1 / (N - M), {"1": 1}, {"M": 1, "N": -1}),
    ],
)
def test_fractions_by_hand(expr, above, below):
    num, den = fraction(expr)
    assert (named(num), named(den)) == (above, below)


@pytest.mark.parametrize(
    ("expr", "above", "below"),
    [
        (sqrt(M) + M, {"sqrt(M)": 1, "sqrt(M)**2": 1}, {"1": 1}),
        (M ** Rational(1, 3) * sqrt(M), {"M**(1/6)**5": 1}, {"1": 1}),
        (sqrt(M + 1) * (1 + sqrt(M + 1)), {"sqrt(M + 1)": 1, "M": 1, "1": 1}, {"1": 1}),
        ((1 + sqrt(M + 1)) ** -2, {"1": 1}, {"M": 1, "sqrt(M + 1)": 2, "1": 2}),
        (1 / sqrt(M + 1) + sqrt(M + 1), {"M*sqrt(M + 1)": 1, "sqrt(M + 1)": 2}, {"M": 1, "1": 1}),
        ((sqrt(2) * M + 1) ** 2, {"M**2": 2, "M*sqrt(2)": 2, "1": 1}, {"1": 1}),
        (sqrt(1 + sqrt(M + 1)) ** 4, {"M": 1, "sqrt(M + 1)": 2, "1": 2}, {"1": 1}),
    ],
)
def test_a_root_is_one_generator_and_its_powers_come_back(expr, above, below):
    num, den = fraction(expr)
    assert (named(num), named(den)) == (above, below)


@pytest.mark.parametrize(
    ("expr", "above", "below"),
    [
        (E * (1 - Rational(7, 8) ** B), {"E": 1, "E*(7/8)**B": -1}, {"1": 1}),
        (Rational(8, 7) ** B, {"1": 1}, {"(7/8)**B": 1}),
        (2 ** (B + 1) - 2**B, {"2**B": 1}, {"1": 1}),
        (2**-B, {"1": 1}, {"2**B": 1}),
        (Rational(7, 8) ** (2 * B - 1), {"(7/8)**B**2": 8}, {"1": 7}),
        (M**B * M, {"M*M**B": 1}, {"1": 1}),
        ((1 - K / E) ** (2 * B), {"(1 - K/E)**B**2": 1}, {"1": 1}),
        (2 ** (B / 2) * 2**B, {"2**(B/2)**3": 1}, {"1": 1}),
    ],
)
def test_powers_with_symbolic_exponents_are_generators(expr, above, below):
    num, den = fraction(expr)
    assert (named(num), named(den)) == (above, below)


def test_other_atoms_are_generators():
    num, den = fraction(ceiling(M / 128) ** 2 / Max(M, N) + pi)
    assert num.gens == (Max(M, N), ceiling(M / 128), pi)
    assert len(num.terms) == 2
    assert len(den.terms) == 1


def test_a_monomial_denominator_expands_nothing():
    factors = [symbol(f"x{i}") for i in range(60)]
    num, den = fraction(Mul(*[1 / f for f in factors]) + Mul(*factors))
    assert len(num.terms) == 2
    assert len(den.terms) == 1


@pytest.mark.parametrize("expr", [oo, M + oo, Float("0.1") * M, 1 / (M - M + Pow(0, 1))])
def test_what_is_no_finite_exact_number_is_refused(expr):
    with pytest.raises(InputError):
        fraction(expr)


def test_division_by_a_sum_that_is_zero_is_refused():
    zero = (M + 1) * (M - 1) - M**2 + 1
    with pytest.raises(InputError, match="division by zero"):
        fraction(1 / zero)


@pytest.mark.parametrize(
    "expr",
    [
        (M + N) ** 10**6,
        (M + N + K) ** 600,
        M ** (10**7),
        1 / (M + N) ** 900,
        sum((M + symbol(f"x{i}")) ** 400 for i in range(60)),
        Mul(*[M + symbol(f"x{i}") for i in range(40)]),
    ],
)
def test_powers_too_large_to_write_out_are_refused(expr):
    with pytest.raises(InputError, match="too large"):
        fraction(expr)


def test_equality_ignores_unused_generators():
    assert Polynomial((M,), {(1,): 2}) == Polynomial((M, N), {(1, 0): 2})
    assert hash(Polynomial((M,), {(1,): 2})) == hash(Polynomial((M, N), {(1, 0): 2}))
    assert Polynomial((M,), {(1,): 2}) != Polynomial((N,), {(1,): 2})
    assert Polynomial.constant(0) == Polynomial((M,), {})
    assert Polynomial.constant(1) != 1


def test_arithmetic_over_different_generators():
    m, n = Polynomial.generator(M), Polynomial.generator(N)
    assert named((m + n) * (m - n)) == {"M**2": 1, "N**2": -1}
    assert named((m + n) ** 3) == {"M**3": 1, "M**2*N": 3, "M*N**2": 3, "N**3": 1}
    assert named(3 * m - m * 2) == {"M": 1}
    assert (m - m).is_zero
    assert named((2 * m) ** 3) == {"M**3": 8}
    assert named((m + n) ** 0) == {"1": 1}


def test_a_negative_power_is_refused():
    with pytest.raises(InputError, match="no power"):
        Polynomial.generator(M) ** -1


def test_coefficients_degree_and_opaque():
    p, _ = fraction(3 * M**2 * N + M * K - 5 + ceiling(M / 128))
    parts = p.coefficients(M)
    assert {power: named(q) for power, q in parts.items()} == {
        0: {"1": -5, "ceiling(M/128)": 1},
        1: {"K": 1},
        2: {"N": 3},
    }
    assert p.degree(M) == 2
    assert p.degree(B) == 0
    assert p.coefficients(B) == {0: p}
    assert p.opaque(M) == (ceiling(M / 128),)
    assert p.opaque(N) == ()


def test_primitive_takes_content_and_monomial_out():
    content, common, rest = fraction(-6 * M**2 * N + 4 * M * N**2)[0].primitive()
    assert (content, named(common), named(rest)) == (2, {"M*N": 1}, {"M": -3, "N": 2})
    content, common, rest = Polynomial.constant(0).primitive()
    assert content == 0
    assert rest.is_zero


def test_quotient_is_exact_or_none():
    m, n, one = Polynomial.generator(M), Polynomial.generator(N), Polynomial.constant(1)
    p = (m + n) * (2 * m - 3 * n + one)
    assert p.quotient(m + n) == 2 * m - 3 * n + one
    assert p.quotient(m - n) is None
    assert (2 * m).quotient(Polynomial.constant(4)) is None
    assert p.quotient(Polynomial.constant(0)) is None
    assert Polynomial.constant(0).quotient(m) == Polynomial.constant(0)


def test_replaced_puts_integers():
    p, _ = fraction(M**2 * N - 2 * N - 3)
    assert named(p.replaced({M: 2})) == {"N": 2, "1": -3}
    assert p.replaced({M: 2, N: 5}) == Polynomial.constant(7)


def test_expr_gives_the_sum_back():
    expr = 3 * M**2 * N - ceiling(N / 2) + 7
    assert fraction(expr)[0].expr() == expr


def test_a_symbol_and_its_root_meet():
    m, root, cube = (Polynomial.generator(g) for g in (M, sqrt(M), M ** Rational(1, 3)))
    assert root * root == m
    assert hash(root * root) == hash(m)
    assert (m - root**2).is_zero
    assert (root * cube) ** 6 == m**5
    assert (m + root).quotient(root) == root + Polynomial.constant(1)
