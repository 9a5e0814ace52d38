"""Meshes of chips: named axes, over which tensors are sharded."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Any, NoReturn

from sympy import Expr, Mul

from symroof.errors import InputError, UnknownNameError, brief
from symroof.graph.block import positive_count
from symroof.readonly import ReadOnly
from symroof.symbolic.evaluate import bind
from symroof.symbolic.printer import to_text

AXIS = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
MOST_AXES, MOST_LETTERS = 6, 60


class Mesh:
    """Chips in a grid of named axes.

    The name of an axis is also the name of the link that its chips talk over: a chip with
    ``link={"X": ..., "Y": ...}`` gives each axis its bandwidth.

    Parameters
    ----------
    **axes : int, symbol or text
        Number of chips along each axis, 1 or more, in the order in which they are nested.

    Attributes
    ----------
    axes : mapping of str to Expr
        The sizes by name.

    Raises
    ------
    InputError
        If there is no axis, a name is none that a link can have, or a size is no whole number of
        1 or more.

    Examples
    --------
    >>> mesh = Mesh(X=4, Y="n")
    >>> mesh, mesh.size, mesh["Y"]
    (Mesh(X=4, Y=n), 4*n, n)
    >>> mesh.at(n=8).size
    32
    """

    __slots__ = ("axes",)
    axes: Mapping[str, Expr]

    def __init__(self, /, **axes: Any) -> None:
        if not axes:
            raise InputError("a mesh has at least one axis, such as Mesh(X=4)")
        if len(axes) > MOST_AXES:
            raise InputError(f"a mesh has at most {MOST_AXES} axes, not {len(axes)}")
        for name in axes:
            if not AXIS.fullmatch(name) or len(name) > MOST_LETTERS:
                raise InputError(
                    f"{brief(name)!r} cannot be the name of a mesh axis"
                    " (letters, digits and underscores, no digit first)"
                )
        sizes = {name: positive_count(size, f"mesh axis {name}") for name, size in axes.items()}
        object.__setattr__(self, "axes", ReadOnly(sizes))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the axes, in their order."""
        return tuple(self.axes)

    @property
    def size(self) -> Expr:
        """Number of chips."""
        return Mul(*self.axes.values())

    def at(self, values: Mapping[str, object] | None = None, /, **named: object) -> Mesh:
        """Return the mesh with numbers or formulas for the symbols in its sizes."""
        given = {**(values or {}), **named}
        known = {symbol.name for size in self.axes.values() for symbol in size.free_symbols}
        for name in given:
            if name not in known:
                raise UnknownNameError("symbol", str(name), sorted(known))
        return Mesh(**{name: bind(size, given) for name, size in self.axes.items()})

    def __getitem__(self, name: str) -> Expr:
        if name not in self.axes:
            raise UnknownNameError("mesh axis", str(name), self.names)
        return self.axes[name]

    def __setattr__(self, name: str, _: object) -> NoReturn:
        raise AttributeError(f"a Mesh does not change; cannot set {name}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a Mesh does not change; cannot delete {name}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mesh):
            return NotImplemented
        return tuple(self.axes.items()) == tuple(other.axes.items())

    def __hash__(self) -> int:
        return hash(tuple(self.axes.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(Mesh, **self.axes), ()

    def __repr__(self) -> str:
        return f"Mesh({', '.join(f'{name}={to_text(size)}' for name, size in self.axes.items())})"
