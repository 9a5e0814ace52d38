"""Layouts: the axes of a mesh each dim of a tensor lies on, and the sums not yet made."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from sympy import Expr, Integer, expand

from symroof.errors import ShapeError
from symroof.graph.mesh import Mesh
from symroof.graph.sharding.reading import Axes, Sharding, check_axes
from symroof.graph.tensor import TensorSpec
from symroof.symbolic.build import divided, multiply
from symroof.symbolic.exact import shown

ONE = Integer(1)


@dataclass(frozen=True, slots=True)
class Layout:
    """How a tensor lies on the chips of a mesh.

    Attributes
    ----------
    dims : tuple of tuple of str
        The axes each dim is sharded over, the major one first; empty for a dim that is whole.
    unreduced : tuple of str
        Axes along which each chip has a partial sum; the tensor is the sum over them.

    Examples
    --------
    >>> layout = Layout((("X",), ()), ("Y",))
    >>> layout.text(("B", "D"))
    '[B_X, D] partial over Y'
    """

    dims: Sharding
    unreduced: Axes = ()

    @property
    def axes(self) -> Axes:
        """The axes that shard some dim."""
        return tuple(axis for axes in self.dims for axis in axes)

    def place(self, axis: str) -> tuple[int, int] | None:
        """Return the dim that `axis` shards, and its place there."""
        for dim, axes in enumerate(self.dims):
            if axis in axes:
                return dim, axes.index(axis)
        return None

    def with_axes(self, dim: int, axes: Axes) -> Layout:
        """Return the layout with other axes on one dim."""
        return Layout((*self.dims[:dim], axes, *self.dims[dim + 1 :]), self.unreduced)

    def without_unreduced(self, gone: Iterable[str]) -> Layout:
        """Return the layout with the sums over some axes done."""
        left = set(self.unreduced) - set(gone)
        return Layout(self.dims, tuple(axis for axis in self.unreduced if axis in left))

    def local(self, spec: TensorSpec, mesh: Mesh) -> TensorSpec:
        """Return shape and dtype of what one chip holds of a tensor."""
        if not any(self.dims):
            return spec
        return spec.with_shape(
            tuple(
                expand(divided(size, parts(axes, mesh))) if axes else size
                for size, axes in zip(spec.shape, self.dims, strict=True)
            )
        )

    def text(self, shape: Iterable[object], tensor: str = "") -> str:
        """Return a tensor with the layout as plans show it, such as ``x[B_X, D]``."""
        dims = [_dim(size, axes) for size, axes in zip(shape, self.dims, strict=True)]
        partial = f" partial over {', '.join(self.unreduced)}" if self.unreduced else ""
        return f"{tensor}[{', '.join(dims)}]{partial}"


def parts(axes: Axes, mesh: Mesh) -> Expr:
    """Return into how many parts `axes` cut a dim."""
    return multiply([mesh.axes[axis] for axis in axes])


def divides(size: Expr, axes: Axes, mesh: Mesh) -> bool:
    """Return whether a dim splits into equal parts; what depends on symbols is taken to."""
    count = parts(axes, mesh)
    if size.is_Integer and count.is_Integer:
        return bool(size.p % count.p == 0)
    quotient = divided(size, count)
    return not quotient.is_number or bool(quotient.is_Integer and quotient.p > 0)


def on_mesh(dims: Sharding, spec: TensorSpec, mesh: Mesh, where: str) -> Layout:
    """Return the layout of a sharding on a mesh; axes of one chip are left out.

    Raises
    ------
    UnknownNameError
        If the mesh has no such axis.
    ShapeError
        If a dim does not divide.

    Examples
    --------
    >>> x = TensorSpec.of((1026, "D"), "bf16")
    >>> on_mesh((("X",), ()), x, Mesh(X=4), "sharding of x")
    Traceback (most recent call last):
    symroof.errors.ShapeError: sharding of x: dim 0 of 1026 does not divide over X = 4: \
1026 = 4*256 + 2 (got [1026, D] bf16)
    """
    check_axes(dims, mesh.names, where)
    for place, (size, axes) in enumerate(zip(spec.shape, dims, strict=True)):
        if not divides(size, axes, mesh):
            raise ShapeError(where, _remainder(place, size, axes, mesh), (spec.text,))
    return Layout(tuple(tuple(a for a in axes if mesh.axes[a] != ONE) for axes in dims))


def _remainder(place: int, size: Expr, axes: Axes, mesh: Mesh) -> str:
    count = parts(axes, mesh)
    over = " * ".join(f"{axis} = {shown(mesh.axes[axis])}" for axis in axes)
    return f"dim {place} of {shown(size)} does not divide over {over}{remainder(size, count)}"


def remainder(size: Expr, count: Expr) -> str:
    """Return how much is left of a number, as the end of a message.

    Examples
    --------
    >>> remainder(Integer(10), Integer(4))
    ': 10 = 4*2 + 2'
    """
    if not (size.is_Integer and count.is_Integer):
        return ""
    times, left = divmod(int(size), int(count))
    return f": {shown(size)} = {shown(count)}*{times} + {left}"


@lru_cache(maxsize=4096)
def _dim(size: object, axes: Axes) -> str:
    name = shown(size)
    if not axes:
        return name
    base = name if name.replace("_", "").isalnum() else f"({name})"
    return f"{base}_{axes[0]}" if len(axes) == 1 else f"{base}_({', '.join(axes)})"
