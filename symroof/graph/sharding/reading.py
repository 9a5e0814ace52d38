"""What users say of the dims of a tensor: the axes of a mesh they are sharded over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, TypeAlias

from sympy import Expr

from symroof.errors import InputError, UnknownNameError
from symroof.symbolic.exact import shown

Axes: TypeAlias = tuple[str, ...]
Sharding: TypeAlias = tuple[Axes, ...]


def read_sharding(given: Any, shape: Sequence[Expr], where: str) -> Sharding:
    """Return what a user says of the dims of a tensor: None, an axis, or a tuple of axes for each.

    Parameters
    ----------
    given : sequence, or str
        One entry for each dim; a text alone is that of the only dim. Empty text is None.
    shape : sequence of Expr
        The dims.
    where : str
        The tensor, for errors.

    Raises
    ------
    InputError
        If there are more or fewer entries than dims, or one axis stands twice.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> read_sharding(("X", None), symbols("B D"), "A")
    (('X',), ())
    >>> read_sharding(("X", "X"), symbols("B D"), "A")
    Traceback (most recent call last):
    symroof.errors.InputError: A: axis 'X' shards two dims, B and D; it can shard one of a tensor
    """
    if isinstance(given, str):
        given = (given,)
    if isinstance(given, bytes | bytearray | Mapping | Set) or not isinstance(given, Iterable):
        raise InputError(
            "a sharding has None, an axis or a tuple of axes for each dim, such as ('X', None);"
            f" not {shown(given)}",
            where=where,
        )
    dims = tuple(_axes(entry, where) for entry in given)
    if len(dims) != len(shape):
        raise InputError(
            f"a sharding has one entry for each of the {len(shape)} dims"
            f" [{', '.join(map(shown, shape))}], not {len(dims)}",
            where=where,
        )
    seen: dict[str, Expr] = {}
    for size, axes in zip(shape, dims, strict=True):
        for axis in axes:
            if axis in seen:
                raise InputError(
                    f"axis {axis[:60]!r} shards two dims, {shown(seen[axis])} and {shown(size)};"
                    " it can shard one of a tensor",
                    where=where,
                )
            seen[axis] = size
    return dims


def check_axes(dims: Sharding, known: Sequence[str], where: str) -> None:
    """Refuse axes that a mesh does not have.

    Raises
    ------
    UnknownNameError
        With the nearest axis there is.
    """
    for axes in dims:
        for axis in axes:
            if axis not in known:
                raise UnknownNameError("axis", axis, known, hint=where)


def _axes(entry: Any, where: str) -> Axes:
    if entry is None or (isinstance(entry, str) and not entry):
        return ()
    if isinstance(entry, str):
        return (entry,)
    if isinstance(entry, tuple | list) and all(isinstance(axis, str) for axis in entry):
        for axis in entry:
            if entry.count(axis) > 1:
                raise InputError(f"axis {axis[:60]!r} stands twice on one dim", where=where)
        return tuple(entry)
    raise InputError(
        f"expected None, an axis or a tuple of axes for a dim, not {shown(entry)}", where=where
    )
