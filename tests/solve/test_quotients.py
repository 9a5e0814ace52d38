"""Arithmetic on quotients, against values at fractions."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from symroof.solve.quotients import (
    Generator,
    Kind,
    Quotient,
    Space,
    UndefinedError,
    UnsolvableError,
)


def value(quotient: Quotient, place: Fraction) -> Fraction:
    above, below = (
        sum((c * place**key for key, c in terms.items()), Fraction(0))
        for terms in (quotient.numerator, quotient.denominator)
    )
    return above / below


def random_quotient(space: Space, source: random.Random) -> Quotient:
    total = space.number(Fraction(source.randint(-5, 5), source.randint(1, 4)))
    for _ in range(3):
        part = space.multiply(
            space.number(Fraction(source.randint(1, 9), source.randint(1, 9))),
            space.variable(source.randint(-2, 3)),
        )
        total = space.add(total, part)
    return total


def test_operations_agree_with_numbers() -> None:
    source, space, place = random.Random(11), Space(), Fraction(7, 3)
    for _ in range(200):
        a, b = random_quotient(space, source), random_quotient(space, source)
        x, y = value(a, place), value(b, place)
        assert value(space.add(a, b), place) == x + y
        assert value(space.subtract(a, b), place) == x - y
        assert value(space.multiply(a, b), place) == x * y
        assert value(space.raise_to(a, 3), place) == x**3
        if y:
            assert value(space.multiply(a, space.invert(b)), place) == x / y


def test_monomials_never_stay_below() -> None:
    space = Space()
    inverse = space.invert(space.multiply(space.number(Fraction(3)), space.variable(2)))
    assert inverse.denominator == {0: 3}
    assert inverse.numerator == {-2: 1}


def test_a_reciprocal_of_a_reciprocal_remembers_its_pole() -> None:
    space = Space()
    sum_ = space.add(space.variable(), space.number(Fraction(-3)))
    again = space.invert(space.invert(sum_))
    assert again.numerator == sum_.numerator
    assert again.poles == (sum_.numerator,)


def test_generators_keep_apart() -> None:
    space = Space()
    log = Generator(Kind.LOGARITHM, positive=False)
    product = space.multiply(space.generator(log, 3), space.variable(-5))
    ((key, _),) = product.numerator.items()
    assert space.exponents(key) == [-5, 3]
    assert space.generator(log).numerator == space.generator(log).numerator
    assert len(space.generators) == 2


def test_limits() -> None:
    space = Space()
    with pytest.raises(UndefinedError):
        space.invert(space.number(Fraction(0)))
    two = space.add(space.variable(), space.number(Fraction(1)))
    with pytest.raises(UnsolvableError, match="too many terms"):
        space.raise_to(two, 10**6)
    with pytest.raises(UnsolvableError, match="too large"):
        space.raise_to(space.number(Fraction(2**64)), 10**6)


@pytest.mark.parametrize(
    ("quotient", "constant"),
    [
        (Quotient({0: 3}, {0: 2}), Fraction(3, 2)),
        (Quotient({}, {0: 2}), 0),
        (Quotient({1: 3}, {0: 2}), None),
        (Quotient({}, {1: 1, 0: 1}), None),
    ],
)
def test_constants(quotient: Quotient, constant: Fraction | None) -> None:
    assert quotient.constant == constant
