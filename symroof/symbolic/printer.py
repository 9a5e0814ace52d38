"""Text from expressions, in the grammar that the parser reads: what is printed is read back."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any, TypeAlias

from sympy import Add, Expr, Max, Min, Mul, Pow, Rational, S, Symbol, ceiling, floor

from symroof.errors import InputError
from symroof.symbolic.functions import log2
from symroof.symbolic.parser import MAX_DIGITS
from symroof.symbolic.tokens import INFINITY

_NAMES = {ceiling: "ceil", floor: "floor", Max: "max", Min: "min", log2: "log2"}
_LARGEST = 10**MAX_DIGITS
_LONG = 10**25
FEWEST_ZEROS = 6

SortKey: TypeAlias = tuple[Any, ...]


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
        return _Printer().text(expr)
    except RecursionError:
        raise InputError("the expression is nested too deeply to print") from None


class _Printer:
    """Writes one expression; each distinct subexpression once."""

    def __init__(self) -> None:
        self.texts: dict[Expr, str] = {}
        self.degrees: dict[Expr, Rational] = {}

    def text(self, node: Expr) -> str:
        """Return the text of a whole node."""
        found = self.texts.get(node)
        if found is None:
            found = self.texts[node] = self.written(node)
        return found

    def written(self, node: Expr) -> str:
        if isinstance(node, Symbol):
            return str(node.name)
        if node.is_Rational:
            return _number(node)
        if isinstance(node, Add):
            return self.sum(node)
        if isinstance(node, Mul | Pow):
            return self.product(node)
        name = _NAMES.get(type(node))
        if name in ("max", "min"):
            return f"{name}({', '.join(sorted(map(self.text, node.args), key=_natural))})"
        if name is not None:
            return f"{name}({self.text(node.args[0])})"
        if node in (S.Infinity, S.NegativeInfinity):
            return INFINITY if node is S.Infinity else "-" + INFINITY
        raise InputError(f"{type(node).__name__} cannot be written as a formula")

    def sum(self, node: Expr) -> str:
        """Write terms by falling degree; a positive one first, where there is one."""
        terms: list[tuple[SortKey, bool, str]] = []
        for term in node.args:
            text = f"({self.text(term)})" if isinstance(term, Add) else self.text(term)
            negative = text.startswith("-")
            body = text[1:] if negative else text
            monomial = self.text(term.as_coeff_Mul()[1])
            terms.append(((-self.degree(term), _natural(monomial), body), negative, body))
        terms.sort()
        lead = next((i for i, (_, negative, _) in enumerate(terms) if not negative), 0)
        terms.insert(0, terms.pop(lead))
        first = ("-" if terms[0][1] else "") + terms[0][2]
        return first + "".join(f" {'-' if neg else '+'} {body}" for _, neg, body in terms[1:])

    def product(self, node: Expr) -> str:
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
            # Not 1/8**B: sympy keeps 8**(-B) and (1/8)**B apart, and so must the text.
            if _is_negative(exponent) and not base.is_Rational:
                side, exponent = below, -exponent
            side.append((self.rank(base, exponent), self.power(base, exponent)))
        over = [text for _, text in sorted(above)]
        under = [text for _, text in sorted(below)]
        if abs(coefficient.p) != 1 or not over:
            over.insert(0, _number(Rational(abs(coefficient.p))))
        if coefficient.q != 1:
            under.insert(0, _number(Rational(coefficient.q)))
        text = ("-" if coefficient.p < 0 else "") + "*".join(over)
        if not under:
            return text
        divisor = "*".join(under)
        plain = len(under) == 1 and (coefficient.q == 1 or not _is_product(divisor))
        return f"{text}/{divisor}" if plain else f"{text}/({divisor})"

    def power(self, base: Expr, exponent: Expr) -> str:
        """Write one factor, with the parentheses it needs."""
        if exponent is S.Half:
            return f"sqrt({self.text(base)})"
        text = self.atom(base)
        return text if exponent is S.One else f"{text}**{self.atom(exponent)}"

    def atom(self, node: Expr) -> str:
        """Write a node so that nothing around it can reach inside."""
        closed = isinstance(node, Symbol) or type(node) in _NAMES
        closed = closed or node is S.Infinity or (node.is_Integer and node.p >= 0)
        text = self.text(node)
        return text if closed and not (node.is_Integer and "*" in text) else f"({text})"

    def rank(self, base: Expr, exponent: Expr) -> SortKey:
        """Order factors: numbers, names, calls, sums."""
        if base.is_number:
            kind = 0
        elif isinstance(base, Symbol):
            kind = 1
        else:
            kind = 3 if isinstance(base, Add) else 2
        return kind, _natural(self.text(base)), _natural(self.text(exponent))

    def degree(self, node: Expr) -> Rational:
        """Return the total degree, for ordering only."""
        found = self.degrees.get(node)
        if found is None:
            found = S.One
            if node.is_number:
                found = S.Zero
            elif isinstance(node, Add):
                found = max(self.degree(arg) for arg in node.args)
            elif isinstance(node, Mul):
                found = sum((self.degree(arg) for arg in node.args), S.Zero)
            elif isinstance(node, Pow):
                rational = node.exp.is_Rational
                found = node.exp * self.degree(node.base) if rational else S.Zero
            self.degrees[node] = found
        return found


def split_whole(number: int) -> tuple[str, int]:
    """Return the digits of an integer, and by how many zeros a long round one goes on.

    Examples
    --------
    >>> split_whole(3 * 10**40), split_whole(3 * 10**9), split_whole(10**40 + 1)[1]
    (('3', 40), ('3000000000', 0), 0)
    """
    if -_LONG < number < _LONG:
        return str(number), 0
    digits = format(Decimal(number), "f")  # `str` refuses thousands of digits
    head = digits.rstrip("0")
    zeros = len(digits) - len(head)
    return (head, zeros) if zeros >= FEWEST_ZEROS else (digits, 0)


def whole_text(number: int) -> str:
    """Return an integer in the grammar of `parse`, which need not be in full.

    Examples
    --------
    >>> whole_text(3 * 10**40), whole_text(-(10**40)), whole_text(3 * 10**9)
    ('3*10**40', '-10**40', '3000000000')
    """
    head, zeros = split_whole(number)
    if not zeros:
        return head
    return f"{head[:-1] if head in ('1', '-1') else head + '*'}10**{zeros}"


def _number(number: Rational) -> str:
    if max(abs(number.p), number.q) >= _LARGEST:
        raise InputError(f"a number of more than {MAX_DIGITS:,} digits is too long to write")
    above, below = whole_text(int(number.p)), whole_text(int(number.q))
    if number.q == 1:
        return above
    return f"{above}/({below})" if _is_product(below) else f"{above}/{below}"


def _is_product(number: str) -> bool:
    return "*" in number.replace("**", "")


def _is_negative(exponent: Expr) -> bool:
    coefficient = exponent if exponent.is_Rational else exponent.as_coeff_Mul()[0]
    return bool(coefficient.is_Rational and coefficient.p < 0)


def _natural(text: str) -> SortKey:
    """Order x2 before x10."""
    parts = re.split(r"([0-9]+)", text)
    return tuple(part if i % 2 == 0 else (int(part[:18]), part) for i, part in enumerate(parts))
