from __future__ import annotations

import pytest
from sympy import Max, Min, S

from symroof.errors import InputError
from symroof.solve.ends import End
from symroof.solve.least import end_limit, furthest
from symroof.symbolic import parse, symbols

a, b, x = symbols("a b x")


def test_limits() -> None:
    assert end_limit(parse("a/x + b"), x, S.Infinity) == b
    assert end_limit(parse("a*x**2 + b*sqrt(x)"), x, S.Zero) == 0
    with pytest.raises(InputError):
        end_limit(parse("(a - b)*x"), x, S.Infinity)


def test_the_furthest_end() -> None:
    assert furthest([], S.One, lower=True).expr == 1
    assert furthest([End(a)], S.Zero, lower=True).expr == a
    assert furthest([End(a)], S.One, lower=True).expr == Max(1, a)
    assert furthest([End(a), End(b)], S.Infinity, lower=False).expr == Min(a, b)
