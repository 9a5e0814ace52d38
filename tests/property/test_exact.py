"""Exact regions against brute force: every whole number to 2000 and samples beyond, one by one."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Add, Expr, Max, Min, Mul, Pow, Rational, Symbol, ceiling, floor, sqrt

from symroof.solve.exact import exact_region
from symroof.symbolic.functions import log2
from symroof.symbolic.reals import number_enclosure

u = Symbol("u", positive=True)

LAST = 2000
BEYOND = (2001, 2048, 4095, 4096, 5040, 9973, 65536, 10**6, 10**6 + 3)
DIGITS = 110
EPSILON = 2.0**-50


# --- an independent reading of a formula at one number --------------------------------------


class Undefined(Exception):
    pass


Number = Fraction | mpmath.mpf
Reading = Callable[[Fraction], Number]


def reading(expr: Expr) -> Reading:
    """Return a function that computes `expr` at a fraction: exactly, or to 110 digits and more."""
    if expr == u:
        return lambda n: n
    if expr.is_Rational:
        value = Fraction(expr.p, expr.q)
        return lambda n: value
    parts = [reading(arg) for arg in expr.args]
    if isinstance(expr, Add):
        return lambda n: sum_of([part(n) for part in parts])
    if isinstance(expr, Mul):
        return lambda n: product_of([part(n) for part in parts])
    if isinstance(expr, Pow):
        return lambda n: power(parts[0](n), parts[1](n))
    if isinstance(expr, ceiling):
        return lambda n: Fraction(-whole_part(-parts[0](n)))
    if isinstance(expr, floor):
        return lambda n: Fraction(whole_part(parts[0](n)))
    if isinstance(expr, Max | Min):
        best = max if isinstance(expr, Max) else min
        return lambda n: best(alike([part(n) for part in parts]))
    assert isinstance(expr, log2)
    return lambda n: logarithm(parts[0](n))


def decimal(value: Number) -> mpmath.mpf:
    if isinstance(value, Fraction):
        return mpmath.mpf(value.numerator) / value.denominator
    return value


def alike(values: list[Number]) -> list[Number]:
    if all(isinstance(value, Fraction) for value in values):
        return values
    return [decimal(value) for value in values]


def sum_of(values: list[Number]) -> Number:
    return (
        sum(alike(values), Fraction(0))
        if isinstance(alike(values)[0], Fraction)
        else (mpmath.fsum(alike(values)))
    )


def product_of(values: list[Number]) -> Number:
    result: Number = Fraction(1)
    for value in values:
        result, value = alike([result, value])
        result = result * value
    return result


def power(base: Number, exponent: Number) -> Number:
    assert isinstance(exponent, Fraction)
    if base == 0 and exponent < 0:
        raise Undefined
    if exponent.denominator == 1:
        if isinstance(base, Fraction) and abs(exponent) > 5000:
            return mpmath.power(decimal(base), int(exponent))
        return base ** int(exponent)
    if base < 0:
        raise Undefined
    if isinstance(base, Fraction):
        above = sympy_root(base.numerator, exponent.denominator)
        below = sympy_root(base.denominator, exponent.denominator)
        if above is not None and below is not None:
            return Fraction(above, below) ** exponent.numerator
    return mpmath.power(decimal(base), decimal(exponent))


def sympy_root(value: int, index: int) -> int | None:
    near = int(mpmath.nint(mpmath.root(value, index)))
    return near if near**index == value else None


def logarithm(value: Number) -> Number:
    if value <= 0:
        raise Undefined
    if isinstance(value, Fraction):
        a, b = value.numerator, value.denominator
        if a & (a - 1) == 0 and b & (b - 1) == 0:
            return Fraction(a.bit_length() - b.bit_length())
    return mpmath.log(decimal(value), 2)


def whole_part(value: Number) -> int:
    """Return the whole part; an irrational number as good as an integer is taken as it."""
    if isinstance(value, Fraction):
        return math.floor(value)
    near = mpmath.nint(value)
    return int(near if abs(value - near) < tie() else mpmath.floor(value))


def tie() -> mpmath.mpf:
    """Return a difference too small for the digits in use."""
    return mpmath.mpf(10) ** (30 - mpmath.mp.dps)


def holds(sides: list[Reading], number: Fraction) -> bool:
    try:
        # Twice the digits of the number tell it from its neighbours.
        size = len(str(number.numerator)) + len(str(number.denominator))
        with mpmath.workdps(DIGITS + 2 * size):
            left, *rights = [side(number) for side in sides]
            for right in rights:
                a, b = alike([left, right])
                exact = isinstance(a, Fraction)
                if a < b and (exact or b - a > tie() * max(1, abs(a))):
                    return False
    except Undefined:
        return False
    return True


# --- all whole numbers at once, where floats leave no doubt ---------------------------------


class Floats(NamedTuple):
    """Values at many numbers, bounds of their errors, and where they are not to be trusted."""

    value: np.ndarray
    error: np.ndarray
    doubt: np.ndarray


def floats(expr: Expr, numbers: np.ndarray) -> Floats:
    """Return `expr` at all numbers in floats."""
    sure = np.zeros(len(numbers), dtype=bool)
    if expr == u:
        return Floats(numbers, 0 * numbers, sure)
    if expr.is_Rational:
        value = np.full(len(numbers), float(expr))
        return Floats(value, abs(value) * EPSILON, sure)
    parts = [floats(arg, numbers) for arg in expr.args]
    doubt = np.logical_or.reduce([part.doubt for part in parts])
    if isinstance(expr, Add):
        value = sum(part.value for part in parts)
        error = sum(part.error + abs(part.value) * EPSILON for part in parts)
    elif isinstance(expr, Mul):
        value, error = parts[0].value, parts[0].error
        for part in parts[1:]:
            error = error * (abs(part.value) + part.error) + abs(value) * part.error
            value = value * part.value
            error = error + abs(value) * EPSILON
    elif isinstance(expr, Pow):
        base, exponent = parts
        value = base.value**exponent.value
        near = base.error / abs(base.value)
        doubt = doubt | ~(base.value != 0) | (near > 1e-3) | (exponent.error > 1e-3)
        doubt = doubt | ((base.value < 0) & (expr.exp.is_integer is not True))
        error = abs(value) * 4 * (abs(exponent.value) * (near + EPSILON) + EPSILON)
        error = error + abs(value * np.log(abs(base.value))) * exponent.error * 4
    elif isinstance(expr, ceiling | floor):
        (inner,) = parts
        value = np.ceil(inner.value) if isinstance(expr, ceiling) else np.floor(inner.value)
        error = 0 * value
        doubt = doubt | (abs(inner.value - np.round(inner.value)) <= 4 * inner.error + 1e-12)
    elif isinstance(expr, Max | Min):
        best = np.maximum if isinstance(expr, Max) else np.minimum
        value = best.reduce([part.value for part in parts])
        error = np.maximum.reduce([part.error for part in parts])
    else:
        (inner,) = parts
        value = np.log2(inner.value)
        doubt = doubt | ~(inner.value > 0)
        error = 4 * inner.error / abs(inner.value) + abs(value) * EPSILON * 4 + EPSILON
    return Floats(value, error, doubt | ~np.isfinite(value) | ~np.isfinite(error))


def truths(expressions: list[Expr], sides: list[Reading], last: int) -> dict[int, bool]:
    """Return for every whole number whether the comparison holds, exactly where floats doubt."""
    with np.errstate(all="ignore"):
        numbers = np.arange(1, last + 1, dtype=float)
        left, *rights = [floats(side, numbers) for side in expressions]
        true, doubt = np.ones(last, dtype=bool), left.doubt
        for right in rights:
            gap = left.value - right.value
            true &= gap >= 0
            doubt = doubt | right.doubt | ~(abs(gap) > 4 * (left.error + right.error))
    return {
        n: holds(sides, Fraction(n)) if doubt[n - 1] else bool(true[n - 1])
        for n in range(1, last + 1)
    }


# --- the comparison -------------------------------------------------------------------------


def check(left: Expr, rights: list[Expr], *, last: int = LAST) -> None:
    found = exact_region(left, rights, u)
    sides = [reading(side) for side in (left, *rights)]
    assert found.integers is not None, (left, rights, found.note)
    truth = truths([left, *rights], sides, last)
    check_integers(found.integers, truth, sides, last)
    if found.real is not None:
        for number in samples(found.real):
            inside = found.real.contains(Rational(number.numerator, number.denominator))
            assert inside == holds(sides, number), (left, rights, number, found.real.text("u"))


def check_integers(integers, truth, sides, last) -> None:  # type: ignore[no-untyped-def]
    listed = integers.intervals
    shown = last
    if not integers.is_complete and listed[-1][1] is not None:
        shown = min(last, listed[-1][1])
    members = {
        n for low, high in listed for n in range(low, min(last, last if high is None else high) + 1)
    }
    assert [n for n in range(1, shown + 1) if truth[n]] == [
        n for n in sorted(members) if n <= shown
    ]
    for n in (*range(shown + 1, min(shown + 50, last)), *BEYOND):
        expected = truth[n] if n in truth else holds(sides, Fraction(n))
        assert integers.contains(n) == expected, n
    first = next((n for n in range(1, last + 1) if truth[n]), None)
    assert integers.first == first or (first is None and integers.first > last)
    if first is None and integers.first is not None:
        assert holds(sides, Fraction(integers.first))
    if integers.permanent is not None:
        start = integers.permanent
        assert start == 1 or not holds(sides, Fraction(start - 1))
        for n in (start, start + 1, start + 7, 2 * start, 1000 * start):
            assert holds(sides, Fraction(n))
        assert all(truth[n] for n in range(start, last + 1))
    elif integers.total == math.inf:
        period = integers.period
        base = 10**6 * period
        pattern = [holds(sides, Fraction(base + n)) for n in range(min(2 * period, 400))]
        assert pattern[: max(len(pattern) - period, 0)] == pattern[period:]
        assert period > 400 or len(set(pattern)) == 2
    elif integers.is_complete:
        end = listed[-1][1] if listed else 0
        assert not holds(sides, Fraction(1000 * end + 10**9 + 7))
    if integers.total != math.inf:
        changes = sum(truth[n] and not truth.get(n - 1, False) for n in truth)
        assert changes <= integers.total


def samples(real) -> list[Fraction]:  # type: ignore[no-untyped-def]
    """Return numbers on both sides of each end, and the ends that are fractions."""
    found = [Fraction(1, 1000), Fraction(1, 3), Fraction(7, 2), Fraction(10**7)]
    for interval in real.intervals[:40]:
        for end in (interval.lower, interval.upper):
            if end is None:
                continue
            if end.is_Rational:
                place = Fraction(end.p, end.q)
                found.append(place)
            else:
                place = number_enclosure(end, 40)[0].limit_denominator(10**12)
            step = Fraction(1, 10**6) * place
            found += [place - step, place + step, place - 1000 * step, place + 1000 * step]
    return [number for number in found if number > 0]


# --- problems -------------------------------------------------------------------------------

small = st.integers(-9, 9)
count = st.integers(1, 12)


@st.composite
def rationals(draw: st.DrawFn, low: int = -30, high: int = 30) -> Expr:
    return Rational(draw(st.integers(low, high)), draw(st.sampled_from((1, 1, 2, 3, 5, 7, 10))))


@st.composite
def rates(draw: st.DrawFn) -> Expr:
    return Rational(draw(st.integers(1, 60)), draw(st.sampled_from((1, 2, 3, 7, 16, 67, 128))))


@st.composite
def polynomials(draw: st.DrawFn, degree: int) -> Expr:
    """Return a polynomial, often with small rational roots, some of them multiple."""
    if draw(st.booleans()):
        return Add(*(draw(rationals()) * u**i for i in range(degree + 1)))
    factors = [draw(count) * u - draw(st.integers(-20, 60)) for _ in range(degree)]
    if degree > 1 and draw(st.booleans()):
        factors[0] = factors[1]
    return draw(st.sampled_from((1, -1, Rational(1, 3)))) * Mul(*factors)


@st.composite
def fractions(draw: st.DrawFn) -> Expr:
    parts = [
        draw(polynomials(draw(st.integers(0, 2))))
        / draw(polynomials(draw(st.integers(1, 2))).filter(bool))
        for _ in range(draw(st.integers(1, 2)))
    ]
    return Add(*parts)


@st.composite
def steps(draw: st.DrawFn) -> Expr:
    """Return ceil or floor of something growing."""
    make = draw(st.sampled_from((ceiling, ceiling, floor)))
    kind = draw(st.integers(0, 9))
    if kind < 6:
        return make(
            u / draw(st.sampled_from((2, 3, 4, 5, 8, 12, 16, 32, 128)))
            + draw(st.sampled_from((0, 0, Rational(1, 2), Rational(1, 3))))
        )
    if kind < 8:
        inner = ceiling(u / draw(st.sampled_from((2, 4, 16))))
        return make(inner * draw(st.integers(1, 5)) / draw(st.sampled_from((3, 5, 12))))
    if kind == 8:
        return make(u**2 / draw(st.sampled_from((4, 10, 100))))
    return make(draw(st.integers(5, 900)) / u)


@st.composite
def leaves(draw: st.DrawFn) -> Expr:
    kind = draw(st.integers(0, 3))
    if kind == 0:
        return draw(rates())
    if kind == 1:
        return draw(rates()) * u
    if kind == 2:
        return draw(rates()) * u + draw(rationals())
    return draw(rates()) * 20 / u


@st.composite
def choices(draw: st.DrawFn, depth: int, leaf: st.SearchStrategy[Expr]) -> Expr:
    if depth == 0:
        return draw(leaf)
    make = draw(st.sampled_from((Max, Min, Add)))
    parts = [draw(choices(depth - 1, leaf)) for _ in range(draw(st.integers(2, 3)))]
    # Unevaluated: sympy's own simplification of a symbolic Max takes longer than all the rest.
    return Add(*parts) if make is Add else make(*parts, evaluate=False)


@given(polynomials(1), polynomials(1))
def test_linear(left: Expr, right: Expr) -> None:
    check(left, [right])


@given(polynomials(2), st.lists(polynomials(2), min_size=1, max_size=2))
def test_quadratic(left: Expr, rights: list[Expr]) -> None:
    check(left, rights)


@given(st.integers(3, 6).flatmap(polynomials), polynomials(2))
def test_higher_degree(left: Expr, right: Expr) -> None:
    check(left, [right])


@given(fractions(), st.one_of(fractions(), rationals()))
def test_rational_with_poles(left: Expr, right: Expr) -> None:
    check(left, [right])


@given(rates(), steps(), rates(), rationals())
def test_one_step(scale: Expr, step: Expr, slope: Expr, constant: Expr) -> None:
    check(scale * step, [slope * u / 5 + constant])


@given(rates(), steps(), steps(), rates(), steps(), rationals())
def test_several_steps(
    a: Expr, first: Expr, second: Expr, b: Expr, third: Expr, constant: Expr
) -> None:
    check(a * first * second, [b * u * third / 3 + constant * u])


@given(choices(2, leaves()), choices(2, leaves()))
def test_nested_choices(left: Expr, right: Expr) -> None:
    check(left, [right])


@given(choices(1, st.one_of(leaves(), steps())), choices(1, st.one_of(leaves(), steps())))
def test_choices_of_steps(left: Expr, right: Expr) -> None:
    check(left, [right])


@given(st.integers(2, 64), st.integers(1, 8), rates(), rates(), rationals(), st.integers(0, 1))
def test_experts(experts: int, used: int, a: Expr, b: Expr, constant: Expr, degree: int) -> None:
    share = Rational(min(used, experts - 1), experts)
    check(a * u, [b * experts * (1 - (1 - share) ** u) * u**degree + constant])


@given(
    st.lists(
        st.tuples(
            rationals(),
            st.sampled_from((1, 2, 3, Rational(1, 2), Rational(7, 8), Rational(6, 5))),
            st.integers(0, 2),
        ),
        min_size=1,
        max_size=3,
    ),
    polynomials(1),
)
def test_exponentials(terms: list[tuple[Expr, Expr, int]], right: Expr) -> None:
    check(Add(*(c * Pow(base, u) * u**k for c, base, k in terms)), [right])


@given(rates(), rationals(), rationals(), polynomials(1), st.integers(0, 2))
def test_logarithms(a: Expr, b: Expr, c: Expr, right: Expr, degree: int) -> None:
    check(a * u**degree * log2(u) + b * log2(u) ** 2, [right + c * log2(u)])


@given(rates(), rationals(), polynomials(1), st.integers(1, 3))
def test_roots(a: Expr, b: Expr, right: Expr, kind: int) -> None:
    root = {1: sqrt(u), 2: sqrt(u**2 + b**2 + 1), 3: u ** Rational(2, 3)}[kind]
    check(a * root + b, [right])


@given(steps(), rates(), rates(), rationals())
def test_steps_with_exponentials(step: Expr, a: Expr, b: Expr, constant: Expr) -> None:
    check(a * step, [b * 8 * (1 - Rational(7, 8) ** u) + u / 9 + constant])


@given(st.integers(1, 40), st.integers(1, 40), polynomials(1), rationals(), rationals())
def test_shared_zeros_and_poles(a: int, b: int, factor: Expr, c: Expr, d: Expr) -> None:
    check((u - a) * (u - b) * factor, [c * (u - a) ** 2, d * (u - b)])
    check(((u - a) * (u - b)).expand() / (u - a) + c / (u - b) ** 2, [factor])


@given(st.integers(1, 40), st.integers(1, 40), rates(), rates(), rationals())
def test_distances(a: int, b: int, c: Expr, d: Expr, e: Expr) -> None:
    near, far = (Max(u - x, x - u, evaluate=False) for x in (a, b))
    check(c * near + e, [d * Min(far, 3 * u, evaluate=False)])
    check(c * sqrt(((u - a) ** 2).expand()), [d * (u - b) + e])


@given(rates(), st.sampled_from((8, 16, 64)), st.integers(1, 9), rates(), rationals())
def test_waves(a: Expr, tile: int, columns: int, b: Expr, constant: Expr) -> None:
    waves = ceiling(ceiling(u / tile) * columns / Rational(12))
    check(a * waves, [b * u / 10 * ceiling(u / 7) + constant])
    check(a * u * waves, [b * u / 10 + constant])


@given(rationals(), steps(), st.integers(0, 9), rates(), rationals())
def test_reciprocals_of_steps(a: Expr, step: Expr, shift: int, b: Expr, constant: Expr) -> None:
    check(a * u / (step - shift), [b * u / 9 + constant])


@pytest.mark.parametrize("m", range(1, 40))
def test_integer_thresholds_belong(m: int) -> None:
    found = exact_region(u / m, [Rational(1)], u)
    assert found.integers is not None
    assert found.integers.first == found.integers.permanent == m
