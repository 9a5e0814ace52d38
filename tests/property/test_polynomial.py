"""Polynomials and fractions keep their values, whatever is done to them."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import assume, given
from hypothesis import strategies as st

from symroof.errors import InputError
from symroof.symbolic.polynomial import Polynomial, fraction

from .formulas import SYMBOLS, formulas, points, value

EXPONENTS = st.tuples(*[st.integers(0, 3)] * 3)
POLYNOMIALS = st.dictionaries(EXPONENTS, st.integers(-9, 9).filter(bool), max_size=6).map(
    lambda terms: Polynomial(SYMBOLS[2::-1], terms)
)


def at(p: Polynomial, point: dict[str, Fraction]) -> Fraction:
    total = Fraction(0)
    for powers, coefficient in p.terms.items():
        product = Fraction(coefficient)
        for gen, power in zip(p.gens, powers, strict=True):
            product *= value(gen, point) ** power
        total += product
    return total


@given(formulas(roots=True), points())
def test_a_fraction_has_the_value_of_its_expression(expr, point):
    try:
        wanted = value(expr, point)
        num, den = fraction(expr)
    except (ZeroDivisionError, InputError):
        assume(False)
    below = at(den, point)
    assume(below)
    assert at(num, point) / below == wanted


@given(formulas(roots=True))
def test_a_fraction_is_in_lowest_integers_and_monomials(expr):
    try:
        num, den = fraction(expr)
    except InputError:
        assume(False)
    assert num.gens == den.gens
    assert not den.is_zero
    if num.is_zero:
        assert den == Polynomial.constant(1)
        return
    assert not any(map(min, num.monomial(), den.monomial()))
    contents = {num.content(), den.content()}
    assert all(any(c % prime for c in contents) for prime in (2, 3, 5, 7))
    assert set(num.used()) | set(den.used()) == set(num.gens)


@given(formulas(roots=True), formulas(roots=True))
def test_equal_formulas_have_equal_fractions(left, right):
    try:
        num, den = fraction(left * right + left)
        other, below = fraction(left), fraction(right + 1)
    except InputError:
        assume(False)
    assert num * other[1] * below[1] == den * other[0] * below[0]


@given(POLYNOMIALS, POLYNOMIALS, POLYNOMIALS)
def test_ring_laws(p, q, r):
    assert p * (q + r) == p * q + p * r
    assert (p * q) * r == p * (q * r)
    assert p + q == q + p
    assert p - p == Polynomial.constant(0)
    assert (p + q) ** 2 == p * p + 2 * (p * q) + q * q
    assert hash(p * q) == hash(q * p)


@given(POLYNOMIALS, POLYNOMIALS)
def test_a_quotient_undoes_a_product(p, q):
    if q.is_zero:
        assert p.quotient(q) is None
    else:
        assert (p * q).quotient(q) == p
        rest = p.quotient(q)
        assert rest is None or rest * q == p


@given(POLYNOMIALS)
def test_primitive_parts_multiply_back(p):
    content, monomial, rest = p.primitive()
    assert content * monomial * rest == p
    assert rest.is_zero or (rest.content() == 1 and not any(rest.monomial()))


@given(POLYNOMIALS, st.sampled_from(SYMBOLS[:3]))
def test_coefficients_add_up(p, atom):
    total = Polynomial.constant(0)
    for power, part in p.coefficients(atom).items():
        assert part.degree(atom) == 0
        total = total + part * Polynomial.generator(atom) ** power
    assert total == p
