"""Positive real roots of integer polynomials, isolated exactly.

Descartes' rule of signs under bisection (Vincent, Collins and Akritas), on the square-free part:
integer arithmetic throughout.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import gcd, isqrt, lcm

from symroof.solve.univariate import (
    Polynomial,
    derivative,
    floor_root,
    greatest_common_divisor,
    primitive,
    quotient,
    scaled_value,
    shifted,
    sign_at,
    square_free,
    variations,
)

RATIONAL_SEARCH_BITS = 256


class Root:
    """A positive real root of an integer polynomial, held in a bracket that shrinks on demand.

    Parameters
    ----------
    polynomial : tuple of int
        With one root in the bracket, a simple one.
    lower, upper : Fraction
        The bracket: the root lies strictly between, and the polynomial changes sign there.

    Examples
    --------
    >>> (root,) = positive_roots((-2, 0, 1))
    >>> round(float(root), 6), root.degree
    (1.414214, 2)
    """

    __slots__ = ("_sign", "lower", "polynomial", "upper")

    def __init__(self, polynomial: Polynomial, lower: Fraction, upper: Fraction) -> None:
        self.polynomial = polynomial
        self.lower = lower
        self.upper = upper
        self._sign = sign_at(polynomial, upper)

    @property
    def degree(self) -> int:
        """The degree of the polynomial."""
        return len(self.polynomial) - 1

    def refine(self) -> None:
        """Halve the bracket."""
        middle = (self.lower + self.upper) / 2
        sign = sign_at(self.polynomial, middle)
        if sign == self._sign:
            self.upper = middle
        elif sign:
            self.lower = middle
        else:
            # The root is rational after all (its denominator was beyond the search): close in.
            quarter = (self.upper - self.lower) / 4
            self.lower, self.upper = middle - quarter, middle + quarter

    def within(self, width: Fraction) -> tuple[Fraction, Fraction]:
        """Return a bracket no wider than `width`."""
        ratio = (self.upper - self.lower) / width
        if ratio > 1:
            self._halve(ratio.__ceil__().bit_length())
        return self.lower, self.upper

    def enclosure(self, bits: int) -> tuple[Fraction, Fraction]:
        """Return a bracket of relative width at most 2**-bits."""
        while not self.lower:
            self.refine()
        return self.within(self.lower / (1 << bits))

    def _halve(self, times: int) -> None:
        """Halve the bracket that many times, over one growing denominator."""
        scale = lcm(self.lower.denominator, self.upper.denominator)
        low, high = int(self.lower * scale), int(self.upper * scale)
        for _ in range(times):
            scale *= 2
            middle = low + high
            low, high = 2 * low, 2 * high
            value = scaled_value(self.polynomial, middle, scale)
            if not value:
                self.lower, self.upper = Fraction(low, scale), Fraction(high, scale)
                self.refine()
                continue_from = self.upper - self.lower
                while self.upper - self.lower > continue_from / (1 << times):
                    self.refine()
                return
            if (value > 0) == (self._sign > 0):
                high = middle
            else:
                low = middle
        self.lower, self.upper = Fraction(low, scale), Fraction(high, scale)

    def sign_of(self, polynomial: Polynomial) -> int:
        """Return the sign of another polynomial at this root, exactly.

        Examples
        --------
        >>> (root,) = positive_roots((-2, 0, 1))
        >>> root.sign_of((-1, 1)), root.sign_of((-4, 0, 0, 0, 1)), root.sign_of((-2, 1))
        (1, 0, -1)
        """
        if not polynomial:
            return 0
        for attempt in range(64):
            lower, upper = _range(polynomial, self.lower, self.upper)
            if lower > 0 or upper < 0:
                return 1 if lower > 0 else -1
            if attempt == 24 and self._divides(polynomial):
                return 0
            self.refine()
        while True:
            lower, upper = _range(polynomial, self.lower, self.upper)
            if lower > 0 or upper < 0:
                return 1 if lower > 0 else -1
            self.refine()

    def compare(self, value: Fraction) -> int:
        """Return the sign of this root minus a rational number, exactly."""
        if value <= self.lower:
            return 1
        if value >= self.upper:
            return -1
        sign = sign_at(self.polynomial, value)
        if sign == 0:
            return 0
        return -1 if sign == self._sign else 1

    def same(self, other: Root) -> bool:
        """Return whether two roots are the same number, exactly."""
        if self.upper <= other.lower or other.upper <= self.lower:
            return False
        lower, upper = max(self.lower, other.lower), min(self.upper, other.upper)
        common = greatest_common_divisor(self.polynomial, other.polynomial)
        return len(common) > 1 and sign_at(common, lower) * sign_at(common, upper) < 0

    def _divides(self, polynomial: Polynomial) -> bool:
        common = greatest_common_divisor(self.polynomial, polynomial)
        return len(common) > 1 and sign_at(common, self.lower) * sign_at(common, self.upper) < 0

    def __float__(self) -> float:
        lower, upper = self.enclosure(60)
        return float((lower + upper) / 2)

    def __repr__(self) -> str:
        return f"Root({self.polynomial}, {self.lower}, {self.upper})"


@lru_cache(maxsize=4096)
def positive_roots(polynomial: Polynomial) -> tuple[Fraction | Root, ...]:
    """Return the distinct positive real roots in increasing order.

    Rational roots come as fractions (all of them where the leading coefficient has at most 256
    bits, else those with small denominators), the others as isolated roots.

    Parameters
    ----------
    polynomial : tuple of int
        Any polynomial but zero; multiple roots are given once.

    Examples
    --------
    >>> positive_roots((6, -5, 1))
    (Fraction(2, 1), Fraction(3, 1))
    >>> [round(float(root), 4) for root in positive_roots((1, -3, 0, 1))]
    [0.3473, 1.5321]
    """
    coefficients = _without_zero_roots(polynomial)
    if len(coefficients) <= 1 or not variations(coefficients):
        return ()
    if len(coefficients) == 2:
        return (Fraction(-coefficients[0], coefficients[1]),)
    if len(coefficients) == 3:
        return _quadratic(primitive(coefficients))
    if not any(coefficients[1:-1]):
        return (_binomial(primitive(coefficients)),)
    in_power = _in_power(coefficients)
    if in_power is not None:
        return in_power
    if variations(coefficients) == 1:
        return _isolated(primitive(coefficients))
    return _isolated(square_free(primitive(coefficients)))


def simplest_between(lower: Fraction, upper: Fraction) -> Fraction:
    """Return the fraction of least denominator strictly between two numbers.

    Examples
    --------
    >>> simplest_between(Fraction(31, 10), Fraction(32, 10))
    Fraction(19, 6)
    """
    # Along the common start of the two continued fractions.
    wholes: list[int] = []
    while True:
        whole = lower.__floor__()
        if whole + 1 < upper:
            value = Fraction(whole + 1)
            break
        low, high = lower - whole, upper - whole
        if not low:
            value = whole + Fraction(1, (1 / high).__floor__() + 1)
            break
        wholes.append(whole)
        lower, upper = 1 / high, 1 / low
    for whole in reversed(wholes):
        value = whole + 1 / value
    return value


def _range(polynomial: Polynomial, lower: Fraction, upper: Fraction) -> tuple[Fraction, Fraction]:
    """Return bounds of the polynomial between two positive numbers."""
    low = high = Fraction(0)
    for c in reversed(polynomial):
        low = low * (lower if low >= 0 else upper) + c
        high = high * (upper if high >= 0 else lower) + c
    return low, high


def _without_zero_roots(polynomial: Polynomial) -> Polynomial:
    start = 0
    while start < len(polynomial) and not polynomial[start]:
        start += 1
    return polynomial[start:]


def _quadratic(polynomial: Polynomial) -> tuple[Fraction | Root, ...]:
    c, b, a = polynomial
    square = b * b - 4 * a * c
    if square < 0:
        return ()
    root = isqrt(square)
    if root * root == square:
        found = sorted({Fraction(-b - root, 2 * a), Fraction(-b + root, 2 * a)})
        return tuple(value for value in found if value > 0)
    # root < sqrt(square) < root + 1 brackets both roots, with the vertex between them.
    bits = max(0, 64 - square.bit_length() // 2)
    fine = isqrt(square << 2 * bits)
    scale = 2 * a << bits
    brackets = (
        (Fraction((-b << bits) - fine - 1, scale), Fraction((-b << bits) - fine, scale)),
        (Fraction((-b << bits) + fine, scale), Fraction((-b << bits) + fine + 1, scale)),
    )
    kept = []
    for sign, (lower, upper) in zip((c > 0 and b < 0, c < 0 or b < 0), brackets, strict=True):
        if sign:
            kept.append(Root(polynomial, max(lower, Fraction(0)), upper))
    return tuple(kept)


def _binomial(polynomial: Polynomial) -> Fraction | Root:
    """Return the positive root of a*x**n - b, by the integer root of b/a."""
    above, below, index = -polynomial[0], polynomial[-1], len(polynomial) - 1
    exact = floor_root(above, index), floor_root(below, index)
    if exact[0] ** index == above and exact[1] ** index == below:
        return Fraction(*exact)
    bits = max(0, 64 - (above.bit_length() - below.bit_length()) // index)
    whole = floor_root((above << bits * index) // below, index)
    scale = 1 << bits
    return Root(polynomial, Fraction(whole, scale), Fraction(whole + 1, scale))


def _in_power(polynomial: Polynomial) -> tuple[Fraction | Root, ...] | None:
    """Return the roots of a polynomial in x**m where all x**m are rational, else None."""
    power = gcd(*(i for i, c in enumerate(polynomial) if c))
    inner = polynomial[::power]
    if power == 1 or len(inner) == 2:
        return None
    found: list[Fraction | Root] = []
    for value in positive_roots(inner):
        if not isinstance(value, Fraction):
            return None
        middle = (0,) * (power - 1)
        found += positive_roots((-value.numerator, *middle, value.denominator))
    return tuple(found)


def _isolated(polynomial: Polynomial) -> tuple[Fraction | Root, ...]:
    """Return the positive roots of a primitive square-free polynomial of degree 1 or more."""
    if len(polynomial) <= 3:
        return positive_roots(polynomial)
    rationals: list[Fraction] = []
    roots: list[Root] = []
    for lower, upper in _brackets(polynomial):
        if lower == upper:
            rationals.append(lower)
            continue
        root = Root(polynomial, lower, upper)
        exact = _rational_value(root)
        if exact is None:
            roots.append(root)
        else:
            rationals.append(exact)
    if not rationals or not roots:
        return (*rationals, *roots)
    for value in rationals:
        polynomial = quotient(polynomial, (-value.numerator, value.denominator))
    # Without its rational roots the polynomial may be low enough for a closed form.
    merged = list(positive_roots(polynomial))
    for value in rationals:
        place = sum(r < value if isinstance(r, Fraction) else r.compare(value) < 0 for r in merged)
        merged.insert(place, value)
    return tuple(merged)


def _rational_value(root: Root) -> Fraction | None:
    leading = root.polynomial[-1]
    if leading.bit_length() <= RATIONAL_SEARCH_BITS:
        # The leading coefficient times a rational root is an integer: leave room for only one.
        upper = root.within(Fraction(1, 2 * leading))[1]
        whole = (upper * leading).__floor__()
        candidates = {Fraction(whole, leading), Fraction(whole + 1, leading)}
    else:
        candidates = {simplest_between(*root.enclosure(128))}
    for value in candidates:
        if root.lower <= value <= root.upper and not sign_at(root.polynomial, value):
            return value
    return None


def _brackets(polynomial: Polynomial) -> list[tuple[Fraction, Fraction]]:
    """Return disjoint brackets of the positive roots in increasing order; equal ends are a root."""
    size = _root_bound(polynomial)
    degree = len(polynomial) - 1
    if variations(polynomial) == 1:
        return [(Fraction(0), Fraction(2) ** size)]
    # Bring the roots into (0, 1).
    if size >= 0:
        start = [c << (size * i) for i, c in enumerate(polynomial)]
    else:
        start = [c << (-size * (degree - i)) for i, c in enumerate(polynomial)]
    found: list[tuple[Fraction, Fraction]] = []
    stack = [(start, 0, 0)]
    while stack:
        coefficients, position, depth = stack.pop()
        unit = Fraction(2) ** (size - depth)
        if not coefficients[0]:
            found.append((position * unit, position * unit))
            coefficients = coefficients[1:]
        changes = variations(shifted(coefficients[::-1]))
        if changes == 1:
            found.append(_trimmed(polynomial, position * unit, (position + 1) * unit))
        elif changes > 1:
            n = len(coefficients) - 1
            left = [c << (n - i) for i, c in enumerate(coefficients)]
            stack.append((shifted(left), 2 * position + 1, depth + 1))
            stack.append((left, 2 * position, depth + 1))
    return sorted(found)


def _trimmed(polynomial: Polynomial, lower: Fraction, upper: Fraction) -> tuple[Fraction, Fraction]:
    """Return a bracket whose ends are no roots, for one root strictly inside."""
    slope = derivative(polynomial)
    before = sign_at(polynomial, lower) or sign_at(slope, lower)
    while not sign_at(polynomial, lower) or not sign_at(polynomial, upper):
        middle = (lower + upper) / 2
        sign = sign_at(polynomial, middle)
        if not sign:
            return middle, middle
        lower, upper = (middle, upper) if sign == before else (lower, middle)
    return lower, upper


def _root_bound(polynomial: Polynomial) -> int:
    """Return k with every positive root below 2**k (Kojima's bound on the negative terms)."""
    leading = polynomial[-1].bit_length()
    degree = len(polynomial) - 1
    sizes = [
        -((leading - 1 - c.bit_length()) // (degree - i))
        for i, c in enumerate(polynomial[:-1])
        if c < 0
    ]
    return max(sizes, default=0) + 1
