"""A proven sign holds at every point, the corner where all counts are 1 included."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from hypothesis import assume, given
from hypothesis import strategies as st
from sympy import Add, Integer, Mul, Rational, ceiling

from symroof.errors import InputError
from symroof.symbolic.polynomial import fraction
from symroof.symbolic.signs import Sign, sign, sign_of, strip_positive

from .formulas import NAMES, SYMBOLS, formulas, points, value

COUNTS = frozenset(NAMES[:3])
FLOOR = [Fraction(1) if name in COUNTS else Fraction(1, 10**9) for name in NAMES]
CORNERS = [
    dict(zip(NAMES, values, strict=True))
    for values in product(*[(low, low + 1, Fraction(10**9)) for low in FLOOR])
]
HOLDS = {
    Sign.POSITIVE: lambda v: v > 0,
    Sign.NEGATIVE: lambda v: v < 0,
    Sign.ZERO: lambda v: v == 0,
    Sign.NONNEGATIVE: lambda v: v >= 0,
    Sign.NONPOSITIVE: lambda v: v <= 0,
    Sign.UNKNOWN: lambda v: True,
}


def in_domain(point):
    return {name: max(v, Fraction(1)) if name in COUNTS else v for name, v in point.items()}


def check(expr, proven, tried):
    for point in tried:
        try:
            found = value(expr, point)
        except ZeroDivisionError:
            continue
        assert HOLDS[proven](found), (expr, proven, point, found)


@given(formulas(), st.lists(points(), min_size=1, max_size=3))
def test_signs_of_formulas(expr, tried):
    try:
        proven = sign_of(expr, COUNTS)
    except InputError:
        assume(False)
    check(expr, proven, [*CORNERS[:: len(CORNERS) // 20], CORNERS[0], *map(in_domain, tried)])


SMALL = st.integers(-4, 4)
FACTORS = st.sampled_from([Integer(1), *SYMBOLS, *[ceiling(s / 2) for s in SYMBOLS[:3]]])
SUMS = st.lists(
    st.tuples(SMALL, FACTORS, FACTORS).map(lambda t: Mul(*t)), min_size=2, max_size=4
).map(lambda terms: Add(*terms))


@given(SUMS, SUMS, st.lists(points(), min_size=1, max_size=3))
def test_signs_of_products_of_sums(left, right, tried):
    proven = sign_of(left * right, COUNTS)
    check(left * right, proven, [*CORNERS[::7], CORNERS[0], *map(in_domain, tried)])


@given(SUMS, st.lists(points(), min_size=1, max_size=3))
def test_stripping_keeps_the_sign(expr, tried):
    p, _ = fraction(expr)
    stripped = strip_positive(p, COUNTS).expr()
    for point in [CORNERS[0], CORNERS[-1], *map(in_domain, tried)]:
        before, after = value(expr, point), value(stripped, point)
        assert (before > 0, before < 0) == (after > 0, after < 0)


@given(st.integers(1, 6), st.integers(1, 6), st.integers(-12, 12), st.integers(1, 30))
def test_a_linear_form_in_one_count_is_decided(a, b, c, n):
    """a*N*M + b*N + c with N, M ≥ 1 is at least a + b + c, and takes that value."""
    N, M = SYMBOLS[1], SYMBOLS[0]
    least = a + b + c
    wanted = Sign.POSITIVE if least > 0 else Sign.NONNEGATIVE if least == 0 else Sign.UNKNOWN
    assert sign(fraction(a * N * M + b * N + c)[0], COUNTS) is wanted


@given(st.integers(1, 9), st.integers(1, 9), st.integers(1, 40))
def test_signs_with_an_exponential(p, extra, batch):
    """1 - (p/q)**B lies in [1 - p/q, 1) for B ≥ 1."""
    ratio = Rational(p, p + extra)
    K = SYMBOLS[2]
    expr = 1 - ratio**K
    assert sign_of(expr, COUNTS) is Sign.POSITIVE
    assert sign_of(expr - (1 - ratio), COUNTS) is Sign.NONNEGATIVE
    assert sign_of(expr - 1, COUNTS) is Sign.NEGATIVE
    gap = sign_of(expr - Rational(batch, 40), COUNTS)
    assert HOLDS[gap](1 - Fraction(p, p + extra) ** 1 - Fraction(batch, 40))
    assert HOLDS[gap](1 - Fraction(p, p + extra) ** 60 - Fraction(batch, 40))
