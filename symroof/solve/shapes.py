"""Where a*v**2 + b*v + c is at least 0, by the signs of a, b, c and of the discriminant."""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from itertools import product
from typing import NamedTuple, TypeAlias

NEGATIVE, ZERO, POSITIVE = 1, 2, 4
ANY = NEGATIVE | ZERO | POSITIVE

Signs: TypeAlias = int
"""A set of signs: any sum of NEGATIVE, ZERO and POSITIVE."""


class Shape(Enum):
    """The form of a solution set, with the formula of its ends; the root is that of the quadratic.

    LINEAR stands for -c/b, ROOT for (-b ± sqrt(d))/(2*a), STABLE for the same root written
    2*c/(-b ∓ sqrt(d)), which holds at a = 0 too.
    """

    ALL = "all"
    NONE = "none"
    FROM_LINEAR = "from -c/b"
    FROM_ROOT = "from the larger root"
    FROM_STABLE = "from the larger root, a = 0 included"
    UPTO_LINEAR = "up to -c/b"
    UPTO_ROOT = "up to the positive root"
    UPTO_STABLE = "up to the positive root, a = 0 included"
    BETWEEN = "between the roots"
    OUTSIDE = "outside the roots"


class Row(NamedTuple):
    """One case: the signs of a, b, c and the discriminant, and the shape they give."""

    a: Signs
    b: Signs
    c: Signs
    d: Signs
    shape: Shape


Point: TypeAlias = tuple[Signs, Signs, Signs, Signs]

_PREFERRED = tuple(Shape)
# Merging over the discriminant first, then b, c, and the leading coefficient last.
_ORDER = (3, 1, 2, 0)
_NEIGHBOURS = (
    (ZERO, POSITIVE),
    (NEGATIVE, ZERO),
    (NEGATIVE, ZERO | POSITIVE),
    (NEGATIVE | ZERO, POSITIVE),
)


def needs_discriminant(a: Signs, b: Signs, c: Signs, *, line: bool = False) -> bool:
    """Return whether the sign of the discriminant matters for some of these signs.

    Parameters
    ----------
    a, b, c : int
        The signs each coefficient may have.
    line : bool
        Whether v runs over the whole line, not only over v > 0.

    Examples
    --------
    >>> needs_discriminant(POSITIVE, NEGATIVE, POSITIVE), needs_discriminant(ZERO, ANY, ANY)
    (True, False)
    """
    if line:
        return bool(a & (POSITIVE | NEGATIVE))
    return bool(
        (a & POSITIVE and b & NEGATIVE and c & POSITIVE)
        or (a & NEGATIVE and b & POSITIVE and c & NEGATIVE)
    )


@lru_cache(maxsize=1024)
def table(a: Signs, b: Signs, c: Signs, d: Signs = ANY, *, line: bool = False) -> tuple[Row, ...]:
    """Return exclusive and exhaustive rows: for which signs a*v**2 + b*v + c ≥ 0 is which set.

    Parameters
    ----------
    a, b, c, d : int
        The signs the coefficients and the discriminant b**2 - 4*a*c may have.
    line : bool
        Whether v runs over the whole line, not only over v > 0.

    Examples
    --------
    With a = 0 and c < 0 known, b decides:

    >>> for row in table(ZERO, ANY, NEGATIVE):
    ...     print(row.b, row.shape.name)
    4 FROM_LINEAR
    3 NONE
    """
    shapes = _line_shapes if line else _shapes
    cells: dict[Point, frozenset[Shape]] = {}
    for sa, sb, sc in product(_split(a), _split(b), _split(c)):
        if needs_discriminant(sa, sb, sc, line=line):
            for sd in _split(d):
                cells[sa, sb, sc, sd] = frozenset(shapes(sa, sb, sc, sd))
                # Two roots that touch leave nothing out; with d ≥ 0 known that is no extra case.
                if sd == ZERO and sa == POSITIVE and not d & NEGATIVE:
                    cells[sa, sb, sc, sd] |= {Shape.OUTSIDE}
        else:
            cells[sa, sb, sc, d] = frozenset(shapes(sa, sb, sc, ANY))
    for at in _ORDER:
        _merge(cells, at)
    rows = [Row(*point, min(found, key=_PREFERRED.index)) for point, found in cells.items()]
    return tuple(sorted(rows, key=lambda row: (row.shape is Shape.NONE, row[:4])))


def _split(signs: Signs) -> list[Signs]:
    return [s for s in (NEGATIVE, ZERO, POSITIVE) if signs & s]


def _merge(cells: dict[Point, frozenset[Shape]], at: int) -> None:
    """Join neighbours that differ in one sign and share a shape; 0 joins + before it joins -."""
    for low, high in _NEIGHBOURS:
        for point in [point for point in cells if point[at] == low]:
            other = _with(point, at, high)
            shared = cells[point] & cells.get(other, frozenset())
            if shared:
                del cells[point], cells[other]
                cells[_with(point, at, low | high)] = shared


def _with(point: Point, at: int, signs: Signs) -> Point:
    values = list(point)
    values[at] = signs
    return values[0], values[1], values[2], values[3]


def _shapes(a: Signs, b: Signs, c: Signs, d: Signs) -> set[Shape]:
    """Return every shape that is right over v > 0 for these signs."""
    if a == ZERO:
        return _linear_shapes(b, c)
    if a == POSITIVE:
        if c == NEGATIVE:
            return {Shape.FROM_ROOT, *([Shape.FROM_STABLE] if b == POSITIVE else [])}
        if b != NEGATIVE:
            return {Shape.ALL, *([Shape.FROM_ROOT] if c == ZERO else [])}
        if c == ZERO:
            return {Shape.FROM_ROOT}
        return {Shape.OUTSIDE} if d == POSITIVE else {Shape.ALL}
    if c == POSITIVE:
        return {Shape.UPTO_ROOT, *([Shape.UPTO_STABLE] if b == NEGATIVE else [])}
    if b != POSITIVE:
        return {Shape.NONE, *([Shape.UPTO_ROOT] if c == ZERO else [])}
    if c == ZERO:
        return {Shape.UPTO_ROOT}
    return {Shape.NONE} if d == NEGATIVE else {Shape.BETWEEN}


def _linear_shapes(b: Signs, c: Signs) -> set[Shape]:
    if b == ZERO:
        return {Shape.NONE} if c == NEGATIVE else {Shape.ALL}
    if b == POSITIVE:
        if c == NEGATIVE:
            return {Shape.FROM_LINEAR, Shape.FROM_STABLE}
        return {Shape.ALL, Shape.FROM_LINEAR} if c == ZERO else {Shape.ALL}
    if c == POSITIVE:
        return {Shape.UPTO_LINEAR, Shape.UPTO_STABLE}
    return {Shape.NONE, Shape.UPTO_LINEAR} if c == ZERO else {Shape.NONE}


def _line_shapes(a: Signs, b: Signs, c: Signs, d: Signs) -> set[Shape]:
    """Return every shape that is right over the whole line for these signs."""
    if a == POSITIVE:
        return {Shape.OUTSIDE} if d == POSITIVE else {Shape.ALL}
    if a == NEGATIVE:
        return {Shape.NONE} if d == NEGATIVE else {Shape.BETWEEN}
    if b == ZERO:
        return {Shape.NONE} if c == NEGATIVE else {Shape.ALL}
    return {Shape.FROM_LINEAR} if b == POSITIVE else {Shape.UPTO_LINEAR}
