from __future__ import annotations

from fractions import Fraction

from sympy import sqrt

from symroof.solve.direct import Sides, function
from symroof.solve.located import AlgebraicNumber
from symroof.solve.problem import Problem
from symroof.solve.roots import positive_roots
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


def test_powers_too_large_to_write_out_are_bounded() -> None:
    u = symbol("u")
    sides = Sides(Problem(parse("1 - (3/4)**u"), (parse("2/3"),), u))
    assert sides.hold({"u": Fraction(123456789, 7)}) is True
    assert sides.hold({"u": Fraction(7, 2)}) is False  # (3/4)**3.5 = 0.365


def test_equality_at_a_huge_power_is_not_known() -> None:
    u = symbol("u")
    sides = Sides(Problem(1 - parse("(3/4)**u"), (1 - parse("(3/4)**u"),), u))
    assert sides.hold({"u": Fraction(2**40 + 1, 3)}) is not False


def test_roots_of_negative_numbers_do_not_hold() -> None:
    u = symbol("u")
    sides = Sides(Problem(parse("sqrt(u - 3)"), (parse("0"),), u))
    assert sides.hold({"u": Fraction(2)}) is False
    assert sides.hold({"u": Fraction(3)}) is True


def test_numbers_known_by_a_bracket_are_put_in_between_its_ends() -> None:
    u = symbol("u")
    (root,) = positive_roots((-1, -1, 0, 1))  # 1.32472
    sides = Sides(Problem(u**2, (parse("7/4"),), u))
    assert sides.hold_exactly({"u": AlgebraicNumber(root)}) is True  # 1.7549
