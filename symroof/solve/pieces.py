"""The line cut into pieces on which a formula is one quotient of one sign.

A formula is read on a piece as if ceil, floor, Min and Max were settled there. Where they are
not, or where a sum changes sign, the piece is split at the places concerned and read again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from typing import NamedTuple

from mpmath import libmp  # type: ignore[import-untyped]

from symroof.solve.enclosures import Enclosure
from symroof.solve.evaluation import sign_at
from symroof.solve.nodes import (
    Choice,
    Exponential,
    Leaf,
    Logarithm,
    Node,
    Power,
    Product,
    Root,
    Step,
    Sum,
    exponential,
    logarithm,
    root_of_number,
)
from symroof.solve.points import Gap, Point, between, compare
from symroof.solve.quotients import (
    Generator,
    Kind,
    Quotient,
    Space,
    Terms,
    UndefinedError,
    UnsolvableError,
    added,
    multiplied,
    scaled,
)
from symroof.solve.transcendental import EVERYWHERE, Range
from symroof.solve.zeros import Zeros, in_order
from symroof.symbolic.reals import fraction_of

START = Fraction(0)
MAX_STEPS = 20_000


class UnknownSignError(Exception):
    """A sign that could not be proven."""


class TooManyPiecesError(Exception):
    """A budget of pieces that ran out."""


class SplitError(Exception):
    """A piece on which the formula is not one quotient: the places where to cut it."""

    def __init__(self, places: list[Point]) -> None:
        super().__init__()
        self.places = places


class Cell(NamedTuple):
    """The numbers strictly between two places; None is infinity."""

    lower: Point
    upper: Point | None


class Spot(NamedTuple):
    """One place."""

    place: Point


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
            except SplitError as split:
                assert isinstance(piece, Cell)
                edges = [piece.lower, *split.places, piece.upper]
                cells = []
                for i in range(len(edges) - 1):
                    low, high = edges[i], edges[i + 1]
                    assert low is not None
                    cells.append(Cell(low, high))
                parts: list[Cell | Spot] = [cells[0]]
                for place, cell in zip(split.places, cells[1:], strict=True):
                    parts += [Spot(place), cell]
                stack.extend(reversed(parts))
        return done

    def holds_at(self, nodes: Sequence[Node], place: Point) -> bool | None:
        """Return whether all the formulas are at least 0 at one place; None if not known."""
        return self.pieces(nodes, Spot(place))[0].holds

    def _holds(self, nodes: Sequence[Node], where: Cell | Spot) -> bool:
        reader = _CellReader(self, where) if isinstance(where, Cell) else _SpotReader(self, where)
        return all(reader.sign(reader.read(node)) >= 0 for node in nodes)


class _Reader:
    """Reads a formula on one piece as a quotient."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self.space = solver.space

    def read(self, node: Node) -> Quotient:
        space = self.space
        match node:
            case Leaf(quotient):
                return quotient
            case Sum(parts):
                return reduce(space.add, [self.read(part) for part in parts])
            case Product(parts):
                return reduce(space.multiply, [self.read(part) for part in parts])
            case Power(base, exponent):
                return space.raise_to(self.read(base), exponent)
            case Root(base, exponent):
                return self.root(self.read(base), exponent)
            case Step(argument, up):
                return self.step(self.read(argument), up)
            case Choice(parts, largest):
                return reduce(
                    lambda a, b: self.choose(a, b, largest), [self.read(part) for part in parts]
                )
            case Exponential(base, exponent):
                value = exponential(space, base, self.read(exponent))
                if value is None:
                    raise UnsolvableError("an exponent that is not linear in the unknown")
                return value
            case Logarithm(argument):
                inner = self.read(argument)
                if self.sign(inner) <= 0:
                    raise UndefinedError
                value = logarithm(space, inner)
                if value is None:
                    raise UnsolvableError("the logarithm of a sum")
                return value

    def choose(self, left: Quotient, right: Quotient, largest: bool) -> Quotient:
        if left == right:
            return left
        side = self.sign(self.space.subtract(left, right))
        chosen = left if (side >= 0) == largest else right
        poles = left.poles + right.poles
        others = [q.denominator for q in (left, right) if len(q.denominator) > 1]
        if not poles and not others:
            return chosen
        return Quotient(chosen.numerator, chosen.denominator, (*poles, *others))

    def root(self, inside: Quotient, exponent: Fraction) -> Quotient:
        side = self.sign(inside)
        if side < 0:
            raise UndefinedError
        if side == 0:
            if exponent < 0:
                raise UndefinedError
            return self.space.number(Fraction(0))
        value = inside.constant
        if value is not None:
            return root_of_number(self.space, value, exponent)
        whole, rest = divmod(exponent.numerator, exponent.denominator)
        plain = Quotient(inside.numerator, inside.denominator)
        radical = Generator(
            Kind.RADICAL, positive=False, radicand=plain, index=exponent.denominator
        )
        result = self.space.multiply(
            self.space.raise_to(inside, whole), self.space.generator(radical, rest)
        )
        return Quotient(result.numerator, result.denominator, result.poles + inside.poles)

    def sign(self, quotient: Quotient) -> int:
        raise NotImplementedError

    def step(self, argument: Quotient, up: bool) -> Quotient:
        raise NotImplementedError

    def whole(self, value: int) -> Quotient:
        return self.space.number(Fraction(value))


class _SpotReader(_Reader):
    def __init__(self, solver: Solver, spot: Spot) -> None:
        super().__init__(solver)
        self.place = spot.place

    def sign(self, quotient: Quotient) -> int:
        below = 1
        for terms in (*quotient.poles, quotient.denominator):
            below = self.sign_of(terms)
            if not below:
                raise UndefinedError
        return below * self.sign_of(quotient.numerator) if quotient.numerator else 0

    def sign_of(self, terms: Terms) -> int:
        sign = sign_at(self.space, terms, self.place)
        if sign is None:
            zeros = self.solver.zeros.of(terms)
            if any(zero is self.place for zero in zeros):
                return 0
            raise UnknownSignError
        return sign

    def step(self, argument: Quotient, up: bool) -> Quotient:
        value = argument.constant
        if value is None and not all(map(self.sign_of, (argument.denominator, *argument.poles))):
            raise UndefinedError
        if value is None and isinstance(self.place, Fraction):
            value = rational_value(self.space, argument, self.place)
        if value is not None:
            return self.whole(-((-value).__floor__()) if up else value.__floor__())
        low, high = enclosed_floors(self.space, argument, self.place)
        while low < high:
            middle = (low + high + 1) // 2
            if self.sign(self.space.subtract(argument, self.whole(middle))) >= 0:
                low = middle
            else:
                high = middle - 1
        exact = up and self.sign(self.space.subtract(argument, self.whole(low))) == 0
        return self.whole(low + (up and not exact))


class _CellReader(_Reader):
    def __init__(self, solver: Solver, cell: Cell) -> None:
        super().__init__(solver)
        self.cell = cell
        self.inside: Fraction | None = None

    @property
    def sample(self) -> Fraction:
        if self.inside is None:
            self.inside = between(self.cell.lower, self.cell.upper)
        return self.inside

    def sign(self, quotient: Quotient) -> int:
        if not quotient.numerator:
            self.settle(quotient.denominator, *quotient.poles)
            return 0
        return self.settle(quotient.numerator, quotient.denominator, *quotient.poles)

    def settle(self, *sums: Terms) -> int:
        """Return the sign of the first sum over the second; split where any can change."""
        signs = []
        for terms in sums:
            if len(terms) == 1 and 0 in terms:
                signs.append(1 if terms[0] > 0 else -1)
                continue
            self.cut(terms)
            sign = sign_at(self.space, terms, self.sample)
            if sign is None:
                raise UnknownSignError
            signs.append(sign)
        return signs[0] * signs[1] if len(signs) > 1 else signs[0]

    def cut(self, terms: Terms) -> None:
        cell = self.cell
        places: list[Point] = []
        for zero in self.solver.zeros.of(terms, self.range()):
            if isinstance(zero, Gap):
                if compare(zero.lower, cell.lower) <= 0 and (
                    cell.upper is not None and compare(zero.upper, cell.upper) >= 0
                ):
                    raise UnknownSignError
                places += [end for end in (zero.lower, zero.upper) if self.holds(end)]
            elif self.holds(zero):
                places.append(zero)
        if places:
            raise SplitError(places)

    def holds(self, place: Point) -> bool:
        """Return whether a place is strictly inside the cell."""
        lower, upper = self.cell
        return compare(lower, place) < 0 and (upper is None or compare(place, upper) < 0)

    def range(self) -> Range:
        """Return fractions around the cell if it is bounded on both sides, else everything."""
        lower, upper = self.cell
        if upper is None or lower == START:
            return EVERYWHERE
        low = lower if isinstance(lower, Fraction) else lower.enclosure(32)[0]
        high = upper if isinstance(upper, Fraction) else upper.enclosure(32)[1]
        return low, high

    def step(self, argument: Quotient, up: bool) -> Quotient:
        value = argument.constant
        if value is not None:
            return self.whole(-((-value).__floor__()) if up else value.__floor__())
        for terms in (argument.denominator, *argument.poles):
            self.cut(terms)
        level = self.linear_step(argument, up)
        if level is None:
            level = self.searched_step(argument, up)
        return self.whole(level)

    def linear_step(self, argument: Quotient, up: bool) -> int | None:
        """Settle a linear argument between two fractions: all its steps at once."""
        lower, upper = self.cell
        if not (isinstance(lower, Fraction) and isinstance(upper, Fraction)):
            return None
        if not argument.numerator.keys() <= {0, 1} or argument.denominator.keys() != {0}:
            return None
        below = argument.denominator[0]
        slope = Fraction(argument.numerator.get(1, 0), below)
        constant = Fraction(argument.numerator.get(0, 0), below)
        first, last = sorted((constant + slope * lower, constant + slope * upper))
        low, high = first.__floor__() + 1, -((-last).__floor__()) - 1
        if low <= high:
            if high - low > MAX_STEPS:
                raise TooManyPiecesError
            places: list[Point] = [(level - constant) / slope for level in range(low, high + 1)]
            raise SplitError(places if slope > 0 else places[::-1])
        return low if up else low - 1

    def searched_step(self, argument: Quotient, up: bool) -> int:
        """Settle any argument: its level at a sample holds unless the next levels are met."""
        low, high = enclosed_floors(self.space, argument, self.sample)
        if high != low:
            difference = self.space.subtract(argument, self.whole(high))
            sign = sign_at(self.space, _cleared(difference), self.sample)
            if sign is None:
                raise UnknownSignError
            low = high if sign >= 0 else high - 1
        places: list[Point] = []
        constant = False
        for level in (low, low + 1):
            difference = self.space.subtract(argument, self.whole(level))
            if not difference.numerator:
                constant = True
                continue
            try:
                self.cut(difference.numerator)
            except SplitError as split:
                places += split.places
        if constant:
            return low
        if places:
            raise SplitError(_sorted_points(places))
        return low + 1 if up else low


def _sorted_points(places: list[Point]) -> list[Point]:
    return [place for place in in_order(list(places)) if not isinstance(place, Gap)]


def _cleared(quotient: Quotient) -> Terms:
    """Return a sum with the sign of a quotient."""
    return multiplied(quotient.numerator, quotient.denominator)


def rational_value(space: Space, quotient: Quotient, place: Fraction) -> Fraction | None:
    """Return a quotient's value at a fraction, where only powers of the variable occur in it."""
    if len(space.generators) > 1:
        return None
    sums = []
    for terms in (quotient.numerator, quotient.denominator):
        sums.append(sum((c * place**key for key, c in terms.items()), Fraction(0)))
    if not sums[1]:
        raise UndefinedError
    return sums[0] / sums[1]


def enclosed_floors(space: Space, quotient: Quotient, place: Point) -> tuple[int, int]:
    """Return two close integers between which the whole part of a quotient lies."""
    above, below = Enclosure(space, quotient.numerator), Enclosure(space, quotient.denominator)
    for bits in (64, 256, 1024):
        ends = (place, place) if isinstance(place, Fraction) else place.enclosure(bits)
        value = libmp.mpi_div(above.between(*ends, bits), below.between(*ends, bits), bits)
        if libmp.finf in value or libmp.fninf in value or libmp.fnan in value:
            continue
        low, high = (fraction_of(end).__floor__() for end in value)
        if high - low <= 1:
            return low, high
    raise UnknownSignError
