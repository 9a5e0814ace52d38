"""Expert parallelism: chips that hold different experts, and the tokens that travel to them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from sympy import Expr, Integer, Mul, ceiling, expand

from symroof.graph.op import Attrs, Op, apply
from symroof.graph.ops.collectives import all_to_all
from symroof.graph.ops.custom import custom
from symroof.graph.ops.experts import Distinct, distinct_experts
from symroof.graph.passes.holdings import Held, Value
from symroof.graph.passes.mover import Mover
from symroof.graph.sharding.layout import Layout, parts
from symroof.graph.sharding.moves import Means, Move
from symroof.graph.sharding.plan import Sent, Step
from symroof.graph.sharding.reading import Axes
from symroof.graph.tensor import Tensor
from symroof.symbolic.bounds import least

ONE = Integer(1)


def holds_experts(sharder: Mover, inputs: Sequence[Value]) -> Axes:
    """Return the axes over which the experts themselves are sharded."""
    return sharder.find(inputs[1])[0].layout.dims[0]


def run_experts(
    sharder: Mover, op: Op, inputs: Sequence[Value], output: Value, wanted: Layout | None
) -> None:
    """Add a mixture of experts whose experts are sharded.

    Routing is taken to be balanced. Along an axis on which tokens are sharded too, the k copies of
    each token go to their experts and come back, an all-to-all each way; along another, every chip
    takes the copies for its own experts, and the sum over the chips is left to be made. The hidden
    dim may be sharded as well: that leaves partial sums, too.
    """
    mesh, name = sharder.mesh, op.name
    own = holds_experts(sharder, inputs)
    hidden = tuple(a for a in sharder.find(inputs[1])[0].layout.dims[2] if a not in own)
    tokens = _tokens(sharder.find(inputs[0]), hidden)
    exchanged = tuple(a for a in own if a in tokens.axes)
    alone = tuple(a for a in own if a not in tokens.axes)
    targets = [tokens] + [
        Layout((own, hidden, ())) if place == 1 else Layout((own, (), hidden))
        for place in range(len(inputs) - 1)
    ]
    sent: list[Sent] = []
    locals_ = [
        _at(sharder, value, target, sent) for value, target in zip(inputs, targets, strict=True)
    ]
    attrs = Attrs(op.attrs)
    count, width = Mul(*locals_[0].shape[:-1]), locals_[0].shape[-1]
    copies = _whole(attrs["top_k"] * count / parts(alone, mesh))
    shaped = partial(custom, flops=0, dtype=locals_[0].dtype)
    moving = shaped(
        sharder.free(f"{name}.dispatch"), inputs=[locals_[0]], output_shape=(copies, width)
    )
    moving = _exchange(sharder, moving, exchanged, f"{name}.to_experts", sent)
    reached = _reached(attrs, inputs[1].spec.shape[0], count * parts(exchanged, mesh))
    given = (("top_k", ONE), ("experts", reached / parts(own, mesh)))
    moving = apply(op.kind, (moving, *locals_[1:]), given, name)
    moving = _exchange(sharder, moving, exchanged[::-1], f"{name}.from_experts", sent)
    shape = (*locals_[0].shape[:-1], moving.shape[-1])
    made = shaped(sharder.free(f"{name}.combine"), inputs=[moving], output_shape=shape)
    unreduced = tuple(a for a in mesh.names if a in (*alone, *hidden))
    layout = Layout(tokens.dims, unreduced)
    sharder.put(output, Held(layout, made))
    last = layout
    if wanted is not None:
        last = sharder.settled(output, wanted, sent).layout
    sharder.steps.append(
        Step(
            op=sharder.path + name,
            reads=tuple(
                sharder.find(value)[0].layout.text(value.spec.shape, value.name) for value in inputs
            ),
            makes=layout.text(output.spec.shape),
            becomes=last.text(output.spec.shape),
            cases=tuple(_cases(exchanged, alone, hidden, sent)),
            sent=tuple(sent),
            ground="",
        )
    )


def _tokens(held: Sequence[Held], hidden: Axes) -> Layout:
    """Return the layout tokens are needed in: their own, with the model dim whole."""
    start = next((one.layout for one in held if not one.layout.unreduced), held[0].layout)
    kept = tuple(tuple(a for a in axes if a not in hidden) for axes in start.dims[:-1])
    return Layout((*kept, ()))


def _at(sharder: Mover, value: Value, target: Layout, sent: list[Sent]) -> Tensor:
    there = sharder.there(value, target)
    if there is not None:
        return there
    return sharder.moved(value, *sharder.start(value, target), sent).local


def _exchange(sharder: Mover, moving: Tensor, axes: Axes, name: str, sent: list[Sent]) -> Tensor:
    for axis in axes:
        given = sharder.free(f"{name}_{axis}")
        moving = all_to_all(moving, group=sharder.mesh.axes[axis], link=axis, name=given)
        sharder.record("tokens", Move(Means.ALL_TO_ALL, axis, 0), moving, sent)
    return moving


def _reached(attrs: Attrs, experts: Expr, tokens: Expr) -> Expr:
    """Return how many experts, of all chips, the tokens that meet here are taken to reach."""
    given = attrs.get("experts", Distinct.EXPECTED.value)
    if not isinstance(given, str):
        return least(given, experts)
    return distinct_experts(experts, attrs["top_k"], tokens, Distinct(given))


def _whole(count: Expr) -> Expr:
    made = expand(count)
    return ceiling(made) if made.is_number else made


def _cases(exchanged: Axes, alone: Axes, hidden: Axes, sent: Sequence[Sent]) -> list[str]:
    said = dict.fromkeys(exchanged, "experts and tokens lie on it; tokens go there and back")
    said |= dict.fromkeys(
        alone, "experts lie on it; each chip serves its own, and sums are partial"
    )
    said |= dict.fromkeys(hidden, "summed hidden dim of the experts; sums are partial")
    cases = []
    for axis, told in said.items():
        done = [str(one) for one in sent if one.move.axis == axis]
        cases.append("; ".join((f"{axis}: {told}", *done)))
    return cases
