"""Whole numbers that satisfy a comparison, found by bounds alone: any formula will do.

From some power of two on the sign is proven once and for all. Up to there boxes of whole numbers
are halved until the bounds of both sides decide each, a single number exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from mpmath import libmp  # type: ignore[import-untyped]
from sympy import Expr, Symbol

from symroof.solve.direct import Sides
from symroof.solve.enclosures import raw, sign_of
from symroof.solve.integers import IntegerSet, Run
from symroof.solve.intervals import UnboundedError, bounds, slope
from symroof.solve.problem import Problem
from symroof.solve.quotients import UndefinedError
from symroof.solve.tails import Tail

SIZES = (4, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 64, 96, 128, 256, 512)
MAX_BOXES = 4_000
BITS = 64


def bracketed(left: Expr, rights: Sequence[Expr], unknown: Symbol) -> IntegerSet | None:
    """Return the whole numbers for which `left` is at least every right.

    Parameters
    ----------
    left : Expr
        What is to be the larger.
    rights : sequence of Expr
        What it is compared with.
    unknown : Symbol
        The only symbol in them.

    Returns
    -------
    IntegerSet or None
        None where the bounds do not decide.

    Examples
    --------
    >>> from symroof.symbolic.parser import parse
    >>> bracketed(parse("log2(M + 7)"), [parse("10 - M/500")], Symbol("M", positive=True)).first
    503
    """
    belongs = Holds(left, tuple(rights), unknown)
    found: list[Run] = []
    for size in SIZES:
        start = 1 << size
        try:
            beyond = _beyond(Tail(unknown, start), left, rights)
        except (UnboundedError, UndefinedError):
            continue
        runs = _below(belongs, start)
        if runs is None:
            return None
        found = [*runs, (start, None)] if beyond else runs
        return replace(IntegerSet.of_runs(found), belongs=belongs)
    return None


@dataclass(frozen=True)
class Holds:
    """Whether one whole number satisfies a comparison.

    Examples
    --------
    >>> u = Symbol("u", positive=True)
    >>> Holds(u**2, (u + 7,), u)(3), Holds(u**2, (u + 7,), u)(4)
    (False, True)
    """

    left: Expr
    rights: tuple[Expr, ...]
    unknown: Symbol

    def __call__(self, number: int) -> bool:
        """Return whether the comparison holds at `number`."""
        found = self.at(number)
        if found is None:
            raise UnboundedError(f"the comparison at {number} could not be decided")
        return found

    def at(self, number: int) -> bool | None:
        """Return whether the comparison holds at `number`; None where that is not known."""
        sides = _sides(self.left, self.rights, self.unknown)
        return sides.hold({self.unknown.name: Fraction(number)})

    def between(self, low: int, high: int) -> bool | None:
        """Return whether it holds for all numbers (True) or none (False); None if unknown."""
        bits = _precision(high)
        values = {self.unknown.name: raw(Fraction(low), Fraction(high), bits)}
        try:
            above = bounds(self.left, values, bits)
            others = [bounds(right, values, bits) for right in self.rights]
        except UndefinedError:
            return False
        except UnboundedError:
            return None
        if any(libmp.mpf_lt(above[1], other[0]) for other in others):
            return False
        if all(libmp.mpf_ge(above[0], other[1]) for other in others):
            return True
        signs = [self.steady_sign(low, high, right) for right in self.rights]
        return False if -1 in signs else None if None in signs else True

    def steady_sign(self, low: int, high: int, right: Expr) -> int | None:
        """Return the sign of left - right between two numbers where it rises or falls throughout.

        That is -1 below 0, 1 from 0 on, and None where it is not one of these or not known.
        """
        difference = self.left - right
        bits = _precision(high)
        values = {self.unknown.name: raw(Fraction(low), Fraction(high), bits)}
        try:
            if not sign_of(slope(difference, values, bits)):
                return None
            signs = set()
            for end in (Fraction(low), Fraction(high)):
                lowest, highest = bounds(difference, {self.unknown.name: raw(end, end, bits)}, bits)
                is_below = libmp.mpf_sign(highest) < 0
                signs.add(-1 if is_below else 1 if libmp.mpf_sign(lowest) >= 0 else None)
        except (UndefinedError, UnboundedError):
            return None
        return signs.pop() if len(signs) == 1 else None


@lru_cache(maxsize=32)
def _sides(left: Expr, rights: tuple[Expr, ...], unknown: Symbol) -> Sides:
    return Sides(Problem(left, rights, unknown))


def _beyond(tail: Tail, left: Expr, rights: Sequence[Expr]) -> bool:
    # Each side must have a value by itself: a difference may lose what has none.
    for side in (left, *rights):
        tail.terms(side)
    signs: list[int | None] = []
    for right in rights:
        try:
            signs.append(tail.sign(left - right))
        except UnboundedError:
            signs.append(None)
    if any(sign is not None and sign < 0 for sign in signs):
        return False
    if None in signs:
        raise UnboundedError
    return True


def _below(belongs: Holds, stop: int) -> list[Run] | None:
    """Return the runs of numbers below `stop`."""
    found: list[Run] = []
    stack = [(1, stop - 1)]
    for _ in range(MAX_BOXES):
        if not stack:
            return found
        low, high = stack.pop()
        holds = belongs.at(low) if low == high else belongs.between(low, high)
        if holds:
            found.append((low, high))
        elif holds is None:
            if low == high:
                return None
            middle = _middle(low, high)
            stack += [(middle + 1, high), (low, middle)]
    return None


def _precision(high: int) -> int:
    """Return the bits that tell neighbouring numbers apart."""
    return BITS + 2 * high.bit_length()


def _middle(low: int, high: int) -> int:
    """Return a number between, on the scale of powers of two while the ends are far apart."""
    if high <= 4 * low:
        return (low + high) // 2
    return low << ((high // low).bit_length() // 2)
