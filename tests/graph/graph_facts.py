"""Everything two equal graphs have in common, spelled out tensor by tensor and op by op."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from symroof.graph import Cost, Graph, Repeat, Tensor
from symroof.graph.block import Block
from symroof.symbolic import parse, to_text


def facts(graph: Graph) -> dict[str, Any]:
    """What a graph says: two graphs with equal facts are equal."""
    return {
        "name": graph.name,
        "traffic": graph.traffic,
        "about": graph.about,
        "mesh": graph.mesh,
        "weights": dict(graph.flop_weights),
        "uncosted": graph.uncosted,
        "scope": (dict(graph.scope.dimensions), graph.scope.counts),
        "block": _block(graph),
    }


def _block(block: Block) -> dict[str, Any]:
    return {
        "leaves": [(t.name, t.shape, t.dtype, t.role, t.sharding) for t in block.leaves.values()],
        "results": [_ref(t) for t in block.results],
        "ops": [_op(op) for op in block.ops],
        "counts": sorted(
            (s.kind.name, s.count, str(_cost(s.cost))) for s in block.signatures.values()
        ),
    }


def _op(op: Any) -> dict[str, Any]:
    found = {
        "name": op.name,
        "kind": type(op.kind),
        "attrs": dict(op.attrs),
        "cost": _cost(op.cost),
        "inputs": [_ref(t) for t in op.inputs],
        "outputs": [_tensor(t) for t in op.outputs],
    }
    if isinstance(op, Repeat):
        outside = found["inputs"][op.carries :]
        found["inputs"] = (found["inputs"][: op.carries], sorted(outside))
        found |= {"times": op.times, "carries": op.carries, "body": _block(op.body)}
    return found


def _cost(cost: Cost) -> Cost:
    # Passes leave a smallest of smallest as it is; the parser does not.
    return replace(
        cost,
        reads=tuple(parse(to_text(amount)) for amount in cost.reads),
        writes=tuple(parse(to_text(amount)) for amount in cost.writes),
    )


def _tensor(tensor: Tensor) -> tuple[Any, ...]:
    view = tensor.view
    place = None
    if view is not None:
        place = (_ref(view.storage), view.parent, view.shape, view.order, view.box, view.axes)
    return (_ref(tensor), tensor.shape, tensor.dtype, tensor.role, place)


def _ref(tensor: Tensor) -> str:
    return tensor.block.path + tensor.name
