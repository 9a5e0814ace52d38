"""The display tree as text: parentheses, signs, names and labels."""

from __future__ import annotations

from fractions import Fraction

import pytest
from sympy import Rational

from symroof.symbolic import parse
from symroof.symbolic.forms import (
    Call,
    Comparison,
    Form,
    Name,
    Named,
    Number,
    Power,
    Product,
    Quotient,
    Relation,
    Sum,
    replaced,
)

M, N, K = Name("M"), Name("N"), Name("K")
TWO, HALF = Number(Fraction(2)), Number(Fraction(1, 2))
LESS = Sum((M,), (N,))


@pytest.mark.parametrize(
    ("form", "plain", "shown"),
    [
        (Product((TWO, M, Sum((N, K)))), "2*M*(N + K)", "2·M·(N + K)"),
        (Quotient(M, N), "M/N", "M/N"),
        (Quotient(Product((M, N)), K), "M*N/K", "M·N/K"),
        (Quotient(M, Product((N, K))), "M/(N*K)", "M/(N·K)"),
        (Quotient(Product((M, N)), Sum((N, K))), "M*N/(N + K)", "M·N / (N + K)"),
        (Quotient(LESS, LESS), "(M - N)/(M - N)", "(M − N) / (M − N)"),
        (Quotient(M, Quotient(N, K)), "M/(N/K)", "M/(N/K)"),
        (Sum((M,), (LESS,)), "M - (M - N)", "M − (M − N)"),
        (Sum((M, Sum((), (N,)))), "M + (-N)", "M + (−N)"),
        (Sum((Sum((), (N,)), M)), "-N + M", "−N + M"),
        (Sum((), (M, N)), "-M - N", "−M − N"),
        (Sum(()), "0", "0"),
        (Power(LESS, TWO), "(M - N)**2", "(M − N)²"),
        (Power(Power(M, TWO), N), "(M**2)**N", "(M²)^N"),
        (Power(HALF, N), "(1/2)**N", "(1/2)^N"),
        (Power(M, HALF), "M**(1/2)", "M^(1/2)"),
        (Call("sqrt", (M,)), "sqrt(M)", "√M"),
        (Power(Call("sqrt", (M,)), Number(Fraction(3))), "sqrt(M)**3", "(√M)³"),
        (Call("ceil", (Quotient(M, TWO),)), "ceil(M/2)", "⌈M/2⌉"),
        (Call("min", (M, LESS)), "min(M, M - N)", "min(M, M − N)"),
    ],
)
def test_parentheses(form, plain, shown):
    assert (form.plain(), form.unicode()) == (plain, shown)
    assert str(form) == plain


def test_labels_are_for_people_only():
    form = Quotient(Name("peak.bf16"), Name("bw.hbm"))
    assert form.unicode({"peak.bf16": "π", "bw.hbm": "β"}) == "π/β"
    assert form.unicode() == form.plain() == "peak.bf16/bw.hbm"


@pytest.mark.parametrize(
    ("relation", "plain", "shown", "mirrored"),
    [
        (Relation.GREATER, "M > N", "M > N", "N < M"),
        (Relation.AT_LEAST, "M >= N", "M ≥ N", "N <= M"),
        (Relation.LESS, "M < N", "M < N", "N > M"),
        (Relation.AT_MOST, "M <= N", "M ≤ N", "N >= M"),
        (Relation.EQUAL, "M = N", "M = N", "N = M"),
        (Relation.UNEQUAL, "M != N", "M ≠ N", "N != M"),
    ],
)
def test_relations(relation, plain, shown, mirrored):
    form = Comparison(M, relation, N)
    assert (form.plain(), form.unicode()) == (plain, shown)
    assert Comparison(N, relation.mirrored(), M).plain() == mirrored


def test_named_parts_are_written_out_in_plain_text():
    a = Name("a")
    form = Named(Sum((Power(a, TWO),), (Product((M, a)),)), (("a", LESS),))
    assert form.unicode() == "a² − M·a, where a = M − N"
    assert form.plain() == "(M - N)**2 - M*(M - N)"
    assert Comparison(K, Relation.AT_LEAST, form).unicode() == "K ≥ a² − M·a, where a = M − N"


def test_minus_signs_leave_products_and_powers_when_names_are_replaced():
    a = Name("a")
    minus = {"a": Sum((), (N,))}
    assert replaced(Sum((), (a,)), minus).plain() == "N"
    assert replaced(Power(a, TWO), minus).plain() == "N**2"
    assert replaced(Power(a, Number(Fraction(3))), minus).plain() == "-N**3"
    assert replaced(Sum((M,), (Product((a, a)),)), minus).plain() == "M - N*N"
    assert replaced(Quotient(Call("sqrt", (a,)), a), minus).plain() == "sqrt(-N)/(-N)"
    assert replaced(Comparison(a, Relation.LESS, M), minus).plain() == "-N < M"
    assert replaced(Named(a, (("b", M),)), minus).plain() == "-N"


def test_huge_numbers_print_in_full():
    number = 10**5000 + 7
    assert Number(Fraction(number)).plain() == "1" + "0" * 4999 + "7"
    assert Number(Fraction(number, 3)).plain().endswith("7/3")


def test_a_node_nobody_knows_is_refused():
    with pytest.raises(TypeError, match="no text"):
        Form().plain()


@pytest.mark.parametrize(
    ("value", "plain", "unicode"),
    [
        (Fraction(10**308), "10**308", "10³⁰⁸"),
        (Fraction(-3 * 10**40), "-3*10**40", "-3·10⁴⁰"),
        (Fraction(1, 3 * 10**40), "1/(3*10**40)", "1/(3·10⁴⁰)"),
        (Fraction(1, 10**40), "1/10**40", "1/10⁴⁰"),
        (Fraction(10**24), "1" + "0" * 24, "1" + "0" * 24),
    ],
)
def test_long_round_numbers_are_powers_of_ten(value, plain, unicode):
    form = Number(value)
    assert (form.plain(), form.unicode()) == (plain, unicode)
    assert parse(plain) == Rational(value.numerator, value.denominator)


def test_a_power_of_a_long_round_number_has_parentheses():
    raised = Power(Number(Fraction(3 * 10**40)), Name("x"))
    assert (raised.plain(), raised.unicode()) == ("(3*10**40)**x", "(3·10⁴⁰)^x")
    assert parse(raised.plain()) == Rational(3 * 10**40) ** parse("x")
