"""What must hold between names."""

from __future__ import annotations

import symroof as sr
from symroof.reports.existence import needed
from tests.reports.inside import CPU, product


def test_a_fraction_is_at_most_one_only_where_it_is_a_symbol() -> None:
    found = needed(product(CPU, numa="concurrent"))
    assert [(str(low), str(high)) for _, low, high in found] == [("f", "1")]
    assert needed(product(CPU, numa="concurrent", local="1/2")) == []
    assert needed(product(CPU)) == []
    ((who, low, high),) = needed(product(CPU, ceilings=["no simd", "no prefetch"]))
    assert (who, str(low), str(high)) == ("ceiling 'no simd'", "ceiling.no_simd", "1")


def test_ops_come_first() -> None:
    who, low, high = needed(sr.analyze(sr.load("moe"), "h100-sxm"))[0]
    assert (who.startswith("op "), str(low), str(high)) == (True, "k", "E")
