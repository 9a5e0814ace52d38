"""Ops: what an operation computes, what it costs, and how one is added to a graph.

How to write an op
------------------
An op family is one file in ``symroof/graph/ops``; nothing else needs to know of it. It holds a
subclass of `OpKind` (one instance per op, without state) and a public function::

    class _Softmax(OpKind):
        name = "softmax"
        count = "5*n: max, subtract, exp, sum, divide on each element"
        source = "two-pass softmax, each elementary operation once"
        weights = {"softmax": 5}       # FLOPs per element a user may override, optional
        rides_along = True             # fused with its producer by `fuse_elementwise`

        def infer(self, inputs, attrs):
            return (inputs[0],)

        def cost(self, inputs, outputs, attrs):
            x = inputs[0]
            key = compute_dtype(x.dtype)
            return Cost.moving(inputs, outputs, flops={key: attrs.weight("softmax") * x.elements})


    @register(_Softmax())
    def softmax(x, *, axis=-1, flop_weight=None, name=None):
        \"\"\"... numpydoc, with the count, its source and a doctest ...\"\"\"
        return apply(SOFTMAX, (x,), (("axis", axis), *weight_attr(flop_weight)), name)

Rules:

- `infer` and `cost` are pure: they see interned `TensorSpec` (``.shape``, ``.dtype``,
  ``.elements``, ``.bytes``) and `Attrs`, never tensors. They run once per distinct
  (kind, attributes, input specs) of a graph, so they may take their time.
- Build a spec with ``TensorSpec.of(shape, dtype)`` or ``x.with_shape(shape)``; it refuses
  constant dims that are not positive integers. Compare dims with ``==`` (they are canonical,
  and unify by name only). Refuse with ``ShapeError(self.name, "...", (a.text, b.text))``.
- Attributes are a tuple of ``(name, value)`` pairs of hashable values. Name them as the keywords
  of the public function; leave out those at their default where that is natural.
- `Cost.moving` fills in the usual traffic (each input read once, each output written once).
  For other traffic give `reads` (bytes per input port) or `writes` (bytes per output port).
  Do not care about one tensor on two ports or views of one storage: the graph corrects for them.
- Return None from `cost` when nothing is known about it, or set ``Cost.unknown``; it then is an
  error (or a named symbol) in totals, never zero.
- A function that writes in place passes ``out=tensor`` to `apply`: the output then lives in that
  tensor's storage. Bytes are still what `cost` says.
- A view sets ``view = True``: `cost` is not asked, nothing moves, and `view_of` says which part of
  the storage the output is (by default all of it, in the new shape).
- Symbols that are counts but stand in no shape (a group size) are named by `counted`.
- `indices` says which dims go together, so that `passes.shard` can split the op over chips; without
  it operands are gathered first. Attributes that hold sizes are put right by `local_attrs`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from operator import methodcaller
from typing import TYPE_CHECKING, Any

from sympy import Expr, S

from symroof.errors import GraphError, InputError, ShapeError
from symroof.graph.cost import NO_WEIGHTS, ZERO, AttrPairs, Attrs, Cost, weight_attr
from symroof.graph.indices import Indices
from symroof.graph.registry import KINDS
from symroof.graph.registry import op as registered
from symroof.graph.storage import View, charges
from symroof.graph.tensor import Tensor, TensorSpec

if TYPE_CHECKING:
    from symroof.graph.block import Block

__all__ = [
    "ZERO",
    "AttrPairs",
    "Attrs",
    "Cost",
    "Op",
    "OpKind",
    "Signature",
    "apply",
    "apply_all",
    "weight_attr",
]


class OpKind(ABC):
    """One kind of op: shapes, cost and their documentation; see the module's text.

    Attributes
    ----------
    name : str
        Its name in ``symroof.ops`` and on the command line.
    count : str
        The FLOP count as one line of text.
    source : str
        Where the count is from.
    weights : mapping of str to number
        Default FLOPs per element, by names that ``Graph(flop_weights=...)`` may override.
    view : bool
        The output shares the storage of the first input, and nothing moves.
    rides_along : bool
        Elementwise or normalisation: `fuse_elementwise` joins it to its producer.
    """

    name: str
    count: str
    source: str
    weights: Mapping[str, Any] = NO_WEIGHTS
    view: bool = False
    rides_along: bool = False

    @abstractmethod
    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        """Return the specs of the outputs; ShapeError with both shapes when there are none."""

    @abstractmethod
    def cost(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Cost | None:
        """Return what one such op costs, or None when nobody knows."""

    def view_of(self, view: View, output: TensorSpec, attrs: Attrs) -> View:
        """Return the part of the storage the output of a view is, given that of its input."""
        return view.reshaped(output.shape)

    def indices(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Indices | None:
        """Return which index runs along each dim, for sharding; None: every dim has to be whole."""
        return None

    def local_attrs(
        self,
        attrs: AttrPairs,
        inputs: tuple[TensorSpec, ...],
        parts: tuple[TensorSpec, ...],
        made: tuple[TensorSpec, ...],
    ) -> AttrPairs:
        """Return the attributes on one chip: `parts` is what it holds of `inputs`, `made` makes."""
        return attrs

    def counted(self, attrs: Attrs) -> Iterable[Expr]:
        """Return expressions of `attrs` whose symbols are counts (integers of 1 or more)."""
        return ()

    def domain(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> Iterable[tuple[Expr, Expr]]:
        """Return pairs of which the first must be at most the second, where symbols decide that.

        A roofline refuses numbers outside, and crossovers leave them out.
        """
        return [(S.One, count) for count in self.counted(attrs) if not count.is_Atom]

    def __repr__(self) -> str:
        return f"<op kind {self.name}>"

    def __reduce_ex__(self, protocol: Any) -> Any:
        # Kinds are compared by identity: one that is registered pickles as its name.
        if KINDS.get(self.name) is self:
            return registered, (self.name,)
        return super().__reduce_ex__(protocol)

    def __deepcopy__(self, memo: dict[int, Any]) -> OpKind:
        return self


class Signature:
    """An interned (kind, attributes, input specs, aliasing) of one block, its cost and its count.

    Attributes
    ----------
    kind : OpKind
    attrs : tuple of (str, object)
    inputs, outputs : tuple of TensorSpec
    cost : Cost
        With tensors on several ports and views of one storage read once.
    count : int
        How many ops of the block have it.
    first : Op
        The first of them.
    """

    __slots__ = ("attrs", "cost", "count", "first", "inputs", "kind", "output", "outputs")

    def __init__(
        self,
        kind: OpKind,
        attrs: AttrPairs,
        inputs: tuple[TensorSpec, ...],
        outputs: tuple[TensorSpec, ...],
        cost: Cost,
    ) -> None:
        self.kind = kind
        self.attrs = attrs
        self.inputs = inputs
        self.outputs = outputs
        self.output = outputs[0] if len(outputs) == 1 else None
        self.cost = cost
        self.count = 0
        self.first: Op


class Op:
    """An operation of a graph: ports in order, and an interned signature with its cost.

    Attributes
    ----------
    inputs, outputs : tuple of Tensor
        The ports in order; one tensor may stand on several.
    index : int
        Its place among the ops of its block.

    Examples
    --------
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> x = g.input("x", (4,), "fp32")
    >>> (x * x).producer.inputs
    (<x [4] fp32>, <x [4] fp32>)
    """

    __slots__ = ("given", "index", "inputs", "outputs", "signature")

    def __init__(
        self, signature: Signature, inputs: tuple[Tensor, ...], index: int, given: str | None
    ) -> None:
        self.signature = signature
        self.inputs = inputs
        self.index = index
        self.given = given
        self.outputs: tuple[Tensor, ...]

    @property
    def kind(self) -> OpKind:
        """What kind of op it is."""
        return self.signature.kind

    @property
    def attrs(self) -> AttrPairs:
        """Its attributes, as pairs of name and value."""
        return self.signature.attrs

    @property
    def cost(self) -> Cost:
        """What it costs, interned: equal ops of a block share the object."""
        return self.signature.cost

    @property
    def block(self) -> Block:
        """The graph or repeat body it stands in."""
        return self.outputs[0].block

    def view_of(self, view: View, output: TensorSpec) -> View:
        """Return the part of the storage that the output of a view is, given that of its input."""
        return self.kind.view_of(view, output, Attrs(self.attrs))

    @property
    def name(self) -> str:
        """Its name, unique among the ops of its block; made from kind and index when not given."""
        return self.given or self.block.automatic_name(self)

    def __reduce__(self) -> tuple[Any, ...]:
        graph = self.block.graph
        return methodcaller("op_at", graph.place_of(self.block), self.index), (graph,)

    def __repr__(self) -> str:
        return f"<op {self.name}: {self.kind.name}>"


def apply(
    kind: OpKind,
    inputs: tuple[Tensor, ...],
    attrs: AttrPairs = (),
    name: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Add an op with one output to the graph of its inputs and return the output.

    Parameters
    ----------
    kind : OpKind
        What to add.
    inputs : tuple of Tensor
        The operands, in order.
    attrs : tuple of (str, object)
        Attributes, hashable.
    name : str, optional
        Name of the op and of its output; made up when missing.
    out : Tensor, optional
        Write into this tensor's storage instead of a new one.

    Returns
    -------
    Tensor
        The output.

    Raises
    ------
    ShapeError
        If the shapes or dtypes do not fit.
    GraphError
        If the tensors belong to two graphs, or the name is taken.

    Examples
    --------
    >>> from symroof.graph import Graph
    >>> from symroof.graph.registry import op
    >>> g = Graph("g")
    >>> x = g.input("x", ("M", "K"), "bf16")
    >>> apply(op("relu"), (x,))
    <relu_0 [M, K] bf16>
    """
    # Written out for one and two operands of the open block, and without a call more than needed:
    # building a graph has to stay as fast as building the bare networkx graph.
    signature: Signature | None = None
    try:
        first = inputs[0]
        block = first.block
        if block.active:
            if len(inputs) == 2:
                second = inputs[1]
                if second.block is block and (first.base or first) is not (second.base or second):
                    signature = block.signatures.get((kind, attrs, first.spec, second.spec))
            elif len(inputs) == 1:
                signature = block.signatures.get((kind, attrs, first.spec))
    except (AttributeError, IndexError):
        raise _not_tensors(kind, inputs) from None
    if signature is None:
        block, signature = resolve(kind, inputs, attrs)
    spec = signature.output
    ops = block.op_list
    op = Op(signature, inputs, len(ops), name)
    if spec is None or out is not None:
        return _finish(block, op, out)[0]
    output = Tensor(spec, block, op, (first.base or first) if kind.view else None)
    op.outputs = (output,)
    if name is not None:
        block.claim(op)
    if not signature.count:
        signature.first = op
    signature.count += 1
    ops.append(op)
    return output


def apply_all(
    kind: OpKind,
    inputs: tuple[Tensor, ...],
    attrs: AttrPairs = (),
    name: str | None = None,
) -> tuple[Tensor, ...]:
    """Add an op with any number of outputs and return them all; otherwise as `apply`."""
    block, signature = resolve(kind, inputs, attrs)
    return _finish(block, Op(signature, inputs, len(block.op_list), name), None)


def resolve(kind: OpKind, inputs: tuple[Tensor, ...], attrs: AttrPairs) -> tuple[Block, Signature]:
    """Return the open block of the graph of `inputs`, and the interned signature there."""
    try:
        block = inputs[0].block.graph.current
        for tensor in inputs:
            if tensor.block is not block:
                block.admit(tensor, kind.name)
        specs = tuple([tensor.spec for tensor in inputs])
    except (AttributeError, IndexError):
        raise _not_tensors(kind, inputs) from None
    key: tuple[Any, ...] = (kind, attrs, *specs)
    if len({tensor.base or tensor for tensor in inputs}) < len(inputs):
        places = {
            storage: number
            for number, storage in enumerate(dict.fromkeys(t.storage for t in inputs))
        }
        key = (*key, tuple((places[t.storage], t.region) for t in inputs))
    signature = block.signatures.get(key)
    if signature is None:
        signature = _signature(block, kind, inputs, attrs, specs)
        block.signatures[key] = signature
    return block, signature


def _signature(
    block: Block,
    kind: OpKind,
    inputs: tuple[Tensor, ...],
    attrs: AttrPairs,
    specs: tuple[TensorSpec, ...],
) -> Signature:
    named = Attrs(attrs, block.graph.weights_of(kind))
    outputs = kind.infer(specs, named)
    if kind.view:
        still = Cost((), (ZERO,) * len(specs), (ZERO,) * len(outputs))
        return Signature(kind, attrs, specs, outputs, still)
    cost = kind.cost(specs, outputs, named)
    if cost is None:
        nothing = (ZERO,) * len(specs), (ZERO,) * len(outputs)
        cost = Cost((), *nothing, unknown=("flops", "bytes"))
    reads = charges(inputs, cost.reads)
    if reads != cost.reads:
        cost = Cost(cost.flops, reads, cost.writes, cost.link_bytes, cost.link, cost.unknown)
    return Signature(kind, attrs, specs, outputs, cost)


def _finish(block: Block, op: Op, out: Tensor | None) -> tuple[Tensor, ...]:
    signature = op.signature
    if out is None:
        op.outputs = tuple([Tensor(spec, block, op) for spec in signature.outputs])
    else:
        op.outputs = (_in_place(block, op, out),)
    if op.given is not None:
        block.claim(op)
    if not signature.count:
        signature.first = op
    signature.count += 1
    block.op_list.append(op)
    return op.outputs


def _in_place(block: Block, op: Op, out: Tensor) -> Tensor:
    kind, specs = op.signature.kind, op.signature.outputs
    if not isinstance(out, Tensor):
        raise InputError(f"out= is a tensor, not {type(out).__name__}", where=kind.name)
    if out.block is not block:
        block.admit(out, kind.name)
    if len(specs) != 1 or out.spec is not specs[0]:
        made = ", ".join(spec.text for spec in specs)
        raise ShapeError(kind.name, "out= must have the result's shape", (made, out.spec.text))
    made_here = Tensor(specs[0], block, op, out.storage)
    made_here.placed = out.view or View.whole(out)
    return made_here


def _not_tensors(kind: OpKind, inputs: tuple[object, ...]) -> Exception:
    for place, value in enumerate(inputs, start=1):
        if not isinstance(value, Tensor):
            return InputError(
                f"operand {place} is {type(value).__name__}, not a tensor", where=kind.name
            )
    return GraphError(f"{kind.name}: no operand given; an op belongs to the graph of its operands")
