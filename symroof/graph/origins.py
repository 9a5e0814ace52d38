"""Whose memory a tensor is: the leaf behind views, writes in place, carries and collectives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symroof.graph.ops.collective_parts import CollectiveKind
from symroof.graph.repeat import Repeat
from symroof.graph.storage import Region
from symroof.graph.tensor import Leaf, Role, Tensor

if TYPE_CHECKING:
    from symroof.graph.block import Block
    from symroof.graph.graph import Graph

ENTRY = Role.ACTIVATION


class Origins:
    """Finds what the tensors of a graph were before views, writes in place and carries.

    What a repeat carries is the memory that goes in where the body hands on that very memory,
    changed or not; otherwise it is an activation.

    Parameters
    ----------
    graph : Graph
        It must not grow while this is used.

    Examples
    --------
    >>> from symroof import ops
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> k = g.cache("k", ("B", 8, "S", 128), "bf16")
    >>> y = ops.cache_append(k, g.input("new", ("B", 8, 1, 128), "bf16"))
    >>> Origins(g).storage(y[0]), Origins(g).role(y[0])
    (<k [B, 8, S, 128] bf16>, <Role.CACHE: 'cache'>)
    """

    def __init__(self, graph: Graph) -> None:
        self._repeats: dict[Block, Repeat] = {
            repeat.body: repeat for block in graph.blocks() for repeat in block.repeats
        }
        self._handed_on: dict[tuple[Repeat, int], bool] = {}
        self._roles: dict[Tensor, Role] = {}

    def storage(self, tensor: Tensor) -> Tensor:
        """Return the tensor whose memory `tensor` is, outside of the repeats that carry it."""
        return self.place(tensor)[0]

    def place(self, tensor: Tensor) -> tuple[Tensor, tuple[Region, ...]]:
        """Return the storage outside, and the regions cut from it on the way in."""
        regions: list[Region] = []
        while True:
            region, storage = tensor.region, tensor.storage
            if region is not None:
                regions.append(region)
            outside = self._outside(storage)
            if outside is None:
                return storage, tuple(reversed(regions))
            tensor = outside

    def role(self, tensor: Tensor) -> Role:
        """Return the role of the leaf that is the memory of `tensor`; activation for what ops make.

        What a collective brings keeps its role: a gathered weight is read as a weight.
        """
        storage = tensor.storage
        found = self._roles.get(storage)
        if found is None:
            found = self._roles[storage] = self._role(storage)
        return found

    def _role(self, storage: Tensor) -> Role:
        outer = self.storage(storage)
        producer = outer.producer
        while producer is not None and isinstance(producer.kind, CollectiveKind):
            outer = self.storage(producer.inputs[0])
            producer = outer.producer
        return outer.role if isinstance(outer, Leaf) else Role.ACTIVATION

    def _outside(self, storage: Tensor) -> Tensor | None:
        """Return what goes into a repeat as `storage`, or comes out as it."""
        repeat: Repeat | None
        if isinstance(storage.producer, Repeat):
            repeat = storage.producer
            place = repeat.outputs.index(storage)
        else:
            repeat = self._repeats.get(storage.block)
            if repeat is None or storage.producer is not None or storage.role is not ENTRY:
                return None
            place = _entries(repeat).index(storage)
        return repeat.inputs[place] if self._hands_on(repeat, place) else None

    def _hands_on(self, repeat: Repeat, place: int) -> bool:
        """Return whether the body carries out the memory that it carries in at a place."""
        key = repeat, place
        if key not in self._handed_on:
            entry, made = _entries(repeat)[place], repeat.body.carried[place]
            while made.region is None and isinstance(made.storage.producer, Repeat):
                inner = made.storage.producer
                at = inner.outputs.index(made.storage)
                if not self._hands_on(inner, at):
                    break
                made = inner.inputs[at]
            self._handed_on[key] = made.region is None and made.storage is entry
        return self._handed_on[key]


def _entries(repeat: Repeat) -> list[Tensor]:
    return [leaf for leaf in repeat.body.leaves.values() if leaf.role is ENTRY]
