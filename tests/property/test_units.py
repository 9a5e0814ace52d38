"""What holds of all amounts: the algebra, conversions, texts, and refusals."""

from __future__ import annotations

import json
import pickle
from contextlib import suppress
from fractions import Fraction

from hypothesis import assume, given
from hypothesis import strategies as st
from sympy import Rational

from symroof.errors import SymroofError
from symroof.symbolic import adopt
from symroof.units import (
    DType,
    Quantity,
    compute_dtype,
    dtype,
    dtypes,
    human,
    parse_unit,
    unit_text,
)
from symroof.units.registry import multiply, power, unit_names

UNITS = st.sampled_from(
    (
        *("", "byte", "GB", "MiB", "Gbit", "FLOP", "TFLOP", "s", "us", "hour", "token", "USD"),
        *("J", "kW", "TB/s", "Gbps", "TFLOPS", "FLOP/byte", "USD/hour", "token/s", "1/s"),
        *("FLOP/s/W", "byte**2"),
    )
)
NUMBERS = st.fractions(min_value=-(10**6), max_value=10**6, max_denominator=10**4)
POSITIVE = st.fractions(min_value=Fraction(1, 10**4), max_value=10**6, max_denominator=10**4)
FORMULAS = st.sampled_from(["M", "2*M*N", "M + N", "M*N/(M + N)", "ceil(M/128)*N", "sqrt(M)", "3"])
AMOUNTS = st.builds(Quantity, NUMBERS, UNITS)
POSITIVE_AMOUNTS = st.builds(Quantity, POSITIVE, UNITS)
SYMBOLIC = st.builds(lambda f, n, u: adopt(f) * Quantity(n, u), FORMULAS, POSITIVE, UNITS)
EXPONENTS = st.fractions(min_value=-3, max_value=3, max_denominator=3).filter(bool)
DIMENSIONS = st.dictionaries(
    st.sampled_from(["byte", "FLOP", "token", "second", "dollar", "joule"]), EXPONENTS
).map(lambda powers: tuple(sorted(powers.items())))


@given(DIMENSIONS, DIMENSIONS, DIMENSIONS)
def test_dimensions_form_a_group(a, b, c):
    assert multiply(multiply(a, b), c) == multiply(a, multiply(b, c))
    assert multiply(a, b) == multiply(b, a)
    assert multiply(a, power(a, Fraction(-1))) == ()
    assert power(multiply(a, b), Fraction(2)) == multiply(power(a, Fraction(2)), power(b, 2))


@given(DIMENSIONS)
def test_unit_texts_are_read_back(dimension):
    assert parse_unit(unit_text(dimension)) == (1, dimension)


@given(AMOUNTS, AMOUNTS, AMOUNTS)
def test_products_in_any_order(a, b, c):
    assert (a * b) * c == a * (b * c)
    assert a * b == b * a
    assert (a * b).dimension == (b * a).dimension


@given(NUMBERS, NUMBERS, NUMBERS, UNITS, AMOUNTS)
def test_sums_in_any_order(m, n, p, unit, factor):
    a, b, c = (Quantity(number, unit) for number in (m, n, p))
    assert (a + b) + c == a + (b + c)
    assert a + b == b + a
    assert a - b == -(b - a)
    assert factor * (a + b) == factor * a + factor * b


@given(AMOUNTS, POSITIVE_AMOUNTS)
def test_quotients_undo_products(a, b):
    assert a * b / b == a
    assert (a / b) * b == a
    assert b**2 / b == b
    assert (b**3) ** Fraction(1, 3) == b


@given(NUMBERS, UNITS)
def test_conversions_are_exact(number, unit):
    q = Quantity(number, unit)
    assert q.value_in(unit) == Rational(number.numerator, number.denominator)
    assert Quantity(q.value_in(unit), unit) == q
    assert Quantity(q.value, q.unit) == q


@given(st.one_of(AMOUNTS, SYMBOLIC))
def test_what_is_stored_is_read_back(q):
    stored = json.loads(json.dumps(q.to_dict(), allow_nan=False))
    again = Quantity.from_dict(stored)
    assert again == q
    assert (again.dimension, again.unit) == (q.dimension, q.unit)
    assert pickle.loads(pickle.dumps(q)) == q
    if not q.expr.free_symbols:
        assert Quantity(str(q)) == q
        assert Quantity(stored["exact"], stored["unit"]) == q


@given(NUMBERS, NUMBERS, UNITS)
def test_order_is_that_of_the_numbers(m, n, unit):
    a, b = Quantity(m, unit), Quantity(n, unit)
    assert (a < b, a <= b, a == b, a >= b, a > b) == (m < n, m <= n, m == n, m >= n, m > n)
    assert (hash(a) == hash(b)) or m != n


@given(SYMBOLIC, SYMBOLIC, st.integers(1, 500), st.integers(1, 500))
def test_binding_goes_through_every_operation(a, b, m, n):
    def at(q):
        known = {"M": m, "N": n}
        return q.at({name: known[name] for name in q.scope.dimensions})

    assert at(a * b) == at(a) * at(b)
    assert at(a / b) == at(a) / at(b)
    if a.dimension == b.dimension:
        assert at(a + b) == at(a) + at(b)
    assert (a == b) <= (at(a) == at(b))


@given(st.one_of(AMOUNTS, SYMBOLIC), st.integers(1, 8))
def test_people_always_get_an_answer(q, digits):
    assert human(q, digits)


@given(st.one_of(st.text(max_size=40), st.text("GMkiBbFLOPs/*()-1 2.e", max_size=25)))
def test_texts_are_read_or_refused(text):
    for read in (parse_unit, Quantity, dtype):
        with suppress(SymroofError):
            read(text)
    try:
        found = Quantity(text)
    except SymroofError:
        return
    assert Quantity(str(found)) == found


@given(st.sampled_from(unit_names()), NUMBERS)
def test_every_unit_takes_every_number(name, number):
    factor, dimension = parse_unit(name)
    q = Quantity(f"{number} {name}")
    assert q.dimension == dimension
    assert q.value == Rational(number.numerator, number.denominator) * Rational(factor)


@given(
    st.integers(1, 16), st.integers(1, 512), st.integers(0, 32), st.integers(0, 32), st.integers(0)
)
def test_blocks_cost_what_their_parts_take(bits, groups, scale_bits, zero_bits, extra):
    group = groups + extra % 7
    block = DType.block(bits, group, scale_bits, zero_bits)
    # Ten whole groups, bit by bit.
    assert block.size(10 * group) * 8 == 10 * (group * bits + scale_bits + zero_bits)
    assert dtype(block.text) == block


@given(st.lists(st.sampled_from(dtypes()), min_size=1, max_size=3))
def test_compute_dtype_does_not_mind_the_order(names):
    def found(operands):
        try:
            return compute_dtype(*operands)
        except SymroofError:
            return "refused"

    assume(names)
    assert found(names) == found(names[::-1])
    assert found(names * 2) == found(names)


@given(POSITIVE_AMOUNTS, FORMULAS)
def test_expressions_never_swallow_the_unit(q, text):
    expr = adopt(text)
    for made in (expr * q, q * expr):
        assert type(made) is Quantity
        assert made.dimension == q.dimension
    assert expr * q == q * expr
