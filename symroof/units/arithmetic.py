"""The algebra of amounts: expressions, dimensions and scopes, side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import gcd
from typing import Protocol, TypeAlias, runtime_checkable

from sympy import Expr, Rational, S

from symroof.errors import InputError, UnitError
from symroof.symbolic.build import add, floor_of, multiply, power
from symroof.units import registry
from symroof.units.compare import is_positive
from symroof.units.registry import DIMENSIONLESS, Dimension, unit_text
from symroof.units.scope import Scope, union

Parts: TypeAlias = tuple[Expr, Dimension, Scope]


@runtime_checkable
class Measured(Protocol):
    """An amount: an expression in base units, its dimension, and the names in it."""

    @property
    def expr(self) -> Expr:
        """The value in base units."""

    @property
    def dimension(self) -> Dimension:
        """What it is in."""

    @property
    def scope(self) -> Scope:
        """The names in it."""


def sum_of(left: Measured, right: Measured) -> Parts:
    """Return ``left + right``; a bare 0 goes with any unit, so that lists can be summed."""
    check_dimensions(left, right, "add")
    expr = add([left.expr, right.expr])
    return expr, left.dimension or right.dimension, union(left.scope, right.scope)


def difference_of(left: Measured, right: Measured) -> Parts:
    """Return ``left - right``."""
    check_dimensions(left, right, "subtract")
    expr = add([left.expr, -right.expr])
    return expr, left.dimension or right.dimension, union(left.scope, right.scope)


def product_of(left: Measured, right: Measured) -> Parts:
    """Return ``left * right``."""
    return (
        multiply([left.expr, right.expr]),
        registry.multiply(left.dimension, right.dimension),
        union(left.scope, right.scope),
    )


def quotient_of(left: Measured, right: Measured) -> Parts:
    """Return ``left / right``; a positive amount over zero is infinite.

    Raises
    ------
    InputError
        If zero, or what may be zero or negative, is divided by zero.
    """
    dimension = registry.multiply(left.dimension, registry.power(right.dimension, Fraction(-1)))
    scope = union(left.scope, right.scope)
    if right.expr is not S.Zero:
        above, below = _without_common_number(left.expr, right.expr)
        return multiply([above, power(below, S.NegativeOne)]), dimension, scope
    if not is_positive(left.expr, S.Zero, scope.counts):
        raise InputError(f"division by zero: {shorten(left)} / {shorten(right)}")
    return S.Infinity, dimension, scope


def whole_quotient_of(left: Measured, right: Measured) -> Parts:
    """Return how many times `right` fits into `left`, a plain number."""
    check_dimensions(left, right, "divide into whole parts")
    expr, _, scope = quotient_of(left, right)
    return floor_of(expr), DIMENSIONLESS, scope


def power_of(base: Measured, exponent: Measured) -> Parts:
    """Return ``base ** exponent``; units take fixed exponents only.

    Raises
    ------
    UnitError
        If the exponent has a unit, or holds symbols while the base has one.
    """
    if exponent.dimension:
        raise UnitError(f"an exponent is a plain number, not {shorten(exponent)}")
    scope = union(base.scope, exponent.scope)
    by = exponent.expr
    if not base.dimension:
        return power(base.expr, by), DIMENSIONLESS, scope
    if not by.is_Rational:
        raise UnitError(f"{shorten(base)} to the power {shorten(exponent)} has no fixed unit")
    dimension = registry.power(base.dimension, Fraction(int(by.p), int(by.q)))
    return power(base.expr, by), dimension, scope


def choice_of(
    amounts: Sequence[Measured], verb: str, choose: Callable[[list[Expr]], Expr]
) -> Parts:
    """Return what `choose` makes of amounts of one dimension."""
    if not amounts:
        raise InputError("no quantities to choose from")
    first, *rest = amounts
    scope = first.scope
    for other in rest:
        check_dimensions(first, other, verb)
        scope = union(scope, other.scope)
    return choose([amount.expr for amount in amounts]), first.dimension, scope


def check_dimensions(left: Measured, right: Measured, verb: str) -> None:
    """Raise `UnitError`, with both amounts, unless they have one dimension or one is a bare 0."""
    if left.dimension == right.dimension or _is_bare_zero(left) or _is_bare_zero(right):
        return
    raise UnitError(
        f"cannot {verb} {shorten(left)} and {shorten(right)}: "
        f"{noun(left.dimension)} with {noun(right.dimension)}"
    )


def noun(dimension: Dimension) -> str:
    """Return what a dimension is called in messages.

    Examples
    --------
    >>> noun(DIMENSIONLESS)
    'a plain number'
    """
    return f"an amount in {unit_text(dimension)}" if dimension else "a plain number"


def shorten(shown: object) -> str:
    """Return the text of anything on one line, cut to the length of a message.

    Examples
    --------
    >>> len(shorten("x" * 1000))
    60
    """
    text = " ".join(str(shown)[:200].split())
    return text if len(text) <= 60 else text[:57] + "..."


@lru_cache(maxsize=4096)
def _without_common_number(above: Expr, below: Expr) -> tuple[Expr, Expr]:
    """Divide both sides by the number all their terms share, which sympy leaves in sums."""
    if not below.is_Add or above is S.Zero or above.is_infinite:
        return above, below
    n = above.primitive()[0] if above.is_Add else above.as_coeff_Mul()[0]
    m = below.primitive()[0]
    common = Rational(gcd(int(n.p) * int(m.q), int(m.p) * int(n.q)), int(n.q) * int(m.q))
    if common == 1:
        return above, below
    return multiply([1 / common, above]), multiply([1 / common, below])


def _is_bare_zero(amount: Measured) -> bool:
    return amount.expr is S.Zero and not amount.dimension
