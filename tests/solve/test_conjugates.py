from __future__ import annotations

from fractions import Fraction

import pytest

from symroof.solve.conjugates import only_this_vanishes, resultant
from symroof.solve.nodes import root_of_number
from symroof.solve.quotients import Space, UnsolvableError
from symroof.solve.roots import positive_roots


def line(value: int, exponent: Fraction) -> tuple[Space, dict[int, int]]:
    """Return v - value**exponent."""
    space = Space()
    root = root_of_number(space, Fraction(value), exponent)
    return space, space.subtract(space.variable(), root).numerator


@pytest.mark.parametrize(
    ("value", "index", "expected"),
    [
        (2, 2, {2: 1, 0: -2}),  # (v - s)(v + s) = v**2 - 2
        (2, 3, {3: 1, 0: -2}),
        (3, 5, {5: 1, 0: -3}),
    ],
)
def test_the_product_of_the_conjugates(value: int, index: int, expected: dict[int, int]) -> None:
    space, terms = line(value, Fraction(1, index))
    assert resultant(space, terms, 1) == expected


def test_high_indices_are_refused() -> None:
    space, terms = line(2, Fraction(1, 6))
    with pytest.raises(UnsolvableError, match="a root of index 6"):
        resultant(space, terms, 1)


def test_a_conjugate_that_vanishes_is_told() -> None:
    # Of v + (2**2)**(1/4) = v + sqrt(2) the conjugate v - sqrt(2) is zero at sqrt(2).
    (root,) = positive_roots((-2, 0, 1))
    space, terms = line(4, Fraction(1, 4))
    assert only_this_vanishes(space, terms, 1, root)
    assert not only_this_vanishes(space, {key: abs(c) for key, c in terms.items()}, 1, root)
