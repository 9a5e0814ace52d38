from __future__ import annotations

import pytest
from sympy import ceiling, sqrt

from symroof.errors import UnboundError
from symroof.solve.conditions import TRUE, Knowledge
from symroof.solve.shapes import ANY, NEGATIVE, POSITIVE, ZERO
from symroof.symbolic import symbol, symbols
from symroof.symbolic.polynomial import Polynomial, fraction

N, K, C, W = map(Polynomial.generator, symbols("N K C W"))
I = Polynomial.generator(symbol("ridge.fp16"))  # noqa: E741
ONE = Polynomial.constant(1)


def test_positive_factors_go() -> None:
    condition = Knowledge().narrowed(TRUE, 6 * N * N * K - 6 * N * I * (N + K), POSITIVE)
    assert condition is not None
    assert condition.text() == "K*N > ridge.fp16*(K + N)"
    assert condition.unicode({"ridge.fp16": "I"}) == "K·N > I·(K + N)"


def test_the_larger_side_stands_on_the_left() -> None:
    knowledge = Knowledge()
    less = knowledge.narrowed(TRUE, N - K, NEGATIVE)
    at_most = knowledge.narrowed(TRUE, N - K, NEGATIVE | ZERO)
    equal = knowledge.narrowed(TRUE, N - K, ZERO)
    assert less is not None
    assert at_most is not None
    assert equal is not None
    assert (less.text(), at_most.text()) == ("K > N", "K >= N")
    assert equal.holds({"N": 3, "K": 3})
    assert not equal.holds({"N": 3, "K": 4})


def test_what_is_known_adds_nothing_and_what_is_impossible_is_none() -> None:
    knowledge = Knowledge(frozenset({"N"}))
    assert knowledge.narrowed(TRUE, N + K, POSITIVE) is TRUE
    assert knowledge.narrowed(TRUE, N + K, NEGATIVE | ZERO) is None
    assert knowledge.narrowed(TRUE, 2 * N - ONE, POSITIVE) is TRUE
    assert knowledge.narrowed(TRUE, N - ONE, NEGATIVE) is None
    assert knowledge.narrowed(TRUE, N - ONE, ANY) is TRUE
    corner = knowledge.narrowed(TRUE, N - ONE, ZERO)
    assert corner is not None
    assert corner.holds({"N": 1})
    assert not corner.holds({"N": 2})


def test_a_polynomial_and_its_negative_are_one_condition() -> None:
    knowledge = Knowledge()
    first = knowledge.narrowed(TRUE, N - K, POSITIVE)
    assert first is not None
    assert knowledge.narrowed(first, 3 * K - 3 * N, NEGATIVE) is first
    assert knowledge.narrowed(first, K - N, POSITIVE) is None


def test_what_follows_from_another_part_is_not_asked_again() -> None:
    knowledge = Knowledge()
    first = knowledge.narrowed(TRUE, N - K, POSITIVE)
    assert first is not None
    assert knowledge.narrowed(first, N + C - K, POSITIVE) is first
    assert knowledge.narrowed(first, K - N - C, POSITIVE | ZERO) is None


def test_what_follows_up_to_a_positive_factor_is_not_asked_again() -> None:
    # N*W > C*(N + K) implies N*K*W > C*K*K: divide by N and by K.
    knowledge = Knowledge()
    first = knowledge.narrowed(TRUE, N * W - C * (N + K), POSITIVE)
    assert first is not None
    assert knowledge.narrowed(first, N * W - C * K, POSITIVE) is first
    assert knowledge.narrowed(first, N * K * W - C * K * K, NEGATIVE) is None


def test_neighbours_merge() -> None:
    knowledge = Knowledge()
    parts = [knowledge.narrowed(TRUE, N - K, signs) for signs in (POSITIVE, ZERO, NEGATIVE)]
    above, equal, below = [part for part in parts if part is not None]
    union = knowledge.merged(above, equal)
    assert union is not None
    assert union.text() == "N >= K"
    assert knowledge.merged(union, below) == TRUE
    assert knowledge.merged(above, below) is None


def test_opaque_atoms_are_evaluated() -> None:
    p, _ = fraction(ceiling(symbols("N") / 128) - symbols("C"))
    condition = Knowledge().narrowed(TRUE, p, POSITIVE)
    assert condition is not None
    assert condition.holds({"N": 129, "C": 1})
    assert not condition.holds({"N": 129, "C": 2})


def test_irrational_values_are_decided() -> None:
    condition = Knowledge().narrowed(TRUE, N * N - 2 * ONE, ZERO)
    assert condition is not None
    assert condition.holds({"N": sqrt(2)})


def test_a_free_name_is_named() -> None:
    condition = Knowledge().narrowed(TRUE, N - K, POSITIVE)
    assert condition is not None
    assert condition.free == {"N", "K"}
    with pytest.raises(UnboundError, match="K"):
        condition.holds({"N": 1})


def test_true_is_true() -> None:
    assert TRUE.is_true
    assert TRUE.text() == "true"
    assert TRUE.holds({})
