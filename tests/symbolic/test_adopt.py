"""What comes in from outside leaves as an exact expression of ours, or is refused by name."""

from __future__ import annotations

from decimal import Decimal
from enum import IntEnum
from fractions import Fraction

import numpy as np
import pytest
import sympy
from sympy import Derivative, Float, Function, Piecewise, Rational, S, Symbol, log, sqrt

from symroof.errors import InputError, ParseError
from symroof.symbolic import adopt, log2, max_of, parse, symbols, to_text

B, M, N = symbols("B M N")


class Level(IntEnum):
    TWO = 2


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (3, Rational(3)),
        (-(10**30), Rational(-(10**30))),
        (0.1, Rational(1, 10)),
        (1e-15, Rational(1, 10**15)),
        (3.35, Rational(335, 100)),
        (2.0222e-15, Rational(20222, 10**19)),
        (1e300, Rational(10**300)),
        (Fraction(33, 8), Rational(33, 8)),
        (Decimal("4.125"), Rational(33, 8)),
        (np.float32(0.1), Rational(1, 10)),
        (np.float16(0.1), Rational(1, 10)),
        (np.float64(0.1), Rational(1, 10)),
        (np.int64(2**40), Rational(2**40)),
        (Level.TWO, Rational(2)),
        (float("inf"), S.Infinity),
        (Decimal("-Infinity"), S.NegativeInfinity),
        ("3*M/8", 3 * M / 8),
    ],
)
def test_values(given, expected):
    assert adopt(given) == expected


@pytest.mark.parametrize(
    "foreign",
    [
        Symbol("B"),
        Symbol("B", integer=True),
        Symbol("B", positive=True, integer=True),
        Symbol("B", negative=True),
        Symbol("B", commutative=True, real=True),
    ],
)
def test_symbols_become_ours_by_name(foreign):
    assert adopt(foreign) is B
    assert adopt(foreign * 2 + 1) == 2 * B + 1


def test_dims_under_one_name_cancel():
    assert adopt(Symbol("B")) / adopt(Symbol("B", integer=True)) == 1
    assert adopt(Symbol("B") - Symbol("B", integer=True)) == 0


def test_symbols_of_different_names_stay_apart():
    assert adopt(Symbol("M") - Symbol("N")) != 0


def test_floats_inside_become_exact():
    assert adopt(0.1 * Symbol("B") + 2.5) == B / 10 + Rational(5, 2)
    assert adopt(Float("0.1")) == Rational(1, 10)
    assert adopt(Float("0.1", 40)) == Rational(1, 10)
    assert adopt(Float("1e400")) == 10**400
    assert adopt(Symbol("B") ** 0.5) == sqrt(B)


def test_quotients_of_logarithms():
    x = Symbol("x")
    assert adopt(log(x) / log(2)) == log2(symbols("x"))
    assert adopt(log(x, 2)) == log2(symbols("x"))
    assert adopt(log(Symbol("n", positive=True)) / log(8)) == log2(symbols("n")) / 3
    assert adopt(log(8) / log(2)) == 3


def test_functions():
    x = Symbol("x")
    ours = symbols("x")
    assert adopt(sympy.ceiling(x / 128)) == parse("ceil(x/128)")
    assert adopt(sympy.floor(x / 3) + 1) == parse("x//3 + 1")
    assert adopt(sympy.Max(x, 3)) == max_of(ours, 3)
    assert adopt(sympy.Min(x, 3, Symbol("y"))) == parse("min(3, x, y)")
    assert adopt(sqrt(x)) == sqrt(ours)


def test_ours_come_back_as_they_are():
    expr = M * N / (M + N) + max_of(M, 2 * N)
    assert adopt(expr) is expr
    assert adopt(adopt(Symbol("q") * 2)) is adopt(Symbol("q") * 2)


def test_unevaluated_is_brought_to_one_form():
    loose = sympy.Mul(2, M + N, evaluate=False)
    assert adopt(loose) == 2 * M + 2 * N
    assert adopt(sympy.Add(M, M, N, evaluate=False) * 1) is not None
    assert adopt(sympy.ceiling(M / 2 + 1, evaluate=False)) == parse("ceil(M/2) + 1")


@pytest.mark.parametrize("value", [True, False, np.True_, sympy.true])
def test_bools(value):
    with pytest.raises(InputError, match="bool"):
        adopt(value)


@pytest.mark.parametrize(
    ("value", "named"),
    [
        (float("nan"), "NaN"),
        (Decimal("NaN"), "NaN"),
        (S.NaN, "nan"),
        (S.ComplexInfinity, "zoo"),
        (1j, "complex"),
        (np.complex128(1j), "complex"),
        (S.ImaginaryUnit * Symbol("x"), "complex"),
        (sympy.pi, "pi"),
        (sympy.E * Symbol("x"), "E"),
        (sympy.sin(Symbol("x")), "sin"),
        (1 + sympy.exp(Symbol("x")), "exp"),
        (Derivative(Function("h")(Symbol("x")), Symbol("x")), "Derivative"),
        (Function("h")(Symbol("x")), "h"),
        (Piecewise((1, Symbol("x") > 0), (2, True)), "Piecewise"),
        (Symbol("x") > 1, "StrictGreaterThan"),
        (log(Symbol("x")), "natural logarithm"),
        (sympy.Dummy("q"), "Dummy"),
        (abs(Symbol("x")), "Abs"),
        (Symbol("a b"), "a b"),
        (Symbol("x.y"), "x.y"),
        (sqrt(-2), "complex"),
        (sympy.Pow(-8, Rational(1, 3)), "negative"),
        (None, "NoneType"),
        ([1], "list"),
        (np.array([1, 2]), "ndarray"),
        (sympy.Matrix([[1]]), "Matrix"),
        (b"M", "bytes"),
    ],
)
def test_refused_by_name(value, named):
    with pytest.raises(InputError, match=named) as caught:
        adopt(value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "value",
    [
        Decimal("1e999999999"),
        Float("1e100000"),
        pytest.param(1 << 10**7, id="ten million bits"),
        sympy.Pow(10, 10**10, evaluate=False),
        sympy.Mul(3, sqrt(2), sympy.Pow(10, 10**10, evaluate=False), Symbol("x"), evaluate=False),
    ],
)
def test_bombs_are_refused_before_they_are_computed(value):
    with pytest.raises(InputError):
        adopt(value)


def test_bottomless_nesting():
    expr = Symbol("x")
    for _ in range(3000):
        expr = sympy.Pow(expr + 1, Rational(1, 2), evaluate=False)
    with pytest.raises(InputError, match="nested too deeply"):
        adopt(expr)


def test_the_place_is_named():
    with pytest.raises(InputError, match=r"^--set B: expected a number"):
        adopt([1], where="--set B")
    with pytest.raises(ParseError, match=r"^ops\.toml:flops: unexpected"):
        adopt("2^3", where="ops.toml:flops")


def test_what_is_adopted_prints_and_reads_back():
    x, y = sympy.symbols("x y", real=True)
    for foreign in (sqrt((x - y) ** 2 + 1), (x - y) ** Rational(3, 2), 0.3 * x / (y + 0.1)):
        ours = adopt(foreign)
        assert parse(to_text(ours)) == ours
