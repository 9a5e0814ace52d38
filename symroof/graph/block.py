"""Blocks: the ops and leaf tensors of a graph, or of the body of a repeat."""

from __future__ import annotations

import re
from collections.abc import Iterator
from operator import methodcaller
from typing import TYPE_CHECKING, Any

from sympy import Expr

from symroof.errors import GraphError, InputError, UnknownNameError
from symroof.graph.op import Op, Signature
from symroof.graph.sharding.reading import read_sharding
from symroof.graph.tensor import Leaf, Role, Shape, Tensor, TensorSpec
from symroof.symbolic.adopt import adopt
from symroof.symbolic.exact import shown
from symroof.symbolic.signs import is_below
from symroof.symbolic.symbols import check_own
from symroof.units.dtype import DType

if TYPE_CHECKING:
    import networkx as nx

    from symroof.graph.graph import Graph
    from symroof.graph.repeat import Repeat

NAME = re.compile(r"[^\W\d][\w.\-]*")
AUTOMATIC = re.compile(r"(.+)_(\d+)_*")
MOST_LISTED = 1000
MOST_LETTERS = 200


class Block:
    """The ops of a graph, or of one iteration of a repeat, in the order they were added.

    Attributes
    ----------
    graph : Graph
        The graph it is part of (a graph is a block itself).
    parent : Block or None
        The block that holds the repeat; None for a graph.
    signatures : dict
        Interned signatures with their counts: costs are summed over these, not over ops.
    op_list : list of Op
        The ops.
    leaves : dict of str to Leaf
        Inputs, weights, caches and carries, by name.
    leaf_specs : set of TensorSpec
        Their specs, each once.
    results : dict of Tensor
        Tensors that leave the block: outputs, or what a repeat carries out.
    carried : tuple of Tensor
        What each carry becomes, for the body of a repeat; one tensor may be several.
    captured : dict of Tensor
        Tensors of outer blocks that are used here.
    renamed : dict of str to Tensor
        Outputs that are not called like their op.
    active : bool
        Whether ops are being added to this very block.

    Examples
    --------
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> x = g.input("x", (4, "D"), "fp32")
    >>> y = -(x + x)
    >>> g.ops
    (<op add_0: add>, <op neg_1: neg>)
    >>> g.tensors
    (<x [4, D] fp32>, <add_0 [4, D] fp32>, <neg_1 [4, D] fp32>)
    """

    graph: Graph

    def __init__(self, name: str, parent: Block | None) -> None:
        self.name = name
        self.parent = parent
        self.active = True
        self.signatures: dict[tuple[Any, ...], Signature] = {}
        self.op_list: list[Op] = []
        self.repeats: list[Repeat] = []
        self.leaves: dict[str, Leaf] = {}
        self.leaf_specs: set[TensorSpec] = set()
        self.results: dict[Tensor, None] = {}
        self.carried: tuple[Tensor, ...] = ()
        self.captured: dict[Tensor, None] = {}
        self.renamed: dict[str, Tensor] = {}
        self._named: dict[str, Op] = {}
        self._digraph: tuple[int, int, nx.DiGraph] | None = None

    @property
    def ops(self) -> tuple[Op, ...]:
        """The ops, in the order they were added; a repeat is one op."""
        return tuple(self.op_list)

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """The leaves, then the outputs of the ops in order."""
        return (*self.leaves.values(), *(out for op in self.op_list for out in op.outputs))

    @property
    def path(self) -> str:
        """Names of the repeats this body is in, such as ``"layer/"``; empty for a graph."""
        return "" if self.parent is None else f"{self.parent.path}{self.name}/"

    @property
    def digraph(self) -> nx.DiGraph:
        """The bipartite networkx graph: nodes are the tensors and ops themselves.

        Built in bulk on first use and frozen. Ports stand on ``op.inputs``; an op that takes one
        tensor twice has one edge.

        Examples
        --------
        >>> from symroof.graph import Graph
        >>> g = Graph("g")
        >>> x = g.input("x", (4,), "fp32")
        >>> y = x * x
        >>> list(g.digraph.edges)
        [(<x [4] fp32>, <op mul_0: mul>), (<op mul_0: mul>, <mul_0 [4] fp32>)]
        """
        size = len(self.op_list), len(self.leaves)
        if self._digraph is None or self._digraph[:2] != size:
            import networkx as nx  # here, because no answer needs it and it is slow to load

            digraph = nx.DiGraph()
            digraph.add_nodes_from(self.leaves.values())
            digraph.add_edges_from(self._edges())
            self._digraph = *size, nx.freeze(digraph)
        return self._digraph[2]

    def op(self, name: str) -> Op:
        """Return the op called `name`; ``layer/attn`` is the op attn in the body of layer.

        Raises
        ------
        UnknownNameError
            If there is none; the nearest name is offered.
        """
        head, _, rest = name.partition("/")
        found = self._named.get(head) or self._automatic(head)
        if found is None:
            raise UnknownNameError("op", head, (op.name for op in self.op_list[:MOST_LISTED]))
        if not rest:
            return found
        return self._body(found, rest).op(rest)

    def tensor(self, name: str) -> Tensor:
        """Return the tensor called `name`; ``layer/w`` is the tensor w in the body of layer.

        Raises
        ------
        UnknownNameError
            If there is none; the nearest name is offered.
        """
        head, _, rest = name.partition("/")
        if rest:
            return self._body(self.op(head), rest).tensor(rest)
        if head in self.leaves:
            return self.leaves[head]
        if head in self.renamed:
            return self.renamed[head]
        base, _, port = head.partition(":")
        found = self._named.get(base) or self._automatic(base)
        outputs = found.outputs if found is not None else ()
        if len(outputs) == 1 and not port:
            return outputs[0]
        if port.isdecimal() and int(port) < len(outputs):
            return outputs[int(port)]
        known = [tensor.name for tensor in self.tensors[:MOST_LISTED]]
        raise UnknownNameError("tensor", name, known)

    def blocks(self) -> Iterator[Block]:
        """Yield this block and the bodies of its repeats, outer ones first."""
        waiting: list[Block] = [self]
        while waiting:
            block = waiting.pop()
            yield block
            waiting.extend(repeat.body for repeat in reversed(block.repeats))

    def place_of(self, block: Block) -> int:
        """Return the place of a block among `blocks`."""
        return list(self.blocks()).index(block)

    def block_at(self, place: int) -> Block:
        """Return the block at a place among `blocks`."""
        return list(self.blocks())[place]

    def tensor_at(self, block: int, place: int) -> Tensor:
        """Return a tensor by the place of its block, and its own place there."""
        return self.block_at(block).tensors[place]

    def op_at(self, block: int, place: int) -> Op:
        """Return an op by the place of its block, and its own place there."""
        return self.block_at(block).op_list[place]

    def leaf(
        self, name: str, shape: Shape, dtype: str | DType, role: Role, sharding: Any = None
    ) -> Leaf:
        """Add a tensor that no op makes.

        Raises
        ------
        GraphError
            If the name is taken.
        ShapeError
            If a constant dim is no positive integer.
        """
        self._check_name(name, "tensor")
        maker = self._named.get(name) or self._automatic(name)
        if (
            name in self.leaves
            or name in self.renamed
            or (maker is not None and len(maker.outputs) == 1)
        ):
            raise GraphError(f"two tensors of {self._what()} are called {name!r}")
        spec = TensorSpec.of(shape, dtype)
        dims = None
        if sharding is not None:
            dims = read_sharding(sharding, spec.shape, f"sharding of {name}")
        made = self.leaves[name] = Leaf(spec, self, name, role, dims)
        self.leaf_specs.add(spec)
        return made

    def claim(self, op: Op) -> None:
        """Take the name given to `op`.

        Raises
        ------
        GraphError
            If another op has that name.
        """
        name = op.given
        assert name is not None
        self._check_name(name, "op")
        if name in self._named or self._automatic(name) is not None:
            raise GraphError(f"two ops of {self._what()} are called {name!r}")
        self._named[name] = op

    def admit(self, tensor: Tensor, what: str) -> None:
        """Let an op of this block use a tensor of an outer one.

        Raises
        ------
        GraphError
            If the tensor belongs to another graph, or to a body that is closed.
        """
        block = tensor.block
        if block.graph is not self.graph:
            raise GraphError(
                f"{what}: tensors of two graphs, {self.graph.name!r} and {block.graph.name!r}"
                f" (tensor {tensor.name!r})"
            )
        inner: Block | None = self
        passed = []
        while inner is not None and inner is not block:
            passed.append(inner)
            inner = inner.parent
        if inner is None:
            raise GraphError(
                f"{what}: tensor {tensor.name!r} lives inside repeat {block.name!r};"
                " return it from the body to carry it out"
            )
        for body in passed:
            body.captured[tensor] = None

    def has(self, name: str) -> bool:
        """Return whether an op or a tensor of this block has the name."""
        known = (self._named, self.leaves, self.renamed)
        return any(name in names for names in known) or self._automatic(name) is not None

    def automatic_name(self, op: Op) -> str:
        """Return the name of an op that was not given one."""
        name = f"{op.kind.name}_{op.index}"
        while name in self._named or name in self.leaves:
            name += "_"
        return name

    def _check_name(self, name: str, what: str) -> None:
        if not isinstance(name, str):
            raise InputError(f"the name of a {what} is text, not {type(name).__name__}")
        # Mostly identifiers, perhaps with dots: those are told without the regular expression.
        plain = name.isidentifier() or (name[:1] != "." and name.replace(".", "_").isidentifier())
        if len(name) > MOST_LETTERS or (not plain and not NAME.fullmatch(name)):
            raise InputError(
                f"{name[:60]!r} cannot be the name of a {what}"
                " (a letter, then letters, digits, '.', '-', '_')"
            )

    def _automatic(self, name: str) -> Op | None:
        match = AUTOMATIC.fullmatch(name) if name[-1:].isdecimal() or name[-1:] == "_" else None
        if match is None or len(match[2]) > 9 or int(match[2]) >= len(self.op_list):
            return None
        op = self.op_list[int(match[2])]
        return op if op.given is None and op.name == name else None

    def _body(self, op: Op, rest: str) -> Block:
        for repeat in self.repeats:
            if repeat is op:
                return repeat.body
        raise UnknownNameError("op", f"{op.name}/{rest}", (repeat.name for repeat in self.repeats))

    def _edges(self) -> Iterator[tuple[Any, Any]]:
        for op in self.op_list:
            for tensor in op.inputs:
                yield tensor, op
            for tensor in op.outputs:
                yield op, tensor

    def _what(self) -> str:
        kind = "graph" if self.parent is None else "repeat"
        return f"{kind} {self.name!r}"

    def __reduce__(self) -> tuple[Any, ...]:
        return methodcaller("block_at", self.graph.place_of(self)), (self.graph,)

    def __repr__(self) -> str:
        return f"<{self._what()}: {len(self.op_list)} ops, {len(self.leaves)} leaf tensors>"


def positive_count(value: Any, what: str) -> Expr:
    """Return `value` as a count: a whole number of 1 or more, or a formula.

    Raises
    ------
    InputError
        If it is a constant that is no such number.

    Examples
    --------
    >>> positive_count("2*L", "repeat 'layer'")
    2*L
    """
    count = check_own(adopt(value, where=what), what)
    if is_below(count, 1) or (count.is_number and not count.is_Integer):
        raise InputError(
            f"the count is a whole number of 1 or more, not {shown(count)}", where=what
        )
    return count
