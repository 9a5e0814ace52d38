from __future__ import annotations

from fractions import Fraction

import pytest

from symroof.symbolic import adopt
from symroof.units import compare


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [
        ("M*(N + 1)", "M*N + M", True),
        ("(M**2 - N**2)/(M - N)", "M + N", True),
        ("1/(1/M + 1/N)", "M*N/(M + N)", True),
        ("ceil(M/128)*(N + 1)", "ceil(M/128)*N + ceil(M/128)", True),
        ("ceil(M/128)", "M/128", False),
        ("sqrt(2)*sqrt(3)", "sqrt(6)", True),
        ("(1 + sqrt(2))**2", "3 + 2*sqrt(2)", True),
        ("sqrt(2)", "1.4142135623730951", False),
        ("max(2*M, 4)", "2*max(M, 2)", True),
        ("max(5/10**6, M/10**6) + 1", "max(5, M)/10**6 + 1", True),
        ("min(6*M + 3, 9)*N", "3*N*min(2*M + 1, 3)", True),
        ("max(2*M, 4)", "2*max(M, 3)", False),
        ("∞", "∞", True),
        ("∞", "1", False),
        ("∞", "M", False),
    ],
)
def test_same(a, b, equal):
    assert compare.same(adopt(a), adopt(b)) is equal
    assert compare.same(adopt(b), adopt(a)) is equal


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("6", 6),
        ("1/3", Fraction(1, 3)),
        ("(2*M + 2*N)/(M + N)", 2),
        ("M*(N + 1) - M*N - M", 0),
        ("max(2*M, 4)/max(M, 2)", 2),
        ("M", None),
        ("M/(M + 1)", None),
        ("∞", None),
    ],
)
def test_constant(text, number):
    assert compare.constant(adopt(text)) == number


@pytest.mark.parametrize(
    ("a", "b", "positive", "nonnegative"),
    [
        ("2", "1", True, True),
        ("1", "1", False, True),
        ("1", "2", False, False),
        ("sqrt(2)", "1.41421356237309504880168872420969807856967187537694", True, True),
        ("sqrt(2)", "1.41421356237309504880168872420969807856967187537695", False, False),
        ("M + 1", "M", True, True),
        ("M", "N", None, None),
        ("M", "1", None, True),  # a count: 1 or more
        ("M", "1/2", True, True),
        ("∞", "M", True, True),
        ("M", "∞", False, False),
    ],
)
def test_order(a, b, positive, nonnegative):
    counts = frozenset({"M", "N"})
    left, right = adopt(a), adopt(b)
    assert compare.is_positive(left, right, counts) is positive
    assert compare.is_nonnegative(left, right, counts) is nonnegative
    assert compare.is_negative(right, left, counts) is positive
    assert compare.is_nonpositive(right, left, counts) is nonnegative
