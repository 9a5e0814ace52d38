"""The plan of a spec: what each table makes and needs, checked by name before anything is built."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from symroof.errors import GraphError, InputError, UnknownNameError
from symroof.graph.order import topological_order
from symroof.graph.passes.rebuild import FUSED
from symroof.graph.repeat import REPEAT
from symroof.graph.spec_calls import Call, bind_call
from symroof.graph.spec_fields import (
    FusedFields,
    FusedOutputFields,
    RepeatFields,
    TensorFields,
    place,
)
from symroof.graph.spec_fused import read_outputs
from symroof.tables import read_table

OUTER = "../"
MAX_NESTING = 16


@dataclass(frozen=True, slots=True)
class CallNode:
    """An op by its public function."""

    call: Call

    @property
    def refs(self) -> Iterator[str]:
        """Names of the tensors it takes."""
        return self.call.refs


@dataclass(frozen=True, slots=True)
class FusedNode:
    """A fused op and its results."""

    fields: FusedFields
    outputs: Mapping[str, FusedOutputFields]

    @property
    def refs(self) -> Iterator[str]:
        """Names of the tensors it takes, its own results left out."""
        yield from self.fields.inputs
        for output in self.outputs.values():
            for ref in (output.out, (output.part or {}).get("of")):
                if isinstance(ref, str) and ref not in self.outputs:
                    yield ref


@dataclass(frozen=True, slots=True)
class RepeatNode:
    """A repeat and the plan of its body."""

    count: int | str
    carry: tuple[str, ...]
    body: Plan

    @property
    def refs(self) -> Iterator[str]:
        """Names of the tensors it carries in, and of outer ones that its body takes."""
        yield from self.carry
        yield from self.body.outer_refs


Node: TypeAlias = CallNode | FusedNode | RepeatNode


@dataclass(slots=True)
class Plan:
    """The tables of a graph, or of the body of a repeat.

    Attributes
    ----------
    leaves : dict of str to TensorFields
        Tensors that no op makes.
    nodes : dict of str to Node
        Ops by name, in the order of the file.
    makers : dict of str to str
        Which op makes a tensor.
    entries : tuple of str
        What is carried in: ``carry_0``, ``carry_1`` ...
    aliases : dict of str to str
        The entries by the names that what is carried in has outside.
    results : tuple of str
        What leaves.
    """

    leaves: dict[str, TensorFields] = field(default_factory=dict)
    nodes: dict[str, Node] = field(default_factory=dict)
    makers: dict[str, str] = field(default_factory=dict)
    entries: tuple[str, ...] = ()
    aliases: dict[str, str] = field(default_factory=dict)
    results: tuple[str, ...] = ()

    def local(self, ref: str) -> str | None:
        """Return what `ref` is called in this block; None if the block does not have it."""
        if ref in self.leaves or ref in self.entries or self.maker(ref):
            return ref
        return self.aliases.get(ref)

    def maker(self, ref: str) -> str | None:
        """Return the op of this block that makes the tensor `ref`, if one does."""
        if ref in self.leaves:
            return None
        base = ref.partition(":")[0]
        return self.makers.get(ref) or (base if base in self.nodes else None)

    def outside(self, ref: str) -> str | None:
        """Return the name that the block around this one has for `ref`; None if it is here."""
        if ref.startswith(OUTER):
            return ref.removeprefix(OUTER)
        return ref if self.local(ref) is None else None

    @property
    def refs(self) -> Iterator[str]:
        """All names of tensors in it."""
        for node in self.nodes.values():
            yield from node.refs
        yield from self.results

    @property
    def outer_refs(self) -> Iterator[str]:
        """The names that the block around this one has for what is taken from there."""
        for ref in self.refs:
            outer = self.outside(ref)
            if outer is not None:
                yield outer

    def order(self) -> list[str]:
        """Return the names of the ops, each after all it needs.

        Raises
        ------
        GraphError
            If ops need each other in a circle; the circle is shown.
        """
        needs = {}
        for name, node in self.nodes.items():
            makers = (self.maker(ref) for ref in node.refs if not ref.startswith(OUTER))
            needs[name] = [maker for maker in dict.fromkeys(makers) if maker is not None]
        return topological_order(needs)

    def check(self, around: tuple[Plan, ...] = ()) -> None:
        """Refuse names of tensors that neither this block nor one around it has.

        Raises
        ------
        InputError
            For the first such name, with the op it stands at and the nearest name there is.
        """
        for name, node in self.nodes.items():
            with place(f"ops.{name[:60]}"):
                if isinstance(node, RepeatNode):
                    self._check_refs(node.carry, around)
                    node.body.check((*around, self))
                else:
                    self._check_refs(node.refs, around)
        with place("results" if around else "outputs"):
            self._check_refs(self.results, around)

    def _check_refs(self, refs: Any, around: tuple[Plan, ...]) -> None:
        for ref in refs:
            name: str | None = ref
            plans = [*around, self]
            while plans and name is not None:
                name = plans.pop().outside(name)
            if name is not None:
                known = [n for plan in (self, *around) for n in (*plan.leaves, *plan.makers)]
                raise UnknownNameError("tensor", ref, [*self.aliases, *self.entries, *known])


def plan_block(
    tensors: Mapping[str, Mapping[str, Any]],
    ops: list[dict[str, Any]],
    results: tuple[str, ...],
    carry: tuple[str, ...] = (),
    depth: int = 0,
) -> Plan:
    """Return the plan of the tables of one block.

    Raises
    ------
    InputError
        If a table cannot be read, with its place.
    """
    if depth > MAX_NESTING:
        raise InputError(f"more than {MAX_NESTING} repeats in each other")
    plan = Plan(results=results, entries=tuple(f"carry_{n}" for n in range(len(carry))))
    for ref, entry in zip(carry, plan.entries, strict=True):
        plan.aliases.setdefault(ref.rpartition("/")[2], entry)
    for name, table in tensors.items():
        with place(f"tensors.{name[:60]}"):
            plan.leaves[name] = read_table(table, TensorFields)
    named = {table.get("name") for table in ops if isinstance(table.get("name"), str)}
    for number, table in enumerate(ops):
        kind = table.get("op")
        given = table.get("name")
        shown = given if isinstance(given, str) else f"#{number + 1}"
        with place(f"ops.{shown[:60]}"):
            if not isinstance(kind, str):
                raise InputError("missing field 'op'" if kind is None else "op is not a text")
            if given is not None and not isinstance(given, str):
                raise InputError(f"the name of an op is text, not {type(given).__name__}")
            name = given or _automatic(kind, number, named)
            if name in plan.nodes:
                raise GraphError(f"two ops are called {name!r}")
            node = plan.nodes[name] = _node(kind, table, depth)
            for tensor in node.outputs if isinstance(node, FusedNode) else (name,):
                if tensor in plan.makers:
                    raise GraphError(f"two tensors are called {tensor!r}")
                plan.makers[tensor] = name
    return plan


def names_of(given: str | list[str]) -> tuple[str, ...]:
    """Return one name, or a list of them, as a tuple.

    Examples
    --------
    >>> names_of("x"), names_of(["x", "y"])
    (('x',), ('x', 'y'))
    """
    return (given,) if isinstance(given, str) else tuple(given)


def _node(kind: str, table: Mapping[str, Any], depth: int) -> Node:
    if kind == REPEAT.name:
        fields = read_table(table, RepeatFields)
        carry = names_of(fields.carry)
        body = plan_block(fields.tensors, fields.ops, names_of(fields.results), carry, depth + 1)
        return RepeatNode(fields.count, carry, body)
    if kind == FUSED.name:
        fused = read_table(table, FusedFields)
        return FusedNode(fused, read_outputs(fused))
    return CallNode(bind_call(kind, table))


def _automatic(kind: str, number: int, named: set[Any]) -> str:
    name = f"{kind}_{number}"
    while name in named:
        name += "_"
    return name
