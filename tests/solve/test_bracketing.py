from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from symroof.solve.bracketing import bracketed
from symroof.symbolic import parse, symbol

M = symbol("M")


@pytest.mark.parametrize(
    ("left", "rights", "intervals"),
    [
        # log2(32) = 5 at M = 25, equality included.
        ("log2(M + 7)", ["5"], ((25, None),)),
        ("log2(M - 3)", ["5"], ((35, None),)),
        # (1 - 1/23)**23 = 0.35976, (1 - 1/24)**24 = 0.36011.
        ("(1 - 1/M)**M", ["0.36"], ((24, None),)),
        # Brute force.
        ("M*(1 - (1 - 1/M)**599)", ["400"], ((688, None),)),
        ("1000", ["2*M*(1 - (1 - 1/M)**599)"], ((1, 1604),)),
        ("ceil(M*log2(M + 1)/10)", ["M"], ((1, 1), (1017, None))),
        ("M", ["max(20*log2(M + 5), M - 1)"], ((145, None),)),
        ("(3/4)**M*M", ["log2(M + 3) - 2"], ((1, 5),)),
        ("1/(M - 3)", ["0.1"], ((4, 13),)),
    ],
)
def test_whole_numbers(
    left: str, rights: list[str], intervals: tuple[tuple[int, int | None], ...]
) -> None:
    found = bracketed(parse(left), [parse(right) for right in rights], M)
    assert found is not None
    assert found.intervals == intervals


def test_a_crossing_far_out_is_found() -> None:
    # M*log2(M + 7) >= 40*M from 2**40 - 7 on.
    found = bracketed(parse("M*log2(M + 7)"), [40 * M], M)
    assert found is not None
    assert found.intervals == ((2**40 - 7, None),)


def test_more_runs_than_are_listed() -> None:
    # The odd numbers up to 599, and with log2(n + 1) > 9.5 all from 724 on.
    found = bracketed(parse("ceil(M/2)*2 - M + max(0, log2(M + 1) - 9.5)"), [parse("1/8")], M)
    assert found is not None
    # 2**9.5 - 1 = 723.08; 1/8 above is 788.6 (even numbers), odd ones belong throughout.
    assert found.total == 394 + 1
    assert found.contains(777)
    assert not found.contains(778)
    assert found.permanent == 789


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("log2(M + 7) - M/50", lambda n: math.log2(n + 7) - n / 50),
        ("M*log2(2*M + 3) - M**2/20", lambda n: n * math.log2(2 * n + 3) - n * n / 20),
        ("sqrt(M + 1)*log2(M + 2) - M/2", lambda n: math.sqrt(n + 1) * math.log2(n + 2) - n / 2),
    ],
)
def test_against_floats(text: str, value: Callable[[int], float]) -> None:
    found = bracketed(parse(text), [parse("0")], M)
    assert found is not None
    for n in range(1, 500):
        assert found.contains(n) == (value(n) >= 0)


def test_what_grows_too_fast_is_not_solved() -> None:
    assert bracketed(M**M, [parse("100")], M) is None


def test_no_value_from_somewhere_on_is_no_value() -> None:
    # The logarithms cancel in the difference; below 300 they have no value.
    found = bracketed(parse("log2(M - 300) + M"), [parse("log2(M - 300)")], M)
    assert found is not None
    assert found.intervals == ((301, None),)
