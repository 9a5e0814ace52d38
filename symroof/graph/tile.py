"""Tiles of a contraction: what is moved, held and computed when it is worked off in blocks.

What a contraction is, `symroof.graph.contractions` says.

The nest walks tiles of ``m`` by ``n`` by ``k`` with one tile of each operand in fast memory. Of
the three tiles the kept one stays until it is done with, the others stream past it:

======  =====================  =====================  ============================================
keep    left is read           right is read          the result is written, and read again
======  =====================  =====================  ============================================
output  ceil(N/n) times        ceil(M/m) times        once, never
left    once                   ceil(M/m) times        ceil(K/k) times, ceil(K/k) - 1 times
right   ceil(N/n) times        once                   ceil(K/k) times, ceil(K/k) - 1 times
======  =====================  =====================  ============================================

The least of the three is the least over all six orders of the loops, partial tiles at the edges
included.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from sympy import Expr, expand

from symroof.errors import InputError, UnknownNameError
from symroof.graph.contractions import Contraction, contraction, contractions, why_none
from symroof.graph.op import Op
from symroof.graph.tensor import Dim
from symroof.symbolic.adopt import adopt
from symroof.symbolic.build import add, ceil_of, minimum, multiply
from symroof.symbolic.exact import shown
from symroof.symbolic.printer import to_text
from symroof.symbolic.signs import is_below
from symroof.symbolic.symbols import check_own

Passes: TypeAlias = Callable[[Expr, Expr], Expr]

_BETWEEN = re.compile(r"\s*[,×]\s*|(?<=\d)\s*[xX]\s*(?=\d)")


class Keep(StrEnum):
    """Which tile stays in fast memory while the others stream past it."""

    OUTPUT = "output"
    LEFT = "left"
    RIGHT = "right"
    BEST = "best"


ONE_KEPT = (Keep.OUTPUT, Keep.LEFT, Keep.RIGHT)


@dataclass(frozen=True, slots=True, init=False)
class Tile:
    """The block in which a contraction is worked off: m rows, n columns, k of the sum.

    Parameters
    ----------
    m, n, k : int, text or Expr
        The sizes: whole numbers from 1, or formulas of such.
    keep : str
        The tile that stays while the others stream: ``output``, ``left``, ``right``, or ``best``,
        whichever moves least.

    Raises
    ------
    InputError
        If a size is below 1 or no whole number.
    UnknownNameError
        If `keep` is none of the four.

    Examples
    --------
    >>> tile = Tile(128, "b", 32)
    >>> str(tile), tile.names
    ('128 × b × 32', frozenset({'b'}))
    >>> Tile(128, 0)
    Traceback (most recent call last):
    symroof.errors.InputError: tile n: a size is a whole number of 1 or more, not 0
    """

    m: Expr
    n: Expr
    k: Expr
    keep: Keep

    def __init__(self, m: Dim, n: Dim, k: Dim = 1, keep: str = Keep.OUTPUT) -> None:
        for name, size in (("m", m), ("n", n), ("k", k)):
            object.__setattr__(self, name, size_of(size, f"tile {name}"))
        if keep not in tuple(Keep):
            raise UnknownNameError("tile to keep", str(keep), [str(kept) for kept in Keep])
        object.__setattr__(self, "keep", Keep(keep))

    @classmethod
    def of(cls, given: Tile | str | Iterable[Dim], keep: str = Keep.OUTPUT) -> Tile:
        """Return the tile that is given as one, as a tuple of sizes or as text.

        Parameters
        ----------
        given : Tile, tuple or str
            A tile as it is; ``(128, 128, 32)``; ``"128x128x32"`` or ``"b, b, 1"``.
        keep : str
            The tile that stays, unless a `Tile` says it.

        Raises
        ------
        InputError
            If these are not two or three sizes of 1 or more.

        Examples
        --------
        >>> Tile.of("128x128x32") == Tile.of((128, 128, 32)) == Tile(128, 128, 32)
        True
        """
        if isinstance(given, Tile):
            return given
        sizes = _BETWEEN.split(given.strip()) if isinstance(given, str) else _sizes(given)
        if len(sizes) not in (2, 3):
            raise InputError(
                "a tile has two or three sizes such as 128x128x32, or 'b, b, 32' with symbols,"
                f" not {shown(given)!r}"
            )
        m, n, k = (*sizes, 1)[:3]
        return cls(m, n, k, keep)

    @property
    def names(self) -> frozenset[str]:
        """The names in its sizes: whole numbers from 1."""
        return frozenset(s.name for size in (self.m, self.n, self.k) for s in size.free_symbols)

    def keeping(self, keep: str) -> Tile:
        """Return the same block with another tile that stays."""
        return Tile(self.m, self.n, self.k, keep)

    def __str__(self) -> str:
        sizes = " × ".join(map(to_text, (self.m, self.n, self.k)))
        return sizes if self.keep is Keep.OUTPUT else f"{sizes}, keep {self.keep}"

    def __reduce__(self) -> tuple[type[Tile], tuple[object, ...]]:
        return Tile, (self.m, self.n, self.k, self.keep)


def extra_bytes(op: Op, tile: Tile) -> Expr:
    """Return the bytes an op moves beyond each of its tensors once; 0 where it is no contraction.

    Of a fused op every contraction counts: what fusing saves is the once, not the tiles.

    The bias of a linear layer is read once. Partial sums move in the dtype of the result.

    Parameters
    ----------
    op : Op
        Any op.
    tile : Tile
        The block it is worked off in.

    Returns
    -------
    Expr
        Bytes of one such op.

    Raises
    ------
    InputError
        If it was fused of ops whose sizes are not known, or of contractions that feed each other.

    Examples
    --------
    >>> from symroof.graph.spec import load
    >>> op = load("mk,kn->mn").ops[0]
    >>> extra_bytes(op, Tile("b", "b"))
    2*k*m*ceiling(n/b) - 2*k*m + 2*k*n*ceiling(m/b) - 2*k*n
    """
    found = contractions(op)
    if any(each.fed for each in found):
        raise InputError(
            f"op {op.name!r} keeps on chip what one of its contractions makes for another, and"
            " tiles would move it again; tile the graph before it is fused"
        )
    return add([contraction_extra(each, tile) for each in found])


def contraction_extra(found: Contraction, tile: Tile, counted: Passes | None = None) -> Expr:
    """Return the bytes a contraction moves beyond each of its tensors once.

    Parameters
    ----------
    found : Contraction
        What is worked off.
    tile : Tile
        In blocks of this.
    counted : callable, optional
        How often blocks of a size go through another; whole blocks by default, as `passes` has it.
    """
    kept = ONE_KEPT if tile.keep is Keep.BEST else (tile.keep,)
    return minimum([_extra(found, tile, keep, counted or passes) for keep in kept])


def footprint(op: Op, tile: Tile) -> Expr:
    """Return the bytes of fast memory that the three tiles of a contraction take.

    A tile is counted whole, also where the matrix is smaller. Each tensor counts with the bits of
    its dtype, the scales of block formats shared out.

    Raises
    ------
    InputError
        If the op is no contraction.

    Examples
    --------
    >>> from symroof.graph.spec import load
    >>> op = load("mk,kn->mn").ops[0]
    >>> footprint(op, Tile(128, 128, 32)), footprint(op, Tile("b", "b", 1))
    (49152, 2*b**2 + 4*b)
    """
    found = contraction(op)
    if found is None:
        raise InputError(f"op {op.name!r} ({op.kind.name}) is no contraction: {why_none(op)}")
    return contraction_footprint(found, tile)


def contraction_footprint(found: Contraction, tile: Tile) -> Expr:
    """Return the bytes that one tile of each tensor of a contraction takes."""
    left, right, out = found.element_bytes
    return expand(
        add(
            [
                multiply([tile.m, tile.k, left]),
                multiply([tile.k, tile.n, right]),
                multiply([tile.m, tile.n, out]),
            ]
        )
    )


def padded_flops(op: Op, tile: Tile, units: object = None) -> Expr:
    """Return the FLOPs of an op whose tiles are all worked off whole, in whole waves over units.

    Of a contraction there are batch * ceil(M/m) * ceil(N/n) tiles of the result, each of
    ceil(K/k) steps; the last wave of tiles takes as long as a full one. Every multiply-add counts
    2 as always (1 where nothing is summed), and a bias what it does without tiles. Other ops have
    the FLOPs they have.

    Parameters
    ----------
    op : Op
        Any op.
    tile : Tile
        The block it is worked off in.
    units : int, text or Expr, optional
        Compute units that take a tile each: SMs, CUs, cores. Without, waves are not rounded up.

    Raises
    ------
    InputError
        If it was fused of ops whose sizes are not known, or `units` is below 1.

    Examples
    --------
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> c = g.input("a", (129, 64), "fp16") @ g.weight("b", (64, 256), "fp16")
    >>> tile = Tile(128, 128, 32)
    >>> padded_flops(g.ops[0], tile) == 2 * 256 * 256 * 64  # 4 tiles
    True
    >>> padded_flops(g.ops[0], tile, 108) == 108 * 2 * 128 * 128 * 64  # one wave
    True
    """
    return add(list(padded_by_dtype(op, tile, units).values()))


def padded_by_dtype(op: Op, tile: Tile, units: object = None) -> dict[str, Expr]:
    """Return the same by the key of the peak."""
    made = dict(op.cost.flops)
    for each in contractions(op):
        added = padded_points(each, tile, units) - each.points
        made[each.dtype] = expand(made[each.dtype] + each.flops_per_point * added)
    return made


def padded_points(found: Contraction, tile: Tile, units: object = None) -> Expr:
    """Return the multiply-adds of a contraction with tiles and waves worked off whole."""
    steps = multiply([passes(found.k, tile.k), tile.k])
    whole = multiply([tile.m, tile.n, steps])
    if units is None:
        return multiply([tiles(found, tile), whole])
    return multiply([waves(found, tile, units), size_of(units, "units"), whole])


def tiles(found: Contraction, tile: Tile) -> Expr:
    """Return how many tiles the results of a contraction have."""
    return multiply([found.batch, passes(found.m, tile.m), passes(found.n, tile.n)])


def waves(found: Contraction, tile: Tile, units: object) -> Expr:
    """Return in how many waves `units` work off the tiles of a contraction, one each."""
    return passes(tiles(found, tile), size_of(units, "units"))


def passes(size: Expr, step: Expr) -> Expr:
    """Return how many steps go through a size, which is a whole number: ceil(size/step).

    Examples
    --------
    >>> from sympy import Integer
    >>> from symroof.symbolic.symbols import symbols
    >>> M, b = symbols("M b")
    >>> passes(M, b), passes(4 * M, Integer(2)), passes(M, Integer(1))
    (ceiling(M/b), 2*M, M)
    """
    if step == 1:
        return size
    share = expand(size / step)
    if not share.is_number and share.as_numer_denom()[1] == 1:
        return share
    return ceil_of(share)


def size_of(given: object, where: str) -> Expr:
    """Return a size: a whole number from 1, or a formula of such.

    Raises
    ------
    InputError
        If it is below 1 or no whole number.

    Examples
    --------
    >>> size_of("2*b", "tile m"), size_of(128, "tile m")
    (2*b, 128)
    """
    size = check_own(adopt(given, where=where), where)
    whole = size.is_Integer or not size.is_number
    if not whole or (size.is_number and size < 1) or is_below(size, 1):
        raise InputError(f"a size is a whole number of 1 or more, not {shown(given)}", where=where)
    return size


def _extra(found: Contraction, tile: Tile, keep: Keep, counted: Passes) -> Expr:
    again = []
    if keep is not Keep.LEFT:
        again.append((counted(found.n, tile.n), found.left.bytes))
    if keep is not Keep.RIGHT:
        again.append((counted(found.m, tile.m), found.right.bytes))
    if keep is not Keep.OUTPUT:
        again.append((counted(found.k, tile.k), 2 * found.out.bytes))
    terms = [multiply([times, moved]) for times, moved in again]
    return add([*terms, *(-moved for _, moved in again)])


def _sizes(given: object) -> list[Dim]:
    try:
        return list(given)  # type: ignore[call-overload, no-any-return]
    except TypeError:
        raise InputError(
            f"a tile is a Tile, a tuple or text such as '128x128x32', not {type(given).__name__}"
        ) from None
