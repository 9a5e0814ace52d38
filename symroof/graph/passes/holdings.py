"""What one chip holds of the tensors of the whole graph, in which layouts."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from sympy import Expr

from symroof.graph.mesh import Mesh
from symroof.graph.passes.boundary import origin
from symroof.graph.sharding.layout import Layout, parts
from symroof.graph.sharding.reading import Axes
from symroof.graph.tensor import Role, Tensor, TensorSpec


@dataclass(frozen=True, slots=True)
class Held:
    """A layout in which one chip's part of a tensor is there, and that part."""

    layout: Layout
    local: Tensor


@dataclass(frozen=True, slots=True)
class Value:
    """A tensor of the whole graph, or a part result that only the walk knows of.

    Attributes
    ----------
    key : Hashable
    spec : TensorSpec
        Its whole shape.
    name : str
    weight : bool
    """

    key: Hashable
    spec: TensorSpec
    name: str
    weight: bool

    @classmethod
    def of(cls, tensor: Tensor) -> Value:
        """Return the value of a tensor of the graph."""
        role = origin(tensor).role if origin(tensor).producer is None else Role.ACTIVATION
        return cls(tensor, tensor.spec, tensor.name, role is Role.WEIGHT)


class Holdings:
    """Values by layout, in nested scopes: what a body makes of an outer value stays in the body."""

    def __init__(self, mesh: Mesh) -> None:
        self.mesh = mesh
        self.scopes: list[dict[Hashable, list[Held]]] = [{}]
        self.splits: dict[tuple[Expr, Axes], str] = {}

    def find(self, value: Value) -> list[Held]:
        """Return the layouts a value is there in."""
        for scope in reversed(self.scopes):
            if value.key in scope:
                return scope[value.key]
        raise KeyError(value.name)

    def put(self, value: Value, held: Held) -> None:
        """Remember a layout of a value; what a body makes of it is there in the body only."""
        known = self.find(value) if any(value.key in scope for scope in self.scopes) else []
        self.note(value, held.layout)
        if all(one.layout != held.layout for one in known):
            self.scopes[-1][value.key] = [*known, held]

    def note(self, value: Value, layout: Layout) -> None:
        """Remember which dims a layout cuts, where the numbers for symbols have to divide."""
        for size, axes in zip(value.spec.shape, layout.dims, strict=True):
            if axes and not (size / parts(axes, self.mesh)).is_number:
                self.splits.setdefault((size, axes), value.name)

    def there(self, value: Value, layout: Layout) -> Tensor | None:
        """Return what a chip holds of a value in a layout, if it is there."""
        return next((held.local for held in self.find(value) if held.layout == layout), None)
