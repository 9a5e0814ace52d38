"""Sums by identical terms, and maxima that sympy does not compare."""

from __future__ import annotations

import pytest
from sympy import Add, Integer, Max, Rational, S, sqrt

from symroof.errors import InputError
from symroof.symbolic import max_of, symbols, total

L, M, N = symbols("L M N")


def test_nothing():
    assert total([]) == 0
    assert total([(M, 0)]) == 0


def test_identical_terms_are_counted():
    assert total([(M * N, 1), (M, 2), (M * N, 3)]) == 4 * M * N + 2 * M


def test_equal_terms_of_different_objects():
    terms = [(max_of(M, N), 1) for _ in range(5)]
    assert len({id(term) for term, _ in terms}) == 5
    assert total(terms) == 5 * max_of(M, N)


def test_many_terms():
    terms = [(2 * M * N, 1), (M + N, 2), (Integer(3), 1)] * 40_000
    assert total(terms) == 80_000 * M * N + 80_000 * M + 80_000 * N + 120_000


def test_temporaries():
    # Each term dies as soon as it was read unless the sum keeps it.
    assert total((M**n, 1) for n in range(1, 200)) == Add(*[M**n for n in range(1, 200)])
    assert len(total((M**n, 1) for n in range(1, 200)).args) == 199


def test_symbolic_counts():
    assert total([(M, L), (N, 2), (M, 1), (M, L - 1)]) == 2 * L * M + 2 * N
    assert total([(M, Rational(1, 2)), (M, Rational(1, 2))]) == M


def test_terms_cancel():
    assert total([(M, 3), (M, -3)]) == 0


def test_maxima_stay_whole():
    worst = max_of(M, 2 * N)
    assert total([(worst, 1), (worst, 2)]) == 3 * worst


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((3, 5), Integer(5)),
        ((3, 5.5), Rational(11, 2)),
        ((M,), M),
        ((M, M), M),
        ((M, S.Infinity), S.Infinity),
        ((M, S.NegativeInfinity), M),
        ((sqrt(2), Rational(7, 5)), sqrt(2)),
        ((sqrt(8), 2 * sqrt(2)), 2 * sqrt(2)),
        ((M, 2, 3), Max(M, 3, evaluate=False)),
        ((max_of(M, 2), max_of(N, 5)), Max(M, N, 5, evaluate=False)),
    ],
)
def test_max_of(values, expected):
    assert max_of(*values) == expected


def test_max_does_not_compare_symbols():
    # Sympy reduces Max(M, M + 1) to M + 1 after comparing; that is what must not be paid for.
    assert max_of(M, M + 1).args == (M, M + 1) or max_of(M, M + 1).args == (M + 1, M)


def test_max_of_nothing():
    with pytest.raises(InputError, match="at least one"):
        max_of()
