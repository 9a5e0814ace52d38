"""A chip's own shard of a tensor that every chip of a group holds whole."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer

from symroof.errors import InputError
from symroof.graph.op import Attrs, Cost, OpKind, apply
from symroof.graph.ops.arguments import axis_attr, whole
from symroof.graph.ops.collective_parts import LINK
from symroof.graph.registry import register
from symroof.graph.shapes import axis_of, split
from symroof.graph.storage import View
from symroof.graph.tensor import Tensor, TensorSpec
from symroof.lines import named


class _TakeShard(OpKind):
    name = "take_shard"
    count = "0: a view moves nothing"
    source = "definition"
    view = True

    def infer(self, inputs: tuple[TensorSpec, ...], attrs: Attrs) -> tuple[TensorSpec, ...]:
        (x,) = inputs
        return (split(self.name, x, axis_of(self.name, x, attrs.get("axis", 0)), attrs["group"]),)

    def cost(
        self, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], attrs: Attrs
    ) -> Cost:
        return Cost.moving(inputs, outputs, reads=[0], writes=[0])

    def view_of(self, view: View, output: TensorSpec, attrs: Attrs) -> View:
        axis = attrs.get("axis", 0) % output.rank
        # Which shard depends on the chip; what a chip reads does not: all are shown as the first.
        return view.sliced(axis, Integer(0), output.shape[axis])

    def counted(self, attrs: Attrs) -> tuple[Expr, ...]:
        return (attrs["group"],)


_TAKE_SHARD = _TakeShard()


@register(_TAKE_SHARD)
def take_shard(
    x: Tensor, *, group: Any, axis: int = 0, link: str = LINK, name: str | None = None
) -> Tensor:
    """View this chip's shard of a tensor that all chips of a group hold whole.

    FLOPs: 0. Source: definition; nothing moves and nothing is sent.

    Parameters
    ----------
    x : Tensor
        What every chip holds.
    group : int, symbol or text
        Number of chips n, at least 1.
    axis : int
        The axis that is cut into n shards.
    link : str
        The link along which the chips of the group lie; for `passes.shard` an axis of the mesh.
    name : str, optional
        Name of the op.

    Returns
    -------
    Tensor
        A view of the storage of `x`: `x` with `axis` a nth as long.

    Raises
    ------
    InputError
        If the group is no whole number of 1 or more.
    ShapeError
        If the axis does not split into n equal parts.

    Examples
    --------
    >>> from symroof import ops
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> ops.take_shard(g.input("x", ("B", "D"), "bf16"), group=8, axis=1)
    <take_shard_0 [B, D/8] bf16>
    >>> print(g.bytes, "|", g.link_bytes)
    0 byte | 0 byte
    """
    attrs = (("group", whole(group, "take_shard group")), *axis_attr("take_shard", axis, 0))
    if not isinstance(link, str):
        raise InputError(f"a link is named by text, not {link!r:.60}", where="take_shard")
    named(link, "take_shard link")
    return apply(_TAKE_SHARD, (x,), attrs if link == LINK else (*attrs, ("link", link)), name)
