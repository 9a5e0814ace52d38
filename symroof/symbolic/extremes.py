"""Largest, smallest and whole values: of numbers exactly, of symbols without comparing them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from sympy import Add, Expr, Max, Min, Mul, Pow, S, ceiling, floor

from symroof.errors import InputError
from symroof.symbolic.algebra import add, multiply
from symroof.symbolic.exact import floor_of_number, sign_of
from symroof.symbolic.functions import log2


def maximum(values: Iterable[Expr]) -> Expr:
    """Return the largest of `values`; a `Max` that sympy has not compared when symbolic.

    Examples
    --------
    >>> from sympy import Integer, Symbol
    >>> maximum([Integer(2), Symbol("x"), Integer(3)])
    Max(3, x)
    """
    return _extremum(values, Max, 1)


def minimum(values: Iterable[Expr]) -> Expr:
    """Return the smallest of `values`; a `Min` that sympy has not compared when symbolic."""
    return _extremum(values, Min, -1)


def floor_of(value: Expr) -> Expr:
    """Return the floor of `value`: of a number exactly, else with its whole terms outside.

    Examples
    --------
    >>> from sympy import Symbol
    >>> floor_of(Symbol("x") / 2 + 3)
    floor(x/2) + 3
    """
    if value in (S.Infinity, S.NegativeInfinity):
        return value
    if value.is_number:
        found = floor_of_number(value)
        return floor(value, evaluate=False) if found is None else found
    return _rounded(value, floor, floor_of)


def ceil_of(value: Expr) -> Expr:
    """Return the ceiling of `value`: of a number exactly, else with its whole terms outside."""
    if value in (S.Infinity, S.NegativeInfinity):
        return value
    if value.is_number:
        found = floor_of_number(multiply([S.NegativeOne, value]))
        return ceiling(value, evaluate=False) if found is None else -found
    return _rounded(value, ceiling, ceil_of)


def log2_of(value: Expr) -> Expr:
    """Return the logarithm of `value` to base 2."""
    if value.is_number and sign_of(value) in (0, -1):
        raise InputError("log2 of a number that is not positive")
    return log2(value)


def _rounded(value: Expr, kind: Any, again: Callable[[Expr], Expr]) -> Expr:
    # Sympy's own evaluation asks for signs at every level and takes minutes on nested ceilings.
    whole: list[Expr] = []
    rest: list[Expr] = []
    for term in Add.make_args(value):
        (whole if _is_whole(term) else rest).append(term)
    if not rest:
        return value
    if not whole:
        return kind(value, evaluate=False)
    return add([*whole, again(add(rest))])


def _is_whole(node: Expr) -> bool:
    if isinstance(node, ceiling | floor):
        return True
    if isinstance(node, Add | Mul | Max | Min):
        return all(_is_whole(arg) for arg in node.args)
    if isinstance(node, Pow):
        return bool(node.exp.is_Integer and node.exp.p > 0) and _is_whole(node.base)
    return bool(node.is_Integer)


def _extremum(values: Iterable[Expr], kind: Any, direction: int) -> Expr:
    kept: dict[Expr, None] = {}
    best: Expr | None = None
    for value in _flat(values, kind):
        if not value.is_number:
            kept[value] = None
        elif best is None:
            best = value
        else:
            order = _order(value, best)
            if order is None:
                kept[value] = None
            elif order == direction:
                best = value
    if best is not None:
        if best not in (S.Infinity, S.NegativeInfinity):
            kept[best] = None
        elif not kept or (best is S.Infinity) == (direction == 1):
            return best
    if not kept:
        raise InputError(f"{kind.__name__.lower()} needs at least one value")
    return next(iter(kept)) if len(kept) == 1 else kind(*kept, evaluate=False)


def _flat(values: Iterable[Expr], kind: Any) -> list[Expr]:
    flat: list[Expr] = []
    for value in values:
        flat.extend(value.args if isinstance(value, kind) else (value,))
    return flat


def _order(a: Expr, b: Expr) -> int | None:
    if a == b:
        return 0
    return sign_of(add([a, multiply([S.NegativeOne, b])]))
