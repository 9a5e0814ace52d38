from __future__ import annotations

import pickle

import pytest
from sympy import Integer

from symroof.errors import UnitError
from symroof.units import EMPTY, Scope, parse_unit, union

RATE = parse_unit("byte/s")[1]


def test_counts_are_plain_names_and_rates_have_their_units():
    scope = Scope(counts=frozenset({"M"}), values={"bw.hbm": Integer(5), "ridge.bf16": Integer(2)})
    assert scope.dimensions == {
        "M": (),
        "bw.hbm": RATE,
        "ridge.bf16": parse_unit("FLOP/byte")[1],
    }


def test_a_count_has_no_unit():
    with pytest.raises(UnitError, match="BW is a count, so it cannot be in byte/s"):
        Scope({"BW": RATE}, frozenset({"BW"}))


def test_union_takes_all_names():
    a = Scope({"x": ()}, frozenset({"M"}), {"bw.hbm": Integer(5)})
    b = Scope({"BW": RATE}, frozenset({"N"}), {"bw.hbm": Integer(5)})
    both = union(a, b)
    assert set(both.dimensions) == {"x", "M", "BW", "N", "bw.hbm"}
    assert both.counts == {"M", "N"}
    assert both.values == {"bw.hbm": 5}
    assert both == union(b, a) == a.union(b)
    assert hash(both) == hash(union(b, a))


def test_union_of_a_part_is_the_whole_itself():
    a = Scope(counts=frozenset({"M", "N"}))
    part = Scope(counts=frozenset({"M"}))
    assert union(a, part) is a
    assert union(part, a) is a
    assert union(a, EMPTY) is a
    assert union(EMPTY, a) is a
    assert Scope.EMPTY is EMPTY


def test_a_plain_name_that_is_a_count_elsewhere_is_one():
    assert union(Scope({"M": ()}), Scope(counts=frozenset({"M"}))).counts == {"M"}
    assert union(Scope(counts=frozenset({"M"})), Scope({"M": ()})).counts == {"M"}


def test_two_values_for_one_rate():
    a = Scope(values={"bw.hbm": Integer(5)})
    b = Scope(values={"bw.hbm": Integer(6)})
    with pytest.raises(UnitError, match=r"bw\.hbm has two values, 5 and 6 byte/s"):
        union(a, b)


def test_two_units_for_one_name():
    with pytest.raises(UnitError, match="x is in byte/s in one operand and a plain number in the"):
        union(Scope({"x": RATE}), Scope({"x": ()}))
    with pytest.raises(UnitError, match=r"x is in byte/s in one operand and in s in the other$"):
        union(Scope({"x": RATE}), Scope({"x": parse_unit("s")[1]}))


def test_a_scope_does_not_change():
    given = {"x": ()}
    scope = Scope(given)
    given["y"] = ()
    assert set(scope.dimensions) == {"x"}
    with pytest.raises(TypeError):
        scope.dimensions["y"] = ()


def test_without_forgets_values_and_counts():
    scope = Scope({"x": ()}, frozenset({"M"}), {"bw.hbm": Integer(5)})
    assert scope.without(["M", "bw.hbm"]) == Scope({"x": ()})


def test_pickle():
    scope = Scope({"x": ()}, frozenset({"M"}), {"bw.hbm": Integer(5)})
    assert pickle.loads(pickle.dumps(scope)) == scope
