"""Random formulas and their exact values, worked out node by node in Python's own numbers."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import ceil, floor, isqrt

from hypothesis import strategies as st
from sympy import Add, Expr, Max, Min, Mul, Pow, Rational, Symbol, ceiling, sqrt
from sympy import floor as sympy_floor

from symroof.symbolic.symbols import symbol

NAMES = ("M", "N", "K", "ridge.bf16", "peak.bf16")
SYMBOLS = tuple(symbol(name) for name in NAMES)
Point = Mapping[str, Fraction]


def value(expr: Expr, point: Point) -> Fraction:
    """The value of a formula; raises ZeroDivisionError where it has none."""
    if isinstance(expr, Symbol):
        return point[expr.name]
    if expr.is_Rational:
        return Fraction(int(expr.p), int(expr.q))
    args = [value(arg, point) for arg in expr.args]
    if isinstance(expr, Add):
        return sum(args, Fraction(0))
    if isinstance(expr, Mul):
        result = Fraction(1)
        for arg in args:
            result *= arg
        return result
    if isinstance(expr, Pow):
        base, exponent = args
        root = exponent.denominator
        if root == 2:
            base = Fraction(exact_root(base.numerator), exact_root(base.denominator))
        elif root != 1:
            raise ValueError(f"no exact root of order {root}")
        return base**exponent.numerator
    function = {ceiling: ceil, sympy_floor: floor, Max: max, Min: min}[type(expr)]
    return Fraction(function(*args))


def exact_root(number: int) -> int:
    """The square root of a square."""
    root = isqrt(number)
    if root * root != number:
        raise ValueError(f"{number} is no square")
    return root


def numbers() -> st.SearchStrategy[Expr]:
    """Small rationals, 0 and negative ones among them."""
    return st.builds(Rational, st.integers(-6, 6), st.integers(1, 4))


def formulas(*, opaque: bool = True, roots: bool = False) -> st.SearchStrategy[Expr]:
    """Sums, products, quotients and small powers of symbols; ceilings and the like if wanted."""
    leaves = st.sampled_from(SYMBOLS) | numbers()
    if roots:
        leaves = leaves | st.sampled_from([sqrt(s) for s in SYMBOLS])

    def grown(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
        more = [
            st.lists(inner, min_size=2, max_size=3).map(lambda args: Add(*args)),
            st.lists(inner, min_size=2, max_size=3).map(lambda args: Mul(*args)),
            st.tuples(inner, inner).map(lambda p: p[0] / p[1] if p[1] != 0 else p[0]),
            st.tuples(inner, st.integers(0, 3)).map(lambda p: p[0] ** p[1]),
        ]
        if opaque:
            more += [
                inner.map(ceiling),
                inner.map(sympy_floor),
                st.tuples(inner, inner).map(lambda p: Max(*p, evaluate=False)),
                st.tuples(inner, inner).map(lambda p: Min(*p, evaluate=False)),
            ]
        return st.one_of(more)

    return st.recursive(leaves, grown, max_leaves=10).filter(
        lambda e: e.is_finite is not False and len(str(e)) < 300
    )


def points(*, least: Fraction = Fraction(1, 9)) -> st.SearchStrategy[Point]:
    """Positive rationals that are squares, one for each name; `least` and up."""
    roots = st.fractions(min_value=least, max_value=12, max_denominator=9)
    return st.fixed_dictionaries({name: roots.map(lambda r: r * r) for name in NAMES})
