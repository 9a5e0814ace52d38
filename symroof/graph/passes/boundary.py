"""The boundary of fused regions: what they read, what leaves them, and in which order they run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush

from sympy import Add, Expr, expand

from symroof.errors import GraphError, InputError
from symroof.graph.block import Block
from symroof.graph.contractions import Contraction, contractions
from symroof.graph.op import ZERO, Attrs, Cost, Op
from symroof.graph.storage import Access, union
from symroof.graph.tensor import Tensor
from symroof.symbolic.totals import total


@dataclass(frozen=True, slots=True)
class Region:
    """Ops of one block that become one, in the order of the block, without views.

    Attributes
    ----------
    ops : tuple of Op
        Its ops.
    name : str or None
        Name of the fused op; that of the first op when None.
    """

    ops: tuple[Op, ...]
    name: str | None

    @property
    def block(self) -> Block:
        """The block of the ops."""
        return self.ops[0].block


def origin(tensor: Tensor) -> Tensor:
    """Return the tensor that `tensor` is a view of; itself when an op that is no view made it."""
    while tensor.producer is not None and tensor.producer.kind.view:
        tensor = tensor.producer.inputs[0]
    return tensor


class Plan:
    """Which ops of a block join which region, and an order in which all can run.

    Parameters
    ----------
    block : Block
        The block.
    regions : sequence of Region
        Disjoint regions of its ops.
    """

    def __init__(self, block: Block, regions: Sequence[Region]) -> None:
        self.block = block
        self.region_of: dict[Op | None, Region] = {
            op: region for region in regions for op in region.ops
        }
        self.consumers: dict[Tensor, list[Op]] = {}
        if regions:
            for op in block.op_list:
                for tensor in op.inputs:
                    self.consumers.setdefault(tensor, []).append(op)

    def leaves(self, tensor: Tensor, region: Region) -> bool:
        """Return whether something outside `region` needs `tensor`, or nothing reads it at all."""
        waiting = [tensor]
        while waiting:
            tensor = waiting.pop()
            consumers = self.consumers.get(tensor, ())
            if tensor in self.block.results or not consumers:
                return True
            for op in consumers:
                if op.kind.view:
                    waiting.extend(op.outputs)
                elif self.region_of.get(op) is not region:
                    return True
        return False

    def order(self) -> Iterator[Op | Region]:
        """Yield every op, or the region it joins, after all it depends on.

        Views that only their region reads are left out.

        Raises
        ------
        GraphError
            If two regions wait for each other.
        """
        units: dict[int, Op | Region] = {}
        for op in self.block.op_list:
            region = self.region_of.get(op)
            if region is not None:
                units[region.ops[0].index] = region
            elif not self._stays_inside(op):
                units[op.index] = op
        after: dict[int, list[int]] = {place: [] for place in units}
        waits = {}
        for place, unit in units.items():
            before = self._before(unit, place)
            waits[place] = len(before)
            for other in before:
                after[other].append(place)
        ready = [place for place, count in waits.items() if not count]
        heapify(ready)
        done = 0
        while ready:
            place = heappop(ready)
            done += 1
            yield units[place]
            for other in after[place]:
                waits[other] -= 1
                if not waits[other]:
                    heappush(ready, other)
        if done < len(units):
            stuck = [place for place, count in waits.items() if count]
            names = ", ".join(self.block.op_list[place].name for place in sorted(stuck)[:4])
            raise GraphError(f"fused regions wait for each other, near {names}")

    def _before(self, unit: Op | Region, place: int) -> set[int]:
        ops = unit.ops if isinstance(unit, Region) else (unit,)
        before = set()
        for op in ops:
            for tensor in op.inputs:
                producer = tensor.producer
                if producer is None or producer.block is not self.block:
                    continue
                if isinstance(unit, Region) and self.region_of.get(origin(tensor).producer) is unit:
                    continue
                region = self.region_of.get(producer)
                before.add(producer.index if region is None else region.ops[0].index)
        before.discard(place)
        return before

    def _stays_inside(self, op: Op) -> bool:
        if not op.kind.view:
            return False
        region = self.region_of.get(origin(op.outputs[0]).producer)
        return region is not None and not self.leaves(op.outputs[0], region)


class Boundary:
    """What a region reads from outside and what it writes there.

    Attributes
    ----------
    reads : dict of Tensor to Expr
        Bytes by outer tensor; a storage that several of them share is charged to the first.
    writes : dict of Tensor to Expr
        Bytes by result that leaves the region.
    """

    def __init__(self, region: Region, plan: Plan) -> None:
        self.region = region
        self.inside = set(region.ops)
        self.accesses: dict[Tensor, list[Access]] = {}
        self.reads: dict[Tensor, Expr] = {}
        self.writes: dict[Tensor, Expr] = {}
        for op in region.ops:
            for tensor, amount in zip(op.inputs, op.cost.reads, strict=True):
                self._read(tensor, amount)
        charged = set()
        for tensor in self.reads:
            if tensor.storage not in charged:
                charged.add(tensor.storage)
                whole = tensor.storage.spec.bytes
                self.reads[tensor] = union(self.accesses[tensor.storage], whole)
        self._write(plan)

    @property
    def counts(self) -> tuple[str, ...]:
        """Names of the counts that stand in attributes of the ops, such as group sizes."""
        exprs = (e for op in self.region.ops for e in op.kind.counted(Attrs(op.attrs)))
        return tuple(sorted({symbol.name for expr in exprs for symbol in expr.free_symbols}))

    @property
    def contractions(self) -> tuple[Contraction, ...] | None:
        """The contractions of the ops; None where there may be some, and nothing is known."""
        found: list[Contraction] = []
        after: set[Op | None] = set()  # ops that depend on a contraction
        for op in self.region.ops:
            fed = any(origin(tensor).producer in after for tensor in op.inputs)
            try:
                own = contractions(op)
            except InputError:
                return None
            found += [replace(each, fed=True) if fed else each for each in own]
            if own or fed:
                after.add(op)
        return tuple(found)

    def cost(self) -> Cost:
        """Return the cost of the region as one op."""
        flops: dict[str, list[Expr]] = {}
        for op in self.region.ops:
            for key, amount in op.cost.flops:
                flops.setdefault(key, []).append(amount)
        sending = [op.cost for op in self.region.ops if op.cost.link_bytes != 0]
        if len({cost.link for cost in sending}) > 1:
            raise GraphError("fuse: the region sends over several links; fuse ops of one link")
        return Cost(
            flops=tuple((key, total((n, 1) for n in amounts)) for key, amounts in flops.items()),
            reads=tuple(self.reads.values()),
            writes=tuple(self.writes.values()),
            link_bytes=Add(*(cost.link_bytes for cost in sending)),
            link=sending[0].link if sending else "link",
            unknown=tuple(
                dict.fromkeys(what for op in self.region.ops for what in op.cost.unknown)
            ),
        )

    def _read(self, tensor: Tensor, amount: Expr) -> None:
        made = origin(tensor)
        while made.producer in self.inside:
            op = made.producer
            written = op.cost.writes[op.outputs.index(made)]
            if made.base is None or written == made.spec.bytes:
                return
            # A part was written in place: the rest is what the storage held before.
            if amount == made.spec.bytes and tensor.region == made.region:
                amount = expand(amount - written)
            tensor = next((t for t in op.inputs if _same_place(t, made)), made.storage)
            made = origin(tensor)
        self.reads.setdefault(tensor, ZERO)
        self.accesses.setdefault(tensor.storage, []).append(
            Access(tensor.region, amount, amount == tensor.spec.bytes)
        )

    def _write(self, plan: Plan) -> None:
        latest: dict[object, Tensor] = {}
        for op in self.region.ops:
            for tensor, amount in zip(op.outputs, op.cost.writes, strict=True):
                outer = tensor.base is not None and tensor.storage.producer not in self.inside
                if outer and amount == tensor.spec.bytes:
                    older = latest.get((tensor.storage, tensor.region))
                    if older is not None and not plan.leaves(older, self.region):
                        self.writes.pop(older, None)
                if outer:
                    latest[tensor.storage, tensor.region] = tensor
                elif not plan.leaves(tensor, self.region):
                    continue
                elif tensor.base is not None and not plan.leaves(tensor.storage, self.region):
                    amount = tensor.spec.bytes
                self.writes[tensor] = amount


def _same_place(one: Tensor, other: Tensor) -> bool:
    return one.storage is other.storage and one.region == other.region
