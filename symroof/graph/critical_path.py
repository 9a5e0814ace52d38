"""The longest path through what depends on what, with times that are formulas."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any, Generic, TypeVar

from sympy import Add, Expr, Integer

from symroof.errors import InputError, UnitError
from symroof.graph.block import Block
from symroof.graph.order import dependencies, topological_order
from symroof.symbolic.adopt import adopt
from symroof.symbolic.bounds import at_most
from symroof.symbolic.evaluate import bind, value
from symroof.symbolic.exact import sign_of
from symroof.symbolic.totals import max_of, total
from symroof.units.quantity import Quantity
from symroof.units.scope import union

_Node = TypeVar("_Node", bound=Hashable)
Needs = Mapping[_Node, Iterable[_Node]]

MOST_PATHS = 64


@dataclass(frozen=True, slots=True)
class CriticalPath(Generic[_Node]):
    """The longest path at some numbers.

    Attributes
    ----------
    nodes : tuple
        Its nodes, first to last.
    length : Quantity or Expr
        The sum of their times, in closed form.
    """

    nodes: tuple[_Node, ...]
    length: Any


def critical_path(
    needs: Needs[_Node] | Block, times: Mapping[_Node, Any], at: Mapping[str, Any]
) -> CriticalPath[_Node]:
    """Find the longest path at the numbers `at`, and give its length in closed form.

    Parameters
    ----------
    needs : mapping of node to nodes it needs, or Block
        A directed acyclic graph; of a block, its ops.
    times : mapping of node to Quantity, Expr, number or text
        How long each node takes; quantities of one dimension, or plain formulas.
    at : mapping of str to number
        Values of all symbols in the times.

    Returns
    -------
    CriticalPath
        Holds wherever this path is the longest.

    Raises
    ------
    GraphError
        If there is a cycle.
    UnboundError
        If `at` leaves a symbol free.

    Examples
    --------
    >>> needs = {"s": [], "p": ["s"], "q": ["s"], "t": ["p", "q"]}
    >>> found = critical_path(needs, {"s": 1, "p": "B", "q": 5, "t": 1}, {"B": 9})
    >>> found.nodes, found.length
    (('s', 'p', 't'), B + 2)
    """
    edges = _edges(needs)
    exprs, wrap, _ = _exprs(edges, times)
    numbers = {node: value(bind(expr, at)) for node, expr in exprs.items()}
    finish: dict[_Node, Expr] = {}
    before: dict[_Node, _Node] = {}
    for node in topological_order(edges):
        start: Expr = Integer(0)
        for other in edges[node]:
            if other in finish and _exceeds(finish[other], start):
                start, before[node] = finish[other], other
        finish[node] = start + numbers[node]
    if not finish:
        return CriticalPath((), wrap(Integer(0)))
    last = next(iter(finish))
    for node in finish:
        if _exceeds(finish[node], finish[last]):
            last = node
    nodes = [last]
    while nodes[-1] in before:
        nodes.append(before[nodes[-1]])
    nodes.reverse()
    return CriticalPath(tuple(nodes), wrap(total((exprs[node], 1) for node in nodes)))


def longest_path(needs: Needs[_Node] | Block, times: Mapping[_Node, Any]) -> Any:
    """Return the length of the longest path for all values of the symbols, as an exact `Max`.

    Paths that can never be the longest are dropped, and what all paths have in common is taken
    out of the `Max`.

    Parameters
    ----------
    needs : mapping of node to nodes it needs, or Block
        A directed acyclic graph; of a block, its ops.
    times : mapping of node to Quantity, Expr, number or text
        How long each node takes.

    Returns
    -------
    Quantity or Expr
        As the times are.

    Raises
    ------
    GraphError
        If there is a cycle.
    InputError
        If more than 64 different sums could be the longest; `critical_path` answers at numbers.

    Examples
    --------
    >>> needs = {"s": [], "p": ["s"], "q": ["s"], "t": ["p", "q"]}
    >>> longest_path(needs, {"s": 1, "p": "B", "q": 5, "t": 1})
    Max(5, B) + 2
    """
    edges = _edges(needs)
    exprs, wrap, counts = _exprs(edges, times)
    finish: dict[_Node, list[Expr]] = {}
    for node in topological_order(edges):
        starts = [sum_ for other in edges[node] for sum_ in finish.get(other, ())]
        kept = _undominated(starts or [Integer(0)], counts)
        finish[node] = [start + exprs[node] for start in kept]
    ends = [sum_ for sums in finish.values() for sum_ in sums]
    ends = _undominated(ends or [Integer(0)], counts)
    return wrap(_factored(ends))


def _edges(needs: Needs[_Node] | Block) -> Mapping[Any, tuple[Any, ...]]:
    if isinstance(needs, Block):
        return dependencies(needs)
    return {node: tuple(others) for node, others in needs.items()}


def _exprs(
    edges: Mapping[Any, Any], times: Mapping[Any, Any]
) -> tuple[dict[Any, Expr], Any, frozenset[str]]:
    """Return the times as formulas, what makes their sums a time, and which names are counts."""
    missing = [node for node in edges if node not in times]
    if missing:
        raise InputError(f"no time for {missing[0]}", where="times")
    given = [times[node] for node in edges]
    quantities = [time for time in given if isinstance(time, Quantity)]
    if not quantities:
        return {node: adopt(times[node]) for node in edges}, lambda expr: expr, frozenset()
    first = quantities[0]
    for time in given:
        if not isinstance(time, Quantity) or time.dimension != first.dimension:
            raise UnitError(f"times of one path need one dimension, got {first} and {time}")
    scope = reduce(union, (time.scope for time in quantities))
    exprs = {node: times[node].expr for node in edges}
    return exprs, lambda expr: Quantity(expr, first.unit, scope), scope.counts


def _exceeds(one: Expr, other: Expr) -> bool:
    return sign_of(one - other) == 1


def _undominated(sums: list[Expr], counts: frozenset[str]) -> list[Expr]:
    kept: list[Expr] = []
    for new in dict.fromkeys(sums):
        if any(at_most(new, old, counts) for old in kept):
            continue
        kept = [old for old in kept if not at_most(old, new, counts)]
        kept.append(new)
    if len(kept) > MOST_PATHS:
        raise InputError(
            f"more than {MOST_PATHS} paths could be the longest; critical_path finds it at numbers"
        )
    return kept


def _factored(sums: list[Expr]) -> Expr:
    if len(sums) == 1:
        return sums[0]
    parts = [sum_.as_coefficients_dict() for sum_ in sums]
    common = {
        term: min(part[term] for part in parts)
        for term in parts[0]
        if all(part.get(term, 0) > 0 for part in parts)
    }
    shared = Add(*(term * count for term, count in common.items()))
    return shared + max_of(*(sum_ - shared for sum_ in sums))
