"""Formulas without steps below and above a formula with them.

ceil(x) lies in [x, x + 1) and floor(x) in (x - 1, x]. Carried through sums, products, powers and
Min and Max, that gives two step-free formulas between which the given one lies; where they agree
on a sign no step has to be looked at. Products and reciprocals need the signs of their factors:
plain ones are read off, others are found on the cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from typing import TypeAlias

from symroof.errors import UndecidedError
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
    add,
    has_steps,
    multiply,
    negate,
    raise_to,
)
from symroof.solve.quotients import Space, Terms, UndefinedError, UnsolvableError
from symroof.solve.readers import Cell, CellReader, UnknownSignError
from symroof.solve.zeros import Zeros

Envelope: TypeAlias = tuple[Node, Node]


def envelope(zeros: Zeros, node: Node, cell: Cell) -> Envelope | None:
    """Return step-free formulas (below, above) a formula on a cell, or None where none are known.

    Where the lower one has a value, so has the formula.

    Parameters
    ----------
    zeros : Zeros
        The zeros found so far.
    node : Node
        The formula.
    cell : Cell
        Where the bounds have to hold.

    Raises
    ------
    SplitError
        If the bounds depend on a sign that changes in the cell.

    Examples
    --------
    >>> space = Space()
    >>> rising = Step(Leaf(space.variable()), up=True)
    >>> below, above = envelope(Zeros(space), rising, Cell(Fraction(0), None))
    >>> below.quotient.numerator, above.quotient.numerator
    ({1: 1}, {1: 1, 0: 1})
    """
    return _Bounder(zeros, cell).envelope(node)


class _Bounder:
    def __init__(self, zeros: Zeros, cell: Cell) -> None:
        self.space = zeros.space
        self.reader = CellReader(zeros, cell)

    def envelope(self, node: Node) -> Envelope | None:
        if not has_steps(node):
            return node, node
        match node:
            case Sum(parts):
                all_ = self.all(parts)
                return all_ and (add(self.space, all_[0]), add(self.space, all_[1]))
            case Choice(parts, largest):
                all_ = self.all(parts)
                return all_ and (Choice(tuple(all_[0]), largest), Choice(tuple(all_[1]), largest))
            case Step(argument, up):
                return self.step(argument, up)
            case Product(parts):
                return self.product(parts)
            case Power(base, exponent):
                return self.power(base, exponent)
            case FractionalPower(base, exponent):
                return self.fractional_power(base, exponent)
            case Logarithm(argument):
                both = self.envelope(argument)
                return both and (Logarithm(both[0]), Logarithm(both[1]))
            case Exponential(base, exponent):
                both = self.envelope(exponent)
                return both and _exponentials(base, both)
            case _:
                return None

    def all(self, parts: Sequence[Node]) -> tuple[list[Node], list[Node]] | None:
        below, above = [], []
        for part in parts:
            both = self.envelope(part)
            if both is None:
                return None
            below.append(both[0])
            above.append(both[1])
        return below, above

    def step(self, argument: Node, up: bool) -> Envelope | None:
        both = self.envelope(argument)
        if both is None:
            return None
        one = Leaf(self.space.number(Fraction(1)))
        if up:
            return both[0], add(self.space, [both[1], one])
        below = add(self.space, [both[0], negate(self.space, one)])
        inner = sign(self.space, argument)
        if inner is not None and inner > 0:
            # Floors of positive numbers are not negative, which products rely on.
            below = Choice((below, Leaf(self.space.number(Fraction(0)))), largest=True)
        return below, both[1]

    def product(self, parts: Sequence[Node]) -> Envelope | None:
        space = self.space
        one = Leaf(space.number(Fraction(1)))
        result: Envelope = (one, one)
        side: int | None = 1
        for part in parts:
            both = self.envelope(part)
            if both is None:
                return None
            part_side = self.side(both, part)
            result = self.times(result, side, both, part_side)
            if side is None or part_side is None:
                side = self.side(result)
            else:
                side *= part_side
        return result

    def times(
        self, left: Envelope, left_side: int | None, right: Envelope, right_side: int | None
    ) -> Envelope:
        """Return the envelope of a product: by signs where they are known, else by all corners."""
        space = self.space
        if left_side is not None and right_side is not None:
            if left_side < 0:
                return self.opposite(self.times(self.opposite(left), 1, right, right_side))
            if right_side < 0:
                return self.opposite(self.times(left, 1, self.opposite(right), 1))
            return multiply(space, [left[0], right[0]]), multiply(space, [left[1], right[1]])
        lefts, rights = (both if both[0] != both[1] else both[:1] for both in (left, right))
        corners = tuple(multiply(space, [a, b]) for a in lefts for b in rights)
        return Choice(corners, largest=False), Choice(corners, largest=True)

    def opposite(self, both: Envelope) -> Envelope:
        return negate(self.space, both[1]), negate(self.space, both[0])

    def power(self, base: Node, exponent: int) -> Envelope | None:
        space = self.space
        both = self.envelope(base)
        if both is None:
            return None
        side = self.side(both, base)
        if exponent < 0:
            try:
                return None if side is None else self.reciprocal(both, side, exponent)
            except UndefinedError:
                return None
        ends = raise_to(space, both[0], exponent), raise_to(space, both[1], exponent)
        if exponent % 2 or side == 1:
            return ends
        if side == -1:
            return ends[1], ends[0]
        # Zero times the base, so that it has no value where the base has none.
        zero = multiply(space, [Leaf(space.number(Fraction(0))), both[0]])
        return zero, Choice(ends, largest=True)

    def reciprocal(self, both: Envelope, side: int, exponent: int) -> Envelope:
        space = self.space
        if side < 0:
            ends = self.reciprocal(self.opposite(both), 1, exponent)
            return self.opposite(ends) if exponent % 2 else ends
        below, above = raise_to(space, both[1], exponent), raise_to(space, both[0], exponent)
        # Without a value where the base may be zero.
        zero = multiply(space, [Leaf(space.number(Fraction(0))), above])
        return add(space, [below, zero]), above

    def fractional_power(self, base: Node, exponent: Fraction) -> Envelope | None:
        both = self.envelope(base)
        if both is None or (exponent < 0 and not self.is_positive(both[0])):
            return None
        ends = FractionalPower(both[0], exponent), FractionalPower(both[1], exponent)
        return ends if exponent > 0 else (ends[1], ends[0])

    def side(self, both: Envelope, node: Node | None = None) -> int | None:
        """Return 1 if the lower bound is nowhere negative, -1 if the upper is nowhere positive."""
        plain = None if node is None else sign(self.space, node)
        if plain is not None:
            return 1 if plain > 0 else -1
        if self.sign_of(both[0]) in (0, 1):
            return 1
        return -1 if self.sign_of(both[1]) in (0, -1) else None

    def is_positive(self, node: Node) -> bool:
        return sign(self.space, node) == 2 or self.sign_of(node) == 1

    def sign_of(self, node: Node) -> int | None:
        try:
            return self.reader.sign(self.reader.read(node))
        except (UndefinedError, UnknownSignError, UnsolvableError, UndecidedError):
            return None


def sign(space: Space, node: Node) -> int | None:
    """Return what is plain about a formula's sign: 2 positive, 1 not negative, -1 not positive.

    Examples
    --------
    >>> space = Space()
    >>> sign(space, Leaf(space.variable())), sign(space, Step(Leaf(space.variable()), up=False))
    (2, 1)
    """
    match node:
        case Leaf(quotient):
            above = _sum_sign(space, quotient.numerator)
            below = _sum_sign(space, quotient.denominator)
            if above is None or below is None or below == 1:
                return None
            return above if below > 0 else {2: -2, 1: -1, -1: 1, -2: 2}[above]
        case Sum(parts):
            signs = [sign(space, part) for part in parts]
            if all(s is not None and s > 0 for s in signs):
                return 2 if 2 in signs else 1
            return -1 if all(s is not None and s < 0 for s in signs) else None
        case Product(parts):
            return reduce(_times, [sign(space, part) for part in parts])
        case Power(base, exponent):
            inner = sign(space, base)
            if inner is not None and inner > 0 and (exponent > 0 or inner == 2):
                return inner
            return 1 if exponent > 0 and exponent % 2 == 0 else None
        case FractionalPower():
            return 1
        case Step(argument, up):
            inner = sign(space, argument)
            if up:
                return 2 if inner == 2 else 1 if inner == 1 else None
            return 1 if inner is not None and inner > 0 else -1 if inner in (-1, -2) else None
        case Choice(parts, largest):
            signs = [sign(space, part) for part in parts]
            if largest and 2 in signs:
                return 2
            if all(s is not None and s > 0 for s in signs):
                return min(s for s in signs if s is not None)
            return -1 if all(s is not None and s < 0 for s in signs) else None
        case Exponential():
            return 2
        case Logarithm():
            return None


def _exponentials(base: Fraction, exponents: Envelope) -> Envelope:
    low, high = exponents if base > 1 else (exponents[1], exponents[0])
    return Exponential(base, low), Exponential(base, high)


def _times(left: int | None, right: int | None) -> int | None:
    if left is None or right is None:
        return None
    size = 2 if abs(left) == abs(right) == 2 else 1
    return size if (left > 0) == (right > 0) else -size


def _sum_sign(space: Space, terms: Terms) -> int | None:
    if not terms:
        return 1
    positive = all(c > 0 for c in terms.values())
    if not positive and not all(c < 0 for c in terms.values()):
        return None
    if len(space.generators) > 1:
        for key in terms:
            pairs = zip(space.exponents(key), space.generators, strict=True)
            if any(e and not generator.positive for e, generator in pairs):
                return None
    return 2 if positive else -2
