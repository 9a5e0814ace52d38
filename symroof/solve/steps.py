"""Comparisons with ceil and floor: decided by bounds, by pieces, and by residues.

Bounds free of steps decide most of the line. What they leave open is cut at the steps where
these are few; where they never end, whole numbers are still decided, by residues.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from symroof.errors import UndecidedError
from symroof.solve.envelopes import envelope
from symroof.solve.integers import (
    IntegerSet,
    Run,
    interleaved,
    merged,
    regrouped,
    residues_of,
    restricted,
)
from symroof.solve.nodes import Node
from symroof.solve.pieces import Piece, Solver, divided
from symroof.solve.points import root_point
from symroof.solve.quotients import UndefinedError, UnsolvableError
from symroof.solve.readers import START, Cell, SplitError, Spot, TooManyPiecesError
from symroof.solve.residues import MAX_PERIOD, NotPeriodicError, by_residue, runs_of
from symroof.solve.settling import settled

MAX_PIECES = 2_000
MAX_OPEN_PIECES = 100
MAX_INTEGERS = 20_000
FEW_INTEGERS = 1_000


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the line, and whether the comparison holds there.

    Attributes
    ----------
    where : Cell or Spot
        The part.
    holds : bool or None
        None where it neither holds nor fails throughout, or that is not known.
    nodes : tuple of Node
        For an open part, the formulas as they are on it.
    """

    where: Cell | Spot
    holds: bool | None
    nodes: tuple[Node, ...] = ()

    @property
    def piece(self) -> Piece:
        """The part without its formulas."""
        return Piece(self.where, self.holds)


def decided(solver: Solver, nodes: tuple[Node, ...], where: Cell | Spot) -> list[Part]:
    """Return the parts of the line in increasing order, as few as possible left open.

    Parameters
    ----------
    solver : Solver
        The space of the formulas.
    nodes : tuple of Node
        The formulas that are to be at least 0.
    where : Cell or Spot
        The part of the line looked at.
    """
    if isinstance(where, Spot):
        return _cut(solver, nodes, where, MAX_PIECES)
    try:
        if _is_open_ended(where):
            nodes = tuple(settled(solver.zeros, node, where) for node in nodes)
        parts = _enveloped(solver, nodes, where)
    except SplitError as split:
        return _divided(solver, nodes, where, split)
    except UndefinedError:
        return [Part(where, holds=False)]
    result: list[Part] = []
    for part in parts:
        if part.holds is not None:
            result.append(part)
        else:
            budget = MAX_OPEN_PIECES if _is_open_ended(part.where) else MAX_PIECES
            result += _cut(solver, part.nodes, part.where, budget)
    return result


def _is_open_ended(where: Cell | Spot) -> bool:
    """Return whether a part of the line reaches 0 or infinity."""
    return isinstance(where, Cell) and (where.upper is None or where.lower == START)


def _divided(solver: Solver, nodes: tuple[Node, ...], cell: Cell, split: SplitError) -> list[Part]:
    parts = divided(cell, split.places)
    return [found for part in parts for found in decided(solver, nodes, part)]


def _enveloped(solver: Solver, nodes: tuple[Node, ...], cell: Cell) -> list[Part]:
    """Return parts decided by step-free bounds of the formulas; open where steps matter.

    An open part keeps only the formulas that its bounds do not already prove.
    """
    bounds = [envelope(solver.zeros, node, cell) for node in nodes]
    above = [both[1] for both in bounds if both]
    result: list[Part] = []
    try:
        for outer in solver.pieces(above, cell, undefined=True):
            if outer.holds is False:
                result.append(Part(outer.where, holds=False))
                continue
            below = [both[0] for both in bounds if both]
            for where, _ in solver.pieces(below, outer.where, undefined=False):
                left = tuple(
                    node
                    for node, both in zip(nodes, bounds, strict=True)
                    if both is None or not _proven(solver, both[0], where)
                )
                result.append(Part(where, None if left else True, left))
    except (UnsolvableError, UndecidedError):
        return [Part(cell, None, nodes)]
    return result


def _proven(solver: Solver, below: Node, where: Cell | Spot) -> bool:
    """Return whether a lower bound is at least 0 all over a part."""
    return all(piece.holds for piece in solver.pieces([below], where, undefined=False))


def _cut(solver: Solver, nodes: tuple[Node, ...], where: Cell | Spot, budget: int) -> list[Part]:
    """Return the pieces between the steps; one open part if there are too many."""
    try:
        pieces = solver.pieces(nodes, where, budget=budget)
    except TooManyPiecesError:
        return [Part(where, None, nodes)]
    return [Part(place, holds, nodes if holds is None else ()) for place, holds in pieces]


def whole_numbers(solver: Solver, parts: list[Part]) -> IntegerSet | None:
    """Return the whole numbers in the parts; None where some could not be decided.

    Few numbers of an open part are tried one by one, many or infinitely many by residues.
    """
    power = solver.space.power
    plain: list[Run] = []
    periodic: list[list[list[Run]]] = []
    for part in parts:
        if part.holds is not None:
            plain += runs_of([part.piece], power)
            continue
        for low, high in merged(runs_of([Piece(part.where, True)], power)):
            found = _residues(solver, part, low, high)
            if found is not None:
                periodic.append(found)
                continue
            tried = _tried(solver, part, low, high)
            if tried is None:
                return None
            plain += tried
    if not periodic:
        return IntegerSet.of_runs(plain)
    period = lcm(*map(len, periodic))
    if period > MAX_PERIOD:
        return None
    lists = [residues_of(merged(plain), period)]
    lists += [regrouped(residues, period) for residues in periodic]
    joined = [merged(run for runs in each for run in runs) for each in zip(*lists, strict=True)]
    return interleaved(joined)


def _residues(solver: Solver, part: Part, low: int, high: int | None) -> list[list[Run]] | None:
    """Return an open part's numbers by residue; None where that cannot be, or is not worth it."""
    if high is not None and high - low < FEW_INTEGERS:
        return None
    try:
        return restricted(by_residue(solver, part.nodes), low, high)
    except (NotPeriodicError, TooManyPiecesError, UnsolvableError):
        return None


def _tried(solver: Solver, part: Part, low: int, high: int | None) -> list[Run] | None:
    """Return an open part's numbers, each decided by itself; None if one cannot be."""
    if high is None or high - low >= MAX_INTEGERS:
        return None
    found: list[Run] = []
    for number in range(low, high + 1):
        place = root_point(Fraction(number), solver.space.power)
        holds = solver.holds_at(part.nodes, place)
        if holds is None:
            return None
        if holds:
            found.append((number, number))
    return found
