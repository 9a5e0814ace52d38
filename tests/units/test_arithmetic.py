from __future__ import annotations

from fractions import Fraction

import pytest
from sympy import Rational, oo, sqrt

from symroof.errors import InputError, UnitError
from symroof.units import Quantity, parse_unit

size = Quantity("2 GB")


def test_sums_keep_their_unit():
    assert size + Quantity("1 byte") == Quantity("2000000001 byte")
    assert size - Quantity("1 GiB") == Quantity(2 * 10**9 - 2**30, "byte")
    assert sum([size, size, size]) == Quantity("6 GB")
    assert 0 + size == size - 0 == size


@pytest.mark.parametrize(
    ("combine", "said"),
    [
        (
            lambda: size + 1,
            "cannot add 2000000000 byte and 1: an amount in byte with a plain number",
        ),
        (lambda: 1 + size, "cannot add 1 and 2000000000 byte"),
        (lambda: size - Quantity("1 s"), "cannot subtract 2000000000 byte and 1 s"),
        (lambda: 1 - size, "cannot subtract 1 and 2000000000 byte"),
        (lambda: Quantity("1 FLOP") + size, "cannot add 1 FLOP and 2000000000 byte"),
        (lambda: Quantity("1 token") + 1, "an amount in token with a plain number"),
        (lambda: Quantity("1 s") // size, "cannot divide into whole parts"),
        (lambda: size < Quantity("1 s"), "cannot compare 2000000000 byte and 1 s"),
        (lambda: size >= 1, "cannot compare 2000000000 byte and 1"),
    ],
)
def test_unlike_amounts_are_named(combine, said):
    with pytest.raises(UnitError) as caught:
        combine()
    assert said in str(caught.value)


def test_products_and_quotients():
    assert size * Quantity("3/s") == Quantity("6 GB/s")
    assert (size / Quantity("4 TB/s")).unit == "s"
    assert (size / size).unit == ""
    assert 1 / Quantity("4 s") == Quantity("0.25 Hz")
    assert (Quantity("700 W") * Quantity("2 h")).value_in("kWh") == Rational(7, 5)


def test_powers():
    assert size**2 == Quantity("4e18 byte**2")
    assert size**-1 == 1 / size
    assert size**0 == 1
    assert Quantity("9 byte**2") ** Fraction(1, 2) == Quantity("3 byte")
    assert (Quantity("2 byte") ** Rational(1, 2)).value == sqrt(2)
    assert 2 ** Quantity("3") == 8
    assert Quantity("x", "") ** Quantity("y", "") == Quantity("x**y", "")


@pytest.mark.parametrize(
    ("combine", "said"),
    [
        (lambda: 2**size, "an exponent is a plain number, not 2000000000 byte"),
        (lambda: size ** Quantity("x", ""), "has no fixed unit"),
    ],
)
def test_powers_without_a_unit(combine, said):
    with pytest.raises(UnitError, match=said):
        combine()


def test_powers_too_large():
    with pytest.raises(InputError, match="too large"):
        Quantity(2) ** 9999999999
    with pytest.raises(InputError, match="too large"):
        size**9999999999


def test_whole_parts():
    # Sequences of 1 GiB of cache in what 16.06 GB of weights leave of 80 GB.
    room = Quantity("80 GB") - Quantity("16.06 GB")
    assert room // Quantity("1 GiB") == 59
    assert 7 // Quantity("2") == 3
    assert (Quantity("x", "byte") // Quantity("3 byte")).at(x=10).value == 3


def test_zero_divisors():
    assert (Quantity("1 FLOP") / Quantity("0 byte")).value == oo
    for above in ("0 FLOP", "-1 FLOP"):
        with pytest.raises(InputError, match="division by zero"):
            Quantity(above) / Quantity("0 byte")
    with pytest.raises(InputError, match="division by zero"):
        Quantity("M - N", "FLOP") / Quantity("0 byte")
    with pytest.raises(InputError):
        Quantity("0 byte") ** -1


def test_infinity_less_infinity_is_refused():
    infinite = Quantity("1 FLOP") / Quantity("0 byte")
    with pytest.raises(InputError, match="no value"):
        infinite - infinite
    with pytest.raises(InputError, match="no value"):
        infinite * Quantity("0 byte")


def test_dimensions_cancel_exactly():
    q = Quantity("1 byte") ** Fraction(1, 3) * Quantity("1 byte") ** Fraction(2, 3)
    assert q.dimension == parse_unit("byte")[1]
