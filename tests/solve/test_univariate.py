"""Integer polynomials, on products whose factors are known."""

from __future__ import annotations

from fractions import Fraction

from symroof.solve.univariate import (
    derivative,
    greatest_common_divisor,
    multiply,
    primitive,
    quotient,
    shifted,
    sign_at,
    square_free,
    variations,
)

A, B, C = (-3, 1), (2, 5, 1), (7, 0, 0, 2)


def test_products_divide_back() -> None:
    assert quotient(multiply(multiply(A, B), C), multiply(A, C)) == B
    assert multiply((), A) == ()


def test_common_divisor_of_products() -> None:
    assert greatest_common_divisor(multiply(A, B), multiply(A, C)) == A
    assert greatest_common_divisor(B, C) == (1,)
    assert greatest_common_divisor((), B) == B


def test_repeated_factors_are_kept_once() -> None:
    cube = multiply(multiply(A, A), multiply(A, B))
    assert square_free(cube) == multiply(A, B)
    assert square_free(multiply(B, C)) == multiply(B, C)


def test_small_parts() -> None:
    assert primitive((6, -9, -3)) == (-2, 3, 1)
    assert derivative((5, 4, 3)) == (4, 6)
    assert variations((1, 0, -2, 3)) == 2
    # (x + 1)**2 + 1
    assert shifted((1, 0, 1)) == [2, 2, 1]
    assert [sign_at((-2, 0, 1), Fraction(n, 5)) for n in (7, 8)] == [-1, 1]
    assert sign_at((), Fraction(1)) == 0
