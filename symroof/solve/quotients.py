"""Quotients of sums of monomials: what a formula in one unknown becomes once its steps are known.

A sum is a dictionary from a packed monomial to an integer coefficient. A monomial is one integer:
each generator of the space has a field of 40 bits for its exponent (negative ones included), so
multiplying monomials is adding integers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from math import gcd, lcm
from typing import TypeAlias

Terms: TypeAlias = dict[int, int]

FIELD = 40
HALF = 1 << (FIELD - 1)
MASK = (1 << FIELD) - 1
MAX_TERMS = 5_000
MAX_EXPONENT = 1_000_000
MAX_BITS = 4_000_000


class UnsolvableError(Exception):
    """A question outside what can be decided; the message says what was met."""


class UndefinedError(Exception):
    """A formula without a value: division by zero, a root of a negative number."""


class Kind(Enum):
    """What a generator is, as a function of the variable v > 0 (the unknown is v**q)."""

    VARIABLE = "v"
    LOGARITHM = "log2(v)"
    EXPONENTIAL = "base**(v**q / scale)"
    RADICAL = "the root of that index of the radicand"
    BINARY_LOGARITHM = "log2(base), a number"
    NATURAL_LOGARITHM = "ln(base), a number"


@dataclass(frozen=True, slots=True)
class Generator:
    """One generator; which fields are used depends on its kind."""

    kind: Kind
    positive: bool
    base: Fraction = Fraction(0)
    radicand: Quotient | None = None
    index: int = 0

    @property
    def constant(self) -> bool:
        """Whether the generator is a number."""
        if self.radicand is not None:
            return self.radicand.constant is not None
        return self.kind in (Kind.BINARY_LOGARITHM, Kind.NATURAL_LOGARITHM)


@dataclass(frozen=True, slots=True)
class Quotient:
    """A numerator over a denominator, with the other sums that must not be zero for a value."""

    numerator: Terms
    denominator: Terms
    poles: tuple[Terms, ...] = ()

    @property
    def constant(self) -> Fraction | None:
        """The value, where it is one rational number."""
        if len(self.denominator) != 1 or 0 not in self.denominator:
            return None
        if not self.numerator:
            return Fraction(0)
        if len(self.numerator) == 1 and 0 in self.numerator:
            return Fraction(self.numerator[0], self.denominator[0])
        return None


@dataclass(slots=True)
class Space:
    """The generators of one question, and arithmetic on quotients over them.

    Attributes
    ----------
    power : int
        q: the unknown is the q-th power of the variable, so that its roots are powers too.
    scale : int
        Exponentials are powers of ``base**(u/scale)``.
    generators : list of Generator
        The first is the variable.
    """

    power: int = 1
    scale: int = 1
    generators: list[Generator] = field(
        default_factory=lambda: [Generator(Kind.VARIABLE, positive=True)]
    )

    def number(self, value: Fraction) -> Quotient:
        """Return a rational number as a quotient."""
        numerator = {0: value.numerator} if value else {}
        return Quotient(numerator, {0: value.denominator})

    def variable(self, exponent: int = 1) -> Quotient:
        """Return a power of the variable."""
        return Quotient({exponent: 1}, ONE)

    def generator(self, wanted: Generator, exponent: int = 1) -> Quotient:
        """Return a power of a generator, which is added to the space if it is new."""
        if wanted in self.generators:
            position = self.generators.index(wanted)
        else:
            position = len(self.generators)
            self.generators.append(wanted)
        return Quotient({exponent << (FIELD * position): 1}, ONE)

    def add(self, left: Quotient, right: Quotient) -> Quotient:
        """Return the sum."""
        poles = left.poles + right.poles
        a, b = left.denominator, right.denominator
        if a == b:
            return Quotient(added(left.numerator, right.numerator), a, poles)
        if len(a) == len(b) == 1 and 0 in a and 0 in b:
            common = lcm(a[0], b[0])
            numerator = added(
                scaled(left.numerator, common // a[0]), scaled(right.numerator, common // b[0])
            )
            return Quotient(numerator, {0: common}, poles)
        numerator = added(multiplied(left.numerator, b), multiplied(right.numerator, a))
        return Quotient(numerator, multiplied(a, b), poles)

    def multiply(self, left: Quotient, right: Quotient) -> Quotient:
        """Return the product."""
        numerator = multiplied(left.numerator, right.numerator)
        denominator = multiplied(left.denominator, right.denominator)
        return _reduced(numerator, denominator, left.poles + right.poles)

    def negate(self, quotient: Quotient) -> Quotient:
        """Return the opposite."""
        return Quotient(scaled(quotient.numerator, -1), quotient.denominator, quotient.poles)

    def subtract(self, left: Quotient, right: Quotient) -> Quotient:
        """Return the difference."""
        return self.add(left, self.negate(right))

    def invert(self, quotient: Quotient) -> Quotient:
        """Return the reciprocal.

        Raises
        ------
        UndefinedError
            If the quotient is zero.
        """
        if not quotient.numerator:
            raise UndefinedError
        poles = quotient.poles
        if len(quotient.denominator) > 1:
            poles = (*poles, quotient.denominator)
        numerator, denominator = quotient.denominator, quotient.numerator
        if len(denominator) == 1:
            # A monomial of positive generators moves up: it is never zero.
            ((key, coefficient),) = denominator.items()
            if key and self._is_positive(key):
                numerator = {k - key: c for k, c in numerator.items()}
                denominator = {0: coefficient}
        return _reduced(numerator, denominator, poles)

    def raise_to(self, quotient: Quotient, exponent: int) -> Quotient:
        """Return an integer power."""
        if exponent < 0:
            return self.invert(self.raise_to(quotient, -exponent))
        numerator, denominator = quotient.numerator, quotient.denominator
        if max(len(numerator), len(denominator)) > 1 and exponent > MAX_TERMS:
            raise UnsolvableError(f"a sum to the power {exponent} has too many terms")
        return Quotient(raised(numerator, exponent), raised(denominator, exponent), quotient.poles)

    def exponents(self, key: int) -> list[int]:
        """Return the exponent of each generator in a monomial."""
        found = []
        for _ in self.generators:
            exponent = ((key + HALF) & MASK) - HALF
            found.append(exponent)
            key = (key - exponent) >> FIELD
        return found

    def _is_positive(self, key: int) -> bool:
        pairs = zip(self.exponents(key), self.generators, strict=True)
        return all(generator.positive for exponent, generator in pairs if exponent)


ONE: Terms = {0: 1}


def added(left: Terms, right: Terms) -> Terms:
    """Return the sum of two sums."""
    result = dict(left)
    for key, coefficient in right.items():
        total = result.get(key, 0) + coefficient
        if total:
            result[key] = total
        else:
            del result[key]
    return result


def scaled(terms: Terms, factor: int) -> Terms:
    """Return a multiple of a sum."""
    return terms if factor == 1 else {key: c * factor for key, c in terms.items()}


def multiplied(left: Terms, right: Terms) -> Terms:
    """Return the product of two sums."""
    if right is ONE:
        return left
    if len(right) == 1:
        ((shift, factor),) = right.items()
        return {key + shift: c * factor for key, c in left.items()}
    if len(left) * len(right) > 100 * MAX_TERMS:
        raise UnsolvableError("the product of two sums has too many terms")
    result: Terms = {}
    for a, c in left.items():
        for b, d in right.items():
            key = a + b
            result[key] = result.get(key, 0) + c * d
    return {key: c for key, c in result.items() if c}


def raised(terms: Terms, exponent: int) -> Terms:
    """Return a power of a sum, the exponent not negative."""
    if len(terms) == 1:
        ((key, coefficient),) = terms.items()
        if exponent > MAX_EXPONENT or coefficient.bit_length() * exponent > MAX_BITS:
            raise UnsolvableError("a power is too large to write out")
        return {key * exponent: coefficient**exponent}
    result = ONE
    for bit in bin(exponent)[2:]:
        result = multiplied(result, result)
        if bit == "1":
            result = multiplied(result, terms)
    return result


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


def _reduced(numerator: Terms, denominator: Terms, poles: tuple[Terms, ...]) -> Quotient:
    """Return the quotient with a positive, reduced integer denominator where that is all of it."""
    if len(denominator) == 1 and 0 in denominator:
        below = denominator[0]
        common = gcd(below, *numerator.values())
        if below < 0:
            common = -common
        if common != 1:
            numerator = {key: c // common for key, c in numerator.items()}
            denominator = {0: below // common}
    return Quotient(numerator, denominator, poles)
