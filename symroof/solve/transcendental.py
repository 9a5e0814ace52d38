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
from functools import cmp_to_key
from math import gcd
from typing import TypeAlias

from mpmath import libmp  # type: ignore[import-untyped]

from symroof.solve.enclosures import (
    Enclosure,
    Raw,
    derivative,
    natural_logarithm,
    raw,
    sign_of,
)
from symroof.solve.evaluation import sign_at
from symroof.solve.points import Crossing, Gap, Point
from symroof.solve.quotients import FIELD, Kind, Space, Terms, UnsolvableError, added

Range: TypeAlias = tuple[Fraction, Fraction | None]

EVERYWHERE: Range = (Fraction(0), None)

BITS = 80
FINEST = 60
MAX_BOXES = 20_000
MAX_ORDER = 6
MAX_SIZE = 1 << 14


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
        upper = max(_end_of_zeros(sum_), 2 * lower)
    if not lower:
        lower = _start_of_zeros(sum_, upper)
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


# --- beyond the last zero -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Group:
    """The terms that share their powers of the variable, its logarithm and the exponentials."""

    power: int
    logarithm: int
    exponentials: tuple[tuple[int, int], ...]
    coefficient: Terms


def _groups(space: Space, terms: Terms) -> list[_Group]:
    found: dict[tuple[int, int, tuple[tuple[int, int], ...]], Terms] = {}
    for key, coefficient in terms.items():
        power = logarithm = 0
        exponentials = []
        for position, exponent in enumerate(space.exponents(key)):
            if not exponent:
                continue
            kind = space.generators[position].kind
            if kind is Kind.VARIABLE:
                power = exponent
            elif kind is Kind.LOGARITHM:
                logarithm = exponent
            elif kind is Kind.EXPONENTIAL:
                exponentials.append((position, exponent))
            elif space.generators[position].constant:
                continue
            else:
                raise UnsolvableError("a root of a sum together with an exponential or logarithm")
            key -= exponent << (FIELD * position)
        place = (power, logarithm, tuple(exponentials))
        found[place] = added(found.get(place, {}), {key: coefficient})
    return [_Group(*place, part) for place, part in found.items() if part]


def _coefficient(space: Space, group: _Group, bits: int) -> Raw:
    return Enclosure(space, group.coefficient).between(Fraction(1), Fraction(1), bits)


def _rate(space: Space, group: _Group, bits: int) -> Raw:
    """Return bounds of r where the group's exponentials are exp(r * u)."""
    total: Raw = (libmp.fzero, libmp.fzero)
    for position, exponent in group.exponentials:
        weight = Fraction(exponent, space.scale)
        part = libmp.mpi_mul(
            natural_logarithm(space.generators[position].base, bits),
            raw(weight, weight, bits),
            bits,
        )
        total = libmp.mpi_add(total, part, bits)
    return total


def _grows_faster(space: Space, left: _Group, right: _Group) -> int:
    if left.exponentials != right.exponentials:
        for bits in (64, 512):
            gap = libmp.mpi_sub(_rate(space, left, bits), _rate(space, right, bits), bits)
            if sign_of(gap):
                return sign_of(gap)
        raise UnsolvableError("two exponentials grow too nearly alike")
    if left.power != right.power:
        return 1 if left.power > right.power else -1
    return left.logarithm - right.logarithm


def _end_of_zeros(sum_: _Sum) -> Fraction:
    """Return a number beyond which the sum has no zero."""
    space = sum_.space
    groups = _groups(space, sum_.terms)
    groups.sort(key=cmp_to_key(lambda a, b: _grows_faster(space, b, a)))
    top = groups[0]
    lead = _coefficient(space, top, BITS)
    if not sign_of(lead):
        raise UnsolvableError("the leading coefficient could not be told from zero")
    start = Fraction(4)
    for group in groups[1:]:
        start = max(start, _falling_from(space, group, top))
    size = max(2, start.__ceil__().bit_length())
    while size < MAX_SIZE:
        place = Fraction(1 << size)
        if place > start and _outweighs(space, top, groups[1:], place):
            return place
        size = size + 1 if size < 16 else size + size // 4
    raise UnsolvableError("no place was found beyond which the leading term outweighs the rest")


def _falling_from(space: Space, group: _Group, top: _Group) -> Fraction:
    """Return v beyond which the ratio of a group to the top one falls.

    The ratio is v**d * log2(v)**j * exp(-r * v**q); its logarithm has the derivative
    d/v + j/(v ln v) - r*q*v**(q-1), and ln v >= 1 from v = 4 on.
    """
    d = group.power - top.power
    j = group.logarithm - top.logarithm
    if group.exponentials != top.exponentials:
        gap = libmp.mpi_sub(_rate(space, top, BITS), _rate(space, group, BITS), BITS)
        slowest = Fraction(libmp.to_rational(gap[0])[0], libmp.to_rational(gap[0])[1])
        return (max(d, 0) + max(j, 0)) / slowest + 1
    if d < 0:
        # ln v > j / -d is enough; 3**k > e**k.
        needed = max(j, 0) // -d + 1
        if needed > MAX_SIZE:
            raise UnsolvableError("a logarithm to too high a power")
        return Fraction(3**needed)
    return Fraction(4)


def _outweighs(space: Space, top: _Group, others: list[_Group], place: Fraction) -> bool:
    """Return whether one group is larger than all the others together at a place."""

    def size(group: _Group) -> Raw:
        key = group.power
        for position, generator in enumerate(space.generators):
            if generator.kind is Kind.LOGARITHM:
                key += group.logarithm << (FIELD * position)
        for position, exponent in group.exponentials:
            key += exponent << (FIELD * position)
        shape = Enclosure(space, {key: 1}).between(place, place, BITS)
        return libmp.mpi_abs(
            libmp.mpi_mul(shape, _coefficient(space, group, BITS), BITS), BITS
        )

    rest = libmp.fzero
    for group in others:
        rest = libmp.mpf_add(rest, size(group)[1], BITS, libmp.round_ceiling)
    return bool(libmp.mpf_gt(size(top)[0], rest))


# --- before the first zero ------------------------------------------------------------------


def _start_of_zeros(sum_: _Sum, upper: Fraction) -> Fraction:
    """Return a number below which the sum has no zero; 0 if none was found."""
    space = sum_.space
    if any(group.logarithm for group in _groups(space, sum_.terms)):
        return _start_with_logarithm(sum_)
    # A power series at 0: its lowest derivative that does not vanish there decides.
    terms = sum_.terms
    for _ in range(MAX_ORDER):
        if _at_zero(space, terms):
            break
        terms = derivative(space, terms)
    else:
        return Fraction(0)
    enclosure = Enclosure(space, terms)
    place = min(Fraction(1), upper)
    for _ in range(MAX_SIZE.bit_length() * 4):
        if sign_of(enclosure.between(Fraction(0), place, BITS)):
            return place
        place /= 2 if place > Fraction(1, 1 << 16) else 1 << 16
    return Fraction(0)


def _at_zero(space: Space, terms: Terms) -> Terms:
    """Return the sum at v = 0, where exponentials are 1; empty if it vanishes."""
    value: Terms = {}
    for key, coefficient in terms.items():
        exponents = space.exponents(key)
        if exponents[0] > 0:
            continue
        for position, exponent in enumerate(exponents):
            if space.generators[position].kind is Kind.EXPONENTIAL:
                key -= exponent << (FIELD * position)
        value = added(value, {key: coefficient})
    return value


def _start_with_logarithm(sum_: _Sum) -> Fraction:
    """Return a number below which one group outweighs all others together; 0 if none was found.

    Towards 0 the lowest power of the variable leads, with the highest power of the logarithm;
    exponentials tend to 1.
    """
    space = sum_.space
    position = next(i for i, g in enumerate(space.generators) if g.kind is Kind.LOGARITHM)
    by_shape: dict[tuple[int, int], Terms] = {}
    for key, coefficient in sum_.terms.items():
        exponents = space.exponents(key)
        rest = key - exponents[0] - (exponents[position] << FIELD * position)
        shape = (exponents[0], -exponents[position])
        by_shape[shape] = added(by_shape.get(shape, {}), {rest: coefficient})
    lead = min(by_shape)
    if not _at_zero(space, by_shape[lead]):
        return Fraction(0)
    for size in (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096, MAX_SIZE):
        place = Fraction(1, 1 << size)
        rest = libmp.fzero
        top: Raw | None = None
        for shape, terms in by_shape.items():
            factor = libmp.mpi_abs(Enclosure(space, terms).between(Fraction(0), place, BITS), BITS)
            if shape == lead:
                top = factor
                continue
            # |log2 v| = size at the place; v**d * |log2 v|**j rises up to it for size * d > j * 2.
            d, j = shape[0] - lead[0], lead[1] - shape[1]
            if d and size * d <= 2 * j:
                rest = libmp.finf
                break
            ratio = Fraction(size) ** j / (1 << size * d)
            bound = libmp.mpf_mul(factor[1], raw(ratio, ratio, BITS)[1], BITS, "c")
            rest = libmp.mpf_add(rest, bound, BITS, libmp.round_ceiling)
        if top is not None and libmp.mpf_gt(top[0], rest):
            return place
    return Fraction(0)


# --- in between -----------------------------------------------------------------------------


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
            found += _monotone(sum_, low, high, sign_of(slope))
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
    return libmp.mpi_add(at_middle, libmp.mpi_mul(steep, reach, bits), bits)


def _monotone(sum_: _Sum, low: Fraction, high: Fraction, slope: int) -> list[Point | Gap]:
    """Return the zero of a sum that rises or falls throughout a box, both ends included."""
    before, after = sum_.sign(low), sum_.sign(high)
    if before is None or after is None:
        return [Gap(low, high)]
    if not before or not after:
        return [low if not before else high]
    if before == after:
        return []
    crossing = Crossing(sum_.sign, low, high, after)
    while crossing.upper - crossing.lower >= Fraction(1, 2):
        crossing.refine()
    whole = crossing.upper.__floor__()
    if crossing.lower < whole:
        side = sum_.sign(Fraction(whole))
        if side == 0:
            return [Fraction(whole)]
        if side == after:
            crossing.upper = Fraction(whole)
        elif side is not None:
            crossing.lower = Fraction(whole)
    return [crossing]


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
