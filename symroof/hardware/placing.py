"""Axes of a mesh on the levels of a system: which network each uses, and how much of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sympy import Expr

from symroof.errors import InputError, UnknownNameError
from symroof.hardware.memory import Link
from symroof.hardware.rates import Rate
from symroof.hardware.rooms import ONE, Condition, Room, Taken, product, same
from symroof.hardware.system import System
from symroof.network.topology import Topology, Torus
from symroof.symbolic.adopt import adopt
from symroof.symbolic.bounds import at_most
from symroof.symbolic.exact import shown

Where: TypeAlias = Mapping[str, str | Sequence[str]]
"""The level of an axis, by its name; several for one that spans them."""


@dataclass(frozen=True, slots=True)
class Part:
    """What an axis uses of a level.

    Attributes
    ----------
    link : str
        The name of its link, for keys of rates: that of the axis, with that of the level after it
        where the axis has several parts.
    level : str
        The level.
    topology : Topology
        The chips of a group, and how they are joined there.
    bandwidth : Rate
        byte/s that one chip can send there in one direction.
    latency : Rate or None
        The time of a hop.
    """

    link: str
    level: str
    topology: Topology
    bandwidth: Rate
    latency: Rate | None = None

    def as_link(self) -> Link:
        """Return the part as a link of the chip."""
        return Link(
            self.link, self.bandwidth, f"{self.level}: {self.topology.title}", latency=self.latency
        )


@dataclass(frozen=True, slots=True)
class Place:
    """Where an axis lies.

    Attributes
    ----------
    axis : str
    size : Expr
        The number of chips of a group.
    parts : tuple of Part
        The innermost first; several where the axis spans levels.
    conditions : tuple of (Expr, Expr)
        What must hold for it to fit: the first is at most the second.
    """

    axis: str
    size: Expr
    parts: tuple[Part, ...]
    conditions: tuple[Condition, ...] = ()

    def __str__(self) -> str:
        parts = ", then ".join(f"{part.topology.title} on {part.level}" for part in self.parts)
        return f"{self.axis}: {parts}"


def place(
    system: System,
    axes: Mapping[str, Expr],
    where: Where | None = None,
    sizes: Mapping[str, object] | None = None,
) -> dict[str, Place]:
    """Return where the axes of a mesh lie, the first one innermost.

    An axis goes to the innermost level that has room for it, beside the axes before it; one that
    is larger than the room there fills it and goes on at the next level. A level that is a torus
    gives each axis one of its own, or several that together have its size.

    Parameters
    ----------
    system : System
        The machine.
    axes : mapping of str to Expr
        Sizes by name, in their order.
    where : mapping of str to str or sequence of str, optional
        The level of an axis, instead: ``{"X": "node"}``; several for one that spans them; an axis
        of a torus as ``pod.0``.
    sizes : mapping of str to number, optional
        Numbers for symbols, to decide by where the symbols leave it open. They stay symbols.

    Raises
    ------
    InputError
        If there are no links, not enough chips, or sizes that do not fit; or if symbols leave it
        open where an axis lies.
    UnknownNameError
        If there is no such axis or level.

    Examples
    --------
    >>> from sympy import Integer
    >>> from symroof.hardware import system
    >>> from symroof.symbolic import symbols
    >>> two = system("dgx-h100-2")
    >>> print(place(two, {"X": Integer(16)})["X"])
    X: switch of 8 on node, then switch of 2 on nodes
    >>> places = place(two, {"X": Integer(4), "Y": symbols("n")}, {"Y": "nodes"})
    >>> print(places["X"], "|", places["Y"])
    X: switch of 4 on node | Y: switch of n on nodes
    """
    chosen = _explicit(system, axes, where or {})
    if not system.levels:
        raise InputError(
            f"{system.name} has no links: its chip says none; give per_chip='50 GB/s'",
            where="system",
        )
    rooms = _rooms(system, sizes)
    found: dict[str, Place] = {}
    # Those that are told where to go leave the others what is left.
    for axis, levels in chosen.items():
        found[axis] = _told(system, axis, axes[axis], levels, rooms)
    for axis, size in axes.items():
        if axis not in found:
            found[axis] = _fitted(system, axis, size, rooms)
    links = [part.link for placed in found.values() for part in placed.parts]
    for link in links:
        if links.count(link) > 1:
            raise InputError(f"two links are called {link!r}; rename an axis", where="mesh")
    return {axis: found[axis] for axis in axes}


def placed_on(system: System, level: str, size: Expr | None, axis: str | None = None) -> Place:
    """Return where a group lies that names a level itself; all of the level without a size.

    Examples
    --------
    >>> from symroof.hardware import system
    >>> print(placed_on(system("dgx-h100-2"), "nodes", None))
    nodes: switch of 2 on nodes
    """
    at = system.level(level)
    wanted = at.size if size is None else size
    return _told(system, axis or level, wanted, (level,), _rooms(system, None))


def _fitted(system: System, axis: str, size: Expr, rooms: list[Room]) -> Place:
    """Return the innermost place with room."""
    taken: list[tuple[Room, Taken]] = []
    conditions: list[Condition] = []
    rest = size
    last = rooms[-1]
    for room in rooms:
        if room.number(room.left) == 1 and room is not last and rest != 1:
            continue
        wanted, left = room.number(rest), room.number(room.left)
        fits, fills = at_most(wanted, left), at_most(left, wanted)
        if fits or (room is last and not _exceeds(wanted, left)):
            taken.append((room, room.take(axis, rest)))
            return _place(axis, size, taken, conditions)
        if room is last:
            break
        if not fills:
            others = ", ".join(level.name for level in system.levels)
            raise InputError(
                f"whether {shown(rest)} chips fit {room.level.name}, with room for"
                f" {shown(room.left)}, is open; give sizes to place by, or say where it lies, as in"
                f" axes={{{axis!r}: {room.level.name!r}}}, at the prompt --axis"
                f" {axis}={room.level.name} ({others})",
                where=f"axis {axis}",
            )
        share = room.left
        rest = rest / share
        _check_whole(axis, size, share, rest, room)
        conditions.append((ONE, rest))
        taken.append((room, room.take(axis, share)))
    there = " x ".join(shown(room.level.size) for room in rooms)
    before = product([room.level.size for room in rooms])
    free = _free(rooms, taken)
    left = "" if same(free, before) else f", with {shown(free)} left"
    wanted = _text(size, last)
    raise InputError(
        f"no room for {wanted} chips: {system.name} has {there}{left}", where=f"axis {axis}"
    )


def _free(rooms: Sequence[Room], taken: Sequence[tuple[Room, Taken]]) -> Expr:
    """Return how many chips were left for an axis before it took any."""
    own = [one.topology.size for _, one in taken]
    return product([*(room.left for room in rooms), *own])


def _text(size: Expr, room: Room) -> str:
    """Return a size, and its number where that is known."""
    number = room.number(size)
    return shown(size) if number == size else f"{shown(size)} = {shown(number)}"


def _told(system: System, axis: str, size: Expr, levels: Sequence[str], rooms: list[Room]) -> Place:
    """Return the place an axis is told."""
    taken: list[tuple[Room, Taken]] = []
    conditions: list[Condition] = []
    by_level: dict[str, list[int] | None] = {}
    for text in levels:
        name, _, number = text.partition(".")
        if number:
            by_level.setdefault(name, []).append(_torus_axis(system, axis, name, number))  # type: ignore[union-attr]
        else:
            by_level[name] = None
    rest = size
    for place, (name, at) in enumerate(by_level.items()):
        room = rooms[[level.name for level in system.levels].index(name)]
        if at is not None and not set(at) <= set(room.axes):
            raise InputError(f"{name} is taken there by another axis", where=f"axis {axis}")
        share = rest
        if place < len(by_level) - 1:
            share = room.left if at is None else room.size_of(at)
            rest = rest / share
            _check_whole(axis, size, share, rest, room)
            conditions.append((ONE, rest))
        elif _exceeds(room.number(share), room.number(room.left)):
            raise InputError(
                f"no room for {_text(share, room)} chips on {name}, which has"
                f" {shown(room.left)} left",
                where=f"axis {axis}",
            )
        taken.append((room, room.take(axis, share, at)))
    return _place(axis, size, taken, conditions)


def _place(
    axis: str,
    size: Expr,
    taken: Sequence[tuple[Room, Taken]],
    conditions: Sequence[Condition] = (),
) -> Place:
    several = len(taken) > 1
    parts = tuple(
        Part(
            f"{axis}_{room.level.name}" if several else axis,
            room.level.name,
            one.topology,
            one.bandwidth,
            room.level.latency,
        )
        for room, one in taken
    )
    needed = [*conditions, *(pair for _, one in taken for pair in one.conditions)]
    open_ = [(low, high) for low, high in needed if not (high - low).is_number]
    return Place(axis, size, parts, tuple(dict.fromkeys(open_)))


def _check_whole(axis: str, size: Expr, share: Expr, rest: Expr, room: Room) -> None:
    """Refuse an axis that fills a level and is no multiple of what it fills."""
    for part in (room.number(share), room.number(rest)):
        if part.is_number and not part.is_Integer:
            raise InputError(
                f"{shown(size)} chips are no multiple of the room for {shown(share)} on"
                f" {room.level.name}",
                where=f"axis {axis}",
            )


def _exceeds(one: Expr, other: Expr) -> bool:
    """Return whether one whole number is more than another, whatever the symbols are."""
    return at_most(other + 1, one)


def _rooms(system: System, sizes: Mapping[str, object] | None) -> list[Room]:
    if sizes is not None and not isinstance(sizes, Mapping):
        raise InputError(
            f"expected numbers by symbol, as in {{'n': 16}}, not {sizes!r:.60}", where="sizes"
        )
    known = {name: adopt(value, where=f"size of {name}") for name, value in (sizes or {}).items()}
    return [Room(level, known) for level in system.levels]


def _explicit(system: System, axes: Mapping[str, Expr], where: Where) -> dict[str, tuple[str, ...]]:
    if not isinstance(where, Mapping):
        raise InputError(
            f"expected a level by axis, as in {{'X': 'node'}}, not {where!r:.60}", where="axes"
        )
    found = {}
    for axis, given in where.items():
        if axis not in axes:
            raise UnknownNameError("axis", str(axis), list(axes), hint="axes")
        levels = (given,) if isinstance(given, str) else tuple(given)
        if not levels or not all(isinstance(level, str) for level in levels):
            raise InputError(f"expected a level, not {given!r:.60}", where=f"axes[{axis!r}]")
        for level in levels:
            system.level(level.partition(".")[0])
            whole = level.partition(".")[0]
            if levels.count(level) > 1 or (level != whole and whole in levels):
                raise InputError(f"{whole!r} is named twice", where=f"axes[{axis!r}]")
        found[axis] = levels
    return found


def _torus_axis(system: System, axis: str, level: str, number: str) -> int:
    topology = system.level(level).topology
    if not isinstance(topology, Torus):
        raise InputError(f"{level} is a {topology.name}, which has no axes", where=f"axis {axis}")
    last = len(topology.shape) - 1
    if not number.isdecimal() or int(number) > last:
        message = f"{level}.{number[:20]} is no axis of the {topology.name}: 0 to {last} are"
        raise InputError(message, where=f"axis {axis}")
    return int(number)
