"""The line cut into pieces on which a formula is one quotient of one sign.

A formula is read on a piece as if ceil, floor, Min and Max were settled there. Where they are
not, or where a sum changes sign, the piece is split at the places concerned and read again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from symroof.errors import UndecidedError
from symroof.solve.nodes import Node
from symroof.solve.points import Point
from symroof.solve.quotients import Space, UndefinedError
from symroof.solve.readers import (
    START,
    Cell,
    CellReader,
    Reader,
    SplitError,
    Spot,
    SpotReader,
    TooManyPiecesError,
    UnknownSignError,
)
from symroof.solve.zeros import Zeros


class Piece(NamedTuple):
    """A cell or spot, and whether the condition holds there; None where that is not known."""

    where: Cell | Spot
    holds: bool | None


@dataclass(slots=True)
class Solver:
    """Reads formulas piece by piece.

    Attributes
    ----------
    space : Space
        The generators of the formulas.
    zeros : Zeros
        The zeros found so far.
    """

    space: Space
    zeros: Zeros = field(init=False)

    def __post_init__(self) -> None:
        self.zeros = Zeros(self.space)

    def pieces(
        self,
        nodes: Sequence[Node],
        where: Cell | Spot = Cell(START, None),  # noqa: B008
        *,
        budget: int = 100_000,
        undefined: bool = False,
    ) -> list[Piece]:
        """Return where all the formulas are at least 0.

        Parameters
        ----------
        nodes : sequence of Node
            The formulas.
        where : Cell or Spot
            The part of the line looked at.
        budget : int
            The largest number of pieces.
        undefined : bool
            What to say where a formula has no value.

        Returns
        -------
        list of Piece
            In increasing order, covering `where`; neighbours may agree.

        Raises
        ------
        TooManyPiecesError
            If the budget runs out.
        """
        done: list[Piece] = []
        stack: list[Cell | Spot] = [where]
        while stack:
            piece = stack.pop()
            budget -= 1
            if budget < 0:
                raise TooManyPiecesError
            try:
                done.append(Piece(piece, self._holds(nodes, piece)))
            except UndefinedError:
                done.append(Piece(piece, undefined))
            except UnknownSignError:
                done.append(Piece(piece, None))
            except UndecidedError:
                if isinstance(piece, Spot):
                    raise
                done.append(Piece(piece, None))
            except SplitError as split:
                assert isinstance(piece, Cell)
                stack.extend(reversed(divided(piece, split.places)))
        return done

    def holds_at(self, nodes: Sequence[Node], place: Point) -> bool | None:
        """Return whether all the formulas are at least 0 at one place; None if not known."""
        return self.pieces(nodes, Spot(place))[0].holds

    def _holds(self, nodes: Sequence[Node], where: Cell | Spot) -> bool:
        reader: Reader
        if isinstance(where, Cell):
            reader = CellReader(self.zeros, where)
        else:
            reader = SpotReader(self.zeros, where)
        unknown = False
        for node in nodes:
            try:
                if reader.sign(reader.read(node)) < 0:
                    return False
            except UnknownSignError:
                unknown = True
        if unknown:
            raise UnknownSignError
        return True


def divided(cell: Cell, places: list[Point]) -> list[Cell | Spot]:
    """Return the cells and spots a cell is cut into at places inside it, in increasing order."""
    parts: list[Cell | Spot] = []
    lower = cell.lower
    for place in places:
        parts += [Cell(lower, place), Spot(place)]
        lower = place
    return [*parts, Cell(lower, cell.upper)]
