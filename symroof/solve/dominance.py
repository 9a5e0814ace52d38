"""Where a sum with exponentials and logarithms has its last zero, and its first."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key

from mpmath import libmp  # type: ignore[import-untyped]

from symroof.solve.enclosures import (
    Enclosure,
    Raw,
    derivative,
    natural_logarithm,
    raw,
    sign_of,
)
from symroof.solve.quotients import FIELD, Kind, Space, Terms, UnsolvableError, added

BITS = 80
MAX_ORDER = 6
MAX_SIZE = 1 << 14


def end_of_zeros(space: Space, terms: Terms) -> Fraction:
    """Return a number beyond which the sum has no zero."""
    groups = _groups(space, terms)
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


def start_of_zeros(space: Space, terms: Terms, upper: Fraction) -> Fraction:
    """Return a number below which the sum has no zero; 0 if none was found."""
    if any(group.logarithm for group in _groups(space, terms)):
        return _start_with_logarithm(space, terms)
    # A power series at 0: its lowest derivative that does not vanish there decides.
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
        product = libmp.mpi_mul(shape, _coefficient(space, group, BITS), BITS)
        amount: Raw = libmp.mpi_abs(product, BITS)
        return amount

    rest = libmp.fzero
    for group in others:
        rest = libmp.mpf_add(rest, size(group)[1], BITS, libmp.round_ceiling)
    return bool(libmp.mpf_gt(size(top)[0], rest))


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


def _start_with_logarithm(space: Space, terms: Terms) -> Fraction:
    """Return a number below which one group outweighs all others together; 0 if none was found.

    Towards 0 the lowest power of the variable leads, with the highest power of the logarithm;
    exponentials tend to 1.
    """
    position = next(i for i, g in enumerate(space.generators) if g.kind is Kind.LOGARITHM)
    by_shape: dict[tuple[int, int], Terms] = {}
    for key, coefficient in terms.items():
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
        for shape, part in by_shape.items():
            factor = libmp.mpi_abs(Enclosure(space, part).between(Fraction(0), place, BITS), BITS)
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
