"""Units: decimal and binary prefixes, sympy and Pint on either side, pickles."""

from __future__ import annotations

import copy
import operator
import pickle
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pint
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Expr, Float, Integer, Max, Rational, SympifyError, sqrt

import symroof as sr

# --- B32: GB and GiB ----------------------------------------------------------------------------


def test_b32_time_to_read_a_memory_in_gb_and_in_gib(answer: Any) -> None:
    times = {}
    for size in ("141 GB", "141 GiB"):
        chip = sr.Chip(
            "chip", peak={"bf16": "1 TFLOP/s"}, memory={"hbm": "4.8 TB/s"}, capacity=size
        )
        times[size] = chip.capacity() / chip.bandwidth()
        assert times[size].unit == "s"
    assert times["141 GB"].value == answer["GB_s"]
    assert times["141 GiB"].value == answer["GiB_s"]
    assert (times["141 GiB"] / times["141 GB"]).value == answer["ratio"]


@pytest.mark.parametrize(("power", "letter"), list(enumerate("kMGTPE", start=1)))
def test_b32_every_decimal_prefix_has_its_binary_one(power: int, letter: str) -> None:
    binary = "Ki" if letter == "k" else f"{letter}i"
    for unit in ("B", "byte"):
        assert sr.Quantity(f"1 {letter}{unit}").value == 1000**power
        assert sr.Quantity(f"1 {binary}{unit}").value == 1024**power
    rate = sr.Quantity(f"1 {binary}B/s") / sr.Quantity(f"1 {letter}B/s")
    assert rate == sr.Quantity(Rational(1024, 1000) ** power)


@given(st.fractions(min_value=0, max_value=10**6), st.sampled_from(["GB", "GiB", "TB", "TiB"]))
def test_b32_amounts_convert_and_never_change(amount: Fraction, unit: str) -> None:
    there = sr.Quantity(f"{amount} {unit}")
    for other in ("GB", "GiB", "MB", "MiB", "byte", "bit"):
        assert sr.Quantity(there.value_in(other), other) == there


def test_b32_capacities_of_a_bare_number_are_refused() -> None:
    for size in ("141", 141, 141e9):
        with pytest.raises(sr.errors.UnitError, match="141"):
            sr.Chip("chip", peak={"bf16": "1 TFLOP/s"}, memory={"hbm": "1 TB/s"}, capacity=size)


def test_b32_chips_of_the_catalogue_say_their_unit_in_every_size() -> None:
    for name in sr.chips():
        for level in sr.chip(name).memory:
            if level.capacity is not None:
                number, unit = level.capacity.text.split()
                assert unit in ("B", "kB", "KiB", "MB", "MiB", "GB", "GiB", "TB", "TiB")
                assert level.capacity.value == sr.Quantity(f"{number} {unit}")


# --- B35: an operand on either side -------------------------------------------------------------

X = sr.symbols("x")
FOREIGN = pint.UnitRegistry()


def test_b35_units_survive_sympy_on_the_left(answer: Any) -> None:
    b, G = sr.Quantity("1 byte"), sr.Quantity("2 GB")
    foreign = sr.Quantity(FOREIGN.Quantity(2, "gigabyte"))
    for made in (X * b, b * X):
        assert isinstance(made, sr.Quantity)
        assert (made.expr, made.unit) == (X, "byte")
    for made in (X * G, G * X, X * foreign, foreign * X):
        assert isinstance(made, sr.Quantity)
        assert (made.expr, made.unit) == (2 * 10**9 * X, "byte")
    third = Rational(1, 3) * sr.Quantity("3 GB")
    assert third == sr.Quantity("1 GB")
    assert answer["third"] == f"1 GB exactly ({third})"
    for quantity in (G, foreign):
        for add in (lambda q: X + q, lambda q: q + X):
            with pytest.raises(sr.errors.UnitError) as error:
                add(quantity)
            assert re.search(r"\bx\b", str(error.value))
            assert "2000000000 byte" in str(error.value)


SCALARS = {
    "symbol": X,
    "sum": X + 1,
    "product": 2 * X,
    "power": X**2,
    "ceiling": sr.Quantity("ceil(x/128)", "").expr,
    "maximum": Max(X, 3),
    "rational": Rational(1, 3),
    "integer": Integer(3),
    "root": sqrt(2),
    "float": Float("0.5"),
    "int": 3,
    "python float": 0.5,
    "fraction": Fraction(1, 3),
    "numpy integer": np.int64(3),
    "numpy float": np.float64(0.5),
    "numpy narrow": np.float32(0.5),
}
OURS = {
    "decimal": sr.Quantity("2 GB"),
    "rate": sr.Quantity("3.35 TB/s"),
    "foreign": sr.Quantity(FOREIGN.Quantity(2, "gigabyte")),
}


@pytest.mark.parametrize("ours", OURS)
@pytest.mark.parametrize("scalar", SCALARS)
def test_b35_order_decides_nothing(scalar: str, ours: str) -> None:
    number, quantity = SCALARS[scalar], OURS[ours]
    assert number * quantity == quantity * number
    assert (number * quantity).unit == (quantity / number).unit == quantity.unit
    assert (number / quantity) * quantity == sr.Quantity(number)
    assert (number / quantity).unit == (1 / quantity).unit
    for pair in ((number, quantity), (quantity, number)):
        for refused in (operator.add, operator.sub):
            with pytest.raises(sr.errors.UnitError):
                refused(*pair)
        for refused in (operator.lt, operator.ge):  # sympy's ceiling refuses by itself
            with pytest.raises((sr.errors.UnitError, SympifyError)):
                refused(*pair)
    assert number != quantity
    assert quantity != number


@pytest.mark.parametrize(
    "operation",
    [
        lambda q: Max(X, q),
        lambda q: X**q,
        lambda q: np.array([1, 2]) * q,
        lambda q: q * np.array([1, 2]),
        lambda q: X % q,
        lambda q: True * q,
        lambda q: 1j * q,
        lambda q: sum([q, q]) + X,
    ],
)
def test_b35_everything_else_raises(operation: Any) -> None:
    with pytest.raises((sr.errors.SymroofError, TypeError, ValueError)):
        operation(sr.Quantity("2 GB"))


@given(st.sampled_from([operator.add, operator.sub, operator.mul, operator.truediv]), st.data())
def test_b35_a_result_is_a_quantity_or_an_error(operation: Any, data: st.DataObject) -> None:
    operands = [*SCALARS.values(), *OURS.values()]
    left = data.draw(st.sampled_from([*OURS.values(), *operands]))
    right = data.draw(st.sampled_from(list(OURS.values())))
    if data.draw(st.booleans()):
        left, right = right, left
    try:
        made = operation(left, right)
    except sr.errors.UnitError:
        return
    assert isinstance(made, sr.Quantity)
    assert not isinstance(made, Expr)


@pytest.mark.parametrize(
    ("theirs", "ours", "equal"),
    [("2 gigabyte", "2 GB", True), ("2 gigabyte", "2 GiB", False), ("2 gigabyte", "2 s", False)],
)
def test_b35_foreign_quantities_on_either_side(theirs: str, ours: str, equal: bool) -> None:
    foreign, quantity = FOREIGN.Quantity(theirs), sr.Quantity(ours)
    assert (foreign == quantity) is equal
    assert (quantity == foreign) is equal
    for made in (foreign * quantity, quantity * foreign):
        assert isinstance(made, sr.Quantity)
        assert made == sr.Quantity(foreign) * quantity
    assert foreign / quantity == sr.Quantity(foreign) / quantity
    if ours == "2 s":
        for pair in ((foreign, quantity), (quantity, foreign)):
            with pytest.raises(sr.errors.UnitError, match=r"byte.* s"):
                operator.add(*pair)
            with pytest.raises(sr.errors.UnitError):
                operator.lt(*pair)


# --- B36: pickles, processes and two registries -------------------------------------------------

FRESH = """
import pickle, sys
chip, peak = pickle.load(sys.stdin.buffer)
import pint
bandwidth = pint.UnitRegistry().parse_expression("3.35 TB/s")
import symroof as sr
for rate in (peak, chip.peak("bf16"), chip.ridge("bf16") * chip.bandwidth()):
    print((rate / sr.Quantity(pint.UnitRegistry().Quantity("3.35 TB/s"))).value)
print(chip.ridge("bf16").value)
print(peak == sr.Quantity("989 TFLOP/s"), peak == sr.Quantity("989 TB/s"), chip.name)
"""


def spec() -> tuple[sr.Chip, sr.Quantity]:
    chip = sr.Chip("mine", peak={"bf16": "989 TFLOP/s"}, memory={"hbm": "3.35 TB/s"})
    return chip, sr.Quantity("989 TFLOP/s")


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_b36_pickle_in_one_process_and_a_second_registry(answer: Any, protocol: int) -> None:
    chip, peak = pickle.loads(pickle.dumps(spec(), protocol))
    assert (chip, peak) == spec()
    second = pint.UnitRegistry()
    for rate in (peak, chip.peak("bf16")):
        for bandwidth in (second.Quantity("3.35 TB/s"), sr.Quantity(second.Quantity("3.35 TB/s"))):
            assert (rate / bandwidth).value == answer["ratio_after_roundtrip"]
    assert chip.ridge("bf16").value == answer["ratio_after_roundtrip"]


def test_b36_pickle_into_a_fresh_process(answer: Any) -> None:
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", FRESH],
        input=pickle.dumps(spec()),
        capture_output=True,
        check=False,
        cwd=Path(sr.__file__).parents[1],
    )
    assert ran.returncode == 0, ran.stderr.decode()
    *ratios, last = ran.stdout.decode().splitlines()
    assert ratios == [str(answer["ratio_after_roundtrip"])] * 4
    assert last == "True False mine"


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda v: pickle.loads(pickle.dumps(v))]
)
def test_b36_copies_of_anything_are_equal_and_work_together(copied: Any) -> None:
    values = [
        sr.Quantity("2*M*N", "FLOP"),
        sr.Quantity("1/3 GiB"),
        sr.Quantity("0 s"),
        sr.chip("h100-sxm"),
        sr.chip("h100-sxm").ridge("bf16"),
        sr.DType.block(4, 128, 16),
    ]
    for value in values:
        again = copied(value)
        assert again == value
        assert hash(again) == hash(value)
    rate = copied(sr.chip("h100-sxm").peak("bf16")) / sr.chip("h100-sxm").bandwidth()
    assert rate.value == Rational(19780, 67)


def test_b36_equality_is_not_blind_to_units() -> None:
    ours = sr.Quantity("989 TFLOP/s")
    for other in ("989 TFLOP", "989 TB/s", "989 GFLOP/s", "989"):
        assert ours != sr.Quantity(other)
    second = pint.UnitRegistry()
    second.define("flop = [computation]")
    assert sr.Quantity("989 TB/s") == second.Quantity("989 terabyte/second")
    assert ours != second.Quantity("989 terabyte/second")
    assert second.Quantity("989 terabyte/second") != ours


def test_b36_units_nobody_here_knows_are_refused() -> None:
    second = pint.UnitRegistry()
    second.define("smoot = 1.7 * meter")
    with pytest.raises(sr.errors.SymroofError, match="smoot"):
        sr.Quantity(second.Quantity(3, "smoot"))
