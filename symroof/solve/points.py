"""Places on the positive line, known exactly: where a formula changes sign."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isqrt
from typing import Any, TypeAlias

from sympy import Add, Expr, Integer, Mul, Pow, Rational, S, expand, sqrt

from symroof.solve.nodes import integer_root
from symroof.solve.univariate import (
    Root,
    greatest_common_divisor,
    positive_roots,
    primitive,
    sign_at,
    simplest_between,
)
from symroof.symbolic.exact import sign_of
from symroof.symbolic.reals import Located, UndecidedError, number_enclosure, order

MAX_PRECISION = 2048


class Closed:
    """An irrational number in closed form.

    Examples
    --------
    >>> lower, upper = Closed(sqrt(2)).enclosure(20)
    >>> lower**2 < 2 < upper**2
    True
    """

    __slots__ = ("expr",)

    def __init__(self, expr: Expr) -> None:
        self.expr = expr

    def enclosure(self, bits: int) -> tuple[Fraction, Fraction]:
        """Return fractions around the number."""
        return number_enclosure(self.expr, bits)


class PowerOfTwo:
    """2**t or 2**-t for an irrational root or a fraction t > 0.

    Examples
    --------
    >>> lower, upper = PowerOfTwo(Fraction(1, 2), positive=True).enclosure(20)
    >>> lower**2 < 2 < upper**2
    True
    """

    __slots__ = ("exponent", "positive")

    def __init__(self, exponent: Fraction | Root, positive: bool) -> None:
        self.exponent = exponent
        self.positive = positive

    @property
    def expr(self) -> Expr:
        """The number in closed form."""
        exponent = closed_form(self.exponent)
        return Pow(2, exponent if self.positive else -exponent)

    def enclosure(self, bits: int) -> tuple[Fraction, Fraction]:
        """Return fractions around the number."""
        return number_enclosure(self.expr, bits)


class Crossing:
    """A number known by a bracket that is proven to hold exactly one sign change.

    Parameters
    ----------
    sign : callable
        The sign of the function at a fraction: opposite at the two ends of the bracket.
    lower, upper : Fraction
        The bracket.
    """

    __slots__ = ("lower", "sign", "sign_above", "upper")

    def __init__(
        self, sign: Callable[[Fraction], int | None], lower: Fraction, upper: Fraction, above: int
    ) -> None:
        self.sign = sign
        self.lower = lower
        self.upper = upper
        self.sign_above = above

    def refine(self) -> None:
        """Shrink the bracket to about half."""
        for part in (2, 3, 5):
            middle = self.lower + (self.upper - self.lower) / part
            side = self.sign(middle)
            if side:
                if side == self.sign_above:
                    self.upper = middle
                else:
                    self.lower = middle
                return
        raise UndecidedError(f"a crossing near {float(self.lower):.12g} cannot be bracketed closer")

    def enclosure(self, bits: int) -> tuple[Fraction, Fraction]:
        """Return the bracket, no wider than 2**-bits of the number."""
        while (self.upper - self.lower) * (1 << bits) > self.lower:
            self.refine()
        return self.lower, self.upper


Irrational: TypeAlias = Root | Closed | PowerOfTwo | Crossing
Point: TypeAlias = Fraction | Irrational


@dataclass(frozen=True, slots=True)
class Gap:
    """Two close numbers between which a sign could not be proven; the ends are outside."""

    lower: Fraction
    upper: Fraction


def compare(left: Point, right: Point) -> int:
    """Return -1, 0 or 1 as `left` is smaller than, equal to or larger than `right`; proven.

    Raises
    ------
    UndecidedError
        If the two agree to 2048 bits and no exact test applies.

    Examples
    --------
    >>> (root,) = positive_roots((-2, 0, 1))
    >>> compare(root, Fraction(3, 2)), compare(root, positive_roots((-8, 0, 2, 0, 1))[0])
    (-1, 0)
    """
    if left is right:
        return 0
    if isinstance(left, Fraction):
        if isinstance(right, Fraction):
            return (left > right) - (left < right)
        return -_against_fraction(right, left)
    if isinstance(right, Fraction):
        return _against_fraction(left, right)
    if isinstance(left, Root) and isinstance(right, Root):
        if left.same(right):
            return 0
    elif isinstance(left, PowerOfTwo) and isinstance(right, PowerOfTwo):
        if left.positive != right.positive:
            return 1 if left.positive else -1
        side = compare(left.exponent, right.exponent)
        return side if left.positive else -side
    elif isinstance(left, Closed | PowerOfTwo) and isinstance(right, Closed | PowerOfTwo):
        return order(left.expr, right.expr)
    elif isinstance(left, Closed) and isinstance(right, Root):
        return -compare(right, left)
    elif isinstance(left, Root) and isinstance(right, Closed):
        return order(closed_form(left), right.expr)
    bits = 32
    while bits <= MAX_PRECISION:
        a, b = left.enclosure(bits), right.enclosure(bits)
        if a[1] < b[0]:
            return -1
        if b[1] < a[0]:
            return 1
        bits *= 2
    raise UndecidedError("two ends of intervals agree to 2048 bits")


def between(lower: Fraction | Irrational, upper: Point | None) -> Fraction:
    """Return a fraction strictly between two places, a simple one; None is infinity.

    Examples
    --------
    >>> between(Fraction(0), None), between(Fraction(1, 3), Fraction(1, 2))
    (Fraction(1, 1), Fraction(2, 5))
    """
    bits = 16
    while True:
        low = lower if isinstance(lower, Fraction) else lower.enclosure(bits)[1]
        if upper is None:
            return Fraction(low.__floor__() + 1)
        high = upper if isinstance(upper, Fraction) else upper.enclosure(bits)[0]
        if low < high:
            return simplest_between(low, high)
        bits *= 2
        if bits > 8 * MAX_PRECISION:
            raise UndecidedError("two ends of an interval are too close")


def root_point(value: Fraction, index: int) -> Fraction | Root:
    """Return the positive root of a positive fraction.

    Examples
    --------
    >>> root_point(Fraction(9, 4), 2), float(root_point(Fraction(2), 2))
    (Fraction(3, 2), 1.4142135623730951)
    """
    if index == 1:
        return value
    above, below = integer_root(value.numerator, index), integer_root(value.denominator, index)
    if above is not None and below is not None:
        return Fraction(above, below)
    middle = (0,) * (index - 1)
    (root,) = positive_roots((-value.numerator, *middle, value.denominator))
    return root


def floor_of_power(point: Point, power: int) -> tuple[int, bool]:
    """Return the whole part of point**power, and whether the two are equal.

    Raises
    ------
    UndecidedError
        If an integer cannot be told from the number.

    Examples
    --------
    >>> floor_of_power(Fraction(7, 2), 1), floor_of_power(positive_roots((-3, 0, 1))[0], 2)
    ((3, False), (3, True))
    """
    if isinstance(point, Fraction):
        value = point**power
        return value.__floor__(), value.denominator == 1
    bits = 16
    while True:
        lower, upper = (end**power for end in point.enclosure(bits))
        low, high = lower.__floor__(), upper.__floor__()
        if low == high and lower != low:
            return low, False
        if high - low <= 1:
            whole = max(high, 1)
            side = compare(point, root_point(Fraction(whole), power))
            return (whole, side == 0) if side >= 0 else (whole - 1, False)
        bits += 16


def closed_form(point: Point, power: int = 1) -> Expr:
    """Return point**power as an expression: rational, a surd, a power, or a located root.

    Examples
    --------
    >>> closed_form(positive_roots((-1, -1, 1))[0]), closed_form(positive_roots((-2, 0, 1))[0], 2)
    (1/2 + sqrt(5)/2, 2)
    """
    if isinstance(point, Fraction):
        value = point**power
        return Rational(value.numerator, value.denominator)
    if isinstance(point, Root):
        if point.degree == 2:
            return _surd(point, power)
        if not any(point.polynomial[1:-1]):
            value = Rational(-point.polynomial[0], point.polynomial[-1])
            return Pow(value, Rational(power, point.degree))
        return Pow(AlgebraicNumber(point), power)
    if isinstance(point, Crossing):
        return Pow(NumericRoot(*point.enclosure(80)), power)
    return Pow(point.expr, power)


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


def _against_fraction(point: Irrational, value: Fraction) -> int:
    if isinstance(point, Root):
        return point.compare(value)
    if isinstance(point, Closed):
        sign = sign_of(point.expr - Rational(value.numerator, value.denominator))
        if sign is None:
            raise UndecidedError(f"cannot tell {point.expr} from {value}")
        return sign
    bits = 32
    while bits <= 4 * MAX_PRECISION:
        lower, upper = point.enclosure(bits)
        if value <= lower or value >= upper:
            return 1 if value <= lower else -1
        bits *= 2
    raise UndecidedError(f"cannot tell a crossing from {value}")


class AlgebraicNumber(Located):  # type: ignore[misc]
    """A root of an integer polynomial that has no short closed form.

    Examples
    --------
    >>> (root,) = positive_roots((-1, -1, 0, 1))
    >>> closed_form(root), round(float(closed_form(root)), 6)
    (root(x**3 - x - 1, 1.32472), 1.324718)
    """

    __slots__ = ("_root",)

    def __new__(cls, root: Root) -> AlgebraicNumber:
        made: AlgebraicNumber = Located.__new__(cls)
        made._root = root
        return made

    @property
    def root(self) -> Root:
        """The root in its bracket."""
        return self._root

    @property
    def polynomial(self) -> Expr:
        """The polynomial in x it is a root of."""
        from sympy import Symbol

        x = Symbol("x")
        return Add(*(c * x**i for i, c in enumerate(self._root.polynomial)))

    def enclosure(self, bits: int) -> tuple[Fraction, Fraction]:
        """Return fractions around the number."""
        return self._root.enclosure(bits)

    def same(self, other: Expr) -> bool | None:
        """Return whether another number is this root."""
        if isinstance(other, AlgebraicNumber):
            return self._root.same(other._root)
        if other.is_Rational:
            return self._root.compare(Fraction(other.p, other.q)) == 0
        if other.has(Located):
            return None
        value = Add(*(c * other**i for i, c in enumerate(self._root.polynomial)))
        if sign_of(expand(value)) != 0:
            return False
        lower, upper = self._root.lower, self._root.upper
        ends = [Rational(end.numerator, end.denominator) for end in (lower, upper)]
        return bool(sign_of(other - ends[0]) == 1 and sign_of(ends[1] - other) == 1)

    def _hashable_content(self) -> tuple[Any, ...]:
        rank = sum(
            1 for other in positive_roots(self._root.polynomial) if compare(other, self._root) < 0
        )
        return self._root.polynomial, rank

    def __getnewargs__(self) -> tuple[Root]:
        return (self._root,)

    def _sympystr(self, printer: Any) -> str:
        return f"root({printer.doprint(self.polynomial)}, {float(self):.6g})"


class NumericRoot(Located):  # type: ignore[misc]
    """A number that is only known by a proven bracket of relative width 2**-80.

    Examples
    --------
    >>> NumericRoot(Fraction(2**90), Fraction(2**90 + 1024))
    1.23794003928538e+27
    """

    __slots__ = ("_lower", "_upper")

    def __new__(cls, lower: Fraction, upper: Fraction) -> NumericRoot:
        made: NumericRoot = Located.__new__(cls)
        made._lower = lower
        made._upper = upper
        return made

    @property
    def bracket(self) -> tuple[Fraction, Fraction]:
        """The fractions between which the number lies."""
        return self._lower, self._upper

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
