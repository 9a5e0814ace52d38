"""Common divisors of polynomials: found only where there is one, at the price of a test."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import isqrt
from random import Random
from typing import Any

from sympy import ZZ, Expr
from sympy.polys.rings import ring

from symroof.symbolic.expand import order_of
from symroof.symbolic.polynomial import Polynomial

PRIME = 2**61 - 1
# Beyond this many terms a common divisor costs more than it tells.
MAX_TERMS = 400


def common_divisor(polynomials: Sequence[Polynomial]) -> Polynomial | None:
    """Return the greatest common divisor of several polynomials, or None when it is a monomial.

    A sum is looked for; common monomials and integers are left to `Polynomial.primitive`. That
    there is none is in general seen from images in one variable modulo a prime, which cannot miss
    a factor.

    Parameters
    ----------
    polynomials : sequence of Polynomial
        At least one; zero ones are divisible by everything.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> M, N = map(Polynomial.generator, symbols("M N"))
    >>> common_divisor([M * M + M * N, M * N + N * N])
    Polynomial(M + N)
    >>> common_divisor([M + N, M - N])
    """
    parts = [p for p in polynomials if p.terms]
    if not parts or any(len(p.terms) == 1 for p in parts):
        return None
    if sum(len(p.terms) for p in parts) > MAX_TERMS:
        return None
    rests = list(dict.fromkeys(_normal(p) for p in parts))
    if len(rests) == 1:
        return rests[0]
    rests.sort(key=lambda p: len(p.terms))
    gens = tuple(sorted({gen for p in rests for gen in p.gens}, key=order_of))
    spread = [_spread(p, gens) for p in rests]
    if _coprime(spread, len(gens)):
        return None
    domain = _ring(len(gens))
    found = domain.from_dict(spread[0])
    for terms in spread[1:]:
        found = found.gcd(domain.from_dict(terms))
        if len(found) == 1:
            return None
    return _normal(Polynomial(gens, {tuple(e): int(c) for e, c in found.items()}))


def square_root(p: Polynomial) -> Polynomial | None:
    """Return a polynomial whose square is `p`, or None.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> M, N = map(Polynomial.generator, symbols("M N"))
    >>> square_root(M * M - 4 * M * N + 4 * N * N)
    Polynomial(M - 2*N)
    >>> square_root(M * M + N)
    """
    if not p.terms:
        return p
    top = max(p.terms)
    lead = isqrt(max(p.terms[top], 0))
    if lead == 0 or lead * lead != p.terms[top] or any(e % 2 for e in top):
        return None
    half = tuple(e // 2 for e in top)
    root = Polynomial(p.gens, {half: lead})
    rest = p - root * root
    while rest.terms:
        if len(root.terms) > len(p.terms):
            return None
        top = max(rest.terms)
        powers = tuple(e - h for e, h in zip(top, half, strict=True))
        coefficient, left_over = divmod(rest.terms[top], 2 * lead)
        if left_over or min(powers, default=0) < 0:
            return None
        step = Polynomial(p.gens, {powers: coefficient})
        rest = rest - (2 * root + step) * step
        root = root + step
    return root


def _normal(p: Polynomial) -> Polynomial:
    rest = p.primitive()[2]
    return rest if rest.terms[max(rest.terms)] > 0 else -rest


def _spread(p: Polynomial, gens: tuple[Expr, ...]) -> dict[tuple[int, ...], int]:
    if p.gens == gens:
        return p.terms
    places = {gen: at for at, gen in enumerate(gens)}
    result = {}
    for powers, coefficient in p.terms.items():
        row = [0] * len(gens)
        for gen, e in zip(p.gens, powers, strict=True):
            row[places[gen]] = e
        result[tuple(row)] = coefficient
    return result


def _coprime(parts: list[dict[tuple[int, ...], int]], size: int) -> bool:
    """Whether images in each shared variable show that no sum divides all of `parts`.

    The degree of the image's gcd is at least that of the gcd as long as a leading coefficient
    survives, so degree 0 in every variable proves it.
    """
    values = _values(size)
    for at in range(size):
        images = []
        for terms in parts:
            if not any(powers[at] for powers in terms):
                break
            images.append(_image(terms, at, values))
        if len(images) < len(parts):
            continue
        found = images[0]
        if not found or not found[-1]:
            return False
        for other in images[1:]:
            found = _gcd(found, other)
        if len(found) > 1:
            return False
    return True


@cache
def _values(size: int) -> tuple[int, ...]:
    draw = Random(size)  # noqa: S311
    return tuple(draw.randrange(2**40, PRIME) for _ in range(size))


def _image(terms: dict[tuple[int, ...], int], at: int, values: tuple[int, ...]) -> list[int]:
    """Return the coefficients of the powers of variable `at`, the others at fixed values."""
    row = [0] * (1 + max(powers[at] for powers in terms))
    for powers, coefficient in terms.items():
        value = coefficient
        for place, e in enumerate(powers):
            if e and place != at:
                value = value * pow(values[place], e, PRIME) % PRIME
        row[powers[at]] = (row[powers[at]] + value) % PRIME
    return row


def _gcd(left: list[int], right: list[int]) -> list[int]:
    left, right = list(left), list(right)
    while any(right):
        while not right[-1]:
            right.pop()
        inverse = pow(right[-1], -1, PRIME)
        while len(left) >= len(right):
            factor = left[-1] * inverse % PRIME
            shift = len(left) - len(right)
            for i, value in enumerate(right):
                left[shift + i] = (left[shift + i] - factor * value) % PRIME
            left.pop()
        left, right = right, left
    return left


@cache
def _ring(size: int) -> Any:
    return ring([f"x{at}" for at in range(size)], ZZ)[0]
