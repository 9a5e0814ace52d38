"""Moves between layouts: one collective over one axis each, or a shard taken without sending."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from sympy import Expr, Integer, Mul

from symroof.graph.mesh import Mesh
from symroof.graph.sharding.layout import Layout

ZERO = Integer(0)


class Means(Enum):
    """The op that makes a move."""

    ALL_GATHER = "all_gather"
    REDUCE_SCATTER = "reduce_scatter"
    ALL_REDUCE = "all_reduce"
    ALL_TO_ALL = "all_to_all"
    TAKE_SHARD = "take_shard"


@dataclass(frozen=True, slots=True)
class Move:
    """One step from a layout to another.

    Attributes
    ----------
    means : Means
    axis : str
        The axis of the mesh, whose chips take part.
    dim : int or None
        The dim that is gathered or split; None for an all-reduce.
    to : int or None
        The dim that an all-to-all splits instead.
    """

    means: Means
    axis: str
    dim: int | None = None
    to: int | None = None

    def after(self, layout: Layout) -> Layout:
        """Return the layout it makes of `layout`."""
        match self.means:
            case Means.ALL_GATHER:
                return layout.with_axes(self._dim, layout.dims[self._dim][:-1])
            case Means.REDUCE_SCATTER:
                done = layout.without_unreduced((self.axis,))
                return done.with_axes(self._dim, (*done.dims[self._dim], self.axis))
            case Means.ALL_REDUCE:
                return layout.without_unreduced((self.axis,))
            case Means.ALL_TO_ALL:
                assert self.to is not None
                left = layout.with_axes(self._dim, layout.dims[self._dim][:-1])
                return left.with_axes(self.to, (*left.dims[self.to], self.axis))
            case Means.TAKE_SHARD:
                return layout.with_axes(self._dim, (*layout.dims[self._dim], self.axis))

    def share(self, layout: Layout, mesh: Mesh) -> Expr:
        """Return the bytes a chip sends, per byte of the whole tensor, from `layout`.

        Those of the ops themselves: (n − 1)/n of what a chip holds at the larger end, twice for an
        all-reduce.
        """
        held = 1 / Mul(*(mesh.axes[axis] for axis in layout.axes))
        n = mesh.axes[self.axis]
        match self.means:
            case Means.TAKE_SHARD:
                return ZERO
            case Means.ALL_GATHER:
                return held * (n - 1)
            case Means.ALL_REDUCE:
                return 2 * held * (n - 1) / n
            case _:
                return held * (n - 1) / n

    @property
    def _dim(self) -> int:
        assert self.dim is not None
        return self.dim
