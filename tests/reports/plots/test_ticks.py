from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symroof.reports.plots.plot import Axis, Scale
from symroof.reports.plots.ticks import amount, numbering, share, ticks
from symroof.units import Quantity
from symroof.units.human import human

LOG, LINEAR = Scale.LOG, Scale.LINEAR


def labels(axis: Axis, length: float, upright: bool = False, narrow: bool = False) -> list[str]:
    numbers, _ = numbering(axis, narrow)
    return [tick.label for tick in ticks(axis, length, 12.0, numbers, upright) if tick.label]


@pytest.mark.parametrize(
    ("axis", "length", "expected"),
    [
        (Axis("i", "FLOP/byte", 0.1, 1e4), 600, "0.1 1 10 100 1k 10k"),
        (Axis("b", "", 1, 512), 600, "1 2 5 10 20 50 100 200 500"),
        (Axis("b", "", 1, 512), 200, "1 10 100"),
        (Axis("n", "", 3, 11), 600, "3 4 5 6 7 8 9 10"),
        (Axis("n", "", 250, 400), 600, "260 280 300 320 340 360 380 400"),
        (Axis("n", "", 0, 4096, LINEAR), 300, "0 1000 2000 3000 4000"),
        (Axis("n", "", -2, 2, LINEAR), 350, "−2 −1.5 −1 −0.5 0 0.5 1 1.5 2"),
        (Axis("n", "", 1e-6, 1e6), 650, "10⁻⁶ 10⁻⁵ 10⁻⁴ 0.001 0.01 0.1 1 10 100 1k 10k 100k 1M"),
        (Axis("n", "", 1e-9, 1e21), 200, "10⁻⁹ 1 1G 10¹⁸"),
    ],
)
def test_ticks(axis: Axis, length: float, expected: str) -> None:
    assert labels(axis, length) == expected.split()


@pytest.mark.parametrize(
    ("axis", "expected"),
    [
        (Axis("p", "FLOP/s", 5e10, 3e15), ["100 GFLOP/s", "1 TFLOP/s", "10 TFLOP/s", "100 TFLOP/s",
                                           "1 PFLOP/s"]),
        (Axis("p", "TFLOP/s", 0.05, 3e3), ["100 GFLOP/s", "1 TFLOP/s", "10 TFLOP/s", "100 TFLOP/s",
                                           "1 PFLOP/s"]),
        (Axis("t", "s", 3e-8, 2e-4), ["100 ns", "1 µs", "10 µs", "100 µs"]),
        (Axis("t", "µs", 0.0, 1340.0, LINEAR), ["0", "0.5 ms", "1 ms"]),
        (Axis("m", "byte", 1e9, 1e12), ["1 GB", "10 GB", "100 GB", "1 TB"]),
    ],
)  # fmt: skip
def test_ticks_with_units(axis: Axis, expected: list[str]) -> None:
    assert labels(axis, 150, upright=True) == expected


def test_long_units_go_to_the_title_where_it_is_narrow() -> None:
    axis = Axis("performance", "FLOP/s", 5e10, 3e15)
    assert numbering(axis, narrow=True)[1] == "performance (FLOP/s)"
    assert labels(axis, 150, upright=True, narrow=True) == ["100G", "1T", "10T", "100T", "1P"]
    assert numbering(Axis("time", "s", 1e-6, 1.0), narrow=True)[1] == "time"
    assert numbering(Axis("batch", "", 1, 10), narrow=True)[1] == "batch"


ends = st.floats(-12, 24).map(lambda power: 10.0**power)


@given(ends, st.floats(0.001, 30), st.sampled_from(["", "s", "FLOP/s"]), st.sampled_from(Scale))
def test_ticks_are_on_the_axis_in_order_with_their_value(
    low: float, decades: float, unit: str, scale: Scale
) -> None:
    axis = Axis("x", unit, low, low * 10**decades, scale)
    numbers, _ = numbering(axis, narrow=False)
    found = ticks(axis, 600, 12.0, numbers, upright=False)
    assert [tick.value for tick in found] == sorted({tick.value for tick in found})
    assert all(-1e-6 <= share(axis, tick.value) <= 1 + 1e-6 for tick in found)
    named = [tick for tick in found if tick.label]
    assert len(named) >= 2 or decades < 0.01 or decades > 25
    assert len({tick.label for tick in named}) == len(named)


digits = st.integers(100, 999)


@given(digits, st.integers(-2, 14), st.sampled_from(["FLOP/s", "byte/s", "FLOP", "byte"]))
def test_large_amounts_are_written_as_elsewhere(number: int, power: int, unit: str) -> None:
    text = f"{number}e{power}"
    assert amount(float(text), unit) == human(Quantity(f"{text} {unit}"))


@given(digits, st.integers(-12, -3))
def test_times_are_written_as_elsewhere(number: int, power: int) -> None:
    text = f"{number}e{power}"
    assert amount(float(text), "s") == human(Quantity(f"{text} s"))


@given(st.integers(0, 99_999))
def test_counts_are_written_in_full(number: int) -> None:
    assert amount(float(number), "FLOP/byte") == human(Quantity(f"{number} FLOP/byte"))


def test_amounts_that_are_no_numbers() -> None:
    inf = float("inf")
    assert [amount(inf, "s"), amount(-inf), amount(float("nan"), "s")] == ["∞ s", "−∞", "?"]
    assert [amount(0.0, "s"), amount(-0.25, "s")] == ["0 s", "−250 ms"]
