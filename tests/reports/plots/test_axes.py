"""The symbol that is swept, the ends of its axis, units and names."""

from __future__ import annotations

from fractions import Fraction

import pytest

import symroof as sr
from symroof.errors import InputError, UnboundError, UnknownNameError
from symroof.reports.plots.axes import (
    NumbersNeededError,
    ends_of,
    formula_text,
    headline,
    nice,
    prefixed,
    rate_unit,
    sweep,
    swept_axis,
)
from symroof.symbolic import parse


def mlp(**values: object) -> sr.Roofline:
    return sr.analyze(sr.load("mlp"), "h100-sxm").at({"D": 4096, "F": 14336, **values})


def test_a_bound_symbol_is_freed_and_its_value_kept() -> None:
    swept = sweep("times", mlp(B=64), "B")
    assert "B" not in swept.roofline.bindings
    assert swept.roofline.bindings["D"] == 4096
    assert swept.now == {"B": 64}


def test_a_rate_is_found_by_its_short_name_and_keeps_an_override() -> None:
    swept = sweep("times", mlp(B=64, bw="2 TB/s"), "bw")
    assert swept.names == ("bw.hbm",)
    assert swept.now == {"bw.hbm": 2 * 10**12}
    assert not swept.count
    # Two matmuls up, an activation, a product, a matmul down: each reads and writes its tensors.
    tokens = 64 * (3 * 4096 + 8 * 14336)
    weights = 3 * 4096 * 14336
    assert swept.formula(swept.roofline.t_memory) == 2 * (tokens + weights) / parse("bw.hbm")


def test_what_is_free_is_named_with_what_to_write() -> None:
    swept = sweep("intensity", sr.analyze(sr.load("mlp"), "h100-sxm"), "B")
    with pytest.raises(UnboundError) as caught:
        swept.formula(swept.roofline.t_memory)
    assert str(caught.value) == "intensity needs numbers for D, F: r.at(D=..., F=...)"
    assert isinstance(caught.value, NumbersNeededError)
    assert caught.value.names == ("D", "F")


def test_unknown_and_repeated_symbols() -> None:
    with pytest.raises(UnknownNameError, match="unknown symbol 'Q'"):
        sweep("times", mlp(), "Q")
    with pytest.raises(InputError, match="B is named twice"):
        sweep("regimes", mlp(), "B", "B")


@pytest.mark.parametrize(
    ("values", "marks", "ends"),
    [
        ({}, [], (1, 4096)),
        ({"B": 64}, [374.7], (1, 2048)),
        ({"B": 64}, [], (1, 256)),
        ({}, [1e6], (2048, 4194304)),
        ({}, [2.0], (1, 64)),
    ],
)
def test_ends_of_a_count_are_powers_of_two_around_what_matters(
    values: dict[str, int], marks: list[float], ends: tuple[int, int]
) -> None:
    assert ends_of(sweep("times", mlp(**values), "B"), marks) == ends


def test_ends_of_a_rate_are_round_and_hold_the_marks() -> None:
    swept = sweep("times", mlp(B=64), "bw")
    low, high = ends_of(swept, [16.2e12])
    assert (low, high) == (2 * 10**11, 10**14)
    assert rate_unit("bw.hbm", low, high) == ("TB/s", 10**12)


def test_the_axis_ends_where_the_algorithm_does() -> None:
    r = sr.analyze(sr.load("attention-decode"), "h100-sxm").at(B=64, H=32, S=8192, d=128)
    # No more key-value heads than query heads.
    assert ends_of(sweep("times", r, "Hkv"), [500.0])[1] == 32


def test_ends_as_the_user_wants_them() -> None:
    swept = sweep("times", mlp(B=64), "B")
    assert ends_of(swept, [], within=(2, 100)) == (2, 100)
    rate = sweep("times", mlp(B=64), "bw")
    assert ends_of(rate, [], within=("1 TB/s", "4 TB/s")) == (10**12, 4 * 10**12)
    for wrong in ((4, 2), (0, 2), "12", (1, 2, 3), 5):
        with pytest.raises(InputError, match="within"):
            ends_of(swept, [], within=wrong)


def test_an_axis_says_what_the_symbol_means() -> None:
    axis = swept_axis(sweep("times", mlp(), "B"), Fraction(1), Fraction(64))
    assert (axis.label, axis.unit, axis.low, axis.high) == ("B, tokens in the batch", "", 1, 64)


@pytest.mark.parametrize(
    ("unit", "typical", "found"),
    [
        ("s", 2e-5, ("µs", Fraction(1, 10**6))),
        ("s", 3.0, ("s", Fraction(1))),
        ("s", 1e-15, ("ps", Fraction(1, 10**12))),
        ("FLOP/s", 1.979e15, ("TFLOP/s", Fraction(10**12))),
        ("FLOP/s", 2e16, ("PFLOP/s", Fraction(10**15))),
        ("byte/s", 9e11, ("GB/s", Fraction(10**9))),
        ("s", float("nan"), ("s", Fraction(1))),
    ],
)
def test_units_that_suit(unit: str, typical: float, found: tuple[str, Fraction]) -> None:
    assert prefixed(unit, typical) == found


def test_nice_ends() -> None:
    assert [nice(x, up=True) for x in (1, 1.1, 3, 9, 0.03)] == [1, 2, 5, 10, 0.05]
    assert [nice(x, up=False) for x in (1, 1.1, 3, 9, 0.03)] == [1, 1, 2, 5, 0.02]


def test_formulas_are_in_the_units_of_the_axes() -> None:
    # Seconds of n bytes at x TB/s, in µs.
    text = formula_text(parse("n/bw.hbm"), "bw.hbm", Fraction(10**12), Fraction(1, 10**6))
    assert parse(text) == parse("n/(1000000*bw.hbm)")


def test_long_names_do_not_make_long_titles() -> None:
    g = sr.Graph("g" * 200)
    x = g.input("x", ("B", 8), "bf16") @ g.weight("w", (8, 8), "bf16")
    assert x is not None
    assert len(headline("Roofline", sr.analyze(g, "h100-sxm"))) < 90
