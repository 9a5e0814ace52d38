"""Sums and products, exact and bounded."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import lcm

from sympy import Add, Expr, Integer, Max, Min, Mul, Pow, Rational, S, ceiling

from symroof.errors import InputError
from symroof.symbolic.canonical import product_of, sum_of
from symroof.symbolic.exact import MAX_BITS, sign_of


def add(terms: Sequence[Expr]) -> Expr:
    """Return the sum of `terms`.

    Examples
    --------
    >>> from sympy import Rational, Symbol
    >>> add([Rational(1, 2), Rational(1, 3)]), add([Symbol("x"), Symbol("x")])
    (5/6, 2*x)
    """
    if all(term.is_Rational for term in terms):
        return _rational_sum(terms)
    plain = sum_of(terms)
    return checked(Add(*terms)) if plain is None else plain


def multiply(factors: Sequence[Expr]) -> Expr:
    """Return the product of `factors`.

    Examples
    --------
    >>> from sympy import Rational, Symbol
    >>> multiply([Rational(1, 2), Rational(2, 3)]), multiply([Symbol("x"), Symbol("x")])
    (1/3, x**2)
    """
    if len(factors) == 1:
        return factors[0]
    if all(factor.is_Rational for factor in factors):
        return _rational_product(factors)
    others = [factor for factor in factors if not factor.is_Rational]
    if len(others) == 1 and others[0].is_Add:
        number = _rational_product([factor for factor in factors if factor.is_Rational])
        if number is not S.Zero:
            return add([multiply([number, term]) for term in others[0].args])
    plain = product_of(tuple(factors))
    return checked(settled(Mul(*factors))) if plain is None else plain


def multiplied(first: Expr, *others: Expr) -> Expr:
    """Return the product of factors from left to right: the ``a * b * c`` of sympy, but fast.

    Examples
    --------
    >>> from sympy import Integer, Symbol
    >>> multiplied(Integer(2), Symbol("x") + 1, Symbol("x"))
    x*(2*x + 2)
    """
    if not any(factor.is_Add for factor in (first, *others)):
        return multiply((first, *others))
    for other in others:
        first = multiply((first, other))
    return first


def subtract(left: Expr, right: Expr) -> Expr:
    """Return the difference of two expressions: the ``a - b`` of sympy, but fast.

    Examples
    --------
    >>> from sympy import Symbol
    >>> subtract(3 * Symbol("x") + 1, Symbol("x"))
    2*x + 1
    """
    return add((left, multiply((S.NegativeOne, right))))


def divided(above: Expr, below: Expr) -> Expr:
    """Return the quotient of two expressions: the ``a / b`` of sympy, but fast.

    Examples
    --------
    >>> from sympy import Integer, Symbol
    >>> divided(Integer(6) * Symbol("x"), Integer(4) * Symbol("y"))
    3*x/(2*y)
    """
    inverse = [Pow(factor, S.NegativeOne) for factor in Mul.make_args(below)]
    if any(factor.is_Add for factor in inverse):
        return above / below
    return multiply((above, *inverse))


def settled(product: Expr) -> Expr:
    """Return a product with its radicals of numbers combined until nothing changes.

    Sympy's product of radicals depends on how it came about: sqrt(10)*10**(1/6) may stand for
    10**(2/3).
    """
    for _ in range(5):
        if not product.is_Mul:
            break
        radicals = sum(1 for arg in product.args if arg.is_Pow and arg.is_number)
        if radicals < 2 and not any(arg.is_Mul for arg in product.args):
            break
        again = Mul(*product.args)
        if again == product:
            break
        product = again
    return product


@lru_cache(maxsize=4096)
def is_positive(node: Expr) -> bool:
    """Tell whether `node` is positive by its shape alone: a cheap test, without false answers.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> M, N = symbols("M N")
    >>> is_positive(M * N + 1), is_positive(M - N)
    (True, False)
    """
    if node.is_Symbol:
        return bool(node.is_positive)
    if node.is_number:
        return sign_of(node) == 1
    if isinstance(node, Pow):
        return is_positive(node.base)
    if isinstance(node, Max):
        return any(is_positive(arg) for arg in node.args)
    if isinstance(node, Add | Mul | Min | ceiling):
        return all(is_positive(arg) for arg in node.args)
    return False


def checked(result: Expr) -> Expr:
    """Return `result` unless it has no value."""
    if result is S.ComplexInfinity:
        raise InputError("division by zero")
    if result is S.NaN:
        raise InputError("the formula has no value (0/0, or infinity minus infinity)")
    return result


def _rational_sum(terms: Sequence[Expr]) -> Expr:
    if all(term.q == 1 for term in terms):
        return Integer(sum(term.p for term in terms))
    bottom = lcm(*{term.q for term in terms})
    _check_size(bottom)
    return Rational(sum(term.p * (bottom // term.q) for term in terms), bottom)


def _rational_product(factors: Sequence[Expr]) -> Expr:
    top = bottom = 1
    for factor in factors:
        top *= factor.p
        bottom *= factor.q
        _check_size(top)
        _check_size(bottom)
    return Rational(top, bottom) if bottom != 1 else Integer(top)


def _check_size(number: int) -> None:
    if number.bit_length() > 2 * MAX_BITS:
        raise InputError("a number of more than two million bits is too large to compute")
