"""Mixture of experts: published numbers, and every routing of a small case."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from typing import Any

import pytest
from sympy import Integer, Min, Rational

from symroof import ops
from symroof.errors import InputError, ShapeError, UnknownNameError
from symroof.graph import Graph
from symroof.graph.ops.experts import Distinct, distinct_experts
from symroof.symbolic import symbols

B, E, F, H, K = symbols("B E F H K")
EXPERT = 3 * 4096 * 14336 * 2


def mixture(tokens: Any, number: Any = 8, gated: bool = True, **options: Any) -> tuple[Graph, Any]:
    g = Graph("g")
    x = g.input("x", (tokens, 4096), "bf16")
    up = g.weight("up", (number, 4096, 14336), "bf16")
    down = g.weight("down", (number, 14336, 4096), "bf16")
    gate = g.weight("gate", (number, 4096, 14336), "bf16") if gated else None
    return g, ops.experts(x, up, down, gate, **options)


def weights_read(made: Any) -> Any:
    return sum(made.producer.cost.reads[1:])


def test_routed_experts_only() -> None:
    g, made = mixture(1, top_k=2)
    assert g.flops.value == 704643072
    assert made.shape == (1, 4096)
    plain, _ = mixture(1, gated=False, top_k=2)
    assert plain.flops.value * 3 == 704643072 * 2
    every, _ = mixture(1, top_k=8)
    assert every.flops.value == 2818572288


def test_the_router_is_a_product_of_its_own() -> None:
    g = Graph("g")
    ops.matmul(g.input("x", (1, 4096), "bf16"), g.weight("r", (4096, 8), "bf16"))
    assert g.flops.value == 65536


def test_expected_experts() -> None:
    g, made = mixture(3, top_k=2)
    assert weights_read(made) == 1629487104
    assert g.bytes.value == 1629487104 + 2 * 3 * 4096 * 2
    _, symbolic = mixture("B", top_k=2)
    assert weights_read(symbolic) == 8 * EXPERT * (1 - Rational(3, 4) ** B)


@pytest.mark.parametrize(("number", "k", "tokens"), [(4, 2, 2), (5, 1, 3), (4, 3, 2), (3, 3, 2)])
def test_expectation_equals_every_routing(number: int, k: int, tokens: int) -> None:
    routings = list(product(combinations(range(number), k), repeat=tokens))
    sizes = [len(set().union(*routing)) for routing in routings]
    at = Integer(number), Integer(k), Integer(tokens)
    mean = Fraction(sum(sizes), len(sizes))
    assert distinct_experts(*at) == Rational(mean.numerator, mean.denominator)
    assert distinct_experts(*at, Distinct.BOUND) == max(sizes)
    assert min(sizes) == k


def test_other_counts() -> None:
    assert weights_read(mixture(3, top_k=2, experts="bound")[1]) == 6 * EXPERT
    assert weights_read(mixture(100, top_k=2, experts="bound")[1]) == 8 * EXPERT
    assert weights_read(mixture(3, top_k=2, experts="all")[1]) == 8 * EXPERT
    assert weights_read(mixture(3, top_k=2, experts="9/2")[1]) == EXPERT * Rational(9, 2)
    assert weights_read(mixture("B", top_k=2, experts="bound")[1]) == EXPERT * Min(8, 2 * B)
    assert distinct_experts(Integer(256), Integer(8), Integer(32)) == 256 * (
        1 - Rational(31, 32) ** 32
    )


def test_all_symbols() -> None:
    g = Graph("g")
    x, up = g.input("x", ("B", "H"), "bf16"), g.weight("up", ("E", "H", "F"), "bf16")
    made = ops.experts(x, up, g.weight("down", ("E", "F", "H"), "bf16"), top_k="K")
    assert g.flops.expr == 4 * B * K * H * F
    assert (weights_read(made) - 4 * H * F * E * (1 - (1 - K / E) ** B)).expand() == 0
    assert "K" in g.scope.counts


def test_quantised_weights_compute_at_the_width_of_the_tokens() -> None:
    g = Graph("g")
    x, up = g.input("x", (1, 64), "bf16"), g.weight("up", (4, 64, 64), "int4")
    made = ops.experts(x, up, g.weight("down", (4, 64, 64), "int4"), top_k=1)
    assert g.flops_by_dtype.keys() == {"bf16"}
    assert weights_read(made) == 2 * 64 * 64 // 2


def test_faults() -> None:
    with pytest.raises(ShapeError, match="9 of 8"):
        mixture(1, top_k=9)
    with pytest.raises(ShapeError, match="of E experts"):  # 2*E + F - 1 is above E
        mixture(1, top_k="2*E + F - 1", number="E")
    for k in (0, 1.5, True):
        with pytest.raises(InputError, match="top_k"):
            mixture(1, top_k=k)
    with pytest.raises(UnknownNameError, match="expected"):
        mixture(1, top_k=2, experts="expcted")
    with pytest.raises(InputError, match="above 0"):
        mixture(1, top_k=2, experts=0)
    g = Graph("g")
    x, up = g.input("x", (1, 64), "bf16"), g.weight("up", (4, 64, 32), "bf16")
    with pytest.raises(ShapeError, match=r"\[4, 64, 32\] bf16 and \[4, 64, 32\] bf16"):
        ops.experts(x, up, up, top_k=1)
    down = g.weight("down", (4, 32, 64), "bf16")
    with pytest.raises(ShapeError, match="w_gate and w_up differ"):
        ops.experts(x, up, down, down, top_k=1)
    with pytest.raises(ShapeError, match="must take 32"):
        ops.experts(g.input("y", (1, 32), "bf16"), up, down, top_k=1)
    with pytest.raises(ShapeError, match="3 dims"):
        ops.experts(x, g.weight("m", (64, 32), "bf16"), down, top_k=1)
