from __future__ import annotations

from fractions import Fraction

from sympy import Rational, expand, sqrt

from symroof.solve.ends import End, Ratio, Reading, Root
from symroof.symbolic import parse, symbols
from symroof.symbolic.polynomial import Polynomial

N, K, R = map(Polynomial.generator, symbols("N K I"))
ONE = Polynomial.constant(1)


def same(text: str, expr: object) -> bool:
    return expand(parse(text) - expr) == 0


def test_a_ratio_is_in_lowest_terms() -> None:
    end = Ratio(6 * N * N * K, 4 * N * (N * K - R * (N + K)))
    assert end.above == 3 * N * K
    assert end.form(lead=[symbols("I")]).plain() == "3*K*N/(2*(K*N - I*(K + N)))"


def test_text_reads_back_to_the_expression() -> None:
    for end in (
        Ratio(N * K, N - R),
        Ratio(N, 3 * K, Reading(Fraction(1, 2))),
        Ratio(N, K, Reading(log=True)),
        Root(N, -K, -R, 1),
        Root(N, -2 * K, -R, -1),
        Root(N, K, -R, 0),
    ):
        values = {
            s: Rational(p, q)
            for s, (p, q) in zip(symbols("N K I"), [(7, 2), (5, 3), (2, 3)], strict=True)
        }
        left = parse(end.form().plain()).xreplace(values)
        assert abs((left - end.expr.xreplace(values)).evalf(30)) < 1e-25


def test_roots_by_hand() -> None:
    # v**2 - 5*v + 6 = (v - 2)*(v - 3)
    assert Root(ONE, -5 * ONE, 6 * ONE, -1).expr == 2
    assert Root(ONE, -5 * ONE, 6 * ONE, 1).expr == 3
    # v**2 - 2*v - 1: 1 + sqrt(2)
    assert Root(ONE, -2 * ONE, -ONE, 1).expr == 1 + sqrt(2)
    # 2*v**2 + 3*v - 2: v = 1/2
    assert Root(2 * ONE, 3 * ONE, -2 * ONE, 0).expr == Rational(1, 2)
    # with a = 0 what is left is -c/b
    assert Root(0 * ONE, 3 * ONE, -2 * ONE, 0).expr == Rational(2, 3)


def test_readings_turn_the_variable_into_the_unknown() -> None:
    assert Ratio(16 * ONE, ONE, Reading(Fraction(1, 2))).expr == 4
    assert Ratio(3 * ONE, ONE, Reading(log=True)).expr == 8
    assert Ratio(3 * ONE, ONE, Reading(Fraction(2))).expr == 9


def test_quadratics_are_named_not_expanded() -> None:
    text = Root(N, -2 * K, -R, 1).form().unicode()
    assert text == "(−b + √(b² − 4·a·c)) / (2·a), where a = N, b = −2·K, c = −I"
    stable = Root(N, 2 * K, -R, 0).form().unicode()
    assert stable == "2·c / (−b − √(b² − 4·a·c)), where a = N, b = 2·K, c = −I"


def test_equal_ends_are_equal() -> None:
    assert Ratio(2 * N, 2 * K) == Ratio(N, K) == End(parse("N/K"))
    assert len({Ratio(N, K), Ratio(3 * N, 3 * K)}) == 1
