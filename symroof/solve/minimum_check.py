"""Check a minimum by substitution: the point itself, and points on both sides of it.

Rational values are compared exactly, others by enclosures: they are equal if they agree to 2048
bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING

from sympy import Expr, Rational, S

from symroof.errors import InputError
from symroof.solve.exact_minima import Values
from symroof.solve.grids import Grid
from symroof.solve.least import LeastCase, Place
from symroof.solve.objective import Objective
from symroof.solve.problem import Problem
from symroof.symbolic.evaluate import bind
from symroof.symbolic.reals import PRECISIONS, number_enclosure, order

if TYPE_CHECKING:
    from symroof.solve.minimum import Minimum

SEED = 20240229
BITS = 64
NEAR = Fraction(1, 10**4)
CORNER = 0.125


def verify(answer: Minimum, samples: int) -> tuple[int, int]:
    """Return how many points were put in, and how many contradict the answer.

    Parameters
    ----------
    answer : Minimum
        Any answer; an unsolved one has nothing to check.
    samples : int
        Random bindings of the free names; random points, where everything is bound.
    """
    draw = Random(SEED)  # noqa: S311
    if answer.kind is Place.UNSOLVED:
        return 0, 0
    points = mismatches = 0
    for right in _free(answer, samples, draw) if answer.free else _bound(answer, samples, draw):
        if right is not None:
            points += 1
            mismatches += not right
    return points, mismatches


def _bound(answer: Minimum, samples: int, draw: Random) -> Iterator[bool | None]:
    """Yield for each point whether the numbers of an answer agree with the formula."""
    asked = answer.asked.resolved()
    values = Values(asked.expr, asked.unknown)
    real, value = answer.real, answer.value_bound
    if real is not None and value is not None:
        marks = [end for i in real.intervals for end in (i.lower, i.upper) if end is not None]
        for point in _points(asked, marks, draw, samples):
            yield _agrees(values.at_number(point), value, real.contains(point))
    whole, least = answer.whole, answer.whole_value
    if whole is not None and least is not None:
        grid = Grid.between(asked.low, asked.high, asked.divides)
        for n in _whole_points(
            grid, [end for run in whole.intervals for end in run], draw, samples
        ):
            yield _agrees(values.at(n), least, whole.contains(n))


def _free(answer: Minimum, samples: int, draw: Random) -> Iterator[bool | None]:
    """Yield for each point of random bindings whether the case that applies is right."""
    problem = answer.asked.problem
    names = sorted({s.name for side in problem.sides for s in side.free_symbols} - {answer.name})
    for _ in range(samples):
        drawn = {name: _drawn(draw, count=name in problem.counts) for name in names}
        exact = {name: Rational(v.numerator, v.denominator) for name, v in drawn.items()}
        asked = _put_in(answer.asked, exact)
        if asked.has_low and asked.has_high and order(asked.low, asked.high) > 0:
            continue
        holding = [case for case in answer.cases if case.condition.holds(exact)]
        yield len(holding) == 1
        for case in holding[:1]:
            yield from _case(asked, case, exact, draw)


def _case(
    asked: Objective, case: LeastCase, exact: dict[str, Expr], draw: Random
) -> Iterator[bool | None]:
    values = Values(asked.expr, asked.unknown)
    value = None if case.value is None else bind(case.value, exact)
    point = bind(case.point, exact)
    if case.place is Place.NEVER:
        for start in _points(asked, [], draw, 4):
            before, after = start, start * (2 if point is S.Infinity else S.Half)
            yield _agrees(values.at_number(before), values.at_number(after), equal=False)
        return
    upper = point if case.upper is None else bind(case.upper.expr, exact)
    for end in {point, upper} - {S.Infinity, S.Zero}:
        yield _order(asked.low, end) != 1 and (not asked.has_high or _order(end, asked.high) != 1)
        yield _agrees(values.at_number(end), value, equal=True)
    marks = [end for end in (point, upper) if end not in (S.Zero, S.Infinity)]
    for place in _points(asked, marks, draw, 2):
        inside = case.upper is not None and _order(point, place) != 1
        inside = inside and (upper is S.Infinity or _order(place, upper) != 1)
        yield _agrees(values.at_number(place), value, inside or place == point)


def _agrees(found: Expr | None, least: Expr | None, equal: bool) -> bool | None:
    """Return whether a value is the least one, or above it; None where that cannot be told."""
    if found is None or least is None or found in (S.Infinity, S.NegativeInfinity):
        return None
    if least is S.NegativeInfinity:
        return True
    side = _order(found, least)
    return None if side is None else side == 0 if equal else side > 0


def _order(left: Expr, right: Expr) -> int | None:
    """Return how two numbers compare; 0 where irrational ones agree to 2048 bits."""
    if left.is_Rational and right.is_Rational:
        return order(left, right)
    try:
        for bits in PRECISIONS:
            lower, upper = number_enclosure(left - right, bits)
            if lower > 0 or upper < 0:
                return 1 if lower > 0 else -1
    except InputError:
        return None
    return 0


def _points(asked: Objective, marks: list[Expr], draw: Random, count: int) -> Iterator[Expr]:
    """Yield the ends of a question, numbers close to some marks, and random ones."""
    around = [number_enclosure(mark, BITS) for mark in marks]
    found = [end for end in (asked.low, asked.high) if end not in (S.Zero, S.Infinity)]
    places = [
        side * (1 + step) for pair in around for side, step in zip(pair, (-NEAR, NEAR), strict=True)
    ]
    scales = [pair[0] for pair in around] or [Fraction(1)]
    for end in found:
        scales.append(number_enclosure(end, BITS)[0])
    for _ in range(count):
        factor = Fraction(round(2**20 * 2 ** draw.uniform(-8, 8)), 2**20)
        places.append(draw.choice(scales) * factor)
    for place in places:
        number = Rational(place.numerator, place.denominator)
        above = place > 0 and order(number, asked.low) >= 0
        if above and (not asked.has_high or order(number, asked.high) <= 0):
            found.append(number)
    yield from dict.fromkeys(found)


def _whole_points(grid: Grid, marks: list[int | None], draw: Random, count: int) -> Iterator[int]:
    if grid.members is not None:
        yield from grid.members[:count]
        return
    found = {mark + step for mark in marks if mark is not None for step in (-1, 0, 1)}
    found |= {round(2 ** draw.uniform(0, 16)) for _ in range(count)}
    for n in sorted(found):
        if n >= grid.first and (grid.last is None or n <= grid.last):
            yield n


def _put_in(asked: Objective, values: dict[str, Expr]) -> Objective:
    problem = asked.problem
    left, *rights = [bind(side, values) for side in problem.sides]
    return Objective(Problem(left, tuple(rights), problem.unknown, integer=problem.integer))


def _drawn(draw: Random, *, count: bool) -> Fraction:
    if count:
        return Fraction(1 if draw.random() < CORNER else round(2 ** draw.uniform(0, 13)))
    return Fraction(round(2**12 * 2 ** draw.uniform(-6, 10)), 2**12)
