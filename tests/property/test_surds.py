"""Sets of inequalities whose coefficients are roots of numbers."""

from __future__ import annotations

import mpmath
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Add, Expr, Rational, S, Symbol, sqrt

from symroof.solve.exact import exact_region
from symroof.symbolic.reals import number_enclosure

u = Symbol("u", positive=True)
POINTS = [Rational(n, 7) for n in (1, 3, 7, 9, 14, 22, 40, 77, 300, 2100)]

coefficients = st.builds(
    lambda above, below, root: Rational(above, below) * sqrt(root),
    st.integers(-6, 6),
    st.integers(1, 3),
    st.sampled_from([1, 1, 2, 3]),
)
sums = st.builds(
    lambda parts: Add(*(c * u ** Rational(p, 2) for p, c in enumerate(parts))),
    st.lists(coefficients, min_size=1, max_size=4),
)


def value(expr: Expr, place: object) -> mpmath.mpf:
    return mpmath.mpf(str(expr.xreplace({u: place}).evalf(40))) if expr.has(u) else value_of(expr)


def value_of(expr: Expr) -> mpmath.mpf:
    return mpmath.mpf(str(expr.evalf(40)))


@settings(deadline=None, max_examples=60)
@given(sums, sums)
def test_points_and_ends(left: Expr, right: Expr) -> None:
    found = exact_region(S(left), [S(right)], u)
    if found.real is None:
        return
    difference = S(left) - S(right)
    for place in POINTS:
        at = value(difference, place)
        if abs(at) > 1e-12:
            assert found.real.contains(place) == (at > 0)
    for interval in found.real.intervals:
        for end in (interval.lower, interval.upper):
            if end is None:
                continue
            low, high = number_enclosure(end, 128)
            middle = Rational((low + high).numerator, 2 * (low + high).denominator)
            assert abs(value(difference, middle)) < 1e-12
