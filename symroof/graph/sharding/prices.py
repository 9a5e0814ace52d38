"""Prices of moves: bytes over the bandwidth of an axis, and which of two is proved the smaller."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

from sympy import Expr, Integer

from symroof.errors import InputError, UnknownNameError
from symroof.graph.mesh import Mesh
from symroof.symbolic.adopt import adopt
from symroof.symbolic.bounds import at_most
from symroof.symbolic.evaluate import bind
from symroof.symbolic.exact import shown
from symroof.symbolic.symbols import check_own
from symroof.units.quantity import Quantity

T = TypeVar("T")

ONE = Integer(1)
BANDWIDTH = "byte/s"


@dataclass(frozen=True, slots=True)
class Prices:
    """What a byte costs on each axis, and what is known of the sizes.

    Attributes
    ----------
    mesh : Mesh
    weights : tuple of Expr
        Time of a byte on each axis of the mesh, in their order.
    values : tuple of (str, Expr)
        Numbers to compare by, where symbols leave the order open.
    rates : frozenset of str
        Names that are bandwidths, so not counts of 1 or more.
    """

    mesh: Mesh
    weights: tuple[Expr, ...]
    values: tuple[tuple[str, Expr], ...] = ()
    rates: frozenset[str] = frozenset()

    def weight(self, axis: str) -> Expr:
        """Return the time of a byte on `axis`."""
        return self.weights[self.mesh.names.index(axis)]

    @property
    def unit(self) -> str:
        """What a time is in: bytes, where they cost the same on every axis."""
        return "byte" if all(weight == 1 for weight in self.weights) else "s"

    def at_most(self, one: Expr, other: Expr) -> bool:
        """Return whether `one` is proved to be at most `other`."""
        if one == other:
            return True
        return _at_most(one, other, self.values, self.rates)

    def least(self, found: Iterable[T], time: Callable[[T], Expr]) -> list[T]:
        """Return those of which none is proved to take longer than another, in their order.

        Of those that take as long it is the first.
        """
        kept: list[T] = []
        for one in found:
            if not any(self.at_most(time(other), time(one)) for other in kept):
                kept = [other for other in kept if not self.at_most(time(one), time(other))]
                kept.append(one)
        return kept


def prices_of(
    mesh: Mesh, bandwidth: Mapping[str, Any] | None, sizes: Mapping[str, Any] | None
) -> Prices:
    """Return the prices for bandwidths by axis; without them a byte costs the same everywhere.

    Raises
    ------
    InputError
        If an axis has no bandwidth, or a value is no positive number or formula.
    UnknownNameError
        If the mesh has no such axis.

    Examples
    --------
    >>> prices = prices_of(Mesh(X=4, Y=8), {"X": "450 GB/s", "Y": "50 GB/s"}, None)
    >>> prices.at_most(9 * prices.weight("X"), prices.weight("Y"))
    True
    """
    values = tuple(
        (name, _positive(value, f"size of {name}")) for name, value in (sizes or {}).items()
    )
    if not bandwidth:
        return Prices(mesh, (ONE,) * len(mesh.axes), values)
    for name in bandwidth:
        if name not in mesh.axes:
            raise UnknownNameError("axis", str(name), mesh.names, hint="bandwidth")
    missing = [name for name in mesh.names if name not in bandwidth]
    if missing:
        raise InputError(
            f"axis {missing[0]!r} has none; give one for every axis", where="bandwidth"
        )
    rates = [_rate(bandwidth[name], f"bandwidth of {name}") for name in mesh.names]
    names = frozenset(symbol.name for rate in rates for symbol in rate.free_symbols)
    return Prices(mesh, tuple(1 / rate for rate in rates), values, names)


def _rate(value: Any, where: str) -> Expr:
    if isinstance(value, str) and any(letter.isspace() for letter in value.strip()):
        value = Quantity(value)
    if isinstance(value, Quantity):
        # A quantity of another dimension is refused here, with both units.
        value = (value + Quantity(0, BANDWIDTH)).expr
    return _positive(value, where)


def _positive(value: Any, where: str) -> Expr:
    made = check_own(adopt(value, where=where), where)
    if made.is_number and not made.is_positive:
        raise InputError(f"expected a positive number or a formula, not {shown(made)}", where=where)
    return made


@lru_cache(maxsize=16384)
def _at_most(
    one: Expr, other: Expr, values: tuple[tuple[str, Expr], ...], rates: frozenset[str]
) -> bool:
    gap = other - one
    if values and not gap.is_number:
        gap = bind(gap, dict(values))
    names = frozenset(symbol.name for symbol in gap.free_symbols)
    return at_most(Integer(0), gap, names - rates)
