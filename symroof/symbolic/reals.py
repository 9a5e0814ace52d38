"""The order of exact real numbers, among them roots that have no closed form."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from functools import reduce
from math import inf
from typing import Any

from mpmath import libmp  # type: ignore[import-untyped]
from sympy import Add, AtomicExpr, Expr, Float, Mul, Pow, Symbol, minimal_polynomial

from symroof.errors import UnboundError, UndecidedError
from symroof.symbolic.exact import enclose, sign_of
from symroof.symbolic.functions import log2

PRECISIONS = (64, 128, 512, 2048)
MAX_OPERATIONS = 40


class Located(AtomicExpr):  # type: ignore[misc]
    """A positive or negative real number known by enclosures that shrink on demand.

    It stands in formulas like any other number. Subclasses give `enclosure` and, where equality
    can be decided, `same`.
    """

    is_number = True
    is_commutative = True
    is_real = True
    is_finite = True

    __slots__ = ()

    @abstractmethod
    def enclosure(self, bits: int) -> tuple[Fraction, Fraction]:
        """Return rational numbers around this one, no farther apart than 2**-bits of it."""

    @abstractmethod
    def same(self, other: Expr) -> bool | None:
        """Return whether `other` is the same number, or None where that cannot be told."""

    def _eval_evalf(self, prec: int) -> Expr:
        lower, upper = self.enclosure(prec + 4)
        middle = (lower + upper) / 2
        value = libmp.from_rational(middle.numerator, middle.denominator, prec, "n")
        return Float._new(value, prec)

    def _eval_is_positive(self) -> bool:
        return self.enclosure(8)[0] > 0

    def _eval_is_zero(self) -> bool:
        return False

    def __float__(self) -> float:
        lower, upper = self.enclosure(60)
        try:
            return float((lower + upper) / 2)
        except OverflowError:
            return inf if lower > 0 else -inf


def order(left: Expr, right: Expr) -> int:
    """Return -1, 0 or 1 as `left` is smaller than, equal to or larger than `right`; proven.

    Parameters
    ----------
    left, right : Expr
        Exact real numbers: rational, surds, located roots, powers of them.

    Raises
    ------
    UnboundError
        If either still depends on a symbol.
    UndecidedError
        If the two agree to 2048 bits and no exact test applies.

    Examples
    --------
    >>> from sympy import Rational, sqrt
    >>> order(sqrt(2), Rational(3, 2)), order(sqrt(8), 2 * sqrt(2))
    (-1, 0)
    """
    if left.is_Rational and right.is_Rational:
        difference: int = left.p * right.q - right.p * left.q
        return (difference > 0) - (difference < 0)
    if left == right:
        return 0
    free = left.free_symbols | right.free_symbols
    if free:
        raise UnboundError("the end of an interval", (atom.name for atom in free))
    if not left.has(Located) and not right.has(Located):
        sign = sign_of(left - right)
        if sign is None and _is_zero(left - right):
            return 0
        if sign is None:
            raise UndecidedError(f"cannot tell {left} from {right}")
        return sign
    for bits in PRECISIONS:
        a, b = number_enclosure(left, bits), number_enclosure(right, bits)
        if a[1] < b[0] or b[1] < a[0]:
            return -1 if a[1] < b[0] else 1
        if _same(left, right):
            return 0
    raise UndecidedError(f"cannot tell {left} from {right}")


def number_enclosure(number: Expr, bits: int) -> tuple[Fraction, Fraction]:
    """Return rational numbers around an exact real number; located roots may occur in it.

    Examples
    --------
    >>> from sympy import sqrt
    >>> lower, upper = number_enclosure(sqrt(2), 64)
    >>> lower**2 < 2 < upper**2, upper - lower < Fraction(1, 2**60)
    (True, True)
    """
    if isinstance(number, Located):
        return number.enclosure(bits)
    if isinstance(number, Add | Mul | Pow) and number.has(Located):
        combine = {Add: libmp.mpi_add, Mul: libmp.mpi_mul, Pow: libmp.mpi_pow}[number.func]
        parts = [_raw(part, bits + 16) for part in number.args]
        return _fractions(reduce(lambda a, b: combine(a, b, bits + 16), parts))
    return _fractions(enclose(number, bits))


def fraction_of(raw: Any) -> Fraction:
    """Return one of mpmath's raw finite numbers as a fraction."""
    sign, mantissa, exponent, _ = raw
    value = Fraction(mantissa << max(exponent, 0), 1 << max(-exponent, 0))
    return -value if sign else value


def _raw(number: Expr, bits: int) -> Any:
    lower, upper = number_enclosure(number, bits)
    return (
        libmp.from_rational(lower.numerator, lower.denominator, bits, libmp.round_floor),
        libmp.from_rational(upper.numerator, upper.denominator, bits, libmp.round_ceiling),
    )


def _fractions(interval: Any) -> tuple[Fraction, Fraction]:
    return fraction_of(interval[0]), fraction_of(interval[1])


def _is_zero(number: Expr) -> bool:
    """Return whether a number made of radicals is zero: whether its minimal polynomial is x."""
    if number.count_ops() > MAX_OPERATIONS or number.has(log2):
        return False
    x = Symbol("x")
    return bool(minimal_polynomial(number, x) == x)


def _same(left: Expr, right: Expr) -> bool | None:
    if isinstance(left, Located):
        return left.same(right)
    if isinstance(right, Located):
        return right.same(left)
    alike = left.func is right.func and len(left.args) == len(right.args)
    if isinstance(left, Pow | Mul) and alike:
        # Equal parts make equal numbers; the other way round nothing is known.
        pairs = zip(left.args, right.args, strict=True)
        return all(a == b or bool(_same(a, b)) for a, b in pairs) or None
    return None
