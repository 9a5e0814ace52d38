"""Rigorous bounds of sums of monomials between two values of the variable.

Intervals are pairs of mpmath's raw numbers, rounded outwards; logarithms and exponentials get a
margin of 16 bits on top of mpmath's directed rounding.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, TypeAlias

from mpmath import libmp  # type: ignore[import-untyped]

from symroof.solve.quotients import (
    FIELD,
    Generator,
    Kind,
    Quotient,
    Space,
    Terms,
    UnsolvableError,
)

Raw: TypeAlias = tuple[Any, Any]

MARGIN = 16
ZERO: Raw = (libmp.fzero, libmp.fzero)


def raw(lower: Fraction, upper: Fraction, bits: int) -> Raw:
    """Return the interval between two fractions, rounded outwards."""
    return (
        libmp.from_rational(lower.numerator, lower.denominator, bits, libmp.round_floor),
        libmp.from_rational(upper.numerator, upper.denominator, bits, libmp.round_ceiling),
    )


def sign_of(interval: Raw) -> int:
    """Return the sign all numbers of the interval have, or 0 where they differ."""
    if libmp.mpf_sign(interval[0]) > 0:
        return 1
    return -1 if libmp.mpf_sign(interval[1]) < 0 else 0


class Enclosure:
    """A sum of monomials, ready to be bounded.

    Parameters
    ----------
    space : Space
        Its generators.
    terms : Terms
        The sum.

    Examples
    --------
    >>> terms = {2: 1, 0: -2}
    >>> sum_ = Enclosure(Space(), terms)
    >>> [sign_of(sum_.between(Fraction(a), Fraction(a + 1), 53)) for a in (0, 1, 2)]
    [-1, 0, 1]
    """

    def __init__(self, space: Space, terms: Terms) -> None:
        self.space = space
        self.monomials = [(_integer(c), space.exponents(key)) for key, c in terms.items()]

    def between(self, lower: Fraction, upper: Fraction, bits: int) -> Raw:
        """Return bounds of the sum for the variable between two numbers, 0 <= lower <= upper."""
        known = _Box(self.space, raw(lower, upper, bits + MARGIN), bits + MARGIN)
        total = ZERO
        for coefficient, exponents in self.monomials:
            term = libmp.mpi_mul(coefficient, known.monomial(exponents), bits)
            total = libmp.mpi_add(total, term, bits)
        return total


class _Box:
    """The values of the generators between two values of the variable."""

    def __init__(self, space: Space, variable: Raw, bits: int) -> None:
        self.space = space
        self.bits = bits
        self.variable = variable
        self.powers: dict[tuple[int, int], Raw] = {}

    def monomial(self, exponents: list[int]) -> Raw:
        product: Raw = (libmp.fone, libmp.fone)
        rate: Raw | None = None
        for position, exponent in enumerate(exponents):
            if not exponent:
                continue
            generator = self.space.generators[position]
            if generator.kind is Kind.EXPONENTIAL:
                # The rates are added first: bases that nearly cancel stay tight.
                part = libmp.mpi_mul(
                    natural_logarithm(generator.base, self.bits),
                    _integer(exponent),
                    self.bits,
                )
                rate = part if rate is None else libmp.mpi_add(rate, part, self.bits)
            else:
                product = libmp.mpi_mul(product, self.power(position, exponent), self.bits)
        if rate is None:
            return product
        size = libmp.mpi_pow_int(self.variable, self.space.power, self.bits)
        if self.space.scale != 1:
            size = libmp.mpi_div(size, _integer(self.space.scale), self.bits)
        growth = widened(libmp.mpi_exp(libmp.mpi_mul(rate, size, self.bits), self.bits), self.bits)
        grown: Raw = libmp.mpi_mul(product, growth, self.bits)
        return grown

    def power(self, position: int, exponent: int) -> Raw:
        found = self.powers.get((position, exponent))
        if found is None:
            value = self.generator(self.space.generators[position])
            found = libmp.mpi_pow_int(value, exponent, self.bits)
            self.powers[position, exponent] = found
        return found

    def generator(self, generator: Generator) -> Raw:
        bits = self.bits
        match generator.kind:
            case Kind.VARIABLE:
                return self.variable
            case Kind.LOGARITHM:
                two = natural_logarithm(Fraction(2), bits)
                return _ratio(widened(libmp.mpi_log(self.variable, bits), bits), two, bits)
            case Kind.BINARY_LOGARITHM:
                two = natural_logarithm(Fraction(2), bits)
                return _ratio(natural_logarithm(generator.base, bits), two, bits)
            case Kind.NATURAL_LOGARITHM:
                return natural_logarithm(generator.base, bits)
            case _:
                return self.radical(generator)

    def radical(self, generator: Generator) -> Raw:
        assert generator.radicand is not None
        lower, upper = self.quotient(generator.radicand)
        inside = (_not_negative(lower), _not_negative(upper))
        roots = (
            libmp.mpf_nthroot(inside[0], generator.index, self.bits, libmp.round_floor),
            libmp.mpf_nthroot(inside[1], generator.index, self.bits, libmp.round_ceiling),
        )
        return widened(roots, self.bits)

    def quotient(self, quotient: Quotient) -> Raw:
        sums = []
        for terms in (quotient.numerator, quotient.denominator):
            total = ZERO
            for key, coefficient in terms.items():
                part = self.monomial(self.space.exponents(key))
                term = libmp.mpi_mul(_integer(coefficient), part, self.bits)
                total = libmp.mpi_add(total, term, self.bits)
            sums.append(total)
        return _ratio(sums[0], sums[1], self.bits)


_LOGARITHMS: dict[tuple[Fraction, int], Raw] = {}


def natural_logarithm(value: Fraction, bits: int) -> Raw:
    """Return bounds of ln(value) for a positive fraction."""
    found = _LOGARITHMS.get((value, bits))
    if found is None:
        if len(_LOGARITHMS) > 1000:
            _LOGARITHMS.clear()
        found = widened(libmp.mpi_log(raw(value, value, bits + MARGIN), bits + MARGIN), bits)
        _LOGARITHMS[value, bits] = found
    return found


def widened(interval: Raw, bits: int) -> Raw:
    """Return the interval with both ends moved out by 2**(MARGIN / 2 - bits) of themselves."""
    lower, upper = interval
    margin = libmp.mpf_shift(libmp.fone, MARGIN // 2 - bits)
    return (
        libmp.mpf_sub(lower, libmp.mpf_mul(libmp.mpf_abs(lower), margin), bits, libmp.round_floor),
        libmp.mpf_add(
            upper, libmp.mpf_mul(libmp.mpf_abs(upper), margin), bits, libmp.round_ceiling
        ),
    )


def _integer(value: int) -> Raw:
    number = libmp.from_int(value)
    return number, number


def _ratio(above: Raw, below: Raw, bits: int) -> Raw:
    quotient: Raw = libmp.mpi_div(above, below, bits)
    return quotient


def _not_negative(end: Any) -> Any:
    return libmp.fzero if libmp.mpf_sign(end) < 0 else end


def derivative(space: Space, terms: Terms) -> Terms:
    """Return the derivative by the variable; logarithms of bases join the space as numbers.

    Examples
    --------
    >>> derivative(Space(), {3: 2, 0: -5})
    {2: 6}
    """
    result: Terms = {}

    def put(key: int, coefficient: int) -> None:
        total = result.get(key, 0) + coefficient
        if total:
            result[key] = total
        else:
            result.pop(key, None)

    # All terms are multiplied by the scale, which keeps coefficients whole.
    for key, coefficient in terms.items():
        for position, exponent in enumerate(space.exponents(key)):
            if not exponent:
                continue
            generator = space.generators[position]
            amount = coefficient * exponent * space.scale
            if generator.kind is Kind.VARIABLE:
                put(key - 1, amount)
            elif generator.kind is Kind.LOGARITHM:
                two = _key(
                    space, Generator(Kind.NATURAL_LOGARITHM, positive=True, base=Fraction(2))
                )
                put(key - (1 << FIELD * position) - two - 1, amount)
            elif generator.kind is Kind.EXPONENTIAL:
                rate = _key(
                    space,
                    Generator(Kind.NATURAL_LOGARITHM, positive=True, base=generator.base),
                )
                put(key + rate + space.power - 1, coefficient * exponent * space.power)
            elif not generator.constant:
                raise UnsolvableError("a root of a sum together with an exponential or logarithm")
    return result


def _key(space: Space, generator: Generator) -> int:
    ((key, _),) = space.generator(generator).numerator.items()
    return key
