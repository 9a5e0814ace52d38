"""Check an answer by substitution: points around every end, evaluated as the sides were given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from sympy import Expr, Rational

from symroof.errors import InputError
from symroof.solve.direct import Sides
from symroof.solve.kinds import Kind
from symroof.symbolic.reals import number_enclosure

if TYPE_CHECKING:
    from symroof.solve.crossover import Crossover

SEED = 20230917
NEAR = Fraction(1, 10**6)
BITS = 128
CORNER = 0.125


class Mark(NamedTuple):
    """A numeric end: exact, with rational numbers just around it (itself when rational)."""

    value: Expr
    low: Fraction
    high: Fraction

    @property
    def is_irrational(self) -> bool:
        """Whether the end is irrational: it is put in itself, in closed form or between bounds."""
        return self.low != self.high


def verify(answer: Crossover, samples: int = 200) -> tuple[int, int]:
    """Return how many points were substituted, and how many contradict the answer.

    Parameters
    ----------
    answer : Crossover
        Any answer; an unsolved one has nothing to check.
    samples : int
        Random bindings of the free names, each tried at its ends, on both sides of them and in
        between; random points, where everything is bound.
    """
    draw = Random(SEED)  # noqa: S311
    if answer.kind is Kind.UNSOLVED:
        return 0, 0
    checks = _bound(answer, samples, draw) if not answer.free else _free(answer, samples, draw)
    points = mismatches = 0
    for right in checks:
        points += 1
        mismatches += not right
    return points, mismatches


def _bound(answer: Crossover, samples: int, draw: Random) -> Iterator[bool]:
    """Yield for each point whether the numbers of an answer agree with the sides."""
    problem = answer.problem.resolved()
    sides, name = Sides(problem), answer.name
    integers = answer.integers
    if answer.real is not None:
        intervals = answer.real.intervals
        marks = _marks([end for i in intervals for end in (i.lower, i.upper) if end is not None])
        for mark in marks:
            if mark.is_irrational:
                found = sides.hold_exactly({name: mark.value})
                if found is not None:
                    yield found == answer.real.contains(mark.value)
        for point in _points(marks, draw, samples):
            found = sides.hold({name: point})
            if found is not None:
                yield found == answer.real.contains(_rational(point))
    if integers is not None:
        ends = {end for run in integers.intervals for end in run if end is not None}
        whole = {end + step for end in ends for step in (-1, 0, 1)}
        whole |= {round(2 ** draw.uniform(0, 16)) for _ in range(samples)}
        for n in sorted(whole - {0}):
            found = sides.hold({name: Fraction(n)})
            if found is not None:
                yield found == integers.contains(n)


def _free(answer: Crossover, samples: int, draw: Random) -> Iterator[bool]:
    """Yield for each point of random bindings whether the case that applies is right."""
    problem = answer.problem
    sides = Sides(problem)
    names = sorted(
        {symbol.name for side in problem.sides for symbol in side.free_symbols} - {answer.name}
    )
    for _ in range(samples):
        values = {name: _drawn(name in problem.counts, draw) for name in names}
        if answer.only_at_known_rates or draw.random() < 0.5:
            values |= {
                key: Fraction(int(value.p), int(value.q))
                for key, value in problem.known.items()
                if value.is_Rational and key in values
            }
        exact = {name: _rational(value) for name, value in values.items()}
        holding = [case for case in answer.cases if case.condition.holds(exact)]
        yield len(holding) == 1
        if len(holding) != 1:
            continue
        try:
            region = holding[0].region.at(exact)
        except InputError:
            yield False
            continue
        marks = _marks([bound.end.expr for piece in region.pieces for bound in piece])
        for mark in marks:
            if mark.is_irrational:
                found = sides.hold_exactly({**exact, answer.name: mark.value})
                if found is not None:
                    yield found == region.contains(mark.value)
        for point in _points(marks, draw, 2):
            found = sides.hold({**values, answer.name: point})
            if found is not None:
                yield found == region.contains(_rational(point))


def _marks(ends: Sequence[Expr]) -> list[Mark]:
    marks = []
    for end in dict.fromkeys(ends):
        if end.is_Rational:
            low = high = Fraction(int(end.p), int(end.q))
        else:
            low, high = number_enclosure(end, BITS)
        if high > 0:
            marks.append(Mark(end, low, high))
    return sorted(marks, key=lambda mark: mark.low)


def _points(marks: Sequence[Mark], draw: Random, count: int) -> Iterator[Fraction]:
    """Yield the rational ends, points next to every end, between ends, and random ones."""
    for at, mark in enumerate(marks):
        if mark.low == mark.high:
            yield mark.low
        before = marks[at - 1].high if at else Fraction(0)
        after = marks[at + 1].low if at + 1 < len(marks) else 2 * mark.high
        for edge, other in ((mark.low, before), (mark.high, after)):
            if edge > 0 and edge != other:
                yield edge + (other - edge) * NEAR
                yield (edge + other) / 2
    low = marks[0].low if marks and marks[0].low > 0 else Fraction(1)
    high = marks[-1].high if marks else Fraction(1)
    for _ in range(count):
        scale = low if draw.random() < 0.5 else high
        yield scale * Fraction(round(2**20 * 2 ** draw.uniform(-8, 8)), 2**20)


def _drawn(count: bool, draw: Random) -> Fraction:
    if count:
        return Fraction(1 if draw.random() < CORNER else round(2 ** draw.uniform(0, 13)))
    return Fraction(round(2**12 * 2 ** draw.uniform(-6, 10)), 2**12)


def _rational(value: Fraction) -> Expr:
    return Rational(value.numerator, value.denominator)
