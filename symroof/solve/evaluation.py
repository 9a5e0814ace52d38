"""The sign of a sum of monomials at one place, exactly."""

from __future__ import annotations

from fractions import Fraction
from math import lcm

from sympy import S

from symroof.errors import UndecidedError
from symroof.solve.closed import value_at
from symroof.solve.conjugates import MAX_INDEX, only_this_vanishes, resultant
from symroof.solve.enclosures import Enclosure, sign_of
from symroof.solve.nodes import root_of_number
from symroof.solve.points import Closed, Point, PowerOfTwo, floor_of_power
from symroof.solve.quotients import (
    FIELD,
    MAX_BITS,
    Kind,
    Quotient,
    Space,
    Terms,
    added,
    multiplied,
    raised,
    scaled,
)
from symroof.solve.roots import Root
from symroof.solve.univariate import Polynomial
from symroof.solve.univariate import sign_at as polynomial_sign
from symroof.symbolic.reals import order

QUICK = (64, 256)
SLOW = (1024, 4096)
MAX_DENOMINATOR = 1 << 16


def sign_at(space: Space, terms: Terms, point: Point) -> int | None:
    """Return the sign of a sum at a place, or None where it could not be proven.

    Sums of powers, square roots included, are always decided. With logarithms and exponentials
    a sum that is not zero is decided by enclosures, a zero by exact arithmetic at fractions.

    Examples
    --------
    >>> sign_at(Space(), {2: 1, 0: -4}, Fraction(2)), sign_at(Space(), {2: 1}, Fraction(2))
    (0, 1)
    """
    if not terms:
        return 0
    if len(terms) == 1:
        ((key, coefficient),) = terms.items()
        if not key or len(space.generators) == 1:
            return 1 if coefficient > 0 else -1
    dense = in_variable(space, terms)
    if dense is not None:
        polynomial, _ = dense
        if isinstance(point, Fraction):
            return polynomial_sign(polynomial, point)
        if isinstance(point, Root):
            return point.sign_of(polynomial)
    if isinstance(point, Fraction):
        return _at_fraction(space, terms, point)
    return _at_irrational(space, terms, point)


def in_variable(space: Space, terms: Terms) -> tuple[Polynomial, int] | None:
    """Return (polynomial, shift) with terms = v**shift * polynomial(v), else None.

    Examples
    --------
    >>> in_variable(Space(), {-1: 3, 1: 2})
    ((3, 0, 2), -1)
    """
    if len(space.generators) > 1 and any(not -HALF <= key < HALF for key in terms):
        return None
    return dense(terms)


HALF = 1 << (FIELD - 1)


def dense(terms: Terms) -> tuple[Polynomial, int]:
    """Return the coefficients of a sum in one generator, and the lowest exponent."""
    low, high = min(terms), max(terms)
    if high == low:
        return (terms[low],), low
    coefficients = [0] * (high - low + 1)
    for key, coefficient in terms.items():
        coefficients[key - low] = coefficient
    return tuple(coefficients), low


def _at_fraction(space: Space, terms: Terms, value: Fraction) -> int | None:
    enclosure = Enclosure(space, terms)
    for bits in QUICK:
        sign = sign_of(enclosure.between(value, value, bits))
        if sign:
            return sign
    leading = _only_growth(space, terms, value)
    if leading is not None:
        return leading
    if value.denominator > MAX_DENOMINATOR:
        return _closely(enclosure, value)
    exact = _substituted(space, terms, value)
    if not exact:
        return 0
    if exact.keys() == {0}:
        return 1 if exact[0] > 0 else -1
    radical = _last_radical(space, exact)
    if radical is not None:
        return _by_squaring(space, exact, radical, value)
    if _vanishes(space, exact, value):
        return 0
    return _closely(enclosure, value)


def _closely(enclosure: Enclosure, value: Fraction) -> int | None:
    for bits in SLOW:
        sign = sign_of(enclosure.between(value, value, bits))
        if sign:
            return sign
    return None


def _only_growth(space: Space, terms: Terms, value: Fraction) -> int | None:
    """Return the sign where all exponentials but one have coefficients that add up to zero.

    An exponential that has died out cannot be told from zero by enclosures, nor be written out.
    """
    sums: dict[int, Fraction] = {}
    for key, coefficient in terms.items():
        exponents = space.exponents(key)
        rest = key - exponents[0]
        for position, exponent in enumerate(exponents):
            if exponent and position and space.generators[position].kind is not Kind.EXPONENTIAL:
                return None
        sums[rest] = sums.get(rest, Fraction(0)) + coefficient * _power(value, exponents[0])
    kept = [total for total in sums.values() if total]
    if len(kept) > 1:
        return None
    return 0 if not kept else 1 if kept[0] > 0 else -1


def _at_irrational(space: Space, terms: Terms, point: Point) -> int | None:
    assert not isinstance(point, Fraction)
    enclosure = Enclosure(space, terms)
    for bits in (64, 256):
        sign = sign_of(enclosure.between(*point.enclosure(bits), bits + 32))
        if sign:
            return sign
    radical = _last_radical(space, terms)
    if radical is not None:
        return _by_squaring(space, terms, radical, point)
    if _vanishes(space, terms, point):
        return 0
    if isinstance(point, Closed):
        return _at_closed(space, terms, point)
    if isinstance(point, PowerOfTwo):
        return _in_logarithm(space, terms, point)
    whole = _whole_unknown(space, point)
    if whole is None:
        return None
    exact = _substituted(space, terms, whole, unknown=True)
    if exact == terms:
        return None
    return sign_at(space, exact, point)


def _at_closed(space: Space, terms: Terms, point: Closed) -> int | None:
    try:
        return order(value_at(space, terms, point.expr), S.Zero)
    except UndecidedError:
        return None


def _whole_unknown(space: Space, point: Point) -> Fraction | None:
    """Return the unknown at a place where it is an integer though its root is not."""
    if space.power == 1 or not isinstance(point, Root):
        return None
    whole, exact = floor_of_power(point, space.power)
    return Fraction(whole) if exact else None


def _in_logarithm(space: Space, terms: Terms, point: PowerOfTwo) -> int | None:
    """Return the sign of a polynomial in log2(v) alone at a power of two."""
    polynomial = in_logarithm(space, terms)
    if polynomial is None:
        return None
    if not point.positive:
        polynomial = tuple(-c if i % 2 else c for i, c in enumerate(polynomial))
    exponent = point.exponent
    if isinstance(exponent, Fraction):
        return polynomial_sign(polynomial, exponent)
    return exponent.sign_of(polynomial)


def in_logarithm(space: Space, terms: Terms) -> Polynomial | None:
    """Return the polynomial in log2(v) that a sum is, up to a power of v; None if it is not."""
    position = next((i for i, g in enumerate(space.generators) if g.kind is Kind.LOGARITHM), None)
    if position is None:
        return None
    found: dict[int, int] = {}
    shifts = set()
    for key, coefficient in terms.items():
        exponents = space.exponents(key)
        shifts.add(exponents[0])
        if any(e for i, e in enumerate(exponents) if i not in (0, position)):
            return None
        found[exponents[position]] = coefficient
    if len(shifts) > 1:
        return None
    low = min(0, *found)
    return tuple(found.get(i, 0) for i in range(low, max(found) + 1))


def _substituted(space: Space, terms: Terms, value: Fraction, *, unknown: bool = False) -> Terms:
    """Return a sum with the same sign, in which all generators that are rational are numbers.

    `value` is that of the variable, or of the unknown where asked for.
    """
    numbers: dict[int, Fraction] = {}
    growths: dict[int, Fraction] = {}
    for position, generator in enumerate(space.generators):
        if generator.kind is Kind.VARIABLE and not unknown:
            numbers[position] = value
        elif generator.kind is Kind.LOGARITHM and not unknown:
            above, below = value.numerator, value.denominator
            if above & (above - 1) == 0 and below & (below - 1) == 0:
                numbers[position] = Fraction(above.bit_length() - below.bit_length())
        elif generator.kind is Kind.EXPONENTIAL:
            size = value if unknown else value**space.power
            bits = max(generator.base.numerator, generator.base.denominator).bit_length()
            if size * bits < MAX_BITS:
                growths[position] = size / space.scale
    result: dict[int, Fraction] = {}
    for key, coefficient in terms.items():
        factor = Fraction(coefficient)
        for position, exponent in enumerate(space.exponents(key)):
            if not exponent:
                continue
            if position in numbers and (exponent > 0 or numbers[position]):
                factor *= _power(numbers[position], exponent)
            elif position in growths:
                # A power with a fraction for exponent leaves a root of the base behind.
                base = space.generators[position].base
                grown = root_of_number(space, base, growths[position] * exponent)
                ((shift, above),) = grown.numerator.items()
                factor *= Fraction(above, grown.denominator[0])
                key += shift
            else:
                continue
            key -= exponent << (FIELD * position)
        result[key] = result.get(key, Fraction(0)) + factor
    kept = {key: number for key, number in result.items() if number}
    scale = lcm(*(number.denominator for number in kept.values()))
    return {key: int(number * scale) for key, number in kept.items()}


def _power(base: Fraction, exponent: int) -> Fraction:
    """Return an integer power (of a base that is not zero where the exponent is negative)."""
    above, below = base.numerator, base.denominator
    if exponent < 0:
        above, below, exponent = below, above, -exponent
    return Fraction(above**exponent, below**exponent)


def _last_radical(space: Space, terms: Terms) -> int | None:
    """Return the position of the last square root in a sum, None if there is none or others."""
    last = None
    for key in terms:
        for position, exponent in enumerate(space.exponents(key)):
            if exponent and space.generators[position].kind is Kind.RADICAL:
                if space.generators[position].index != 2:
                    return None
                last = position if last is None else max(last, position)
    return last


def _by_squaring(space: Space, terms: Terms, position: int, point: Point) -> int | None:
    """Return the sign of a + b*sqrt(r) from those of a, b and a**2 - b**2 * r."""
    radicand = space.generators[position].radicand
    assert radicand is not None
    even, odd, power = split_radical(space, terms, position)
    below = sign_at(space, radicand.denominator, point)
    inside = sign_at(space, radicand.numerator, point)
    a = sign_at(space, even, point)
    b = sign_at(space, odd, point)
    if below is None or inside is None or a is None or b is None:
        return None
    outside = below if power % 2 else 1
    if not inside:
        return a * outside
    if a * b >= 0:
        return (a or b) * outside
    rest = sign_at(space, norm(radicand, even, odd), point)
    if rest is None:
        return None
    # |a| against |b|*sqrt(r): the larger one decides.
    return (a if rest * below > 0 else b if rest else 0) * outside


def _vanishes(space: Space, terms: Terms, point: Point) -> bool:
    """Return whether a sum with a root of index up to 5 is proven to be zero at a place."""
    used = [i for key in terms for i, exponent in enumerate(space.exponents(key)) if exponent]
    radicals = [i for i in used if space.generators[i].kind is Kind.RADICAL]
    if not radicals:
        return False
    position = max(radicals)
    if space.generators[position].index > MAX_INDEX:
        return False
    if not only_this_vanishes(space, terms, position, point):
        return False
    return sign_at(space, resultant(space, terms, position), point) == 0


def split_radical(space: Space, terms: Terms, position: int) -> tuple[Terms, Terms, int]:
    """Return (a, b, m) with terms * d**m = a + b*r for the square root r of n/d."""
    radicand = space.generators[position].radicand
    assert radicand is not None
    parts: dict[int, Terms] = {}
    lowest = min(space.exponents(key)[position] for key in terms)
    shift = 2 * ((min(lowest, 0) - 1) // 2) if lowest < 0 else 0
    for key, coefficient in terms.items():
        exponent = space.exponents(key)[position]
        parts.setdefault(exponent - shift, {})[key - (exponent << FIELD * position)] = coefficient
    power = max(parts) // 2
    sums: list[Terms] = [{}, {}]
    for exponent, part in parts.items():
        half = exponent // 2
        weighted = multiplied(
            multiplied(part, raised(radicand.numerator, half)),
            raised(radicand.denominator, power - half),
        )
        sums[exponent % 2] = added(sums[exponent % 2], weighted)
    return sums[0], sums[1], power


def norm(radicand: Quotient, even: Terms, odd: Terms) -> Terms:
    """Return (a**2 - b**2 * r) * d for the radicand r = n/d."""
    return added(
        multiplied(multiplied(even, even), radicand.denominator),
        scaled(multiplied(multiplied(odd, odd), radicand.numerator), -1),
    )
