"""Rates: exact values, units, and what is refused."""

from __future__ import annotations

from fractions import Fraction

import pint
import pytest
from sympy import Rational

from symroof.errors import InputError, UnitError
from symroof.hardware.rates import (
    BYTE,
    BYTE_PER_SECOND,
    FLOP_PER_SECOND,
    Rate,
    halved,
    read_rate,
    written_amount,
)
from symroof.symbolic.symbols import symbols
from symroof.units.quantity import Quantity
from symroof.units.registry import parse_unit

BW = symbols("BW")


@pytest.mark.parametrize(
    ("text", "dimension", "value"),
    [
        ("989 TFLOP/s", FLOP_PER_SECOND, 989 * 10**12),
        ("1.979 PFLOPS", FLOP_PER_SECOND, 1979 * 10**12),
        ("1979 TOP/s", FLOP_PER_SECOND, 1979 * 10**12),
        ("3.35 TB/s", BYTE_PER_SECOND, 335 * 10**10),
        ("400 Gbit/s", BYTE_PER_SECOND, 50 * 10**9),
        ("141 GB", BYTE, 141 * 10**9),
        ("141 GiB", BYTE, 141 * 2**30),
        ("95 GiB", BYTE, 102005473280),
    ],
)
def test_texts_are_read_exactly(text, dimension, value):
    assert read_rate(text, dimension, "here").value.value == value


def test_gb_and_gib_take_different_times():
    # 141 GB and 141 GiB at 4.8 TB/s, by fractions: 47/1600 s and 1540096/48828125 s.
    speed = read_rate("4.8 TB/s", BYTE_PER_SECOND, "bw").value
    times = [read_rate(text, BYTE, "capacity").value / speed for text in ("141 GB", "141 GiB")]
    assert [time.value for time in times] == [Rational(47, 1600), Rational(1540096, 48828125)]
    assert (times[1] / times[0]).value == Rational(2097152, 1953125)


@pytest.mark.parametrize("bare", [80, 80.5, Fraction(1, 3), Rational(80), BW, True])
def test_bare_numbers_are_refused(bare):
    with pytest.raises(UnitError, match=r"memory.hbm: .* is a bare number; write its unit"):
        read_rate(bare, BYTE, "memory.hbm")


def test_a_text_without_unit_is_refused():
    with pytest.raises(UnitError, match=r"capacity: expected byte, as in '80 GB', got '80'"):
        read_rate("80", BYTE, "capacity")


def test_the_wrong_dimension_is_named():
    with pytest.raises(
        UnitError, match=r"memory: expected byte/s, as in '3.35 TB/s', got '1 FLOP/s'"
    ):
        read_rate("1 FLOP/s", BYTE_PER_SECOND, "memory")


@pytest.mark.parametrize("text", ["0 TB/s", "-3 TB/s", "0.0 GB/s"])
def test_rates_are_positive(text):
    with pytest.raises(InputError, match=r"memory: .* is not positive and finite"):
        read_rate(text, BYTE_PER_SECOND, "memory")


def test_symbolic_rates_that_are_never_positive_are_refused():
    with pytest.raises(InputError, match=r"is never positive"):
        read_rate(Quantity(-BW, "byte/s"), BYTE_PER_SECOND, "memory")


@pytest.mark.parametrize("text", ["3.35 TX/s", "80 Gb", "fast", "989 TFLOP/s dense", ""])
def test_unreadable_texts_are_one_line_with_the_place(text):
    with pytest.raises((InputError, UnitError), match=r"^peak.bf16: ") as caught:
        read_rate(text, FLOP_PER_SECOND, "peak.bf16")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("given", [None, [], object(), b"80 GB"])
def test_other_things_are_refused(given):
    with pytest.raises(InputError, match=r"expected a text such as '80 GB', got"):
        read_rate(given, BYTE, "capacity")


def test_a_table_carries_its_source():
    rate = read_rate(
        {"value": "80 GB", "source": "label", "confidence": "medium", "note": "decimal"}, BYTE, "c"
    )
    assert (rate.source, rate.confidence, rate.note) == ("label", "medium", "decimal")
    assert (read_rate("80 GB", BYTE, "c").source, rate.text) == ("given", "80 GB")


def test_a_table_may_hold_a_number_or_a_formula_with_its_unit():
    assert read_rate({"value": 80, "unit": "GB"}, BYTE, "c").value.value == 80 * 10**9
    rate = read_rate({"value": "2*BW", "unit": "TB/s"}, BYTE_PER_SECOND, "m")
    assert rate.value.expr == 2 * 10**12 * BW
    with pytest.raises(UnitError, match=r"bare number"):
        read_rate({"value": 80}, BYTE, "c")


def test_wrong_fields_have_a_near_match():
    with pytest.raises(InputError, match=r"c: unknown field 'sorce'; did you mean 'source'"):
        read_rate({"value": "80 GB", "sorce": "x"}, BYTE, "c")
    with pytest.raises(InputError, match=r"missing field"):
        read_rate({"source": "x"}, BYTE, "c")
    with pytest.raises(InputError, match=r"source: expected text, got whole number"):
        read_rate({"value": "80 GB", "source": 3}, BYTE, "c")


def test_confidence_is_one_of_a_few():
    with pytest.raises(InputError, match=r"unknown confidence 'hihg'; did you mean 'high'"):
        Rate("80 GB", confidence="hihg")


def test_a_lone_symbol_is_bound_with_its_unit():
    rate = read_rate(Quantity(BW, "byte/s"), BYTE_PER_SECOND, "m")
    assert rate.value.at(BW="3.35 TB/s").value == 335 * 10**10
    assert not rate.is_known


def test_quantities_of_other_pint_registries_are_carried_over():
    ureg = pint.UnitRegistry()
    rate = read_rate(3.35 * ureg.terabyte / ureg.second, BYTE_PER_SECOND, "m")
    assert rate.value.value == 335 * 10**10
    assert rate.text == "3.35 TB/s"


def test_rates_of_another_chip_become_numbers():
    from symroof.hardware import chip

    rate = read_rate(2 * chip("h100-sxm").bandwidth(), BYTE_PER_SECOND, "m")
    assert rate.value.expr == 670 * 10**10
    assert not rate.value.scope.dimensions


@pytest.mark.parametrize(
    ("text", "exact"),
    [
        ("2250 TFLOP/s", "2.25 PFLOP/s"),
        ("0.5 B/s", "0.5 B/s"),
        ("1/3 TB/s", "1000000000000/3 byte/s"),
        ("450000000000 byte/s", "450 GB/s"),
        ("1 GiB", "1.073741824 GB"),
        ("1 FLOP/s", "1 FLOP/s"),
    ],
)
def test_written_amounts_read_back(text, exact):
    quantity = Quantity(text)
    assert written_amount(quantity) == exact
    assert Quantity(exact) == quantity


def test_halves():
    assert halved(Rate("900 GB/s", source="x")) == Rate("450 GB/s", source="x")


def test_equal_rates_are_equal_however_written():
    assert Rate("3.35 TB/s") == Rate("3350 GB/s")
    assert hash(Rate("3.35 TB/s")) == hash(Rate("3350 GB/s"))


def test_dimensions_are_those_of_the_units():
    assert [parse_unit(unit)[1] for unit in ("FLOP/s", "byte/s", "byte")] == [
        FLOP_PER_SECOND,
        BYTE_PER_SECOND,
        BYTE,
    ]
    assert Rate("  3.35\n TB/s ").text == "3.35 TB/s"
