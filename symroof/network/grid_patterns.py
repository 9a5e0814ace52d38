"""The steps of collectives on rings, lines and tori with all ports busy.

A chunk is a chip's shard, less what goes through the axes in another order, and half of it: where
both ways round a ring are as long, one half goes each way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product

from symroof.errors import InputError
from symroof.network.grids import axis_loads, there_and_back_links
from symroof.network.names import Collective
from symroof.network.orders import Order, mixed_orders
from symroof.network.steps import Chunk, Move, Schedule, chip_at, grid_of, place_of
from symroof.network.topology import Line, Ring, Topology

AG, RS, AR = Collective.ALL_GATHER, Collective.REDUCE_SCATTER, Collective.ALL_REDUCE
A2A, BROADCAST = Collective.ALL_TO_ALL, Collective.BROADCAST
GATHER, SEND = Collective.GATHER, Collective.SEND
HALVES = (0, 1)


def grid_schedule(what: Collective, topology: Topology, apart: tuple[int, ...] | None) -> Schedule:
    """Return the steps of a collective over all axes of a ring, a line or a torus.

    Examples
    --------
    >>> made = grid_schedule(Collective.ALL_GATHER, Ring(2), None)
    >>> [(move.sources, move.port, move.chunk) for move in made.moves if move.sources == (0,)]
    [((0,), (0, 1), (0, (0,), 0)), ((0,), (0, -1), (0, (0,), 1))]
    """
    grid = _Grid(topology)
    if what is SEND:
        return grid.neighbour() if apart is None else grid.send(apart)
    if what is A2A:
        sizes: dict[Chunk, Fraction] = {
            (i, j, half): Fraction(1, 2 * grid.n)
            for i in range(grid.n)
            for j in range(grid.n)
            for half in HALVES
        }
        order = tuple(range(len(grid.shape)))
        moves = [m for c in sizes for m in grid.route(c, c[0], c[1], order, c[2])]
        return Schedule(what, topology, sizes, tuple(moves))
    if what is BROADCAST and len(grid.axes) <= 1:
        return grid.broadcast_along()
    shards = grid.shards(there_and_back=what in (AR, BROADCAST))
    spread = [move for chunk in shards for move in grid.spread(chunk)]
    to_one = [m for c in shards for m in grid.route(c, c[0], 0, c[1], c[2])]
    if what is AG:
        moves = spread
    elif what is RS:
        moves = _back(spread, adds=True)
    elif what is AR:
        moves = _after(_back(spread, adds=True), spread, grid.across)
    elif what is GATHER:
        moves = to_one
    else:
        moves = _needed(_after(_back(to_one, adds=False), spread, grid.across))
    return Schedule(what, topology, shards, tuple(moves))


class _Grid:
    def __init__(self, topology: Topology) -> None:
        self.topology = topology
        self.shape, self.wrap = grid_of(topology)
        self.n = int(topology.size)
        self.axes = [at for at, size in enumerate(self.shape) if size > 1]
        self.reach = [
            size // 2 if wraps else size - 1
            for size, wraps in zip(self.shape, self.wrap, strict=True)
        ]
        self.across = sum(self.reach)

    def shards(self, *, there_and_back: bool) -> dict[Chunk, Fraction]:
        """Return the chunks of all chips: by order and half."""
        orders: dict[Order, Fraction] = {(): Fraction(1)}
        if self.axes:
            sizes = tuple(self.shape[at] for at in self.axes)
            kinds = tuple((Ring if self.wrap[at] else Line)(self.shape[at]) for at in self.axes)
            links = [there_and_back_links(axis) for axis in kinds] if there_and_back else None
            loads = tuple(Fraction(int(x.p), int(x.q)) for x in axis_loads(kinds, links))
            orders = mixed_orders(sizes, loads)
        return {
            (chip, tuple(self.axes[at] for at in order), half): part / (2 * self.n)
            for chip in range(self.n)
            for order, part in orders.items()
            for half in HALVES
        }

    def spread(self, chunk: Chunk) -> Iterator[Move]:
        """Copy a chunk to all chips: along one axis after the other, both ways."""
        home, order, half = chunk
        start = place_of(home, self.shape)
        done: list[int] = []
        begin = 0
        for axis in order:
            size = self.shape[axis]
            forward, back = self._ways(size, self.wrap[axis], start[axis], half)
            for free in product(*(range(self.shape[at]) for at in done)):
                place = list(start)
                for at, value in zip(done, free, strict=True):
                    place[at] = value
                for way, steps in ((1, forward), (-1, back)):
                    for step in range(steps):
                        yield self._hop(place, axis, way, step, begin, chunk)
            done.append(axis)
            begin += self.reach[axis]

    def route(
        self, chunk: Chunk, source: int, target: int, order: Order, half: int
    ) -> Iterator[Move]:
        """Send a chunk from a chip to another, along one axis after the other."""
        place, end = list(place_of(source, self.shape)), place_of(target, self.shape)
        begin = 0
        for axis in order:
            steps = end[axis] - place[axis]
            if self.wrap[axis]:
                size = self.shape[axis]
                steps %= size
                if 2 * steps > size or (2 * steps == size and half):
                    steps -= size
            way = 1 if steps > 0 else -1
            for step in range(abs(steps)):
                yield self._hop(place, axis, way, step, begin, chunk)
            place[axis] = end[axis]
            begin += self.reach[axis]

    def broadcast_along(self) -> Schedule:
        """Send half each way round a ring, or all of it along a line."""
        if not self.axes:
            return Schedule(BROADCAST, self.topology, {(0,): Fraction(1)}, ())
        (axis,) = self.axes
        ways = {(0, way): Fraction(1, 2) for way in (1, -1)} if self.wrap[axis] else {}
        sizes: dict[Chunk, Fraction] = dict(ways) or {(0, 1): Fraction(1)}
        place = [0] * len(self.shape)
        moves = [
            self._hop(place, axis, chunk[1], step, 0, chunk)
            for chunk in sizes
            for step in range(self.shape[axis] - 1)
        ]
        return Schedule(BROADCAST, self.topology, sizes, tuple(moves))

    def neighbour(self) -> Schedule:
        """Send over one link."""
        axis = self.axes[0]
        move = self._hop([0] * len(self.shape), axis, 1, 0, 0, (0,))
        return Schedule(SEND, self.topology, {(0,): Fraction(1)}, (move,), move.targets[0])

    def send(self, apart: tuple[int, ...]) -> Schedule:
        """Send parts over shortest ways that share no link."""
        crossed = tuple(axis for axis, count in enumerate(apart) if count)
        target = chip_at(apart, self.shape)
        orders = [crossed[at:] + crossed[:at] for at in range(len(crossed))]
        ways = [(order, 0) for order in orders]
        if len(crossed) == 1 and self.wrap[crossed[0]]:
            (axis,) = crossed
            if 2 * apart[axis] == self.shape[axis]:
                ways = [(crossed, 0), (crossed, 1)]
        sizes: dict[Chunk, Fraction] = {(0, way): Fraction(1, len(ways)) for way in ways}
        moves = []
        for chunk in sizes:
            order, half = chunk[1]
            hops = self.route(chunk, 0, target, order, half)
            moves += [replace(move, step=at) for at, move in enumerate(hops)]
        return Schedule(SEND, self.topology, sizes, tuple(moves), target)

    def _ways(self, size: int, wraps: bool, start: int, half: int) -> tuple[int, int]:
        """Return how far a chunk goes either way, to reach all chips of an axis once."""
        if not wraps:
            return size - 1 - start, start
        longer, shorter = size // 2, (size - 1) // 2
        return (shorter, longer) if half else (longer, shorter)

    def _hop(
        self, place: list[int], axis: int, way: int, step: int, begin: int, chunk: Chunk
    ) -> Move:
        size = self.shape[axis]
        ends = []
        for moved in (step, step + 1):
            at = list(place)
            at[axis] = (place[axis] + way * moved) % size
            ends.append(chip_at(at, self.shape))
        return Move(begin + step, (ends[0],), (ends[1],), (axis, way), chunk)


def _back(moves: list[Move], *, adds: bool) -> list[Move]:
    last = max((move.step for move in moves), default=0)
    return [
        Move(last - m.step, m.targets, m.sources, (m.port[0], -m.port[1]), m.chunk, adds)
        for m in moves
    ]


def _after(first: list[Move], second: list[Move], steps: int) -> list[Move]:
    if len({move.step for move in first}) > steps:
        raise InputError("steps overlap", where="schedule")
    return first + [replace(move, step=move.step + steps) for move in second]


def _needed(moves: list[Move]) -> list[Move]:
    """Return the copies from chip 0 that bring a chip what it has not got."""
    held: dict[Chunk, set[int]] = {}
    found = []
    for move in sorted(moves, key=lambda move: move.step):
        chips = held.setdefault(move.chunk, {0})
        if move.targets[0] not in chips:
            found.append(move)
            chips.add(move.targets[0])
    return found
