"""Groups of sequences in one step, and how their tokens lie in the dims of activations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sympy import Expr, Integer, expand

from symroof.graph import Tensor
from symroof.graph.ops.movement import concat, reshape, transpose
from symroof.symbolic.build import subtract

ONE = Integer(1)


@dataclass(frozen=True, slots=True)
class Group:
    """Sequences that are alike in a step.

    Attributes
    ----------
    sequences : Expr
        How many there are.
    new : Expr
        New tokens of each of them.
    context : Expr
        Tokens that its last new token attends to, the new ones included.
    encodes : bool
        Whether the encoder reads their input in this step, where the model has one.

    Examples
    --------
    >>> Group(Integer(8), Integer(1), Integer(1024)).decodes
    True
    """

    sequences: Expr
    new: Expr
    context: Expr
    encodes: bool = False

    @property
    def decodes(self) -> bool:
        """Whether each sequence has one new token."""
        return bool(self.new == 1)

    @property
    def fresh(self) -> bool:
        """Whether nothing is cached of its sequences yet."""
        return not self.decodes and bool(self.context == self.new)


class Tokens:
    """The new tokens of all groups together, as the first dims of every activation.

    A single group has a dim of sequences and, if there are several new tokens, one of them. Several
    groups have one dim of tokens, with one group after the other. Where sequences are spread over
    chips there is a dim of chips before it, as each of them has its part of every group.

    Parameters
    ----------
    groups : sequence of Group
    ranks : Expr
        Chips that the sequences are spread over.
    several : bool
        Whether a single new token has a dim of its own too.

    Examples
    --------
    >>> decoding = Group(Integer(8), ONE, Integer(64))
    >>> two = decoding, Group(Integer(2), Integer(16), Integer(16))
    >>> Tokens(two).shape, Tokens(two, ranks=Integer(2)).shape
    ((40,), (2, 20))
    >>> Tokens(two[1:]).shape
    (2, 16)
    """

    def __init__(
        self, groups: Sequence[Group], ranks: Expr = ONE, *, several: bool = False
    ) -> None:
        self.groups = tuple(groups)
        self.ranks = ranks
        first = self.groups[0]
        self.shape: tuple[Expr, ...]
        self.axes: tuple[str | None, ...]
        if len(self.groups) > 1:
            self.lengths = [expand(g.sequences * g.new / ranks) for g in self.groups]
            length = expand(sum(self.lengths, Integer(0)))
            alone = ranks == 1
            self.shape = (length,) if alone else (ranks, length)
            self.axes = (None,) if alone else ("batch", None)
        elif first.decodes and not several:
            self.shape, self.axes = (first.sequences,), ("batch",)
        else:
            self.shape, self.axes = (first.sequences, first.new), ("batch", "sequence")

    @property
    def decode(self) -> bool:
        """Whether all sequences have one new token."""
        return all(group.decodes for group in self.groups)

    def parts(self, x: Tensor, *tail: Expr) -> list[Tensor]:
        """Return for each group its tokens of `x`, of shape (sequences, new, *tail)."""
        return [
            reshape(part, (group.sequences, group.new, *tail))
            for group, part in zip(self.groups, self._cut(x), strict=True)
        ]

    def heads(self, x: Tensor, heads: Expr, size: Expr) -> list[Tensor]:
        """Return for each group its tokens of `x` by heads: (sequences, heads, new, size)."""
        made = []
        for group, part in zip(self.groups, self._cut(x), strict=True):
            if group.decodes:
                made.append(reshape(part, (group.sequences, heads, 1, size)))
            else:
                whole = reshape(part, (group.sequences, group.new, heads, size))
                made.append(transpose(whole, (0, 2, 1, 3)))
        return made

    def merged(self, parts: Sequence[Tensor], width: Expr, name: str) -> Tensor:
        """Return tokens by heads as one tensor of tokens again; the inverse of `heads`."""
        plain = []
        for group, part in zip(self.groups, parts, strict=True):
            plain.append(part if group.decodes else transpose(part, (0, 2, 1, 3)))
        return self.joined(plain, width, name)

    def joined(self, parts: Sequence[Tensor], width: Expr, name: str) -> Tensor:
        """Return the tokens of the groups as one tensor; the inverse of `parts`."""
        if len(parts) == 1:
            return reshape(parts[0], (*self.shape, width), name=name)
        lead = self.shape[:-1]
        flat = [
            reshape(part, (*lead, length, width))
            for part, length in zip(parts, self.lengths, strict=True)
        ]
        return concat(flat, axis=len(lead), name=name)

    def last(self, x: Tensor, pieces: Expr = ONE) -> Tensor:
        """Return the last token of each sequence.

        Parameters
        ----------
        x : Tensor
        pieces : Expr
            Parts that the dim of new tokens is spread over; each gives the last token it has.
        """
        if self.decode and len(self.groups) == 1:
            return x
        width = x.shape[-1]
        found: list[Tensor] = []
        for group, part in zip(self.groups, self._cut(x), strict=True):
            if group.decodes:
                found.append(part)
                continue
            length = expand(group.new / pieces)
            whole = reshape(part, (group.sequences, pieces, length, width))
            taken = whole[:, :, expand(subtract(length, ONE))]
            if len(self.groups) > 1:
                each = expand(group.sequences / self.ranks)
                taken = reshape(taken, (*self.shape[:-1], each, width))
            found.append(taken)
        if len(found) == 1:
            return found[0]
        return concat(found, axis=len(self.shape) - 1, name="last_tokens")

    def _cut(self, x: Tensor) -> list[Tensor]:
        if len(self.groups) == 1:
            return [x]
        found, start = [], Integer(0)
        for length in self.lengths:
            stop = expand(start + length)
            key: tuple[Any, ...] = (..., slice(start, stop), slice(None))
            found.append(x[key])
            start = stop
        return found
