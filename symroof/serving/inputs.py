"""Numbers that people give to the serving model, checked: counts, lengths, amounts."""

from __future__ import annotations

from sympy import Expr

from symroof.errors import InputError, SymroofError, UnitError
from symroof.symbolic import adopt
from symroof.symbolic.exact import shown
from symroof.symbolic.symbols import check_own
from symroof.units import Quantity, parse_unit

EXAMPLES = {"s": "20 ms", "USD/s": "2 USD/h", "byte": "80 GB"}
"""Amounts as people write them, by unit."""


def number(given: object, where: str, *, least: int | None = 0, strictly: bool = False) -> Expr:
    """Return a plain number, a symbol or a formula.

    Parameters
    ----------
    given : int, float, str, Expr or Quantity
        A quantity has to be without unit, or in tokens.
    where : str
        The place, for messages.
    least : int or None
        What a number has to be at least; None for any finite one.
    strictly : bool
        Whether it has to be more than that.

    Raises
    ------
    InputError
        If it is not a finite number in that range, nor a formula.

    Examples
    --------
    >>> number("2*p", "decode"), number(1.5, "group_size")
    (2*p, 3/2)
    >>> number(-3, "prefill")
    Traceback (most recent call last):
    symroof.errors.InputError: prefill: expected a number of at least 0, not -3
    """
    if isinstance(given, Quantity):
        if given.unit not in ("", "token"):
            raise UnitError(f"{where}: expected a plain number, not {given}")
        found = given.resolved().expr
    else:
        try:
            found = check_own(adopt(given, where=where), where)
        except SymroofError as error:
            raise _placed(error, where) from None
    if least is None:
        if found.is_number and not found.is_finite:
            raise InputError(f"expected a finite number, not {shown(found)}", where=where)
        return found
    below = found.is_nonpositive if strictly or least > 0 else found.is_negative
    if found.is_number:
        below = not (found.is_finite and (found > least if strictly else found >= least))
    if below:
        what = "above" if strictly else "of at least"
        raise InputError(f"expected a number {what} {least}, not {shown(found)}", where=where)
    return found


def count(given: object, where: str) -> Expr:
    """Return a whole number from 1, a symbol or a formula.

    Examples
    --------
    >>> count("8", "n_gpus")
    8
    >>> count(0, "n_gpus")
    Traceback (most recent call last):
    symroof.errors.InputError: n_gpus: expected a whole number of at least 1, not 0
    """
    found = number(given, where, least=-1)
    if found.is_number and not (found.is_Integer and found >= 1):
        raise InputError(f"expected a whole number of at least 1, not {shown(found)}", where=where)
    return found


def amount(given: Quantity | str, unit: str, where: str, *, zero: bool = False) -> Quantity:
    """Return an amount of `unit`, positive unless `zero` may be.

    Examples
    --------
    >>> print(amount("2 USD/h", "USD/s", "price"))
    1/1800 USD/s
    >>> amount("2 USD", "USD/s", "price")
    Traceback (most recent call last):
    symroof.errors.UnitError: price: expected an amount in USD/s, as in '2 USD/h'; got 2 USD
    """
    try:
        found = given if isinstance(given, Quantity) else Quantity(given)
    except UnitError as error:
        raise UnitError(f"{where}: {error}") from None
    except SymroofError as error:
        raise _placed(error, where) from None
    if found.dimension != parse_unit(unit)[1]:
        like = f", as in '{EXAMPLES[unit]}';" if unit in EXAMPLES else ","
        raise UnitError(f"{where}: expected an amount in {unit}{like} got {str(found)[:60]}")
    expr = found.resolved().expr
    if expr.is_number and not (expr.is_finite and (expr >= 0 if zero else expr > 0)):
        what = "0 or more" if zero else "a positive amount"
        raise InputError(f"expected {what}, not {str(found)[:60]}", where=where)
    return found


def _placed(error: SymroofError, where: str) -> InputError:
    """Return an error about what was given, with its place."""
    text = str(error)
    return InputError(text if text.startswith(where) else f"{where}: {text}")
