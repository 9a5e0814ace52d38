"""The minimum of the larger of two convex formulas: that of either, or where they cross."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from sympy import Expr, S, Symbol

from symroof.solve.cases import cases
from symroof.solve.cells import log_slope
from symroof.solve.conditions import TRUE, Condition, Knowledge
from symroof.solve.ends import End, Ratio, Reading
from symroof.solve.problem import Problem
from symroof.solve.shapes import NEGATIVE, POSITIVE, ZERO
from symroof.solve.values import collected, powers_of, sign_polynomial
from symroof.symbolic.evaluate import bind
from symroof.symbolic.polynomial import fraction


class Turn(NamedTuple):
    """Under a condition, up to where a formula falls.

    Attributes
    ----------
    condition : Condition
        When this holds.
    end : End
        Up to where the formula falls; from there on it rises.
    trial : End
        The same number in a form that compares: what stands below is positive.
    expr : Expr
        The formula there.
    """

    condition: Condition
    end: End
    trial: End
    expr: Expr


def larger_of_two(
    left: Expr, right: Expr, unknown: Symbol, knowledge: Knowledge
) -> list[Turn] | None:
    """Return where the larger of two formulas is least, by cases; None if that is not so simple.

    Where one of them at its own minimum is at least the other, this is the minimum. If neither
    is, it is where they cross.

    Parameters
    ----------
    left, right : Expr
        Convex over the logarithm of the unknown.
    unknown : Symbol
        What they are formulas of.
    knowledge : Knowledge
        What is known of signs.

    Examples
    --------
    >>> from symroof.symbolic.parser import parse
    >>> x = Symbol("x", positive=True)
    >>> for turn in larger_of_two(parse("a/x + b*x"), parse("d*x"), x, Knowledge()):
    ...     print(turn.condition, "->", turn.end.form())
    2*b >= d -> sqrt(a/b)
    d > 2*b -> sqrt(a/(d - b))
    """
    turns = [_turn(expr, unknown, knowledge) for expr in (left, right)]
    crossing = _crossing(left - right, unknown)
    if None in turns or crossing is None or turns[0] == turns[1]:
        return None
    found: list[Turn] = []
    rest: Condition | None = TRUE
    for turn, one, other in zip(turns, (left, right), (right, left), strict=True):
        assert turn is not None
        if turn.expr in (S.Zero, S.Infinity):
            continue
        own, others = (
            bind(collected(side, unknown), {unknown.name: turn.expr}) for side in (one, other)
        )
        gap = sign_polynomial(own, others, knowledge)
        if gap is None:
            return None
        if rest is not None:
            here = knowledge.narrowed(rest, gap, POSITIVE | ZERO)
            rest = knowledge.narrowed(rest, gap, NEGATIVE)
            if here is not None:
                found.append(Turn(here, turn, turn, one))
    if rest is not None:
        above, below = crossing.above, crossing.below
        if knowledge.narrowed(rest, below, POSITIVE) is None:
            above, below = -above, -below
        trial = end = Ratio(above, below, crossing.reading)
        if knowledge.narrowed(rest, below, NEGATIVE) is not None:
            trial = Ratio(above * below, below * below, crossing.reading)
        shorter = min(left, right, key=lambda side: len(powers_of(side, unknown) or ()))
        found.append(Turn(rest, end, trial, shorter))
    return found


def _turn(expr: Expr, unknown: Symbol, knowledge: Knowledge) -> End | None:
    """Return up to where a convex formula falls: 0 for never, infinity for always."""
    problem = Problem(log_slope(expr, unknown), (S.Zero,), unknown, knowledge.counts)
    found = cases(problem)
    if len(found) != 1:
        return None
    region = found[0].region
    if region.is_empty or region.is_all:
        return End(S.Infinity if region.is_empty else S.Zero)
    if len(region.pieces) != 1 or len(region.pieces[0]) != 1:
        return None
    (bound,) = region.pieces[0]
    return bound.end if bound.lower else None


def _crossing(difference: Expr, unknown: Symbol) -> Ratio | None:
    """Return where a sum of two powers of the unknown is zero."""
    powers = powers_of(difference, unknown)
    if powers is None or len(powers) != 2:
        return None
    (p, low), (q, high) = sorted(powers.items())
    over, under = fraction(-low / high)
    step = Fraction(int(q.p), int(q.q)) - Fraction(int(p.p), int(p.q))
    return Ratio(over, under, Reading(1 / step))
