"""Roots of quadratics with named coefficients."""

from __future__ import annotations

from sympy import Integer, sqrt

from symroof.symbolic.polynomial import Polynomial
from symroof.symbolic.quadratics import as_quadratic, quadratic
from symroof.symbolic.symbols import symbols

N, K, balance, b = symbols("N K I b")
one, n, k, i = Polynomial.constant(1), *map(Polynomial.generator, (N, K, balance))


def test_common_integers_and_monomials_go():
    form = quadratic(6 * n * k, -4 * n * i * (k + n), -2 * n * k * i, 1, [balance])
    assert form.names[0][1].plain() == "3*K"
    assert form.names[1][1].plain() == "-2*I*(K + N)"
    assert form.names[2][1].plain() == "-I*K"


def test_the_smaller_root():
    assert quadratic(one, -3 * one, 2 * one, -1).unicode() == (
        "(−b − √(b² − 4·a·c)) / (2·a), where a = 1, b = −3, c = 2"
    )
    assert quadratic(one, -3 * one, 2 * one, -1).plain() == "(3 - sqrt(3**2 - 4*1*2))/(2*1)"


def test_a_negative_leading_coefficient_turns_all_signs_and_the_root():
    assert quadratic(-n, k, one, 1).unicode() == (
        "(−b − √(b² − 4·a·c)) / (2·a), where a = N, b = −K, c = −1"
    )


def test_a_leading_coefficient_of_unknown_sign_is_left_alone():
    form = quadratic(i - n, k, -one, 1, [balance])
    assert form.plain() == "(sqrt(K**2 + 4*(I - N)*1) - K)/(2*(I - N))"


def test_other_letters_where_a_symbol_has_the_name():
    form = quadratic(Polynomial.generator(b), one, -one, 1)
    assert [name for name, _ in form.names] == ["p", "q", "r"]


def test_an_expression_with_one_root_of_a_sum_is_recognised():
    x = (3 * N - sqrt(9 * N**2 - 8 * K)) / (4 * K)
    form = as_quadratic(x)
    assert form is not None
    # 2*K*x**2 - 3*N*x + 1 = 0 times 1: the smaller root
    assert form.unicode() == ("(−b − √(b² − 4·a·c)) / (2·a), where a = 2·K, b = −3·N, c = 1")


def test_a_root_of_a_fraction_is_recognised():
    form = as_quadratic(1 / N + sqrt(K / balance + 1 / N**2), [balance])
    assert form is not None
    # (x - 1/N)**2 = K/I + 1/N**2, times I*N: I*N*x**2 - 2*I*x - K*N = 0
    assert form.unicode() == ("(−b + √(b² − 4·a·c)) / (2·a), where a = I·N, b = −2·I, c = −K·N")


def test_other_expressions_are_not():
    assert as_quadratic(N + K) is None
    assert as_quadratic(sqrt(N + K)) is None
    assert as_quadratic(sqrt(N) + K) is None
    assert as_quadratic(N + sqrt(N + 1) + sqrt(N + 2)) is None
    assert as_quadratic(N + (N - K) * sqrt(N + 1)) is None
    assert as_quadratic(1 / (N + sqrt(N + 1))) is None
    assert as_quadratic(Integer(1) + sqrt(5)) is None
