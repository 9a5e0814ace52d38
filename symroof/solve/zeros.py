"""Where a sum of monomials can change sign on the positive line."""

from __future__ import annotations

from fractions import Fraction
from functools import cmp_to_key
from itertools import pairwise

from symroof.solve.closed import closed_zeros
from symroof.solve.conjugates import resultant
from symroof.solve.evaluation import in_logarithm, in_variable, norm, split_radical
from symroof.solve.points import Gap, Point, PowerOfTwo, compare
from symroof.solve.quotients import (
    Kind,
    Space,
    Terms,
    UnsolvableError,
    without_common_factors,
)
from symroof.solve.roots import Root, positive_roots
from symroof.solve.transcendental import EVERYWHERE, Range, Zero, isolate
from symroof.solve.univariate import variations

MAX_DEGREE = 400
MAX_EXPONENT = 10_000
SMALL_INDEX = 12
SMALL_EXPONENT = 64


class Zeros:
    """The zeros of sums over one space, remembered.

    Parameters
    ----------
    space : Space
        The generators.

    Examples
    --------
    >>> Zeros(Space()).of({2: 1, 0: -4})
    [Fraction(2, 1)]
    """

    def __init__(self, space: Space) -> None:
        self.space = space
        self.exact: dict[frozenset[tuple[int, int]], list[Zero] | None] = {}
        self.candidates: set[frozenset[tuple[int, int]]] = set()
        self.bracketed: dict[frozenset[tuple[int, int]], list[tuple[Range, list[Zero]]]] = {}

    def of(self, terms: Terms, within: Range = EVERYWHERE) -> list[Zero]:
        """Return, in increasing order, places that include all zeros of a sum.

        Parameters
        ----------
        terms : Terms
            The sum, not empty.
        within : tuple of Fraction
            Where zeros are wanted; only used where they have to be bracketed numerically.
        """
        exact = self._closed(terms)
        return self._bracketed(terms, within) if exact is None else exact

    def includes(self, terms: Terms, place: Point) -> bool:
        """Return whether a place was found as a zero of this very sum.

        With a root of a sum or of a number in it, the places found are only candidates: among
        them are zeros of what the sum is with another sign of the root.
        """
        found = self._closed(terms)
        if frozenset(terms.items()) in self.candidates:
            return False
        if found is None:
            plain = without_common_factors(self.space, terms)
            known = self.bracketed.get(frozenset(plain.items()), [])
            found = [zero for _, zeros in known for zero in zeros]
        return any(zero is place for zero in found)

    def _closed(self, terms: Terms) -> list[Zero] | None:
        if len(terms) == 1 and self._is_positive(terms):
            return []
        signature = frozenset(terms.items())
        if signature not in self.exact:
            self.exact[signature] = self._exact(terms)
        return self.exact[signature]

    def _bracketed(self, terms: Terms, within: Range) -> list[Zero]:
        # One zero must stay one object: two brackets of it could never be told apart.
        terms = without_common_factors(self.space, terms)
        known = self.bracketed.setdefault(frozenset(terms.items()), [])
        for (lower, upper), zeros in known:
            if lower <= within[0] and (upper is None or (within[1] or upper + 1) <= upper):
                return zeros
        found = isolate(self.space, terms, within)
        known.append((within, list(found)))
        return known[-1][1]

    def _is_positive(self, terms: Terms) -> bool:
        if len(self.space.generators) == 1:
            return True
        (key,) = terms
        pairs = zip(self.space.exponents(key), self.space.generators, strict=True)
        return all(generator.positive for exponent, generator in pairs if exponent)

    def _exact(self, terms: Terms) -> list[Zero] | None:
        space = self.space
        if max(map(abs, space.exponents(max(terms, key=abs)))) > MAX_EXPONENT:
            raise UnsolvableError("a polynomial of too high a degree")
        in_v = in_variable(space, terms)
        if in_v is not None:
            polynomial = in_v[0]
            if len(polynomial) > MAX_DEGREE and variations(polynomial) > 1:
                raise UnsolvableError(f"a polynomial of degree {len(polynomial) - 1}")
            return list(positive_roots(polynomial))
        in_log = in_logarithm(space, terms)
        if in_log is not None:
            return powers_of_two(in_log)
        closed = closed_zeros(space, terms)
        if closed is not None:
            return list(closed)
        radical = self._last_radical(terms)
        if radical is None:
            return None
        candidates = self._with_radical(terms, radical)
        if candidates is not None:
            self.candidates.add(frozenset(terms.items()))
        return candidates

    def _last_radical(self, terms: Terms) -> int | None:
        last = None
        for key in terms:
            for position, exponent in enumerate(self.space.exponents(key)):
                if exponent and self.space.generators[position].kind is Kind.RADICAL:
                    last = position if last is None else max(last, position)
        return last

    def _with_radical(self, terms: Terms, position: int) -> list[Zero] | None:
        """Return the zeros of a**2 - b**2 * r for a sum a + b*sqrt(r)."""
        generator = self.space.generators[position]
        radicand = generator.radicand
        assert radicand is not None
        if generator.index == 2:
            even, odd, _ = split_radical(self.space, terms, position)
            product = norm(radicand, even, odd)
            # Where the radicand is a square, the zeros of the halves tell the branches apart.
            sums = [product] if product else [part for part in (even, odd) if part]
        else:
            sums = [resultant(self.space, terms, position)]
        if not generator.constant:
            sums += [radicand.numerator, radicand.denominator]
        found: list[Zero] = []
        for part in sums:
            exact = self._exact(part) if len(part) > 1 or not self._is_positive(part) else []
            if exact is None:
                return None
            found += exact
        return in_order(found)


def in_order(zeros: list[Zero]) -> list[Zero]:
    """Return points in increasing order, equal ones once."""
    points = [zero for zero in zeros if not isinstance(zero, Gap)]
    points.sort(key=cmp_to_key(compare))
    kept = points[:1]
    kept.extend(right for left, right in pairwise(points) if compare(left, right))
    return list(kept)


def powers_of_two(polynomial: tuple[int, ...]) -> list[Zero]:
    """Return 2**t for all real roots t of a polynomial, in increasing order.

    Examples
    --------
    >>> powers_of_two((-3, 1)), powers_of_two((0, 1, 1))
    ([Fraction(8, 1)], [Fraction(1, 2), Fraction(1, 1)])
    """
    start = next(i for i, c in enumerate(polynomial) if c)
    mirrored = tuple(-c if i % 2 else c for i, c in enumerate(polynomial))
    below = [_power_of_two(root, positive=False) for root in positive_roots(mirrored)]
    above = [_power_of_two(root, positive=True) for root in positive_roots(polynomial)]
    return [*reversed(below), *([Fraction(1)] if start else []), *above]


def _power_of_two(exponent: Fraction | Root, *, positive: bool) -> Point:
    if not isinstance(exponent, Fraction):
        return PowerOfTwo(exponent, positive)
    if exponent.denominator == 1 and exponent < 1_000_000:
        power = Fraction(1 << int(exponent))
        return power if positive else 1 / power
    if exponent.denominator > SMALL_INDEX or exponent > SMALL_EXPONENT:
        return PowerOfTwo(exponent, positive)
    # An algebraic number: as a root it compares exactly with the other roots.
    size = 1 << exponent.numerator
    middle = (0,) * (exponent.denominator - 1)
    (root,) = positive_roots((-size, *middle, 1) if positive else (-1, *middle, size))
    return root
