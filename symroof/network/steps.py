"""Collectives step by step: who sends which part to whom over which port, and what that moves.

For sizes that are numbers. `simulate` runs the steps, sees that each message goes over a link there
is and that every chip ends with what it should, and adds up the bytes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from symroof.errors import InputError
from symroof.network.names import Collective
from symroof.network.topology import FullyConnected, Ring, Switch, Topology, Torus, Tree

Chunk: TypeAlias = tuple[Any, ...]
Port: TypeAlias = tuple[Any, ...]
SWITCH: Port = ("switch",)


@dataclass(frozen=True, slots=True)
class Move:
    """One message: a chunk from a chip to another, or through a switch that adds up and copies.

    Attributes
    ----------
    step : int
        When, counted from 0.
    sources, targets : tuple of int
        Chips; more than one only in the network.
    port : tuple
        The port of the source: ``("switch",)``, ``("to", chip)`` or ``(axis, 1 or -1)``.
    chunk : tuple
        Which part of the tensor; its first entry is the chip it belongs to.
    adds : bool
        Whether the target adds it to its own.
    """

    step: int
    sources: tuple[int, ...]
    targets: tuple[int, ...]
    port: Port
    chunk: Chunk
    adds: bool = False


@dataclass(frozen=True, slots=True)
class Schedule:
    """The messages of a collective.

    Attributes
    ----------
    collective : Collective
    topology : Topology
    sizes : mapping of tuple to Fraction
        The chunks, in parts of V.
    moves : tuple of Move
    target : int
        Where a send ends.
    """

    collective: Collective
    topology: Topology
    sizes: Mapping[Chunk, Fraction]
    moves: tuple[Move, ...]
    target: int = 0


@dataclass(frozen=True, slots=True)
class Moved:
    """What the steps of a schedule moved, in parts of V.

    Attributes
    ----------
    sent, received : tuple of Fraction
        By chip, forwarded bytes included.
    busiest : Fraction
        The load of the busiest port in its busier direction.
    steps : int
    """

    sent: tuple[Fraction, ...]
    received: tuple[Fraction, ...]
    busiest: Fraction
    steps: int


def simulate(schedule: Schedule) -> Moved:
    """Run a schedule.

    Raises
    ------
    InputError
        If a chip sends what it does not hold, or over no link; if a part is added twice or sent
        for nothing; or if a chip does not end with what it should.

    Examples
    --------
    >>> from symroof.network.patterns import schedule
    >>> from symroof.network.topology import Ring
    >>> moved = simulate(schedule("all_gather", Ring(4)))
    >>> str(moved.busiest), moved.steps
    ('3/8', 2)
    """
    n = int(schedule.topology.size)
    held = _start(schedule, n)
    sent, received = [Fraction(0)] * n, [Fraction(0)] * n
    out: dict[Any, Fraction] = defaultdict(Fraction)
    into: dict[Any, Fraction] = defaultdict(Fraction)
    rounds: dict[int, list[Move]] = defaultdict(list)
    for move in schedule.moves:
        rounds[move.step].append(move)
    for step in sorted(rounds):
        carried = [_carried(held, move) for move in rounds[step]]
        for move, parts in zip(rounds[step], carried, strict=True):
            size = schedule.sizes[move.chunk]
            for source in move.sources:
                sent[source] += size
                out[source, move.port] += size
            for target in move.targets:
                _see_link(schedule.topology, move, target)
                received[target] += size
                # Through a switch chips meet in the port of the target; elsewhere each has its own.
                into[target, move.port if move.port == SWITCH else move.sources] += size
                held[target][move.chunk] = _joined(held[target].get(move.chunk), parts, move)
    _see_end(schedule, held)
    loads = [*out.values(), *(v for (_, port), v in into.items() if port == SWITCH)]
    steps = len(rounds)
    if sorted(rounds) != list(range(steps)):
        raise InputError("steps are left out", where="schedule")
    return Moved(tuple(sent), tuple(received), max(loads, default=Fraction(0)), steps)


Parts: TypeAlias = frozenset[int]


def _start(schedule: Schedule, n: int) -> list[dict[Chunk, Parts]]:
    """Return what each chip holds: which chips' parts are added up in each chunk it has."""
    held: list[dict[Chunk, Parts]] = [{} for _ in range(n)]
    reducing = schedule.collective in (Collective.REDUCE_SCATTER, Collective.ALL_REDUCE)
    rooted = schedule.collective in (Collective.BROADCAST, Collective.SEND)
    for chunk in schedule.sizes:
        owners: Iterable[int] = range(n) if reducing else (0 if rooted else chunk[0],)
        for chip in owners:
            held[chip][chunk] = frozenset({chip})
    return held


def _carried(held: list[dict[Chunk, Parts]], move: Move) -> Parts:
    found: Parts = frozenset()
    for source in move.sources:
        parts = held[source].get(move.chunk)
        if parts is None:
            raise InputError(f"chip {source} has no {move.chunk}", where=f"step {move.step}")
        if found & parts:
            raise InputError(f"{move.chunk} is added twice", where=f"step {move.step}")
        found |= parts
    return found


def _joined(own: Parts | None, parts: Parts, move: Move) -> Parts:
    where = f"step {move.step}"
    if move.adds:
        if own is None or own & parts:
            raise InputError(f"{move.chunk} is added twice", where=where)
        return own | parts
    if own is not None and own >= parts:
        raise InputError(f"{move.chunk} was there already", where=where)
    return parts


def _see_link(topology: Topology, move: Move, target: int) -> None:
    source = move.sources[0]
    if isinstance(topology, Switch):
        linked = move.port == SWITCH
    elif isinstance(topology, FullyConnected):
        linked = move.port == ("to", target) and source != target
    elif isinstance(topology, Tree):
        low, high = sorted((source, target))
        linked = move.port == ("to", target) and high > 0 and (high - 1) // topology.arity == low
    else:
        linked = neighbour(topology, source, move.port) == target
    if len(move.sources) > 1 or len(move.targets) > 1:
        linked = linked and isinstance(topology, Switch)
    if not linked:
        raise InputError(f"no link from {source} to {target}", where=f"step {move.step}")


def _see_end(schedule: Schedule, held: list[dict[Chunk, Parts]]) -> None:
    what, everyone = schedule.collective, range(len(held))
    for chunk in schedule.sizes:
        owner = chunk[0]
        ends: Iterable[int] = everyone
        parts = frozenset({owner})
        if what is Collective.REDUCE_SCATTER:
            ends, parts = (owner,), frozenset(everyone)
        elif what is Collective.ALL_REDUCE:
            parts = frozenset(everyone)
        elif what is Collective.ALL_TO_ALL:
            ends = (chunk[1],)
        elif what is Collective.BROADCAST:
            parts = frozenset({0})
        elif what is Collective.GATHER:
            ends = (0,)
        elif what is Collective.SEND:
            ends, parts = (schedule.target,), frozenset({0})
        for chip in ends:
            if held[chip].get(chunk) != parts:
                raise InputError(f"chip {chip} does not end with {chunk}", where=what.value)


def grid_of(topology: Topology) -> tuple[tuple[int, ...], tuple[bool, ...]]:
    """Return the shape of a ring, a line or a torus, and which axes wrap around.

    Examples
    --------
    >>> grid_of(Ring(4)), grid_of(Torus((2, 3), wrap=False))
    (((4,), (True,)), ((2, 3), (False, False)))
    """
    if isinstance(topology, Torus):
        return tuple(map(int, topology.shape)), topology.wrap
    return (int(topology.size),), (isinstance(topology, Ring),)


def place_of(chip: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the place of a chip on each axis.

    Examples
    --------
    >>> place_of(5, (2, 3)), chip_at((1, 2), (2, 3))
    ((1, 2), 5)
    """
    found = []
    for size in reversed(shape):
        chip, place = divmod(chip, size)
        found.append(place)
    return tuple(reversed(found))


def chip_at(place: Iterable[int], shape: tuple[int, ...]) -> int:
    """Return the chip at a place, counted along the last axis first.

    Examples
    --------
    >>> chip_at((1, 2), (2, 3))
    5
    """
    chip = 0
    for at, size in zip(place, shape, strict=True):
        chip = chip * size + at
    return chip


def neighbour(topology: Topology, chip: int, port: Port) -> int | None:
    """Return the chip at the other end of the link of a port, or None.

    Examples
    --------
    >>> from symroof.network.topology import Line
    >>> neighbour(Ring(4), 3, (0, 1)), neighbour(Line(4), 3, (0, 1))
    (0, None)
    """
    shape, wrap = grid_of(topology)
    axis, way = port
    place = list(place_of(chip, shape))
    to = place[axis] + way
    if not wrap[axis] and not 0 <= to < shape[axis]:
        return None
    place[axis] = to % shape[axis]
    return chip_at(place, shape)
