from __future__ import annotations

import pint
import pytest
from sympy import Rational

from symroof.errors import InputError, SymroofError, UnitError, UnknownNameError
from symroof.units.reading import is_foreign, read_foreign, read_text
from symroof.units.registry import unit_text


@pytest.mark.parametrize(
    ("text", "number", "unit"),
    [
        ("3.35 TB/s", 3_350_000_000_000, "byte/s"),
        ("3.35TB/s", 3_350_000_000_000, "byte/s"),
        ("3.35\u00a0TB/s", 3_350_000_000_000, "byte/s"),  # no-break space, as data sheets have it
        ("  3.35 TB/s ", 3_350_000_000_000, "byte/s"),
        ("989e12 FLOP/s", 989 * 10**12, "FLOP/s"),
        ("9.89E+14 FLOP/s", 989 * 10**12, "FLOP/s"),
        ("1e-6 s", Rational(1, 10**6), "s"),
        ("0.1 s", Rational(1, 10), "s"),
        (".5 byte", Rational(1, 2), "byte"),
        ("5. byte", 5, "byte"),
        ("1/3 GB", Rational(10**9, 3), "byte"),
        ("19780/67 FLOP/byte", Rational(19780, 67), "FLOP/byte"),
        ("-3 GB", -3 * 10**9, "byte"),
        ("+3 GB", 3 * 10**9, "byte"),
        ("0 byte", 0, "byte"),
        ("7", 7, ""),
        ("7/2", Rational(7, 2), ""),
        ("5/s", 5, "1/s"),
        ("5 1/s", 5, "1/s"),
        ("1EB", 10**18, "byte"),
        ("1e3B", 1000, "byte"),
        ("2 $/hour", Rational(2, 3600), "USD/s"),
    ],
)
def test_texts(text, number, unit):
    expr, dimension, _ = read_text(text)
    assert expr == number
    assert expr.is_Rational
    assert unit_text(dimension) == unit


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "expected a number and a unit"),
        ("GB", "a formula takes its unit apart"),
        ("GB 3", "expected a number and a unit"),
        ("2*M*N FLOP", r"Quantity\('2\*M\*N', 'FLOP'\)"),
        ("2**9999999999", "expected a number and a unit"),
        ("3,350 GB/s", "without thousands separators"),
        ("1.2.3 GB", "expected a number and a unit"),
        ("--3 GB", "expected a number and a unit"),
        ("1e99999 byte", "exponents to 1000"),
        ("9" * 20_000 + " byte", "expected a number and a unit"),
        ("9" * 2_000 + " byte", "at most 1000 digits"),
        ("1/0 byte", "division by zero"),
        ("inf byte", "expected a number and a unit"),
        ("nan", "expected a number and a unit"),
        ("__import__('os')", "expected a number and a unit"),
        ("\u0663 GB", "expected a number and a unit"),  # an Arabic digit
    ],
)
def test_texts_that_state_no_amount(text, said):
    with pytest.raises(InputError, match=said) as caught:
        read_text(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize(
    "text", ["3 Gb", "900 GB/s bidirectional", "3 \uff27\uff22", "20 °C", "3 dB", "3 TFLOP/s dense"]
)
def test_texts_with_a_refused_unit(text):
    with pytest.raises(UnitError):
        read_text(text)


def test_a_link_both_ways_says_what_to_write():
    with pytest.raises(UnitError, match="bandwidths are per direction: give half of it"):
        read_text("900 GB/s bidirectional")


def test_foreign_quantities_come_over_as_text():
    ureg = pint.UnitRegistry()
    for value, number, unit in [
        (ureg.Quantity("3.35 TB/s"), 3_350_000_000_000, "byte/s"),
        (ureg.Quantity(80, "GiB"), 85_899_345_920, "byte"),
        (ureg.Quantity(400, "Gbit/s"), 50_000_000_000, "byte/s"),
        (ureg.Quantity(8, "bit"), 1, "byte"),
        (ureg.Quantity(0.1, "us"), Rational(1, 10**7), "s"),
        (ureg.Quantity(700, "watt"), 700, "J/s"),
        (ureg.Quantity(2, "byte**2/hour"), Rational(2, 3600), "byte**2/s"),
        (ureg.Quantity(3, ""), 3, ""),
    ]:
        assert is_foreign(value)
        expr, dimension, _ = read_foreign(value)
        assert expr == number
        assert unit_text(dimension) == unit


def test_foreign_units_without_a_name_here():
    ureg = pint.UnitRegistry()
    for unit in ("meter", "kelvin", "count/second", "decibel"):
        with pytest.raises((UnknownNameError, UnitError)):
            read_foreign(ureg.Quantity(1, unit))
    with pytest.raises(SymroofError):
        read_foreign(ureg.Quantity(float("nan"), "byte"))


def test_foreign_registry_with_a_flop_of_its_own():
    ureg = pint.UnitRegistry()
    ureg.define("flop = [work]")
    assert read_foreign(ureg.Quantity(989, "teraflop/s")).expr == 989 * 10**12
