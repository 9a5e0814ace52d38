"""Which keys a query attends: exact closed forms of attended pairs and of touched keys."""

from __future__ import annotations

from enum import Enum

from sympy import Expr, Integer, Rational

from symroof.symbolic.bounds import greatest, least
from symroof.symbolic.build import add, multiplied


class Mask(Enum):
    """The keys a query may see: all, those up to its own position, or the last few of those."""

    NONE = "none"
    CAUSAL = "causal"
    WINDOW = "window"


class Align(Enum):
    """Where the diagonal of a mask lies when there are more keys than queries or fewer.

    ``top-left`` puts query 0 at key 0; ``bottom-right`` puts the last query at the last key, as
    with a cache.
    """

    TOP_LEFT = "top-left"
    BOTTOM_RIGHT = "bottom-right"


def attended_pairs(
    queries: Expr, keys: Expr, mask: Mask, align: Align, window: Expr | None = None
) -> Expr:
    """Return how many (query, key) pairs the mask lets through, for one head of one sequence.

    With m = min(queries, keys), L the length the diagonal ends at (keys for bottom-right, queries
    for top-left), w = min(window, L) and t = max(0, m + w − 1 − L), the number of rows cut short
    by the corner, the count is m·w − t·(t + 1)/2. Causal is w = L, so t = m − 1. Both alignments
    follow from one count, since a window seen from keys is a window seen from queries.

    Parameters
    ----------
    queries, keys : Expr
        Lengths, at least 1.
    mask : Mask
        Which keys a query may see.
    align : Align
        Of no effect when `mask` is NONE or the lengths are equal.
    window : Expr, optional
        Keys a query sees with mask WINDOW, its own position included.

    Returns
    -------
    Expr
        Exact for integers; ``Min`` and ``Max`` only where no sign decides for all lengths.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> S, W = symbols("S W")
    >>> attended_pairs(S, S, Mask.CAUSAL, Align.BOTTOM_RIGHT)
    S*(S + 1)/2
    >>> attended_pairs(Integer(4), Integer(8192), Mask.CAUSAL, Align.BOTTOM_RIGHT)
    32762
    >>> attended_pairs(Integer(1), S, Mask.WINDOW, Align.BOTTOM_RIGHT, Integer(1024))
    Min(1024, S)
    """
    if mask is Mask.NONE:
        return queries * keys
    length = keys if align is Align.BOTTOM_RIGHT else queries
    rows = least(queries, keys)
    width = length if mask is Mask.CAUSAL else least(_given(window), length)
    if rows == 1 or width == 1:
        return rows * width
    if width == length:
        return _falling(length, rows)
    if rows == length:
        return _falling(rows, width)
    short = greatest(Integer(0), rows + width - 1 - length)
    return rows * width - short * (short + 1) * Rational(1, 2)


def _falling(first: Expr, count: Expr) -> Expr:
    """Return the sum of so many numbers, each one less than the one before."""
    ends = add((multiplied(Integer(2), first), multiplied(Integer(-1), count), Integer(1)))
    return multiplied(count, ends, Rational(1, 2))


def attended_keys(
    queries: Expr, keys: Expr, mask: Mask, align: Align, window: Expr | None = None
) -> Expr:
    """Return how many keys at least one query attends: those a kernel must read.

    All keys without a mask; with bottom-right alignment all keys (causal) or the last
    queries + window − 1; with top-left alignment the first ones, as many as there are queries.

    Examples
    --------
    >>> attended_keys(Integer(1), Integer(32768), Mask.WINDOW, Align.BOTTOM_RIGHT, Integer(1024))
    1024
    >>> attended_keys(Integer(4), Integer(32768), Mask.CAUSAL, Align.TOP_LEFT)
    4
    """
    if mask is Mask.NONE:
        return keys
    if align is Align.TOP_LEFT:
        return least(queries, keys)
    if mask is Mask.CAUSAL:
        return keys
    return least(keys, queries + _given(window) - 1)


def _given(window: Expr | None) -> Expr:
    if window is None:
        raise ValueError("a window mask needs a window")
    return window
