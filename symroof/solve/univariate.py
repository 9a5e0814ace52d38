"""Integer polynomials in one variable.

A polynomial is a tuple of Python integers, lowest power first, without trailing zeros; the zero
polynomial is empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import gcd
from typing import TypeAlias

Polynomial: TypeAlias = tuple[int, ...]

PRIME = 2**61 - 1


def primitive(polynomial: Polynomial) -> Polynomial:
    """Return the polynomial without its common integer, its leading coefficient positive.

    Examples
    --------
    >>> primitive((4, -6))
    (-2, 3)
    """
    common = gcd(*polynomial)
    if polynomial and polynomial[-1] < 0:
        common = -common
    return polynomial if common in (0, 1) else tuple(c // common for c in polynomial)


def derivative(polynomial: Polynomial) -> Polynomial:
    """Return the derivative."""
    return tuple(i * c for i, c in enumerate(polynomial) if i)


def multiply(left: Polynomial, right: Polynomial) -> Polynomial:
    """Return the product."""
    if not left or not right:
        return ()
    product = [0] * (len(left) + len(right) - 1)
    for i, a in enumerate(left):
        if a:
            for j, b in enumerate(right):
                product[i + j] += a * b
    return tuple(product)


def greatest_common_divisor(left: Polynomial, right: Polynomial) -> Polynomial:
    """Return the primitive greatest common divisor (primitive remainder sequence).

    Examples
    --------
    >>> greatest_common_divisor((-1, 0, 1), (1, 2, 1))
    (1, 1)
    """
    a, b = primitive(left), primitive(right)
    if len(a) < len(b):
        a, b = b, a
    while b:
        a, b = b, primitive(_remainder(a, b))
    return a


def square_free(polynomial: Polynomial) -> Polynomial:
    """Return the primitive polynomial with the same roots, each simple.

    Examples
    --------
    >>> square_free((1, -2, 1))
    (-1, 1)
    """
    if _surely_square_free(polynomial):
        return primitive(polynomial)
    common = greatest_common_divisor(polynomial, derivative(polynomial))
    return primitive(polynomial if len(common) <= 1 else quotient(polynomial, common))


def sign_at(polynomial: Polynomial, value: Fraction) -> int:
    """Return the sign of the polynomial at a rational number, exactly.

    Examples
    --------
    >>> sign_at((-2, 0, 1), Fraction(3, 2))
    1
    """
    result = scaled_value(polynomial, value.numerator, value.denominator)
    return (result > 0) - (result < 0)


def scaled_value(polynomial: Polynomial, numerator: int, denominator: int) -> int:
    """Return the value at a fraction, times its denominator to the degree."""
    result = 0
    if denominator == 1:
        for c in reversed(polynomial):
            result = result * numerator + c
        return result
    scale = 1
    for c in reversed(polynomial):
        result = result * numerator + c * scale
        scale *= denominator
    return result


def variations(polynomial: Sequence[int]) -> int:
    """Return the number of sign changes: Descartes' bound on the positive roots."""
    signs = [c > 0 for c in polynomial if c]
    return sum(a != b for a, b in pairwise(signs))


def shifted(polynomial: Sequence[int]) -> list[int]:
    """Return p(x + 1)."""
    result = list(polynomial)
    for i in range(len(result) - 1):
        for j in range(len(result) - 2, i - 1, -1):
            result[j] += result[j + 1]
    return result


def quotient(left: Polynomial, right: Polynomial) -> Polynomial:
    """Return the primitive quotient of `left` by a primitive polynomial that divides it."""
    rest = list(left)
    result = [0] * (len(left) - len(right) + 1)
    for shift in range(len(result) - 1, -1, -1):
        factor, leftover = divmod(rest[shift + len(right) - 1], right[-1])
        if leftover:
            return quotient(tuple(c * right[-1] ** len(result) for c in left), right)
        result[shift] = factor
        for i, c in enumerate(right):
            rest[shift + i] -= factor * c
    return primitive(tuple(result))


def floor_root(value: int, index: int) -> int:
    """Return the largest integer whose power is at most a value that is not negative.

    Examples
    --------
    >>> floor_root(27, 3), floor_root(28, 3), floor_root(63, 2)
    (3, 3, 7)
    """
    if value < 2:
        return value
    # Newton's steps fall until they are there.
    root = 1 << -(-value.bit_length() // index)
    while True:
        better = ((index - 1) * root + value // root ** (index - 1)) // index
        if better >= root:
            return root
        root = better


def _surely_square_free(polynomial: Polynomial) -> bool:
    """Return whether the polynomial is square-free modulo a prime, hence square-free."""
    a = [c % PRIME for c in polynomial]
    b = [c % PRIME for c in derivative(polynomial)]
    if not a[-1] or not b or not b[-1]:
        return False
    while b:
        inverse = pow(b[-1], -1, PRIME)
        while len(a) >= len(b):
            factor, shift = a[-1] * inverse % PRIME, len(a) - len(b)
            for i, c in enumerate(b):
                a[shift + i] = (a[shift + i] - factor * c) % PRIME
            while a and not a[-1]:
                a.pop()
        a, b = b, a
    return len(a) == 1


def _remainder(left: Polynomial, right: Polynomial) -> Polynomial:
    """Return the pseudo-remainder of `left` by `right`, up to a constant."""
    rest = list(left)
    leading = right[-1]
    while len(rest) >= len(right):
        top = rest[-1]
        common = gcd(top, leading)
        scale, factor = leading // common, top // common
        shift = len(rest) - len(right)
        rest = [c * scale for c in rest]
        for i, c in enumerate(right):
            rest[shift + i] -= factor * c
        while rest and not rest[-1]:
            rest.pop()
    return tuple(rest)
