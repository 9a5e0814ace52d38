"""The guarded constructors: one form for each expression, that of sympy where sympy has one."""

from __future__ import annotations

import pytest
from sympy import (
    Add,
    Integer,
    Max,
    Mul,
    Pow,
    Rational,
    S,
    Symbol,
    ceiling,
    floor,
    root,
    sin,
    sqrt,
)

from symroof.errors import InputError
from symroof.symbolic import adopt, max_of, symbols
from symroof.symbolic.algebra import is_positive
from symroof.symbolic.build import (
    add,
    ceil_of,
    floor_of,
    is_canonical,
    maximum,
    minimum,
    multiply,
    power,
    rebuild,
)

M, N, x, y, z = symbols("M N x y z")


@pytest.mark.parametrize(
    ("base", "exponent", "expected"),
    [
        (x, S.Half, sqrt(x)),
        (2 * x, S.Half, sqrt(2) * sqrt(x)),
        (x * (y + 1), S.Half, sqrt(x) * sqrt(y + 1)),
        (x * (y - 1), S.Half, sqrt(x) * sqrt(y - 1)),
        (-2 * x * (y - z), S.Half, sqrt(2) * sqrt(x) * sqrt(z - y)),
        ((x - 1) * (y - 1), S.Half, sqrt((x - 1) * (y - 1))),
        (x**2, S.Half, x),
        (x**y, z, x ** (y * z)),
        ((x - y) ** 4, S.Half, (x - y) ** 2),
        ((x - y) ** 2, S.Half, max_of(x - y, y - x)),
        (2 * x, Integer(3), 8 * x**3),
        (x / y, Integer(-2), y**2 / x**2),
        (sqrt(2), Integer(3), 2 * sqrt(2)),
        (2 * sqrt(3), S.Half, root(12, 4)),
        (Rational(4, 9), Rational(-3, 2), Rational(27, 8)),
        (S.Zero, x, S.Zero),
        (S.One, x, S.One),
        (S.Infinity, Integer(2), S.Infinity),
        (Integer(10) ** 400, S.Half, Integer(10) ** 200),
        (x + y, S.Zero, S.One),
    ],
)
def test_power(base, exponent, expected):
    assert power(base, exponent) == expected


@pytest.mark.parametrize(
    ("base", "exponent"),
    [
        (Integer(-8), Rational(1, 3)),
        (Integer(-2), x),
        (1 - sqrt(2), S.Half),
        (Mul(-1, sqrt(2)), S.Half),
        (S.Zero, Integer(-1)),
        (S.Zero, x - y),
        (Integer(10) ** 400 + 1, S.Half),
        (x, S.Infinity),
    ],
)
def test_power_refused(base, exponent):
    with pytest.raises(InputError):
        power(base, exponent)


@pytest.mark.parametrize("n", range(2, 40))
def test_products_of_radicals_have_one_form(n):
    made = multiply([root(n, 2), root(n, 3), root(n + 1, 4)])
    assert multiply(list(made.args)) == made
    assert made**12 == Integer(n) ** 10 * Integer(n + 1) ** 3


def test_rounding():
    assert ceil_of(x / 2 + 3) == ceiling(x / 2) + 3
    assert floor_of(x + ceiling(y / 2) + Rational(1, 2)) == floor(x + S.Half) + ceiling(y / 2)
    assert floor_of(Rational(4, 3) - floor(2 * x)) == 1 - floor(2 * x)
    assert ceil_of(ceiling(x / 2) * 3) == 3 * ceiling(x / 2)
    assert ceil_of(S.Infinity) is S.Infinity
    assert ceil_of(-sqrt(2)) == -1
    unknown = sqrt(5 + 2 * sqrt(6)) - sqrt(2) - sqrt(3)
    assert floor_of(unknown) == floor(unknown, evaluate=False)


def test_extremes():
    assert minimum([Integer(3), x, Integer(2)]) == minimum([Integer(2), x])
    assert minimum([x, S.NegativeInfinity]) is S.NegativeInfinity
    assert maximum([maximum([x, y]), z]) == Max(x, y, z, evaluate=False)


def test_sums_and_products():
    assert add([Rational(1, 3), Rational(1, 6)]) == S.Half
    assert add([]) == 0
    assert multiply([]) == 1
    assert multiply([Integer(2), x + 1]) == 2 * x + 2
    with pytest.raises(InputError, match="no value"):
        add([S.Infinity, S.NegativeInfinity])
    with pytest.raises(InputError, match="too large"):
        multiply([Integer(2) ** 900_000] * 3)


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        (x + 1, True),
        (x - 1, False),
        (x * y / z, True),
        (sqrt(x), True),
        (max_of(x - 1, 2), True),
        (ceiling(x / 3), True),
        (floor(x / 3), False),
        (sqrt(2) - 1, True),
        (Symbol("u", real=True), False),
    ],
)
def test_positive_by_shape(expr, expected):
    assert is_positive(expr) is expected


def test_rebuild_keeps_what_it_does_not_touch():
    kept = ceiling(M / 3)
    expr = kept * N + x
    assert rebuild(expr, lambda atom: atom) is expr
    bound = rebuild(expr, lambda atom: {N: Integer(2)}.get(atom, atom))
    assert bound == 2 * kept + x


def test_rebuild_refuses_other_nodes():
    with pytest.raises(InputError, match="sin"):
        rebuild(sin(x), lambda atom: y)


def test_rebuild_refuses_bottomless_nesting():
    expr = x
    for _ in range(3000):
        expr = Pow(expr + 1, Integer(2), evaluate=False)
    with pytest.raises(InputError, match="nested too deeply"):
        rebuild(expr, lambda atom: y)


@pytest.mark.parametrize(
    "loose",
    [
        Mul(2, x + y, evaluate=False),
        Add(x, Add(y, z), evaluate=False),
        Mul(x, Mul(y, z), evaluate=False),
        Pow(Integer(4), S.Half, evaluate=False),
        ceiling(x + 1, evaluate=False),
        Max(x, Max(y, z, evaluate=False), evaluate=False),
    ],
)
def test_loose_forms(loose):
    assert not is_canonical(loose)
    ours = adopt(loose)
    assert ours.is_Atom or is_canonical(ours)
    assert adopt(ours) is ours
