"""Graphs as flat tables for pickle and copy: a chain of a million ops must not nest as deep."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from symroof.errors import GraphError
from symroof.graph.block import Block
from symroof.graph.op import Op, Signature
from symroof.graph.repeat import Repeat
from symroof.graph.storage import View
from symroof.graph.tensor import Leaf, NamedTensor, Tensor

if TYPE_CHECKING:
    from symroof.graph.graph import Graph

Row: TypeAlias = tuple[Any, ...]

GRAPH_FIELDS = ("traffic", "about", "uncosted", "mesh", "plan")
BLOCK_FIELDS = ("name", "active")


@dataclass(slots=True)
class Tables:
    """A graph without references between its objects: each stands in a list, others by place.

    Attributes
    ----------
    graph : dict
        Fields of the graph itself.
    blocks, leaves, signatures, ops, outputs : list of tuple
        The rows; blocks outer ones first, tensors as leaves then outputs.
    """

    graph: dict[str, Any] = field(default_factory=dict)
    blocks: list[Row] = field(default_factory=list)
    leaves: list[Row] = field(default_factory=list)
    signatures: list[Row] = field(default_factory=list)
    ops: list[Row] = field(default_factory=list)
    outputs: list[Row] = field(default_factory=list)


def flattened(graph: Graph) -> Tables:
    """Return the tables of a graph.

    Examples
    --------
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> y = -g.input("x", ("B", 4), "fp32")
    >>> len(flattened(g).ops), restored(Graph, flattened(g)).tensors
    (1, (<x [B, 4] fp32>, <neg_0 [B, 4] fp32>))
    """
    if not graph.active:
        raise GraphError(f"graph {graph.name!r} cannot be copied while a repeat is being added")
    blocks = list(graph.blocks())
    block_at = {block: place for place, block in enumerate(blocks)}
    leaves = [leaf for block in blocks for leaf in block.leaves.values()]
    ops = [op for block in blocks for op in block.op_list]
    op_at = {op: place for place, op in enumerate(ops)}
    outputs = [tensor for op in ops for tensor in op.outputs]
    tensor_at = {tensor: place for place, tensor in enumerate([*leaves, *outputs])}
    interned = [s for block in blocks for s in block.signatures.values()]
    signatures = list(dict.fromkeys([*interned, *(op.signature for op in ops)]))
    signature_at = {signature: place for place, signature in enumerate(signatures)}

    def places(tensors: Any) -> tuple[int, ...]:
        return tuple([tensor_at[tensor] for tensor in tensors])

    tables = Tables({name: getattr(graph, name) for name in GRAPH_FIELDS})
    tables.graph["current"] = block_at[graph.current]
    tables.graph["flop_weights"] = dict(graph.flop_weights)
    for block in blocks:
        named = [(name, op_at[op]) for name, op in block._named.items()]
        tables.blocks.append(
            (
                {name: getattr(block, name) for name in BLOCK_FIELDS},
                None if block.parent is None else block_at[block.parent],
                [(key, signature_at[s]) for key, s in block.signatures.items()],
                (places(block.results), places(block.carried), places(block.captured)),
                [(name, tensor_at[tensor]) for name, tensor in block.renamed.items()],
                named,
            )
        )
    for leaf in leaves:
        said = (leaf.given, leaf.spec, leaf.given_role, leaf.sharding)
        tables.leaves.append((block_at[leaf.block], *said))
    for s in signatures:
        first = op_at.get(s.first) if hasattr(s, "first") else None
        tables.signatures.append((s.kind, s.attrs, s.inputs, s.outputs, s.cost, s.count, first))
    for block in blocks:
        for op in block.op_list:
            body = (block_at[op.body], op.times, op.carries) if isinstance(op, Repeat) else None
            row = (block_at[block], signature_at[op.signature], places(op.inputs), op.given, body)
            tables.ops.append((*row, len(op.outputs)))
    for tensor in outputs:
        base = None if tensor.base is None else tensor_at[tensor.base]
        view = tensor.placed if hasattr(tensor, "placed") else None
        placed = view and (tensor_at[view.storage], *_shown_part(view))
        name = tensor.given if isinstance(tensor, NamedTensor) else None
        tables.outputs.append((tensor.spec, base, placed, name))
    return tables


def restored(kind: type[Graph], tables: Tables) -> Graph:
    """Return the graph of `flattened` tables."""
    graph = kind.__new__(kind)
    blocks: list[Block] = [graph, *(Block.__new__(Block) for _ in tables.blocks[1:])]
    for block, (fields, parent, *_) in zip(blocks, tables.blocks, strict=True):
        Block.__init__(block, fields["name"], None if parent is None else blocks[parent])
        block.graph, block.active = graph, fields["active"]
    tensors: list[Tensor] = []
    for place, name, spec, role, sharding in tables.leaves:
        block = blocks[place]
        leaf = block.leaves[name] = Leaf(spec, block, name, role, sharding)
        block.leaf_specs.add(spec)
        tensors.append(leaf)
    signatures = [Signature(*row[:5]) for row in tables.signatures]
    ops = _ops(tables, blocks, signatures, tensors)
    for signature, (*_, count, first) in zip(signatures, tables.signatures, strict=True):
        signature.count = count
        if first is not None:
            signature.first = ops[first]
    for block, row in zip(blocks, tables.blocks, strict=True):
        _, _, keys, (results, carried, captured), renamed, named = row
        block.signatures = {key: signatures[place] for key, place in keys}
        block.results = {tensors[place]: None for place in results}
        block.carried = tuple(tensors[place] for place in carried)
        block.captured = {tensors[place]: None for place in captured}
        block.renamed = {name: tensors[place] for name, place in renamed}
        block._named = {name: ops[place] for name, place in named}
    for name in GRAPH_FIELDS:
        setattr(graph, name, tables.graph[name])
    graph.current = blocks[tables.graph["current"]]
    graph.set_up(tables.graph["flop_weights"])
    return graph


def _ops(
    tables: Tables, blocks: list[Block], signatures: list[Signature], tensors: list[Tensor]
) -> list[Op]:
    """Make the ops and their outputs; `tensors`, the leaves, gets these too."""
    ops: list[Op] = []
    rows = iter(tables.outputs)
    later: list[tuple[Tensor, int | None, Row | None]] = []
    for place, signature, _, given, body, width in tables.ops:
        block = blocks[place]
        op = Repeat.__new__(Repeat) if body else Op.__new__(Op)
        if isinstance(op, Repeat):
            op.within, op.body = block, blocks[body[0]]
            op.times, op.carries = body[1:]
            block.repeats.append(op)
        op.signature, op.given, op.index = signatures[signature], given, len(block.op_list)
        op.outputs = tuple(_outputs(rows, width, block, op, later))
        tensors += op.outputs
        block.op_list.append(op)
        ops.append(op)
    for op, row in zip(ops, tables.ops, strict=True):
        op.inputs = tuple([tensors[place] for place in row[2]])
    for tensor, base, placed in later:
        tensor.base = None if base is None else tensors[base]
        if placed is not None:
            tensor.placed = View(tensors[placed[0]], *placed[1:])
    return ops


def _outputs(
    rows: Iterator[Row],
    width: int,
    block: Block,
    op: Op,
    later: list[tuple[Tensor, int | None, Row | None]],
) -> Iterator[Tensor]:
    for _ in range(width):
        spec, base, placed, name = next(rows)
        made = Tensor(spec, block, op)
        if name is not None:
            made = NamedTensor(spec, block, op, None, name)
        later.append((made, base, placed))
        yield made


def _shown_part(view: View) -> Row:
    return view.parent, view.shape, view.order, view.box, view.axes, view.region
