"""Storages and their regions: which bytes of which memory a tensor is.

A tensor made by an op that is no view has a storage of its own, all of which it covers. Slices,
reshapes and transposes share the storage of what they look at. A region is a box of a storage,
or of a box seen in another shape; None stands for the whole storage.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from sympy import Add, Expr, Integer, Min, expand

from symroof.symbolic.bounds import at_most

if TYPE_CHECKING:
    from symroof.graph.tensor import Tensor

Span: TypeAlias = tuple[Expr, Expr]
ZERO = Integer(0)


@dataclass(frozen=True, slots=True)
class Region:
    """A box of a storage.

    Attributes
    ----------
    parent : Region or None
        What the box is cut from; None is the whole storage.
    shape : tuple of Expr
        The shape in which the parent is seen.
    order : tuple of int
        Order of the parent's own axes in which it is seen; identical orders are comparable.
    box : tuple of (Expr, Expr)
        Start and length along each axis of `shape`.
    """

    parent: Region | None
    shape: tuple[Expr, ...]
    order: tuple[int, ...]
    box: tuple[Span, ...]

    def lineage(self) -> Iterator[Region]:
        """Yield the region and every region it was cut from."""
        region: Region | None = self
        while region is not None:
            yield region
            region = region.parent


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """How a tensor looks at a storage.

    Attributes
    ----------
    storage : Tensor
        The tensor whose memory it is.
    parent : Region or None
        The region that `shape` describes in full.
    shape : tuple of Expr
        A shape of that region.
    order : tuple of int
        Order in which the axes of the parent were put before it got `shape`.
    box : tuple of (Expr, Expr)
        Start and length along each axis of `shape`.
    axes : tuple of int
        For each axis of the tensor, the axis of `shape` it runs along.
    region : Region or None
        What the tensor covers; None for the whole storage.

    Examples
    --------
    >>> from symroof.graph import Graph
    >>> g = Graph("g")
    >>> kv = g.cache("kv", (62, 8, 8192, 128), "bf16")
    >>> kv[3].region.box[0], kv[3].storage is kv
    ((3, 1), True)
    """

    storage: Tensor
    parent: Region | None
    shape: tuple[Expr, ...]
    order: tuple[int, ...]
    box: tuple[Span, ...]
    axes: tuple[int, ...]
    region: Region | None

    @classmethod
    def whole(cls, storage: Tensor) -> View:
        """Return the view of all of `storage`."""
        return cls._full(storage, None, storage.spec.shape, ())

    @classmethod
    def _full(
        cls, storage: Tensor, parent: Region | None, shape: tuple[Expr, ...], order: tuple[int, ...]
    ) -> View:
        box = tuple((ZERO, length) for length in shape)
        return cls(storage, parent, shape, order, box, tuple(range(len(shape))), parent)

    def on(self, storage: Tensor) -> View:
        """Return the same view of another storage."""
        return View(storage, self.parent, self.shape, self.order, self.box, self.axes, self.region)

    def sliced(self, axis: int, start: Expr, length: Expr, *, drop: bool = False) -> View:
        """Return the view of `length` places from `start`; `drop` takes the axis away."""
        inner = self.axes[axis]
        before, _ = self.box[inner]
        box = (*self.box[:inner], (before + start, length), *self.box[inner + 1 :])
        axes = (*self.axes[:axis], *self.axes[axis + 1 :]) if drop else self.axes
        full = all(a == ZERO and n == size for (a, n), size in zip(box, self.shape, strict=True))
        region = self.parent if full else Region(self.parent, self.shape, self.order, box)
        return View(self.storage, self.parent, self.shape, self.order, box, axes, region)

    def transposed(self, axes: Sequence[int]) -> View:
        """Return the view with its axes in another order."""
        return View(
            self.storage,
            self.parent,
            self.shape,
            self.order,
            self.box,
            tuple(self.axes[axis] for axis in axes),
            self.region,
        )

    def reshaped(self, shape: tuple[Expr, ...]) -> View:
        """Return the view of the same region in another shape."""
        order = () if self.axes == tuple(range(len(self.shape))) else self.axes
        return View._full(self.storage, self.region, shape, order)


@dataclass(frozen=True, slots=True)
class Access:
    """Bytes of one region that an op touches.

    Attributes
    ----------
    region : Region or None
        The region; None is the whole storage.
    amount : Expr
        Bytes touched.
    full : bool
        Whether that is all of the region.
    """

    region: Region | None
    amount: Expr
    full: bool


def charges(inputs: Sequence[Tensor], reads: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """Return the bytes each port has to read when one storage is read once.

    Equal regions on two ports count once, disjoint regions add, others are capped by the storage.

    Parameters
    ----------
    inputs : sequence of Tensor
        The operands, by port.
    reads : tuple of Expr
        What each port reads on its own, in bytes.

    Returns
    -------
    tuple of Expr
        What each port adds to what the earlier ports read of the same storage.
    """
    if len({tensor.storage for tensor in inputs}) == len(inputs):
        return reads
    by_storage: dict[Tensor, list[Access]] = {}
    charged = []
    for tensor, amount in zip(inputs, reads, strict=True):
        seen = by_storage.setdefault(tensor.storage, [])
        access = Access(tensor.region, amount, amount == tensor.spec.bytes)
        whole = tensor.storage.spec.bytes
        charged.append(
            expand(union([*seen, access], whole) - union(seen, whole)) if seen else amount
        )
        seen.append(access)
    return tuple(charged)


def union(accesses: Sequence[Access], whole: Expr) -> Expr:
    """Return the bytes touched by all of `accesses` to one storage of `whole` bytes.

    Examples
    --------
    >>> twice = Access(None, Integer(64), True)
    >>> union([twice, twice], Integer(64))
    64
    """
    if len(accesses) == 1:
        return accesses[0].amount
    kept = _outermost([a for a in accesses if a.full])
    if any(access.region is None for access in kept):
        return whole
    kept += [
        a for a in accesses if not a.full and not any(_contains(k.region, a.region) for k in kept)
    ]
    total = Add(*(access.amount for access in kept))
    apart = all(_disjoint(a.region, b.region) for i, a in enumerate(kept) for b in kept[i + 1 :])
    return total if apart else _capped(total, whole, _dims(accesses, whole))


def _capped(amount: Expr, whole: Expr, dims: frozenset[str]) -> Expr:
    if at_most(amount, whole, dims):
        return amount
    if at_most(whole, amount, dims):
        return whole
    return Min(amount, whole, evaluate=False)


def _dims(accesses: Sequence[Access], whole: Expr) -> frozenset[str]:
    """Return the names in shapes, which are at least 1; other amounts may hold any number."""
    spans = {
        span
        for access in accesses
        if access.region is not None
        for part in access.region.lineage()
        for span in part.box
    }
    sizes = (whole, *(size for span in spans for size in span))
    return frozenset(symbol.name for size in sizes for symbol in size.free_symbols)


def _outermost(accesses: Sequence[Access]) -> list[Access]:
    kept: list[Access] = []
    for access in accesses:
        if any(_contains(other.region, access.region) for other in kept):
            continue
        kept = [other for other in kept if not _contains(access.region, other.region)]
        kept.append(access)
    return kept


def _contains(outer: Region | None, inner: Region | None) -> bool:
    if outer is None or outer == inner:
        return True
    if inner is None:
        return False
    return any(
        _same_frame(outer, part)
        and all(
            at_most(a, b) and at_most(b + m, a + n)
            for (a, n), (b, m) in zip(outer.box, part.box, strict=True)
        )
        for part in inner.lineage()
    )


def _disjoint(one: Region | None, other: Region | None) -> bool:
    if one is None or other is None:
        return False
    return any(
        _same_frame(a, b)
        and any(
            at_most(start + length, begin) or at_most(begin + size, start)
            for (start, length), (begin, size) in zip(a.box, b.box, strict=True)
        )
        for a in one.lineage()
        for b in other.lineage()
    )


def _same_frame(a: Region, b: Region) -> bool:
    return a.shape == b.shape and a.order == b.order and a.parent == b.parent
