"""A formula on one piece of the line, read as a single quotient.

On a cell ceil, floor, Min and Max are settled by a sample, once nothing can change inside; where
something can, the reader asks for a split. At one place they are settled exactly.
"""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from typing import NamedTuple

from mpmath import libmp  # type: ignore[import-untyped]

from symroof.errors import UndecidedError
from symroof.solve.enclosures import Enclosure
from symroof.solve.evaluation import sign_at
from symroof.solve.nodes import (
    Choice,
    Exponential,
    FractionalPower,
    Leaf,
    Logarithm,
    Node,
    Power,
    Product,
    Step,
    Sum,
    cap_of,
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
    multiplied,
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


class Reader:
    """Reads a formula on one piece; its subclasses settle signs and steps there.

    Parameters
    ----------
    zeros : Zeros
        The zeros found so far, over the space of the formula.
    """

    def __init__(self, zeros: Zeros) -> None:
        self.zeros = zeros
        self.space = zeros.space

    def read(self, node: Node) -> Quotient:
        """Return the one quotient the formula is on the piece.

        Raises
        ------
        SplitError
            If it is not one quotient there.
        UndefinedError
            If it has no value there.
        """
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
            case FractionalPower(base, exponent):
                return self.root(self.read(base), exponent)
            case Step(argument, up):
                return self.step(self.read(argument), up)
            case Choice(parts, largest):
                cap = cap_of(parts, largest)
                if cap is not None:
                    parts = tuple(part for part in parts if not self.reaches(part, cap))
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

    def reaches(self, part: Node, cap: Fraction) -> bool:
        """Return whether a step is at least a number, without a look at the steps beyond it."""
        if not isinstance(part, Step):
            return False
        # ceil(x) >= c where x > c - 1, floor(x) >= c where x >= c, for a whole number c.
        whole = -((-cap).__floor__()) - part.up
        side = self.sign(self.space.subtract(self.read(part.argument), self.whole(whole)))
        return side > 0 or (side == 0 and not part.up)

    def choose(self, left: Quotient, right: Quotient, largest: bool) -> Quotient:
        """Return the larger or smaller; both must have a value."""
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
        """Return a fractional power, with a generator for the root if it has no closed form."""
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
        """Return the sign on the piece."""
        raise NotImplementedError

    def step(self, argument: Quotient, up: bool) -> Quotient:
        """Return the next integer on the piece."""
        raise NotImplementedError

    def whole(self, value: int) -> Quotient:
        """Return an integer as a quotient."""
        return self.space.number(Fraction(value))


class SpotReader(Reader):
    """Reads a formula at one place."""

    def __init__(self, zeros: Zeros, spot: Spot) -> None:
        super().__init__(zeros)
        self.place = spot.place

    def sign(self, quotient: Quotient) -> int:
        """Return the sign at the place."""
        below = self.below(quotient)
        return below * self.sign_of(quotient.numerator) if quotient.numerator else 0

    def below(self, quotient: Quotient) -> int:
        """Return the sign of the denominator; no value where it or another pole is zero."""
        sign = 1
        for terms in (*quotient.poles, quotient.denominator):
            try:
                sign = self.sign_of(terms)
            except UnknownSignError:
                raise UndecidedError("a denominator could not be told from zero") from None
            if not sign:
                raise UndefinedError
        return sign

    def sign_of(self, terms: Terms) -> int:
        """Return the sign of a sum at the place."""
        if not isinstance(self.place, Fraction) and self.is_zero(terms):
            return 0
        sign = sign_at(self.space, terms, self.place)
        if sign is None and self.is_zero(terms):
            return 0
        if sign is None:
            raise UnknownSignError
        return sign

    def is_zero(self, terms: Terms) -> bool:
        """Return whether the place was found as a zero of this very sum."""
        return self.zeros.includes(terms, self.place)

    def step(self, argument: Quotient, up: bool) -> Quotient:
        """Return the next integer at the place, an integer itself told exactly."""
        value = argument.constant
        if value is None:
            self.below(argument)
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


class CellReader(Reader):
    """Reads a formula on a cell."""

    def __init__(self, zeros: Zeros, cell: Cell) -> None:
        super().__init__(zeros)
        self.cell = cell
        self.inside: Fraction | None = None

    @property
    def sample(self) -> Fraction:
        """A fraction in the cell."""
        if self.inside is None:
            self.inside = between(self.cell.lower, self.cell.upper)
        return self.inside

    def sign(self, quotient: Quotient) -> int:
        """Return the sign on the cell."""
        for terms in quotient.poles:
            self.cut(terms)
        below = self.sign_of(quotient.denominator)
        return below * self.sign_of(quotient.numerator) if quotient.numerator else 0

    def sign_of(self, terms: Terms) -> int:
        """Return the sign of a sum on the cell."""
        if len(terms) == 1 and 0 in terms:
            return 1 if terms[0] > 0 else -1
        self.cut(terms)
        sign = sign_at(self.space, terms, self.sample)
        if sign is None:
            raise UnknownSignError
        return sign

    def cut(self, terms: Terms) -> None:
        """Ask for a split at the zeros of a sum inside the cell, if there are any."""
        cell = self.cell
        places: list[Point] = []
        for zero in self.zeros.of(terms, self.range()):
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
        return lower_bound(lower), upper_bound(upper)

    def step(self, argument: Quotient, up: bool) -> Quotient:
        """Return the next integer on the cell."""
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
        """Settle a linear argument on a bounded cell: all its steps at once."""
        lower, upper = self.cell
        if upper is None:
            return None
        if not argument.numerator.keys() <= {0, 1} or argument.denominator.keys() != {0}:
            return None
        below = argument.denominator[0]
        slope = Fraction(argument.numerator.get(1, 0), below)
        constant = Fraction(argument.numerator.get(0, 0), below)
        low, high = lower_bound(lower), upper_bound(upper)
        first, last = sorted((constant + slope * low, constant + slope * high))
        levels = range(first.__floor__() + 1, -((-last).__floor__()))
        if levels.stop - levels.start > MAX_STEPS:
            raise TooManyPiecesError
        places: list[Point] = [(level - constant) / slope for level in levels]
        if slope < 0:
            places.reverse()
        # The bounds of an irrational end may take in a step just outside.
        while places and not self.holds(places[0]):
            places.pop(0)
        while places and not self.holds(places[-1]):
            places.pop()
        if places:
            raise SplitError(places)
        value = constant + slope * self.sample
        return -((-value).__floor__()) if up else value.__floor__()

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


def lower_bound(place: Point) -> Fraction:
    """Return a fraction at most the place, and near it."""
    return place if isinstance(place, Fraction) else place.enclosure(32)[0]


def upper_bound(place: Point) -> Fraction:
    """Return a fraction at least the place, and near it."""
    return place if isinstance(place, Fraction) else place.enclosure(32)[1]


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
