"""Which of two ends comes first: decided by a sign, or made a condition of its own."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations
from math import lcm

from symroof.solve.conditions import Condition, Knowledge
from symroof.solve.ends import End, Ratio
from symroof.solve.polynomials import Case
from symroof.solve.ranges import ALL, Bound, Piece, SymbolicRegion
from symroof.solve.shapes import NEGATIVE, POSITIVE, ZERO
from symroof.symbolic.polynomial import Polynomial

MAX_POWER = 6


def in_order(case: Case, knowledge: Knowledge) -> Iterator[Case]:
    """Yield a case, split by the order of its ends where that decides whether a range is empty.

    Of two bounds on one side the weaker one goes, where it is known which that is; a range whose
    lower end may lie above its upper end makes two cases. Ends that are not quotients (roots of
    quadratics) are left as they are: such a range is empty where its ends are the wrong way round.

    Parameters
    ----------
    case : Case
        What to split.
    knowledge : Knowledge
        What is known of signs.
    """
    pieces = case.region.pieces
    if len(pieces) == 1 and len(pieces[0]) < 2:
        yield case
        return
    for at, piece in enumerate(pieces):
        tight = _tightened(piece, case.condition, knowledge)
        if len(tight) < len(piece):
            yield from in_order(_with(case, at, tight), knowledge)
            return
    for at, piece in enumerate(pieces):
        for low, high in _ranges(piece):
            gap = gap_of(low.end, high.end)
            if gap is None:
                continue
            open_ = ZERO if not (low.closed and high.closed) else 0
            full = knowledge.narrowed(case.condition, gap, POSITIVE | ZERO & ~open_)
            empty = knowledge.narrowed(case.condition, gap, NEGATIVE | open_)
            if empty is None:
                continue
            if full is not None:
                yield from in_order(Case(full, case.region), knowledge)
            yield from in_order(Case(empty, _with(case, at, None).region), knowledge)
            return
    yield from _joined(case, knowledge)


def _joined(case: Case, knowledge: Knowledge) -> Iterator[Case]:
    """Yield a case, split by whether a range from an end meets a range up to another end."""
    pieces = case.region.pieces
    for one, other in permutations(range(len(pieces)), 2):
        joined = _meeting(pieces[one], pieces[other], case.condition, knowledge)
        if joined is not None:
            rest = [piece for at, piece in enumerate(pieces) if at not in (one, other)]
            yield from in_order(Case(case.condition, SymbolicRegion((joined, *rest))), knowledge)
            return
    for one, other in combinations(range(len(pieces)), 2):
        if len(pieces[one]) != 1 or len(pieces[other]) != 1:
            continue
        (first,), (second,) = pieces[one], pieces[other]
        if first.lower == second.lower:
            gap = gap_of(first.end, second.end)
            if gap is None or first.closed != second.closed:
                continue
            wider = known_order(gap, case.condition, knowledge)
            if wider is not None:
                # The first range is the wider one if it starts first, or ends last.
                drop = other if (wider == first.lower) else one
                yield from in_order(_with(case, drop, None), knowledge)
                return
            continue
        high, low = (second, first) if first.lower else (first, second)
        gap = gap_of(low.end, high.end)
        if gap is None:
            continue
        touching = ZERO if low.closed or high.closed else 0
        whole = knowledge.narrowed(case.condition, gap, POSITIVE | touching)
        apart = knowledge.narrowed(case.condition, gap, NEGATIVE | ZERO & ~touching)
        if whole is None:
            continue
        yield Case(whole, ALL)
        if apart is not None:
            yield from in_order(Case(apart, case.region), knowledge)
        return
    yield case


def _meeting(
    before: Piece, after: Piece, condition: Condition, knowledge: Knowledge
) -> Piece | None:
    """Return the union of a range up to an end and a range from that end on, where both hold it."""
    stops = [bound for bound in before if not bound.lower]
    starts = [bound for bound in after if bound.lower]
    if len(stops) != 1 or len(starts) != 1 or stops[0].end != starts[0].end:
        return None
    (stop,), (start,) = stops, starts
    lows = tuple(bound for bound in before if bound.lower)
    highs = tuple(bound for bound in after if not bound.lower)
    if not (stop.closed and start.closed and all(bound.closed for bound in lows + highs)):
        return None
    for low, high in [*((low, stop) for low in lows), *((start, high) for high in highs)]:
        gap = gap_of(low.end, high.end)
        if gap is None or not known_order(gap, condition, knowledge):
            return None
    return lows + highs


def gap_of(low: End, high: End) -> Polynomial | None:
    """Return a polynomial with the sign of high - low, where both ends count."""
    if not (isinstance(low, Ratio) and isinstance(high, Ratio)):
        return None
    if low.reading == high.reading:
        return high.above * low.below - low.above * high.below
    if low.reading.log or high.reading.log:
        return None
    p, q = low.reading.power, high.reading.power
    scale = lcm(p.denominator, q.denominator)
    i, j = int(p * scale), int(q * scale)
    if not (0 < i <= MAX_POWER and 0 < j <= MAX_POWER):
        return None
    return high.above**j * low.below**i - low.above**i * high.below**j


def known_order(gap: Polynomial, condition: Condition, knowledge: Knowledge) -> bool | None:
    """Return whether `gap` is at least 0 (True) or at most 0 (False), None where unknown."""
    if knowledge.narrowed(condition, gap, NEGATIVE) is None:
        return True
    return False if knowledge.narrowed(condition, gap, POSITIVE) is None else None


def _tightened(piece: Piece, condition: Condition, knowledge: Knowledge) -> Piece:
    """Drop the bounds that are known to follow from another one."""
    kept = list(piece)
    for one, other in combinations(piece, 2):
        if one not in kept or other not in kept or one[1:] != other[1:]:
            continue
        gap = gap_of(one.end, other.end)
        if gap is None:
            continue
        later = known_order(gap, condition, knowledge)
        if later is not None:
            kept.remove(one if later == one.lower else other)
    return tuple(kept)


def _ranges(piece: Piece) -> Iterator[tuple[Bound, Bound]]:
    for low in piece:
        if low.lower:
            for high in piece:
                if not high.lower:
                    yield low, high


def _with(case: Case, at: int, piece: Piece | None) -> Case:
    """Return the case with one piece replaced, or dropped."""
    pieces = case.region.pieces
    middle = () if piece is None else (piece,)
    return Case(case.condition, SymbolicRegion((*pieces[:at], *middle, *pieces[at + 1 :])))
