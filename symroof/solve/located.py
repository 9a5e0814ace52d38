"""Irrational roots as expressions: surds, powers, and numbers known by a bracket."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt
from typing import Any

from sympy import Add, Expr, Integer, Mul, Pow, Rational, S, Symbol, expand, sqrt

from symroof.solve.roots import Root, positive_roots
from symroof.symbolic.exact import sign_of
from symroof.symbolic.reals import Located


def root_expression(root: Root, power: int = 1) -> Expr:
    """Return root**power as an expression: a surd, a power, or a located root.

    Examples
    --------
    >>> root_expression(positive_roots((-1, -1, 1))[0])
    1/2 + sqrt(5)/2
    >>> root_expression(positive_roots((-2, 0, 0, 1))[0])
    2**(1/3)
    """
    if root.degree == 2:
        return _surd(root, power)
    if not any(root.polynomial[1:-1]):
        value = Rational(-root.polynomial[0], root.polynomial[-1])
        return Pow(value, Rational(power, root.degree))
    return Pow(AlgebraicNumber(root), power)


class AlgebraicNumber(Located):
    """A root of an integer polynomial that has no short closed form.

    Examples
    --------
    >>> (root,) = positive_roots((-1, -1, 0, 1))
    >>> number = AlgebraicNumber(root)
    >>> number, round(float(number), 6)
    (root(x**3 - x - 1, 1.32472), 1.324718)
    """

    __slots__ = ("_root",)

    def __new__(cls, root: Root) -> AlgebraicNumber:
        """Make the number from a root in its bracket."""
        made: AlgebraicNumber = Located.__new__(cls)
        made._root = root
        return made

    @property
    def root(self) -> Root:
        """The root in its bracket."""
        root: Root = self._root
        return root

    @property
    def polynomial(self) -> Expr:
        """The polynomial in x it is a root of."""
        x = Symbol("x")
        return Add(*(c * x**i for i, c in enumerate(self._root.polynomial)))

    def enclosure(self, bits: int) -> tuple[Fraction, Fraction]:
        """Return fractions around the number."""
        return self.root.enclosure(bits)

    def same(self, other: Expr) -> bool | None:
        """Return whether another number is this root."""
        if isinstance(other, AlgebraicNumber):
            return self.root.same(other.root)
        if other.is_Rational:
            return self.root.compare(Fraction(other.p, other.q)) == 0
        if other.has(Located):
            return None
        value = Add(*(c * other**i for i, c in enumerate(self._root.polynomial)))
        if sign_of(expand(value)) != 0:
            return False
        lower, upper = self._root.lower, self._root.upper
        ends = [Rational(end.numerator, end.denominator) for end in (lower, upper)]
        return bool(sign_of(other - ends[0]) == 1 and sign_of(ends[1] - other) == 1)

    def _hashable_content(self) -> tuple[Any, ...]:
        # Which of the polynomial's roots it is, whatever the bracket.
        rank = [
            isinstance(other, Root) and other.same(self._root)
            for other in positive_roots(self._root.polynomial)
        ].index(True)
        return self._root.polynomial, rank

    def __getnewargs__(self) -> tuple[Root]:
        return (self._root,)

    def _sympystr(self, printer: Any) -> str:
        return f"root({printer.doprint(self.polynomial)}, {float(self):.6g})"


class NumericRoot(Located):
    """A number that is only known by a proven bracket of relative width 2**-80.

    Examples
    --------
    >>> NumericRoot(Fraction(2**90), Fraction(2**90 + 1024))
    1.23794003928538e+27
    """

    __slots__ = ("_lower", "_upper")

    def __new__(cls, lower: Fraction, upper: Fraction) -> NumericRoot:
        """Make the number from its bracket."""
        made: NumericRoot = Located.__new__(cls)
        made._lower = lower
        made._upper = upper
        return made

    def enclosure(self, bits: int) -> tuple[Fraction, Fraction]:
        """Return the bracket, whatever the precision asked for."""
        return self._lower, self._upper

    def same(self, other: Expr) -> bool | None:
        """Return None: a bracket proves no equality."""
        return True if self == other else None

    def _hashable_content(self) -> tuple[Any, ...]:
        return self._lower, self._upper

    def __getnewargs__(self) -> tuple[Fraction, Fraction]:
        return self._lower, self._upper

    def _sympystr(self, printer: Any) -> str:
        return f"{float(self):.15g}"


def _surd(root: Root, power: int) -> Expr:
    c, b, a = root.polynomial
    square, outside = _square_part(b * b - 4 * a * c)
    middle = Fraction(-b, 2 * a)
    surd = sqrt(Integer(square)) if square < SMALL else Pow(Integer(square), S.Half, evaluate=False)
    weight = Fraction(outside, 2 * a) if root.compare(middle) > 0 else Fraction(-outside, 2 * a)
    # The powers of middle + weight*sqrt(square), by rational arithmetic.
    x, y = Fraction(1), Fraction(0)
    for _ in range(power):
        x, y = x * middle + y * weight * square, x * weight + y * middle
    part = Mul(Rational(y.numerator, y.denominator), surd)
    return Add(Rational(x.numerator, x.denominator), part) if x else part


SMALL = 1 << 20
SQUARES = tuple(p * p for p in range(2, 200) if all(p % d for d in range(2, isqrt(p) + 1)))


def _square_part(value: int) -> tuple[int, int]:
    """Return (rest, root) with value = rest * root**2, small square factors taken out."""
    root = 1
    for square in SQUARES:
        while not value % square:
            value //= square
            root *= isqrt(square)
        if square > value:
            break
    whole = isqrt(value)
    return (1, root * whole) if whole * whole == value else (value, root)
