"""Tiles with real sides: the best one under a capacity, and the Hong-Kung bound.

With the result kept and a step k of the sum, blocks of m by n move M*N*K*(a/n + b/m) + M*N*c bytes
for elements of a (left), b (right) and c (result) bytes, and take k*(a*m + b*n) + c*m*n of the
capacity Z. Both are symmetric in a*m and b*n, so that at the least these are equal::

    a*m = b*n = a*b/c * (sqrt(k**2 + c*Z/(a*b)) - k)

and with elements of one size s: m = n = sqrt(Z/s + k**2) - k.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from sympy import Expr, S, expand, sqrt

from symroof.errors import InputError
from symroof.graph.contractions import Contraction
from symroof.solve import Condition
from symroof.solve.conditions import TRUE, Knowledge
from symroof.solve.shapes import NEGATIVE, POSITIVE, ZERO, Signs
from symroof.symbolic.build import maximum
from symroof.symbolic.polynomial import fraction

AT_LEAST: Signs = POSITIVE | ZERO
Signed: TypeAlias = tuple[tuple[Expr, Signs], ...]


def hong_kung(found: Contraction, capacity: Expr) -> Expr:
    """Return the bytes that any schedule moves, to leading order: 2*M*N*K*sqrt(a*b*c/Z).

    For elements of one size s that is 2*M*N*K*s**(3/2)/sqrt(Z), in words 2*M*N*K/sqrt(S). It holds
    for a capacity well below the matrices: what is proven is less by a term of the order of Z.
    Sources: Hong and Kung 1981 (the order); Smith, Lowery, Langou and van de Geijn 2019,
    2*M*N*K/sqrt(S) - 2*S (the factor 2).

    Parameters
    ----------
    found : Contraction
        Of elements of a, b and c bytes.
    capacity : Expr
        Z, bytes of fast memory.

    Examples
    --------
    >>> from symroof.symbolic import symbols
    >>> from symroof.tiles.subject import read_subject
    >>> hong_kung(read_subject("mk,kn->mn", dtype="int8").contraction, symbols("Z"))
    2*k*m*n/sqrt(Z)
    """
    left, right, out = found.element_bytes
    return 2 * found.points * sqrt(left * right * out) / sqrt(capacity)


def share(size: Expr, step: Expr) -> Expr:
    """Return how often a block goes through a size where it may be cut: size/step, at least 1.

    Examples
    --------
    >>> from symroof.symbolic import symbols
    >>> share(*symbols("M b"))
    Max(1, M/b)
    """
    return size if step == 1 else maximum([S.One, size / step])


class Place(Enum):
    """Where the sides of the best block lie.

    Attributes
    ----------
    WHOLE
        The block is all of the result, and every tensor moves once.
    ROWS
        As high as the result, so that the right operand moves once.
    COLUMNS
        As wide as the result, so that the left operand moves once.
    INSIDE
        Smaller than the result both ways.
    THIN
        One wide, or one high where the left elements are the larger ones: less would be no tile.
    NONE
        The capacity is too small for sides of 1 or more.
    """

    WHOLE = "whole"
    ROWS = "rows"
    COLUMNS = "columns"
    INSIDE = "inside"
    THIN = "thin"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class RealTile:
    """The block with real sides that moves least with the result kept, where a condition holds.

    Attributes
    ----------
    place : Place
        Where its sides lie.
    condition : Condition
        When it is the one.
    m, n : Expr or None
        Its sides; None where there is none.
    extra : Expr or None
        Bytes beyond each tensor once.
    """

    place: Place
    condition: Condition
    m: Expr | None = None
    n: Expr | None = None
    extra: Expr | None = None


def real_tiles(
    found: Contraction, capacity: Expr, k: Expr, counts: frozenset[str] = frozenset()
) -> tuple[RealTile, ...]:
    """Return the best blocks with real sides under a capacity, by exclusive, exhaustive cases.

    Parameters
    ----------
    found : Contraction
        What is worked off.
    capacity : Expr
        Bytes of fast memory.
    k : Expr
        The step of the sum.
    counts : frozenset of str
        Names that are whole numbers from 1.

    Raises
    ------
    InputError
        If the width of a dtype is a symbol.

    Examples
    --------
    >>> from sympy import Integer
    >>> from symroof.symbolic import symbols
    >>> from symroof.tiles.subject import read_subject
    >>> found = read_subject("mk,kn->mn").contraction
    >>> for case in real_tiles(found, symbols("Z"), Integer(1), frozenset("mnk")):
    ...     print(case.place.value, case.m, case.n)
    whole m n
    rows m (Z - 2*m)/(2*m + 2)
    columns (Z - 2*n)/(2*n + 2) n
    inside sqrt(Z/2 + 1) - 1 sqrt(Z/2 + 1) - 1
    none None None
    """
    left, right, out = found.element_bytes
    if not all(size.is_Rational for size in (left, right, out)):
        raise InputError("the best tile in closed form needs dtypes of known width")
    ratio = out / (left * right)
    rows, columns = found.m * left, found.n * right  # a*m and b*n of the whole result
    one = max(left, right)

    def room(u: Expr, v: Expr) -> Expr:
        """Return what a block with a*m = u and b*n = v leaves of the capacity."""
        return expand(capacity - ratio * u * v - k * (u + v))

    whole, least = room(rows, columns), room(left, right)
    longest = room(rows, right) if right > left else room(left, columns)  # with the other side 1
    signs: dict[Place, Signed] = {
        Place.WHOLE: ((whole, AT_LEAST),),
        Place.ROWS: ((whole, NEGATIVE), (room(rows, rows), AT_LEAST)),
        Place.COLUMNS: ((whole, NEGATIVE), (room(columns, columns), AT_LEAST)),
        Place.INSIDE: (
            (room(one, one), AT_LEAST),
            (room(rows, rows), NEGATIVE),
            (room(columns, columns), NEGATIVE),
        ),
        Place.NONE: ((least, NEGATIVE),),
    }
    if left != right:
        signs[Place.ROWS if right > left else Place.COLUMNS] += ((longest, AT_LEAST),)
        small = (room(one, one), NEGATIVE)
        signs[Place.THIN] = ((least, AT_LEAST), small, (longest, NEGATIVE))
    knowledge, made = Knowledge(counts), []
    for place, parts in signs.items():
        condition = _all(parts, knowledge)
        if condition is not None:
            made.append(RealTile(place, condition, *_sides(place, found, capacity, k)))
    return tuple(made)


def _sides(
    place: Place, found: Contraction, capacity: Expr, k: Expr
) -> tuple[Expr | None, Expr | None, Expr | None]:
    """Return the sides of a block, and what it moves beyond each tensor once."""
    left, right, out = found.element_bytes
    once_left = found.batch * found.m * found.k * left
    once_right = found.batch * found.k * found.n * right
    if place is Place.WHOLE:
        return found.m, found.n, S.Zero
    if place is Place.ROWS:
        n = (capacity - k * found.m * left) / (out * found.m + k * right)
        return found.m, n, once_left * (found.n / n - 1)
    if place is Place.COLUMNS:
        m = (capacity - k * found.n * right) / (out * found.n + k * left)
        return m, found.n, once_right * (found.m / m - 1)
    if place is Place.THIN and right > left:
        m = (capacity - k * right) / (out + k * left)
        return m, S.One, once_left * (found.n - 1) + once_right * (found.m / m - 1)
    if place is Place.THIN:
        n = (capacity - k * left) / (out + k * right)
        return S.One, n, once_left * (found.n / n - 1) + once_right * (found.m - 1)
    if place is Place.INSIDE:
        ratio = out / (left * right)
        root = sqrt(k**2 + ratio * capacity)
        u = (root - k) / ratio
        moved = 2 * found.points * left * right * (root + k) / capacity
        return u / left, u / right, moved - once_left - once_right
    return None, None, None


def _all(parts: Iterable[tuple[Expr, Signs]], knowledge: Knowledge) -> Condition | None:
    condition: Condition | None = TRUE
    for expr, signs in parts:
        if condition is not None:
            condition = knowledge.narrowed(condition, fraction(expr)[0], signs)
    return condition
