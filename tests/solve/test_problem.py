from __future__ import annotations

import pickle

import pytest
from sympy import Integer, Rational

from symroof.errors import InputError, UnitError, UnknownNameError
from symroof.solve import Problem
from symroof.symbolic import symbol, symbols

M, N, K = symbols("M N K")
I = symbol("ridge.fp16")  # noqa: E741
MATMUL = Problem(
    M * N * K / (M * N + M * K + N * K),
    (I,),
    M,
    frozenset({"M", "N", "K"}),
    {"ridge.fp16": Rational(1000, 3)},
    integer=True,
)


def test_known_values_are_not_free() -> None:
    assert MATMUL.free == ("K", "N")
    assert MATMUL.names == {"K", "N", "ridge.fp16"}


def test_binding_is_simultaneous_and_exact() -> None:
    problem, values = MATMUL.bound({"N": "K", "K": "N"})
    assert problem.left == MATMUL.left
    assert values == {"N": K, "K": N}


def test_the_unknown_cannot_be_bound() -> None:
    with pytest.raises(InputError, match="M is what is asked for"):
        MATMUL.bound({"M": 5})


def test_an_unknown_name_comes_with_a_near_match() -> None:
    with pytest.raises(UnknownNameError, match=r"'KK'; did you mean 'K'"):
        MATMUL.bound({"KK": 5})


def test_counts_are_at_least_one() -> None:
    with pytest.raises(InputError, match="at least 1"):
        MATMUL.bound({"N": Rational(1, 2)})
    with pytest.raises(InputError, match="positive"):
        MATMUL.bound({"N": 0})


def test_rates_take_their_unit_and_their_short_name() -> None:
    problem, _ = MATMUL.bound({"ridge": "10 FLOP/byte"})
    assert problem.rights == (Integer(10),)
    with pytest.raises(UnitError, match="FLOP/byte"):
        MATMUL.bound({"ridge": 10})


def test_names_that_cancelled_may_be_bound() -> None:
    problem = Problem(N, (K,), M, frozenset({"B"}), dimensions={"D": ()})
    bound, _ = problem.bound({"B": 3, "D": 2})
    assert bound.left == N


def test_a_value_in_other_symbols_leaves_these_free() -> None:
    problem = Problem(M, (I,), M, values={"ridge.fp16": 2 * N})
    assert problem.free == ("N",)
    assert problem.bound({"N": 4})[0].resolved().rights == (Integer(8),)


def test_a_value_of_the_unknown_is_not_used() -> None:
    problem = Problem(M, (I,), I, values={"ridge.fp16": Integer(3)})
    assert problem.free == ("M",)
    assert problem.resolved().rights == (I,)


def test_pickles() -> None:
    assert pickle.loads(pickle.dumps(MATMUL)) == MATMUL
    assert hash(MATMUL) == hash(pickle.loads(pickle.dumps(MATMUL)))
