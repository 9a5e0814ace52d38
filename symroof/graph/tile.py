"""Tiles of a contraction: what is moved, held and computed when it is worked off in blocks.

A contraction multiplies two operands and has four groups of indices, each a product of sizes:
``batch`` (in both operands and the result), ``m`` (of the left one and the result), ``n`` (of the
right one and the result) and ``k`` (summed). These ops are contractions: matmul, linear, dot,
outer and gemv, and an einsum of two operands, unless one of these holds: an operand repeats an
index, an index of one operand alone is summed, or nothing is summed and one side has no index of
its own (an elementwise product). Attention, convolutions and all else are none here.

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
from functools import lru_cache
from typing import TypeAlias

from sympy import Expr, Integer, Mul, S, expand

from symroof.errors import InputError, UnknownNameError
from symroof.graph.cost import AttrPairs, Attrs
from symroof.graph.indices import Index
from symroof.graph.op import Op, OpKind
from symroof.graph.tensor import Dim, TensorSpec
from symroof.symbolic.adopt import adopt
from symroof.symbolic.build import add, ceil_of, minimum, multiply
from symroof.symbolic.exact import shown
from symroof.symbolic.printer import to_text
from symroof.symbolic.signs import is_below
from symroof.symbolic.symbols import check_own

Passes: TypeAlias = Callable[[Expr, Expr], Expr]

CONTRACTIONS = frozenset({"matmul", "linear", "dot", "outer", "gemv", "einsum"})

_BETWEEN = re.compile(r"\s*[,×]\s*|(?<=\d)\s*x\s*(?=\d)")


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
                f"a tile has two or three sizes such as 128x128x32, not {shown(given)!r}"
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


@dataclass(frozen=True, slots=True)
class Contraction:
    """The sizes of a contraction and its tensors.

    Attributes
    ----------
    batch, m, n, k : Expr
        Products of the sizes of its four groups of indices.
    left, right, out : TensorSpec
        The operands and the result.
    flops_per_point : Expr
        2, a multiply-add; 1 where nothing is summed.

    Examples
    --------
    >>> from symroof.graph.spec import load
    >>> c = contraction(load("bqd,bdk->bqk").ops[0])
    >>> c.batch, c.m, c.n, c.k
    (b, q, k, d)
    """

    batch: Expr
    m: Expr
    n: Expr
    k: Expr
    left: TensorSpec
    right: TensorSpec
    out: TensorSpec
    flops_per_point: Expr

    @property
    def points(self) -> Expr:
        """Points of the index space: multiply-adds."""
        return multiply([self.batch, self.m, self.n, self.k])

    @property
    def bytes_once(self) -> Expr:
        """Bytes of the two operands and the result."""
        return add([self.left.bytes, self.right.bytes, self.out.bytes])

    @property
    def element_bytes(self) -> tuple[Expr, Expr, Expr]:
        """Bytes of an element of the left operand, the right one and the result."""
        return self.left.dtype.bytes, self.right.dtype.bytes, self.out.dtype.bytes


def contraction(op: Op) -> Contraction | None:
    """Return an op as a contraction; None where it is none (`why_none` says why).

    An op that was fused of several is none: its boundary moves, not its parts. Where one of them
    was a contraction, its sizes are lost, and that is an error.

    Raises
    ------
    InputError
        If it was fused with a contraction.
    """
    found = _found(op)
    if isinstance(found, Contraction):
        return found
    inside = _fused_contractions(op)
    if inside:
        raise InputError(
            f"op {op.name!r} was fused with {', '.join(inside)}, whose sizes are not kept;"
            " tile the graph before it is fused"
        )
    return None


def why_none(op: Op) -> str:
    """Return why an op is no contraction; empty where it is one.

    Examples
    --------
    >>> from symroof.graph.spec import load
    >>> why_none(load("mn,nk,kl->ml").ops[0])
    'an einsum of 3 operands; contract two at a time'
    """
    found = _found(op)
    return found if isinstance(found, str) else ""


def extra_bytes(op: Op, tile: Tile) -> Expr:
    """Return the bytes an op moves beyond each of its tensors once; 0 where it is no contraction.

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
        If it was fused with a contraction.

    Examples
    --------
    >>> from symroof.graph.spec import load
    >>> op = load("mk,kn->mn").ops[0]
    >>> extra_bytes(op, Tile("b", "b"))
    2*k*m*ceiling(n/b) - 2*k*m + 2*k*n*ceiling(m/b) - 2*k*n
    """
    found = contraction(op)
    return S.Zero if found is None else contraction_extra(found, tile)


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
        If it was fused with a contraction, or `units` is below 1.

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
    own = add([flops for _, flops in op.cost.flops])
    found = contraction(op)
    if found is None:
        return own
    added = padded_points(found, tile, units) - found.points
    return expand(own + found.flops_per_point * added)


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


def _found(op: Op) -> Contraction | str:
    signature = op.signature
    return _read(signature.kind, signature.attrs, signature.inputs, signature.outputs)


@lru_cache(maxsize=4096)
def _read(
    kind: OpKind,
    attrs: AttrPairs,
    inputs: tuple[TensorSpec, ...],
    outputs: tuple[TensorSpec, ...],
) -> Contraction | str:
    if kind.name not in CONTRACTIONS:
        return f"{kind.name} is not among {', '.join(sorted(CONTRACTIONS))}"
    if kind.name == "einsum" and len(inputs) != 2:
        plural = "s; contract two at a time" if len(inputs) > 2 else ""
        return f"an einsum of {len(inputs)} operand{plural}"
    named = kind.indices(inputs, outputs, Attrs(attrs))
    if named is None:
        return f"nothing is known of the indices of {kind.name}"
    if named.whole:
        return f"an operand repeats the index {min(named.whole)}"
    left = _sizes_of(named.inputs[0], inputs[0])
    right = _sizes_of(named.inputs[1], inputs[1])
    made = {index for index in named.outputs[0] if index is not None}
    alone = sorted((left.keys() ^ right.keys()) - made)
    if alone:
        return f"the index {alone[0]} is summed in one operand alone"
    summed = (left.keys() & right.keys()) - made
    own = left.keys() - right.keys(), right.keys() - left.keys()
    if not summed and not all(own):
        return "nothing is summed, and it is no outer product"
    return Contraction(
        batch=_product(left, left.keys() & right.keys() & made),
        m=_product(left, own[0]),
        n=_product(right, own[1]),
        k=_product(left, summed),
        left=inputs[0],
        right=inputs[1],
        out=outputs[0],
        flops_per_point=Integer(2 if summed else 1),
    )


def _sizes_of(row: tuple[Index, ...], spec: TensorSpec) -> dict[str, Expr]:
    """Return the size of each index of an operand; a dim that is stretched has none."""
    return {index: size for index, size in zip(row, spec.shape, strict=True) if index is not None}


def _product(sizes: dict[str, Expr], indices: Iterable[str]) -> Expr:
    return expand(Mul(*(sizes[index] for index in indices)))


def _fused_contractions(op: Op) -> list[str]:
    if op.kind.name != "fused":
        return []
    return [name for name in Attrs(op.attrs).get("ops", ()) if name in CONTRACTIONS]


def _sizes(given: object) -> list[Dim]:
    try:
        return list(given)  # type: ignore[call-overload, no-any-return]
    except TypeError:
        raise InputError(
            f"a tile is a Tile, a tuple or text such as '128x128x32', not {type(given).__name__}"
        ) from None
