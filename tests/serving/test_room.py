"""Room for caches beside weights: whole sequences, none where weights do not fit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import symroof as sr
from symroof.errors import InputError, UnitError
from symroof.serving.room import sequences_that_fit

BYTES = st.integers(1, 10**12)


@given(BYTES, st.integers(0, 10**12), BYTES)
def test_as_many_fit_and_no_more(memory: int, weights: int, cache: int) -> None:
    most = sequences_that_fit(*(sr.Quantity(n, "byte") for n in (memory, weights, cache))).value
    assert most >= 0
    assert weights + (most + 1) * cache > memory
    assert most == 0 or weights + most * cache <= memory


def test_stays_a_formula_of_names() -> None:
    found = sequences_that_fit(sr.Quantity("80*n", "GB"), "104 GB", "4 GiB")
    assert found.at(n=2).value == 13
    assert found.at(n=1).value == 0


def test_bad_amounts() -> None:
    with pytest.raises(UnitError, match="cache: expected an amount in byte"):
        sequences_that_fit("80 GB", "1 GB", "3 token")
    with pytest.raises(InputError, match="cache: expected a positive amount"):
        sequences_that_fit("80 GB", "1 GB", "0 GB")
