"""Chains of derivatives: their length, and that they separate zeros."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from sympy import Expr, Rational, Symbol

from symroof.solve.evaluation import sign_at
from symroof.solve.nodes import Leaf, compile_nodes
from symroof.solve.rolle import chain
from symroof.symbolic.functions import log2

u = Symbol("u", positive=True)
R = Rational

CHAINS = [
    # A line and one exponential: the line takes two derivatives.
    (8 - 8 * R(7, 8) ** u - u / 3, 3),
    (2**u - 3**u, 2),
    (u * log2(u) - 40 * u + 7, None),
    (log2(u) ** 3 - u**2, None),
    (u**2 * R(9, 10) ** u - u * 2**u + 5, None),
    (u * log2(u) * R(9, 10) ** u - log2(u) + 1, None),
]


@pytest.mark.parametrize(("expr", "length"), CHAINS)
def test_a_chain_ends_in_a_sum_without_zeros(expr: Expr, length: int | None) -> None:
    space, (node,) = compile_nodes([expr], u)
    assert isinstance(node, Leaf)
    sums = chain(space, node.quotient.numerator)
    assert sums is not None
    assert length is None or len(sums) == length
    places = [Fraction(1, 1000), Fraction(1, 3), Fraction(1), Fraction(7), Fraction(1000)]
    assert len({sign_at(space, sums[-1], place) for place in places}) == 1


@pytest.mark.parametrize("expr", [expr for expr, _ in CHAINS])
def test_sign_changes_drop_by_at_most_one(expr: Expr) -> None:
    # Rolle: a sum has at most one zero more than the next of the chain.
    space, (node,) = compile_nodes([expr], u)
    assert isinstance(node, Leaf)
    sums = chain(space, node.quotient.numerator)
    assert sums is not None
    places = [Fraction(i, 4) for i in range(1, 4 * 40)]
    changes = []
    for terms in sums:
        signs = [sign_at(space, terms, place) for place in places]
        changes.append(sum(a != b for a, b in itertools.pairwise(signs)))
    assert all(a <= b + 1 for a, b in itertools.pairwise(changes))
