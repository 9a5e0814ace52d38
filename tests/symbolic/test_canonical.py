"""Products and quotients as sympy makes them, to the order of their factors."""

from __future__ import annotations

from functools import reduce
from operator import mul

from hypothesis import given
from hypothesis import strategies as st
from sympy import Add, Expr, Integer, Max, Mul, Pow, Rational, ceiling, sqrt

from symroof.symbolic import log2, symbols
from symroof.symbolic.build import divided, multiplied
from symroof.symbolic.canonical import product_of

NAMES = symbols("x y z bw")
x, y, _, _ = NAMES

names = st.sampled_from(NAMES)
numbers = st.builds(Rational, st.integers(-6, 12), st.integers(1, 5))
sums = st.builds(
    lambda terms, constant: Add(*(n * name for n, name in terms), constant),
    st.lists(st.tuples(st.integers(1, 3), names), min_size=1, max_size=3),
    st.integers(0, 2),
)
powers = st.builds(Pow, names | sums, st.sampled_from([-2, -1, 2, 3]))
others = st.builds(lambda kind, name: kind(name / 3), st.sampled_from([ceiling, log2]), names)
largest = st.builds(lambda a, b: Max(a, 2 * b, evaluate=False), names, names)
plain = names | numbers | sums | powers | others | largest
monomials = st.lists(plain, min_size=1, max_size=3).map(lambda factors: Mul(*factors))
factors = st.lists(plain | monomials | st.just(sqrt(x)), min_size=1, max_size=4)


def same(one: Expr, other: Expr) -> bool:
    return one == other and one.args == other.args


@given(factors)
def test_a_product_is_that_of_sympy(given):
    found = product_of(tuple(given))
    assert found is None or same(found, Mul(*given))


@given(factors)
def test_from_left_to_right_as_operators_do(given):
    assert same(multiplied(*given), reduce(mul, given))


@given(monomials, monomials.filter(lambda below: below != 0))
def test_a_quotient_is_that_of_the_operator(above, below):
    assert same(divided(above, below), above / below)


def test_what_needs_more_thought_is_left_to_sympy():
    assert product_of((sqrt(x), y)) is None
    assert product_of((2**x, y)) is None
    assert product_of((Integer(2), x + 1)) is None  # distributed, so a sum
    assert product_of((x, y)) == x * y
