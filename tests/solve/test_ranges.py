from __future__ import annotations

import pytest
from sympy import Integer, Rational, sqrt

from symroof.errors import UnboundError
from symroof.solve.ends import End
from symroof.solve.ranges import ALL, NEVER, Bound, SymbolicRegion
from symroof.symbolic import max_of, parse
from symroof.symbolic.regions import Interval, Region


def lower(text: str, *, closed: bool = True) -> SymbolicRegion:
    return SymbolicRegion(((Bound(End(parse(text)), True, closed),),))


def upper(text: str, *, closed: bool = True) -> SymbolicRegion:
    return SymbolicRegion(((Bound(End(parse(text)), False, closed),),))


def test_relations() -> None:
    between = lower("a").intersection(upper("b"))
    outside = upper("a").union(lower("b"))
    assert [r.relation for r in (lower("a"), upper("b"), between, outside, ALL, NEVER)] == [
        ">=",
        "<=",
        "between",
        "outside",
        None,
        None,
    ]
    assert (between.threshold, between.threshold_upper) == (parse("a"), parse("b"))
    assert (outside.threshold, outside.threshold_upper) == (parse("a"), parse("b"))
    assert between.union(upper("c")).relation is None


def test_several_lower_ends_are_a_maximum() -> None:
    both = lower("a").intersection(lower("b"))
    assert both.threshold == max_of(parse("a"), parse("b"))
    assert both.text("m") == "m >= max(a, b)"
    either = lower("a").union(lower("b"))
    assert either.text("m") == "m >= min(a, b)"
    assert upper("a").intersection(upper("b")).unicode("m") == "m ≤ min(a, b)"


def test_intersection_and_union_with_everything_and_nothing() -> None:
    one = lower("a")
    assert one.intersection(ALL) is one
    assert one.union(NEVER) == one
    assert one.intersection(NEVER).is_empty
    assert one.union(ALL).is_all


def test_pieces_inside_others_are_dropped() -> None:
    a, b = lower("a"), upper("b")
    assert a.union(a.intersection(b)) == a
    assert a.intersection(a) == a


def test_complement() -> None:
    between = lower("2").intersection(upper("5"))
    inside = between.complement()
    assert inside.text("m") == "m < 2 or m > 5"
    assert inside.complement() == between
    assert ALL.complement().is_empty
    assert NEVER.complement().is_all


def test_membership_is_exact_at_the_ends() -> None:
    root = SymbolicRegion(((Bound(End(sqrt(2)), True),),))
    assert root.contains(sqrt(2))
    assert not root.contains(Rational(141421356, 100000000))
    assert not lower("2", closed=False).contains(2)
    region = lower("n/k")
    assert region.at({"n": 1, "k": 3}).contains(Rational(1, 3))
    assert not region.at({"n": 1, "k": 3}).contains(Rational(1, 4))
    with pytest.raises(UnboundError, match="k"):
        region.at({"n": 1}).contains(1)


def test_texts() -> None:
    between = lower("2").intersection(upper("n", closed=False))
    assert between.text("m") == "m >= 2 and m < n"
    assert between.unicode("m") == "2 ≤ m < n"
    assert between.union(lower("9")).text("m") == "(m >= 2 and m < n) or m >= 9"
    assert (ALL.text("m"), NEVER.unicode("m")) == ("always", "never")


def test_from_numbers() -> None:
    region = Region(
        (
            Interval(None, Integer(3), False, True),
            Interval(Integer(5), None, False, False),
        )
    )
    assert SymbolicRegion.of(region).text("m") == "m <= 3 or m > 5"
    assert SymbolicRegion.of(Region.ALL).is_all
    assert SymbolicRegion.of(Region.EMPTY).is_empty


def test_ends_as_forms() -> None:
    outside = upper("a").union(lower("b"))
    first, second = outside.ends()
    assert first is not None
    assert second is not None
    assert (first.plain(), second.plain()) == ("a", "b")
    assert ALL.ends() == (None, None)


def test_open_ends_have_strict_relations() -> None:
    assert lower("a", closed=False).relation == ">"
    assert upper("a", closed=False).relation == "<"
    between = lower("a", closed=False).intersection(upper("b"))
    assert (between.relation, between.shape) == ("between", "between")
    both = lower("a", closed=False).intersection(lower("b", closed=False))
    assert both.relation == ">"
    assert lower("a", closed=False).intersection(lower("b")).relation == ">="
    assert lower("a", closed=False).threshold == parse("a")
