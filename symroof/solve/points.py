"""Places on the positive line, known exactly: where a formula changes sign."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from sympy import Expr, Pow, Rational

from symroof.errors import UndecidedError
from symroof.solve.located import NumericRoot, root_expression
from symroof.solve.nodes import integer_root
from symroof.solve.roots import Root, positive_roots, simplest_between
from symroof.symbolic.exact import sign_of
from symroof.symbolic.reals import number_enclosure, order

MAX_PRECISION = 2048


class Closed:
    """An irrational number in closed form.

    Examples
    --------
    >>> from sympy import sqrt
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
    lower, upper : Fraction
        The bracket; the number lies strictly between.
    narrowed : callable
        Takes a bracket and returns a narrower one around the number.
    above : int
        The sign of the function just above the number.
    """

    __slots__ = ("above", "lower", "narrowed", "upper")

    def __init__(
        self,
        lower: Fraction,
        upper: Fraction,
        narrowed: Callable[[Fraction, Fraction], tuple[Fraction, Fraction]],
        above: int,
    ) -> None:
        self.lower = lower
        self.upper = upper
        self.narrowed = narrowed
        self.above = above

    def refine(self) -> None:
        """Shrink the bracket."""
        self.lower, self.upper = self.narrowed(self.lower, self.upper)

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
        bits *= 2


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
        return root_expression(point, power)
    if isinstance(point, Crossing):
        return Pow(NumericRoot(*point.enclosure(80)), power)
    return Pow(point.expr, power)


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
