"""Which index runs along each dim of an op's operands and results: what sharding follows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sympy import Expr, expand

from symroof.symbolic.build import divided, multiplied

Index: TypeAlias = str | None
Row: TypeAlias = tuple[Index, ...]


@dataclass(frozen=True, slots=True)
class Indices:
    """The dims of one op by index; dims of one index are sharded alike.

    An index of the operands that no result has is summed over: where it is sharded, each chip has
    a partial sum.

    Attributes
    ----------
    inputs, outputs : tuple of tuple of (str or None)
        The index along each dim of each operand and result. None is a dim that has to be whole.
    whole : frozenset of str
        Indices that have to be whole.
    linear : tuple of int
        Operands in which the op is linear while the others stay: one of them may be a partial sum.
    additive : bool
        The op adds its operands up: all of them may be partial sums together.

    Examples
    --------
    >>> product = Indices((("m", "k"), ("k", "n")), (("m", "n"),), linear=(0, 1))
    >>> product.summed
    frozenset({'k'})
    """

    inputs: tuple[Row, ...]
    outputs: tuple[Row, ...]
    whole: frozenset[str] = frozenset()
    linear: tuple[int, ...] = ()
    additive: bool = False

    @property
    def summed(self) -> frozenset[str]:
        """The indices that are summed over."""
        made = {index for row in self.outputs for index in row}
        return frozenset(
            index
            for row in self.inputs
            for index in row
            if index is not None and index not in made and index not in self.whole
        )

    @classmethod
    def opaque(cls, inputs: Sequence[int], outputs: Sequence[int]) -> Indices:
        """Return those of an op of which nothing is known, by the ranks: every dim is whole."""
        return cls(tuple((None,) * n for n in inputs), tuple((None,) * n for n in outputs))


def numbered(rank: int, letter: str = "") -> tuple[str, ...]:
    """Return indices for `rank` dims.

    Examples
    --------
    >>> numbered(2, "b")
    ('b0', 'b1')
    """
    return tuple(f"{letter}{place}" for place in range(rank))


def aligned(shape: Sequence[Expr], result: Sequence[Expr], indices: Sequence[str]) -> Row:
    """Return the indices of an operand that numpy's rule broadcasts to `result`.

    Examples
    --------
    >>> from sympy import Integer
    >>> from symroof.symbolic.symbols import symbols
    >>> B, D = symbols("B D")
    >>> aligned((Integer(1), D), (B, D), ("b", "d")), aligned((D,), (B, D), ("b", "d"))
    ((None, 'd'), ('d',))
    """
    start = len(result) - len(shape)
    return tuple(
        index if size == whole else None
        for size, whole, index in zip(shape, result[start:], indices[start:], strict=True)
    )


def elementwise(shapes: Sequence[Sequence[Expr]], result: Sequence[Expr]) -> tuple[Row, ...]:
    """Return the indices of the operands of an elementwise op; those of the result are numbered."""
    return tuple(aligned(shape, result, numbered(len(result))) for shape in shapes)


def reshaped(before: Sequence[Expr], after: Sequence[Expr]) -> tuple[Row, Row]:
    """Return the indices of a tensor before and after its dims are merged or split.

    A run of dims that becomes another run keeps its first index: a shard of the first dim is a
    contiguous part of the run, in either shape.

    Examples
    --------
    >>> from symroof.symbolic.symbols import symbols
    >>> B, S, H, d = symbols("B S H d")
    >>> reshaped((B, S, H * d), (B, S, H, d))
    (('r0', 'r1', 'r2'), ('r0', 'r1', 'r2', None))
    >>> reshaped((B, S, d), (B * S, d))
    (('r0', None, 'r1'), ('r0', 'r1'))
    """
    rows: tuple[list[Index], list[Index]] = ([None] * len(before), [None] * len(after))
    left = [place for place, size in enumerate(before) if size != 1]
    right = [place for place, size in enumerate(after) if size != 1]
    number = 0
    while left and right:
        taken, made = _run([before[at] for at in left], [after[at] for at in right])
        rows[0][left[0]] = rows[1][right[0]] = f"r{number}"
        left, right, number = left[taken:], right[made:], number + 1
    return tuple(rows[0]), tuple(rows[1])


def _run(before: Sequence[Expr], after: Sequence[Expr]) -> tuple[int, int]:
    """Return how many dims of either side make the shortest run of as many elements."""
    taken = made = 1
    ratio = expand(divided(before[0], after[0]))
    while ratio != 1:
        # The side with fewer elements takes one dim more; where it is open, everything is one run.
        if taken < len(before) and (made == len(after) or not _is_product(ratio)):
            ratio, taken = expand(multiplied(ratio, before[taken])), taken + 1
        elif made < len(after) and _is_product(ratio):
            ratio, made = expand(divided(ratio, after[made])), made + 1
        else:
            return len(before), len(after)
    return taken, made


def _is_product(ratio: Expr) -> bool:
    numerator, denominator = ratio.as_numer_denom()
    if denominator.is_Integer and numerator.is_Integer:
        return bool(numerator.p > denominator.p)
    return bool(denominator.is_Integer)
