"""Largest, smallest and ratio of quantities, with the corner cases of rooflines."""

from __future__ import annotations

from sympy import S

from symroof.symbolic.build import maximum, minimum
from symroof.units.arithmetic import choice_of
from symroof.units.quantity import Quantity, from_parts


def ratio(above: Quantity, below: Quantity) -> Quantity | None:
    """Return ``above / below`` as for intensities: None for 0/0, infinite for the rest over 0.

    Examples
    --------
    >>> ratio(Quantity("6 FLOP"), Quantity("2 byte"))
    Quantity('3 FLOP/byte')
    >>> print(ratio(Quantity("6 FLOP"), Quantity("0 byte")))
    ∞ FLOP/byte
    >>> ratio(Quantity("0 FLOP"), Quantity("0 byte")) is None
    True
    """
    if below.expr is S.Zero and above.expr is S.Zero:
        return None
    return above / below


def max_of(*quantities: Quantity) -> Quantity:
    """Return the largest of quantities of one dimension; unevaluated where symbols decide.

    Raises
    ------
    UnitError
        If two have different dimensions; names both.

    Examples
    --------
    >>> print(max_of(Quantity("2 s"), Quantity("3 ms"), Quantity("x/7", "s")))
    max(2, x/7) s
    """
    return from_parts(*choice_of(quantities, "take the largest of", maximum))


def min_of(*quantities: Quantity) -> Quantity:
    """Return the smallest of quantities of one dimension; unevaluated where symbols decide.

    Examples
    --------
    >>> min_of(Quantity("2 s"), Quantity("3 ms"))
    Quantity('3/1000 s')
    """
    return from_parts(*choice_of(quantities, "take the smallest of", minimum))
