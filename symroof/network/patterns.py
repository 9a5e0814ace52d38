"""The steps of each algorithm: schedules that `simulate` runs, for sizes that are numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from symroof.errors import InputError
from symroof.network.collectives import algorithms, flow, plain
from symroof.network.grid_patterns import grid_schedule
from symroof.network.moves import Made, backwards, one, pairs, shards, then
from symroof.network.names import Algorithm, Collective, named
from symroof.network.steps import SWITCH, Move, Schedule
from symroof.network.topology import FullyConnected, Ring, Switch, Topology, Torus, Tree
from symroof.network.tree_patterns import by_trees, in_a_tree

AG, RS, AR = Collective.ALL_GATHER, Collective.REDUCE_SCATTER, Collective.ALL_REDUCE
A2A, BROADCAST = Collective.ALL_TO_ALL, Collective.BROADCAST
GATHER, SEND = Collective.GATHER, Collective.SEND


def schedule(
    collective: str | Collective,
    topology: Topology,
    algorithm: str | Algorithm | None = None,
    apart: tuple[int, ...] | None = None,
) -> Schedule:
    """Return the steps by which a topology runs a collective.

    Parameters
    ----------
    collective : str or Collective
        A broadcast starts at chip 0, a gather ends there, a send goes from it.
    topology : Topology
        With a size that is a number.
    algorithm : str or Algorithm, optional
        As in `flow`.
    apart : tuple of int, optional
        For a send: how far, along each axis.

    Raises
    ------
    InputError
        If the size is a symbol, or the topology does not run the algorithm.

    Examples
    --------
    >>> from symroof.network.topology import Ring
    >>> made = schedule("all_gather", Ring(3), "ring")
    >>> [(move.step, move.sources, move.targets, move.chunk) for move in made.moves][:2]
    [(0, (0,), (1,), (0,)), (0, (1,), (2,), (1,))]
    """
    what = named(Collective, collective, "collective")
    if not topology.size.is_Integer:
        raise InputError(f"steps need a number of chips, not {topology.size}", where=topology.name)
    how = algorithms(what, topology)[0]
    if algorithm is not None:
        how = flow(what, topology, 1, algorithm, apart=apart).algorithm
    n = int(topology.size)
    topology = topology if apart is not None else plain(topology)
    if isinstance(topology, Torus) or apart is not None or how is Algorithm.LINE:
        return grid_schedule(what, topology, apart)
    if how is Algorithm.BIDIRECTIONAL_RING:
        made = grid_schedule(what, Ring(n), None)
        if isinstance(topology, Switch):
            through = tuple(replace(move, port=SWITCH) for move in made.moves)
            return replace(made, topology=topology, moves=through)
        return made
    if isinstance(topology, Tree):
        sizes, moves = in_a_tree(what, n, topology.arity)
    elif how is Algorithm.TREE:
        sizes, moves = by_trees(what, topology, n)
    else:
        patterns = _PATTERNS[how]
        if what in patterns:
            sizes, moves = patterns[what](n)
        else:
            sizes, scattering = patterns[RS](n)
            moves = then(scattering, patterns[AG](n)[1])
    placed = tuple(_placed(move, topology) for move in moves)
    return Schedule(what, topology, sizes, placed, target=min(1, n - 1))


def _placed(move: Move, topology: Topology) -> Move:
    """Give a message its port."""
    if isinstance(topology, Switch):
        return replace(move, port=SWITCH)
    if isinstance(topology, FullyConnected | Tree):
        return replace(move, port=("to", move.targets[0]))
    if move.port:
        return move
    return replace(move, port=(0, 1 if move.targets > move.sources else -1))


# --- one way round ------------------------------------------------------------------------------


def _ring_gather(n: int) -> Made:
    moves = [
        one(step, chip, (chip + 1) % n, ((chip - step) % n,), (0, 1))
        for step in range(n - 1)
        for chip in range(n)
    ]
    return shards(n), moves


def _ring_scatter(n: int) -> Made:
    moves = [
        replace(one(step, (home + step + 1) % n, (home + step + 2) % n, (home,), (0, 1)), adds=True)
        for step in range(n - 1)
        for home in range(n)
    ]
    return shards(n), moves


def _ring_exchange(n: int) -> Made:
    moves = [
        one(step, (i + step) % n, (i + step + 1) % n, (i, (i + far) % n), (0, 1))
        for i in range(n)
        for far in range(n)
        for step in range(far)
    ]
    return pairs(n), moves


def _ring_broadcast(n: int) -> Made:
    return {(0,): Fraction(1)}, [one(chip, chip, chip + 1, (0,), (0, 1)) for chip in range(n - 1)]


def _ring_to_one(n: int) -> Made:
    moves = [
        one(step, chip + step, (chip + step + 1) % n, (chip,), (0, 1))
        for chip in range(1, n)
        for step in range(n - chip)
    ]
    return shards(n), moves


# --- straight to each other ---------------------------------------------------------------------


def _direct_gather(n: int) -> Made:
    moves = [one(0, i, j, (i,)) for i in range(n) for j in range(n) if i != j]
    return shards(n), moves


def _direct_exchange(n: int) -> Made:
    moves = [one(0, i, j, (i, j)) for i in range(n) for j in range(n) if i != j]
    return pairs(n), moves


def _direct_broadcast(n: int) -> Made:
    moves = [one(0, 0, chip, (0, chip)) for chip in range(1, n)]
    moves += [one(1, i, j, (0, i)) for i in range(1, n) for j in range(1, n) if i != j]
    if n == 1:
        return {(0, 0): Fraction(1)}, moves
    return {(0, chip): Fraction(1, n - 1) for chip in range(1, n)}, moves


def _direct_to_one(n: int) -> Made:
    return shards(n), [one(0, chip, 0, (chip,)) for chip in range(1, n)]


def _direct_send(n: int) -> Made:
    return {(0,): Fraction(1)}, [one(0, 0, 1, (0,), (0, 1))][: n - 1]


def _doubling_gather(n: int) -> Made:
    moves = []
    step, reach = 0, 1
    while reach < n:
        for chip in range(n):
            moves += [
                one(step, chip, (chip - reach) % n, ((chip + at) % n,))
                for at in range(min(reach, n - reach))
            ]
        step, reach = step + 1, 2 * reach
    return shards(n), moves


def _scattered(gather: Callable[[int], Made]) -> Callable[[int], Made]:
    def scatter(n: int) -> Made:
        sizes, moves = gather(n)
        return sizes, backwards(moves)

    return scatter


# --- in the switch ------------------------------------------------------------------------------


def _copied(n: int) -> Made:
    everyone = tuple(range(n))
    moves = [Move(0, (i,), tuple(j for j in everyone if j != i), SWITCH, (i,)) for i in range(n)]
    return shards(n), moves[: n if n > 1 else 0]


def _added(n: int) -> Made:
    sizes, moves = _copied(n)
    return sizes, [replace(m, sources=m.targets, targets=m.sources, adds=True) for m in moves]


def _added_and_copied(n: int) -> Made:
    everyone = tuple(range(n))
    return {(0,): Fraction(1)}, [Move(0, everyone, everyone, SWITCH, (0,))][: n - 1]


def _copied_from_one(n: int) -> Made:
    return {(0,): Fraction(1)}, [Move(0, (0,), tuple(range(1, n)), SWITCH, (0,))][: n - 1]


_PATTERNS: dict[Algorithm, dict[Collective, Callable[[int], Made]]] = {
    Algorithm.RING: {
        AG: _ring_gather,
        RS: _ring_scatter,
        A2A: _ring_exchange,
        BROADCAST: _ring_broadcast,
        GATHER: _ring_to_one,
    },
    Algorithm.RECURSIVE_DOUBLING: {AG: _doubling_gather, RS: _scattered(_doubling_gather)},
    Algorithm.DIRECT: {
        AG: _direct_gather,
        RS: _scattered(_direct_gather),
        A2A: _direct_exchange,
        BROADCAST: _direct_broadcast,
        GATHER: _direct_to_one,
        SEND: _direct_send,
    },
    Algorithm.IN_NETWORK: {
        AG: _copied,
        RS: _added,
        AR: _added_and_copied,
        BROADCAST: _copied_from_one,
    },
}
