"""Zeros of sums of degree at most two whose coefficients are no rational numbers."""

from __future__ import annotations

from fractions import Fraction

from sympy import Add, Expr, Integer, Mul, Pow, Rational, S, expand, log, radsimp, sqrt

from symroof.solve.points import Closed, Point, root_point
from symroof.solve.quotients import Generator, Kind, Space, Terms, UnsolvableError
from symroof.symbolic.exact import sign_of
from symroof.symbolic.functions import log2


def closed_zeros(space: Space, terms: Terms) -> list[Point] | None:
    """Return the zeros of a sum in closed form, in increasing order.

    Parameters
    ----------
    space : Space
        The generators.
    terms : Terms
        The sum.

    Returns
    -------
    list of Point or None
        None unless the sum is a polynomial of degree at most 2 in the variable or in its
        logarithm, with some coefficient the logarithm of a number, or of degree 1 with some
        coefficient the root of a number.

    Raises
    ------
    UnsolvableError
        If the sign of a coefficient or of the discriminant cannot be proven.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from symroof.solve.nodes import binary_logarithm
    >>> space = Space()
    >>> cost = space.multiply(space.variable(), binary_logarithm(space, Fraction(3)))
    >>> terms = space.subtract(cost, space.number(Fraction(5))).numerator
    >>> [zero.expr for zero in closed_zeros(space, terms)]
    [5/log2(3)]
    """
    read = _coefficients(space, terms)
    if read is None:
        return None
    coefficients, logarithmic = read
    while coefficients and _sign(coefficients[-1]) == 0:
        coefficients.pop()
    if len(coefficients) < 2:
        return []
    roots = _linear(*coefficients) if len(coefficients) == 2 else _quadratic(*coefficients)
    if logarithmic:
        return [_power_of_two(root) for root in roots]
    return [Closed(root) for root in roots if _sign(root) > 0]


def value_at(space: Space, terms: Terms, number: Expr) -> Expr:
    """Return a sum at an exact number as an expression.

    Examples
    --------
    >>> value_at(Space(), {2: 3, 0: -5}, sqrt(2))
    1
    """

    def generator_at(generator: Generator) -> Expr:
        if generator.kind is Kind.VARIABLE:
            return number
        if generator.kind is Kind.LOGARITHM:
            return log2(number)
        base = Rational(generator.base.numerator, generator.base.denominator)
        if generator.kind is Kind.EXPONENTIAL:
            return Pow(base, number**space.power / space.scale)
        if generator.radicand is None or generator.constant:
            return _number(generator)
        inside = generator.radicand
        above, below = (value_at(space, t, number) for t in (inside.numerator, inside.denominator))
        return Pow(above / below, Rational(1, generator.index))

    parts = []
    for key, coefficient in terms.items():
        factors = [
            Pow(generator_at(generator), exponent)
            for generator, exponent in zip(space.generators, space.exponents(key), strict=True)
            if exponent
        ]
        parts.append(Mul(Integer(coefficient), *factors))
    return Add(*parts)


def _coefficients(space: Space, terms: Terms) -> tuple[list[Expr], bool] | None:
    """Return the coefficients by degree, and whether they go with the logarithm."""
    by_place: dict[tuple[int, int], list[Expr]] = {}
    logarithms = roots = False
    for key, coefficient in terms.items():
        factors = [Integer(coefficient)]
        exponents = space.exponents(key)
        degree = 0
        for generator, exponent in zip(space.generators, exponents, strict=True):
            if not exponent or generator.kind is Kind.VARIABLE:
                continue
            if generator.kind is Kind.LOGARITHM:
                degree = exponent
            elif generator.constant:
                factors.append(Pow(_number(generator), exponent))
                logarithms = logarithms or generator.kind is Kind.BINARY_LOGARITHM
                roots = roots or generator.kind is Kind.RADICAL
            else:
                return None
        by_place.setdefault((exponents[0], degree), []).append(Mul(*factors))
    powers = {power for power, _ in by_place}
    logarithmic = any(degree for _, degree in by_place)
    if not (logarithms or roots) or (logarithmic and len(powers) > 1):
        return None
    by_degree = {
        (degree if logarithmic else power): Add(*parts)
        for (power, degree), parts in by_place.items()
    }
    low = min(by_degree)
    if max(by_degree) - low > 2 or (logarithmic and low < 0):
        return None
    if not (logarithms or logarithmic) and max(by_degree) - low > 1:
        # A root of a polynomial compares better than a root of roots.
        return None
    start = 0 if logarithmic else low
    return [by_degree.get(i, S.Zero) for i in range(start, max(by_degree) + 1)], logarithmic


def _number(generator: Generator) -> Expr:
    if generator.kind is Kind.BINARY_LOGARITHM:
        return log2(Rational(generator.base.numerator, generator.base.denominator))
    if generator.kind is Kind.NATURAL_LOGARITHM:
        return log(Rational(generator.base.numerator, generator.base.denominator))
    assert generator.radicand is not None
    value = generator.radicand.constant
    assert value is not None
    return Pow(Rational(value.numerator, value.denominator), Rational(1, generator.index))


def _sign(number: Expr) -> int:
    sign = sign_of(number)
    if sign is None:
        raise UnsolvableError(f"the sign of {str(number)[:60]} could not be proven")
    return sign


def _power_of_two(exponent: Expr) -> Point:
    """Return 2**exponent: a root of a fraction where only logarithms are added up in it."""
    value, index = Fraction(1), 1
    parts = expand(exponent).as_coefficients_dict()
    for part, weight in parts.items():
        base = S(2) if part is S.One else part.args[0] if isinstance(part, log2) else None
        if base is None or not base.is_Rational or max(weight.q * index, abs(weight.p)) > 64:
            return Closed(Pow(Integer(2), exponent))
        value = value**weight.q * Fraction(base.p, base.q) ** (weight.p * index)
        index *= weight.q
    return root_point(value, index)


def _linear(constant: Expr, slope: Expr) -> list[Expr]:
    return [radsimp(-constant / slope)]


def _quadratic(c: Expr, b: Expr, a: Expr) -> list[Expr]:
    square = expand(b**2 - 4 * a * c)
    side = _sign(square)
    if side < 0:
        return []
    if side == 0:
        return [-b / (2 * a)]
    roots = [(-b - sqrt(square)) / (2 * a), (-b + sqrt(square)) / (2 * a)]
    return roots if _sign(a) > 0 else roots[::-1]
