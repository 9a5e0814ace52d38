"""What is left of a level for the axes of a mesh, and the part of it that a group of chips uses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from sympy import Expr, Integer, expand

from symroof.errors import InputError
from symroof.hardware.levels import SystemLevel
from symroof.hardware.rates import Rate, written_amount
from symroof.network.topology import FullyConnected, Line, Ring, Switch, Topology, Torus
from symroof.symbolic.evaluate import bind
from symroof.symbolic.exact import shown
from symroof.symbolic.printer import to_text

ONE = Integer(1)
Condition: TypeAlias = tuple[Expr, Expr]
"""Two sides of which the first is at most the second."""


@dataclass(frozen=True, slots=True)
class Taken:
    """The part of a level that a group uses.

    Attributes
    ----------
    topology : Topology
        How the chips of the group are joined.
    bandwidth : Rate
        byte/s that one of them can send there in one direction.
    conditions : tuple of (Expr, Expr)
        What must hold.
    """

    topology: Topology
    bandwidth: Rate
    conditions: tuple[Condition, ...] = ()


class Room:
    """A level, and what is left of it.

    Parameters
    ----------
    level : SystemLevel
        The level.
    known : mapping of str to Expr
        Numbers to decide by where symbols leave it open; they stay symbols.
    """

    def __init__(self, level: SystemLevel, known: Mapping[str, Expr]) -> None:
        self.level = level
        self.known = known
        self.left: Expr = level.size
        self.torus = level.topology if isinstance(level.topology, Torus) else None
        self.axes = list(range(len(self.torus.shape))) if self.torus else []

    def number(self, expr: Expr) -> Expr:
        """Return a size with what is known put in."""
        return bind(expr, self.known) if self.known and expr.free_symbols else expr

    def size_of(self, at: Sequence[int]) -> Expr:
        """Return how many chips axes of the torus have together."""
        assert self.torus is not None
        return product([self.torus.shape[each] for each in at])

    def take(self, axis: str, size: Expr, at: Sequence[int] | None = None) -> Taken:
        """Return the part of a group of `size`; it is gone from the room.

        Parameters
        ----------
        axis : str
            Whose group, for messages.
        size : Expr
            How many chips.
        at : sequence of int, optional
            Axes of the torus that the level is.

        Raises
        ------
        InputError
            If chips of such a group are not joined there.
        """
        if self.torus is not None:
            taken = self._of_torus(self.torus, axis, size, at)
        else:
            taken = self._of_level(axis, size)
        self.left = self.left / size
        return taken

    def _of_level(self, axis: str, size: Expr) -> Taken:
        place, rate = self.level.topology, self.level.per_chip
        fits: tuple[Condition, ...] = ()
        if not (same(size, self.left) or (size.is_number and self.left.is_number)):
            fits = ((size, self.left),)
        if same(size, place.size):
            return Taken(place, rate)
        if size == 1 or isinstance(place, Switch):
            return Taken(Switch(size), rate, fits)
        wanted = self.number(size)
        if isinstance(place, FullyConnected) and wanted.is_number:
            part = _share(rate, (size - 1) / place.ports)
            # One chip has no links to share, so a symbol has to be 2 or more.
            return Taken(
                FullyConnected(size), part, fits if size.is_number else (*fits, (Integer(2), size))
            )
        if isinstance(place, Ring | Line) and same(self.left, place.size):
            if wanted.is_number and wanted != self.number(place.size):
                return Taken(Line(size), rate, fits)
            if not wanted.is_number or not size.is_number:
                return Taken(type(place)(size), rate, _equal(size, place.size))
        if isinstance(place, FullyConnected):
            message = f"how many of the {shown(place.ports)} links of a chip a group of"
            raise InputError(
                f"{message} {shown(size)} has is open; bind it before", where=f"axis {axis}"
            )
        raise InputError(
            f"a {place.title} holds one axis, of all its chips; {shown(size)} do not lie side by"
            " side there",
            where=f"axis {axis}",
        )

    def _of_torus(self, torus: Torus, axis: str, size: Expr, at: Sequence[int] | None) -> Taken:
        used = list(at) if at is not None else self._next_axes(torus, axis, self.number(size))
        for each in used:
            self.axes.remove(each)
        shape = [torus.shape[each] for each in used]
        conditions: tuple[Condition, ...] = ()
        if not same(product(shape), size):
            if len(used) != 1 or size.is_number:
                has = f"the {torus.name} has {shown(product(shape))} there"
                open_ = "" if size.is_number else "; bind them before"
                raise InputError(f"{shown(size)} chips, and {has}{open_}", where=f"axis {axis}")
            shape, conditions = [size], _equal(size, shape[0])
        if size == 1:
            return Taken(Switch(size), self.level.per_chip, conditions)
        wraps = [torus.wrap[each] for each in used]
        part: Topology = Torus(shape, wraps)
        if len(shape) == 1:
            part = (Ring if wraps[0] else Line)(shape[0])
        ports = Integer(2 * sum(1 for each in shape if each != 1))
        return Taken(part, _share(self.level.per_chip, ports / torus.ports), conditions)

    def _next_axes(self, torus: Torus, axis: str, size: Expr) -> list[int]:
        """Return the next axes of the torus that together have `size` chips."""
        used: list[int] = []
        total: Expr = ONE
        for each in self.axes:
            if (used and same(total, size)) or (size == 1 and torus.shape[each] != 1):
                break
            used.append(each)
            total = expand(total * torus.shape[each])
            if not size.is_number or not total.is_number:
                break  # symbols go axis by axis
        if size.is_number and total.is_number and total != size:
            left = " x ".join(shown(torus.shape[each]) for each in self.axes) or "none"
            raise InputError(
                f"{shown(size)} chips are no axes of the {torus.name}: {left} are left, in this"
                f" order; others are named as in axes={{{axis!r}: '{self.level.name}.0'}}",
                where=f"axis {axis}",
            )
        return used


def product(sizes: Sequence[Expr]) -> Expr:
    """Return the product of sizes."""
    total: Expr = ONE
    for size in sizes:
        total = expand(total * size)
    return total


def same(one: Expr, other: Expr) -> bool:
    """Return whether two sizes are equal whatever their symbols are."""
    return bool(one == other or expand(one - other) == 0)


def _equal(one: Expr, other: Expr) -> tuple[Condition, ...]:
    return (one, other), (other, one)


def _share(rate: Rate, part: Expr) -> Rate:
    """Return a part of a rate, with its source."""
    if part == 1:
        return rate
    value = rate.value * part
    text = written_amount(value) if value.expr.is_number else to_text(value.expr)
    return replace(rate, value=value, text=text)
