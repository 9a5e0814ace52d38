from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from symroof.solve.shapes import ANY, NEGATIVE, POSITIVE, ZERO, Shape, needs_discriminant, table

SMALL = range(-3, 4)
POINTS = [Fraction(p, q) for p in range(1, 40) for q in (1, 2, 3, 7)]


def sign(value: Fraction | int) -> int:
    return POSITIVE if value > 0 else NEGATIVE if value < 0 else ZERO


def inside(shape: Shape, a: int, b: int, c: int, v: Fraction) -> bool:
    """Whether v is in the set a shape stands for; ends compared by squaring, not by roots."""

    def at_most_larger_root(a: int, b: int) -> bool:  # v <= (-b + sqrt(d)) / (2a), a > 0
        side = 2 * a * v + b
        return side <= 0 or side**2 <= d

    def at_least_larger_root(a: int, b: int) -> bool:
        side = 2 * a * v + b
        return side >= 0 and side**2 >= d

    def at_most_smaller_root(a: int, b: int) -> bool:
        side = 2 * a * v + b
        return side <= 0 and side**2 >= d

    d = b * b - 4 * a * c
    match shape:
        case Shape.ALL:
            return True
        case Shape.NONE:
            return False
        case Shape.FROM_LINEAR:
            return v >= Fraction(-c, b)
        case Shape.UPTO_LINEAR:
            return v <= Fraction(-c, b)
        case Shape.FROM_ROOT:
            return at_least_larger_root(a, b)
        case Shape.FROM_STABLE:
            return v >= Fraction(-c, b) if a == 0 else at_least_larger_root(a, b)
        case Shape.UPTO_ROOT:
            return at_most_larger_root(-a, -b)
        case Shape.UPTO_STABLE:
            return v <= Fraction(-c, b) if a == 0 else at_most_larger_root(-a, -b)
        case Shape.OUTSIDE:
            return at_most_smaller_root(a, b) or at_least_larger_root(a, b)
        case Shape.BETWEEN:
            return at_most_larger_root(-a, -b) and not (
                at_most_smaller_root(-a, -b) and (2 * -a * v - b) ** 2 > d
            )


MASKS = [
    (ANY, ANY, ANY),
    (ZERO, ANY, ANY),
    (ZERO, ANY, NEGATIVE),
    (ZERO, ANY, NEGATIVE | ZERO),
    (ZERO, POSITIVE, ANY),
    (POSITIVE, ANY, ANY),
    (ZERO | POSITIVE, POSITIVE, NEGATIVE),
    (ZERO | POSITIVE, ANY, NEGATIVE),
    (NEGATIVE | ZERO, NEGATIVE, POSITIVE),
    (NEGATIVE, ANY, NEGATIVE | ZERO),
    (NEGATIVE | ZERO, ZERO | POSITIVE, ANY),
]


@pytest.mark.parametrize("masks", MASKS)
def test_each_triple_has_one_row_and_its_set_is_right(masks: tuple[int, int, int]) -> None:
    ma, mb, mc = masks
    rows = table(ma, mb, mc, ANY)
    for a, b, c in product(SMALL, repeat=3):
        if not (sign(a) & ma and sign(b) & mb and sign(c) & mc):
            continue
        d = sign(b * b - 4 * a * c)
        found = [r for r in rows if sign(a) & r.a and sign(b) & r.b and sign(c) & r.c and d & r.d]
        assert len(found) == 1
        for v in POINTS:
            assert inside(found[0].shape, a, b, c, v) == (a * v * v + b * v + c >= 0)


def test_on_the_whole_line_each_triple_has_one_row_and_its_set_is_right() -> None:
    rows = table(ANY, ANY, ANY, ANY, line=True)
    for a, b, c in product(SMALL, repeat=3):
        d = sign(b * b - 4 * a * c)
        found = [r for r in rows if sign(a) & r.a and sign(b) & r.b and sign(c) & r.c and d & r.d]
        assert len(found) == 1
        for v in [*POINTS, Fraction(0), *[-p for p in POINTS]]:
            assert inside(found[0].shape, a, b, c, v) == (a * v * v + b * v + c >= 0)


def test_a_linear_inequality_with_negative_constant_has_two_rows() -> None:
    rows = table(ZERO, ANY, NEGATIVE)
    assert [(row.b, row.shape) for row in rows] == [
        (POSITIVE, Shape.FROM_LINEAR),
        (NEGATIVE | ZERO, Shape.NONE),
    ]


def test_zero_of_the_leading_coefficient_is_merged_where_the_constant_is_known() -> None:
    (row,) = table(ZERO | POSITIVE, POSITIVE, NEGATIVE)
    assert row.shape is Shape.FROM_STABLE


def test_zero_of_the_leading_coefficient_is_a_case_of_its_own_elsewhere() -> None:
    rows = table(ZERO | POSITIVE, ANY, NEGATIVE)
    assert {(row.a, row.shape) for row in rows} == {
        (ZERO, Shape.FROM_LINEAR),
        (POSITIVE, Shape.FROM_ROOT),
        (ZERO, Shape.NONE),
    }


def test_the_discriminant_matters_only_where_two_positive_roots_are_possible() -> None:
    assert needs_discriminant(POSITIVE, NEGATIVE, POSITIVE)
    assert needs_discriminant(NEGATIVE, POSITIVE, NEGATIVE)
    assert not needs_discriminant(POSITIVE, ANY, NEGATIVE)
    assert not needs_discriminant(ZERO, ANY, ANY)
