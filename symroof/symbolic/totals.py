"""Sums of many terms, by identical terms."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from sympy import Expr

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
    counts: dict[int, int | Expr] = {}
    for term, count in terms:
        key = id(term)
        if key in counts:
            counts[key] += count
        else:
            counts[key] = count
            alive[key] = term
    merged: dict[Expr, int | Expr] = defaultdict(int)
    for key, term in alive.items():
        merged[term] += counts[key]
    return add([multiply([adopt(count), term]) for term, count in merged.items()])


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
