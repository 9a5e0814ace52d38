from __future__ import annotations

import pytest

from symroof.symbolic import adopt
from symroof.units import EMPTY, Quantity, human, parse_unit
from symroof.units.quantity import from_parts


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("12.4 us", "12.4 µs"),
        ("0.0000124 s", "12.4 µs"),
        ("2.3302 us", "2.33 µs"),
        ("999.9 ms", "1 s"),
        ("29.375 ms", "29.4 ms"),
        ("1 s", "1 s"),
        ("119 s", "119 s"),
        ("90 min", "90 min"),
        ("3 h", "3 h"),
        ("44.32473 day", "44.3 day"),
        ("434.9345 year", "435 year"),
        ("0 s", "0 s"),
        ("1e-30 s", "1e-30 s"),
        ("-3 GB", "-3 GB"),
        ("989 TFLOP/s", "989 TFLOP/s"),
        ("3.35 TB/s", "3.35 TB/s"),
        ("80 GiB", "85.9 GB"),
        ("999 byte", "999 byte"),
        ("1000 byte", "1 kB"),
        ("999.6 GB", "1 TB"),
        ("6.3e24 FLOP", "6.3 YFLOP"),
        ("19780/67 FLOP/byte", "295 FLOP/byte"),
        ("1234.56 FLOP/byte", "1235 FLOP/byte"),
        ("1/3", "0.333"),
        ("700 W", "700 W"),
        ("0.6 pJ/FLOP", "0.6 pJ/FLOP"),
        ("1.41 GHz", "1.41 GHz"),
        ("2.5 USD/hour", "2.5 USD/h"),
        ("13000/7 token/s", "1857 token/s"),
    ],
)
def test_numbers(text, shown):
    assert human(Quantity(text)) == shown


def test_digits():
    q = Quantity("19780/67 FLOP/byte")
    assert human(q, 5) == "295.22 FLOP/byte"
    assert human(q, 0) == "295 FLOP/byte"
    assert human(Quantity("989.4 TFLOP/s"), 4) == "989.4 TFLOP/s"


def test_formulas_infinities_and_irrational_numbers():
    assert human(Quantity("2*M*N", "FLOP")) == "2*M*N FLOP"
    assert human(Quantity("6 FLOP") / Quantity("0 byte")) == "∞ FLOP/byte"
    assert human(Quantity("sqrt(2)/1000", "s")) == "1.41 ms"


def test_never_raises():
    huge = from_parts(adopt(10**6000) * adopt("M"), parse_unit("byte")[1], EMPTY)
    assert human(huge) == "(a long formula) byte"
    assert human(Quantity(10**6000, "byte")).endswith(" YB")


def test_long_numbers_of_years_are_rounded_once() -> None:
    # 30,964.4 years of 365.25 days
    assert human(Quantity("30964.4*31557600", "s"), 4) == "30,964 year"
