"""The smaller of two sizes: proved, or a Min."""

from __future__ import annotations

from sympy import Integer, Max, Min, Rational

from symroof.symbolic import symbols
from symroof.symbolic.bounds import at_most, greatest, least

A, B, N = symbols("A B N")


def test_numbers_and_proofs_leave_no_choice() -> None:
    assert least(Integer(3), Integer(5)) == 3
    assert greatest(Integer(3), Integer(5)) == 5
    assert least(A + B, A) == A
    assert least(A, A * B) == A
    assert greatest(Integer(1), A) == A
    assert least(A, A) == A


def test_open_signs_stay_a_choice() -> None:
    assert least(A, B) == Min(A, B)
    assert greatest(A, Integer(2)) == Max(2, A)
    assert not at_most(A, B)
    assert not at_most(2 * A, A * B)
    assert not at_most(Integer(2), A)


def test_counts_are_at_least_one() -> None:
    assert at_most(Rational(1, 2), A)
    assert at_most(Integer(0), N - 1)
    assert not at_most(Integer(1), N - 1)
