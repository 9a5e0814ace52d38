"""Chains of derivatives: between two zeros of a derivative its sum has at most one zero.

A sum of products of powers of the variable, of its logarithm and of exponentials is divided by a
positive factor of some of its terms and differentiated, which simplifies those. After finitely
many steps a single term without a logarithm is left, and it has no zero. Going back up, the zeros
of each sum separate those of the sum before: Rolle's theorem.
"""

from __future__ import annotations

from symroof.solve.enclosures import derivative
from symroof.solve.quotients import FIELD, Kind, Space, Terms, without_common_factors

MAX_LENGTH = 60
MAX_TERMS = 400


def chain(space: Space, terms: Terms) -> list[Terms] | None:
    """Return sums from `terms` down to a single term, each separating the zeros of the one before.

    Parameters
    ----------
    space : Space
        The generators.
    terms : Terms
        The sum.

    Returns
    -------
    list of Terms or None
        None where the chain would be too long.

    Raises
    ------
    UnsolvableError
        If roots of sums occur.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from symroof.solve.nodes import exponential
    >>> space = Space()
    >>> grown = exponential(space, Fraction(2), space.variable())
    >>> sums = chain(space, space.subtract(grown, space.variable(2)).numerator)
    >>> len(sums), len(sums[-1])
    (4, 1)
    """
    sums = [without_common_factors(space, terms)]
    while not _has_no_zero(space, sums[-1]):
        sums.append(without_common_factors(space, _next(space, sums[-1])))
        if len(sums) > MAX_LENGTH or len(sums[-1]) > MAX_TERMS:
            return None
    return sums


def _next(space: Space, terms: Terms) -> Terms:
    """Divide by a factor of one group of terms and differentiate, so that the group shrinks.

    A group shares its exponentials. Without logarithms it is a polynomial, and loses a degree;
    with them it is divided by its lowest power of the variable, whose logarithms lose a degree.
    Other groups only grow while one is worked off, so all of them end.
    """
    parts = {_part(space, key, Kind.EXPONENTIAL) for key in terms}
    chosen = 0 if 0 in parts else min(parts)
    group = [key for key in terms if _part(space, key, Kind.EXPONENTIAL) == chosen]
    factor = chosen
    if any(_part(space, key, Kind.LOGARITHM) for key in group):
        factor += min(_part(space, key, Kind.VARIABLE) for key in group)
    return derivative(space, {key - factor: c for key, c in terms.items()})


def _has_no_zero(space: Space, terms: Terms) -> bool:
    """Return whether all terms share one monomial, up to numbers, and it has no logarithm."""
    shapes = {_shape(space, key) for key in terms}
    return len(shapes) == 1 and not _part(space, next(iter(shapes)), Kind.LOGARITHM)


def _shape(space: Space, key: int) -> int:
    """Return a monomial without its constant generators."""
    for position, exponent in enumerate(space.exponents(key)):
        if space.generators[position].constant:
            key -= exponent << (FIELD * position)
    return key


def _part(space: Space, key: int, kind: Kind) -> int:
    """Return the part of a monomial that is in generators of one kind."""
    return sum(
        exponent << (FIELD * position)
        for position, exponent in enumerate(space.exponents(key))
        if space.generators[position].kind is kind
    )
