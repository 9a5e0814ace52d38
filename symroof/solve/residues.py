"""Whole numbers by their residues: there ceil and floor of polynomials are polynomials.

For n = P*(q - 1) + r with r = 1..P, ceil(n/128) is linear in q when 128 divides P; so is every
step of a polynomial with rational coefficients, once P is a multiple of their denominators. A
formula is then free of steps for each r, and its sign is found for all q at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

from symroof.solve.integers import Run, common, merged
from symroof.solve.nodes import (
    Choice,
    FractionalPower,
    Leaf,
    Node,
    Power,
    Product,
    Step,
    Sum,
    add,
    multiply,
    raise_to,
)
from symroof.solve.pieces import Piece, Solver
from symroof.solve.points import floor_of_power
from symroof.solve.quotients import (
    ONE,
    Quotient,
    Space,
    Terms,
    UndefinedError,
    multiplied,
    raised,
    scaled,
)
from symroof.solve.quotients import added as sum_of
from symroof.solve.readers import Cell

MAX_PERIOD = 20_000


class NotPeriodicError(Exception):
    """A step whose argument is no polynomial, or a period that is too long."""


def by_residue(solver: Solver, nodes: Sequence[Node]) -> list[list[Run]]:
    """Return, for each residue r = 1..P, the runs of q for which all formulas are at least 0.

    Parameters
    ----------
    solver : Solver
        The space of the formulas.
    nodes : sequence of Node
        Formulas with steps.

    Returns
    -------
    list of list of Run
        As many lists as the period is long; for `interleaved`.

    Raises
    ------
    NotPeriodicError
        If a step's argument is no polynomial, or the period is over 20,000.

    Examples
    --------
    >>> space = Space()
    >>> half = Leaf(space.multiply(space.variable(), space.number(Fraction(1, 2))))
    >>> rest = Leaf(space.negate(space.add(space.variable(), space.number(Fraction(1, 2)))))
    >>> two = Leaf(space.number(Fraction(2)))
    >>> by_residue(Solver(space), [add(space, [Product((two, Step(half, up=True))), rest])])
    [[(1, None)], []]
    """
    if len(solver.space.generators) > 1 or solver.space.power > 1:
        raise NotPeriodicError
    period = 1
    while True:
        if period > MAX_PERIOD:
            raise NotPeriodicError
        try:
            return [_runs(solver, nodes, period, r) for r in range(1, period + 1)]
        except _LongerPeriodError as longer:
            period *= longer.factor


class _LongerPeriodError(Exception):
    def __init__(self, factor: int) -> None:
        super().__init__()
        self.factor = factor


def _runs(solver: Solver, nodes: Sequence[Node], period: int, r: int) -> list[Run]:
    """Return the runs of q for one residue."""
    try:
        plain = [_shifted(solver.space, node, period, r) for node in nodes]
    except UndefinedError:
        return []
    result: list[Run] = [(1, None)]
    others = []
    for node in plain:
        runs = _runs_of_line(node)
        if runs is None:
            others.append(node)
        else:
            result = common(result, runs)
    if others and result:
        result = common(result, merged(runs_of(solver.pieces(others))))
    return result


def _runs_of_line(node: Node) -> list[Run] | None:
    """Return the runs of q >= 1 where slope*q + constant >= 0; None for any other formula."""
    if not isinstance(node, Leaf) or node.quotient.poles:
        return None
    numerator = node.quotient.numerator
    if not numerator.keys() <= {0, 1} or node.quotient.denominator.keys() != {0}:
        return None
    slope, constant = numerator.get(1, 0), numerator.get(0, 0)
    if slope > 0:
        return [(max(1, -(constant // slope)), None)]
    if slope < 0:
        return merged([(1, constant // -slope)])
    return [(1, None)] if constant >= 0 else []


def runs_of(pieces: Sequence[Piece], power: int = 1) -> list[Run]:
    """Return the whole numbers n = v**power in the pieces that hold, as runs that may touch.

    Raises
    ------
    UndecidedError
        If an end cannot be told from a whole number.
    """
    found: list[Run] = []
    for where, holds in pieces:
        if not holds:
            continue
        if isinstance(where, Cell):
            low = floor_of_power(where.lower, power)[0] + 1
            if where.upper is None:
                found.append((low, None))
                continue
            high, exact = floor_of_power(where.upper, power)
            high -= exact
            if low <= high:
                found.append((low, high))
        else:
            whole, exact = floor_of_power(where.place, power)
            if exact:
                found.append((whole, whole))
    return found


def _shifted(space: Space, node: Node, period: int, r: int) -> Node:
    """Return the formula at n = period*(q - 1) + r as one in q, without steps."""
    match node:
        case Leaf(quotient):
            return Leaf(_composed(space, quotient, period, r - period))
        case Sum(parts):
            return add(space, [_shifted(space, part, period, r) for part in parts])
        case Product(parts):
            return multiply(space, [_shifted(space, part, period, r) for part in parts])
        case Power(base, exponent):
            return raise_to(space, _shifted(space, base, period, r), exponent)
        case FractionalPower(base, exponent):
            return FractionalPower(_shifted(space, base, period, r), exponent)
        case Choice(parts, largest):
            return Choice(tuple(_shifted(space, part, period, r) for part in parts), largest)
        case Step(argument, up):
            return Leaf(_whole(space, _shifted(space, argument, period, r), up))
        case _:
            raise NotPeriodicError


def _whole(space: Space, argument: Node, up: bool) -> Quotient:
    """Return the step of a polynomial in q whose coefficients are whole but for the constant."""
    if not isinstance(argument, Leaf):
        raise NotPeriodicError
    quotient = argument.quotient
    if (
        quotient.denominator.keys() != {0}
        or quotient.poles
        or min(quotient.numerator, default=0) < 0
    ):
        raise NotPeriodicError
    below = quotient.denominator[0]
    needed = lcm(*(Fraction(c, below).denominator for key, c in quotient.numerator.items() if key))
    if needed > 1:
        raise _LongerPeriodError(needed)
    constant = Fraction(quotient.numerator.get(0, 0), below)
    whole = -((-constant).__floor__()) if up else constant.__floor__()
    return space.add(quotient, space.number(whole - constant))


def _composed(space: Space, quotient: Quotient, slope: int, constant: int) -> Quotient:
    """Return a quotient with slope*q + constant in place of the variable."""
    if quotient.numerator.keys() <= {0, 1} and quotient.denominator.keys() == {0}:
        steep, below = quotient.numerator.get(1, 0), quotient.denominator[0]
        start = steep * constant + quotient.numerator.get(0, 0)
        line = {key: c for key, c in ((1, steep * slope), (0, start)) if c}
        return Quotient(line, {0: below}, quotient.poles)
    lowest = min((*quotient.numerator, *quotient.denominator), default=0)
    shift = -min(lowest, 0)
    parts = [
        _composed_sum({key + shift: c for key, c in terms.items()}, slope, constant)
        for terms in (quotient.numerator, quotient.denominator)
    ]
    poles = tuple(
        _composed_sum({key - min(0, *pole): c for key, c in pole.items()}, slope, constant)
        for pole in quotient.poles
    )
    if not parts[1]:
        raise UndefinedError
    above = Quotient(parts[0], ONE, poles)
    return space.multiply(above, space.invert(Quotient(parts[1], ONE)))


def _composed_sum(terms: Terms, slope: int, constant: int) -> Terms:
    line: Terms = {1: slope, 0: constant} if constant else {1: slope}
    result: Terms = {}
    power: Terms = ONE
    reached = 0
    for key in sorted(terms):
        power = multiplied(power, raised(line, key - reached))
        reached = key
        result = sum_of(result, scaled(power, terms[key]))
    return result
