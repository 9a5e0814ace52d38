"""Amounts of work as they come from outside: FLOPs, bytes, weights."""

from __future__ import annotations

from typing import Any

from sympy import Expr

from symroof.errors import InputError
from symroof.symbolic.adopt import adopt
from symroof.symbolic.exact import shown
from symroof.symbolic.signs import is_below
from symroof.symbolic.symbols import check_own

NO_COUNTS: frozenset[str] = frozenset()


def amount(
    value: Any, where: str, what: str = "a cost", counts: frozenset[str] = NO_COUNTS
) -> Expr:
    """Return `value` as an exact amount that is not negative for all values of its symbols.

    Parameters
    ----------
    value : number, text or Expr
        What the user gave.
    where, what : str
        The place and the amount, for the error.
    counts : frozenset of str
        Names that are whole numbers of 1 or more.

    Raises
    ------
    InputError
        If it is infinite, always negative, or holds the name of a rate.

    Examples
    --------
    >>> amount("2*B - 5", "bytes")
    2*B - 5
    >>> amount("floor(B/2) - B", "bytes")
    Traceback (most recent call last):
    symroof.errors.InputError: bytes: a cost is 0 or more and finite, not -B + floor(B/2)
    """
    made = check_own(adopt(value, where=where), where)
    infinite = made.is_number and not made.is_finite
    if infinite or made.is_negative or is_below(made, 0, counts):
        raise InputError(f"{what} is 0 or more and finite, not {shown(made)}", where=where)
    return made
