"""The minimum of a formula with numbers: over the real numbers, and over whole ones, exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TypeVar

from sympy import Expr, Integer, Rational, S, Symbol

from symroof.errors import InputError, UndecidedError
from symroof.solve.cells import without_steps
from symroof.solve.direct import IrrationalError, function
from symroof.solve.exact import exact_region
from symroof.solve.grids import Grid
from symroof.solve.integers import IntegerSet, Run
from symroof.solve.least import end_limit
from symroof.solve.objective import Objective
from symroof.solve.polynomials import UnsolvedError
from symroof.solve.segments import Segment, at_point, between, segments
from symroof.symbolic.evaluate import bind
from symroof.symbolic.reals import order
from symroof.symbolic.regions import Interval, Region

T = TypeVar("T")

MAX_TRIED = 10_000
POWERS = 64
ROUNDS, SAMPLES = 12, 64
NONE = IntegerSet.of_runs([])


@dataclass(frozen=True, slots=True)
class ExactMinimum:
    """Where a formula with numbers is least.

    Attributes
    ----------
    real : Region or None
        The numbers at which it is least, none if it never is; None where that is not known.
    value : Expr or None
        The least value, or what it falls to without reaching it.
    whole : IntegerSet or None
        The whole numbers at which it is least among whole numbers (or divisors); None where that
        is not known or not asked for.
    whole_value : Expr or None
        The value there.
    turns : int or None
        How often it turns from falling to rising; None where that is not known.
    note : str
        Why something is not known.
    """

    real: Region | None = None
    value: Expr | None = None
    whole: IntegerSet | None = None
    whole_value: Expr | None = None
    turns: int | None = None
    note: str = ""


def exact_minimum(asked: Objective) -> ExactMinimum:
    """Return where a formula with numbers is least.

    Parameters
    ----------
    asked : Objective
        A question with nothing left to bind.

    Examples
    --------
    >>> from symroof.solve.problem import Problem
    >>> from symroof.symbolic.parser import parse
    >>> x = Symbol("x", positive=True)
    >>> ends = (S.One, S.Infinity, S.Zero)
    >>> found = exact_minimum(Objective(Problem(parse("30/x + x"), ends, x, integer=True)))
    >>> found.real.text("x"), found.value, found.whole.intervals, found.whole_value
    ('x = sqrt(30)', 2*sqrt(30), ((5, 6),), 11)
    """
    grid = Grid.between(asked.low, asked.high, asked.divides) if asked.problem.integer else None
    try:
        if asked.low == asked.high:
            return _single(asked, grid)
        parts = segments(asked.expr, asked.unknown, asked.low, asked.high)
        return _of_segments(asked, parts, grid)
    except (UnsolvedError, UndecidedError, InputError) as error:
        reason = str(error)
    if grid is None:
        return ExactMinimum(note=reason)
    whole, value, note = _tried(asked, grid)
    return ExactMinimum(whole=whole, whole_value=value, note=f"{reason}; {note}")


def _single(asked: Objective, grid: Grid | None) -> ExactMinimum:
    """Return the minimum over a single number."""
    value = bind(asked.expr, {asked.unknown.name: asked.low})
    real = Region((Interval.point(asked.low),))
    if grid is None:
        return ExactMinimum(real, value, turns=0)
    whole, least, _ = _tried(asked, grid)
    return ExactMinimum(real, value, whole, least, 0)


def _of_segments(asked: Objective, parts: Sequence[Segment], grid: Grid | None) -> ExactMinimum:
    limit = _limit(asked, parts)
    least, best = _best(_minima(asked, parts))
    reached = least is not None and not (limit is not None and _is_less(limit, least))
    real = Region(tuple(best)) if reached else Region.EMPTY
    signs = [part.sign for part in parts if part.sign]
    turns = sum(1 for before, after in pairwise(signs) if before < 0 < after)
    whole, value = (None, None) if grid is None else _whole(asked, parts, grid, limit)
    return ExactMinimum(real, least if reached else limit, whole, value, turns)


def _minima(asked: Objective, parts: Sequence[Segment]) -> Iterator[tuple[Expr, Interval]]:
    """Yield the value and the place of each local minimum: a point, or where all is level."""
    for at, part in enumerate(parts):
        before = parts[at - 1].sign if at else -1
        after = parts[at + 1].sign if at + 1 < len(parts) else 1
        if part.sign == 0:
            if before <= 0 <= after:
                yield _level(asked, part)
        elif part.sign > 0 and before < 0 and part.lower is not S.Zero:
            value = at_point(part.expr, asked.unknown, part.lower)
            yield value, Interval.point(part.lower)
        elif part.sign < 0 and at + 1 == len(parts) and part.upper is not S.Infinity:
            value = at_point(part.expr, asked.unknown, part.upper)
            yield value, Interval.point(part.upper)


def _level(asked: Objective, part: Segment) -> tuple[Expr, Interval]:
    value = at_point(part.expr, asked.unknown, between(part.lower, part.upper))
    has_lower, has_upper = part.lower is not S.Zero, part.upper is not S.Infinity
    lower = part.lower if has_lower else None
    return value, Interval(lower, part.upper if has_upper else None, has_lower, has_upper)


def _limit(asked: Objective, parts: Sequence[Segment]) -> Expr | None:
    """Return what the formula falls to beyond an end that does not belong, None if it does not."""
    limits = []
    if parts[0].lower is S.Zero and parts[0].sign > 0:
        limits.append(end_limit(parts[0].expr, asked.unknown, S.Zero))
    if parts[-1].upper is S.Infinity and parts[-1].sign < 0:
        limits.append(end_limit(parts[-1].expr, asked.unknown, S.Infinity))
    if len(limits) == 2 and order(limits[0], limits[1]) > 0:
        limits.reverse()
    return limits[0] if limits else None


def _is_less(limit: Expr, value: Expr) -> bool:
    return limit is S.NegativeInfinity or order(limit, value) < 0


def _best(values: Iterable[tuple[Expr, T]]) -> tuple[Expr | None, list[T]]:
    """Return the least value, and what it goes with."""
    best: list[T] = []
    least: Expr | None = None
    for value, place in values:
        side = -1 if least is None else order(value, least)
        if side <= 0:
            best = [*best, place] if not side else [place]
            least = value if side else least
    return least, best


def _whole(
    asked: Objective, parts: Sequence[Segment], grid: Grid, limit: Expr | None
) -> tuple[IntegerSet | None, Expr | None]:
    """Return the whole numbers at which a formula is least: next to where it turns."""
    tried: set[int] = set(grid.ends())
    for part in parts:
        for end in (part.lower, part.upper):
            if end not in (S.Zero, S.Infinity):
                tried |= set(grid.around(end))
    values = Values(asked.expr, asked.unknown)
    least, best = values.least(sorted(tried))
    falls = grid.last is None and grid.members is None and parts[-1].sign < 0
    if falls and limit is not None and (least is None or _is_less(limit, least)):
        return NONE, None
    runs: list[Run] = [(n, n) for n in best]
    for part in parts:
        level = grid.runs(part.lower, part.upper) if part.sign == 0 else []
        if any(low <= n and (high is None or n <= high) for n in best for low, high in level):
            runs += level
    return IntegerSet.of_runs(runs), least


def _tried(asked: Objective, grid: Grid) -> tuple[IntegerSet | None, Expr | None, str]:
    """Return the whole numbers at which any formula is least, by trying; and what was done.

    Where not all can be tried, only those at which the formula is at most the best value found so
    far are.
    """
    values = Values(asked.expr, asked.unknown)
    name = asked.unknown.name
    if grid.is_empty:
        return NONE, None, f"no whole {name} to try"
    if grid.size is not None and grid.size <= MAX_TRIED:
        members = grid.members or range(grid.first, grid.first + grid.size)
        least, best = values.least(members)
        return (
            IntegerSet.of_runs((n, n) for n in best),
            least,
            f"whole {name} by trying all {grid.size}",
        )
    last = grid.last if grid.last is not None else 1 << POWERS
    powers = [1 << k for k in range(POWERS) if grid.first <= 1 << k <= last]
    least, _ = values.least([*grid.ends(), *powers])
    near: list[range] | None = None
    for _ in range(ROUNDS):
        near = None if least is None else _at_most(asked, least, grid)
        if near is None or sum(map(len, near)) <= MAX_TRIED:
            break
        better, _ = values.least([n for run in near for n in run[:: len(run) // SAMPLES or 1]])
        if better is None or least is None or not _is_less(better, least):
            break
        least = better
    if near is None or sum(map(len, near)) > MAX_TRIED:
        return None, None, f"too many whole {name} to try: give high, or a lower one"
    found = [n for run in near for n in run]
    least, best = values.least(found)
    note = f"whole {name} by trying all {len(found)} that can be least"
    return IntegerSet.of_runs((n, n) for n in best), least, note


def _at_most(asked: Objective, level: Expr, grid: Grid) -> list[range] | None:
    """Return the whole numbers in a grid at which a formula is at most some level.

    None if they never end, or could not be decided.
    """
    # Without its steps a formula is at most that in a set of few runs, or more of them.
    bound = without_steps(asked.expr, asked.unknown) or asked.expr
    found = exact_region(level, [bound], asked.unknown).integers
    if found is None or not found.is_complete:
        return None
    runs = []
    for low, high in found.intervals:
        low = max(low, grid.first)
        if high is None or (grid.last is not None and high > grid.last):
            high = grid.last
        if high is None:
            return None
        runs.append(range(low, high + 1))
    return [run for run in runs if run]


class Values:
    """A formula as a function of whole numbers, exact; None where it has no value.

    Examples
    --------
    >>> x = Symbol("x", positive=True)
    >>> Values(12 / x + x, x).least([1, 2, 3, 4, 6])
    (7, [3, 4])
    """

    def __init__(self, expr: Expr, unknown: Symbol) -> None:
        self.expr = expr
        self.name = unknown.name
        self._function: Callable[[dict[str, Fraction]], Fraction] = function(expr)

    def at(self, number: int) -> Expr | None:
        """Return the value at one whole number."""
        return self.at_number(Integer(number))

    def at_number(self, number: Expr) -> Expr | None:
        """Return the value at one exact number that is no located root."""
        try:
            if not number.is_Rational:
                raise IrrationalError
            value = self._function({self.name: Fraction(int(number.p), int(number.q))})
            return Rational(value.numerator, value.denominator)
        except ZeroDivisionError:
            return None
        except IrrationalError:
            pass
        try:
            return bind(self.expr, {self.name: number})
        except InputError:
            return None

    def least(self, numbers: Iterable[int]) -> tuple[Expr | None, list[int]]:
        """Return the least value and the numbers at which it is taken, sorted."""
        values = ((self.at(number), number) for number in numbers)
        least, best = _best((value, n) for value, n in values if value is not None)
        return least, sorted(set(best))
