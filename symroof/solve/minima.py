"""The symbolic minimum: exclusive and exhaustive cases, each with where it is and its value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from sympy import Expr, Max, S

from symroof.errors import InputError
from symroof.solve.cases import cases
from symroof.solve.cells import Cell, cells, doubtful, has_steps, is_log_convex, levelled, log_slope
from symroof.solve.conditions import TRUE, Condition, Knowledge
from symroof.solve.ends import End, Ratio
from symroof.solve.least import LeastCase, Place, end_limit, furthest
from symroof.solve.objective import Objective
from symroof.solve.order import gap_of
from symroof.solve.pairs import Turn, larger_of_two
from symroof.solve.polynomials import Case, UnsolvedError
from symroof.solve.problem import Problem
from symroof.solve.ranges import Piece, SymbolicRegion
from symroof.solve.shapes import NEGATIVE, POSITIVE, ZERO
from symroof.solve.values import sign_polynomial, value_at
from symroof.symbolic.build import maximum, minimum
from symroof.symbolic.evaluate import bind
from symroof.symbolic.polynomial import Polynomial, fraction
from symroof.symbolic.printer import to_text

MAX_CASES = 24
AT_LEAST, AT_MOST = POSITIVE | ZERO, NEGATIVE | ZERO


def least_cases(asked: Objective) -> tuple[LeastCase, ...]:
    """Return where a formula is least, by cases; the values of rates are not used.

    The formula falls where its slope is negative. The set where it does not fall is found like
    any crossover; where that is everything from some point on, this point is the minimum.

    Raises
    ------
    UnsolvedError
        If no closed form was found; the text says what was tried.

    Examples
    --------
    >>> from symroof.symbolic.parser import parse
    >>> x = parse("x")
    >>> asked = Objective(Problem(parse("a/x + b*x"), (S.One, S.Infinity, S.Zero), x))
    >>> for case in least_cases(asked):
    ...     print(case.condition, "->", case.place.value, case.point, case.value)
    a >= b -> point sqrt(a)/sqrt(b) 2*sqrt(a)*sqrt(b)
    b > a -> low end 1 a + b
    """
    if has_steps(asked.expr, asked.unknown):
        raise UnsolvedError(f"{asked.unknown} is inside a ceil or floor")
    level, rest = levelled(asked.expr, asked.unknown)
    solver = _Solver(asked)
    if rest is None:
        return (solver.everywhere(maximum(level)),)
    found = solver.solved(rest)
    if level:
        found = solver.levelled(found, maximum(level), rest)
    kept = solver.merged(list(found))
    return tuple(sorted(kept, key=lambda case: list(Place).index(case.place)))


class _Solver:
    """Puts the cases of one question together; knows the signs of what is free of the unknown."""

    def __init__(self, asked: Objective) -> None:
        self.asked = asked
        self.unknown = asked.unknown
        self.knowledge = Knowledge(asked.counts)

    def solved(self, expr: Expr) -> Iterator[LeastCase]:
        """Yield the cases of a formula."""
        convex = is_log_convex(expr, self.unknown)
        if convex and isinstance(expr, Max) and len(expr.args) == 2:
            one, other = sorted(expr.args, key=to_text)
            turns = larger_of_two(one, other, self.unknown, self.knowledge)
            if turns is not None:
                for turn in turns:
                    yield from self.clipped(turn.condition, turn.end, expr, None, turn)
                return
        parts = cells(expr, self.unknown)
        for cell in parts:
            self.check_defined(cell.expr)
        slopes = [log_slope(cell.expr, self.unknown) for cell in parts]
        outside: list[Condition] = [TRUE]
        for cell, slope in zip(parts, slopes, strict=True):
            if slope is S.Zero:
                # What is convex is least wherever it is level.
                inside, outside = self.level_cell(cell, outside, convex=convex)
                yield from inside
        branches = [
            minimum([slope, *cell.conditions])
            for cell, slope in zip(parts, slopes, strict=True)
            if slope is not S.Zero
        ]
        smooth = slopes[0] if len(parts) == 1 else None
        for case in self.at_least(maximum(branches), S.Zero):
            for condition, end in self.turn(case, convex=convex):
                for other in outside:
                    both = self.knowledge.joined(condition, other)
                    if both is not None:
                        yield from self.clipped(both, end, expr, smooth)

    def at_least(self, left: Expr, *rights: Expr) -> tuple[Case, ...]:
        """Return where one side is at least the others."""
        return cases(Problem(left, rights, self.unknown, self.asked.problem.counts))

    def level_cell(
        self, cell: Cell, outside: Sequence[Condition], *, convex: bool
    ) -> tuple[list[LeastCase], list[Condition]]:
        """Return the cases of a cell without slope, and the conditions under which it is empty."""
        if not convex:
            raise UnsolvedError(f"it may be level for some range of {self.unknown}")
        zone = self.zone(cell.conditions)
        if not self.is_plain(zone):
            raise UnsolvedError("the places where its parts cross could not be compared")
        inside: list[LeastCase] = []
        beyond: list[Condition] = []
        for case in zone:
            for condition in outside:
                both = self.knowledge.joined(condition, case.condition)
                if both is not None and case.region.is_empty:
                    beyond.append(both)
                elif both is not None:
                    inside.append(self.range_of(both, case.region, cell.expr))
        return inside, beyond

    def zone(self, conditions: Iterable[Expr]) -> tuple[Case, ...]:
        """Return where all conditions are at least 0, between the ends of the question."""
        asked, found = self.asked, list(conditions)
        if asked.has_low:
            found.append(self.unknown - asked.low)
        if asked.has_high:
            found.append(asked.high - self.unknown)
        return self.at_least(minimum(found), S.Zero)

    def is_plain(self, zone: Sequence[Case]) -> bool:
        """Return whether it is known of each range in some cases that it is not empty."""
        if not (self.asked.has_low or self.asked.has_high):
            return True
        return all(_is_compared(piece) for case in zone for piece in case.region.pieces)

    def range_of(self, condition: Condition, region: SymbolicRegion, value: Expr) -> LeastCase:
        """Return the case of a range in which the formula is least all over."""
        if len(region.pieces) != 1:
            raise UnsolvedError(f"it may be level in several ranges of {self.unknown}")
        (piece,) = region.pieces
        start = furthest([b.end for b in piece if b.lower], self.asked.low, lower=True)
        stop = furthest([b.end for b in piece if not b.lower], self.asked.high, lower=False)
        return LeastCase(condition, Place.INTERVAL, start, stop, value)

    def turn(self, case: Case, *, convex: bool) -> Iterator[tuple[Condition, End | None]]:
        """Yield where a set that is everything from a point on begins, by cases.

        None is yielded for the empty set, 0 for the whole line.
        """
        region = case.region
        if region.is_empty:
            yield case.condition, None
            return
        for piece in region.pieces:
            if all(bound.lower for bound in piece):
                continue
            # Of what is convex every piece is part of one range, if only it is not empty.
            if not convex:
                raise UnsolvedError(f"it may rise and then fall again as {self.unknown} grows")
            if not _is_compared(piece):
                raise UnsolvedError("the places where its parts cross could not be compared")
        groups = [[bound.end for bound in piece if bound.lower] for piece in region.pieces]
        if not all(groups):
            yield case.condition, End(S.Zero)
            return
        chosen: list[tuple[Condition, list[End]]] = [(case.condition, [])]
        for group in groups:
            # Within a piece the last of the lower ends counts.
            chosen = [
                (narrower, [*ends, end])
                for condition, ends in chosen
                for narrower, end in self.extreme(condition, group, largest=True)
            ]
        for condition, ends in chosen:
            yield from self.extreme(condition, ends, largest=False)

    def extreme(
        self, condition: Condition, ends: Sequence[End], *, largest: bool
    ) -> Iterator[tuple[Condition, End]]:
        """Yield the largest (or smallest) of some ends, by cases where that is open."""
        first, *others = dict.fromkeys(ends)
        if not others:
            yield condition, first
            return
        second, *rest = others
        gap = gap_of(first, second)
        if gap is None:
            choose = maximum if largest else minimum
            yield condition, End(choose([end.expr for end in ends]))
            return
        for signs, kept in ((AT_LEAST, second), (NEGATIVE, first)):
            if not largest:
                kept = first if kept is second else second
            narrower = self.knowledge.narrowed(condition, gap, signs)
            if narrower is not None:
                yield from self.extreme(narrower, [kept, *rest], largest=largest)

    def clipped(
        self,
        condition: Condition,
        end: End | None,
        expr: Expr,
        smooth: Expr | None,
        turn: Turn | None = None,
    ) -> Iterator[LeastCase]:
        """Yield the cases of a formula that falls up to `end` and does not fall from there on."""
        asked = self.asked
        if end is None:
            place = Place.HIGH if asked.has_high else Place.NEVER
            yield self.case(condition, place, End(asked.high), expr)
            return
        if end.expr is S.Zero:
            place = Place.LOW if asked.has_low else Place.NEVER
            yield self.case(condition, place, End(asked.low), expr)
            return
        inside: Condition | None = condition
        for lower, edge in ((True, asked.low), (False, asked.high)):
            if inside is None or not (asked.has_low if lower else asked.has_high):
                continue
            side = self.beside(edge, turn.trial if turn else end, smooth, lower=lower)
            if side is None:
                end = furthest([end], edge, lower=lower)
                continue
            beyond = self.knowledge.narrowed(inside, side, NEGATIVE)
            inside = self.knowledge.narrowed(inside, side, AT_LEAST)
            if beyond is not None:
                place = Place.LOW if lower else Place.HIGH
                yield self.case(beyond, place, End(edge), expr)
        if inside is not None:
            yield self.case(inside, Place.POINT, end, turn.expr if turn else expr)

    def beside(
        self, edge: Expr, end: End, smooth: Expr | None, *, lower: bool
    ) -> Polynomial | None:
        """Return what is at least 0 where a minimum is on the right side of an edge."""
        side = gap_of(Ratio(*fraction(edge)), end)
        if side is None and smooth is not None:
            # Before the minimum the formula falls.
            there = bind(smooth, {self.unknown.name: edge})
            side = sign_polynomial(S.Zero, there, self.knowledge)
        return side if side is None or lower else -side

    def levelled(self, found: Iterable[LeastCase], level: Expr, rest: Expr) -> Iterator[LeastCase]:
        """Yield the cases of max(level, rest), from those of the rest."""
        args = rest.args if isinstance(rest, Max) else (rest,)
        zone = self.zone(level - arg for arg in args)
        plain = self.is_plain(zone)
        if plain:
            for part in zone:
                if not part.region.is_empty:
                    yield self.range_of(part.condition, part.region, level)
        for case in found:
            gap = None if case.value is None else sign_polynomial(case.value, level, self.knowledge)
            if gap is None:
                raise UnsolvedError("the least value could not be compared with what is level")
            over = self.knowledge.narrowed(
                case.condition, gap, AT_LEAST if case.place is Place.NEVER else POSITIVE
            )
            if over is not None:
                yield replace(case, condition=over)
            if not plain:
                yield from self.below(case, gap, level, args)

    def below(
        self, case: LeastCase, gap: Polynomial, level: Expr, args: Sequence[Expr]
    ) -> Iterator[LeastCase]:
        """Yield where the rest, whose minimum is below `level`, does not reach it."""
        under = self.knowledge.narrowed(case.condition, gap, AT_MOST)
        if under is None:
            return
        found: list[LeastCase] = []
        for part in self.at_least(level, *args):
            both = self.knowledge.joined(under, part.condition)
            if both is not None and not part.region.is_empty:
                found.append(self.range_of(both, part.region, level))
        if len({replace(range_, condition=TRUE) for range_ in found}) == 1:
            found = [replace(found[0], condition=under)]  # It is below somewhere in any case.
        for range_ in found:
            if case.place is Place.LOW:
                range_ = replace(range_, end=End(self.asked.low))
            elif case.place is Place.HIGH:
                range_ = replace(range_, upper=End(self.asked.high))
            yield range_

    def everywhere(self, value: Expr) -> LeastCase:
        """Return the case of a formula that does not depend on the unknown."""
        low, high = End(self.asked.low), End(self.asked.high)
        return LeastCase(TRUE, Place.INTERVAL, low, high, value)

    def case(self, condition: Condition, place: Place, end: End, expr: Expr) -> LeastCase:
        """Return a case with its value."""
        value: Expr | None = None
        if place is not Place.NEVER:
            value = value_at(expr, self.unknown, end.expr, condition, self.knowledge)
        else:
            with suppress(InputError):
                value = end_limit(expr, self.unknown, end.expr)
        return LeastCase(condition, place, end, None, value)

    def check_defined(self, expr: Expr) -> None:
        """Refuse a formula that may have no value somewhere."""
        for base in doubtful(expr, self.unknown):
            over, under = fraction(base)
            if self.knowledge.signs(over) != POSITIVE or self.knowledge.signs(under) != POSITIVE:
                raise UnsolvedError(f"{to_text(base)} may be zero or negative")

    def merged(self, found: Sequence[LeastCase]) -> Sequence[LeastCase]:
        """Join cases that say the same and whose conditions differ in one sign."""
        kept: list[LeastCase] = []
        for case in found:
            for at, other in enumerate(kept):
                if replace(case, condition=other.condition) == other:
                    condition = self.knowledge.merged(case.condition, other.condition)
                    if condition is not None:
                        case = replace(case, condition=condition)
                        del kept[at]
                        break
            kept.append(case)
        if len(kept) > MAX_CASES:
            raise UnsolvedError(f"more than {MAX_CASES} cases")
        return kept if len(kept) == len(found) else self.merged(kept)


def _is_compared(piece: Piece) -> bool:
    """Return whether the ends of a range were told apart, so that it is not empty."""
    lows = [bound.end for bound in piece if bound.lower]
    highs = [bound.end for bound in piece if not bound.lower]
    return all(gap_of(low, high) is not None for low in lows for high in highs)
