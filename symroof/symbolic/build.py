"""Guarded constructors: every node of an expression is made here, bottom up and in bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from sympy import Abs, Add, Expr, Integer, Max, Min, Mul, Pow, Rational, S, ceiling, floor
from sympy import integer_nthroot

from symroof.errors import InputError
from symroof.symbolic.exact import MAX_BITS, floor_of_number, sign_of
from symroof.symbolic.functions import log2

MAX_RADICAND_BITS = 512
NOT_REAL = "a fractional or symbolic power of a negative number is not real"


def rebuild(expr: Expr, leaf: Callable[[Expr], Expr]) -> Expr:
    """Return `expr` with every atom replaced by `leaf(atom)`, all at once and exactly.

    Subexpressions without a replaced atom are kept as they are; all others pass through the
    guarded constructors below, so that no power is computed before its size is known.

    Raises
    ------
    InputError
        If a number would have more than a million bits, or has no value.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> M, N = symbols("M N")
    >>> rebuild(M**2 + N, lambda atom: {M: N, N: M}.get(atom, atom))
    M + N**2
    """
    done: dict[Expr, Expr] = {}

    def visit(node: Expr) -> Expr:
        found = done.get(node)
        if found is None:
            if node.args:
                args = [visit(arg) for arg in node.args]
                same = all(a is b for a, b in zip(args, node.args, strict=True))
                found = _make(node, args) if not same or type(node) is Abs else settled(node)
            else:
                found = leaf(node)
            done[node] = found
        return found

    try:
        return visit(expr)
    except RecursionError:
        raise InputError("the expression is nested too deeply") from None


def _make(node: Expr, args: list[Expr]) -> Expr:
    maker = _MAKERS.get(type(node))
    if maker is None:
        raise InputError(f"{type(node).__name__} is not supported in a formula")
    return maker(args)


def add(terms: Sequence[Expr]) -> Expr:
    """Return the sum of `terms`."""
    if all(term.is_Integer for term in terms):
        return Integer(sum(term.p for term in terms))
    return _checked(Add(*terms))


def multiply(factors: Sequence[Expr]) -> Expr:
    """Return the product of `factors`."""
    if len(factors) == 1:
        return factors[0]
    if all(factor.is_Integer for factor in factors):
        product = 1
        for factor in factors:
            product *= factor.p
            if product.bit_length() > 2 * MAX_BITS:
                raise InputError("the product has too many digits to compute")
        return Integer(product)
    product = Mul(*factors)
    return _checked(product if product.is_Number else settled(product))


def settled(product: Expr) -> Expr:
    """Return a product with its radicals of numbers combined until nothing changes.

    Sympy's product of radicals depends on how it came about: sqrt(10)*10**(1/6) may stand for
    10**(2/3).
    """
    for _ in range(5):
        if not product.is_Mul:
            break
        radicals = sum(1 for arg in product.args if arg.is_Mul or (arg.is_Pow and arg.is_number))
        if radicals < 2 and not any(arg.is_Mul for arg in product.args):
            break
        again = Mul(*product.args)
        if again == product:
            break
        product = again
    return product


def power(base: Expr, exponent: Expr, *, limit: int = MAX_BITS) -> Expr:
    """Return ``base ** exponent``, unless that would compute a number of too many bits.

    Raises
    ------
    InputError
        If exponent times bits of the base exceeds `limit`, or the power is no real number.

    Examples
    --------
    >>> from sympy import Integer, Rational
    >>> power(Rational(7, 8), Integer(2)), power(Integer(8), Rational(1, 3))
    (49/64, 2)
    >>> power(Integer(2), Integer(10**9))
    Traceback (most recent call last):
    symroof.errors.InputError: a power of about 2,000,000,002 bits is too large to compute
    """
    size = power_bits(base, exponent)
    if size > limit:
        shown = f"about {size:,} bits" if size < 10**30 else "astronomically many bits"
        raise InputError(f"a power of {shown} is too large to compute")
    if exponent.is_Integer:
        return _checked(Pow(base, exponent))
    if base.is_number:
        sign = sign_of(base)
        if sign == -1:
            raise InputError(NOT_REAL)
        if base.is_Rational and exponent.is_Rational and sign:
            return _rational_root(base, exponent)
    return _real(Pow(base, exponent))


def power_bits(base: Expr, exponent: Expr) -> int:
    """Return about how many bits a number inside ``base ** exponent`` may get.

    A symbol counts as one bit, so that the exponent alone is bounded too; factors and inner
    powers are looked into, because ``(2*x)**n`` and ``(2**x)**(n/x)`` compute 2**n.
    """
    if base.is_Rational:
        if base.p in (0, 1, -1) and base.q == 1:
            return 0
        bits = max(base.p.bit_length(), base.q.bit_length())
        return bits * _constant(exponent)
    if isinstance(base, Pow):
        return power_bits(base.base, Mul(base.exp, exponent))
    if isinstance(base, Mul):
        return max(power_bits(factor, exponent) for factor in base.args)
    return _constant(exponent)


def _constant(exponent: Expr) -> int:
    number = exponent.as_coeff_Add()[0]
    if number.is_Rational:
        return abs(number.p) // number.q + 1 if number else 0
    raise InputError("a power with an infinite exponent has no value")


def _rational_root(base: Expr, exponent: Expr) -> Expr:
    if max(base.p.bit_length(), base.q.bit_length()) > MAX_RADICAND_BITS:
        top, exact_top = integer_nthroot(base.p, exponent.q)
        bottom, exact_bottom = integer_nthroot(base.q, exponent.q)
        if exact_top and exact_bottom:
            return Pow(Rational(top, bottom), Integer(exponent.p))
        raise InputError("a root of a number of so many digits is too large to compute")
    return _real(Pow(base, exponent))


def floor_of(value: Expr) -> Expr:
    """Return the floor of `value`: of a number exactly, else with its whole terms outside."""
    if value.is_number:
        if value.is_infinite:
            return value
        found = floor_of_number(value)
        return floor(value, evaluate=False) if found is None else found
    return _rounded(value, floor)


def ceil_of(value: Expr) -> Expr:
    """Return the ceiling of `value`: of a number exactly, else with its whole terms outside."""
    if value.is_number:
        if value.is_infinite:
            return value
        found = floor_of_number(-value)
        return ceiling(value, evaluate=False) if found is None else -found
    return _rounded(value, ceiling)


def _rounded(value: Expr, kind: Any) -> Expr:
    # Sympy's own evaluation asks for signs at every level and takes minutes on nested ceilings.
    terms = Add.make_args(value)
    whole = [term for term in terms if _is_whole(term)]
    if len(whole) == len(terms):
        return value
    rest = [term for term in terms if term not in whole]
    return Add(*whole, kind(Add(*rest), evaluate=False))


def _is_whole(node: Expr) -> bool:
    if isinstance(node, ceiling | floor):
        return True
    if isinstance(node, Add | Mul | Max | Min):
        return all(_is_whole(arg) for arg in node.args)
    if isinstance(node, Pow):
        return bool(node.exp.is_Integer and node.exp.p > 0) and _is_whole(node.base)
    return bool(node.is_Integer)


def log2_of(value: Expr) -> Expr:
    """Return the logarithm of `value` to base 2."""
    if value.is_number and sign_of(value) in (0, -1):
        raise InputError("log2 of a number that is not positive")
    return log2(value)


def maximum(values: Iterable[Expr]) -> Expr:
    """Return the largest of `values`; a `Max` that sympy has not compared when symbolic."""
    return _extremum(values, Max, 1)


def minimum(values: Iterable[Expr]) -> Expr:
    """Return the smallest of `values`; a `Min` that sympy has not compared when symbolic."""
    return _extremum(values, Min, -1)


def _extremum(values: Iterable[Expr], kind: Any, direction: int) -> Expr:
    kept: dict[Expr, None] = {}
    best: Expr | None = None
    for value in _flat(values, kind):
        if not value.is_number:
            kept[value] = None
        elif best is None:
            best = value
        else:
            order = _order(value, best)
            if order is None:
                kept[value] = None
            elif order == direction:
                best = value
    if best is not None:
        if best in (S.Infinity, S.NegativeInfinity):
            if (best is S.Infinity) == (direction == 1) or not kept:
                return best
        else:
            kept[best] = None
    if not kept:
        raise InputError(f"{kind.__name__.lower()} needs at least one value")
    if len(kept) == 1:
        return next(iter(kept))
    return kind(*kept, evaluate=False)


def _flat(values: Iterable[Expr], kind: Any) -> list[Expr]:
    flat: list[Expr] = []
    for value in values:
        flat.extend(value.args if isinstance(value, kind) else (value,))
    return flat


def _order(a: Expr, b: Expr) -> int | None:
    if a.is_Rational and b.is_Rational:
        left, right = a.p * b.q, b.p * a.q
        return (left > right) - (left < right)
    if a == b:
        return 0
    return sign_of(Add(a, Mul(S.NegativeOne, b)))


def _checked(result: Expr) -> Expr:
    if result is S.ComplexInfinity:
        raise InputError("division by zero")
    if result is S.NaN:
        raise InputError("the formula has no value (0/0, or infinity minus infinity)")
    return result


def _real(result: Expr) -> Expr:
    """Refuse what is not real; sympy's |u| of a rooted square becomes max(u, -u)."""
    for inner in result.atoms(Pow) if result.is_Mul else (result,):
        if inner.is_Pow and not inner.exp.is_Integer and inner.base.is_number:
            if sign_of(inner.base) == -1:
                raise InputError(NOT_REAL)
    if result.has(S.ImaginaryUnit):
        raise InputError(NOT_REAL)
    if result.has(Abs):
        return rebuild(result, lambda atom: atom)
    return _checked(settled(result))


_MAKERS: dict[Any, Callable[[list[Expr]], Expr]] = {
    Add: add,
    Mul: multiply,
    Pow: lambda args: power(args[0], args[1]),
    ceiling: lambda args: ceil_of(args[0]),
    floor: lambda args: floor_of(args[0]),
    log2: lambda args: log2_of(args[0]),
    Max: maximum,
    Min: minimum,
    Abs: lambda args: maximum([args[0], -args[0]]),
}
