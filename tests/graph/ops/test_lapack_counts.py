"""Counts against loops that do the arithmetic one operation at a time, and against LAWN 41."""

from __future__ import annotations

from fractions import Fraction

import pytest
from sympy import Integer

from symroof.graph.ops.lapack_counts import (
    geqrf_flops,
    getrf_flops,
    getri_flops,
    getrs_flops,
    potrf_flops,
    potri_flops,
    syrk_flops,
    triangular_flops,
)
from symroof.symbolic.symbols import symbols

SIZES = range(1, 9)


def count_getrf(m: int, n: int) -> int:
    """Right-looking LU: divide the column by the pivot, then a rank-1 update."""
    return sum((m - 1 - j) + 2 * (m - 1 - j) * (n - 1 - j) for j in range(min(m, n)))


def count_potrf(n: int) -> int:
    """Cholesky by columns: dot products, one root, one reciprocal-free division each."""
    flops = 0
    for j in range(n):
        flops += 2 * j + 1
        for _row in range(j + 1, n):
            flops += 2 * j + 1
    return flops


def test_potrf_equals_loops() -> None:
    assert [potrf_flops(Integer(n)) for n in SIZES] == [count_potrf(n) for n in SIZES]


def test_getrf_differs_from_loops_by_the_reciprocals_lawn_41_counts() -> None:
    """LAWN 41 counts one reciprocal per pivot; a wide matrix is counted as its transpose."""
    for m in SIZES:
        for n in SIZES:
            tall = count_getrf(max(m, n), min(m, n))
            assert getrf_flops(Integer(m), Integer(n)) == tall + min(m, n)


def fmuls_fadds_geqrf(m: int, n: int) -> Fraction:
    """Multiplications plus additions of geqrf as two polynomials each, the way LAWN 41 has them."""
    if m > n:
        muls = m * n * n - Fraction(n**3, 3) + m * n + Fraction(n * n, 2) + Fraction(23 * n, 6)
        adds = m * n * n - Fraction(n**3, 3) + Fraction(n * n, 2) + Fraction(5 * n, 6)
    else:
        muls = n * m * m - Fraction(m**3, 3) + 2 * n * m - Fraction(m * m, 2) + Fraction(23 * m, 6)
        adds = n * m * m - Fraction(m**3, 3) + n * m - Fraction(m * m, 2) + Fraction(5 * m, 6)
    return muls + adds


def test_geqrf_equals_the_published_pair_tall_and_wide() -> None:
    for m in SIZES:
        for n in SIZES:
            assert Fraction(int(3 * geqrf_flops(Integer(m), Integer(n))), 3) == fmuls_fadds_geqrf(
                m, n
            )


def test_getrs_equals_two_triangular_solves() -> None:
    for n in SIZES:
        unit_lower = sum(2 * i for i in range(n))
        upper = sum(2 * i + 1 for i in range(n))
        assert getrs_flops(Integer(n), Integer(3)) == 3 * (unit_lower + upper)


def test_syrk_counts_a_multiply_add_per_entry_of_a_triangle() -> None:
    for n in SIZES:
        assert syrk_flops(Integer(n), Integer(5)) == sum(
            2 * 5 for i in range(n) for _j in range(i + 1)
        )


def test_trmm_counts_each_column_by_loops() -> None:
    for m in SIZES:
        column = sum((i + 1) + i for i in range(m))
        assert triangular_flops(Integer(m), Integer(4)) == 4 * column


def test_symbolic_shapes_agree_with_numbers_on_both_sides_of_square() -> None:
    m, n = symbols("m n")
    for count in (getrf_flops, geqrf_flops):
        form = count(m, n)
        for rows in SIZES:
            for columns in SIZES:
                at = {m: Integer(rows), n: Integer(columns)}
                assert form.xreplace(at) == count(Integer(rows), Integer(columns))


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        (getri_flops, [2, 10, 32]),
        (potri_flops, [2, 9, 25]),
    ],
)
def test_inverses_are_whole_numbers(form, expected) -> None:  # type: ignore[no-untyped-def]
    """By hand: getri 4/3 - 1 + 5/3, 32/3 - 4 + 10/3, 36 - 9 + 5; potri likewise."""
    assert [form(Integer(n)) for n in (1, 2, 3)] == expected
