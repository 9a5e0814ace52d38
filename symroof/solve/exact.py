"""The set on which one formula in one unknown is at least some others, decided exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from sympy import Expr, S, Symbol

from symroof.errors import UnboundError
from symroof.solve.envelopes import envelope
from symroof.solve.integers import IntegerSet, Run, interleaved
from symroof.solve.located import NumericRoot
from symroof.solve.nodes import Node, add, compile_nodes, has_steps, negate
from symroof.solve.pieces import Piece, Solver
from symroof.solve.points import Crossing, Point, closed_form, root_point
from symroof.solve.quotients import UndefinedError, UnsolvableError
from symroof.solve.readers import START, Cell, Spot, TooManyPiecesError
from symroof.solve.residues import NotPeriodicError, by_residue, runs_of
from symroof.symbolic.reals import UndecidedError
from symroof.symbolic.regions import Interval, Region

MAX_PIECES = 5_000
MAX_OPEN_PIECES = 100
MAX_INTEGERS = 20_000

NUMERIC = "numeric: each irrational end is bracketed to 2**-80 of its size, with a proof"


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

    @property
    def solved(self) -> bool:
        """Whether either set is known."""
        return self.real is not None or self.integers is not None


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
    except UnsolvableError as reason:
        return ExactRegion(None, None, note=f"not solved: {reason}")
    except (UndecidedError, TooManyPiecesError) as reason:
        return ExactRegion(None, None, note=f"not solved: {reason or 'too many pieces'}")


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


def _without_steps(solver: Solver, nodes: Sequence[Node]) -> ExactRegion:
    pieces = _closed(solver.pieces(nodes))
    real = _region(pieces, solver.space.power)
    integers = _integers(solver, nodes, pieces)
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


def _integers(
    solver: Solver,
    nodes: Sequence[Node],
    pieces: Sequence[Piece],
    belongs: Membership | None = None,
) -> IntegerSet | None:
    """Return the whole numbers in the pieces; those in unknown pieces are tried one by one."""
    power = solver.space.power
    runs: list[Run] = []
    for piece in pieces:
        if piece.holds is not None:
            runs += runs_of([piece], power)
            continue
        for low, high in runs_of([Piece(piece.where, True)], power):
            if high is None or high - low > MAX_INTEGERS:
                return None
            for number in range(max(low, 1), high + 1):
                holds = solver.holds_at(nodes, root_point(Fraction(number), power))
                if holds is None:
                    return None
                if holds:
                    runs.append((number, number))
    return IntegerSet.of_runs(runs, belongs)


def _with_steps(solver: Solver, nodes: Sequence[Node], belongs: Membership) -> ExactRegion:
    pieces = _scanned(solver, nodes)
    if all(piece.holds is not None for piece in pieces):
        real = _region(pieces, solver.space.power)
        return _answer(real, _integers(solver, nodes, pieces, belongs), pieces, "")
    doubt = "steps without end, or more of them than are looked at one by one"
    try:
        integers: IntegerSet | None = interleaved(by_residue(solver, nodes), belongs)
    except (NotPeriodicError, TooManyPiecesError):
        integers = _integers(solver, nodes, pieces, belongs)
    return _answer(None, integers, pieces, doubt)


def _scanned(solver: Solver, nodes: Sequence[Node]) -> list[Piece]:
    """Return pieces; unknown ones where the steps are too many to look at one by one."""
    result: list[Piece] = []
    for piece in _enveloped(solver, nodes):
        result += [piece] if piece.holds is not None else _scan(solver, nodes, piece.where)
    return result


def _enveloped(solver: Solver, nodes: Sequence[Node]) -> list[Piece]:
    """Return pieces decided by step-free bounds of the formulas; unknown where steps matter."""
    everything = Cell(START, None)
    bounds = [envelope(solver.space, node) for node in nodes]
    below = [both[0] for both in bounds if both]
    above = [both[1] for both in bounds if both]
    result: list[Piece] = []
    try:
        for outer in solver.pieces(above, everything, undefined=True):
            if outer.holds is False:
                result.append(outer)
            elif len(below) < len(nodes):
                result.append(Piece(outer.where, None))
            else:
                inner = solver.pieces(below, outer.where, undefined=False)
                result += [Piece(where, holds or None) for where, holds in inner]
    except (UnsolvableError, UndecidedError):
        return [Piece(everything, None)]
    return result


def _scan(solver: Solver, nodes: Sequence[Node], where: Cell | Spot) -> list[Piece]:
    open_ended = isinstance(where, Cell) and (where.upper is None or where.lower == START)
    try:
        return solver.pieces(nodes, where, budget=MAX_OPEN_PIECES if open_ended else MAX_PIECES)
    except TooManyPiecesError:
        return [Piece(where, None)]
