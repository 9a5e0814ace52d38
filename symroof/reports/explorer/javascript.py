"""Formulas as JavaScript: of floats for curves, of exact fractions for verdicts.

Names never reach the code: a symbol is the place of its value in an array, `v[3]`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sympy import (
    Add,
    Expr,
    Integer,
    Max,
    Min,
    Mul,
    Pow,
    Rational,
    Symbol,
    ceiling,
    floor,
    preorder_traversal,
)
from sympy.printing.jscode import JavascriptCodePrinter
from sympy.printing.precedence import PRECEDENCE

from symroof.errors import InputError
from symroof.symbolic import log2, to_float

LARGEST_EXACT = 2**53
FORMS = (Symbol, Rational, Add, Mul, Pow, Max, Min, ceiling, floor, log2)
"""What formulas of the library are made of; nothing else is written."""

FUNCTIONS = ("q", "add", "mul", "div", "pow", "log2", "ceil", "floor", "max", "min")
"""What exact code calls: arithmetic of fractions, or of enclosures."""


def float_code(expr: Expr, places: Mapping[str, int]) -> str:
    """Return an expression of floats; `v` is the array of the values.

    Parameters
    ----------
    expr : Expr
        An adopted expression.
    places : mapping of str to int
        The place of each name in `v`.

    Raises
    ------
    InputError
        If the expression has a part that JavaScript has no form for.

    Examples
    --------
    >>> from symroof.symbolic import parse
    >>> float_code(parse("2*ceil(m/128)*log2(n)/3"), {"m": 0, "n": 1})
    '2*Math.ceil(v[0]/128)*Math.log2(v[1])/3'
    """
    return _Floats(places).code(expr)


def exact_code(expr: Expr, places: Mapping[str, int]) -> str:
    """Return an expression of exact fractions, by the functions of the page (``add``, ``mul``).

    Where a value is irrational these functions say so as it is worked out.

    Examples
    --------
    >>> from symroof.symbolic import parse
    >>> exact_code(parse("2*m*n/(m + 1) - 1/3"), {"m": 0, "n": 1})
    'add(q(-1n,3n),div(mul(q(2n),v[0],v[1]),add(q(1n),v[0])))'
    """
    return _Fractions(places).code(expr)


class _Floats(JavascriptCodePrinter):  # type: ignore[misc]
    """Writes symbols as places in an array, and refuses what it has no form for."""

    def __init__(self, places: Mapping[str, int]) -> None:
        super().__init__({"user_functions": {"log2": "Math.log2"}})
        self.places = places

    def code(self, expr: Expr) -> str:
        for part in preorder_traversal(expr):
            if not isinstance(part, FORMS):
                raise InputError(f"{type(part).__name__} has no JavaScript form")
        return str(self._print(expr))

    def _print_Symbol(self, expr: Symbol) -> str:
        if expr.name not in self.places:
            raise InputError(f"{expr.name} has no value on the page")
        return f"v[{self.places[expr.name]}]"

    def _print_Integer(self, expr: Integer) -> str:
        return str(expr.p) if abs(expr.p) <= LARGEST_EXACT else _literal(expr)

    def _print_Rational(self, expr: Rational) -> str:
        if max(abs(expr.p), expr.q) > LARGEST_EXACT:
            return _literal(expr)
        return f"{expr.p}/{expr.q}"

    def _print_Mul(self, expr: Expr) -> str:
        number, rest = expr.as_coeff_Mul()
        if not number.is_Rational or number.q == 1 or number.q > LARGEST_EXACT:
            return str(super()._print_Mul(expr))
        # Divided once, so that m/3 is whole where 3 divides m; m*(1/3) may not be.
        factors = Mul.make_args(rest)
        if number.p != 1:
            factors = (Integer(number.p), *factors)
        if len(factors) == 1:
            return f"{self.parenthesize(factors[0], PRECEDENCE['Mul'])}/{number.q}"
        return f"{super()._print_Mul(Mul(*factors, evaluate=False))}/{number.q}"


class _Fractions(_Floats):
    """Writes calls of the page's functions on exact fractions."""

    def _print_Integer(self, expr: Integer) -> str:
        return f"q({expr.p}n)"

    def _print_Rational(self, expr: Rational) -> str:
        return f"q({expr.p}n,{expr.q}n)"

    def _print_Add(self, expr: Add, order: object = None) -> str:
        return self._call("add", expr.args)

    def _print_Mul(self, expr: Expr) -> str:
        below = [f for f in expr.args if isinstance(f, Pow) and f.exp.is_negative]
        if not below:
            return self._call("mul", expr.args)
        above = [factor for factor in expr.args if factor not in below]
        turned = [Pow(factor.base, -factor.exp) for factor in below]
        return f"div({self._product(above)},{self._product(turned)})"

    def _print_Pow(self, expr: Pow, rational: bool = False) -> str:
        if expr.exp == -1:
            return f"div(q(1n),{self._print(expr.base)})"
        return self._call("pow", expr.args)

    def _print_ceiling(self, expr: Expr) -> str:
        return self._call("ceil", expr.args)

    def _print_floor(self, expr: Expr) -> str:
        return self._call("floor", expr.args)

    def _print_log2(self, expr: Expr) -> str:
        return self._call("log2", expr.args)

    def _print_Max(self, expr: Expr) -> str:
        return self._call("max", expr.args)

    def _print_Min(self, expr: Expr) -> str:
        return self._call("min", expr.args)

    def _product(self, factors: list[Expr]) -> str:
        if len(factors) > 1:
            return self._call("mul", factors)
        return str(self._print(factors[0] if factors else Integer(1)))

    def _call(self, function: str, args: Iterable[Expr]) -> str:
        return f"{function}({','.join(str(self._print(arg)) for arg in args)})"


def _literal(number: Expr) -> str:
    text = repr(to_float(number))
    return {"inf": "Infinity", "-inf": "-Infinity"}.get(text, text)
