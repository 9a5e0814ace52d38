from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pint
import pytest

import symroof
from symroof.errors import InputError, SymroofError, UnitError, UnknownNameError
from symroof.units import Quantity
from symroof.units.registry import parse_unit, registry, unit_names, unit_text

ROOT = Path(symroof.__file__).parents[1]


@pytest.mark.parametrize(
    ("text", "factor", "base"),
    [
        ("", 1, ""),
        ("1", 1, ""),
        ("B", 1, "byte"),
        ("byte", 1, "byte"),
        ("bytes", 1, "byte"),
        ("kB", 10**3, "byte"),
        ("MB", 10**6, "byte"),
        ("GB", 10**9, "byte"),
        ("TB", 10**12, "byte"),
        ("PB", 10**15, "byte"),
        ("EB", 10**18, "byte"),
        ("KiB", 2**10, "byte"),
        ("MiB", 2**20, "byte"),
        ("GiB", 2**30, "byte"),
        ("TiB", 2**40, "byte"),
        ("PiB", 2**50, "byte"),
        ("gibibyte", 2**30, "byte"),
        ("gigabytes", 10**9, "byte"),
        ("Gbyte", 10**9, "byte"),
        ("bit", Fraction(1, 8), "byte"),
        ("Gbit/s", 125_000_000, "byte/s"),
        ("Gbps", 125_000_000, "byte/s"),
        ("GBps", 10**9, "byte/s"),
        ("TB/s", 10**12, "byte/s"),
        ("terabyte / second", 10**12, "byte/s"),
        ("FLOP", 1, "FLOP"),
        ("flops", 1, "FLOP"),
        ("TFLOPs", 10**12, "FLOP"),
        ("TFLOPs/s", 10**12, "FLOP/s"),
        ("TFLOP/s", 10**12, "FLOP/s"),
        ("TFLOPS", 10**12, "FLOP/s"),
        ("ZFLOP", 10**21, "FLOP"),
        ("TOPS", 10**12, "FLOP/s"),
        ("TOP/s", 10**12, "FLOP/s"),
        ("FLOP/byte", 1, "FLOP/byte"),
        ("OP/byte", 1, "FLOP/byte"),
        ("s", 1, "s"),
        ("ms", Fraction(1, 10**3), "s"),
        ("us", Fraction(1, 10**6), "s"),
        ("\u00b5s", Fraction(1, 10**6), "s"),  # micro sign
        ("\u03bcs", Fraction(1, 10**6), "s"),  # Greek mu
        ("ns", Fraction(1, 10**9), "s"),
        ("ps", Fraction(1, 10**12), "s"),
        ("min", 60, "s"),
        ("hour", 3600, "s"),
        ("day", 86400, "s"),
        ("year", 31_557_600, "s"),
        ("GHz", 10**9, "1/s"),
        ("1/s", 1, "1/s"),
        ("token/s", 1, "token/s"),
        ("USD/hour", Fraction(1, 3600), "USD/s"),
        ("$/h", Fraction(1, 3600), "USD/s"),
        ("FLOP/s/(USD/hour)", 3600, "FLOP/USD"),
        ("W", 1, "J/s"),
        ("kWh", 3_600_000, "J"),
        ("GFLOP/s/W", 10**9, "FLOP/J"),
        ("GB/s/s", 10**9, "byte/s**2"),
        ("byte**2", 1, "byte**2"),
        ("kB**2", 10**6, "byte**2"),
        ("byte**-1", 1, "1/byte"),
        ("byte**(1/2)", 1, "byte**(1/2)"),
        ("FLOP·s", 1, "FLOP*s"),
        ("3.35 TB/s"[5:], 10**12, "byte/s"),
    ],
)
def test_units_there_are(text, factor, base):
    found, dimension = parse_unit(text)
    assert found == factor
    assert isinstance(found, Fraction)
    assert unit_text(dimension) == base


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("b", "bits or bytes; write bit or B"),
        ("Gb", "write Gbit or GB"),
        ("Gb/s", "write Gbit or GB"),
        ("gb", "write Gbit or GB"),
        ("gB", "write Gbit or GB"),
        ("mB", "write Mbit or MB"),
        ("Kib", "write Kibit or KiB"),
        ("KB", "write kB or KiB"),
        ("dB", "logarithm"),
        ("°C", "temperatures"),
        ("\u2103", "temperatures"),
        ("degC", "temperatures"),
        ("TF", "TFLOP/s"),
        ("MAC", "2 FLOP"),
        ("GB/s bidirectional", "per direction"),
        ("GB/s per direction", "per direction"),
        ("TFLOP/s sparse", "field of their own"),
        ("GB per s", "write /"),
        ("GB GB", "write * or /"),
    ],
)
def test_units_that_can_be_read_in_two_ways(text, said):
    with pytest.raises(UnitError, match=r"^[^\n]*$") as caught:
        parse_unit(text)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("G\u0412", "cyrillic capital letter ve"),
        ("\u0405", "cyrillic capital letter dze"),
        ("\uff27\uff22", "fullwidth latin capital letter g"),
        ("GB/s\u00b2", "superscript two"),
        ("\u216f\u200bB", "roman numeral one thousand"),
        ("\u212bB", "angstrom sign"),
    ],
)
def test_look_alikes_are_named(text, letter):
    with pytest.raises(UnitError, match=letter):
        parse_unit(text)


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("tflop/s", "TFLOP"),
        ("tokn", "token"),
        ("hz", "Hz"),
        ("Terabyte", "terabyte"),
        ("secs", "sec"),
    ],
)
def test_unknown_units_come_with_the_nearest(text, near):
    with pytest.raises(UnknownNameError) as caught:
        parse_unit(text)
    assert caught.value.suggestion == near


def test_unknown_unit_with_nothing_near_lists_common_ones():
    with pytest.raises(UnknownNameError, match="known: byte, GB, GiB, FLOP"):
        parse_unit("xyzzy")


@pytest.mark.parametrize(
    "text",
    [
        "2**9999999999",
        "s**9999999999",
        "s**999",
        "s**(1/0)",
        "s**",
        "s**x",
        "s**(1",
        "kB**(1/2)",
        "GB^2",
        "(" * 150,
        "(GB",
        "GB)",
        "/s",
        "GB//s",
        "GB*",
        "GB/3",
        "3",
        "1 1",
        "GB!",
        "s\x00",
        "__import__('os').system('true')",
        "a" * 201,
        "GB.s",
        "-GB",
    ],
)
def test_what_is_no_product_of_units(text):
    with pytest.raises(SymroofError, match=r"^[^\n]*$"):
        parse_unit(text)


def test_a_unit_is_a_text():
    with pytest.raises(UnitError, match="not int"):
        parse_unit(3)
    with pytest.raises(InputError, match="201 characters"):
        parse_unit("s" * 201)


def test_small_prefixes_are_for_times_and_energies_only():
    names = set(unit_names())
    assert {"ns", "mW", "pJ", "nanosecond"} <= names
    assert names.isdisjoint({"mB", "mFLOP", "ks", "kday", "Kimin", "KiFLOP", "Gb", "Ghour"})


def test_every_name_means_something():
    for name in unit_names():
        factor, dimension = parse_unit(name)
        assert factor > 0
        assert parse_unit(unit_text(dimension)) == (1, dimension)


def test_the_registry_has_no_default_units():
    # Pint's own has `byte` without dimension and reads `b` as bit, `C` as coulomb.
    for name in ("meter", "degC", "count", "percent"):
        assert name not in registry()


def test_pint_loads_when_a_unit_is_read_not_before():
    script = (
        "import sys, symroof.units as u; assert 'pint' not in sys.modules;"
        "u.Quantity('1 GB'); assert 'pint' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True, cwd=ROOT)


def test_the_registry_loads_in_silence(caplog):
    registry.__wrapped__()
    assert caplog.text == ""


def test_another_registry_leaves_operations_to_our_quantities():
    foreign = pint.UnitRegistry().Quantity(2, "gigabyte")
    ours = Quantity("2 GB")
    assert foreign == ours
    assert ours == foreign
    assert foreign != Quantity("2 GiB")
    assert isinstance(foreign * ours, Quantity)
    assert foreign / Quantity("2 s") == Quantity("1 GB/s")
