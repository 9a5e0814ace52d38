"""Sums of monomials as sympy expressions, made in canonical form at once.

``Add(*terms)`` and ``Mul(*factors)`` look for what can be combined; where the factors are distinct
symbols there is nothing, and sorting is all that is left to do. That is three times faster.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from sympy import Add, Expr, Integer, Max, Min, Mul, Pow, Rational, S, Symbol, ceiling, floor
from sympy.core.add import _addsort
from sympy.core.mul import _mulsort

from symroof.symbolic.functions import log2


def expression(gens: Sequence[Expr], terms: Mapping[tuple[int, ...], int]) -> Expr:
    """Return the sum of integer multiples of monomials.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> expression(symbols("M N"), {(2, 1): 3, (0, 0): -1})
    3*M**2*N - 1
    """
    if not all(gen.is_Symbol or isinstance(gen, ceiling | floor | log2) for gen in gens):
        products = [
            Mul(Integer(c), *(g**e for g, e in zip(gens, powers, strict=True) if e))
            for powers, c in terms.items()
        ]
        return Add(*products)
    parts = []
    constant = 0
    for powers, c in terms.items():
        factors = [_power(g, e) for g, e in zip(gens, powers, strict=True) if e]
        if factors:
            parts.append(product(factors, Integer(c)))
        else:
            constant = c
    if len(parts) > 1:
        _addsort(parts)
    if constant or not parts:
        parts.insert(0, Integer(constant))
    return parts[0] if len(parts) == 1 else Add._from_args(parts, True)


PLAIN = (Symbol, Pow, Mul, ceiling, floor, log2, Max, Min)
BASES = (Symbol, Add, ceiling, floor, log2, Max, Min)


def sum_of(terms: Iterable[Expr]) -> Expr | None:
    """Return the sum of plain terms, as ``Add`` would; None where that needs more thought.

    `Add` knows of tensors and matrices, and loads their modules when it is first asked.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> M, N = symbols("M N")
    >>> sum_of([2 * M * N, M, -M, M * N, M - 1])
    3*M*N + M - 1
    """
    constant: Expr = S.Zero
    counts: dict[Expr, Expr] = {}
    waiting = list(terms)
    while waiting:
        term = waiting.pop()
        if term.is_Rational:
            constant += term
            continue
        if term.is_Add:
            waiting += term.args
            continue
        if not isinstance(term, PLAIN):
            return None
        count, rest = term.as_coeff_Mul()
        if not count.is_Rational or not isinstance(rest, PLAIN):
            return None
        counts[rest] = counts.get(rest, S.Zero) + count
    parts = [
        rest
        if count is S.One
        else Mul._from_args((count, *(rest.args if rest.is_Mul else (rest,))), True)
        for rest, count in counts.items()
        if count is not S.Zero
    ]
    _addsort(parts)
    if constant is not S.Zero or not parts:
        parts.insert(0, constant)
    return parts[0] if len(parts) == 1 else Add._from_args(parts, True)


@lru_cache(maxsize=4096)
def product_of(factors: tuple[Expr, ...]) -> Expr | None:
    """Return the product of plain factors, as ``Mul`` would; None where that needs more thought.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> M, N = symbols("M N")
    >>> product_of((2 * M, N / 3, M / N, 1 / (M + N)))
    2*M**2/(3*(M + N))
    """
    top = bottom = 1
    exponents: dict[Expr, int] = {}
    alone: dict[Expr, Expr] = {}
    waiting = list(factors)
    while waiting:
        factor = waiting.pop()
        if factor.is_Rational:
            top *= factor.p
            bottom *= factor.q
        elif factor.is_Mul:
            waiting += factor.args
        else:
            base, exponent = factor.args if factor.is_Pow else (factor, S.One)
            if not (exponent.is_Integer and isinstance(base, BASES)):
                return None
            if base in exponents:
                exponents[base] += exponent.p
                alone.pop(base, None)
            else:
                exponents[base] = exponent.p
                alone[base] = factor
    if not top:
        return S.Zero
    found = [alone.get(b) or Pow(b, Integer(n)) for b, n in exponents.items() if n]
    number = Rational(top, bottom)
    if len(found) == 1 and found[0].is_Add and number is not S.One:
        return None
    return product(found, number) if found else number


def quotient(above: Expr, below: Expr) -> Expr:
    """Return above/below for two such sums that share no integer and no monomial.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> M, N = symbols("M N")
    >>> quotient(2 * M * N, M + N)
    2*M*N/(M + N)
    """
    if below is S.One:
        return above
    over, top = _factors(above)
    under, bottom = _factors(below)
    if above == below or (top != bottom and len(over) + len(under) == 1):
        return above / below
    return product([*over, *(_inverse(f) for f in under)], Rational(top, bottom))


def product(factors: list[Expr], number: Expr) -> Expr:
    """Return the product of a number and distinct factors, none of them a number."""
    if len(factors) > 1:
        _mulsort(factors)
    if number is not S.One:
        factors.insert(0, number)
    return factors[0] if len(factors) == 1 else Mul._from_args(factors, True)


def _factors(expr: Expr) -> tuple[list[Expr], Expr]:
    if expr.is_Number:
        return [], expr
    if expr.is_Mul:
        first, *rest = expr.args
        return (rest, first) if first.is_Number else ([first, *rest], S.One)
    return [expr], S.One


def _inverse(factor: Expr) -> Expr:
    if factor.is_Symbol or factor.is_Add:
        return Pow(factor, S.NegativeOne, evaluate=False)
    return Pow(factor, -1)


def _power(base: Expr, exponent: int) -> Expr:
    return base if exponent == 1 else Pow(base, Integer(exponent), evaluate=False)
