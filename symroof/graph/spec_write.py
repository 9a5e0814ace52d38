"""Spec files from graphs: the tables that read back as an equal graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, TypeAlias

from symroof.errors import GraphError, UnknownNameError
from symroof.graph.block import Block
from symroof.graph.graph import UNFUSED, Graph
from symroof.graph.op import Op
from symroof.graph.passes.rebuild import FUSED
from symroof.graph.passes.weights_and_caches import WEIGHTS_AND_CACHES
from symroof.graph.registry import FUNCTIONS
from symroof.graph.repeat import Repeat
from symroof.graph.spec_calls import keywords
from symroof.graph.spec_fields import SCHEMA_VERSION
from symroof.graph.spec_fused import write_fused
from symroof.graph.spec_names import names_in
from symroof.graph.spec_parts import write_part
from symroof.graph.spec_plan import MAX_NESTING, OUTER
from symroof.graph.spec_sharded import write_mesh, write_plan, write_sharding
from symroof.graph.spec_values import write_value, write_values
from symroof.graph.storage import View
from symroof.graph.tensor import Leaf, Role, Tensor
from symroof.graph.work import Uncosted

Place: TypeAlias = tuple[object, ...]


def graph_tables(graph: Graph) -> dict[str, Any]:
    """Return the tables of the spec file of `graph`.

    Parameters
    ----------
    graph : Graph
        Built in Python or read from a file.

    Returns
    -------
    dict
        What `symroof.files.toml_text` writes and `symroof.graph.load` reads.

    Raises
    ------
    GraphError
        If an op is of a kind that is not registered, or its function cannot make it; or if ops were
        fused after `passes.weights_and_caches`.

    Examples
    --------
    >>> g = Graph("g")
    >>> y = g.input("x", ("B", 4), "fp32") * 2
    >>> graph_tables(g)["ops"]
    [{'op': 'mul', 'name': 'mul_0', 'inputs': ['x'], 'y': 2}]
    """
    about = graph.about
    dtype = _usual_dtype(graph)
    block = _BlockWriter(graph, dtype, ()).tables()
    tables: dict[str, Any] = {"schema_version": SCHEMA_VERSION, "name": graph.name}
    said = {"title": about.title, "description": about.description, "chip": about.chip}
    tables |= {key: text for key, text in said.items() if text}
    if dtype:
        tables["dtype"] = dtype
    if graph.traffic != UNFUSED:
        tables["traffic"] = graph.traffic
        fused = any(s.kind is FUSED for b in graph.blocks() for s in b.signatures.values())
        least = graph.traffic.partition(",")[0] == WEIGHTS_AND_CACHES
        if least and fused:
            raise GraphError(
                f"graph {graph.name!r} cannot be saved: its ops were fused after"
                f" {WEIGHTS_AND_CACHES!r} was counted"
            )
        if not fused and not least:
            tables["fuse"] = []
    if graph.uncosted is not Uncosted.ERROR:
        tables["uncosted"] = graph.uncosted.value
    if graph.results:
        tables["outputs"] = block.pop("results")
    if graph.flop_weights:
        tables["flop_weights"] = {n: write_value(w) for n, w in graph.flop_weights.items()}
    symbols = _symbol_tables(graph)
    if symbols:
        tables["symbols"] = symbols
    if graph.mesh is not None:
        tables["mesh"] = write_mesh(graph.mesh)
    if graph.plan is not None:
        tables["sharded"] = write_plan(graph.plan)
    return tables | block


class _BlockWriter:
    def __init__(self, block: Block, dtype: str, around: tuple[_BlockWriter, ...]) -> None:
        if len(around) > MAX_NESTING:
            raise GraphError(f"more than {MAX_NESTING} repeats in each other cannot be saved")
        self.block = block
        self.dtype = dtype
        self.around = around
        self.names: set[str] = set()
        self.views: dict[Place, Tensor] = {}
        read = {tensor for op in block.op_list for tensor in op.inputs}
        taken = (t for t in block.captured if t not in read and t not in block.results)
        self.unread = dict.fromkeys(taken)

    def tables(self, carried: Iterable[str] = ()) -> dict[str, Any]:
        """Return the tables of tensors and ops, and the names of the results."""
        self.names.update(carried, (tensor.name for tensor in self.block.tensors))
        self.names.update(op.name for op in self.block.op_list)
        leaves = self.block.leaves.values()
        tables = {
            "results": [self.ref(tensor) for tensor in self.block.results],
            "tensors": {t.name: self.leaf(t) for t in leaves if t.role is not Role.ACTIVATION},
            "ops": [self.op(op) for op in self.block.op_list],
        }
        return {key: value for key, value in tables.items() if value}

    def leaf(self, leaf: Leaf) -> dict[str, Any]:
        """Return the table of a tensor that no op makes."""
        table: dict[str, Any] = {"shape": write_value(leaf.shape)}
        if leaf.dtype.text != self.dtype:
            table["dtype"] = write_value(leaf.dtype)
        if leaf.role is not Role.INPUT:
            table["role"] = leaf.role.value
        if leaf.sharding is not None:
            table["sharding"] = write_sharding(leaf.sharding)
        return table

    def op(self, op: Op) -> dict[str, Any]:
        """Return the table of an op."""
        if op.kind is FUSED:
            return self.fused(op)
        table = self.repeat(op) if isinstance(op, Repeat) else self.call(op)
        for tensor in op.outputs:
            self.keep(tensor)
        return table

    def call(self, op: Op) -> dict[str, Any]:
        """Return the table of an op that its public function makes."""
        kind = op.kind.name
        function = FUNCTIONS.get(kind)
        if function is None:
            raise GraphError(f"op {op.name!r} cannot be saved: no op {kind!r} is registered")
        table: dict[str, Any] = {"op": kind, "name": op.name}
        table["inputs"] = [self.ref(tensor) for tensor in op.inputs]
        table |= write_values(kind, dict(op.attrs))
        known = keywords(function)
        for key in table:
            if key not in known:
                raise GraphError(f"op {op.name!r} cannot be saved: {kind} takes no {key!r}")
        made = op.outputs[0]
        if "out" in known and made.base is not None:
            table["out"] = self.target(made)
            if table["out"] is None:
                raise GraphError(
                    f"op {op.name!r} cannot be saved: no other tensor shows the part of"
                    f" {made.storage.name!r} that it writes over"
                )
        return table

    def fused(self, op: Op) -> dict[str, Any]:
        """Return the table of a fused op."""
        table = write_fused(op, [self.ref(tensor) for tensor in op.inputs])
        outputs = []
        for tensor in op.outputs:
            output = {"name": tensor.name, "shape": write_value(tensor.shape)}
            if tensor.dtype.text != self.dtype:
                output["dtype"] = write_value(tensor.dtype)
            written = self.target(tensor)
            if written is not None:
                output["out"] = written
            elif tensor.view is not None:
                output["part"] = write_part(tensor.view, self.ref(tensor.storage))
            self.keep(tensor)
            outputs.append(output)
        return table | {"outputs": outputs}

    def repeat(self, op: Repeat) -> dict[str, Any]:
        """Return the table of a repeat, its body included."""
        carry = [self.ref(tensor) for tensor in op.inputs[: op.carries]]
        writer = _BlockWriter(op.body, self.dtype, (*self.around, self))
        body = writer.tables(ref.rpartition("/")[2] for ref in carry)
        table: dict[str, Any] = {"op": op.kind.name, "name": op.name}
        table["count"] = write_value(op.times)
        if carry:
            table["carry"] = carry
            body["results"] = [writer.ref(tensor) for tensor in op.body.carried]
        return table | body

    def ref(self, tensor: Tensor) -> str:
        """Return the name by which the tables of this block know `tensor`."""
        name = tensor.name
        names = {name, name.partition(":")[0]}
        hidden = False
        for up, writer in enumerate((self, *reversed(self.around))):
            if writer.block is tensor.block:
                return OUTER * up + name if hidden else name
            hidden = hidden or not names.isdisjoint(writer.names)
        raise GraphError(f"tensor {name!r} is in no block around {self.block.name!r}")

    def keep(self, tensor: Tensor) -> None:
        """Remember a view, for ops that write into it."""
        if tensor.base is not None:
            self.views.setdefault(_place(tensor), tensor)

    def target(self, tensor: Tensor) -> str | None:
        """Return the name of a tensor over which `tensor` is written, if there is one."""
        place, storage = _place(tensor), tensor.storage
        if storage is tensor:
            return None
        if storage.block is not self.block:
            # What the block takes from outside stays what it was, also where others look alike:
            # first what nothing here reads, so that something here writes over it.
            for several in (self.unread, self.block.captured):
                alike = [t for t in several if t.storage is storage and _place(t) == place]
                if alike:
                    taken = min(alike, key=self.ref)
                    self.unread.pop(taken, None)
                    return self.ref(taken)
        if place == _place(storage):
            return self.ref(storage)
        found = (w.views[place] for w in (self, *reversed(self.around)) if place in w.views)
        shown = next(found, None)
        return None if shown is None else self.ref(shown)


def _place(tensor: Tensor) -> Place:
    view = tensor.view or View.whole(tensor)
    return tensor.spec, view.storage, view.parent, view.shape, view.order, view.box, view.axes


def _usual_dtype(graph: Graph) -> str:
    counts = Counter(
        leaf.dtype.text
        for block in graph.blocks()
        for leaf in block.leaves.values()
        if leaf.role is not Role.ACTIVATION
    )
    return max(counts, key=lambda text: counts[text], default="")


def _symbol_tables(graph: Graph) -> dict[str, Any]:
    about = graph.about
    said = dict.fromkeys((*about.meanings, *about.defaults))
    if not said:
        return {}
    known = sorted(names_in(graph))
    for name in said:
        if name not in known:
            raise UnknownNameError("symbol", name, known)
    tables: dict[str, Any] = {}
    for name in dict.fromkeys((*said, *known)):
        table = {"meaning": about.meanings.get(name, ""), "default": about.defaults.get(name)}
        table = {key: write_value(value) for key, value in table.items() if value}
        tables[name] = table["meaning"] if set(table) == {"meaning"} else table
    return tables
