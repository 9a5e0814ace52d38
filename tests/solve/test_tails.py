from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from mpmath import libmp

from symroof.solve.intervals import UnboundedError
from symroof.solve.tails import Tail
from symroof.symbolic import parse, symbol

START = 1 << 12


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("x - 4000", 1),
        ("log2(x + 7) - 11", 1),
        ("x*log2(x + 7) - 13*x", None),  # negative at 4096, positive from 8185 on
        ("x - sqrt(x)*log2(x)**3", None),  # negative at 4096
        ("x**2 - 1000*x*log2(x**2 + 3)", None),
        ("(1 - 1/x)**x - 1/3", 1),
        ("(1 - 1/x)**x - 3/8", -1),
        ("700 - x*(1 - (1 - 1/x)**599)", 1),
        ("598 - x*(1 - (1 - 1/x)**599)", None),  # 557 at 4096 tends to 599
        ("1 - x**3*(3/4)**x", 1),
        ("ceil(x/8)*8 - x + 1", 1),
        ("floor(x/8)*8 - x", None),
        ("max(x, 500) - min(x**2, 3*x)", -1),
        ("1/(x - 4000) - 1/(x - 3000)", None),
        ("log2(x/(x + 3)) - 1/1000", -1),
        ("x - x", 0),
    ],
)
def test_signs(text: str, sign: int | None) -> None:
    tail = Tail(symbol("x"), START)
    if sign is None:
        with pytest.raises(UnboundedError):
            tail.sign(parse(text))
    else:
        assert tail.sign(parse(text)) == sign


@pytest.mark.parametrize("text", ["sqrt(5 - x)", "log2(3 - x)", "1/(x - 5000)", "2**x"])
def test_what_has_no_value_or_no_bound(text: str) -> None:
    with pytest.raises(UnboundedError):
        Tail(symbol("x"), START).terms(parse(text))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("x*(1 - (1 - 3/x)**5)", lambda x: x * (1 - (1 - 3 / x) ** 5)),
        ("sqrt(x**2 + 3*x) - x/2", lambda x: math.sqrt(x * x + 3 * x) - x / 2),
        ("x*log2(3*x**2 + x)", lambda x: x * math.log2(3 * x * x + x)),
    ],
)
def test_values_lie_between_the_bounds(text: str, value: Callable[[int], float]) -> None:
    tail = Tail(symbol("x"), START)
    (power, logs), factor = tail.split(tail.terms(parse(text)))
    low, high = map(libmp.to_float, factor)
    for x in (START, 3 * START, 50 * START):
        shape = float(x) ** float(power) * math.log2(x) ** logs
        assert low - 1e-9 <= value(x) / shape <= high + 1e-9
