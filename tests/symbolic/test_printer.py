"""Formulas as text: pleasant, the same everywhere, and read back equal."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from sympy import Integer, Max, Pow, Rational, S, Symbol, ceiling, sin, sqrt

from symroof.errors import InputError
from symroof.symbolic import adopt, log2, max_of, parse, symbol, symbols, to_text

B, D, K, M, N, x, y = symbols("B D K M N x y")


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (2 * M * N * K, "2*K*M*N"),
        (K * M * N / (K * M + K * N + M * N), "K*M*N/(K*M + K*N + M*N)"),
        (3 * x / 8, "3*x/8"),
        (-3 * x / 8, "-3*x/8"),
        (x / (8 * y), "x/(8*y)"),
        (1 / x, "1/x"),
        (-1 / x, "-1/x"),
        (2 / (x * y**2), "2/(x*y**2)"),
        (x**2 - 2 * x + 1, "x**2 - 2*x + 1"),
        (1 - Rational(7, 8) ** B, "1 - (7/8)**B"),
        (x - y, "x - y"),
        (-x - y, "-x - y"),
        (2 * N - 1, "2*N - 1"),
        (4 * B * (N - 1) * D, "4*B*D*(N - 1)"),
        (sqrt(x) / 2, "sqrt(x)/2"),
        (1 / sqrt(x), "1/sqrt(x)"),
        (x ** Rational(1, 3), "x**(1/3)"),
        (x ** Rational(-3, 2), "1/x**(3/2)"),
        (sqrt(12 * x), "2*sqrt(3)*sqrt(x)"),
        (sqrt(2) / 2, "sqrt(2)/2"),
        (x**y, "x**y"),
        (x ** (y + 1), "x**(y + 1)"),
        (x ** (2**y), "x**(2**y)"),
        ((x + y) ** 2, "(x + y)**2"),
        (Integer(8) ** (-B), "8**(-B)"),
        (Rational(1, 8) ** B, "(1/8)**B"),
        (log2(x) + 1, "log2(x) + 1"),
        (ceiling(x / 128) * 128, "128*ceil(x/128)"),
        (max_of(x, 3, y), "max(3, x, y)"),
        (max_of(x, 2 * y) / M, "max(2*y, x)/M"),
        (symbol("peak.bf16") / symbol("bw.hbm"), "peak.bf16/bw.hbm"),
        (symbols("lambda") * symbols("E"), "E*lambda"),
        (symbols("x10") + symbols("x9") + symbols("x2"), "x2 + x9 + x10"),
        (S.Infinity, "∞"),
        (S.NegativeInfinity, "-∞"),
        (Integer(-5), "-5"),
        (Rational(-5, 3), "-5/3"),
        (Integer(10**100), "10**100"),
        (Integer(10**25 - 1), "9" * 25),
        (Integer(-3 * 10**30), "-3*10**30"),
        (Integer(10**100 + 1), "1" + "0" * 99 + "1"),
        (3 * 10**30 * M / N, "3*10**30*M/N"),
        (M / (3 * 10**30), "M/(3*10**30)"),
        (M / 10**30, "M/10**30"),
        (M / (3 * 10**30 * N), "M/(3*10**30*N)"),
        (Rational(7, 3 * 10**30), "7/(3*10**30)"),
        (M - 2 * 10**30, "M - 2*10**30"),
        (Integer(3 * 10**30) ** M, "(3*10**30)**M"),
    ],
)
def test_text(expr, text):
    assert to_text(expr) == text
    assert parse(text) == expr


@pytest.mark.parametrize(
    "expr",
    [
        S.Half * (N - 1),
        x / 2 / (y + 1),
        Rational(3, 7) * x / (y - 1) / (x - 1) ** 2,
        ((7 / (Integer(8) * (K + x))) ** 2 + 1) ** -1,
        (x - y) ** Rational(3, 2),
        -(x + 1) / y,
        -((x + y) ** 2),
        2**x * 2,
        4 * 2**x / 3,
        sqrt(2) * 3 ** Rational(1, 3) * x,
        Pow(2, -x / 3) * y,
        log2(3) * sqrt(5) + x,
        max_of(x, ceiling(y / 3), log2(x)) * -1,
        x * (y + 1) * (y + 2) ** -2,
        sqrt(x + sqrt(x + sqrt(y))),
    ],
)
def test_read_back(expr):
    ours = adopt(expr)
    assert parse(to_text(ours)) == ours


def test_order_does_not_depend_on_how_it_was_made():
    assert to_text(K * M + K * N + M * N) == to_text(M * N + N * K + M * K)
    assert to_text(Max(x, y, evaluate=False)) == to_text(Max(y, x, evaluate=False))


def test_same_text_in_every_process():
    code = (
        "from symroof.symbolic import parse, to_text;"
        "print(to_text(parse('max(b*c, a)*(z + y*x)/(q + r + s) + 3*u*v - w + ceil(t/7)')))"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert texts == {"max(a, b*c)*(x*y + z)/(q + r + s) + 3*u*v + ceil(t/7) - w\n"}


def test_shared_parts_are_written_once():
    # Written part by part, as a tree, this nest would take 3**60 steps.
    expr = x
    for _ in range(60):
        expr = ceiling(3 * expr / 2 + y / 7, evaluate=False)
    assert to_text(expr).count("ceil") == 60


def test_refused():
    with pytest.raises(InputError, match="sin cannot be written"):
        to_text(sin(Symbol("x")))
    with pytest.raises(InputError, match="4,000 digits"):
        to_text(Integer(10) ** 4001 * x)
