"""Pair and key counts against a loop over all pairs."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sympy import Integer, Max, Min

from symroof.graph.ops.masks import Align, Mask, attended_keys, attended_pairs
from symroof.symbolic.symbols import symbols

LENGTHS = range(1, 13)
Q, S, W, P = symbols("Q S W P")


def attends(mask: Mask, align: Align, q: int, kv: int, window: int) -> Callable[[int, int], bool]:
    offset = kv - q if align is Align.BOTTOM_RIGHT else 0

    def sees(i: int, j: int) -> bool:
        back = i + offset - j
        if mask is Mask.NONE:
            return True
        return back >= 0 and (mask is Mask.CAUSAL or back < window)

    return sees


def brute(mask: Mask, align: Align, q: int, kv: int, window: int) -> tuple[int, int]:
    sees = attends(mask, align, q, kv, window)
    pairs = sum(sees(i, j) for i in range(q) for j in range(kv))
    keys = sum(any(sees(i, j) for i in range(q)) for j in range(kv))
    return pairs, keys


@pytest.mark.parametrize("align", list(Align))
@pytest.mark.parametrize("mask", list(Mask))
def test_counts_equal_brute_force(mask: Mask, align: Align) -> None:
    for q in LENGTHS:
        for kv in LENGTHS:
            for window in LENGTHS if mask is Mask.WINDOW else (1,):
                at = (Integer(q), Integer(kv), mask, align, Integer(window))
                got = (attended_pairs(*at), attended_keys(*at))
                assert got == brute(mask, align, q, kv, window), (q, kv, window)


@pytest.mark.parametrize("align", list(Align))
@pytest.mark.parametrize("mask", list(Mask))
def test_symbolic_counts_equal_brute_force(mask: Mask, align: Align) -> None:
    pairs, keys = attended_pairs(Q, S, mask, align, W), attended_keys(Q, S, mask, align, W)
    for q in LENGTHS:
        for kv in LENGTHS:
            for window in (1, 2, 5, 12) if mask is Mask.WINDOW else (1,):
                at = {Q: Integer(q), S: Integer(kv), W: Integer(window)}
                expected = brute(mask, align, q, kv, window)
                assert (pairs.xreplace(at), keys.xreplace(at)) == expected, at


@pytest.mark.parametrize("align", list(Align))
def test_half_symbolic_counts_equal_brute_force(align: Align) -> None:
    """A number beside a symbol takes other branches than two symbols."""
    for fixed in (1, 2, 7):
        for mask in Mask:
            queries = attended_pairs(Integer(fixed), S, mask, align, Integer(3))
            keys = attended_pairs(Q, Integer(fixed), mask, align, Integer(3))
            touched = attended_keys(Integer(fixed), S, mask, align, Integer(3))
            for n in LENGTHS:
                assert queries.xreplace({S: Integer(n)}) == brute(mask, align, fixed, n, 3)[0]
                assert touched.xreplace({S: Integer(n)}) == brute(mask, align, fixed, n, 3)[1]
                assert keys.xreplace({Q: Integer(n)}) == brute(mask, align, n, fixed, 3)[0]


@pytest.mark.parametrize("align", list(Align))
def test_equal_lengths_are_the_triangle_whatever_the_alignment(align: Align) -> None:
    assert attended_pairs(S, S, Mask.CAUSAL, align) == S * (S + 1) / 2
    assert attended_keys(S, S, Mask.CAUSAL, align) == S


def test_new_tokens_behind_a_prefix_need_no_minimum() -> None:
    """Q new queries on a cache of P + Q keys: Q·P + Q(Q + 1)/2."""
    pairs = attended_pairs(Q, P + Q, Mask.CAUSAL, Align.BOTTOM_RIGHT)
    assert not pairs.has(Min, Max)
    assert (pairs - (Q * P + Q * (Q + 1) / 2)).expand() == 0


def test_published_counts() -> None:
    bottom = Align.BOTTOM_RIGHT
    kv = Integer(8192)
    assert [attended_pairs(Integer(q), kv, Mask.CAUSAL, bottom) for q in (1, 4, 512)] == [
        8192,
        32762,
        4063488,
    ]
    assert attended_pairs(Integer(4), kv, Mask.CAUSAL, Align.TOP_LEFT) == 10
    for window, length, expected in [
        (1024, 32768, 33030656),
        (4096, 2048, 2098176),
        (512, 2048, 917760),
    ]:
        s = Integer(length)
        assert attended_pairs(s, s, Mask.WINDOW, bottom, Integer(window)) == expected
    assert attended_pairs(Integer(32768), Integer(32768), Mask.CAUSAL, bottom) == 536887296


def test_decode_reads_the_window_and_never_more_than_there_is() -> None:
    one, window = Integer(1), Integer(1024)
    for context, expected in [(32768, 1024), (1000, 1000)]:
        at = (one, Integer(context), Mask.WINDOW, Align.BOTTOM_RIGHT, window)
        assert attended_keys(*at) == attended_pairs(*at) == expected
    assert attended_keys(one, S, Mask.WINDOW, Align.BOTTOM_RIGHT, W) == Min(S, W)
    assert attended_pairs(one, S, Mask.WINDOW, Align.BOTTOM_RIGHT, W) == Min(S, W)
