"""The algorithm: its ops and tensors, as a small drawing and as lines."""

from __future__ import annotations

from collections import Counter

from symroof.graph import Graph, Tensor
from symroof.graph.block import Block as GraphBlock
from symroof.graph.op import Op
from symroof.reports.document import Block, Diagram, Node, Paragraph, Section
from symroof.reports.sections.wording import words
from symroof.reports.subject import Subject
from symroof.symbolic.numerals import number
from symroof.symbolic.readable import readable

MOST_NODES = 40
MOST_LINES = 60


def algorithm(subject: Subject) -> Section:
    """Return the section on the algorithm."""
    graph = subject.general.graph
    ops = [op for block in graph.blocks() for op in block.ops]
    repeats = [block for block in graph.blocks() if block is not graph]
    blocks: list[Block] = []
    if graph.about.title and graph.about.title != graph.name:
        blocks.append(Paragraph(words(f"{graph.about.title} ({graph.name}).")))
    parts = graph.about.description.split("\n\n")
    blocks.extend(Paragraph(words(part)) for part in parts if part.strip())
    tensors = sum(len(block.tensors) for block in graph.blocks())
    views = sum(op.kind.view for op in ops)
    free = f" ({number(views)} of them views, which cost nothing)" if views else ""
    counts = (
        f"{_count(len(ops), 'op')}{free}, {_count(tensors, 'tensor')}; traffic {graph.traffic}."
    )
    blocks.append(Paragraph(words(counts)))
    blocks.append(_diagram(subject, graph, repeats))
    return Section("algorithm", "Algorithm", tuple(blocks))


def _diagram(subject: Subject, graph: Graph, repeats: list[GraphBlock]) -> Diagram:
    whole = [graph, *repeats]
    ops = [op for block in whole for op in block.ops]
    if len(ops) > MOST_NODES:
        return _kinds(graph, ops)
    nodes: list[Node] = []
    edges: list[tuple[str, str]] = []
    ids: dict[int, str] = {}
    lines: list[str] = []
    for block in whole:
        indent = "  " if block is not graph else ""
        if indent:
            lines.append(f"repeat {block.path.rstrip('/')}:")
        for op in block.ops:
            own = f"n{len(nodes)}"
            nodes.append(Node(own, op.name, _detail(op), "op"))
            for tensor in op.inputs:
                edges.append((_source(subject, tensor, ids, nodes), own))
            ids.update({id(out): own for out in op.outputs})
            lines.append(indent + _line(subject, op))
    for tensor in graph.results:
        source = ids.get(id(tensor))
        if source is not None:
            own = f"n{len(nodes)}"
            nodes.append(Node(own, tensor.name, _shape(subject, tensor), "output"))
            edges.append((source, own))
    return Diagram(tuple(nodes), tuple(dict.fromkeys(edges)), tuple(lines), "Ops and tensors")


def _source(subject: Subject, tensor: Tensor, ids: dict[int, str], nodes: list[Node]) -> str:
    known = ids.get(id(tensor))
    if known is None:
        known = ids[id(tensor)] = f"n{len(nodes)}"
        role = tensor.role.value if tensor.producer is None else "input"
        shape = role if role in ("input", "weight", "cache") else "input"
        nodes.append(Node(known, tensor.name, _shape(subject, tensor), shape))
    return known


def _kinds(graph: Graph, ops: list[Op]) -> Diagram:
    """Return the kinds of ops with their counts, where there are too many ops to draw."""
    counts = Counter(op.kind.name for op in ops)
    nodes = tuple(
        Node(f"n{place}", kind, f"{number(count)} times", "op")
        for place, (kind, count) in enumerate(counts.most_common(MOST_NODES))
    )
    lines = tuple(f"{kind} × {number(count)}" for kind, count in counts.most_common(MOST_LINES))
    return Diagram(nodes, (), lines, "Kinds of ops; too many ops to draw")


def _count(size: int, what: str) -> str:
    return f"{number(size)} {what}" + ("" if size == 1 else "s")


def _line(subject: Subject, op: Op) -> str:
    outputs = ", ".join(f"{out.name}{_shape(subject, out)}" for out in op.outputs)
    inputs = ", ".join(f"{tensor.name}{_shape(subject, tensor)}" for tensor in op.inputs)
    name = "" if any(out.name == op.name for out in op.outputs) else f"{op.name}: "
    return f"{name}{outputs} = {op.kind.name}({inputs})"


def _detail(op: Op) -> str:
    return "" if op.kind.name == op.name.rsplit("_", 1)[0] else op.kind.name


def _shape(subject: Subject, tensor: Tensor) -> str:
    dims = ", ".join(
        readable(dim, order=subject.order).unicode(subject.labels) for dim in tensor.shape
    )
    return f"[{dims}] {tensor.dtype.name}"
