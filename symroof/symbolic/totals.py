"""Sums of many terms, by identical terms."""

from __future__ import annotations

from collections.abc import Iterable

from sympy import Expr, Integer

from symroof.symbolic.adopt import adopt
from symroof.symbolic.build import add, maximum, multiply


def total(terms: Iterable[tuple[Expr, int | Expr]]) -> Expr:
    """Return the sum of ``term * count`` over `terms`.

    Identical terms are counted first and the sum is made once, so that a hundred thousand
    equal costs take milliseconds where a running sum takes seconds.

    Parameters
    ----------
    terms : iterable of (Expr, int or Expr)
        Terms, each with how often it occurs.

    Returns
    -------
    Expr
        Zero when there are no terms.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> M, N = symbols("M N")
    >>> total([(M * N, 1), (M, 2), (M * N, 3)])
    4*M*N + 2*M
    """
    # By identity first: costs are interned, and an int is hashed far faster than a tree. The
    # terms are kept alive, so that no identity is used twice.
    alive: dict[int, Expr] = {}
    counts: dict[int, int] = {}
    parts: list[Expr] = []
    for term, count in terms:
        if type(count) is int:
            key = id(term)
            if key in counts:
                counts[key] += count
            else:
                alive[key] = term
                counts[key] = count
        else:
            parts.append(multiply([adopt(count), term]))
    merged: dict[Expr, int] = {}
    for key, term in alive.items():
        merged[term] = merged.get(term, 0) + counts[key]
    for term, count in merged.items():
        if count:
            parts.append(term if count == 1 else multiply([Integer(count), term]))
    return add(parts) if len(parts) != 1 else parts[0]


def max_of(*values: Expr | int) -> Expr:
    """Return the largest value: a number when all are, else a `Max` sympy has not compared.

    Sympy compares the arguments of a symbolic `Max` pairwise, which is slow and never needed.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> max_of(3, 5), max_of(symbols("x"), 2, 3)
    (5, Max(3, x))
    """
    return maximum(adopt(value) for value in values)
