"""The set on which one formula in one unknown is at least some others, decided exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from sympy import Expr, S, Symbol

from symroof.errors import UnboundError, UndecidedError
from symroof.solve.bracketing import bracketed
from symroof.solve.integers import IntegerSet
from symroof.solve.located import NumericRoot
from symroof.solve.nodes import Node, add, compile_nodes, has_steps, negate
from symroof.solve.pieces import Piece, Solver
from symroof.solve.points import Crossing, Point, closed_form, root_point
from symroof.solve.quotients import UndefinedError, UnsolvableError
from symroof.solve.readers import START, Cell, Spot, TooManyPiecesError
from symroof.solve.steps import Part, decided, whole_numbers
from symroof.symbolic.regions import Interval, Region

NUMERIC = "numeric: each irrational end is bracketed to 2**-80 of its size, with a proof"
BRACKETED = "no set over the reals; whole numbers by bounds of both sides, with a proof"


@dataclass(frozen=True, slots=True)
class ExactRegion:
    """Where left >= right for every right, over the positive numbers and over the integers.

    Attributes
    ----------
    real : Region or None
        The set on the positive line; None where it has too many pieces or could not be decided.
    integers : IntegerSet or None
        The whole numbers from 1 on in it; None where they could not be decided.
    numeric : bool
        Whether some end is only known by a proven bracket.
    note : str
        Why an end is numeric, why a set is None; empty otherwise.
    """

    real: Region | None
    integers: IntegerSet | None
    numeric: bool = False
    note: str = ""


def exact_region(left: Expr, rights: Sequence[Expr], unknown: Symbol) -> ExactRegion:
    """Return for which values of a positive unknown `left` is at least every right.

    Where a side has no value (division by zero, the root of a negative number) the comparison
    does not hold.

    Parameters
    ----------
    left : Expr
        What is to be the larger: sums, products, powers, ceil, floor, Min, Max, log2 of the
        unknown and exact numbers.
    rights : sequence of Expr
        What it is compared with; none makes the answer everything.
    unknown : Symbol
        The only symbol in them.

    Returns
    -------
    ExactRegion
        Never a wrong set: what cannot be decided is None, and the note says why.

    Raises
    ------
    UnboundError
        If another symbol is left.

    Examples
    --------
    >>> from sympy import Max, ceiling
    >>> B = Symbol("B", positive=True)
    >>> found = exact_region(S(5), [Max(B / 10, 2 + B / 40)], B)
    >>> found.real.text("B"), found.integers.intervals
    ('B ≤ 50', ((1, 50),))
    >>> found = exact_region(ceiling(B / 4), [B / 3], B)
    >>> found.real.text("B"), found.integers.intervals
    ('B ≤ 3 or 4 < B ≤ 6 or 8 < B ≤ 9', ((1, 3), (5, 6), (9, 9)))
    """
    free = {atom for side in (left, *rights) for atom in side.free_symbols} - {unknown}
    if free:
        raise UnboundError("the comparison", (atom.name for atom in free))
    plain = _infinite(left, rights)
    if plain is not None:
        return plain
    rights = [right for right in rights if right is not S.NegativeInfinity]
    try:
        solver, nodes = _compiled(left, tuple(rights), unknown)
        if any(map(has_steps, nodes)):
            return _with_steps(solver, nodes, Membership(left, tuple(rights), unknown))
        return _without_steps(solver, nodes)
    except UndefinedError:
        return _EMPTY
    except (UnsolvableError, UndecidedError, TooManyPiecesError) as error:
        reason = str(error) or "too many pieces"
    integers = bracketed(left, rights, unknown)
    if integers is None:
        return ExactRegion(None, None, note=f"not solved: {reason}")
    return ExactRegion(None, integers, note=f"{reason}: {BRACKETED}")


@dataclass(frozen=True)
class Membership:
    """Whether one whole number satisfies a comparison, decided at that number.

    Examples
    --------
    >>> u = Symbol("u", positive=True)
    >>> Membership(u**2, (S(10),), u)(3), Membership(u**2, (S(10),), u)(4)
    (False, True)
    """

    left: Expr
    rights: tuple[Expr, ...]
    unknown: Symbol

    def __call__(self, number: int) -> bool:
        """Return whether the comparison holds at `number`."""
        solver, nodes = _compiled(self.left, self.rights, self.unknown)
        place = root_point(Fraction(number), solver.space.power)
        holds = solver.holds_at(nodes, place)
        if holds is None:
            raise UndecidedError(f"the comparison at {number} could not be decided")
        return holds


@lru_cache(maxsize=32)
def _compiled(
    left: Expr, rights: tuple[Expr, ...], unknown: Symbol
) -> tuple[Solver, tuple[Node, ...]]:
    space, (first, *others) = compile_nodes([left, *rights], unknown)
    nodes = [add(space, [first, negate(space, other)]) for other in others]
    return Solver(space), tuple(nodes)


_EVERY_INTEGER = IntegerSet.of_runs([(1, None)])
_ALL = ExactRegion(Region.ALL, _EVERY_INTEGER)
_EMPTY = ExactRegion(Region.EMPTY, IntegerSet.of_runs([]))


def _infinite(left: Expr, rights: Sequence[Expr]) -> ExactRegion | None:
    """Answer where a side is infinite or no number at all."""
    sides = (left, *rights)
    if any(side in (S.NaN, S.ComplexInfinity) for side in sides):
        return _EMPTY
    if left is S.Infinity:
        return _ALL
    if left is S.NegativeInfinity:
        return _ALL if all(right is S.NegativeInfinity for right in rights) else _EMPTY
    return _EMPTY if S.Infinity in rights else None


def _without_steps(solver: Solver, nodes: tuple[Node, ...]) -> ExactRegion:
    pieces = _closed(solver.pieces(nodes))
    real = _region(pieces, solver.space.power)
    parts = [Part(where, holds, nodes if holds is None else ()) for where, holds in pieces]
    integers = whole_numbers(solver, parts)
    return _answer(real, integers, pieces, "a sign could not be proven near a point")


def _closed(pieces: Sequence[Piece]) -> list[Piece]:
    """Return the pieces, places next to a cell that holds added where all is continuous."""
    result = list(pieces)
    for i, (where, holds) in enumerate(pieces):
        if holds is None and isinstance(where, Spot):
            around = (*pieces[max(i - 1, 0) : i], *pieces[i + 1 : i + 2])
            if any(piece.holds for piece in around):
                result[i] = Piece(where, True)
    return result


def _answer(
    real: Region | None, integers: IntegerSet | None, pieces: Sequence[Piece], doubt: str
) -> ExactRegion:
    if real is None and integers is None:
        raise UnsolvableError(doubt)
    if real is None:
        numeric = any(isinstance(end, Crossing) for piece in pieces for end in piece.where)
    else:
        ends = (end for interval in real.intervals for end in (interval.lower, interval.upper))
        numeric = any(end is not None and end.has(NumericRoot) for end in ends)
    notes = [NUMERIC] if numeric else []
    if real is None:
        notes.append(f"no set over the reals: {doubt}")
    if integers is None:
        notes.append("the integers could not be decided")
    return ExactRegion(real, integers, numeric, "; ".join(notes))


def _region(pieces: Sequence[Piece], power: int) -> Region | None:
    """Return the union of the pieces that hold; None if any is unknown."""
    intervals: list[Interval] = []
    start: Point | None = None
    closed = False
    ends: dict[int, Expr] = {}

    def end(point: Point) -> Expr:
        if id(point) not in ends:
            ends[id(point)] = closed_form(point, power)
        return ends[id(point)]

    def finish(upper: Point | None, upper_closed: bool) -> None:
        assert start is not None
        at_zero = start == START
        intervals.append(
            Interval(
                None if at_zero else end(start),
                None if upper is None else end(upper),
                closed and not at_zero,
                upper_closed,
            )
        )

    last: Piece | None = None
    for piece in pieces:
        where, holds = piece
        if holds is None:
            return None
        if holds and start is None:
            start = where.lower if isinstance(where, Cell) else where.place
            closed = isinstance(where, Spot)
        elif not holds and start is not None:
            if isinstance(where, Cell):
                finish(where.lower, upper_closed=True)
            else:
                finish(where.place, upper_closed=False)
            start = None
        last = piece
    if start is not None:
        assert last is not None
        if isinstance(last.where, Cell):
            finish(last.where.upper, upper_closed=False)
        else:
            finish(last.where.place, upper_closed=True)
    return Region(tuple(intervals))


def _with_steps(solver: Solver, nodes: tuple[Node, ...], belongs: Membership) -> ExactRegion:
    parts = decided(solver, nodes, Cell(START, None))
    pieces = [part.piece for part in parts]
    real = _region(pieces, solver.space.power)
    found = whole_numbers(solver, parts)
    integers = None if found is None else replace(found, belongs=belongs)
    doubt = "steps without end, or more of them than are looked at one by one"
    return _answer(real, integers, pieces, doubt)
