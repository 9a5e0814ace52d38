"""Zeros of sums with exponentials and logarithms, bracketed with a proof.

The ends of the line are cut off where the sum provably keeps its sign. In between the sum rises
or falls between neighbouring zeros of its derivative, so the signs at those tell whether there is
a zero; the derivative's zeros come from the next sum of the chain. Where there is no chain, boxes
are halved until the sum or its derivative has one sign on each. All bounds are rigorous.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TypeAlias

from mpmath import libmp  # type: ignore[import-untyped]

from symroof.errors import UndecidedError
from symroof.solve.dominance import end_of_zeros, start_of_zeros
from symroof.solve.enclosures import Enclosure, Raw, derivative, raw, sign_of
from symroof.solve.evaluation import sign_at
from symroof.solve.points import Crossing, Gap, Point, root_point
from symroof.solve.quotients import Space, Terms, UnsolvableError, without_common_factors
from symroof.solve.rolle import chain
from symroof.solve.roots import simplest_between
from symroof.symbolic.reals import fraction_of

Range: TypeAlias = tuple[Fraction, Fraction | None]
Zero: TypeAlias = Point | Gap

EVERYWHERE: Range = (Fraction(0), None)

BITS = 80
FINEST = 60
SIMPLE = 1 << 16
TOO_CLOSE = 512
MAX_BOXES = 20_000


def isolate(space: Space, terms: Terms, within: Range = EVERYWHERE) -> list[Zero]:
    """Return the zeros of a sum on the positive line, in increasing order.

    Parameters
    ----------
    space : Space
        The generators; roots of sums must not be among those that occur.
    terms : Terms
        The sum.
    within : tuple, optional
        (lower, upper) between which zeros are wanted; 0 and None stand for the ends of the line.

    Returns
    -------
    list
        Crossings, places where the unknown is exactly a simple fraction, and gaps: pairs of close
        numbers between which nothing could be proven.

    Raises
    ------
    UnsolvableError
        If the sum cannot be shown to have one sign from somewhere on.

    Examples
    --------
    >>> from symroof.solve.nodes import exponential
    >>> space = Space()
    >>> grown = exponential(space, Fraction(2), space.variable())
    >>> isolate(space, space.subtract(grown, space.variable(2)).numerator)
    [Fraction(2, 1), Fraction(4, 1)]
    """
    lower, upper = within
    terms = without_common_factors(space, terms)
    found: list[Zero] = []
    if upper is None:
        upper = max(end_of_zeros(space, terms), 2 * lower)
    if not lower:
        lower = start_of_zeros(space, terms, upper)
        if not lower:
            lower = Fraction(1, 1 << FINEST)
            found.append(Gap(Fraction(0), lower))
    sums = chain(space, terms)
    if sums is None:
        return [*found, *_by_boxes(_Sum(space, terms), lower, upper)]
    marks: list[Zero] = []
    for part in reversed(sums[:-1]):
        marks = _between_marks(_Sum(space, part), marks, lower, upper)
    return [*found, *(_snapped(space, terms, mark) for mark in marks)]


@dataclass(slots=True)
class _Sum:
    space: Space
    terms: Terms
    value: Enclosure
    slope: Enclosure

    def __init__(self, space: Space, terms: Terms) -> None:
        self.space = space
        self.terms = terms
        # The slope is taken of the sum times the scale; differentiating may add generators.
        self.slope = Enclosure(space, derivative(space, terms))
        self.value = Enclosure(space, terms)

    def sign(self, place: Fraction) -> int | None:
        return sign_at(self.space, self.terms, place)

    def sign_between(self, low: Fraction, high: Fraction) -> int:
        """Return the sign the sum has throughout, 0 if none is proven."""
        return sign_of(self.value.between(low, high, _precision(low, high)))


def _between_marks(sum_: _Sum, marks: list[Zero], lower: Fraction, upper: Fraction) -> list[Zero]:
    """Return the zeros of a sum that rises or falls throughout between neighbouring marks."""
    found: list[Zero] = []
    start = lower
    for mark in marks:
        low, high, zero = _settled(sum_, mark)
        if start < low:
            found += _monotone(sum_, start, low)
        found += zero
        start = high
    if start < upper:
        found += _monotone(sum_, start, upper)
    return _joined(found)


def _settled(sum_: _Sum, mark: Zero) -> tuple[Fraction, Fraction, list[Zero]]:
    """Return fractions around a mark, and the zero of the sum that may be there."""
    if isinstance(mark, Fraction):
        sign = sum_.sign(mark)
        if sign is not None:
            return mark, mark, [] if sign else [mark]
        near = mark / (1 << FINEST)
        return mark - near, mark + near, [Gap(mark - near, mark + near)]
    if isinstance(mark, Crossing):
        while not sum_.sign_between(mark.lower, mark.upper):
            if (mark.upper - mark.lower) * (1 << FINEST) < mark.lower:
                return mark.lower, mark.upper, [Gap(mark.lower, mark.upper)]
            mark.refine()
        return mark.lower, mark.upper, []
    assert isinstance(mark, Gap)
    doubt: list[Zero] = [] if sum_.sign_between(mark.lower, mark.upper) else [mark]
    return mark.lower, mark.upper, doubt


def _by_boxes(sum_: _Sum, lower: Fraction, upper: Fraction) -> list[Zero]:
    found: list[Zero] = []
    stack = [(lower, upper)]
    for _ in range(MAX_BOXES):
        if not stack:
            return [_snapped(sum_.space, sum_.terms, zero) for zero in _joined(found)]
        low, high = stack.pop()
        if sum_.sign_between(low, high):
            continue
        slope = sum_.slope.between(low, high, _precision(low, high))
        if sign_of(slope):
            found += _monotone(sum_, low, high)
            continue
        middle = _middle(low, high)
        if not sign_of(_mean_value(sum_, slope, low, middle, high)):
            if (high - low) * (1 << FINEST) < low:
                found.append(Gap(low, high))
            else:
                stack.append((middle, high))
                stack.append((low, middle))
    raise UnsolvableError(f"more than {MAX_BOXES} boxes are needed to bracket the crossings")


def _precision(low: Fraction, high: Fraction) -> int:
    """Return the bits to work with on a box: more, the narrower it is."""
    if low == high:
        return 2 * BITS
    return BITS + 2 * max(0, (low / (high - low)).__floor__().bit_length())


def _middle(low: Fraction, high: Fraction) -> Fraction:
    """Return a place between, on the scale of powers of two while the ends are far apart."""
    if high <= 4 * low:
        return (low + high) / 2
    size = (high / low).__floor__().bit_length() // 2
    return low * (1 << size)


def _mean_value(sum_: _Sum, slope: Raw, low: Fraction, middle: Fraction, high: Fraction) -> Raw:
    """Return bounds from the value in the middle and the slope."""
    bits = _precision(low, high)
    at_middle = sum_.value.between(middle, middle, bits)
    scale = Fraction(sum_.space.scale)
    steep = libmp.mpi_div(slope, raw(scale, scale, bits), bits)
    reach = libmp.mpi_mul(steep, raw(low - middle, high - middle, bits), bits)
    bounds: Raw = libmp.mpi_add(at_middle, reach, bits)
    return bounds


def _monotone(sum_: _Sum, low: Fraction, high: Fraction) -> list[Zero]:
    """Return the zero of a sum that rises or falls throughout a box, both ends included."""
    before, after = sum_.sign(low), sum_.sign(high)
    if before is None or after is None:
        return [Gap(low, high)]
    if not before or not after:
        return [low if not before else high]
    if before == after:
        return []
    return [Crossing(low, high, partial(_narrowed, sum_, after), after)]


def _snapped(space: Space, terms: Terms, zero: Zero) -> Zero:
    """Return a crossing that is exactly at an integer, or a simple fraction, as that place.

    A bracket that stays a bracket leaves integers out.
    """
    if not isinstance(zero, Crossing):
        return zero
    power = space.power
    try:
        while zero.upper**power - zero.lower**power >= Fraction(1, 2):
            zero.refine()
        whole = (zero.upper**power).__floor__()
        if zero.lower**power < whole:
            place = root_point(Fraction(whole), power)
            side = sign_at(space, terms, place)
            if side == 0:
                return place
            if isinstance(place, Fraction) and side is not None:
                # However close the zero is: the integer ends its bracket.
                if side == zero.above:
                    zero.upper = place
                else:
                    zero.lower = place
            while zero.lower**power < whole < zero.upper**power:
                if (zero.upper - zero.lower) * (1 << TOO_CLOSE) < zero.lower:
                    return Gap(zero.lower, zero.upper)
                zero.refine()
        simple = simplest_between(*zero.enclosure(FINEST))
        if simple.denominator < SIMPLE and sign_at(space, terms, simple) == 0:
            return simple
    except UndecidedError:
        return Gap(zero.lower, zero.upper)
    return zero


def _narrowed(sum_: _Sum, after: int, low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
    """Return a narrower bracket: by Newton's step in intervals, or else by halving."""
    bits = _precision(low, high)
    middle = _middle(low, high)
    if high <= 4 * low:
        middle = _rounded(middle, high - low)
    slope = sum_.slope.between(low, high, bits)
    if sign_of(slope):
        value = sum_.value.between(middle, middle, bits)
        scale = Fraction(sum_.space.scale)
        shift = libmp.mpi_div(libmp.mpi_mul(value, raw(scale, scale, bits), bits), slope, bits)
        left, right = middle - fraction_of(shift[1]), middle - fraction_of(shift[0])
        slack = (right - left) / 8
        if slack:
            left, right = _rounded(left - slack, slack), _rounded(right + slack, slack)
        left, right = max(left, low), min(right, high)
        if 0 < right - left <= (high - low) / 2:
            return left, right
    # A second and third try where the first place is exactly the zero.
    for place in (middle, middle + (high - middle) / 8, middle - (middle - low) / 8):
        side = sum_.sign(place)
        if side:
            return (low, place) if side == after else (place, high)
    raise UndecidedError(f"a crossing near {float(low):.12g} cannot be bracketed closer")


def _rounded(value: Fraction, unit: Fraction) -> Fraction:
    """Return a nearby fraction, at most a sixteenth of `unit` away, with a short denominator."""
    size = (8 / unit).__ceil__().bit_length()
    return Fraction(round(value * (1 << size)), 1 << size)


def _joined(found: list[Zero]) -> list[Zero]:
    """Return zeros without repeats, gaps that touch made one."""
    kept: list[Zero] = []
    for zero in found:
        last = kept[-1] if kept else None
        if isinstance(zero, Gap) and isinstance(last, Gap) and last.upper == zero.lower:
            kept[-1] = Gap(last.lower, zero.upper)
        elif zero != last:
            kept.append(zero)
    return kept
