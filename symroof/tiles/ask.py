"""Questions about tiles: which contraction, in which tiles, on which machine."""

from __future__ import annotations

from collections.abc import Iterable

from symroof.errors import InputError
from symroof.graph.tensor import Dim
from symroof.graph.tile import Keep, Tile, size_of
from symroof.hardware import Chip
from symroof.hardware import chip as find_chip
from symroof.tiles.room import read_room
from symroof.tiles.subject import Given, read_subject
from symroof.tiles.tiled import Tiling, square
from symroof.units import DType, Scope, union


def tiling(
    subject: Given,
    tile: Tile | str | Iterable[Dim] | None = None,
    *,
    chip: Chip | str | None = None,
    level: str | None = None,
    capacity: object = None,
    keep: str = Keep.OUTPUT,
    units: object = None,
    op: str | None = None,
    dtype: str | DType | None = None,
) -> Tiling:
    """Return what is moved, held and computed when a contraction is worked off in tiles.

    A contraction is a matmul, linear, dot, outer, gemv, or an einsum of two operands;
    `symroof.graph.tile` says it in full.

    Parameters
    ----------
    subject : Graph, Op, str or PathLike
        The contraction: an op, a graph with one, or what `symroof.load` reads.
    tile : Tile, tuple or str, optional
        Its blocks: ``sr.Tile(128, 128, 32)``, ``(128, 128, 32)``, ``"128x128x32"``, or with symbols
        ``"b, b, 1"``. By default b by b with a step of 1.
    chip : Chip or str, optional
        A machine, for peaks and bandwidths.
    level : str, optional
        The level of its memory that tiles stream from, the main one by default.
    capacity : Quantity, str or symbol, optional
        The fast memory that holds the tiles: ``"256 KiB"``, or a level of the chip, ``"l2"``.
    keep : str
        The tile that stays while the others stream, where `tile` is no `Tile`: ``output``,
        ``left``, ``right``, ``best``.
    units : int or symbol, optional
        Compute units that take a tile each; by default those of the chip, where it says it.
    op : str, optional
        The name of the op, where the graph has several contractions.
    dtype : str or DType, optional
        Of the operands of an einsum.

    Returns
    -------
    Tiling
        Closed forms; numbers after ``.at``.

    Raises
    ------
    InputError
        If the op is no contraction, or the capacity is smaller than the tile.
    UnknownNameError
        If there is no such op, chip, level or kept tile.

    Examples
    --------
    >>> t = tiling("mk,kn->mn")
    >>> print(t.footprint, "|", t.hong_kung)
    (2*b**2 + 4*b) byte | 4*sqrt(2)*k*m*n/sqrt(2*b**2 + 4*b) byte
    >>> best = t.at(m=4096, n=4096, k=4096).best("256 KiB")
    >>> print(best.tile, "|", best.traffic.to("GB"), "GB")
    342 × 373 × 1 | 0.805306368 GB
    >>> x = tiling("mk,kn->mn", chip="h100-sxm").compute_bound()
    >>> x.at(m=4096, n=4096, k=4096).first
    637
    """
    found = read_subject(subject, op, dtype)
    machine = find_chip(chip) if isinstance(chip, str) else chip
    if machine is not None and not isinstance(machine, Chip):
        raise InputError(f"expected a chip or its name, got {type(machine).__name__}", where="chip")
    if level is not None:
        if machine is None:
            raise InputError(f"{level!r} would be a level of a chip, and none is given")
        machine.bandwidth(level)
    block = square(found.scope, keep=keep) if tile is None else Tile.of(tile, keep)
    many = units if units is not None or machine is None else machine.compute_units
    made = Tiling(
        found,
        block,
        read_room(capacity, machine, union(found.scope, Scope(counts=block.names))),
        machine,
        level,
        None if many is None else size_of(many, "units"),
    )
    made.check()
    return made
