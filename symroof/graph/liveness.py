"""How much memory a graph takes: what it keeps, and the peak of what is alive on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from sympy import Expr, Integer

from symroof.errors import InputError
from symroof.graph import work
from symroof.graph.block import Block
from symroof.graph.graph import Graph
from symroof.graph.op import Op
from symroof.graph.repeat import Repeat
from symroof.graph.tensor import Role, Tensor
from symroof.symbolic.bounds import at_most
from symroof.symbolic.totals import max_of, total
from symroof.units.quantity import Quantity

MOST_STEPS = 2_000_000
MOST_COMPARED = 64


@dataclass(frozen=True, slots=True)
class Footprint:
    """Bytes a graph takes of one chip's memory.

    Attributes
    ----------
    weights, caches, inputs : Quantity
        Tensors of these roles, each storage once, those of a repeat's body once per iteration.
        They are there all the time.
    activations_peak : Quantity
        The most that is alive at once of what ops make, outputs included.
    total : Quantity
        The sum.
    """

    weights: Quantity
    caches: Quantity
    inputs: Quantity
    activations_peak: Quantity
    total: Quantity


def footprint(graph: Graph) -> Footprint:
    """Return the bytes that `graph` takes when its ops run one after the other, in their order.

    An activation is alive from the op that makes it to the last one that takes it or a view of it;
    outputs, and what nothing takes, to the end. While an op runs, its operands and results are
    alive. Ops in place make nothing new, fused ops only what leaves them. An iteration of a repeat
    frees what it made, except for what it carries out. A count that is a symbol is taken to be at
    least two more than there are tensors carried; fewer iterations never need more, and may need
    less.

    Parameters
    ----------
    graph : Graph
        Any graph.

    Returns
    -------
    Footprint
        In closed form; the peak is a `Max` of the sums that may be the largest.

    Raises
    ------
    InputError
        If repeats stand in each other so deeply that there are too many steps.

    Examples
    --------
    >>> g = Graph("g")
    >>> x, w = g.input("x", ("B", "D"), "bf16"), g.weight("w", ("D", "F"), "bf16")
    >>> h = x @ w
    >>> y = (h * 2) * h
    >>> taken = footprint(g)
    >>> print(taken.weights, "|", taken.inputs, "|", taken.activations_peak)
    2*D*F byte | 2*B*D byte | 6*B*F byte
    """
    # Marking an output keeps it alive, so their number belongs to what is kept for later calls.
    return graph.total(f"footprint, {len(graph.results)} results", lambda: _footprint(graph))


def _footprint(graph: Graph) -> Footprint:
    kept = [work.footprint(graph, frozenset({r})) for r in (Role.WEIGHT, Role.CACHE, Role.INPUT)]
    peak = _largest(_Trace(graph).sizes(), graph.scope.counts)
    amounts = (*kept, peak, total((amount, 1) for amount in (*kept, peak)))
    return Footprint(*(Quantity.of(amount, "byte", graph.scope) for amount in amounts))


class _Storage:
    __slots__ = ("born", "last", "size")

    def __init__(self, size: Expr | None, born: int) -> None:
        self.size = size
        self.born = born
        self.last = born


class _Trace:
    """The ops in the order they run, repeats unrolled as far as iterations differ."""

    def __init__(self, graph: Graph) -> None:
        self.now = 0
        self.made: list[_Storage] = []
        self.of: dict[Tensor, _Storage] = {}
        if _steps(graph) > MOST_STEPS:
            raise InputError(f"more than {MOST_STEPS} steps, repeats unrolled", where="footprint")
        self.run(graph)
        read = {tensor for op in graph.op_list for tensor in op.inputs}
        for op in graph.op_list:
            for tensor in op.outputs:
                if tensor not in read or tensor in graph.results:
                    self.of[tensor.storage].last = self.now

    def sizes(self) -> Iterable[frozenset[tuple[Expr, int]]]:
        """Return what is alive at each step, as numbers of tensors by size; every set once."""
        deaths: dict[int, list[_Storage]] = {}
        for storage in self.made:
            deaths.setdefault(storage.last, []).append(storage)
        alive: Counter[Expr] = Counter()
        found: dict[frozenset[tuple[Expr, int]], None] = {}
        place = 0
        for step in range(1, self.now + 1):
            born = place
            while place < len(self.made) and self.made[place].born == step:
                alive[self.made[place].size] += 1
                place += 1
            if place > born:
                found[frozenset(alive.items())] = None
            for storage in deaths.get(step, ()):
                alive[storage.size] -= 1
                if not alive[storage.size]:
                    del alive[storage.size]
        return found

    def run(self, block: Block) -> None:
        for leaf in block.leaves.values():
            if leaf.role is not Role.ACTIVATION:
                self.of[leaf] = _Storage(None, self.now)
        for op in block.op_list:
            if isinstance(op, Repeat):
                self.repeat(op)
            elif not op.kind.view:
                self.step(op)

    def step(self, op: Op) -> None:
        self.now += 1
        for tensor in op.inputs:
            self.of[tensor.storage].last = self.now
        for tensor in op.outputs:
            if tensor.base is None:
                self.of[tensor] = made = _Storage(tensor.spec.bytes, self.now)
                self.made.append(made)
            else:
                self.of[tensor.storage].last = self.now

    def repeat(self, op: Repeat) -> None:
        entries = [leaf for leaf in op.body.leaves.values() if leaf.role is Role.ACTIVATION]
        carried = [self.of[tensor.storage] for tensor in op.inputs[: op.carries]]
        for _ in range(_iterations(op)):
            self.of.update(zip(entries, carried, strict=True))
            self.run(op.body)
            carried = [self.of[tensor.storage] for tensor in op.body.carried]
        self.of.update(zip(op.outputs, carried, strict=True))


def _iterations(repeat: Repeat) -> int:
    # What is carried settles after one iteration for each carry; one more is like all others,
    # and the last differs in what it carries out.
    settled = repeat.carries + 2
    return min(settled, int(repeat.times)) if repeat.times.is_Integer else settled


def _steps(block: Block) -> int:
    inner = sum(_iterations(repeat) * _steps(repeat.body) for repeat in block.repeats)
    return len(block.op_list) + inner


def _largest(sizes: Iterable[frozenset[tuple[Expr, int]]], counts: frozenset[str]) -> Expr:
    kept: dict[int, _Sum] = {}
    holders: dict[Expr, set[int]] = {}
    for place, alive in enumerate(sizes):
        new = _Sum(dict(alive))
        near: list[set[int]] = [holders.get(size, set()) for size in new.numbers]
        # What holds all sizes of the new one holds the rarest of them.
        if any(kept[at].holds(new) for at in min(near, key=len, default=set())):
            continue
        held = [at for at in set().union(*near) if new.holds(kept[at])]
        # Sign proofs are dear: they are for few, which do not hold each other's sizes.
        if len(kept) - len(held) <= MOST_COMPARED:
            others = [at for at in kept if at not in held]
            if any(at_most(new.expr, kept[at].expr, counts) for at in others):
                continue
            held += [at for at in others if at_most(kept[at].expr, new.expr, counts)]
        for at in held:
            for size in kept.pop(at).numbers:
                holders[size].discard(at)
        kept[place] = new
        for size in new.numbers:
            holders.setdefault(size, set()).add(place)
    return max_of(*(candidate.expr for candidate in kept.values())) if kept else Integer(0)


@dataclass(frozen=True)
class _Sum:
    numbers: dict[Expr, int]

    @cached_property
    def expr(self) -> Expr:
        """The sum of the sizes."""
        return total(self.numbers.items())

    def holds(self, other: _Sum) -> bool:
        """Return whether this has no less of every size."""
        return all(self.numbers.get(size, 0) >= n for size, n in other.numbers.items())
