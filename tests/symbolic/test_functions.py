"""log2: exact where it can be, an ordinary sympy function elsewhere."""

from __future__ import annotations

import pickle

import pytest
from sympy import Rational, S, Symbol, diff, latex, log, sqrt

from symroof.symbolic import log2, symbols


@pytest.mark.parametrize(
    ("arg", "expected"),
    [(1, 0), (2, 1), (8, 3), (2**500, 500), (Rational(1, 4), -2), (sqrt(2), Rational(1, 2))],
)
def test_exact(arg, expected):
    assert log2(arg) == expected


@pytest.mark.parametrize("arg", [3, 6, Rational(1, 3), Rational(3, 4), Rational(2, 3)])
def test_kept(arg):
    assert isinstance(log2(arg), log2)


def test_limits_of_the_domain():
    assert log2(S.Infinity) is S.Infinity
    assert log2(0) is S.ComplexInfinity
    assert log2(-2) is S.NaN


def test_power_of_two_is_undone():
    x = symbols("x")
    assert log2(2**x) == x


def test_digits():
    # log2(3) to 30 digits (OEIS A020857).
    assert str(log2(3).evalf(30)) == "1.58496250072115618145373894395"
    assert log2(symbols("x")).evalf() == log2(symbols("x"))


def test_derivative_and_rewrite():
    x = symbols("x")
    assert diff(log2(x), x) == 1 / (x * log(2))
    assert log2(x).rewrite(log) == log(x) / log(2)


def test_real_and_printable():
    x = symbols("x")
    assert log2(x).is_real
    assert str(log2(x)) == "log2(x)"
    assert latex(log2(x)) == r"\log_2\left(x\right)"
    assert pickle.loads(pickle.dumps(log2(x))) == log2(x)


def test_unknown_sign_is_left_alone():
    assert isinstance(log2(Symbol("u", real=True)), log2)
