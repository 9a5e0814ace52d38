"""Order of what depends on what: topological, with the whole cycle when there is one."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeVar

from symroof.errors import GraphError

if TYPE_CHECKING:
    from symroof.graph.block import Block
    from symroof.graph.op import Op

_Node = TypeVar("_Node", bound=Hashable)


def topological_order(needs: Mapping[_Node, Iterable[_Node]]) -> list[_Node]:
    """Return the keys of `needs`, each after all it needs; otherwise in the order given.

    Parameters
    ----------
    needs : mapping of node to iterable of nodes
        What each node needs; nodes that are no key are taken to be there.

    Raises
    ------
    GraphError
        If nodes need each other in a circle; the whole circle is shown.

    Examples
    --------
    >>> topological_order({"c": ["a", "b"], "b": ["a"], "a": []})
    ['a', 'b', 'c']
    >>> topological_order({"a": ["b"], "b": ["a"]})
    Traceback (most recent call last):
    symroof.errors.GraphError: a cycle: [a, b, a]; a loop is a repeat with a count, not an edge back
    """
    order: list[_Node] = []
    done: set[_Node] = set()
    for start in needs:
        if start in done:
            continue
        path: dict[_Node, Iterator[_Node]] = {start: iter(needs[start])}
        while path:
            node = next(reversed(path))
            for other in path[node]:
                if other in path:
                    raise GraphError(_cycle(list(path), other))
                if other in needs and other not in done:
                    path[other] = iter(needs[other])
                    break
            else:
                del path[node]
                done.add(node)
                order.append(node)
    return order


def dependencies(block: Block) -> dict[Op, tuple[Op, ...]]:
    """Return, for each op of `block`, the ops of it that make its operands.

    Examples
    --------
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> x = g.input("x", 4, "fp32")
    >>> y = (x + x) * x
    >>> dependencies(g)
    {<op add_0: add>: (), <op mul_1: mul>: (<op add_0: add>,)}
    """
    return {
        op: tuple(
            dict.fromkeys(
                tensor.producer
                for tensor in op.inputs
                if tensor.producer is not None and tensor.block is block
            )
        )
        for op in block.op_list
    }


def _cycle(path: list[_Node], again: _Node) -> str:
    # The path runs from a node to what it needs: reversed, it runs along the data.
    around = [again, *reversed(path[path.index(again) :])]
    shown = ", ".join(str(node) for node in around)
    return f"a cycle: [{shown}]; a loop is a repeat with a count, not an edge back"
