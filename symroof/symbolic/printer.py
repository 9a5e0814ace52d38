"""Text from expressions, in the grammar that the parser reads: what is printed is read back."""

from __future__ import annotations

import re
from typing import TypeAlias

from sympy import Add, Expr, Max, Min, Mul, Pow, Rational, S, Symbol, ceiling, floor

from symroof.errors import InputError
from symroof.symbolic.functions import log2
from symroof.symbolic.parser import INFINITY, MAX_DIGITS

_NAMES = {ceiling: "ceil", floor: "floor", Max: "max", Min: "min", log2: "log2"}
_LARGEST = 10**MAX_DIGITS

SortKey: TypeAlias = tuple[object, ...]


def to_text(expr: Expr) -> str:
    """Return `expr` as text that `parse` reads back to an equal expression.

    Factors and terms are ordered by degree and name, so equal expressions print the same
    everywhere; negative powers are divisions.

    Parameters
    ----------
    expr : Expr
        An adopted expression.

    Raises
    ------
    InputError
        For a node outside the grammar, or a number of more than 4,000 digits.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> M, N, K = symbols("M N K")
    >>> to_text(2 * M * N * K / (M * N + K * N + M * K))
    '2*K*M*N/(K*M + K*N + M*N)'
    """
    try:
        return _text(expr)
    except RecursionError:
        raise InputError("the expression is nested too deeply to print") from None


def _text(node: Expr) -> str:
    if isinstance(node, Symbol):
        return str(node.name)
    if node.is_Rational:
        return _number(node)
    if isinstance(node, Add):
        return _sum(node)
    if isinstance(node, Mul | Pow):
        return _product(node)
    name = _NAMES.get(type(node))
    if name in ("max", "min"):
        return f"{name}({', '.join(sorted(map(_text, node.args), key=_natural))})"
    if name is not None:
        return f"{name}({_text(node.args[0])})"
    if node in (S.Infinity, S.NegativeInfinity):
        return INFINITY if node is S.Infinity else "-" + INFINITY
    raise InputError(f"{type(node).__name__} cannot be written as a formula")


def _number(number: Rational) -> str:
    if max(abs(number.p), number.q) >= _LARGEST:
        raise InputError(f"a number of more than {MAX_DIGITS:,} digits is too long to write")
    return str(number.p) if number.q == 1 else f"{number.p}/{number.q}"


def _sum(node: Add) -> str:
    """Write terms by falling degree; a positive one first, where there is one."""
    terms = []
    for term in node.args:
        text = _text(term)
        negative = text.startswith("-") and not isinstance(term, Add)
        body = text[1:] if negative else text
        if isinstance(term, Add):
            body = f"({body})"
        monomial = term.as_coeff_Mul()[1]
        key = (-_degree(term), _natural(_text(monomial)), _natural(body))
        terms.append((key, negative, body))
    terms.sort(key=lambda item: item[0])
    lead = next((i for i, item in enumerate(terms) if not item[1]), 0)
    terms.insert(0, terms.pop(lead))
    first = ("-" if terms[0][1] else "") + terms[0][2]
    return first + "".join(f" {'-' if neg else '+'} {body}" for _, neg, body in terms[1:])


def _product(node: Expr) -> str:
    """Write ``coefficient * factors / (divisors)``."""
    coefficient = S.One
    above: list[tuple[SortKey, str]] = []
    below: list[tuple[SortKey, str]] = []
    for factor in node.args if isinstance(node, Mul) else (node,):
        if factor.is_Rational and coefficient is S.One:
            coefficient = factor
            continue
        base, exponent = factor.args if isinstance(factor, Pow) else (factor, S.One)
        side = above
        if _is_negative(exponent) and not base.is_Rational:
            side, exponent = below, -exponent
        side.append((_rank(base, exponent), _power(base, exponent)))
    sign = "-" if coefficient.is_Rational and coefficient.p < 0 else ""
    over = [text for _, text in sorted(above)]
    under = [text for _, text in sorted(below)]
    if abs(coefficient.p) != 1 or not over:
        over.insert(0, _number(Rational(abs(coefficient.p))))
    if coefficient.q != 1:
        under.insert(0, _number(Rational(coefficient.q)))
    text = sign + "*".join(over)
    if not under:
        return text
    return f"{text}/{under[0]}" if len(under) == 1 else f"{text}/({'*'.join(under)})"


def _power(base: Expr, exponent: Expr) -> str:
    if exponent is S.Half:
        return f"sqrt({_text(base)})"
    text = _text(base)
    if exponent is S.One:
        return f"({text})" if isinstance(base, Add) or not _is_factor(base) else text
    return f"{text if _is_atom(base) else f'({text})'}**{_exponent(exponent)}"


def _exponent(exponent: Expr) -> str:
    text = _text(exponent)
    return text if _is_atom(exponent) else f"({text})"


def _is_atom(node: Expr) -> bool:
    return (
        isinstance(node, Symbol)
        or type(node) in _NAMES
        or node is S.Infinity
        or (node.is_Integer and node.p >= 0)
    )


def _is_factor(node: Expr) -> bool:
    return _is_atom(node)


def _is_negative(exponent: Expr) -> bool:
    if exponent.is_Rational:
        return bool(exponent.p < 0)
    coefficient = exponent.as_coeff_Mul()[0]
    return bool(coefficient.is_Rational and coefficient.p < 0)


def _rank(base: Expr, exponent: Expr) -> SortKey:
    """Order factors: numbers, names, calls, sums."""
    if base.is_number:
        kind = 0
    elif isinstance(base, Symbol):
        kind = 1
    else:
        kind = 3 if isinstance(base, Add) else 2
    return kind, _natural(_text(base)), _natural(_text(exponent))


def _degree(node: Expr) -> Rational:
    """Return the total degree, for ordering only."""
    if node.is_number:
        return S.Zero
    if isinstance(node, Add):
        return max(_degree(arg) for arg in node.args)
    if isinstance(node, Mul):
        return sum((_degree(arg) for arg in node.args), S.Zero)
    if isinstance(node, Pow):
        return node.exp * _degree(node.base) if node.exp.is_Rational else S.Zero
    return S.One


def _natural(text: str) -> SortKey:
    """Order x2 before x10."""
    parts = re.split(r"([0-9]+)", text)
    return tuple(part if i % 2 == 0 else (int(part[:18]), part) for i, part in enumerate(parts))
