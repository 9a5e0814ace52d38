from __future__ import annotations

from symroof.solve.thumb import rule_of_thumb
from symroof.symbolic import parse, symbol, symbols

DIMS = frozenset({"N", "K"})


def test_the_ridge_is_the_rule_of_a_matrix_product() -> None:
    threshold = parse("ridge.fp16*N*K/(N*K - ridge.fp16*(N + K))")
    assert rule_of_thumb(threshold, DIMS) == symbol("ridge.fp16")


def test_no_rule_where_the_limit_is_no_number() -> None:
    assert rule_of_thumb(parse("I*N"), DIMS) is None
    assert rule_of_thumb(parse("I/N"), DIMS) is None
    assert rule_of_thumb(None, DIMS) is None


def test_no_rule_where_nothing_gets_shorter() -> None:
    assert rule_of_thumb(parse("I*N/K"), DIMS) is None
    assert rule_of_thumb(symbols("I"), DIMS) is None


def test_no_rule_where_the_limit_is_not_known() -> None:
    assert rule_of_thumb(parse("N*(I - J)"), DIMS) is None
