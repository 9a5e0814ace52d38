"""Formulas without steps below and above a formula with them.

ceil(x) lies in [x, x + 1) and floor(x) in (x - 1, x]. Carried through sums, products, powers and
Min and Max, that gives two step-free formulas between which the given one lies; where they agree
on a sign no step has to be looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from typing import TypeAlias

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
from symroof.solve.quotients import Space, Terms

Envelope: TypeAlias = tuple[Node, Node]


def envelope(space: Space, node: Node) -> Envelope | None:
    """Return step-free formulas (below, above) a formula, or None where none are known.

    Parameters
    ----------
    space : Space
        The generators.
    node : Node
        The formula.

    Examples
    --------
    >>> space = Space()
    >>> below, above = envelope(space, Step(Leaf(space.variable()), up=True))
    >>> below.quotient.numerator, above.quotient.numerator
    ({1: 1}, {1: 1, 0: 1})
    """
    if not has_steps(node):
        return node, node
    match node:
        case Sum(parts):
            all_ = _all(space, parts)
            return all_ and (add(space, all_[0]), add(space, all_[1]))
        case Choice(parts, largest):
            all_ = _all(space, parts)
            return all_ and (Choice(tuple(all_[0]), largest), Choice(tuple(all_[1]), largest))
        case Step(argument, up):
            return _step(space, argument, up)
        case Product(parts):
            return _product(space, parts)
        case Power(base, exponent):
            return _power(space, base, exponent)
        case FractionalPower(base, exponent):
            both = envelope(space, base)
            if both is None or (exponent < 0 and sign(space, both[0]) != 2):
                return None
            ends = FractionalPower(both[0], exponent), FractionalPower(both[1], exponent)
            return ends if exponent > 0 else (ends[1], ends[0])
        case Logarithm(argument):
            both = envelope(space, argument)
            return both and (Logarithm(both[0]), Logarithm(both[1]))
        case Exponential(base, exponent):
            both = envelope(space, exponent)
            return both and _exponentials(base, both)
        case _:
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


def _all(space: Space, parts: Sequence[Node]) -> tuple[list[Node], list[Node]] | None:
    below, above = [], []
    for part in parts:
        both = envelope(space, part)
        if both is None:
            return None
        below.append(both[0])
        above.append(both[1])
    return below, above


def _step(space: Space, argument: Node, up: bool) -> Envelope | None:
    both = envelope(space, argument)
    if both is None:
        return None
    one = Leaf(space.number(Fraction(1)))
    if up:
        return both[0], add(space, [both[1], one])
    below = add(space, [both[0], negate(space, one)])
    inner = sign(space, argument)
    if inner is not None and inner > 0:
        # Floors of positive numbers are not negative, which products rely on.
        below = Choice((below, Leaf(space.number(Fraction(0)))), largest=True)
    return below, both[1]


def _product(space: Space, parts: Sequence[Node]) -> Envelope | None:
    result: Envelope | None = None
    result_sign: int | None = 2
    for part in parts:
        both = envelope(space, part)
        if both is None:
            return None
        part_sign = sign(space, part)
        if result is None:
            result, result_sign = both, part_sign
        else:
            result = _times_between(space, result, result_sign, both, part_sign)
            result_sign = _times(result_sign, part_sign)
    return result


def _times_between(
    space: Space, left: Envelope, left_sign: int | None, right: Envelope, right_sign: int | None
) -> Envelope:
    """Return the envelope of a product: by signs where they are plain, else by all corners."""
    if left_sign is not None and right_sign is not None:
        if left_sign < 0:
            low, high = _times_between(space, _opposite(space, left), -left_sign, right, right_sign)
            return _opposite(space, (low, high))
        if right_sign < 0:
            low, high = _times_between(space, left, left_sign, _opposite(space, right), -right_sign)
            return _opposite(space, (low, high))
        return multiply(space, [left[0], right[0]]), multiply(space, [left[1], right[1]])
    lefts, rights = (both if both[0] != both[1] else both[:1] for both in (left, right))
    corners = tuple(multiply(space, [a, b]) for a in lefts for b in rights)
    return Choice(corners, largest=False), Choice(corners, largest=True)


def _opposite(space: Space, both: Envelope) -> Envelope:
    return negate(space, both[1]), negate(space, both[0])


def _power(space: Space, base: Node, exponent: int) -> Envelope | None:
    both = envelope(space, base)
    if both is None:
        return None
    inner = sign(space, base)
    if exponent < 0:
        if inner is None or inner < 0:
            return None
        below, above = raise_to(space, both[1], exponent), raise_to(space, both[0], exponent)
        if sign(space, both[0]) != 2:
            # Without a value where the base may be zero.
            zero = multiply(space, [Leaf(space.number(Fraction(0))), above])
            below = add(space, [below, zero])
        return below, above
    if inner is not None and inner > 0:
        return raise_to(space, both[0], exponent), raise_to(space, both[1], exponent)
    ends = raise_to(space, both[0], exponent), raise_to(space, both[1], exponent)
    if exponent % 2:
        return ends
    # Zero times the base, so that it has no value where the base has none.
    zero = multiply(space, [Leaf(space.number(Fraction(0))), both[0]])
    return zero, Choice(ends, largest=True)
