"""Chips made at random: what is saved loads back equal, and ridge points are quotients."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st
from sympy import Rational

from symroof.hardware import Chip, Rate
from symroof.hardware.rates import CONFIDENCES, written_amount
from symroof.symbolic.symbols import symbols
from symroof.units.quantity import Quantity

texts = st.text(st.characters(codec="utf-8").filter(str.isprintable), max_size=20)
amounts = st.fractions(min_value=Rational(1, 10**6), max_value=10**18, max_denominator=10**6)
names = st.sampled_from(["hbm", "gddr", "l2", "sram", "x_1"])
dtypes = st.sampled_from(["bf16", "fp16", "fp8", "int8", "bf16:fp32:tensor", "fp64:fp64:vector"])


def rates(unit):
    known = amounts.map(lambda value: Quantity(value, unit))
    # A name means one thing in one chip: x a plain number, B_... an amount in the unit.
    own = symbols(f"B_{unit.replace('/', '_per_')}")
    return st.one_of(
        known,
        st.just(Quantity(symbols("x") / 3, unit)),
        st.just(Quantity(own, unit)),
        st.just(Quantity(own, unit) * symbols("x") / 7),
        st.builds(Rate, known, texts, st.sampled_from(CONFIDENCES), texts),
    )


def unambiguous(peaks):
    return len({key.split(":")[0] for key in peaks}) == len(peaks)


@st.composite
def chips(draw):
    memory = draw(st.dictionaries(names, rates("byte/s"), min_size=1, max_size=3))
    return Chip(
        "random",
        title=draw(texts),
        notes=draw(st.lists(texts, max_size=3)),
        peak=draw(st.dictionaries(dtypes, rates("FLOP/s"), min_size=1).filter(unambiguous)),
        memory=memory,
        main=draw(st.sampled_from(sorted(memory))),
        capacity=draw(st.none() | rates("byte")),
        link=draw(
            st.none()
            | rates("byte/s")
            | st.fixed_dictionaries(
                {"bandwidth": rates("byte/s"), "bidirectional": st.booleans(), "kind": texts}
            )
        ),
    )


@given(chips())
def test_saved_chips_load_back_equal(made):
    with TemporaryDirectory() as folder:
        first, second = Path(folder) / "a.toml", Path(folder) / "b.toml"
        made.save(first)
        loaded = Chip.load(first)
        assert loaded == made
        assert loaded.scope.dimensions == made.scope.dimensions
        loaded.save(second)
        assert first.read_bytes() == second.read_bytes()


@given(amounts, st.sampled_from(["byte", "byte/s", "FLOP/s"]))
def test_written_amounts_read_back(value, unit):
    quantity = Quantity(value, unit)
    assert Quantity(written_amount(quantity)) == quantity


@given(amounts, amounts)
def test_ridges_are_quotients(peak, bandwidth):
    made = Chip(
        "random",
        peak={"bf16": Quantity(peak, "FLOP/s")},
        memory={"hbm": Quantity(bandwidth, "byte/s")},
    )
    assert made.ridge("bf16").value == Rational(peak) / Rational(bandwidth)
