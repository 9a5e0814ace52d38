"""The fit: it finds the values that rows were made with."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symroof.measurements.fit import Terms, bootstrap, fit

fractions = st.floats(0.05, 1)


def _rows(seed: int, count: int = 60) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    compute, memory, before = 10.0 ** random.uniform(-6, -3, (3, count))
    return compute, memory, before


@settings(max_examples=20)
@given(fractions, fractions, st.floats(0, 5e-5), st.integers(0, 9))
def test_it_finds_what_rows_were_made_with(
    compute: float, memory: float, launch: float, seed: int
) -> None:
    work, moved, _ = _rows(seed)
    time = np.maximum(work / compute, moved / memory) + launch
    found = fit(Terms(work, moved, 0 * work, time))
    assert found.compute == pytest.approx(compute, rel=1e-3)
    assert found.memory == pytest.approx(memory, rel=1e-3)
    assert found.launch == pytest.approx(launch, rel=1e-2, abs=1e-9)
    assert found.preparation == 0


@settings(max_examples=10)
@given(fractions, st.floats(0.1, 4), st.integers(0, 9))
def test_it_finds_a_preparation(compute: float, slow: float, seed: int) -> None:
    work, moved, before = _rows(seed)
    time = np.maximum(work / compute, moved / 0.8) + 1e-5 + slow * before
    found = fit(Terms(work, moved, before, time))
    assert found.preparation == pytest.approx(slow, rel=1e-2)
    assert found.compute == pytest.approx(compute, rel=2e-2)


def test_no_fraction_is_above_one() -> None:
    work, moved, _ = _rows(3)
    found = fit(Terms(work, moved, 0 * work, np.maximum(work, moved) / 2))
    assert found.compute <= 1
    assert found.memory <= 1
    assert found.launch == 0


def test_outliers_do_not_rule() -> None:
    work, moved, _ = _rows(4, 100)
    time = np.maximum(work / 0.5, moved / 0.8) + 5e-6
    time[::10] *= 20
    found = fit(Terms(work, moved, 0 * work, time))
    assert found.compute == pytest.approx(0.5, rel=0.02)
    assert found.memory == pytest.approx(0.8, rel=0.02)


def test_resamples_are_repeatable_and_spread_with_the_noise() -> None:
    work, moved, _ = _rows(5)
    time = np.maximum(work / 0.5, moved / 0.8) + 5e-6
    noisy = time * np.exp(np.random.default_rng(6).normal(0, 0.1, len(time)))
    spreads = []
    for measured in (time, noisy):
        terms = Terms(work, moved, 0 * work, measured)
        again = bootstrap(terms, fit(terms), 30, 7)
        assert again == bootstrap(terms, fit(terms), 30, 7)
        spreads.append(np.std([each.compute for each in again]))
    assert spreads[0] < 1e-4
    assert 0.003 < spreads[1] < 0.05
