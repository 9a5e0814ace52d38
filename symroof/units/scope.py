"""Scope: the names in a formula that may be bound, what they stand for, what is known of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

from sympy import Expr

from symroof.errors import UnitError
from symroof.readonly import ReadOnly
from symroof.symbolic.evaluate import bind
from symroof.symbolic.exact import shown
from symroof.units.registry import DIMENSIONLESS, Dimension, unit_text

_PER_SECOND = ("second", Fraction(-1))
_RATES: dict[str, Dimension] = {
    "peak": (("FLOP", Fraction(1)), _PER_SECOND),
    "bw": (("byte", Fraction(1)), _PER_SECOND),
    "link": (("byte", Fraction(1)), _PER_SECOND),
    "latency": (("second", Fraction(1)),),
    "launch": (("second", Fraction(1)),),
    "cap": (("byte", Fraction(1)),),
    "ridge": (("FLOP", Fraction(1)), ("byte", Fraction(-1))),
}


@dataclass(frozen=True, slots=True)
class Scope:
    """The names a quantity may be bound by.

    Attributes
    ----------
    dimensions : Mapping of str to Dimension
        Every name, plain numbers included, also those that cancelled out of the formula.
    counts : frozenset of str
        The names that are dims, repeat counts or group sizes: whole numbers from 1.
    values : Mapping of str to Expr
        What is known: a chip's rates by key, exact, in base units.

    Examples
    --------
    >>> Scope(counts=frozenset({"M"})).dimensions["M"]
    ()
    """

    dimensions: Mapping[str, Dimension] = field(default_factory=dict)
    counts: frozenset[str] = frozenset()
    values: Mapping[str, Expr] = field(default_factory=dict)

    EMPTY: ClassVar[Scope]

    def __post_init__(self) -> None:
        dimensions = dict(self.dimensions)
        for name in sorted(self.counts):
            if dimensions.setdefault(name, DIMENSIONLESS):
                raise UnitError(
                    f"{name} is a count, so it cannot be in {unit_text(dimensions[name])}"
                )
        for name in self.values:
            dimensions.setdefault(name, rate_dimension(name))
        object.__setattr__(self, "dimensions", ReadOnly(dimensions))
        object.__setattr__(self, "counts", frozenset(self.counts))
        object.__setattr__(self, "values", ReadOnly(self.values))

    def union(self, other: Scope) -> Scope:
        """Return the scope of an operation on two quantities, as `union` does.

        Examples
        --------
        >>> EMPTY.union(Scope(counts=frozenset({"M"}))).counts
        frozenset({'M'})
        """
        return union(self, other)

    def __hash__(self) -> int:
        return hash((frozenset(self.dimensions.items()), self.counts))

    def with_names(self, names: Iterable[str]) -> Scope:
        """Return the scope with these names added as plain numbers, rate keys as rates.

        Examples
        --------
        >>> sorted(EMPTY.with_names(["x", "bw.hbm"]).dimensions)
        ['bw.hbm', 'x']
        """
        new = {name: rate_dimension(name) for name in names if name not in self.dimensions}
        return Scope({**self.dimensions, **new}, self.counts, self.values) if new else self

    def without(self, names: Iterable[str]) -> Scope:
        """Return the scope less these names and what was known of them.

        Examples
        --------
        >>> Scope(counts=frozenset({"M", "N"})).without(["M"]).counts
        frozenset({'N'})
        """
        gone = frozenset(names)
        return Scope(
            {name: unit for name, unit in self.dimensions.items() if name not in gone},
            self.counts - gone,
            {name: value for name, value in self.values.items() if name not in gone},
        )


EMPTY = Scope()
Scope.EMPTY = EMPTY


def union(left: Scope, right: Scope) -> Scope:
    """Return the scope of an operation on two quantities.

    Raises
    ------
    UnitError
        If one name has two dimensions, or one rate two values.

    Examples
    --------
    >>> union(Scope(counts=frozenset({"M"})), Scope(counts=frozenset({"N"}))) == Scope(
    ...     counts=frozenset({"M", "N"})
    ... )
    True
    """
    if left is right or right is EMPTY:
        return left
    if left is EMPTY:
        return right
    for name, dimension in right.dimensions.items():
        other = left.dimensions.get(name, dimension)
        if other != dimension:
            hint = (
                "" if other and dimension else f" ({name} * Quantity('1 ...') for a count of units)"
            )
            raise UnitError(
                f"{name} is {_name_of(other)} in one operand and {_name_of(dimension)} in the other"
                + hint
            )
    for name, value in right.values.items():
        if left.values.get(name, value) != value:
            unit = unit_text(right.dimensions[name])
            raise UnitError(
                f"{name} has two values, {shown(left.values[name])} and {shown(value)} {unit}; "
                "bind one of them first, with .at(...) or .resolved()"
            )
    if _holds(left, right):
        return left
    if _holds(right, left):
        return right
    return Scope(
        {**left.dimensions, **right.dimensions},
        left.counts | right.counts,
        {**left.values, **right.values},
    )


def closed(values: Mapping[str, Expr]) -> Mapping[str, Expr]:
    """Return values with one another's put in, as far as they depend on each other.

    Examples
    --------
    >>> from symroof.symbolic.adopt import adopt
    >>> closed({"ridge.fp16": adopt("peak.fp16/bw.hbm"), "bw.hbm": adopt(3), "peak.fp16": adopt(6)})
    {'ridge.fp16': 2, 'bw.hbm': 3, 'peak.fp16': 6}
    """
    for _ in values:
        dependent = {
            key: value
            for key, value in values.items()
            if not (value.is_Rational or values.keys().isdisjoint(_names(value)))
        }
        if not dependent:
            break
        values = {**values, **{key: bind(value, values) for key, value in dependent.items()}}
    return values


def _names(value: Expr) -> set[str]:
    return {symbol.name for symbol in value.free_symbols}


def rate_dimension(name: str) -> Dimension:
    """Return the dimension a name has by itself: that of a rate for a rate's key, else none.

    Examples
    --------
    >>> unit_text(rate_dimension("peak.bf16")), unit_text(rate_dimension("M"))
    ('FLOP/s', '')
    """
    kind, dot, rest = name.partition(".")
    if kind == "ceiling":  # of a rate, or a fraction of one
        kind, dot, _ = rest.partition(".")
    return _RATES.get(kind, DIMENSIONLESS) if dot else DIMENSIONLESS


def _holds(outer: Scope, inner: Scope) -> bool:
    return (
        len(inner.dimensions) <= len(outer.dimensions)
        and inner.counts <= outer.counts
        and inner.dimensions.keys() <= outer.dimensions.keys()
        and inner.values.keys() <= outer.values.keys()
    )


def _name_of(dimension: Dimension) -> str:
    return f"in {unit_text(dimension)}" if dimension else "a plain number"
