from __future__ import annotations

import pytest
from sympy import Integer, Rational, oo

from symroof.errors import InputError, UnitError
from symroof.units import Quantity, Scope, max_of, min_of, ratio


def test_ratio_where_there_are_no_bytes():
    # The policy for intensities: FLOPs over no bytes is infinite, 0/0 is no number at all.
    assert ratio(Quantity("6 FLOP"), Quantity("0 byte")).value == oo
    assert ratio(Quantity("0 FLOP"), Quantity("0 byte")) is None
    assert ratio(Quantity("6 FLOP"), Quantity("2 byte")) == Quantity("3 FLOP/byte")
    assert ratio(Quantity("0 FLOP"), Quantity("2 byte")) == Quantity("0 FLOP/byte")
    assert ratio(Quantity("2*M*N", "FLOP"), Quantity("0 byte")).value == oo


def test_largest_and_smallest():
    a, b = Quantity("3 ms"), Quantity("2 us")
    assert max_of(a, b) == a
    assert min_of(a, b) == b
    assert max_of(a) == a
    x = Quantity("x", "s")
    assert max_of(x, a).at(x="1 ms") == a
    assert min_of(x, a).at(x="1 ms") == Quantity("1 ms")
    assert max_of(x, a).unit == "s"


def test_largest_unites_scopes():
    slow = Quantity.of(Integer(1), "s", Scope(values={"bw.hbm": Integer(2)}))
    fast = Quantity.of(Integer(1), "s", Scope(values={"bw.hbm": Integer(3)}))
    assert max_of(slow, Quantity("M/7", "byte") / Quantity("1 byte/s")).scope.values
    with pytest.raises(UnitError, match="two values"):
        max_of(slow, fast)


def test_one_dimension():
    with pytest.raises(UnitError, match="cannot take the largest of 1/1000 s and 3 byte: "):
        max_of(Quantity("1 ms"), Quantity("3 byte"))
    with pytest.raises(UnitError, match="take the smallest of"):
        min_of(Quantity("1 ms"), Quantity("3 byte"))
    with pytest.raises(InputError, match="no quantities"):
        max_of()


def test_symbolic_ratio_is_left_alone():
    q = ratio(Quantity("2*M*N", "FLOP"), Quantity("2*M + 2*N", "byte"))
    assert q.at(M=3, N=5).value == Rational(15, 8)
