"""What is printed is what was meant: readable forms parse back to equal values."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import assume, given
from hypothesis import strategies as st

from symroof.errors import InputError
from symroof.symbolic.forms import Relation
from symroof.symbolic.harmonic import harmonic
from symroof.symbolic.parser import parse
from symroof.symbolic.polynomial import Polynomial, fraction
from symroof.symbolic.quadratics import quadratic
from symroof.symbolic.readable import comparison, ratio, readable

from .formulas import NAMES, SYMBOLS, formulas, points, value

LEADS = st.lists(st.sampled_from(SYMBOLS), unique=True, max_size=2)
ORDERS = st.permutations(NAMES[:3])
POLYNOMIALS = st.dictionaries(
    st.tuples(*[st.integers(0, 2)] * 4), st.integers(-9, 9).filter(bool), min_size=1, max_size=6
).map(lambda terms: Polynomial((SYMBOLS[2], SYMBOLS[0], SYMBOLS[1], SYMBOLS[3]), terms))
POSITIVE = POLYNOMIALS.map(
    lambda p: Polynomial(p.gens, {powers: abs(c) for powers, c in p.terms.items()})
)
HOLDS = {
    Relation.GREATER: lambda a, b: a > b,
    Relation.AT_LEAST: lambda a, b: a >= b,
    Relation.LESS: lambda a, b: a < b,
    Relation.AT_MOST: lambda a, b: a <= b,
    Relation.EQUAL: lambda a, b: a == b,
    Relation.UNEQUAL: lambda a, b: a != b,
}


def valued(expr, point):
    try:
        return value(expr, point)
    except ZeroDivisionError:
        assume(False)


@given(formulas(roots=True), LEADS, ORDERS, points())
def test_readable_parses_back_to_an_equal_value(expr, lead, order, point):
    wanted = valued(expr, point)
    try:
        form = readable(expr, lead, order)
    except InputError:
        assume(False)
    assert value(parse(form.plain()), point) == wanted
    assert form.unicode({"ridge.bf16": "I"})


@given(POLYNOMIALS, POLYNOMIALS, POLYNOMIALS, LEADS, points())
def test_ratio_parses_back_to_an_equal_value(p, q, common, lead, point):
    below = valued((q * common).expr(), point)
    assume(below)
    wanted = value((p * common).expr(), point) / below
    form = ratio(p * common, q * common, lead)
    assert value(parse(form.plain()), point) == wanted


@given(POLYNOMIALS, POLYNOMIALS, st.sampled_from(list(Relation)), LEADS, points())
def test_a_comparison_holds_where_the_question_does(p, q, relation, lead, point):
    product = p * q
    assume(not product.is_zero)
    form = comparison(product, relation, lead)
    left, right = (value(parse(side.plain()), point) for side in (form.left, form.right))
    assert HOLDS[form.relation](left, right) == HOLDS[relation](value(product.expr(), point), 0)
    for side in (form.left, form.right):
        assert "-" not in side.plain()


@given(POLYNOMIALS, POLYNOMIALS, points())
def test_a_comparison_of_a_fraction(p, q, point):
    below = value(q.expr(), point)
    assume(below)
    form = comparison(p.expr() / q.expr(), ">=")
    left, right = (value(parse(side.plain()), point) for side in (form.left, form.right))
    assert (left >= right) == (value(p.expr(), point) / below >= 0)


@given(
    POSITIVE, POLYNOMIALS, POSITIVE, st.sampled_from([1, -1]), st.sampled_from([1, -1]), points()
)
def test_a_root_satisfies_its_quadratic(a, b, c, turn, root, point):
    """Compares 2*a*x + b with the root of the discriminant, which is real as a*c < 0."""
    a, b, c = turn * a, turn * b, -turn * c
    x = parse(quadratic(a, b, c, root).plain())
    numbers = dict(zip("abc", [value(p.expr(), point) for p in (a, b, c)], strict=True))
    inside = numbers["b"] ** 2 - 4 * numbers["a"] * numbers["c"]
    at = x.xreplace({s: parse(str(point[s.name])) for s in SYMBOLS})
    residue = at * 2 * parse(str(numbers["a"])) + parse(str(numbers["b"]))
    assert (residue**2).expand() == parse(str(inside))
    assert residue == 0 or bool(residue > 0) == (root > 0)


@given(st.lists(st.integers(1, 9), min_size=4, max_size=4), points(), st.sampled_from(SYMBOLS[:3]))
def test_the_harmonic_reading_holds_where_the_inequality_does(weights, point, unknown):
    M, N, K, ridge, _ = SYMBOLS
    a, b, c, d = weights
    expr = d * M * N * K - ridge * (a * M * N + b * N * K + c * M * K)
    found = harmonic(fraction(expr)[0], unknown, [ridge])
    assert found is not None
    left, right = (
        value(parse(s.plain()), point) for s in (found.reading.left, found.reading.right)
    )
    assert (left <= right) == (value(expr, point) >= 0)
    assert found.reading.left.plain().split(" + ")[0].endswith(unknown.name)
    assert found.solvable is not None
    rest, most = (
        value(parse(s.plain()), point) for s in (found.solvable.left, found.solvable.right)
    )
    far = {**point, unknown.name: Fraction(10**40)}
    assert (rest < most) == (value(expr, far) > 0) or rest == most
