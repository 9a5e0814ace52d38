"""How fast a formula grows with one symbol, held exactly."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import total_ordering
from math import gcd
from typing import TypeAlias

from sympy import Add, Integer, Rational

from symroof.errors import UndecidedError
from symroof.symbolic.exact import sign_of
from symroof.symbolic.functions import log2

Rate: TypeAlias = tuple[tuple[int, Fraction], ...]


@total_ordering
@dataclass(frozen=True, slots=True, eq=False)
class Growth:
    """The growth of ``base**u * u**power * log2(u)**logs`` in u; growths compare as they win.

    Attributes
    ----------
    power, logs : Fraction
        The powers of u and of its logarithm.
    rate : tuple of (int, Fraction)
        The base, as powers of whole numbers above 1 that have no factor in common.

    Examples
    --------
    >>> fifteen = Growth.exponential(Rational(15), Fraction(1))
    >>> Growth.exponential(Rational(3), Fraction(1)) + Growth.exponential(
    ...     Rational(5), Fraction(1)
    ... ) == fifteen
    True
    >>> CONSTANT < Growth(logs=Fraction(3)) < Growth(power=Fraction(1, 2)) < fifteen
    True
    """

    power: Fraction = Fraction(0)
    logs: Fraction = Fraction(0)
    rate: Rate = ()

    @classmethod
    def exponential(cls, base: Rational, speed: Fraction) -> Growth:
        """Return the growth of ``base**(speed*u)``, for a positive base."""
        return cls(rate=_coprime([(int(base.p), speed), (int(base.q), -speed)]))

    def __add__(self, other: Growth) -> Growth:
        """Return the growth of the product."""
        rate = _coprime([*self.rate, *other.rate]) if self.rate and other.rate else None
        together = self.rate or other.rate if rate is None else rate
        return Growth(self.power + other.power, self.logs + other.logs, together)

    def __mul__(self, times: int) -> Growth:
        """Return the growth of the power."""
        rate = tuple((base, e * times) for base, e in self.rate) if times else ()
        return Growth(self.power * times, self.logs * times, rate)

    def __sub__(self, other: Growth) -> Growth:
        """Return the growth of the quotient."""
        return self + other * -1

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Growth):
            return NotImplemented
        same = (self.power, self.logs) == (other.power, other.logs)
        return same and (self.rate == other.rate or not (self - other).rate)

    def __hash__(self) -> int:
        # Equal rates may be written with different bases.
        return hash((self.power, self.logs))

    def __lt__(self, other: Growth) -> bool:
        """Return whether the other one wins in the end.

        Raises
        ------
        UndecidedError
            If two bases are too close to be told apart.
        """
        if self.rate != other.rate:
            rate = (self - other).rate
            if rate:
                return _sign(rate) < 0
        return (self.power, self.logs) < (other.power, other.logs)


CONSTANT = Growth()


def _coprime(powers: list[tuple[int, Fraction]]) -> Rate:
    """Return the same product as powers of numbers without common factors; () for 1.

    Such numbers are independent: no product of powers of them is 1 but the empty one.
    """
    found: dict[int, Fraction] = {}
    waiting = list(powers)
    while waiting:
        base, exponent = waiting.pop()
        if base == 1 or not exponent:
            continue
        for other in found:
            common = gcd(base, other)
            if common > 1:
                theirs = found.pop(other)
                waiting += [
                    (common, exponent + theirs),
                    (base // common, exponent),
                    (other // common, theirs),
                ]
                break
        else:
            found[base] = exponent
    return tuple(sorted(found.items()))


def _sign(rate: Rate) -> int:
    speed = Add(*(Rational(e.numerator, e.denominator) * log2(Integer(b)) for b, e in rate))
    sign = sign_of(speed)
    if not sign:  # it is not 0, as the numbers are independent
        raise UndecidedError("which of two exponentials grows faster could not be told")
    return sign
