"""The choice for one op: along which index each axis of the mesh lies while it runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import groupby, permutations, product
from math import prod
from typing import TypeAlias

from sympy import Expr, expand

from symroof.errors import GraphError
from symroof.graph.indices import Indices
from symroof.graph.sharding.layout import Layout, divides
from symroof.graph.sharding.plan import Ground
from symroof.graph.sharding.prices import Prices
from symroof.graph.sharding.reading import Axes
from symroof.graph.sharding.routes import Route, nearest, route
from symroof.graph.tensor import TensorSpec
from symroof.symbolic.build import add, multiply

MOST_PLACINGS = 1000


class Without(Enum):
    """What an axis may do other than shard an index."""

    COPIES = "every chip along it does the same"
    PARTIAL = "its partial sums pass through the op"


Placing: TypeAlias = str | Without
Placings: TypeAlias = tuple[tuple[str, Placing], ...]
"""What becomes of each axis that has a choice."""


class Prefer(Enum):
    """What moves where the sizes leave the choice open; or that work is split whatever moves."""

    WEIGHTS = "weights"
    ACTIVATIONS = "activations"
    WORK = "work"


@dataclass(frozen=True, slots=True)
class Operand:
    """An operand: its whole shape, the layouts it is there in, and whether it is a weight."""

    spec: TensorSpec
    layouts: tuple[Layout, ...]
    weight: bool
    place: int


@dataclass(frozen=True, slots=True)
class Fetch:
    """How an operand comes to the layout the op needs: from which of its layouts, by what."""

    source: int
    target: Layout
    route: Route


@dataclass(frozen=True)
class Choice:
    """One way to run an op on the mesh.

    Attributes
    ----------
    placing : tuple of (str, str or Without)
        For each axis the index it shards, or what else becomes of it.
    fetches : tuple of Fetch
        For each operand.
    results : tuple of Layout
        The results as the op makes them.
    finish : Route
        From there to the layout that is wanted; otherwise how its sums are made, if they are.
    moved : tuple of (Expr, Expr)
        Bytes of each tensor that is brought or left somewhere, and the link time per byte.
    sends, weights, activations, copies : int
        Collectives that send; those of weights and of other tensors; axes along which every chip
        does the same.
    """

    placing: Placings
    fetches: tuple[Fetch, ...]
    results: tuple[Layout, ...]
    finish: Route
    moved: tuple[tuple[Expr, Expr], ...]
    sends: int
    weights: int
    activations: int
    copies: int

    @cached_property
    def time(self) -> Expr:
        """Link time of all of it."""
        return expand(add([multiply(pair) for pair in self.moved]))

    def rank(self, prefer: Prefer | None) -> tuple[int, ...]:
        """Return what decides where sizes do not."""
        first = {
            None: (),
            Prefer.WEIGHTS: (self.activations,),
            Prefer.ACTIVATIONS: (self.weights,),
            Prefer.WORK: (),
        }[prefer]
        return (*first, self.sends, self.copies, self.activations)


@dataclass(frozen=True, slots=True)
class Decision:
    """The choice, why it was made, and the others that may take less link time."""

    choice: Choice
    ground: Ground
    open: tuple[Choice, ...] = ()


@dataclass(frozen=True, slots=True)
class Problem:
    """An op to be run on a mesh.

    Attributes
    ----------
    name : str
    indices : Indices
    operands : tuple of Operand
    results : tuple of TensorSpec
        The whole shapes.
    wanted : Layout or None
        What the result is to become.
    kept : Layout or None
        What the result has to be as it is made, for an op in place.
    """

    name: str
    indices: Indices
    operands: tuple[Operand, ...]
    results: tuple[TensorSpec, ...]
    wanted: Layout | None = None
    kept: Layout | None = None


def decide(
    problem: Problem, prices: Prices, prefer: Prefer | None = None, *, spread: bool = False
) -> Decision:
    """Return the way to run an op that takes the least link time.

    Axes that are idle there are tried where the result is wanted in a layout, and with `spread`
    in any case. To split the work, only ways that repeat it along the fewest axes are looked at.

    Raises
    ------
    GraphError
        If there is no way.
    """
    options = {axis: _options(problem, axis) for axis in prices.mesh.names}
    found = _found(problem, prices, options, split=prefer is Prefer.WORK)
    if not found:
        raise GraphError(f"shard: op {problem.name!r} cannot be run on the mesh")
    best, *others = _least(found, prices, prefer)
    tried = prefer is not Prefer.WORK and (spread or problem.wanted is not None)
    if tried and best.time != 0 and problem.kept is None:
        idle = _least([best, *_with_idle_axes(problem, prices, options)], prices, prefer)
        if all(prices.at_most(choice.time, best.time) for choice in idle) and best not in idle:
            return Decision(idle[0], Ground.IDLE)
    if others:
        return Decision(best, Ground.PREFERRED if prefer else Ground.RULE, tuple(others))
    if len(found) == 1:
        return Decision(best, Ground.ONLY)
    equal = any(c is not best and prices.at_most(c.time, best.time) for c in found)
    at_sizes = Ground.AT_SIZES if prices.values and best.time.free_symbols else Ground.LEAST
    return Decision(best, Ground.EQUAL if equal else at_sizes)


def _least(found: list[Choice], prices: Prices, prefer: Prefer | None) -> list[Choice]:
    """Return the choices of which none is proved to take more time than another, best first."""
    ranked = sorted(found, key=lambda choice: choice.rank(prefer))
    return prices.least(ranked, lambda choice: choice.time)


def _found(
    problem: Problem,
    prices: Prices,
    options: Mapping[str, tuple[Placing, ...]],
    *,
    split: bool,
) -> list[Choice]:
    """Return the choices with a result as it is kept, if any; to split, of the fewest copies."""
    placings = _placings(options)
    groups = [placings]
    if split:
        groups = [list(group) for _, group in groupby(sorted(placings, key=_copies), _copies)]
    others: list[Choice] = []
    for group in groups:
        found = list(_choices(problem, prices, group))
        kept = [c for c in found if problem.kept is None or c.results == (problem.kept,)]
        if kept:
            return kept
        others = others or found
    return others


def _with_idle_axes(
    problem: Problem, prices: Prices, options: Mapping[str, tuple[Placing, ...]]
) -> list[Choice]:
    """Return the choices in which axes also split dims on which nothing and nobody has them."""
    indices = problem.indices
    read = {index for row in indices.inputs for index in row} - {None} - indices.whole
    every = {
        axis: tuple(dict.fromkeys((*places, *sorted(filter(None, read)))))
        for axis, places in options.items()
        if prices.mesh.axes[axis] != 1
    }
    if prod(map(len, every.values())) > MOST_PLACINGS:
        return []
    return list(_choices(problem, prices, _placings(every)))


def _placings(options: Mapping[str, tuple[Placing, ...]]) -> list[Placings]:
    """Return every combination of what becomes of the axes that have a choice."""
    used = [(axis, places) for axis, places in options.items() if len(places) > 1]
    return [
        tuple((axis, place) for (axis, _), place in zip(used, places, strict=True))
        for places in product(*(places for _, places in used))
    ]


def _copies(placing: Placings) -> int:
    return sum(place is Without.COPIES for _, place in placing)


def _choices(problem: Problem, prices: Prices, placings: Iterable[Placings]) -> Iterator[Choice]:
    for placing in placings:
        by_index: dict[str, list[str]] = {}
        for axis, place in placing:
            if isinstance(place, str):
                by_index.setdefault(place, []).append(axis)
        orders = [list(permutations(axes)) for axes in by_index.values()]
        for order in product(*orders):
            shards = dict(zip(by_index, order, strict=True))
            found = _choice(problem, prices, placing, shards)
            if found is not None:
                yield found


def _options(problem: Problem, axis: str) -> tuple[Placing, ...]:
    indices, operands = problem.indices, problem.operands
    found: dict[Placing, None] = {}
    for row, operand in zip(indices.inputs, operands, strict=True):
        for layout in operand.layouts:
            _suggest(found, row, layout, axis, indices)
    for aim in (problem.wanted, problem.kept):
        if aim is not None:
            _suggest(found, indices.outputs[0], aim, axis, indices)
    read = {index for row in indices.inputs for index in row}
    places: list[Placing] = [place for place in found if place in read]
    partial = [any(axis in layout.unreduced for layout in o.layouts) for o in operands]
    if indices.additive:
        passes = all(partial)
    else:
        passes = sum(partial) == 1 and partial.index(True) in indices.linear
    if passes:
        places.append(Without.PARTIAL)
    return (*places, Without.COPIES)


def _suggest(
    found: dict[Placing, None],
    row: Sequence[str | None],
    layout: Layout,
    axis: str,
    indices: Indices,
) -> None:
    place = layout.place(axis)
    index = None if place is None else row[place[0]]
    if index is not None and index not in indices.whole:
        found[index] = None


def _choice(
    problem: Problem,
    prices: Prices,
    placing: Placings,
    shards: dict[str, tuple[str, ...]],
) -> Choice | None:
    indices = problem.indices
    passing = {axis for axis, place in placing if place is Without.PARTIAL}
    summed = {axis for index in indices.summed for axis in shards.get(index, ())}
    unreduced = _ordered(passing | summed, prices)
    results = tuple(Layout(_sharded(row, shards), unreduced) for row in indices.outputs)
    if not all(_fits(s, r, prices) for s, r in zip(problem.results, results, strict=True)):
        return None
    fetches: list[Fetch] = []
    moved: list[tuple[Expr, Expr]] = []
    sends = {True: 0, False: 0}
    seen = set()
    for row, operand in zip(indices.inputs, problem.operands, strict=True):
        holds = {axis for layout in operand.layouts for axis in layout.unreduced}
        target = Layout(_sharded(row, shards), _ordered(passing & holds, prices))
        fetch = _fetch(operand, target, prices)
        if fetch is None:
            return None
        fetches.append(fetch)
        if (operand.place, target) not in seen:
            seen.add((operand.place, target))
            moved.append((operand.spec.bytes, fetch.route.price))
            sends[operand.weight] += fetch.route.sends
    finish = _finish(problem, results[0], prices)
    if finish is None:
        return None
    moved += [(spec.bytes, finish.price) for spec in problem.results]
    return Choice(
        placing=placing,
        fetches=tuple(fetches),
        results=results,
        finish=finish,
        moved=tuple(moved),
        sends=sends[True] + sends[False] + finish.sends,
        weights=sends[True],
        activations=sends[False] + finish.sends,
        copies=_copies(placing),
    )


def _fetch(operand: Operand, target: Layout, prices: Prices) -> Fetch | None:
    """Return the cheapest way to a layout from any the operand is there in."""
    if not _fits(operand.spec, target, prices):
        return None
    found = nearest(operand.spec.shape, operand.layouts, target, prices)
    return None if found is None else Fetch(found[0], target, found[1])


def _finish(problem: Problem, made: Layout, prices: Prices) -> Route | None:
    target = problem.wanted or Layout(made.dims)
    return route(problem.results[0].shape, made, target, prices)


def _sharded(row: Sequence[str | None], shards: dict[str, tuple[str, ...]]) -> tuple[Axes, ...]:
    return tuple(shards.get(index, ()) if index is not None else () for index in row)


def _fits(spec: TensorSpec, layout: Layout, prices: Prices) -> bool:
    return all(
        divides(size, axes, prices.mesh)
        for size, axes in zip(spec.shape, layout.dims, strict=True)
        if axes
    )


def _ordered(axes: set[str], prices: Prices) -> Axes:
    return tuple(axis for axis in prices.mesh.names if axis in axes)
