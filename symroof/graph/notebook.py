"""A graph in notebooks: its ops and totals as a table."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from sympy import Expr

from symroof.errors import CostError
from symroof.graph.op import Op
from symroof.graph.work import OpWork, rows
from symroof.markup import Html, escape, or_none, shortened, table
from symroof.symbolic.build import add
from symroof.units.notebook import quantity_html
from symroof.units.quantity import Quantity

if TYPE_CHECKING:
    from symroof.graph.graph import Graph

MOST_ROWS = 40
MOST_TOTALLED = 300
MOST_PORTS = 4
TITLES = ("op", "kind", "shapes", "times", "FLOPs", "bytes")
NUMBERS = frozenset({3, 4, 5})


@or_none
def graph_html(graph: Graph) -> Html:
    """Return the distinct ops of a graph with the work of all their runs, and the totals.

    Ops of one cost share a row; the rows are at most `MOST_ROWS`. Where an op has no cost there
    are no amounts and no totals.

    Examples
    --------
    >>> from symroof.graph import Graph
    >>> g = Graph("matmul")
    >>> y = g.input("x", ("M", "N"), "fp16") @ g.weight("w", ("N", "K"), "fp16")
    >>> "[M, N] fp16, [N, K] fp16 → [M, K] fp16" in graph_html(g)
    True
    """
    count = len(graph.op_list)
    caption = escape(f"{shortened(graph.name)}: {count:,} {'op' if count == 1 else 'ops'}")
    try:
        costed = rows(graph)
    except CostError as error:
        named = [_op_cells(op, 1) for op in islice(_ops(graph), MOST_ROWS)]
        note = Html(f"{caption}. {escape(shortened(str(error), 400))}")
        return table(TITLES[:3], named, caption=note)
    cells = [_work_cells(work) for work in costed[:MOST_ROWS]]
    if len(costed) > MOST_ROWS:
        cells.append([escape(f"and {len(costed) - MOST_ROWS:,} more rows")])
    made = table(TITLES, cells, NUMBERS, caption)
    return Html(made + _totals(graph)) if len(costed) <= MOST_TOTALLED else made


def _totals(graph: Graph) -> Html:
    """Return the work of the whole graph as a table of its own; its formulas may be long."""
    found = {"all FLOPs": graph.flops, "all bytes": graph.bytes}
    if graph.link_bytes.expr != 0:
        found["all bytes sent"] = graph.link_bytes
    if graph.intensity is not None:
        found["intensity"] = graph.intensity
    return table((), [[escape(title), quantity_html(q)] for title, q in found.items()])


def _work_cells(work: OpWork) -> list[Html]:
    count = work.count
    flops, sent = add(list(work.flops.values())), add(list(work.link_bytes.values()))
    moved = _moved(count * work.bytes, count * sent)
    return [*_op_cells(work.op, work.ops), _amount(count), _amount(count * flops), moved]


def _moved(read_and_written: Expr, sent: Expr) -> Html:
    moved = _amount(read_and_written)
    return moved if sent == 0 else Html(f"{moved}<br>{escape('sent')} {_amount(sent)}")


def _amount(expr: Expr) -> Html:
    return quantity_html(Quantity.of(expr, ""))


def _op_cells(op: Op, ops: int) -> list[Html]:
    more = f" +{ops - 1:,}" if ops > 1 else ""
    specs = (op.signature.inputs, op.signature.outputs)
    shapes = " → ".join(_listed([shortened(spec.text) for spec in side]) for side in specs)
    name = shortened(op.block.path + op.name)
    return [escape(name + more), escape(op.kind.name), escape(shapes)]


def _listed(texts: list[str]) -> str:
    more = [f"… {len(texts) - MOST_PORTS} more"] if len(texts) > MOST_PORTS else []
    return ", ".join([*texts[:MOST_PORTS], *more])


def _ops(graph: Graph) -> Iterator[Op]:
    """Yield the first op of each signature that is no view."""
    for block in graph.blocks():
        for signature in block.signatures.values():
            if signature.count and not signature.kind.view:
                yield signature.first
