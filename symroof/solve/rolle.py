"""Chains of derivatives: between two zeros of a derivative its sum has at most one zero.

A sum of powers of the variable times exponentials, or times powers of the logarithm, is divided
by a positive factor of some of its terms and differentiated, which kills one of them. After
finitely many steps a single term is left, and it has no zero. Going back up, the zeros of each
sum separate those of the sum before: Rolle's theorem.
"""

from __future__ import annotations

from symroof.solve.enclosures import derivative
from symroof.solve.quotients import FIELD, Kind, Space, Terms, without_common_factors

MAX_LENGTH = 40
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
        None where logarithms and exponentials occur together, or the chain would be too long.

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
    kinds = {
        space.generators[position].kind
        for key in terms
        for position, exponent in enumerate(space.exponents(key))
        if exponent
    }
    if {Kind.LOGARITHM, Kind.EXPONENTIAL} <= kinds or Kind.RADICAL in kinds:
        return None
    step = _without_logarithm if Kind.LOGARITHM in kinds else _without_exponential
    sums = [without_common_factors(space, terms)]
    while len(_shapes(space, sums[-1])) > 1:
        sums.append(without_common_factors(space, step(space, sums[-1])))
        if len(sums) > MAX_LENGTH or len(sums[-1]) > MAX_TERMS:
            return None
    return sums


def _shapes(space: Space, terms: Terms) -> set[int]:
    """Return the terms' monomials without their constant generators."""
    return {_shape(space, key) for key in terms}


def _shape(space: Space, key: int) -> int:
    for position, exponent in enumerate(space.exponents(key)):
        if space.generators[position].constant:
            key -= exponent << (FIELD * position)
    return key


def _without_exponential(space: Space, terms: Terms) -> Terms:
    """Divide by one of the exponentials, and differentiate: its polynomial loses a degree."""
    parts = {_part(space, key, Kind.EXPONENTIAL) for key in terms}
    # Nothing has to be divided by where there is a plain polynomial.
    factor = 0 if 0 in parts else min(parts)
    return derivative(space, {key - factor: c for key, c in terms.items()})


def _without_logarithm(space: Space, terms: Terms) -> Terms:
    """Divide by a power of the variable, and differentiate: its logarithms lose a degree."""
    factor = min(_part(space, key, Kind.VARIABLE) for key in terms)
    return derivative(space, {key - factor: c for key, c in terms.items()})


def _part(space: Space, key: int, kind: Kind) -> int:
    """Return the part of a monomial that is in generators of one kind."""
    return sum(
        exponent << (FIELD * position)
        for position, exponent in enumerate(space.exponents(key))
        if space.generators[position].kind is kind
    )
