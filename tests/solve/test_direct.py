from __future__ import annotations

from fractions import Fraction

from sympy import sqrt

from symroof.solve.direct import Sides, function
from symroof.solve.problem import Problem
from symroof.symbolic import parse, symbol


def test_every_operation() -> None:
    values = {"M": Fraction(7, 2), "N": Fraction(8)}
    for text, expected in (
        ("M + N - 1", Fraction(21, 2)),
        ("M*N/3", Fraction(28, 3)),
        ("N**2/M**2", Fraction(256, 49)),
        ("ceil(M) + floor(M)", Fraction(7)),
        ("max(M, 3) - min(M, 3)", Fraction(1, 2)),
        ("log2(N/32)", Fraction(-2)),
    ):
        assert function(parse(text))(values) == expected


def test_irrational_values_are_compared_exactly() -> None:
    u = symbol("u")
    sides = Sides(Problem(parse("sqrt(u)"), (parse("u"),), u))
    assert sides.hold({"u": Fraction(1, 2)})
    assert not sides.hold({"u": Fraction(2)})
    assert sides.hold({"u": Fraction(1)})
    assert Sides(Problem(u**2, (parse("2"),), u)).hold_exactly({"u": sqrt(2)})


def test_no_value_does_not_hold() -> None:
    u = symbol("u")
    assert Sides(Problem(1 / (u - 1), (parse("0"),), u)).hold({"u": Fraction(1)}) is False
