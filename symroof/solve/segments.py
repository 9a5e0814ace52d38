"""A formula of one unknown with numbers, cut where it turns: it rises, falls or is level between.

The cuts are where arguments of min and max cross, and where the slope changes its sign; between
two of them the sign of the slope at one rational number is that everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cmp_to_key
from typing import NamedTuple

from sympy import Expr, Max, Rational, S, Symbol

from symroof.errors import UndecidedError
from symroof.solve.cells import choices, doubtful, log_slope
from symroof.solve.exact import exact_region
from symroof.solve.polynomials import UnsolvedError
from symroof.solve.roots import simplest_between
from symroof.symbolic.evaluate import bind
from symroof.symbolic.exact import sign_of
from symroof.symbolic.printer import to_text
from symroof.symbolic.reals import Located, number_enclosure, order

MAX_PRECISION = 4096


class Segment(NamedTuple):
    """A range in which a formula is smooth and its slope has one sign.

    Attributes
    ----------
    lower, upper : Expr
        Its ends; 0 and infinity where it has none.
    expr : Expr
        The formula there, without min and max of the unknown.
    sign : int
        That of the slope: 1, 0 or -1.
    """

    lower: Expr
    upper: Expr
    expr: Expr
    sign: int


def segments(expr: Expr, unknown: Symbol, low: Expr, high: Expr) -> list[Segment]:
    """Return the segments of a formula between two ends, in increasing order.

    Parameters
    ----------
    expr : Expr
        A formula of the unknown and exact numbers.
    unknown : Symbol
        Its only symbol.
    low, high : Expr
        The ends; 0 and infinity are none.

    Raises
    ------
    UnsolvedError
        If the formula steps or may have no value somewhere, or if its slope is not known.
    UndecidedError
        If numbers could not be told apart.

    Examples
    --------
    >>> from symroof.symbolic.parser import parse
    >>> x = Symbol("x", positive=True)
    >>> for part in segments(parse("max(3, 8/x, x/2)"), x, S.One, S.Infinity):
    ...     print(part)
    Segment(lower=1, upper=8/3, expr=8/x, sign=-1)
    Segment(lower=8/3, upper=6, expr=3, sign=0)
    Segment(lower=6, upper=oo, expr=x/2, sign=1)
    """
    found: list[Segment] = []
    for lower, upper, part in _smooth(expr, unknown, low, high):
        _check_defined(part, unknown, lower, upper)
        slope = log_slope(part, unknown)
        cuts = _within(_ends(slope, S.Zero, unknown), lower, upper)
        for start, stop in zip([lower, *cuts], [*cuts, upper], strict=True):
            sign = sign_of(bind(slope, {unknown.name: between(start, stop)}))
            if sign is None:
                raise UndecidedError(f"cannot tell the sign of a slope near {start}")
            last = found[-1] if found else None
            if last is not None and last.sign == sign and (sign == 0 or last.expr == part):
                # Where a slope only touches zero there is no turn, nor between level parts.
                found[-1] = last._replace(upper=stop)
            else:
                found.append(Segment(start, stop, part, sign))
    return found


def at_point(expr: Expr, unknown: Symbol, point: Expr) -> Expr:
    """Return a smooth formula at an exact number, a located root included.

    Examples
    --------
    >>> x = Symbol("x", positive=True)
    >>> at_point(x + 2 / x, x, S(2))
    3
    """
    if point.has(Located):
        return expr.xreplace({unknown: point})
    return bind(expr, {unknown.name: point})


def between(lower: Expr, upper: Expr) -> Expr:
    """Return a rational number strictly between two numbers; 0 and infinity are no ends.

    Examples
    --------
    >>> from sympy import sqrt
    >>> between(sqrt(2), sqrt(3)), between(S.Zero, S.Infinity)
    (3/2, 1)
    """
    bits = 32
    while bits <= MAX_PRECISION:
        low = Fraction(0) if lower is S.Zero else number_enclosure(lower, bits)[1]
        if upper is S.Infinity:
            return Rational(low.__floor__() + 1)
        high = number_enclosure(upper, bits)[0]
        if low < high:
            value = simplest_between(low, high)
            return Rational(value.numerator, value.denominator)
        bits *= 2
    raise UndecidedError("two ends of an interval are too close")


def _smooth(
    expr: Expr, unknown: Symbol, low: Expr, high: Expr
) -> Iterable[tuple[Expr, Expr, Expr]]:
    """Yield ranges and the formula in each without min and max of the unknown."""
    inner = list(choices(expr, unknown))
    if not inner:
        yield low, high, expr
        return
    cuts: dict[Expr, None] = {}
    for choice in inner:
        for at, arg in enumerate(choice.args):
            for other in choice.args[at + 1 :]:
                cuts |= dict.fromkeys(_ends(arg, other, unknown))
    inside = _within(cuts, low, high)
    for start, stop in zip([low, *inside], [*inside, high], strict=True):
        place = between(start, stop)
        replaced = {choice: _taken(choice, unknown, place) for choice in inner}
        yield from _smooth(expr.xreplace(replaced), unknown, start, stop)


def _taken(choice: Expr, unknown: Symbol, place: Expr) -> Expr:
    """Return the argument of a min or max that counts at a number."""
    best, *others = choice.args
    top = bind(best, {unknown.name: place})
    for arg in others:
        value = bind(arg, {unknown.name: place})
        side = order(value, top)
        if (side > 0) if isinstance(choice, Max) else (side < 0):
            best, top = arg, value
    return best


def _ends(left: Expr, right: Expr, unknown: Symbol) -> list[Expr]:
    """Return where two formulas are equal, or where they begin to be."""
    ends: list[Expr | None] = []
    # Where they only touch is an end of one of the two sets.
    for one, other in ((left, right), (right, left)):
        region = exact_region(one, [other], unknown)
        if region.real is None:
            raise UnsolvedError(region.note)
        ends += [end for part in region.real.intervals for end in (part.lower, part.upper)]
    return [end for end in ends if end is not None]


def _within(points: Iterable[Expr], low: Expr, high: Expr) -> list[Expr]:
    """Return the distinct points strictly between two ends, in increasing order."""
    inside = [
        point
        for point in points
        if order(point, low) > 0 and (high is S.Infinity or order(point, high) < 0)
    ]
    found: list[Expr] = []
    for point in sorted(inside, key=cmp_to_key(order)):
        if not found or order(found[-1], point):
            found.append(point)
    return found


def _check_defined(expr: Expr, unknown: Symbol, lower: Expr, upper: Expr) -> None:
    """Refuse a formula that has no value somewhere between two ends."""
    for base in doubtful(expr, unknown):
        region = exact_region(S.Zero, [base], unknown)
        if region.real is None:
            raise UnsolvedError(region.note)
        for part in region.real.intervals:
            before = part.upper is not None and order(part.upper, lower) < 0
            beyond = (
                part.lower is not None and upper is not S.Infinity and order(part.lower, upper) > 0
            )
            if not before and not beyond:
                raise UnsolvedError(f"it may have no value: {to_text(base)} can be 0 or less")
