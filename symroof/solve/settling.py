"""Steps that end: ceil and floor of what tends to a number at 0 or at infinity."""

from __future__ import annotations

from fractions import Fraction

from symroof.solve.evaluation import in_variable
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
    multiply,
    raise_to,
    step,
)
from symroof.solve.points import Gap, Point
from symroof.solve.quotients import Quotient, Space
from symroof.solve.readers import START, Cell, CellReader, SplitError
from symroof.solve.zeros import Zeros, in_order


def settled(zeros: Zeros, node: Node, cell: Cell) -> Node:
    """Return the formula as it is on a cell that reaches 0 or infinity, with fewer steps.

    A step whose argument tends to a number at an open end of the cell is a constant from
    somewhere on.

    Parameters
    ----------
    zeros : Zeros
        The zeros found so far.
    node : Node
        The formula.
    cell : Cell
        A cell from 0, or to infinity, or both.

    Raises
    ------
    SplitError
        With the place beyond which, or before which, a step is a constant.

    Examples
    --------
    >>> space = Space()
    >>> falling = Step(Leaf(space.multiply(space.number(Fraction(5)), space.variable(-1))), up=True)
    >>> settled(Zeros(space), falling, Cell(Fraction(6), None)).quotient.constant
    Fraction(1, 1)
    """
    space = zeros.space

    def within(inner: Node) -> Node:
        return settled(zeros, inner, cell)

    match node:
        case Leaf():
            return node
        case Sum(parts):
            return add(space, [within(part) for part in parts])
        case Product(parts):
            return multiply(space, [within(part) for part in parts])
        case Choice(parts, largest):
            return Choice(tuple(within(part) for part in parts), largest)
        case Power(base, exponent):
            return raise_to(space, within(base), exponent)
        case FractionalPower(base, exponent):
            return FractionalPower(within(base), exponent)
        case Exponential(base, exponent):
            return Exponential(base, within(exponent))
        case Logarithm(argument):
            return Logarithm(within(argument))
        case Step(argument, up):
            inner = within(argument)
            if isinstance(inner, Leaf):
                return _settled_step(zeros, inner.quotient, up, cell)
            return step(space, inner, up)


def _settled_step(zeros: Zeros, argument: Quotient, up: bool, cell: Cell) -> Node:
    for at_zero, is_open in ((False, cell.upper is None), (True, cell.lower == START)):
        limit = _limit(zeros.space, argument, at_zero=at_zero) if is_open else None
        if limit is None:
            continue
        places = _changes(zeros, argument, limit, cell)
        if places:
            raise SplitError([places[0] if at_zero else places[-1]])
        return Leaf(CellReader(zeros, cell).step(argument, up))
    return step(zeros.space, Leaf(argument), up)


def _limit(space: Space, quotient: Quotient, *, at_zero: bool) -> Fraction | None:
    """Return what a quotient of polynomials tends to; None if nothing finite."""
    if not quotient.numerator:
        return Fraction(0)
    above, below = (in_variable(space, t) for t in (quotient.numerator, quotient.denominator))
    if above is None or below is None:
        return None
    if at_zero:
        rise = above[1] - below[1]
        return None if rise < 0 else Fraction(above[0][0], below[0][0]) if not rise else Fraction(0)
    rise = above[1] + len(above[0]) - below[1] - len(below[0])
    return None if rise > 0 else Fraction(above[0][-1], below[0][-1]) if not rise else Fraction(0)


def _changes(zeros: Zeros, argument: Quotient, limit: Fraction, cell: Cell) -> list[Point]:
    """Return where the argument meets a whole number near its limit, or has no value."""
    space = zeros.space
    reader = CellReader(zeros, cell)
    sums = [argument.denominator, *argument.poles]
    for level in range(limit.__floor__() - 1, limit.__floor__() + 2):
        sums.append(space.subtract(argument, space.number(Fraction(level))).numerator)
    found = [
        place
        for terms in sums
        if terms
        for place in zeros.of(terms)
        if not isinstance(place, Gap) and reader.holds(place)
    ]
    return [place for place in in_order(list(found)) if not isinstance(place, Gap)]
