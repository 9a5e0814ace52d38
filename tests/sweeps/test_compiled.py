"""Compiled formulas against exact evaluation at the same numbers."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import symroof as sr
from symroof.errors import InputError, UnboundError, UnknownNameError


def test_integers_do_not_wrap() -> None:
    product = sr.Quantity("6*P*D", "FLOP")
    counted = sr.compile(product, ["P", "D"])
    got = counted(np.array([405 * 10**9]), np.array([15 * 10**12]))
    assert got.tolist() == [3.645e25]
    cube = sr.compile(sr.Quantity("2*M*N*K", "FLOP"), ["M", "N", "K"])
    side = np.array([2**21], dtype=np.int32)
    assert cube(side, side, side).tolist() == [float(2**64)]


def test_zero_over_zero_is_nan_and_never_warns() -> None:
    f = sr.compile(sr.Quantity("F/B", "FLOP/byte"), ["F", "B"])
    got = f(6, np.array([0, 2]))
    assert got.tolist() == [math.inf, 3.0]
    assert math.isnan(f(0, 0))


def test_all_functions_against_hand_values() -> None:
    text = "max(ceil(x/128)*128, 3*y) + min(x, y) - floor(y/2) + log2(x)"
    f = sr.compile(sr.Quantity(text, ""), ["x", "y"])
    # x = 4: ceil -> 128; 3*100 = 300; min 4; floor(50) = 50; log2 2 -> 300 + 4 - 50 + 2
    assert f(4, 100) == 256.0
    assert f(x=4, y=[1, 100]).tolist() == [128 + 1 - 0 + 2, 256.0]
    assert sr.compile(sr.Quantity("sqrt(x) + x**(-2)", ""), "x")(4) == 2 + 1 / 16


@given(
    st.integers(1, 10**6),
    st.integers(1, 10**6),
    st.integers(1, 10**6),
)
def test_a_matmul_intensity_is_that_of_exact_arithmetic(m: int, n: int, k: int) -> None:
    f = sr.compile(sr.Quantity("M*N*K/(M*N + N*K + M*K)", "FLOP/byte"), ["M", "N", "K"])
    exact = Fraction(m * n * k, m * n + n * k + m * k)
    assert math.isclose(float(f(m, n, k)), float(exact), rel_tol=1e-14)


def test_arrays_broadcast() -> None:
    f = sr.compile(sr.Quantity("a*b", ""), ["a", "b"])
    assert f(np.arange(3)[:, None], np.arange(4)).shape == (3, 4)
    assert sr.compile(sr.Quantity("7", "byte"), [])().tolist() == 7.0


def test_what_is_refused() -> None:
    q = sr.Quantity("M*N", "FLOP")
    with pytest.raises(UnboundError, match="N"):
        sr.compile(q, ["M"])
    with pytest.raises(UnknownNameError, match="symbol 'Q'"):
        sr.compile(q, ["M", "N", "Q"])
    f = sr.compile(q, ["M", "N"])
    with pytest.raises(InputError, match="one value for each of M, N"):
        f(1)
    with pytest.raises(InputError, match="one value for each"):
        f(1, 2, 3)
    with pytest.raises(InputError, match="numbers"):
        f("one", 2)


def test_powers_of_fractions_do_not_overflow() -> None:
    # 8 experts, 2 for each token: 8*(1 - (3/4)**B) are read; all of them for a large batch.
    f = sr.compile(sr.Quantity("E*(1 - (1 - k/E)**B)/E", ""), ["E", "k", "B"])
    assert f(8, 2, [1, 2048, 10**6]).tolist() == [0.25, 1.0, 1.0]
    whole = sr.analyze(sr.load("moe"), "h100-sxm").t_memory.at(D=4096, F=14336, E=8, k=2)
    assert np.isfinite(sr.compile(whole, ["B"])([1, 512, 1024, 10**6])).all()
