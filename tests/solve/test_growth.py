"""Growths: exact, whatever the bases they are written with."""

from __future__ import annotations

from fractions import Fraction

import pytest
from sympy import Rational

from symroof.solve.growth import CONSTANT, Growth


def exponential(base: object, speed: object = 1) -> Growth:
    return Growth.exponential(Rational(base), Fraction(speed))


U, LOG = Growth(power=Fraction(1)), Growth(logs=Fraction(1))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (exponential(3) + exponential(5), exponential(15)),
        (exponential(4), exponential(2, 2)),
        (exponential(8, Fraction(1, 3)), exponential(2)),
        (exponential("2/3") + exponential("3/2"), CONSTANT),
        (exponential(6) - exponential(3), exponential(2)),
        (exponential(12) * 2, exponential(144)),
        (exponential(12) + exponential(18), exponential(6, 3)),
        (exponential(7) * 0, CONSTANT),
        (U * 3 - U * 2, U),
    ],
)
def test_equal_growths_are_one_key(one: Growth, other: Growth) -> None:
    assert one == other
    assert hash(one) == hash(other)
    assert not one < other
    assert not one > other


@pytest.mark.parametrize(
    ("slow", "fast"),
    [
        (CONSTANT, LOG),
        (LOG * 100, U),
        (U * 100, exponential("1000001/1000000")),
        (exponential("1/2"), CONSTANT),
        (exponential("1/2") + U * 9, LOG * -1),
        (exponential(3), exponential(3) + LOG),
        # 2**19 = 524288 < 3**12 = 531441; 2**84 and 3**53 differ by one part in 500.
        (exponential(2, 19), exponential(3, 12)),
        (exponential(2, 84), exponential(3, 53)),
        # A difference floats do not show.
        (exponential(10**20), exponential(10**20 + 1)),
    ],
)
def test_the_faster_one_is_larger(slow: Growth, fast: Growth) -> None:
    assert slow < fast
    assert fast > slow
    assert slow != fast
    assert max(slow, fast) is fast
