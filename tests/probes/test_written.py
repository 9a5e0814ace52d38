"""Numbers of a chip file: rounded to the safe side."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from symroof.probes.written import exact_bytes, rounded
from symroof.units import Quantity


@given(
    st.tuples(st.floats(1, 1e18), st.just("B/s")) | st.tuples(st.floats(1e-9, 900), st.just("s")),
    st.booleans(),
)
def test_a_number_is_rounded_to_the_side_asked_for(amount: tuple[float, str], up: bool) -> None:
    value, unit = amount
    read = Quantity(rounded(value, unit, up=up)).value
    exact, shown = Fraction(value), Fraction(int(read.p), int(read.q))
    assert shown >= exact if up else shown <= exact
    assert abs(shown - exact) <= exact / 10**4


@given(st.integers(1, 2**50))
def test_a_capacity_is_exact(size: int) -> None:
    assert Quantity(exact_bytes(size)).value == size
