"""Graphs from spec files: tensors and ops are added as the plan of the file says."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from symroof.errors import InputError, UnknownNameError
from symroof.graph.about import About
from symroof.graph.block import Block
from symroof.graph.graph import UNFUSED, Graph
from symroof.graph.mesh import Mesh
from symroof.graph.op import Signature
from symroof.graph.passes.fuse import ELEMENTWISE, fuse, fuse_elementwise
from symroof.graph.passes.weights_and_caches import WEIGHTS_AND_CACHES, weights_and_caches
from symroof.graph.sharding.reading import check_axes
from symroof.graph.spec_fields import (
    RegionFields,
    SpecFields,
    SymbolFields,
    TensorFields,
    place,
    read_spec,
)
from symroof.graph.spec_fused import add_fused, needed
from symroof.graph.spec_names import mesh_names, names_in, plan_names, signature_names, spec_names
from symroof.graph.spec_plan import FusedNode, Node, Plan, RepeatNode, names_of, plan_block
from symroof.graph.spec_sharded import read_plan
from symroof.graph.tensor import Role, Tensor
from symroof.lines import DESCRIPTION, line
from symroof.symbolic.adopt import adopt
from symroof.symbolic.symbols import symbol
from symroof.tables import read_table
from symroof.units.dtype import dtype as dtype_of

Stack: TypeAlias = tuple[tuple[Plan, Block], ...]

ROLES = tuple(role.value for role in (Role.INPUT, Role.WEIGHT, Role.CACHE))
FUSE_ELEMENTWISE = "elementwise"
KNOWN = (UNFUSED, ELEMENTWISE, WEIGHTS_AND_CACHES)


def read_graph(text: str, dtype: str | None = None) -> Graph:
    """Return the graph of a spec file.

    Parameters
    ----------
    text : str
        TOML.
    dtype : str, optional
        Instead of the file's own `dtype`, for tensors that name none.

    Raises
    ------
    SymroofError
        If the file is no spec, or its tensors and ops do not fit; one line with the table.

    Examples
    --------
    >>> g = read_graph('''
    ... schema_version = 1
    ... name = "square"
    ... dtype = "fp32"
    ... [tensors.x]
    ... shape = ["n", "n"]
    ... [[ops]]
    ... op = "matmul"
    ... name = "y"
    ... inputs = ["x", "x"]
    ... ''')
    >>> g.ops, str(g.flops)
    ((<op y: matmul>,), '2*n**3 FLOP')
    """
    spec = read_spec(text)
    if spec.dtype is not None:
        with place("dtype"):
            dtype_of(spec.dtype)
    plan = plan_block(spec.tensors, spec.ops, names_of(spec.outputs))
    plan.check()
    if dtype is not None and not _uses_default(plan):
        raise InputError(f"every tensor names its dtype; dtype {dtype!r} would change nothing")
    symbols = _read_symbols(spec)
    declared = frozenset(symbols) if symbols else None
    graph = Graph(spec.name, flop_weights=spec.flop_weights, uncosted=spec.uncosted)
    builder = _Builder(graph, dtype or spec.dtype, declared)
    if spec.mesh:
        with place("mesh"):
            graph.mesh = Mesh(**spec.mesh)
            builder.declare(mesh_names(graph.mesh))
    if spec.sharded is not None:
        with place("sharded"):
            graph.plan = read_plan(spec.sharded)
            builder.declare(plan_names(graph.plan))
    builder.fill(plan, ())
    known = names_in(graph)
    for name in symbols:
        if name not in known:
            with place(f"symbols.{name}"):
                raise UnknownNameError("symbol", name, sorted(known))
    graph = _fused(graph, spec, plan)
    graph.about = About(
        title=spec.title,
        description=spec.description,
        meanings={name: entry.meaning for name, entry in symbols.items() if entry.meaning},
        defaults={n: adopt(e.default) for n, e in symbols.items() if e.default is not None},
        chip=spec.chip,
    )
    return graph


class _Builder:
    def __init__(self, graph: Graph, dtype: str | None, declared: frozenset[str] | None) -> None:
        self.graph = graph
        self.dtype = dtype
        self.declared = declared
        self.checked: set[Signature] = set()

    def fill(self, plan: Plan, around: Stack) -> tuple[Tensor, ...]:
        """Add the leaves and ops of a plan to the open block, and return its results."""
        block = self.graph.current
        stack = (*around, (plan, block))
        for name, fields in plan.leaves.items():
            with place(f"tensors.{name[:60]}"):
                self.leaf(block, name, fields)
        with place("ops"):
            order = plan.order()
        for name in order:
            with place(f"ops.{name[:60]}"):
                self.add(name, plan.nodes[name], stack)
        with place("results" if around else "outputs"):
            results = tuple(_find(ref, stack) for ref in plan.results)
            if not around:
                self.graph.output(*results)
        return results

    def leaf(self, block: Block, name: str, fields: TensorFields) -> None:
        if fields.role not in ROLES:
            raise UnknownNameError("role", fields.role, ROLES)
        shape = tuple(fields.shape) if isinstance(fields.shape, list) else fields.shape
        dtype = fields.dtype or needed(self.dtype)
        made = block.leaf(name, shape, dtype, Role(fields.role), fields.sharding)
        self.declare(spec_names(made.spec))
        if made.sharding is not None and self.graph.mesh is not None:
            check_axes(made.sharding, self.graph.mesh.names, "sharding")

    def add(self, name: str, node: Node, stack: Stack) -> None:
        block = stack[-1][1]
        before = len(block.op_list)
        if isinstance(node, RepeatNode):
            carry = tuple(_find(ref, stack) for ref in node.carry)
            self.graph.repeat(name, node.count, lambda *_: self.fill(node.body, stack), carry)
        elif isinstance(node, FusedNode):
            add_fused(block, node.fields, node.outputs, self.dtype, _finder(stack))
        else:
            node.call.add(_finder(stack), name)
        for op in block.op_list[before:]:
            if op.signature not in self.checked:
                self.checked.add(op.signature)
                self.declare(signature_names(op.signature))

    def declare(self, names: Iterable[str]) -> None:
        """Refuse symbols that the file does not declare, when it declares any."""
        if self.declared is None:
            return
        for name in sorted(names):
            if name not in self.declared:
                raise UnknownNameError("symbol", name, sorted(self.declared))


def _finder(stack: Stack) -> Callable[[str], Tensor]:
    return lambda ref: _find(ref, stack)


def _find(ref: str, stack: Stack) -> Tensor:
    levels = list(stack)
    while True:
        plan, block = levels.pop()
        outer = plan.outside(ref)
        if outer is None or not levels:
            return block.tensor(plan.local(ref) or ref)
        ref = outer


def _read_symbols(spec: SpecFields) -> dict[str, SymbolFields]:
    found: dict[str, SymbolFields] = {}
    for given, entry in spec.symbols.items():
        with place(f"symbols.{given[:60]}"):
            name = symbol(given).name
            if name in found:
                raise InputError(f"symbol {name!r} is declared twice")
            fields = {"meaning": entry} if isinstance(entry, str) else entry
            found[name] = read_table(fields, SymbolFields)
    return found


def _fused(graph: Graph, spec: SpecFields, plan: Plan) -> Graph:
    fuse_given, traffic = spec.fuse, spec.traffic
    if traffic is not None:
        line(traffic, "traffic", DESCRIPTION)
    if fuse_given is None:
        label = traffic or UNFUSED
        if label == WEIGHTS_AND_CACHES:
            with place("traffic"):
                return weights_and_caches(graph)
        if _has_fused(plan) or label == UNFUSED:
            graph.traffic = label
            return graph
        if label != ELEMENTWISE:
            with place("traffic"):
                raise UnknownNameError("traffic", label, KNOWN)
        return fuse_elementwise(graph)
    regions = [fuse_given] if isinstance(fuse_given, str) else fuse_given
    if regions and traffic is not None:
        raise InputError("give fuse or traffic, not both: what is fused names the traffic")
    graph.traffic = traffic or UNFUSED
    for number, region in enumerate(regions):
        with place(f"fuse[{number}]"):
            if region == FUSE_ELEMENTWISE:
                graph = fuse_elementwise(graph)
                continue
            table = {"ops": region} if isinstance(region, list) else region
            if not isinstance(table, dict):
                raise InputError(f"expected names of ops, or 'elementwise'; not {table!r:.60}")
            fields = read_table(table, RegionFields)
            graph = fuse(graph, fields.ops, fields.name)
    return graph


def _has_fused(plan: Plan) -> bool:
    return any(
        isinstance(node, FusedNode) or (isinstance(node, RepeatNode) and _has_fused(node.body))
        for node in plan.nodes.values()
    )


def _uses_default(plan: Plan) -> bool:
    return any(fields.dtype is None for fields in plan.leaves.values()) or any(
        (isinstance(node, RepeatNode) and _uses_default(node.body))
        or (isinstance(node, FusedNode) and any(o.dtype is None for o in node.outputs.values()))
        for node in plan.nodes.values()
    )
