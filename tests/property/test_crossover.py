"""Random problems of each kind: the symbolic answer against brute force at random numbers."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Expr, Integer, Max, Min, Mul, Pow, Rational, S, ceiling

from symroof.solve import Kind, Problem, solve
from symroof.symbolic import symbols

U = symbols("u")
NAMES = ("a", "b", "n", "k")
OTHERS = dict(zip(NAMES, symbols("a b n k"), strict=True))
COUNTS = frozenset({"n", "k", "u"})
LAST = 40

Values = dict[str, Fraction]
# A formula twice: for the solver, and as a function that knows nothing of it.
Formula = tuple[Expr, Callable[[Values], Fraction]]


def scale(powers: int = 2) -> st.SearchStrategy[Formula]:
    """A positive coefficient: an integer times powers of up to two other names."""
    name = st.tuples(st.sampled_from(NAMES), st.sampled_from([-1, 1, 1, powers]))
    return st.builds(_scale, st.integers(1, 6), st.lists(name, max_size=2))


def _scale(number: int, factors: list[tuple[str, int]]) -> Formula:
    expr = Mul(number, *[OTHERS[name] ** power for name, power in factors])

    def value(values: Values) -> Fraction:
        result = Fraction(number)
        for name, power in factors:
            result *= values[name] ** power
        return result

    return expr, value


def power_of(formula: Formula, power: int) -> Formula:
    expr, value = formula
    return expr * U**power, lambda values: value(values) * values["u"] ** power


def total(parts: list[tuple[int, Formula]]) -> Formula:
    expr = sum((sign * part[0] for sign, part in parts), S.Zero)
    return expr, lambda values: sum((s * p[1](values) for s, p in parts), Fraction(0))


def polynomial(degree: int, least: int = 0) -> st.SearchStrategy[Formula]:
    term = st.tuples(
        st.sampled_from([1, 1, 1, -1]),
        st.builds(power_of, scale(), st.integers(least, degree)),
    )
    return st.lists(term, min_size=1, max_size=3).map(total)


def largest(parts: list[Formula]) -> Formula:
    return Max(*[p[0] for p in parts]), lambda values: max(p[1](values) for p in parts)


def smallest(parts: list[Formula]) -> Formula:
    return Min(*[p[0] for p in parts]), lambda values: min(p[1](values) for p in parts)


def quotient(over: Formula, under: Formula) -> Formula:
    return over[0] / under[0], lambda values: over[1](values) / under[1](values)


def rounded(part: Formula, size: int) -> Formula:
    return ceiling(part[0] / size), lambda values: Fraction(ceil(part[1](values) / size))


positive = st.lists(st.tuples(st.just(1), scale()), min_size=1, max_size=2).map(total)
linear = polynomial(1)
two = st.lists(linear, min_size=2, max_size=2)
tile = st.builds(rounded, st.just((OTHERS["n"], lambda values: values["n"])), st.integers(2, 9))
KINDS: dict[str, st.SearchStrategy[tuple[Formula, list[Formula]]]] = {
    "linear": st.tuples(linear, linear.map(lambda f: [f])),
    "quadratic": st.tuples(polynomial(2), polynomial(2).map(lambda f: [f])),
    "powers": st.tuples(
        st.builds(lambda f: power_of(f, 3), scale()), polynomial(0).map(lambda f: [f])
    ),
    "quotient": st.tuples(
        st.builds(
            quotient, linear, st.builds(lambda f: total([(1, f), (1, power_of(f, 1))]), scale())
        ),
        polynomial(0).map(lambda f: [f]),
    ),
    "several": st.tuples(linear, st.lists(linear, min_size=2, max_size=3)),
    "largest": st.tuples(linear, two.map(lambda fs: [largest(fs)])),
    "smallest": st.tuples(linear, two.map(lambda fs: [smallest(fs)])),
    "budget": st.tuples(two.map(largest), linear.map(lambda f: [f])),
    "tiles": st.tuples(
        st.builds(
            lambda f, t: (f[0] * t[0], lambda values: f[1](values) * t[1](values)), linear, tile
        ),
        linear.map(lambda f: [f]),
    ),
}

rates = st.builds(Fraction, st.integers(1, 30), st.sampled_from([1, 2, 3, 5]))
bindings = st.fixed_dictionaries(
    {"a": rates, "b": rates, "n": st.integers(1, 9), "k": st.integers(1, 9)}
)


def truth(left: Formula, rights: list[Formula], values: Values) -> bool:
    return all(left[1](values) >= right[1](values) for right in rights)


@pytest.mark.parametrize("kind", KINDS)
def test_symbolic_answer_agrees_with_brute_force(kind: str) -> None:
    @given(KINDS[kind], bindings)
    def check(sides: tuple[Formula, list[Formula]], numbers: dict[str, Fraction]) -> None:
        left, rights = sides
        problem = Problem(left[0], tuple(r[0] for r in rights), U, COUNTS, integer=True)
        answer = solve(problem)
        exact = {name: Rational(Fraction(value)) for name, value in numbers.items()}
        values = {name: Fraction(value) for name, value in numbers.items()}
        wanted = [truth(left, rights, {**values, "u": Fraction(u)}) for u in range(1, LAST)]
        halves = [truth(left, rights, {**values, "u": Fraction(u, 2)}) for u in range(1, 2 * LAST)]

        holding = [case for case in answer.cases if case.condition.holds(exact)]
        assert answer.kind is Kind.UNSOLVED or len(holding) == 1
        for case in holding:
            region = case.region.at(exact)
            assert [region.contains(u) for u in range(1, LAST)] == wanted
            assert [region.contains(Rational(u, 2)) for u in range(1, 2 * LAST)] == halves

        bound = answer.at(**{n: v for n, v in exact.items() if n in answer.problem.names})
        assert not bound.free
        assert bound.integers is not None
        assert [bound.integers.contains(u) for u in range(1, LAST)] == wanted
        assert bound.real is not None
        assert [bound.real.contains(Rational(u, 2)) for u in range(1, 2 * LAST)] == halves
        assert bound.first == next((u for u, holds in enumerate(wanted, 1) if holds), bound.first)
        if bound.first is not None and bound.first < LAST:
            assert wanted[bound.first - 1]

    check()


@given(
    polynomial(2),
    st.lists(polynomial(1), min_size=1, max_size=2),
    st.lists(bindings, min_size=3, max_size=3),
)
def test_cases_exclude_each_other_and_leave_nothing_out(
    left: Formula, rights: list[Formula], points: list[dict[str, Fraction]]
) -> None:
    answer = solve(Problem(left[0], tuple(r[0] for r in rights), U, COUNTS))
    if answer.kind is Kind.UNSOLVED:
        return
    for numbers in points:
        exact = {name: Rational(Fraction(value)) for name, value in numbers.items()}
        assert sum(case.condition.holds(exact) for case in answer.cases) == 1


@given(linear, linear, bindings)
def test_binding_in_steps_is_binding_at_once(
    left: Formula, right: Formula, numbers: dict[str, Fraction]
) -> None:
    answer = solve(Problem(left[0], (right[0],), U, COUNTS, integer=True))
    exact = {n: Rational(Fraction(v)) for n, v in numbers.items() if n in answer.problem.names}
    once = answer.at(**exact)
    steps = answer
    for name, value in exact.items():
        steps = steps.at(**{name: value})
    assert steps.real == once.real
    assert steps.kind is once.kind
    assert steps.intervals == once.intervals


@given(st.sampled_from(list(KINDS)).flatmap(lambda kind: KINDS[kind]))
def test_verify_finds_no_mismatch(sides: tuple[Formula, list[Formula]]) -> None:
    left, rights = sides
    answer = solve(Problem(left[0], tuple(r[0] for r in rights), U, COUNTS, integer=True))
    _, mismatches = answer.verify(samples=3)
    assert mismatches == 0


def test_the_exponent_of_a_symbol_stays_a_symbol() -> None:
    answer = solve(Problem(U ** Integer(2), (Pow(OTHERS["n"], 4),), U, COUNTS))
    assert answer.threshold == OTHERS["n"] ** 2
