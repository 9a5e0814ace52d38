"""Zeros of sums with exponentials and logarithms, bracketed with a proof.

The line is cut in three. Beyond some U one term outweighs all others together, because every
ratio to it falls from there on; below some e the lowest derivative that does not vanish at 0
has one sign, or again one term outweighs the others. In between, boxes are halved until the sum
has one sign on a box, or its derivative has, so that the signs at the ends tell whether there is
one zero or none. All bounds are rigorous intervals.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import gcd
from typing import TypeAlias

from mpmath import libmp  # type: ignore[import-untyped]

from symroof.solve.dominance import end_of_zeros, start_of_zeros
from symroof.solve.enclosures import Enclosure, Raw, derivative, raw, sign_of
from symroof.solve.evaluation import sign_at
from symroof.solve.points import Crossing, Gap, Point, root_point
from symroof.solve.quotients import FIELD, Kind, Space, Terms, UnsolvableError
from symroof.symbolic.reals import UndecidedError, fraction_of

Range: TypeAlias = tuple[Fraction, Fraction | None]

EVERYWHERE: Range = (Fraction(0), None)

BITS = 80
FINEST = 60
MAX_BOXES = 20_000


def isolate(space: Space, terms: Terms, within: Range = EVERYWHERE) -> list[Point | Gap]:
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
        Crossings, fractions where an integer is exactly a zero, and gaps: pairs of close numbers
        between which nothing could be proven.

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
    sum_ = _Sum(space, without_common_factors(space, terms))
    found: list[Point | Gap] = []
    if upper is None:
        upper = max(end_of_zeros(space, sum_.terms), 2 * lower)
    if not lower:
        lower = start_of_zeros(space, sum_.terms, upper)
        if not lower:
            lower = Fraction(1, 1 << FINEST)
            found.append(Gap(Fraction(0), lower))
    found += _bracketed(sum_, lower, upper)
    return found


@dataclass(slots=True)
class _Sum:
    space: Space
    terms: Terms
    value: Enclosure
    slope: Enclosure

    def __init__(self, space: Space, terms: Terms) -> None:
        self.space = space
        self.terms = terms
        self.slope = Enclosure(space, derivative(space, terms))
        self.value = Enclosure(space, terms)

    def sign(self, place: Fraction) -> int | None:
        return sign_at(self.space, self.terms, place)


def without_common_factors(space: Space, terms: Terms) -> Terms:
    """Return the sum without what all its terms have in common that has no zero.

    Integers, powers of the variable and exponentials go; the term of the lowest key is positive.
    """
    rows = [space.exponents(key) for key in terms]
    shift = 0
    for position, generator in enumerate(space.generators):
        if generator.kind in (Kind.VARIABLE, Kind.EXPONENTIAL):
            shift += min(row[position] for row in rows) << (FIELD * position)
    common = gcd(*terms.values())
    if terms[min(terms)] < 0:
        common = -common
    return {key - shift: coefficient // common for key, coefficient in terms.items()}


def _bracketed(sum_: _Sum, lower: Fraction, upper: Fraction) -> list[Point | Gap]:
    found: list[Point | Gap] = []
    stack = [(lower, upper)]
    for _ in range(MAX_BOXES):
        if not stack:
            return _joined(found)
        low, high = stack.pop()
        bits = max(0, (low / (high - low)).__floor__().bit_length())
        precision = BITS + 2 * bits
        value = sum_.value.between(low, high, precision)
        if sign_of(value):
            continue
        slope = sum_.slope.between(low, high, precision)
        if sign_of(slope):
            found += _monotone(sum_, low, high)
            continue
        middle = _middle(low, high)
        if not sign_of(_mean_value(sum_, slope, low, middle, high, precision)):
            if bits > FINEST:
                found.append(Gap(low, high))
            else:
                stack.append((middle, high))
                stack.append((low, middle))
    raise UnsolvableError(f"more than {MAX_BOXES} boxes are needed to bracket the crossings")


def _middle(low: Fraction, high: Fraction) -> Fraction:
    """Return a place between, on the scale of powers of two while the ends are far apart."""
    if high <= 4 * low:
        return (low + high) / 2
    size = (high / low).__floor__().bit_length() // 2
    return low * (1 << size)


def _mean_value(
    sum_: _Sum, slope: Raw, low: Fraction, middle: Fraction, high: Fraction, bits: int
) -> Raw:
    at_middle = sum_.value.between(middle, middle, bits)
    reach = raw(low - middle, high - middle, bits)
    # The slope was taken of the sum times the scale.
    scale = Fraction(sum_.space.scale)
    steep = libmp.mpi_div(slope, raw(scale, scale, bits), bits)
    bounds: Raw = libmp.mpi_add(at_middle, libmp.mpi_mul(steep, reach, bits), bits)
    return bounds


def _monotone(sum_: _Sum, low: Fraction, high: Fraction) -> list[Point | Gap]:
    """Return the zero of a sum that rises or falls throughout a box, both ends included."""
    before, after = sum_.sign(low), sum_.sign(high)
    if before is None or after is None:
        return [Gap(low, high)]
    if not before or not after:
        return [low if not before else high]
    if before == after:
        return []
    try:
        power = sum_.space.power
        while high**power - low**power >= Fraction(1, 2):
            low, high = _narrowed(sum_, after, low, high)
        whole = (high**power).__floor__()
        if low**power < whole:
            # An end that is a whole number is one exactly; else the bracket must leave it out.
            place = root_point(Fraction(whole), power)
            if sign_at(sum_.space, sum_.terms, place) == 0:
                return [place]
            while low**power < whole < high**power:
                low, high = _narrowed(sum_, after, low, high)
    except UndecidedError:
        return [Gap(low, high)]
    return [Crossing(low, high, partial(_narrowed, sum_, after))]


def _narrowed(sum_: _Sum, after: int, low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
    """Return a bracket of at most half the width, by Newton's step in intervals if that does it."""
    bits = 2 * max(0, (low / (high - low)).__floor__().bit_length()) + 32
    middle = _rounded((low + high) / 2, high - low)
    slope = sum_.slope.between(low, high, bits)
    if sign_of(slope):
        value = sum_.value.between(middle, middle, bits)
        scale = Fraction(sum_.space.scale)
        shift = libmp.mpi_div(libmp.mpi_mul(value, raw(scale, scale, bits), bits), slope, bits)
        left, right = middle - fraction_of(shift[1]), middle - fraction_of(shift[0])
        slack = (right - left) / 8
        left, right = _rounded(left - slack, slack), _rounded(right + slack, slack)
        left, right = max(left, low), min(right, high)
        if 0 < right - left <= (high - low) / 2:
            return left, right
    for part in (Fraction(0), Fraction(1, 8), Fraction(-1, 8)):
        middle += part * (high - low)
        side = sum_.sign(middle)
        if side:
            return (low, middle) if side == after else (middle, high)
    raise UndecidedError(f"a crossing near {float(low):.12g} cannot be bracketed closer")


def _rounded(value: Fraction, unit: Fraction) -> Fraction:
    """Return a nearby fraction, at most an eighth of `unit` away, with a short denominator."""
    size = (8 / unit).__ceil__().bit_length()
    return Fraction(round(value * (1 << size)), 1 << size)


def _joined(found: list[Point | Gap]) -> list[Point | Gap]:
    """Return zeros without repeats, gaps that touch made one."""
    kept: list[Point | Gap] = []
    for zero in found:
        last = kept[-1] if kept else None
        if isinstance(zero, Gap) and isinstance(last, Gap) and last.upper == zero.lower:
            kept[-1] = Gap(last.lower, zero.upper)
        elif zero != last:
            kept.append(zero)
    return kept
