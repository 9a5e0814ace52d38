from __future__ import annotations

from symroof.solve.divisors import common_divisor, square_root
from symroof.symbolic import symbols
from symroof.symbolic.polynomial import Polynomial

M, N, K = map(Polynomial.generator, symbols("M N K"))
ONE = Polynomial.constant(1)


def test_a_shared_sum_is_found() -> None:
    shared = N + 2 * K
    assert common_divisor([shared * (M - N), shared * (M + 3 * K) * 4]) == shared


def test_a_shared_product_of_sums_is_found() -> None:
    shared = (N + K) * (M - 2 * ONE)
    found = common_divisor([shared * (M + N), shared * (N - K), shared * K])
    assert found in (shared, -shared)


def test_monomials_are_no_common_divisor() -> None:
    assert common_divisor([6 * M * N, 4 * M * (N + K)]) is None


def test_coprime_sums_have_none() -> None:
    assert common_divisor([M + N, M - N]) is None
    assert common_divisor([M * M + N, M * K + N, N + K]) is None


def test_equal_sums_up_to_sign_and_number_are_the_divisor() -> None:
    assert common_divisor([3 * (N - ONE), -5 * (N - ONE) * M]) == N - ONE


def test_zero_is_divisible_by_everything() -> None:
    assert common_divisor([Polynomial.constant(0), M + N]) == M + N
    assert common_divisor([Polynomial.constant(0)]) is None


def test_powers_are_found() -> None:
    assert common_divisor([(M + N) ** 3, (M + N) ** 2 * (M - N)]) == (M + N) ** 2


def test_square_roots() -> None:
    root = M * M - 3 * N * K + 2 * ONE
    assert square_root(root * root) in (root, -root)
    assert square_root(4 * N * N) == 2 * N
    assert square_root(Polynomial.constant(0)) == Polynomial.constant(0)
    assert square_root(root * root + N) is None
    assert square_root(-(root * root)) is None
    assert square_root(2 * N * N) is None
