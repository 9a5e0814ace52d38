"""Random sums of powers and maxima of them: every minimum against trying all numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from math import exp, inf, log

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf
from sympy import Expr, Integer, Max, Rational, ceiling

from symroof.solve import Minimum, Place, minimise
from symroof.symbolic import symbols

X = symbols("x")
NAMES = ("a", "b", "n", "k")
OTHERS = dict(zip(NAMES, symbols("a b n k"), strict=True))
COUNTS = frozenset({"n", "k", "x"})
LAST = 200
DIGITS = 60

Values = dict[str, Fraction]
# A formula twice: for the solver, and as a function that knows nothing of it.
Formula = tuple[Expr, Callable[[int], Fraction]]


def term(powers: st.SearchStrategy[int]) -> st.SearchStrategy[Formula]:
    number = st.fractions(Fraction(1, 50), 3000, max_denominator=50)
    return st.builds(_term, number, powers)


def _term(number: Fraction, power: int) -> Formula:
    expr = Rational(number.numerator, number.denominator) * X**power
    return expr, lambda n: number * Fraction(n) ** power


def _sum(parts: list[Formula]) -> Formula:
    expr = sum((part[0] for part in parts), Integer(0))
    return expr, lambda n: sum((part[1](n) for part in parts), Fraction(0))


def _max(parts: list[Formula]) -> Formula:
    expr = Max(*(part[0] for part in parts), evaluate=False)
    return expr, lambda n: max(part[1](n) for part in parts)


def sums(least: int, most: int) -> st.SearchStrategy[Formula]:
    return st.builds(_sum, st.lists(term(st.integers(-3, 3)), min_size=least, max_size=most))


MAXIMA = st.builds(_max, st.lists(sums(1, 2), min_size=2, max_size=4))
SUMS_OF_MAXIMA = st.builds(
    _sum, st.lists(st.builds(_max, st.lists(sums(1, 1), min_size=2, max_size=3)), max_size=2)
)
FORMULAS = st.one_of(sums(1, 4), MAXIMA, SUMS_OF_MAXIMA).filter(lambda formula: formula[0].has(X))


def tried(function: Callable[[int], Fraction], numbers: Iterable[int]) -> tuple[set[int], Fraction]:
    values = {n: function(n) for n in numbers}
    least = min(values.values())
    return {n for n, value in values.items() if value == least}, least


def members(answer: Minimum, last: int) -> set[int]:
    whole = answer.whole
    assert whole is not None
    return {n for n in range(1, last + 1) if whole.contains(n)}


@given(formula=FORMULAS)
def test_whole_numbers(formula: Formula) -> None:
    expr, function = formula
    answer = minimise(expr, "x", high=LAST)
    best, least = tried(function, range(1, LAST + 1))
    assert members(answer, LAST + 1) == best
    assert answer.whole_value == Rational(least.numerator, least.denominator)
    assert answer.verify(20)[1] == 0


@given(formula=FORMULAS, divided=st.sampled_from([64, 96, 360]))
def test_divisors(formula: Formula, divided: int) -> None:
    expr, function = formula
    answer = minimise(expr, "x", divides=divided)
    best, least = tried(function, (n for n in range(1, divided + 1) if divided % n == 0))
    assert members(answer, divided + 1) == best
    assert answer.whole_value == Rational(least.numerator, least.denominator)


@given(formula=FORMULAS)
def test_the_real_minimum_is_below_a_fine_grid_and_taken(formula: Formula) -> None:
    expr, function = formula
    answer = minimise(expr, "x", low=0)
    floor = answer.value_float
    assert floor is not None
    assert answer.real is not None
    grid = [Fraction(round(2**20 * 1.05**step), 2**20) for step in range(-180, 300)]
    lowest = min(function(point) for point in grid)  # type: ignore[arg-type]
    assert floor <= float(lowest) * (1 + 1e-12)
    if not answer.real.is_empty and answer.point_float:
        at = Fraction(answer.point_float)
        assert float(function(at)) == pytest.approx(floor, rel=1e-9)  # type: ignore[arg-type]


@given(formula=sums(2, 3).filter(lambda formula: formula[0].has(X)))
def test_a_shifted_power_sum_with_roots(formula: Formula) -> None:
    expr = formula[0].xreplace({X: X ** Rational(1, 2)})
    answer = minimise(expr, "x", high=60)
    mp.dps = DIGITS

    def value(n: int) -> mpf:
        root = mp.sqrt(n)
        parts = formula[0].as_coefficients_dict()
        total = mpf(0)
        for part, number in parts.items():
            power = 0 if part == 1 else part.as_base_exp()[1]
            total += mpf(int(number.p)) / int(number.q) * root ** int(power)
        return total

    values = {n: value(n) for n in range(1, 61)}
    least = min(values.values())
    best = {n for n, v in values.items() if v - least < mpf(10) ** (10 - DIGITS) * least}
    assert members(answer, 61) == best


@given(
    total=st.integers(1, 400),
    tile=st.integers(1, 16),
    weight=st.integers(1, 20),
)
def test_rounding_up_is_tried(total: int, tile: int, weight: int) -> None:
    expr = weight * ceiling(total / X) + ceiling(X / tile)
    best, least = tried(
        lambda n: Fraction(weight * -(-total // n) - (-n // tile)), range(1, 7 * total + 2)
    )
    answer = minimise(expr, "x")
    assert members(answer, 7 * total + 1) == best
    assert answer.whole_value == int(least)


def coefficient() -> st.SearchStrategy[Expr]:
    name = st.tuples(st.sampled_from(NAMES), st.sampled_from([-1, 1, 1, 2]))
    return st.builds(_coefficient, st.integers(1, 6), st.lists(name, max_size=2))


def _coefficient(number: int, factors: list[tuple[str, int]]) -> Expr:
    result = Integer(number)
    for name, power in factors:
        result = result * OTHERS[name] ** power
    return result


def symbolic(powers: list[int], most: int) -> st.SearchStrategy[Expr]:
    one = st.builds(lambda c, p: c * X**p, coefficient(), st.sampled_from(powers))
    return st.builds(lambda parts: sum(parts, Integer(0)), st.lists(one, min_size=1, max_size=most))


SYMBOLIC = st.one_of(
    symbolic([-2, -1, 0, 1], 3),
    st.builds(
        lambda parts: Max(*parts, evaluate=False),
        st.lists(symbolic([-1, 0, 1], 1), min_size=2, max_size=3, unique=True),
    ),
    st.builds(
        lambda level, rest: Max(level, rest, evaluate=False), coefficient(), symbolic([-1, 1], 2)
    ),
).filter(lambda expr: expr.has(X) and len(expr.args) > 1)


@given(
    expr=SYMBOLIC,
    ends=st.sampled_from([(0, None), (1, None), (1, "k")]),
    values=st.fixed_dictionaries(
        {
            "a": st.fractions(Fraction(1, 20), 20, max_denominator=20),
            "b": st.fractions(Fraction(1, 20), 20, max_denominator=20),
            "n": st.integers(1, 30).map(Fraction),
            "k": st.integers(1, 30).map(Fraction),
        }
    ),
)
def test_symbolic_cases(expr: Expr, ends: tuple[int, str | None], values: Values) -> None:
    low, high = ends
    answer = minimise(expr, "x", low=low, high=high, counts=COUNTS)
    numbers = {name: Rational(v.numerator, v.denominator) for name, v in values.items()}
    if answer.kind is Place.UNSOLVED:
        assert answer.note
        return
    holding = [case for case in answer.cases if case.condition.holds(numbers)]
    assert len(holding) == 1
    (case,) = holding
    if case.place is Place.NEVER:
        return
    # Floats of the formula itself, over a fine grid between the ends.
    floats = {OTHERS[name]: float(v) for name, v in values.items()}
    bottom, top = low or 1e-6, inf if high is None else float(values["k"])
    point, value = (float(_at(side, floats)) for side in (case.point, case.value))
    if case.point == 0:  # Level down to 0.
        point = bottom
    assert bottom * (1 - 1e-9) <= point <= top * (1 + 1e-9)
    if case.point != 0:
        assert _value(expr, floats, point) == pytest.approx(value, rel=1e-9)
    reach = min(top, 1e6)
    for step in range(60):
        place = exp(log(bottom) + (log(reach) - log(bottom)) * step / 59)
        assert _value(expr, floats, place) >= value * (1 - 1e-9)


def _at(expr: Expr | None, floats: dict[Expr, float]) -> Expr:
    assert expr is not None
    return expr.evalf(subs=floats)


def _value(expr: Expr, floats: dict[Expr, float], place: float) -> float:
    if isinstance(expr, Max):
        return max(_value(arg, floats, place) for arg in expr.args)
    return float(_at(expr, {**floats, X: place}))
