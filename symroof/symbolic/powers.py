"""Powers: refused before they are computed when too large, real, and in one form each."""

from __future__ import annotations

from sympy import Expr, Integer, Mul, Pow, Rational, S, integer_nthroot

from symroof.errors import InputError
from symroof.symbolic.algebra import checked, is_positive, multiply, settled
from symroof.symbolic.exact import MAX_BITS, sign_of
from symroof.symbolic.extremes import maximum
from symroof.symbolic.functions import log2

MAX_RADICAND_BITS = 512
NOT_REAL = "a fractional or symbolic power of a negative number is not real"


def power(base: Expr, exponent: Expr, *, limit: int = MAX_BITS) -> Expr:
    """Return ``base ** exponent``, unless that would compute a number of too many bits.

    The form is that of sympy, found without asking sympy for signs (which takes seconds on
    nested roots): symbols are positive, roots are real, ``sqrt(u**2)`` is ``max(u, -u)``.

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
    if exponent is S.NegativeOne and base.is_Rational and base.p:
        return Rational(base.q, base.p)
    size = power_bits(base, exponent)
    if size > limit:
        shown = f"about {size:,} bits" if size < 10**30 else "astronomically many bits"
        raise InputError(f"a power of {shown} is too large to compute")
    if exponent is S.One:
        return base
    if exponent is S.Zero:
        return S.One
    if exponent.is_Integer:
        return _integer_power(base, exponent)
    if base.is_number:
        return _number_power(base, exponent)
    if isinstance(base, Pow):
        return _power_of_power(base, exponent)
    if isinstance(base, Mul) and exponent.is_Rational:
        return _root_of_product(base, exponent)
    return Pow(base, exponent, evaluate=False)


def power_bits(base: Expr, exponent: Expr) -> int:
    """Return about how many bits a number inside ``base ** exponent`` may get.

    A symbol counts as one bit, so that the exponent alone is bounded too; factors and inner
    powers are looked into, because ``(2*x)**n`` and ``(2**x)**(n/x)`` compute 2**n.
    """
    if base.is_Rational:
        if base.p in (0, 1, -1) and base.q == 1:
            return 0
        return _bits(base) * _constant(exponent)
    if isinstance(base, Pow):
        return power_bits(base.base, Mul(base.exp, exponent))
    if isinstance(base, Mul):
        return max(power_bits(factor, exponent) for factor in base.args)
    return _constant(exponent)


def power_effort(base: Expr, exponent: Expr) -> int:
    """Return `power_bits`, and for a root or a symbolic power what finding its form takes."""
    size = power_bits(base, exponent)
    if exponent.is_Integer:
        return size
    if isinstance(base, Mul):
        return size + 32 + 100 * sum(1 for factor in base.args if not is_positive(factor))
    if isinstance(base, Pow):
        return size + 96
    bits = _bits(base) if base.is_Rational else 0
    return size + 32 + bits * bits // 64


def _bits(number: Rational) -> int:
    return int(max(number.p.bit_length(), number.q.bit_length()))


def _constant(exponent: Expr) -> int:
    number = exponent.as_coeff_Add()[0]
    if number.is_Rational:
        return abs(number.p) // number.q + 1 if number else 0
    raise InputError("a power with an infinite exponent has no value")


def _integer_power(base: Expr, exponent: Integer) -> Expr:
    if base.is_Rational:
        if not base.p and exponent.p < 0:
            raise InputError("division by zero")
        return Pow(base, exponent)
    if isinstance(base, Pow):
        return power(base.base, multiply([base.exp, exponent]))
    if isinstance(base, Mul):
        return multiply([power(factor, exponent) for factor in base.args])
    return checked(Pow(base, exponent, evaluate=base.is_Number))


def _number_power(base: Expr, exponent: Expr) -> Expr:
    sign = sign_of(base)
    if sign == -1:
        raise InputError(NOT_REAL)
    if sign == 0:
        sign = sign_of(exponent) if exponent.is_number else int(is_positive(exponent))
        if sign != 1:
            raise InputError("division by zero" if sign == -1 else "0 to an unknown power")
        return S.Zero
    if base in (S.One, S.Infinity):
        return checked(Pow(base, exponent))
    if base.is_Rational and exponent.is_Rational:
        return _rational_root(base, exponent)
    if base == 2 and isinstance(exponent, log2):
        return exponent.args[0]
    if isinstance(base, Pow):
        return power(base.base, multiply([base.exp, exponent]))
    if isinstance(base, Mul) and exponent.is_Rational:
        return _root_of_product(base, exponent)
    return Pow(base, exponent, evaluate=False)


def _rational_root(base: Rational, exponent: Rational) -> Expr:
    if _bits(base) > MAX_RADICAND_BITS:
        top, exact_top = integer_nthroot(base.p, exponent.q)
        bottom, exact_bottom = integer_nthroot(base.q, exponent.q)
        if not (exact_top and exact_bottom):
            raise InputError("a root of a number of so many digits is too large to compute")
        return Pow(Rational(top, bottom), Integer(exponent.p))
    return settled(Pow(base, exponent))


def _power_of_power(base: Pow, exponent: Expr) -> Expr:
    """Multiply the exponents; an even inner power hides the sign of what is under it."""
    inner, whole = base.base, multiply([base.exp, exponent])
    hidden = base.exp.is_Integer and base.exp.p % 2 == 0 and not is_positive(inner)
    if hidden and not (whole.is_Integer and whole.p % 2 == 0):
        inner = maximum([inner, multiply([S.NegativeOne, inner])])
    return power(inner, whole)


def _root_of_product(base: Mul, exponent: Rational) -> Expr:
    """Take the root of each factor that cannot be negative, and of the rest together."""
    roots: list[Expr] = []
    rest: list[Expr] = []
    sign = 1
    for factor in base.args:
        if factor.is_number:
            sign *= sign_of(factor) or 1
            roots.append(_root_of_size(factor, exponent))
        elif is_positive(factor) or factor.is_nonnegative:
            roots.append(power(factor, exponent))
        else:
            rest.append(factor)
    if sign < 0:
        if not rest:
            raise InputError(NOT_REAL)
        rest.insert(0, S.NegativeOne)
    if rest:
        together = multiply(rest)
        if isinstance(together, Mul):
            roots.append(Pow(together, exponent, evaluate=False))
        else:
            roots.append(power(together, exponent))
    return multiply(roots)


def _root_of_size(number: Expr, exponent: Rational) -> Expr:
    """Return the root of the absolute value of a number."""
    if sign_of(number) != -1:
        return power(number, exponent)
    size = multiply([S.NegativeOne, number])
    if isinstance(size, Mul):
        return Pow(size, exponent, evaluate=False)
    return power(size, exponent)
