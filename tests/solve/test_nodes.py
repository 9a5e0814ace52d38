"""Trees of formulas: what folds into one leaf, and what is refused."""

from __future__ import annotations

import pytest
from sympy import E, Expr, Max, Rational, Symbol, ceiling, sqrt

from symroof.solve.nodes import (
    Choice,
    Leaf,
    Product,
    Step,
    Sum,
    add,
    compile_nodes,
    has_steps,
    integer_root,
    negate,
)
from symroof.solve.quotients import Kind, UnsolvableError
from symroof.symbolic.functions import log2

u = Symbol("u", positive=True)


def node(expr: Expr):  # type: ignore[no-untyped-def]
    return compile_nodes([expr], u)[1][0]


@pytest.mark.parametrize(
    "expr",
    [
        3 * u**2 - 1 / u,
        (u + 1) ** 3 / (u - 2),
        sqrt(u) * log2(8 * u),
        2 ** (u / 2) * u,
        sqrt(2) * u,
    ],
)
def test_plain_algebra_is_one_leaf(expr: Expr) -> None:
    assert isinstance(node(expr), Leaf)


def test_steps_and_choices_stay_visible() -> None:
    tree = node(u / 2 + ceiling(u / 3) - 4)
    assert isinstance(tree, Sum)
    assert [type(part) for part in tree.parts] == [Leaf, Step]
    assert has_steps(tree)
    assert not has_steps(node(Max(u, 3) * 2))


def test_a_maximum_comes_out_of_a_step() -> None:
    tree = node(ceiling(Max(u / 3, 2 - u)))
    assert isinstance(tree, Choice)
    assert all(isinstance(part, Step) for part in tree.parts)


def test_roots_share_one_variable() -> None:
    space, (tree,) = compile_nodes([sqrt(u) + u ** Rational(1, 3)], u)
    assert space.power == 6
    assert isinstance(tree, Leaf)
    assert tree.quotient.numerator == {3: 1, 2: 1}


def test_bases_that_are_powers_share_one_generator() -> None:
    space, _ = compile_nodes([4**u + Rational(1, 8) ** u + 2 ** (u / 3)], u)
    assert [g.kind for g in space.generators] == [Kind.VARIABLE, Kind.EXPONENTIAL]


@pytest.mark.parametrize(
    ("expr", "why"),
    [
        (u**u, "base"),
        (2 ** (u**2), "not linear"),
        (log2(u + 1), "logarithm of a sum"),
        (u**E, "base"),
        (u ** (10**9), "too large"),
    ],
)
def test_what_is_refused_is_named(expr: Expr, why: str) -> None:
    with pytest.raises(UnsolvableError, match=why):
        node(expr)


def test_multiples_of_one_tree_are_one() -> None:
    space, (first, second) = compile_nodes([3 * ceiling(u / 2), u * ceiling(u / 2)], u)
    tree = add(space, [first, negate(space, second)])
    assert isinstance(tree, Product)
    weight, step = tree.parts
    assert isinstance(weight, Leaf)
    assert weight.quotient.numerator == {0: 3, 1: -1}
    assert isinstance(step, Step)


def test_what_cancels_keeps_its_places_without_a_value() -> None:
    inverse = 1 / ceiling(u / 2 - 3)
    space, (first, second) = compile_nodes([inverse + 1, inverse], u)
    tree = add(space, [first, negate(space, second)])
    assert has_steps(tree)


def test_integer_roots() -> None:
    for index in (2, 3, 5):
        for value in (0, 1, 2, 3, 10, 10**20):
            assert integer_root(value**index, index) == value
            if value > 1:
                assert integer_root(value**index + 1, index) is None
